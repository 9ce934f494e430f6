// The program is copied node by node; beside each node stands the pred of what may have gone wrong at it or below. A fold gets one part more,
// in which its body's preds are gathered. Preds are true rather too often than too seldom.
#include "core/element/hazard_program.h"

#include <cmath>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "core/element/visit.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

double LargestOf(ElementType type) {
  if (IsInteger(type)) {
    const int bits = BitWidth(type) - (IsUnsigned(type) ? 0 : 1);
    return std::ldexp(1.0, bits) - 1;
  }
  // The largest finite value: the neighbour below what rounds to no number any more.
  double v = 1;
  while (true) {
    const Scalar s = Scalar::Float(type, v * 2);
    if (!s.IsFinite() || s.re < v * 2) break;
    v *= 2;
    if (std::isinf(v)) return std::numeric_limits<double>::max();
  }
  double best = v;
  for (double step = v / 2; step > v * 1e-17; step /= 2) {
    const Scalar s = Scalar::Float(type, best + step);
    if (s.IsFinite() && s.re == best + step) best += step;
  }
  return best;
}

class Builder {
 public:
  Builder(const Program& from, const HazardQuery& query) : from_(from), graph_(*from.graph), query_(query) {
    std::vector<Shape> operands = from.operands;
    if (query.result_is_given) operands.push_back(from.outputs[0].shape);
    made_ = Program::Pull(std::move(operands), Shape::Array(ElementType::kPred, from.outputs[0].shape.dimensions()));
    to_ = made_.graph.get();
  }

  std::optional<Program> Build(bool* never) {
    *never = false;
    FindReachable();
    value_.assign(graph_.size(), kNoNode);
    pred_.assign(graph_.size(), kNoNode);
    for (NodeId id = 0; id < graph_.size(); ++id) {
      if (reachable_[id]) Copy(id);
      if (!possible_) return std::nullopt;
    }
    bool any = false;
    made_.outputs.resize(from_.outputs.size());
    for (size_t o = 0; o < from_.outputs.size(); ++o) {
      const NodeId pred = pred_[from_.outputs[o].value];
      any = any || pred != kNoNode;
      made_.outputs[o] = {Shape::Array(ElementType::kPred, from_.outputs[o].shape.dimensions()), pred == kNoNode ? False() : pred};
    }
    *never = !any;
    if (!any) return std::nullopt;
    return std::move(made_);
  }

 private:
  void FindReachable() {
    reachable_.assign(graph_.size(), false);
    VisitNodes(graph_, RootsOf(from_), [&](NodeId id, const Node& node) {
      reachable_[id] = true;
      if (query_.result_is_given && node.kind == NodeKind::kFoldResult) return Visit::kPast;
      if (node.kind != NodeKind::kFold) return Visit::kInto;
      const FoldInfo& fold = graph_.fold(node);
      fold_ids_.try_emplace(fold.id, to_->NewFoldId());
      for (size_t d = 0; d < fold.vars.size(); ++d) {
        if (vars_.contains(fold.vars[d])) continue;
        vars_[fold.vars[d]] = to_->NewVar(fold.extents[d]);
      }
      return Visit::kInto;
    });
  }

  NodeId False() { return to_->Constant(Scalar::Int(ElementType::kPred, 0)); }
  NodeId Or(NodeId a, NodeId b) {
    if (a == kNoNode) return b;
    if (b == kNoNode || a == b) return a;
    return to_->Binary(ScalarOp::kOr, a, b);
  }
  NodeId And(NodeId a, NodeId b) { return a == kNoNode ? b : b == kNoNode ? a : to_->And(a, b); }
  NodeId Not(NodeId a) { return to_->Unary(ScalarOp::kNot, a); }
  ElementType TypeOf(NodeId id) const { return to_->node(id).type; }
  NodeId Number(ElementType type, double v) {
    return to_->Constant(IsInteger(type) || IsPred(type) ? Scalar::Int(type, static_cast<int64_t>(v)) : Scalar::Float(type, v));
  }
  NodeId Compare(ScalarOp op, NodeId a, NodeId b) { return to_->Binary(op, a, b); }
  NodeId Against(ScalarOp op, NodeId a, double v) { return to_->Binary(op, a, Number(TypeOf(a), v)); }
  NodeId Finite(NodeId a) { return to_->Unary(ScalarOp::kIsFinite, a); }
  NodeId Nan(NodeId a) {
    if (IsComplex(TypeOf(a))) return Or(Nan(to_->Unary(ScalarOp::kReal, a)), Nan(to_->Unary(ScalarOp::kImag, a)));
    return Not(to_->Binary(ScalarOp::kEq, a, a));
  }

