// Shape: element type, dimensions and layout of an array; or a tuple of shapes, a token, an opaque value.
// A cheap immutable handle (one reference-counted pointer): copy freely; equal handles compare in O(1).
#ifndef HLOSCOPE_CORE_SHAPE_SHAPE_H_
#define HLOSCOPE_CORE_SHAPE_SHAPE_H_

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/element_type.h"
#include "core/shape/layout.h"

namespace hloscope {

class Shape {
 public:
  // A size that is not known at all: `?` in the text.
  static constexpr int64_t kUnbounded = INT64_MIN;

  Shape();  // the empty tuple
  // `dimensions` in increasing dimension number, each >= 0 (or kUnbounded with its `dynamic` flag); `dynamic` empty or one a
  // dimension: true means `<=size`. No layout means none was written.
  static Shape Array(ElementType type, absl::Span<const int64_t> dimensions, std::optional<Layout> layout = std::nullopt,
                     std::vector<bool> dynamic = {});
  static Shape Scalar(ElementType type) { return Array(type, {}); }
  static Shape Tuple(std::vector<Shape> elements);
  static Shape Token();
  static Shape Opaque();

  ElementType element_type() const { return rep_->type; }
  bool IsArray() const { return IsArrayType(rep_->type); }
  bool IsTuple() const { return rep_->type == ElementType::kTuple; }
  bool IsToken() const { return rep_->type == ElementType::kToken; }
  bool IsScalar() const { return IsArray() && rank() == 0; }

  int rank() const { return static_cast<int>(rep_->dimensions.size()); }
  int64_t dim(int i) const { return rep_->dimensions[i]; }
  absl::Span<const int64_t> dimensions() const { return rep_->dimensions; }
  bool is_dynamic(int i) const { return !rep_->dynamic.empty() && rep_->dynamic[i]; }
  bool has_dynamic_dimension() const { return rep_->has_dynamic; }
  const std::vector<bool>& dynamic_dimensions() const { return rep_->dynamic; }
  const Layout* layout() const { return rep_->layout ? &*rep_->layout : nullptr; }
  absl::Span<const Shape> tuple_shapes() const { return rep_->elements; }

  // Product of the dimensions (1 for a scalar; the bound where dynamic; saturates at INT64_MAX); 0 for non-arrays.
  int64_t ElementCount() const { return rep_->element_count; }
  // Bytes of a value in the shape's layout, padding counted; for a tuple the sum over its leaves. Saturates.
  int64_t ByteSize() const;
  // Bytes of the value when it is dense (row-major, no padding, nothing packed).
  int64_t DenseByteSize() const;
  // A value in the shape's layout is a dense row-major array: no layout, the default one, or one that comes to the same (layout_map.h).
  // Arrays with dynamic dimensions are always stored dense. For a tuple: all its elements.
  bool IsStoredDense() const { return rep_->stored_dense; }

  Shape WithLayout(std::optional<Layout> layout) const;
  Shape WithElementType(ElementType type) const;
  Shape WithoutLayouts() const;  // also inside tuples

  // Equal in type, dimensions, dynamic flags, and layouts as written.
  friend bool operator==(const Shape& a, const Shape& b) { return a.rep_ == b.rep_ || Equal(a, b, true); }
  friend bool operator!=(const Shape& a, const Shape& b) { return !(a == b); }
  // Equal in type, dimensions and dynamic flags; layouts do not count (XLA: ShapeUtil::Compatible).
  static bool Compatible(const Shape& a, const Shape& b) { return a.rep_ == b.rep_ || Equal(a, b, false); }
  // Equal dimensions (and dynamic flags), whatever the element types. Arrays only.
  static bool SameDimensions(const Shape& a, const Shape& b);
  // The same of every leaf of two tuples of one form; tokens and opaques agree with their like.
  static bool SameTreeDimensions(const Shape& a, const Shape& b);

  // "f32[2,<=3]{1,0}", "(s32[], token[])"; tuples get /*index=5*/ comments when `with_index_comments`.
  std::string ToString(bool with_layout = true, bool with_index_comments = false) const;

  // Identity of the handle, for caches.
  const void* id() const { return rep_.get(); }

 private:
  struct Rep {
    ElementType type = ElementType::kTuple;
    bool has_dynamic = false;
    std::vector<int64_t> dimensions;
    std::vector<bool> dynamic;
    std::optional<Layout> layout;
    std::vector<Shape> elements;
    int64_t element_count = 0;
    int64_t laid_bytes = 0;  // where not stored dense
    bool stored_dense = true;
  };
  static void LayOut(Rep& rep);
  explicit Shape(std::shared_ptr<const Rep> rep) : rep_(std::move(rep)) {}
  static bool Equal(const Shape& a, const Shape& b, bool layouts);
  std::shared_ptr<const Rep> rep_;
};

// Row-major strides in elements: strides[rank-1] == 1.
std::vector<int64_t> RowMajorStrides(absl::Span<const int64_t> dimensions);
// Row-major linear index of `index`, and back. No bounds checks beyond assertions.
int64_t LinearIndex(absl::Span<const int64_t> dimensions, absl::Span<const int64_t> index);
void DelinearizeIndex(absl::Span<const int64_t> dimensions, int64_t linear, absl::Span<int64_t> index);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_SHAPE_H_
