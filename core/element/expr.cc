// Construction of expressions: hash-consing, constant folding, folds. Index arithmetic is simplified in index_simplify.cc.
#include "core/element/expr.h"

#include <algorithm>
#include <bit>
#include <cassert>
#include <cmath>
#include <limits>

#include "absl/hash/hash.h"
#include "core/element/interpret.h"
#include "core/element/scalar_eval.h"

namespace hloscope {
namespace {

struct OpInfo {
  absl::string_view name;
  int arity;
};
constexpr OpInfo kOps[] = {
#define X(enumerator, text, arity, ...) {text, arity},
#include "core/element/scalar_ops.def"
#undef X
};

uint64_t HashOf(const Node& n) {
  return absl::Hash<
      std::tuple<int, int, int, int, int, int, int, int64_t, std::tuple<int, int64_t, uint64_t, uint64_t>, absl::Span<const NodeId>>>()(
      std::make_tuple(static_cast<int>(n.kind), static_cast<int>(n.type), static_cast<int>(n.op), n.var, n.operand, n.part, n.fold, n.aux,
                      std::make_tuple(static_cast<int>(n.constant.type), n.constant.i, std::bit_cast<uint64_t>(n.constant.re),
                                      std::bit_cast<uint64_t>(n.constant.im)),
                      absl::MakeConstSpan(n.inputs)));
}

bool SameScalar(const Scalar& a, const Scalar& b) {
  return a.type == b.type && a.i == b.i && std::bit_cast<uint64_t>(a.re) == std::bit_cast<uint64_t>(b.re) &&
         std::bit_cast<uint64_t>(a.im) == std::bit_cast<uint64_t>(b.im);
}

bool SameNode(const Node& a, const Node& b) {
  return a.kind == b.kind && a.type == b.type && a.op == b.op && a.var == b.var && a.operand == b.operand && a.part == b.part &&
         a.fold == b.fold && a.aux == b.aux && SameScalar(a.constant, b.constant) && a.inputs == b.inputs;
}

void Merge(absl::InlinedVector<int32_t, 6>& into, absl::Span<const int32_t> more) {
  for (int32_t v : more) {
    auto it = std::lower_bound(into.begin(), into.end(), v);
    if (it == into.end() || *it != v) into.insert(it, v);
  }
}

}  // namespace

bool IsSameEverywhere(ScalarOp op, ElementType result, ElementType input) {
  if (op == ScalarOp::kAbs && IsComplex(input)) return false;
  return FunctionUlp(op, result) == 0 && !IsComplex(result);
}

absl::string_view Name(ScalarOp op) { return kOps[static_cast<int>(op)].name; }
int Arity(ScalarOp op) { return kOps[static_cast<int>(op)].arity; }

NodeId ExprGraph::Intern(Node node) {
  auto& bucket = interned_[HashOf(node)];
  for (NodeId id : bucket) {
    if (SameNode(nodes_[id], node)) return id;
  }
  const NodeId id = size();
  bucket.push_back(id);
  ranges_.push_back(ComputeRange(node));
  free_.push_back(ComputeFree(node));
  nodes_.push_back(std::move(node));
  return id;
}

ExprGraph::IdSet ExprGraph::ComputeFree(const Node& node) const {
  IdSet result;
  if (node.kind == NodeKind::kIndex) result.push_back(node.var);
  if (node.kind == NodeKind::kAccumulator) result.push_back(~node.var);
  for (NodeId input : node.inputs) Merge(result, free_[input]);
  if (node.kind == NodeKind::kFold) {
    const FoldInfo& info = folds_[node.fold];
    IdSet bodies;
    for (NodeId body : info.bodies) Merge(bodies, free_[body]);
    for (int32_t v : bodies) {
      const bool bound = v == ~info.id || std::find(info.vars.begin(), info.vars.end(), v) != info.vars.end();
      if (!bound) Merge(result, {v});
    }
  }
  return result;
}

int32_t ExprGraph::NewVar(int64_t extent) {
  var_extents_.push_back(extent);
  return var_count() - 1;
}

NodeId ExprGraph::Index(int32_t var) {
  if (var_extents_[var] == 1) return IndexConstant(0);
  Node n;
  n.kind = NodeKind::kIndex;
  n.var = var;
  return Intern(std::move(n));
}

NodeId ExprGraph::Constant(const Scalar& s) {
  Node n;
  n.kind = NodeKind::kConstant;
  n.type = s.type;
  n.constant = s;
  return Intern(std::move(n));
}

bool ExprGraph::IsConstant(NodeId id, int64_t value) const {
  const Node& n = nodes_[id];
  return n.kind == NodeKind::kConstant && (IsInteger(n.type) || IsPred(n.type)) && n.constant.i == value;
}

NodeId ExprGraph::PlainOp(ScalarOp op, ElementType type, int64_t aux, absl::Span<const NodeId> inputs) {
  Node n;
  n.kind = NodeKind::kScalarOp;
  n.type = type;
  n.op = op;
  n.aux = aux;
  n.inputs.assign(inputs.begin(), inputs.end());
  return Intern(std::move(n));
}

NodeId ExprGraph::OpOfType(ScalarOp op, ElementType type, int64_t aux, absl::Span<const NodeId> inputs) {
  const NodeId a = inputs[0];
  const ElementType input_type = nodes_[a].type;
  // Folding a function whose implementations may differ would make a program's bits depend on whether its operand was known.
  bool constant = IsSameEverywhere(op, type, input_type);
  for (NodeId input : inputs) constant = constant && nodes_[input].kind == NodeKind::kConstant;
  if (constant) {
    Scalar values[2];
    for (size_t i = 0; i < inputs.size(); ++i) values[i] = nodes_[inputs[i]].constant;
    return Constant(EvalScalarOp(op, type, aux, absl::MakeConstSpan(values, inputs.size())));
  }
  if (inputs.size() == 2 && (IsInteger(input_type) || IsPred(input_type))) {
    NodeId simple = SimplifyIntegerIdentity(op, type, a, inputs[1]);
    if (simple != kNoNode) return simple;
    if (input_type == ElementType::kS64 && !HasAccumulator(a) && !HasAccumulator(inputs[1])) {
      simple = IsComparison(op) ? SimplifyComparison(op, a, inputs[1]) : SimplifyIndexOp(op, a, inputs[1]);
      if (simple != kNoNode) return simple;
    }
  }
  if (op == ScalarOp::kReal && !IsComplex(input_type)) return a;
  if (op == ScalarOp::kNegate && input_type == ElementType::kS64 && !HasAccumulator(a)) return Mul(a, IndexConstant(-1));
  if (op == ScalarOp::kNot && nodes_[a].kind == NodeKind::kScalarOp && nodes_[a].op == ScalarOp::kNot) return nodes_[a].inputs[0];
  return PlainOp(op, type, aux, inputs);
}

NodeId ExprGraph::Op(ScalarOp op, absl::Span<const NodeId> inputs) {
  assert(static_cast<int>(inputs.size()) == Arity(op));
  assert(op != ScalarOp::kConvert && op != ScalarOp::kBitcast && op != ScalarOp::kReducePrecision);
  return OpOfType(op, ResultType(op, nodes_[inputs[0]].type), 0, inputs);
}

// Identities of integers and preds, which hold bit for bit.
NodeId ExprGraph::SimplifyIntegerIdentity(ScalarOp op, ElementType type, NodeId a, NodeId b) {
  const bool pred = IsPred(nodes_[a].type);
  const int64_t ones = pred ? 1 : Scalar::Int(nodes_[a].type, -1).i;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kXor:
      if (IsConstant(a, 0)) return b;
      if (IsConstant(b, 0)) return a;
      break;
    case ScalarOp::kSubtract:
    case ScalarOp::kShiftLeft:
    case ScalarOp::kShiftRightLogical:
    case ScalarOp::kShiftRightArithmetic:
      if (!pred && IsConstant(b, 0)) return a;
      break;
    case ScalarOp::kMultiply:
      if (IsConstant(a, 1) || IsConstant(b, 0)) return b;
      if (IsConstant(b, 1) || IsConstant(a, 0)) return a;
      break;
    case ScalarOp::kDivide:
      if (!pred && BitWidth(type) > 2 && IsConstant(b, 1)) return a;
      break;
    case ScalarOp::kAnd:
      if (a == b || IsConstant(a, ones) || IsConstant(b, 0)) return b;
      if (IsConstant(b, ones) || IsConstant(a, 0)) return a;
      break;
    case ScalarOp::kOr:
      if (a == b || IsConstant(a, 0) || IsConstant(b, ones)) return b;
      if (IsConstant(b, 0) || IsConstant(a, ones)) return a;
      break;
    case ScalarOp::kMaximum:
    case ScalarOp::kMinimum:
      if (a == b) return a;
      break;
    case ScalarOp::kEq:
    case ScalarOp::kLe:
    case ScalarOp::kGe:
    case ScalarOp::kEqTotal:
    case ScalarOp::kLeTotal:
    case ScalarOp::kGeTotal:
      if (a == b) return Constant(Scalar::Int(ElementType::kPred, 1));
      break;
    case ScalarOp::kNe:
    case ScalarOp::kLt:
    case ScalarOp::kGt:
    case ScalarOp::kNeTotal:
    case ScalarOp::kLtTotal:
    case ScalarOp::kGtTotal:
      if (a == b) return Constant(Scalar::Int(ElementType::kPred, 0));
      break;
    default: break;
  }
  return kNoNode;
}