  NodeId AllFinite(NodeId a) {
    if (IsComplex(TypeOf(a))) return And(Finite(to_->Unary(ScalarOp::kReal, a)), Finite(to_->Unary(ScalarOp::kImag, a)));
    return Finite(a);
  }
  NodeId Infinite(NodeId a) {
    if (IsComplex(TypeOf(a))) return Or(Infinite(to_->Unary(ScalarOp::kReal, a)), Infinite(to_->Unary(ScalarOp::kImag, a)));
    return And(Not(Finite(a)), to_->Binary(ScalarOp::kEq, a, a));
  }

  void Copy(NodeId id) {
    const Node& node = graph_.node(id);
    switch (node.kind) {
      case NodeKind::kIndex: {
        const auto var = vars_.find(node.var);
        value_[id] = to_->Index(var == vars_.end() ? node.var : var->second);
        return;
      }
      case NodeKind::kConstant: value_[id] = to_->Constant(node.constant); return;
      case NodeKind::kAccumulator: value_[id] = to_->Accumulator(fold_ids_[node.var], node.part, node.type); return;
      case NodeKind::kLoad: {
        std::vector<NodeId> indices;
        for (NodeId input : node.inputs) {
          indices.push_back(value_[input]);
          pred_[id] = Or(pred_[id], pred_[input]);
          if (value_[input] == kNoNode) possible_ = false;
        }
        if (possible_) value_[id] = to_->Load(node.operand, node.type, indices);
        return;
      }
      case NodeKind::kSelect: CopySelect(id, node); return;
      case NodeKind::kScalarOp: CopyOp(id, node); return;
      case NodeKind::kFold: CopyFold(id, node); return;
      case NodeKind::kFoldResult:
        if (query_.result_is_given) return;  // its value is not known
        value_[id] = to_->FoldResult(value_[node.inputs[0]], node.part);
        pred_[id] = pred_[node.inputs[0]];
        return;
    }
  }

  // Else it goes by places alone, as padding does, and what is not taken is not there to be read.
  bool ReadsElements(NodeId id) const {
    return !VisitNodes(graph_, {id}, [](NodeId, const Node& node) {
      return node.kind == NodeKind::kLoad || node.kind == NodeKind::kAccumulator || node.kind == NodeKind::kFoldResult ? Visit::kEnd
                                                                                                                       : Visit::kInto;
    });
  }

  void CopySelect(NodeId id, const Node& node) {
    const NodeId p = value_[node.inputs[0]], a = value_[node.inputs[1]], b = value_[node.inputs[2]];
    if (p == kNoNode) {
      possible_ = false;
      return;
    }
    if (a != kNoNode && b != kNoNode) value_[id] = to_->Select(p, a, b);
    const NodeId pa = pred_[node.inputs[1]], pb = pred_[node.inputs[2]];
    NodeId arms = kNoNode;
    if (query_.both_arms && ReadsElements(node.inputs[0])) {
      arms = Or(pa, pb);
    } else if (pa != kNoNode || pb != kNoNode) {
      arms = to_->Select(p, pa == kNoNode ? False() : pa, pb == kNoNode ? False() : pb);
    }
    pred_[id] = Or(pred_[node.inputs[0]], arms);
  }

