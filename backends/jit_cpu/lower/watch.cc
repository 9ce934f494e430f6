#include "backends/jit_cpu/lower/watch.h"

namespace hloscope {
namespace {

bool Floats(ElementType type) { return IsFloat(type) || IsComplex(type); }

// These types have a NaN and, but for saturating ones, infinities.
bool IsWide(ElementType type) {
  return type == ElementType::kF64 || type == ElementType::kF32 || type == ElementType::kBF16 || type == ElementType::kF16 || IsComplex(type);
}

// Whether a NaN in input `i` always comes out.
bool PassesNan(ScalarOp op, ElementType to, ElementType from) {
  if (IsComplex(from)) {
    return op == ScalarOp::kAdd || op == ScalarOp::kSubtract || op == ScalarOp::kMultiply || op == ScalarOp::kNegate;
  }
  if (!IsFloat(from)) return false;
  switch (op) {
    case ScalarOp::kConvert: return IsWide(to);
    case ScalarOp::kPower:
    case ScalarOp::kAnd:
    case ScalarOp::kOr:
    case ScalarOp::kXor:
    case ScalarOp::kBitcast:
    case ScalarOp::kIsFinite:
      return false;
    default: return Floats(to);  // comparisons make pred
  }
}

// Whether an infinity or a NaN in input `i` always comes out as one of the two.
bool PassesNonFinite(ScalarOp op, int i, ElementType to, ElementType from) {
  if (!PassesNan(op, to, from)) return false;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract:
    case ScalarOp::kNegate:
    case ScalarOp::kAbs:
    case ScalarOp::kSqrt:
    case ScalarOp::kCbrt:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kCeil:
    case ScalarOp::kFloor:
    case ScalarOp::kRoundNearestAfz:
    case ScalarOp::kRoundNearestEven:
    case ScalarOp::kComplex:
    case ScalarOp::kConvert:
    case ScalarOp::kReducePrecision:
      return true;
    case ScalarOp::kMultiply: return !IsComplex(from);
    case ScalarOp::kDivide: return i == 0;
    default: return false;
  }
}

class Marker {
 public:
  Marker(const ExprGraph& graph, Watch watch) : g_(graph), watch_(watch), marks_(graph.size(), false) {}

  // `stored`: it is what the kernel makes.
  void Look(NodeId id, bool stored = false) {
    const Node& n = g_.node(id);
    // What was computed of constants alone has become one. Infinities inside are limits mostly, of maxima and masks.
    if (n.kind == NodeKind::kConstant && Floats(n.type) && (n.constant.IsNaN() || (stored && !n.constant.IsFinite()))) marks_[id] = true;
    const bool computed = n.kind == NodeKind::kScalarOp || n.kind == NodeKind::kSelect || n.kind == NodeKind::kFoldResult;
    if (computed && Floats(n.type)) marks_[id] = true;
  }

  void Visit(NodeId id) {
    const Node& n = g_.node(id);
    switch (n.kind) {
      case NodeKind::kScalarOp:
        for (size_t i = 0; i < n.inputs.size(); ++i) {
          if (!Passes(n.op, static_cast<int>(i), n.type, g_.node(n.inputs[i]).type)) Look(n.inputs[i]);
        }
        return;
      case NodeKind::kFold: {
        const FoldInfo& f = g_.fold(n);
        if (Keeps(f)) return;
        for (NodeId init : f.inits) Look(init);
        for (NodeId body : f.bodies) Look(body);
        return;
      }
      case NodeKind::kSelect:
        // A constant that is not chosen is nothing that came up: what is chosen is looked at (whoever asks knows what was computed of constants
        // alone, which looks like one here).
        for (NodeId input : n.inputs) {
          const Node& chosen = g_.node(input);
          if (chosen.kind != NodeKind::kConstant) Look(input);
          else if (Floats(chosen.type) && chosen.constant.IsNaN()) marks_[id] = true;
        }
        return;
      case NodeKind::kIndex:
      case NodeKind::kConstant:
      case NodeKind::kLoad:
      case NodeKind::kFoldResult:
      case NodeKind::kAccumulator:
        return;
    }
  }

  std::vector<bool> Take() { return std::move(marks_); }

 private:
  bool Passes(ScalarOp op, int i, ElementType to, ElementType from) const {
    return watch_ == Watch::kNan ? PassesNan(op, to, from) : PassesNonFinite(op, i, to, from);
  }
  // What once is in the accumulator stays there: op(acc, x) with an op that passes it on.
  bool Keeps(const FoldInfo& f) const {
    if (f.bodies.size() != 1) return false;
    const Node& body = g_.node(f.bodies[0]);
    if (body.kind != NodeKind::kScalarOp || body.inputs.size() != 2) return false;
    for (int i = 0; i < 2; ++i) {
      const Node& acc = g_.node(body.inputs[i]);
      if (acc.kind != NodeKind::kAccumulator || acc.var != f.id) continue;
      return Passes(body.op, 0, body.type, acc.type) && Passes(body.op, 1, body.type, acc.type);
    }
    return false;
  }

  const ExprGraph& g_;
  const Watch watch_;
  std::vector<bool> marks_;
};

}  // namespace

std::vector<bool> WatchedNodes(const ExprGraph& graph, const std::vector<bool>& reachable, absl::Span<const NodeId> roots, Watch watch) {
  if (watch == Watch::kNone) return std::vector<bool>(graph.size(), false);
  Marker marker(graph, watch);
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (reachable[id]) marker.Visit(id);
  }
  for (NodeId root : roots) {
    if (root != kNoNode) marker.Look(root, /*stored=*/true);
  }
  return marker.Take();
}

}  // namespace hloscope