NodeId ExprGraph::Convert(ElementType to, NodeId a) {
  const ElementType from = nodes_[a].type;
  if (from == to) return a;
  if (to == ElementType::kS64 && nodes_[a].kind == NodeKind::kScalarOp && nodes_[a].op == ScalarOp::kConvert) {
    // Back to the index it was, where nothing was cut off on the way: s64 -> s32 -> s64.
    const NodeId source = nodes_[a].inputs[0];
    if (nodes_[source].type == ElementType::kS64 && IsInteger(from)) {
      const auto [low, high] = Range(source);
      if (Scalar::Int(from, low).i == low && Scalar::Int(from, high).i == high) return source;
    }
  }
  return OpOfType(ScalarOp::kConvert, to, 0, {a});
}

NodeId ExprGraph::Bitcast(ElementType to, NodeId a) {
  if (nodes_[a].type == to) return a;
  return OpOfType(ScalarOp::kBitcast, to, 0, {a});
}

NodeId ExprGraph::ReducePrecision(NodeId a, int exponent_bits, int mantissa_bits) {
  return OpOfType(ScalarOp::kReducePrecision, nodes_[a].type, int64_t{exponent_bits} << 8 | mantissa_bits, {a});
}

NodeId ExprGraph::Load(int32_t operand, ElementType type, absl::Span<const NodeId> indices) {
  Node n;
  n.kind = NodeKind::kLoad;
  n.type = type;
  n.operand = operand;
  n.inputs.assign(indices.begin(), indices.end());
  return Intern(std::move(n));
}