  void CopyOp(NodeId id, const Node& node) {
    std::vector<NodeId> in;
    bool known = true;
    for (NodeId input : node.inputs) {
      in.push_back(value_[input]);
      known = known && value_[input] != kNoNode;
      pred_[id] = Or(pred_[id], pred_[input]);
    }
    const bool may = MayHave(query_, node.op, node.type, graph_.node(node.inputs[0]).type);
    if (known) {
      NodeId out = kNoNode;
      switch (node.op) {
        case ScalarOp::kConvert: out = to_->Convert(node.type, in[0]); break;
        case ScalarOp::kBitcast: out = to_->Bitcast(node.type, in[0]); break;
        case ScalarOp::kReducePrecision: out = to_->ReducePrecision(in[0], static_cast<int>(node.aux >> 8), static_cast<int>(node.aux & 0xff)); break;
        default: out = to_->Op(node.op, in);
      }
      value_[id] = out;
      if (may && (query_.in_folds || !TurnsWithFold(id))) pred_[id] = Or(pred_[id], Test(node, in, out));
      return;
    }
    if (!may) {
      if (IsRoot(id)) value_[id] = Given();
      return;
    }
    if (!IsRoot(id)) {
      possible_ = false;
      return;
    }
    pred_[id] = Or(pred_[id], TestByResult(node, in));
  }

  bool IsRoot(NodeId id) const { return from_.outputs.size() == 1 && from_.outputs[0].value == id; }
  NodeId Given() {
    std::vector<NodeId> index;
    for (int d = 0; d < from_.rank(); ++d) index.push_back(to_->Index(d));
    return to_->Load(static_cast<int32_t>(from_.operands.size()), from_.outputs[0].shape.element_type(), index);
  }

  bool TurnsWithFold(NodeId id) const {
    for (int32_t v : graph_.FreeVars(id)) {
      if (v < 0 || v >= from_.rank()) return true;
    }
    return false;
  }

  void CopyFold(NodeId id, const Node& node) {
    const FoldInfo& fold = graph_.fold(node);
    FoldInfo copy;
    copy.id = fold_ids_[fold.id];
    copy.extents = fold.extents;
    for (int32_t v : fold.vars) copy.vars.push_back(vars_[v]);
    NodeId outside = kNoNode, inside = kNoNode;
    for (NodeId init : fold.inits) {
      copy.inits.push_back(value_[init]);
      outside = Or(outside, pred_[init]);
    }
    for (NodeId body : fold.bodies) {
      copy.bodies.push_back(value_[body]);
      inside = Or(inside, pred_[body]);
    }
    for (NodeId part : copy.inits) possible_ = possible_ && part != kNoNode;
    for (NodeId part : copy.bodies) possible_ = possible_ && part != kNoNode;
    if (!possible_) return;
    const int part = static_cast<int>(fold.inits.size());
    if (inside == kNoNode) {
      copy.order = fold.order;
      copy.combiner = fold.combiner;
    } else {
      copy.inits.push_back(False());
      copy.bodies.push_back(Or(to_->Accumulator(copy.id, part, ElementType::kPred), inside));
    }
    value_[id] = to_->Fold(std::move(copy));
    pred_[id] = inside == kNoNode ? outside : Or(outside, to_->FoldResult(value_[id], part));
  }

  // ---- Tests ----

  NodeId Test(const Node& node, absl::Span<const NodeId> in, NodeId out) {
    if (!query_.hazard.has_value()) {
      NodeId born = query_.infinity ? Infinite(out) : Nan(out);
      for (NodeId x : in) {
        if (IsFloat(TypeOf(x)) || IsComplex(TypeOf(x))) born = And(born, query_.infinity ? AllFinite(x) : Not(Nan(x)));
      }
      return born;
    }
    switch (*query_.hazard) {
      case ScalarHazard::kDenormal: return IsComplex(TypeOf(out)) ? SmallComplex(node, out) : Small(node, in, out);
      case ScalarHazard::kCancellation: return Cancels(in, out);
      case ScalarHazard::kConversionOverflow: return Overflows(node, in[0], out);
      case ScalarHazard::kIntegerOverflow:
      case ScalarHazard::kUnsignedWrap: return Wraps(node, in, out);
      case ScalarHazard::kIntegerDivision: return Against(ScalarOp::kEq, in[1], 0);
    }
    return Always();
  }

  NodeId Always() { return to_->Constant(Scalar::Int(ElementType::kPred, 1)); }

  NodeId IsSmall(NodeId x) {
    const ElementType type = TypeOf(x);
    const double least = UlpAt(type, 0) / (2 * UnitRoundoff(type));
    return And(Against(ScalarOp::kLt, to_->Unary(ScalarOp::kAbs, x), least), Against(ScalarOp::kNe, x, 0));
  }

