// Small helpers that the shape rules of several operations share: dimensions with their dynamic flags, windows, and texts.
// Not for requirements themselves: each operation words and labels its own.
#ifndef HLOSCOPE_CORE_OPS_RULES_H_
#define HLOSCOPE_CORE_OPS_RULES_H_

#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/op.h"
#include "core/ops/shape_rules.h"

namespace hloscope {

inline std::string TypeText(const Shape& s) { return s.ToString(/*with_layout=*/false); }

// Collects dimensions of a result, one by one.
class DimensionList {
 public:
  void Add(int64_t size, bool dynamic = false) {
    sizes_.push_back(size);
    dynamic_.push_back(dynamic);
    any_ = any_ || dynamic;
  }
  void AddFrom(const Shape& s, int d) { Add(s.dim(d), s.is_dynamic(d)); }
  Shape Build(ElementType type) const { return Shape::Array(type, sizes_, std::nullopt, any_ ? dynamic_ : std::vector<bool>()); }

 private:
  std::vector<int64_t> sizes_;
  std::vector<bool> dynamic_;
  bool any_ = false;
};

// Reports every operand that is not an array. True when all are.
inline bool RequireArrays(ShapeContext& c, absl::string_view label) {
  bool ok = true;
  for (int i = 0; i < c.operand_count(); ++i) {
    if (c.operand(i).IsArray()) continue;
    c.FailOperand(i, label, absl::StrCat("operand ", i, " must be an array, it is ", TypeText(c.operand(i))));
    ok = false;
  }
  return ok;
}

// True when all of `dims` are in [0, rank) and none is named twice; else says what is wrong in `why`.
inline bool DistinctDimensions(absl::Span<const int64_t> dims, int rank, std::string* why) {
  std::vector<bool> seen(rank, false);
  for (int64_t d : dims) {
    if (d < 0 || d >= rank) {
      *why = absl::StrCat("dimension ", d, " does not exist in rank ", rank);
      return false;
    }
    if (seen[d]) {
      *why = absl::StrCat("dimension ", d, " is named twice");
      return false;
    }
    seen[d] = true;
  }
  return true;
}

// Extent of `size` elements with `dilation` - 1 holes between neighbours.
inline int64_t DilatedExtent(int64_t size, int64_t dilation) { return size == 0 ? 0 : (size - 1) * dilation + 1; }

// How many places a window takes over `extent` elements.
inline int64_t WindowPlaces(int64_t extent, const WindowDimension& w) {
  const int64_t base = DilatedExtent(extent, w.base_dilation) + w.padding_low + w.padding_high;
  const int64_t window = DilatedExtent(w.size, w.window_dilation);
  return base < window ? 0 : (base - window) / w.stride + 1;
}

// Says what is wrong with the numbers of one window dimension, or "".
inline std::string WindowProblem(const WindowDimension& w) {
  // Beyond this, places in the window leave 64 bits.
  constexpr int64_t kMost = int64_t{1} << 31;
  for (int64_t v : {w.size, w.stride, w.base_dilation, w.window_dilation, w.padding_low, w.padding_high}) {
    if (v > kMost || v < -kMost) return absl::StrCat("the number ", v, " is too large for a window");
  }
  if (w.size < 1) return absl::StrCat("the window's size must be at least 1, it is ", w.size);
  if (w.stride < 1) return absl::StrCat("the stride must be at least 1, it is ", w.stride);
  if (w.base_dilation < 1) return absl::StrCat("the base dilation must be at least 1, it is ", w.base_dilation);
  if (w.window_dilation < 1) return absl::StrCat("the window dilation must be at least 1, it is ", w.window_dilation);
  return "";
}

// Where window element `k` at place `out` lies in the undilated base, and whether it lies on an element at all.
struct WindowPoint {
  NodeId index = kNoNode;      // index into the base; only to be used where in_bounds holds
  NodeId in_bounds = kNoNode;  // kNoNode: always
};
inline WindowPoint PointInWindow(ExprGraph& g, NodeId out, NodeId k, const WindowDimension& w, int64_t extent) {
  WindowPoint p;
  NodeId at = g.Add(w.stride == 1 ? out : g.Mul(out, g.IndexConstant(w.stride)),
                    w.window_dilation == 1 ? k : g.Mul(k, g.IndexConstant(w.window_dilation)));
  if (w.padding_low != 0) at = g.Add(at, g.IndexConstant(-w.padding_low));
  const int64_t dilated = DilatedExtent(extent, w.base_dilation);
  // The bounds are known without asking the graph: at is monotone in both variables.
  const int64_t places = WindowPlaces(extent, w);
  const int64_t lowest = -w.padding_low;
  const int64_t highest = (places - 1) * w.stride + (w.size - 1) * w.window_dilation - w.padding_low;
  if (lowest < 0 || highest >= dilated) p.in_bounds = g.InRange(at, 0, dilated);
  if (w.base_dilation != 1) {
    const NodeId on = g.Binary(ScalarOp::kEq, g.Mod(at, w.base_dilation), g.IndexConstant(0));
    p.in_bounds = p.in_bounds == kNoNode ? on : g.And(p.in_bounds, on);
    at = g.FloorDiv(at, w.base_dilation);
  }
  p.index = at;
  return p;
}
inline NodeId AndBounds(ExprGraph& g, NodeId a, NodeId b) { return a == kNoNode ? b : b == kNoNode ? a : g.And(a, b); }

// The type in which sums of products are kept: f32 for narrower floats, else the type itself.
inline ElementType AccumulationType(ElementType t) { return IsFloat(t) && BitWidth(t) < 32 ? ElementType::kF32 : t; }

inline Scalar ZeroOf(ElementType t) {
  return IsFloat(t) ? Scalar::Float(t, 0) : IsComplex(t) ? Scalar::Complex(t, {0, 0}) : Scalar::Int(t, 0);
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_RULES_H_