NodeId ExprGraph::Select(NodeId pred, NodeId on_true, NodeId on_false) {
  if (nodes_[pred].kind == NodeKind::kConstant) return nodes_[pred].constant.i ? on_true : on_false;
  if (on_true == on_false) return on_true;
  Node n;
  n.kind = NodeKind::kSelect;
  n.type = nodes_[on_true].type;
  n.inputs = {pred, on_true, on_false};
  return Intern(std::move(n));
}

NodeId ExprGraph::Accumulator(int32_t fold_id, int part, ElementType type) {
  next_fold_id_ = std::max(next_fold_id_, fold_id + 1);
  Node n;
  n.kind = NodeKind::kAccumulator;
  n.type = type;
  n.var = fold_id;
  n.part = part;
  return Intern(std::move(n));
}

namespace {

// The x of `op(acc, x)` or `op(x, acc)`, or kNoNode.
NodeId ElementOfBody(const ExprGraph& graph, const FoldInfo& info) {
  const Node& body = graph.node(info.bodies[0]);
  if (body.kind != NodeKind::kScalarOp || body.op != info.combiner || body.inputs.size() != 2) return kNoNode;
  const auto is_accumulator = [&](NodeId id) { return graph.node(id).kind == NodeKind::kAccumulator && graph.node(id).var == info.id; };
  const auto free = [&](NodeId id) {
    const auto vars = graph.FreeVars(id);
    return std::find(vars.begin(), vars.end(), ~info.id) == vars.end();
  };
  if (is_accumulator(body.inputs[0]) && free(body.inputs[1])) return body.inputs[1];
  if (is_accumulator(body.inputs[1]) && free(body.inputs[0])) return body.inputs[0];
  return kNoNode;
}

}  // namespace