  // A part is below the smallest normal number, or zero, whatever it was made from.
  NodeId SmallComplex(const Node& node, NodeId out) {
    if (node.op == ScalarOp::kNegate) return kNoNode;  // hands on what it gets
    const ElementType type = RealTypeOf(TypeOf(out));
    const double least = UlpAt(type, 0) / (2 * UnitRoundoff(type));
    const auto small = [&](ScalarOp part) { return Against(ScalarOp::kLt, to_->Unary(ScalarOp::kAbs, to_->Unary(part, out)), least); };
    return Or(small(ScalarOp::kReal), small(ScalarOp::kImag));
  }

  NodeId Small(const Node& node, absl::Span<const NodeId> in, NodeId out) {
    NodeId lost = kNoNode;
    switch (node.op) {
      case ScalarOp::kNegate:
      case ScalarOp::kAbs:
      case ScalarOp::kMaximum:
      case ScalarOp::kMinimum: return kNoNode;  // hand on what they get
      case ScalarOp::kMultiply:
      case ScalarOp::kDivide:
      case ScalarOp::kConvert:
      case ScalarOp::kReducePrecision:
      case ScalarOp::kExp:
      case ScalarOp::kLogistic:
      case ScalarOp::kPower:
      case ScalarOp::kAtan2: {
        lost = Against(ScalarOp::kEq, out, 0);
        for (NodeId x : in) {
          if (IsPred(TypeOf(x)) || IsComplex(TypeOf(x))) continue;
          lost = And(lost, Against(ScalarOp::kNe, x, 0));
          if (IsFloat(TypeOf(x))) lost = And(lost, Finite(x));
        }
        break;
      }
      default: break;
    }
    NodeId made = IsSmall(out);
    for (NodeId x : in) {
      if (IsFloat(TypeOf(x))) made = And(made, Not(IsSmall(x)));
    }
    return Or(lost, made);
  }

  int Limit(ElementType type) const { return query_.bits > 0 ? query_.bits : DefaultCancellationBits(type); }

  NodeId Cancels(absl::Span<const NodeId> in, NodeId out) {
    if (IsComplex(TypeOf(out))) {
      NodeId bad = kNoNode;
      for (ScalarOp part : {ScalarOp::kReal, ScalarOp::kImag}) bad = Or(bad, CancelsReal(to_->Unary(part, in[0]), to_->Unary(part, in[1]), to_->Unary(part, out), Limit(TypeOf(out))));
      return bad;
    }
    return CancelsReal(in[0], in[1], out, Limit(TypeOf(out)));
  }

  // The exponents differ by `limit` at least: then the numbers by more than half of that power of two.
  NodeId CancelsReal(NodeId a, NodeId b, NodeId out, int limit) {
    const NodeId larger = to_->Binary(ScalarOp::kMaximum, to_->Unary(ScalarOp::kAbs, a), to_->Unary(ScalarOp::kAbs, b));
    const NodeId grown = to_->Binary(ScalarOp::kMultiply, to_->Unary(ScalarOp::kAbs, out), Number(TypeOf(out), std::ldexp(1.0, limit - 1)));
    return And(And(Compare(ScalarOp::kGe, larger, grown), Against(ScalarOp::kNe, out, 0)), Finite(larger));
  }

  NodeId AtEnd(NodeId out) {  // no number, or held at the type's largest
    const ElementType type = TypeOf(out);
    if (IsComplex(type)) return Or(AtEnd(to_->Unary(ScalarOp::kReal, out)), AtEnd(to_->Unary(ScalarOp::kImag, out)));
    return Or(Not(Finite(out)), Against(ScalarOp::kGe, to_->Unary(ScalarOp::kAbs, out), LargestOf(type)));
  }

