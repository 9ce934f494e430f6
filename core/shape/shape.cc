#include "core/shape/shape.h"

#include <algorithm>
#include <cassert>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/shape/layout_map.h"

namespace hloscope {
namespace {

// Product that saturates instead of overflowing: a typed shape may say f32[9999999999,9999999999].
int64_t SaturatingProduct(int64_t a, int64_t b) {
  int64_t product;
  return __builtin_mul_overflow(a, b, &product) ? std::numeric_limits<int64_t>::max() : product;
}

}  // namespace

Shape::Shape() {
  static const std::shared_ptr<const Rep>& empty = *new std::shared_ptr<const Rep>(std::make_shared<Rep>());
  rep_ = empty;
}

Shape Shape::Array(ElementType type, absl::Span<const int64_t> dimensions, std::optional<Layout> layout, std::vector<bool> dynamic) {
  auto rep = std::make_shared<Rep>();
  rep->type = type;
  rep->dimensions.assign(dimensions.begin(), dimensions.end());
  rep->layout = std::move(layout);
  rep->element_count = 1;
  for (bool d : dynamic) rep->has_dynamic |= d;
  if (rep->has_dynamic) rep->dynamic = std::move(dynamic);
  bool empty = false;
  for (int64_t d : dimensions) {
    empty |= d == 0;
    rep->element_count = SaturatingProduct(rep->element_count, d == kUnbounded ? 1 : d);
  }
  if (empty) rep->element_count = 0;
  LayOut(*rep);
  return Shape(std::move(rep));
}

// A layout that does not fit its array (the reader and the verifier report it) counts as none.
void Shape::LayOut(Rep& rep) {
  rep.stored_dense = true;
  if (!rep.layout || rep.has_dynamic || !IsArrayType(rep.type)) return;
  const Layout& layout = *rep.layout;
  if (layout.tiles.empty() && layout.padded_dimensions.empty() && layout.element_size_in_bits == 0) {
    bool row_major = true;  // the common case, at little cost
    const size_t rank = layout.minor_to_major.size();
    for (size_t i = 0; i < rank; ++i) row_major &= layout.minor_to_major[i] == static_cast<int64_t>(rank - 1 - i);
    if (row_major) return;
  }
  if (FindLayoutProblem(rep.type, rep.dimensions, layout)) return;
  const LayoutMap map(rep.type, rep.dimensions, layout);
  rep.stored_dense = map.IsDense();
  rep.laid_bytes = map.ByteSize();
}

Shape Shape::Tuple(std::vector<Shape> elements) {
  if (elements.empty()) return Shape();
  auto rep = std::make_shared<Rep>();
  for (const Shape& e : elements) {
    rep->has_dynamic |= e.has_dynamic_dimension();
    rep->stored_dense &= e.IsStoredDense();
  }
  rep->elements = std::move(elements);
  return Shape(std::move(rep));
}

Shape Shape::Token() {
  auto rep = std::make_shared<Rep>();
  rep->type = ElementType::kToken;
  return Shape(std::move(rep));
}

Shape Shape::Opaque() {
  auto rep = std::make_shared<Rep>();
  rep->type = ElementType::kOpaque;
  return Shape(std::move(rep));
}

int64_t Shape::DenseByteSize() const {
  if (!IsTuple()) return SaturatingProduct(ElementCount(), StorageBytes(element_type()));
  int64_t sum = 0;
  for (const Shape& e : rep_->elements) {
    if (__builtin_add_overflow(sum, e.DenseByteSize(), &sum)) return std::numeric_limits<int64_t>::max();
  }
  return sum;
}

int64_t Shape::ByteSize() const {
  if (!IsTuple()) return rep_->stored_dense ? DenseByteSize() : rep_->laid_bytes;
  int64_t sum = 0;
  for (const Shape& e : rep_->elements) {
    if (__builtin_add_overflow(sum, e.ByteSize(), &sum)) return std::numeric_limits<int64_t>::max();
  }
  return sum;
}

Shape Shape::WithLayout(std::optional<Layout> layout) const {
  auto rep = std::make_shared<Rep>(*rep_);
  rep->layout = std::move(layout);
  LayOut(*rep);
  return Shape(std::move(rep));
}

Shape Shape::WithElementType(ElementType type) const {
  auto rep = std::make_shared<Rep>(*rep_);
  rep->type = type;
  LayOut(*rep);
  return Shape(std::move(rep));
}

Shape Shape::WithoutLayouts() const {
  if (IsTuple()) {
    if (rep_->elements.empty()) return *this;
    std::vector<Shape> elements;
    elements.reserve(rep_->elements.size());
    for (const Shape& e : rep_->elements) elements.push_back(e.WithoutLayouts());
    return Tuple(std::move(elements));
  }
  return rep_->layout ? WithLayout(std::nullopt) : *this;
}

bool Shape::Equal(const Shape& a, const Shape& b, bool layouts) {
  const Rep& x = *a.rep_;
  const Rep& y = *b.rep_;
  if (x.type != y.type || x.dimensions != y.dimensions || x.dynamic != y.dynamic) return false;
  if (layouts && x.layout != y.layout) return false;
  if (x.elements.size() != y.elements.size()) return false;
  for (size_t i = 0; i < x.elements.size(); ++i) {
    if (x.elements[i].rep_ != y.elements[i].rep_ && !Equal(x.elements[i], y.elements[i], layouts)) return false;
  }
  return true;
}

bool Shape::SameDimensions(const Shape& a, const Shape& b) {
  return a.IsArray() && b.IsArray() && a.rep_->dimensions == b.rep_->dimensions && a.rep_->dynamic == b.rep_->dynamic;
}

bool Shape::SameTreeDimensions(const Shape& a, const Shape& b) {
  if (a.IsArray() && b.IsArray()) return SameDimensions(a, b);
  if (!a.IsTuple() || !b.IsTuple()) return a.element_type() == b.element_type();
  const auto &x = a.tuple_shapes(), &y = b.tuple_shapes();
  return std::equal(x.begin(), x.end(), y.begin(), y.end(), SameTreeDimensions);
}

std::string Shape::ToString(bool with_layout, bool with_index_comments) const {
  if (IsTuple()) {
    std::string out = "(";
    for (size_t i = 0; i < rep_->elements.size(); ++i) {
      if (i > 0) out += ", ";
      if (with_index_comments && i > 0 && i % 5 == 0) absl::StrAppend(&out, "/*index=", i, "*/");
      out += rep_->elements[i].ToString(with_layout, with_index_comments);
    }
    return out + ")";
  }
  std::string out = absl::StrCat(Name(element_type()), "[");
  for (int i = 0; i < rank(); ++i) {
    if (i > 0) out += ",";
    if (dim(i) == kUnbounded) {
      out += "?";
    } else {
      absl::StrAppend(&out, is_dynamic(i) ? "<=" : "", dim(i));
    }
  }
  out += "]";
  if (with_layout && layout() != nullptr && (rank() > 0 || !layout()->IsPlainRowMajor())) out += layout()->ToString();
  return out;
}

std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dimensions) {
  std::vector<int64_t> strides(dimensions.size());
  int64_t stride = 1;
  for (int i = static_cast<int>(dimensions.size()) - 1; i >= 0; --i) {
    strides[i] = stride;
    stride = SaturatingProduct(stride, dimensions[i]);
  }
  return strides;
}

int64_t LinearIndex(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> index) {
  assert(dimensions.size() == index.size());
  int64_t linear = 0;
  for (size_t i = 0; i < dimensions.size(); ++i) linear = linear * dimensions[i] + index[i];
  return linear;
}

void DelinearizeIndex(absl::Span<const int64_t> dimensions, int64_t linear, absl::Span<int64_t> index) {
  assert(dimensions.size() == index.size());
  for (int i = static_cast<int>(dimensions.size()) - 1; i >= 0; --i) {
    int64_t d = dimensions[i] > 0 ? dimensions[i] : 1;
    index[i] = linear % d;
    linear /= d;
  }
}

}  // namespace hloscope