NodeId ExprGraph::Fold(FoldInfo info) {
  assert(info.inits.size() == info.bodies.size() && info.vars.size() == info.extents.size());
  // Simplification may have eaten the combination (acc + 0 is acc); that only happens to integers, where every order is the same.
  if (info.order == FoldOrder::kInterleaved16 &&
      (info.bodies.size() != 1 || info.extents.empty() || info.extents.back() < 16 || ElementOfBody(*this, info) == kNoNode)) {
    info.order = FoldOrder::kSequential;
  }
  next_fold_id_ = std::max(next_fold_id_, info.id + 1);
  Node n;
  n.kind = NodeKind::kFold;
  n.type = nodes_[info.inits[0]].type;
  n.fold = static_cast<int32_t>(folds_.size());
  n.inputs = info.inits;
  folds_.push_back(std::move(info));
  return Intern(std::move(n));
}

NodeId ExprGraph::FoldResult(NodeId fold, int part) {
  Node n;
  n.kind = NodeKind::kFoldResult;
  n.type = nodes_[folds_[nodes_[fold].fold].inits[part]].type;
  n.part = part;
  n.inputs = {fold};
  return Intern(std::move(n));
}

NodeId ExprGraph::FoldOp(ScalarOp op, NodeId init, NodeId element, std::vector<int32_t> vars, bool reassociate) {
  FoldInfo info;
  info.id = NewFoldId();
  info.combiner = op;
  for (int32_t v : vars) info.extents.push_back(VarExtent(v));
  const bool known = IsReassociable(op) && reassociate && !info.extents.empty() && info.extents.back() >= 16;
  info.order = known ? FoldOrder::kInterleaved16 : FoldOrder::kSequential;
  info.vars = std::move(vars);
  info.inits = {init};
  info.bodies = {Binary(op, Accumulator(info.id, 0, nodes_[init].type), element)};
  return FoldResult(Fold(std::move(info)), 0);
}

// Copies nodes under an environment of bound fold variables; each environment remembers the copies that depend on it.
class Substituter {
 public:
  Substituter(ExprGraph& to, const ExprGraph& from, const ExprGraph::Substitution& substitution)
      : to_(to), from_(from), substitution_(substitution) {}

  NodeId Copy(NodeId id, int depth = -1) {
    int level = depth < 0 ? static_cast<int>(levels_.size()) : depth;
    // The outermost environment that still holds everything the node depends on.
    while (level > 0 && !DependsOn(id, levels_[level - 1])) --level;
    auto& memo = level == 0 ? root_memo_ : levels_[level - 1].memo;
    if (auto it = memo.find(id); it != memo.end()) return it->second;
    const NodeId copy = CopyNode(id, level);
    (level == 0 ? root_memo_ : levels_[level - 1].memo)[id] = copy;
    return copy;
  }

 private:
  struct Level {
    std::vector<int32_t> old_vars, new_vars;
    int32_t old_id = 0, new_id = 0;
    absl::flat_hash_map<NodeId, NodeId> memo;
  };

  bool DependsOn(NodeId id, const Level& level) const {
    for (int32_t v : from_.FreeVars(id)) {
      if (v == ~level.old_id || std::find(level.old_vars.begin(), level.old_vars.end(), v) != level.old_vars.end()) return true;
    }
    return false;
  }