  NodeId Overflows(const Node& node, NodeId in, NodeId out) {
    // Types of few bits cannot hold the limits of integers themselves.
    if (IsFloat(TypeOf(in)) && BitWidth(TypeOf(in)) < 16 && IsInteger(TypeOf(out))) in = to_->Convert(ElementType::kF32, in);
    const ElementType from = TypeOf(in), to = TypeOf(out);
    if (node.op == ScalarOp::kReducePrecision) return IsComplex(to) ? Always() : And(Finite(in), Not(Finite(out)));
    if (!IsInteger(to)) {
      NodeId bad = AtEnd(out);
      if (IsFloat(from)) bad = And(bad, Finite(in));
      return bad;
    }
    if (IsFloat(from)) {
      const double most = LargestOf(to), least = IsUnsigned(to) ? 0 : -most - 1;
      const double near = most * (1 - 4 * UnitRoundoff(from)) - 1;  // as the float has it
      return Or(Not(Finite(in)), Or(Compare(ScalarOp::kGe, in, Number(from, near)), Compare(ScalarOp::kLe, in, Number(from, IsUnsigned(to) ? -1 : least * (1 - 4 * UnitRoundoff(from)) + 1))));
    }
    if (IsComplex(from)) return Always();
    return ChangedByConversion(in, out);
  }

  NodeId ChangedByConversion(NodeId in, NodeId out) {
    const ElementType from = TypeOf(in), to = TypeOf(out);
    NodeId bad = Compare(ScalarOp::kNe, to_->Convert(from, out), in);
    if (IsUnsigned(from) != IsUnsigned(to)) bad = Or(bad, Against(ScalarOp::kLt, IsUnsigned(from) ? out : in, 0));
    return bad;
  }

  NodeId Wraps(const Node& node, absl::Span<const NodeId> in, NodeId out) {
    const ElementType type = TypeOf(out);
    const bool is_signed = !IsUnsigned(type);
    const auto negative = [&](NodeId x) { return Against(ScalarOp::kLt, x, 0); };
    const auto least = [&] { return to_->Constant(Scalar::Int(type, static_cast<int64_t>(uint64_t{1} << (BitWidth(type) - 1)))); };
    switch (node.op) {
      case ScalarOp::kAdd:
        if (!is_signed) return Compare(ScalarOp::kLt, out, in[0]);
        return negative(to_->And(to_->Binary(ScalarOp::kXor, in[0], out), to_->Binary(ScalarOp::kXor, in[1], out)));
      case ScalarOp::kSubtract:
        if (!is_signed) return Compare(ScalarOp::kLt, in[0], in[1]);
        return negative(to_->And(to_->Binary(ScalarOp::kXor, in[0], in[1]), to_->Binary(ScalarOp::kXor, in[0], out)));
      case ScalarOp::kMultiply: {
        if (BitWidth(type) <= 32) {
          const ElementType wide = is_signed ? ElementType::kS64 : ElementType::kU64;
          return Compare(ScalarOp::kNe, to_->Binary(ScalarOp::kMultiply, to_->Convert(wide, in[0]), to_->Convert(wide, in[1])), to_->Convert(wide, out));
        }
        NodeId large = kNoNode;
        for (NodeId x : in) {
          large = Or(large, Against(ScalarOp::kGt, x, 2147483647.0));
          if (is_signed) large = Or(large, Against(ScalarOp::kLt, x, -2147483647.0));
        }
        return large;
      }
      case ScalarOp::kPower: {
        NodeId base = Against(ScalarOp::kGt, in[0], 1);
        if (is_signed) base = Or(base, Against(ScalarOp::kLt, in[0], -1));
        return And(base, Against(ScalarOp::kGt, in[1], 1));
      }
      case ScalarOp::kNegate:
        if (!is_signed) return Against(ScalarOp::kNe, in[0], 0);
        [[fallthrough]];
      case ScalarOp::kAbs: return Compare(ScalarOp::kEq, in[0], least());
      case ScalarOp::kDivide:
      case ScalarOp::kRemainder: return And(Compare(ScalarOp::kEq, in[0], least()), Against(ScalarOp::kEq, in[1], -1));
      case ScalarOp::kConvert: return ChangedByConversion(in[0], out);
      default: return Always();
    }
  }

