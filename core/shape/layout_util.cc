#include "core/shape/layout_util.h"

#include <algorithm>
#include <cassert>

#include "core/shape/layout_map.h"

namespace hloscope {

std::optional<int> CanonicalDimension(int64_t dimension, int rank) {
  if (dimension < -rank || dimension >= rank) return std::nullopt;
  return static_cast<int>(dimension < 0 ? dimension + rank : dimension);
}

std::optional<int64_t> DimensionSize(const Shape& shape, int64_t dimension) {
  const std::optional<int> d = CanonicalDimension(dimension, shape.rank());
  return d.has_value() ? std::optional<int64_t>(shape.dim(*d)) : std::nullopt;
}

int TrueRank(const Shape& shape) {
  return static_cast<int>(std::count_if(shape.dimensions().begin(), shape.dimensions().end(), [](int64_t d) { return d > 1 || d < 0; }));
}

Shape MakeShape(ElementType type, absl::Span<const int64_t> dimensions) { return Shape::Array(type, dimensions); }

Shape MakeShapeWithLayout(ElementType type, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> minor_to_major, std::vector<Tile> tiles,
                          int64_t element_size_in_bits) {
  Layout layout;
  for (int64_t d : minor_to_major) {
    const std::optional<int> canonical = CanonicalDimension(d, static_cast<int>(dimensions.size()));
    layout.minor_to_major.push_back(canonical.has_value() ? *canonical : d);
  }
  layout.tiles = std::move(tiles);
  layout.element_size_in_bits = element_size_in_bits;
  return Shape::Array(type, dimensions, std::move(layout));
}

Shape MakeShapeWithRowMajorLayout(ElementType type, absl::Span<const int64_t> dimensions) {
  return Shape::Array(type, dimensions, Layout::RowMajor(static_cast<int>(dimensions.size())));
}

Layout LayoutOf(const Shape& shape) { return shape.layout() != nullptr ? *shape.layout() : Layout::RowMajor(shape.rank()); }

Shape MakePaddedShape(const Shape& shape, absl::Span<const int64_t> padded_dimensions, PaddingValue value) {
  Layout layout = LayoutOf(shape);
  layout.padded_dimensions.assign(padded_dimensions.begin(), padded_dimensions.end());
  layout.padding_value = value;
  return shape.WithLayout(std::move(layout));
}

namespace {

template <typename Function>
Shape MapTuple(const Shape& shape, const Function& function) {
  std::vector<Shape> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(function(element));
  return Shape::Tuple(std::move(elements));
}

}  // namespace

Shape WithRowMajorLayouts(const Shape& shape) {
  if (shape.IsTuple()) return MapTuple(shape, WithRowMajorLayouts);
  return shape.IsArray() ? shape.WithLayout(Layout::RowMajor(shape.rank())) : shape;
}

Shape DenseShape(const Shape& shape) {
  if (shape.IsStoredDense()) return shape;
  if (shape.IsTuple()) return MapTuple(shape, DenseShape);
  return shape.WithLayout(std::nullopt);
}

Shape PermuteDimensions(const Shape& shape, absl::Span<const int64_t> permutation) {
  const int rank = shape.rank();
  assert(static_cast<int>(permutation.size()) == rank);
  std::vector<int64_t> dimensions(rank), where(rank);
  std::vector<bool> dynamic;
  if (shape.has_dynamic_dimension()) dynamic.resize(rank);
  for (int d = 0; d < rank; ++d) {
    const int from = CanonicalDimension(permutation[d], rank).value_or(0);
    dimensions[d] = shape.dim(from);
    where[from] = d;
    if (!dynamic.empty()) dynamic[d] = shape.is_dynamic(from);
  }
  if (shape.layout() == nullptr && std::is_sorted(where.begin(), where.end())) return shape;
  Layout layout = LayoutOf(shape);
  for (int64_t& d : layout.minor_to_major) d = where[d];
  if (!layout.padded_dimensions.empty()) {
    std::vector<int64_t> padded(rank);
    for (int d = 0; d < rank; ++d) padded[where[d]] = layout.padded_dimensions[d];
    layout.padded_dimensions = std::move(padded);
  }
  return Shape::Array(shape.element_type(), dimensions, std::move(layout), std::move(dynamic));
}

Shape DropDegenerateDimensions(const Shape& shape) {
  const Layout* old = shape.layout();
  std::vector<int64_t> dimensions, place(shape.rank(), -1), padded;
  std::vector<bool> dynamic;
  for (int d = 0; d < shape.rank(); ++d) {
    const bool is_padded = old != nullptr && !old->padded_dimensions.empty() && old->padded_dimensions[d] != 1;
    if (shape.dim(d) == 1 && !shape.is_dynamic(d) && !is_padded) continue;
    place[d] = static_cast<int64_t>(dimensions.size());
    dimensions.push_back(shape.dim(d));
    dynamic.push_back(shape.is_dynamic(d));
    if (old != nullptr && !old->padded_dimensions.empty()) padded.push_back(old->padded_dimensions[d]);
  }
  if (static_cast<int>(dimensions.size()) == shape.rank()) return shape;
  std::optional<Layout> layout;
  if (old != nullptr) {
    layout = *old;
    layout->minor_to_major.clear();
    for (int64_t d : old->minor_to_major) {
      if (place[d] >= 0) layout->minor_to_major.push_back(place[d]);
    }
    layout->padded_dimensions = std::move(padded);
  }
  return Shape::Array(shape.element_type(), dimensions, std::move(layout), std::move(dynamic));
}

Shape AppendMinorDimension(const Shape& shape, int64_t size) {
  std::vector<int64_t> dimensions(shape.dimensions().begin(), shape.dimensions().end());
  dimensions.push_back(size);
  std::vector<bool> dynamic = shape.dynamic_dimensions();
  if (!dynamic.empty()) dynamic.push_back(false);
  std::optional<Layout> layout;
  if (shape.layout() != nullptr) {
    layout = *shape.layout();
    layout->minor_to_major.insert(layout->minor_to_major.begin(), shape.rank());
    if (!layout->padded_dimensions.empty()) layout->padded_dimensions.push_back(size);
  }
  return Shape::Array(shape.element_type(), dimensions, std::move(layout), std::move(dynamic));
}

int MinorDimension(const Shape& shape, int n) {
  assert(n >= 0 && n < shape.rank());
  return shape.layout() != nullptr ? static_cast<int>(shape.layout()->minor_to_major[n]) : shape.rank() - 1 - n;
}

int MajorDimension(const Shape& shape, int n) { return MinorDimension(shape, shape.rank() - 1 - n); }

bool SameStorage(const Shape& a, const Shape& b) {
  if (a == b) return true;
  if (a.IsTuple() || b.IsTuple()) {
    if (!a.IsTuple() || !b.IsTuple() || a.tuple_shapes().size() != b.tuple_shapes().size()) return false;
    for (size_t i = 0; i < a.tuple_shapes().size(); ++i) {
      if (!SameStorage(a.tuple_shapes()[i], b.tuple_shapes()[i])) return false;
    }
    return true;
  }
  if (a.element_type() != b.element_type() || a.dimensions() != b.dimensions()) return false;
  if (!a.IsArray()) return true;
  if (a.IsStoredDense() || b.IsStoredDense()) return a.IsStoredDense() && b.IsStoredDense();
  Layout x = *a.layout(), y = *b.layout();
  x.memory_space = y.memory_space = 0;
  x.other.clear();
  y.other.clear();
  return x == y;
}

std::optional<std::vector<int64_t>> MemoryStrides(const Shape& shape) {
  if (shape.IsStoredDense()) return RowMajorStrides(shape.dimensions());
  const LayoutMap map(shape);
  if (!map.stages().empty() || map.ElementBits() != 8 * StorageBytes(shape.element_type())) return std::nullopt;
  std::vector<int64_t> strides(shape.rank());
  int64_t stride = 1;
  for (int k = shape.rank() - 1; k >= 0; --k) {
    strides[map.major_to_minor()[k]] = stride;
    stride *= map.linear_dimensions()[k];
  }
  return strides;
}

Shape WithLayoutOf(const Shape& a, const Shape& b) {
  if (a.IsTuple()) {
    if (!b.IsTuple() || a.tuple_shapes().size() != b.tuple_shapes().size()) return a;
    std::vector<Shape> elements;
    for (size_t i = 0; i < a.tuple_shapes().size(); ++i) elements.push_back(WithLayoutOf(a.tuple_shapes()[i], b.tuple_shapes()[i]));
    return Shape::Tuple(std::move(elements));
  }
  if (!a.IsArray() || !b.IsArray() || a.rank() != b.rank()) return a;
  return a.WithLayout(b.layout() != nullptr ? std::optional<Layout>(*b.layout()) : std::nullopt);
}

std::vector<int64_t> MajorToMinor(const Shape& shape) {
  std::vector<int64_t> order(shape.rank());
  const Layout* layout = shape.layout();
  const bool written = layout != nullptr && static_cast<int>(layout->minor_to_major.size()) == shape.rank();
  for (int d = 0; d < shape.rank(); ++d) order[d] = written ? layout->minor_to_major[shape.rank() - 1 - d] : d;
  return order;
}

Shape WithSizes(const Shape& written, absl::Span<const int64_t> dimensions) {
  const Shape bare = Shape::Array(written.element_type(), dimensions);
  if (written.layout() == nullptr) return bare;
  const Shape laid = bare.WithLayout(*written.layout());
  return FindLayoutProblem(laid).has_value() ? bare : laid;
}

bool NextIndex(absl::Span<const int64_t> dimensions, absl::Span<int64_t> index) {
  for (size_t d = dimensions.size(); d-- > 0;) {
    if (++index[d] < dimensions[d]) return true;
    index[d] = 0;
  }
  return false;
}

}  // namespace hloscope