  NodeId CopyIndex(int32_t var, int level) {
    for (int l = level; l > 0; --l) {
      const Level& e = levels_[l - 1];
      const auto it = std::find(e.old_vars.begin(), e.old_vars.end(), var);
      if (it != e.old_vars.end()) return to_.Index(e.new_vars[it - e.old_vars.begin()]);
    }
    const bool mapped = var < static_cast<int>(substitution_.index_map.size()) && substitution_.index_map[var] != kNoNode;
    assert(mapped || &from_ == &to_);
    return mapped ? substitution_.index_map[var] : to_.Index(var);
  }

  NodeId CopyAccumulator(const Node& n, int level) {
    for (int l = level; l > 0; --l) {
      if (levels_[l - 1].old_id == n.var) return to_.Accumulator(levels_[l - 1].new_id, n.part, n.type);
    }
    return to_.Accumulator(n.var, n.part, n.type);
  }

  NodeId CopyFold(const Node& n, int level) {
    FoldInfo info = from_.fold(n);  // by value: the graph may be growing
    for (NodeId& init : info.inits) init = Copy(init, level);
    // Environments deeper than `level` belong to folds that this one does not depend on: set them aside.
    std::vector<Level> aside(std::make_move_iterator(levels_.begin() + level), std::make_move_iterator(levels_.end()));
    levels_.resize(level);
    Level e;
    e.old_vars = info.vars;
    e.old_id = info.id;
    e.new_id = to_.NewFoldId();
    for (int32_t v : info.vars) e.new_vars.push_back(to_.NewVar(from_.VarExtent(v)));
    info.vars = e.new_vars;
    info.id = e.new_id;
    levels_.push_back(std::move(e));
    for (NodeId& body : info.bodies) body = Copy(body);
    levels_.pop_back();
    for (Level& l : aside) levels_.push_back(std::move(l));
    return to_.Fold(std::move(info));
  }

  NodeId CopyNode(NodeId id, int level) {
    const bool grows = &from_ == &to_;
    const Node by_value = grows ? from_.node(id) : Node();
    const Node& n = grows ? by_value : from_.node(id);
    if (n.kind == NodeKind::kFold) return CopyFold(n, level);
    absl::InlinedVector<NodeId, 4> inputs;
    for (NodeId input : n.inputs) inputs.push_back(Copy(input, level));
    switch (n.kind) {
      case NodeKind::kIndex: return CopyIndex(n.var, level);
      case NodeKind::kConstant: return to_.Constant(n.constant);
      case NodeKind::kScalarOp:
        if (n.op == ScalarOp::kConvert) return to_.Convert(n.type, inputs[0]);
        return to_.OpOfType(n.op, n.type, n.aux, inputs);
      case NodeKind::kLoad: return substitution_.load ? substitution_.load(n.operand, n.type, inputs) : to_.Load(n.operand, n.type, inputs);
      case NodeKind::kSelect: return to_.Select(inputs[0], inputs[1], inputs[2]);
      case NodeKind::kFold: break;
      case NodeKind::kFoldResult: return to_.FoldResult(inputs[0], n.part);
      case NodeKind::kAccumulator: return CopyAccumulator(n, level);
    }
    return kNoNode;
  }

  ExprGraph& to_;
  const ExprGraph& from_;
  const ExprGraph::Substitution& substitution_;
  std::vector<Level> levels_;
  absl::flat_hash_map<NodeId, NodeId> root_memo_;
};

NodeId ExprGraph::Substitute(const ExprGraph& from, NodeId root, const Substitution& substitution) {
  return Substituter(*this, from, substitution).Copy(root);
}

std::vector<NodeId> ExprGraph::SubstituteAll(const ExprGraph& from, absl::Span<const NodeId> roots, const Substitution& substitution) {
  Substituter substituter(*this, from, substitution);
  std::vector<NodeId> result;
  for (NodeId root : roots) result.push_back(root == kNoNode ? kNoNode : substituter.Copy(root));
  return result;
}

}  // namespace hloscope