  // Of the root where an input is a fold's result: by the output that is at hand and the other input.
  NodeId TestByResult(const Node& node, absl::Span<const NodeId> in) {
    if (!query_.hazard.has_value()) return Always();
    const NodeId out = Given();
    if (*query_.hazard == ScalarHazard::kConversionOverflow && !IsInteger(TypeOf(out)) && node.op == ScalarOp::kConvert) return AtEnd(out);
    if (*query_.hazard == ScalarHazard::kCancellation && !IsComplex(TypeOf(out)) && in.size() == 2) {
      const NodeId other = in[0] != kNoNode ? in[0] : in[1];
      if (other == kNoNode) return Always();
      // The unknown one is at most as large as the other and the output together.
      const NodeId grown = to_->Binary(ScalarOp::kMultiply, to_->Unary(ScalarOp::kAbs, out), Number(TypeOf(out), std::ldexp(1.0, std::max(0, Limit(TypeOf(out)) - 2))));
      return And(Compare(ScalarOp::kGe, to_->Unary(ScalarOp::kAbs, other), grown), Against(ScalarOp::kNe, out, 0));
    }
    possible_ = false;
    return kNoNode;
  }

  const Program& from_;
  const ExprGraph& graph_;
  const HazardQuery& query_;
  Program made_;
  ExprGraph* to_ = nullptr;
  std::vector<bool> reachable_;
  std::vector<NodeId> value_, pred_;  // by old node; kNoNode: unknown, nothing can have gone wrong
  absl::flat_hash_map<int32_t, int32_t> vars_, fold_ids_;
  bool possible_ = true;
};

}  // namespace

bool MakesNan(ScalarOp op, ElementType to) {
  if (!IsFloat(to) && !IsComplex(to)) return false;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract:
    case ScalarOp::kMultiply:
    case ScalarOp::kDivide:
    case ScalarOp::kRemainder:
    case ScalarOp::kPower:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kSqrt:
    case ScalarOp::kRsqrt:
    case ScalarOp::kSin:
    case ScalarOp::kCos:
    case ScalarOp::kTan:
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAtanh: return true;
    case ScalarOp::kConvert:
    case ScalarOp::kReducePrecision: return BitWidth(RealTypeOf(to)) < 16;
    case ScalarOp::kBitcast: return true;  // of integers; of floats it hands on
    default: return IsComplex(to) && op != ScalarOp::kComplex && op != ScalarOp::kNegate;
  }
}

bool MakesInfinity(ScalarOp op, ElementType to) {
  if (!IsFloat(to) && !IsComplex(to)) return false;
  switch (op) {
    case ScalarOp::kNegate:
    case ScalarOp::kAbs:
    case ScalarOp::kMaximum:
    case ScalarOp::kMinimum:
    case ScalarOp::kComplex: return IsComplex(to) && op == ScalarOp::kAbs;
    default: return true;
  }
}

bool MayHave(const HazardQuery& query, ScalarOp op, ElementType to, ElementType from) {
  if (query.hazard.has_value()) return MayHave(*query.hazard, op, to, from);
  return query.infinity ? MakesInfinity(op, to) : MakesNan(op, to);
}

bool MayHaveInFolds(const HazardQuery& query, const Program& program) {
  const ExprGraph& graph = *program.graph;
  std::vector<NodeId> bodies;
  for (NodeId id = 0; id < graph.size(); ++id) {
    if (graph.node(id).kind != NodeKind::kFold) continue;
    const FoldInfo& fold = graph.fold(graph.node(id));
    bodies.insert(bodies.end(), fold.bodies.begin(), fold.bodies.end());
  }
  return !VisitNodes(graph, bodies, [&](NodeId, const Node& node) {
    const bool may = node.kind == NodeKind::kScalarOp && MayHave(query, node.op, node.type, graph.node(node.inputs[0]).type);
    return may ? Visit::kEnd : Visit::kInto;
  });
}

bool HasFold(const Program& program) {
  for (NodeId id = 0; id < program.graph->size(); ++id) {
    if (program.graph->node(id).kind == NodeKind::kFold) return true;
  }
  return false;
}

std::optional<Program> HazardProgram(const Program& program, const HazardQuery& query, bool* never) {
  *never = false;
  if (program.is_push || program.outputs.empty()) return std::nullopt;
  return Builder(program, query).Build(never);
}

}  // namespace hloscope
