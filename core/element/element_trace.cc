// Recursive, with a memo for what does not turn with a fold: nodes inside a fold's body are evaluated for each of its turns.
#include "core/element/element_trace.h"

#include "core/element/scalar_eval.h"
#include "core/shape/layout.h"

namespace hloscope {

ElementTrace::ElementTrace(const Program& program, absl::Span<const Value> operands)
    : program_(program),
      graph_(*program.graph),
      operands_(operands),
      vars_(graph_.var_count(), 0),
      memo_(graph_.size()),
      memo_epoch_(graph_.size(), -1),
      folds_(graph_.size()),
      fold_epoch_(graph_.size(), -1) {}

Scalar ElementTrace::Get(NodeId id) {
  const Node& node = graph_.node(id);
  if (node.kind == NodeKind::kConstant) return node.constant;
  if (node.kind == NodeKind::kIndex) return Scalar::Int(ElementType::kS64, vars_[node.var]);
  if (node.kind == NodeKind::kAccumulator) return accumulators_[node.var][node.part];
  bool turns = false;  // with something that is not the same for the whole element
  if (fold_depth_ > 0) {
    for (int32_t v : graph_.FreeVars(id)) turns |= v < 0 || v >= program_.rank();
  }
  if (!turns && memo_epoch_[id] == epoch_) return memo_[id];
  const Scalar s = Compute(id, node);
  if (!turns) {
    memo_[id] = s;
    memo_epoch_[id] = epoch_;
  }
  return s;
}

Scalar ElementTrace::Compute(NodeId id, const Node& node) {
  ++work_;
  switch (node.kind) {
    case NodeKind::kIndex:
    case NodeKind::kConstant:
    case NodeKind::kAccumulator:
      return Get(id);
    case NodeKind::kScalarOp: {
      absl::InlinedVector<Scalar, 2> in;
      for (NodeId input : node.inputs) in.push_back(Get(input));
      const Scalar out = EvalScalarOp(node.op, node.type, node.aux, in);
      if (on_op_) on_op_(node, in, out, fold_depth_ > 0);
      return out;
    }
    case NodeKind::kLoad: return Load(node);
    case NodeKind::kSelect: return Get(node.inputs[Get(node.inputs[0]).i != 0 ? 1 : 2]);
    case NodeKind::kFold: return Scalar();
    case NodeKind::kFoldResult: {
      const NodeId fold = node.inputs[0];
      if (fold_depth_ > 0) return Fold(graph_.node(fold))[node.part];  // it may turn with the fold around it
      if (fold_epoch_[fold] != epoch_) {
        folds_[fold] = Fold(graph_.node(fold));
        fold_epoch_[fold] = epoch_;
      }
      return folds_[fold][node.part];
    }
  }
  return Scalar();
}

Scalar ElementTrace::Load(const Node& node) {
  const Value& operand = operands_[node.operand];
  const Shape& shape = program_.operands[node.operand];
  int64_t linear = 0;
  for (int d = 0; d < shape.rank(); ++d) linear = linear * shape.dim(d) + Get(node.inputs[d]).i;
  if (!operand.has_value() || linear < 0 || linear >= operand.element_count()) {
    Scalar nothing;
    nothing.type = node.type;
    return nothing;
  }
  const Scalar s = LoadScalar(node.type, operand.data() + linear * StorageBytes(node.type));
  if (on_load_) on_load_(node.operand, linear, s);
  return s;
}

std::vector<Scalar> ElementTrace::Fold(const Node& node) {
  const FoldInfo& f = graph_.fold(node);
  std::vector<Scalar> values;
  for (NodeId init : f.inits) values.push_back(Get(init));
  int64_t points = 1;
  for (int64_t e : f.extents) points *= e;
  ++fold_depth_;
  for (int64_t p = 0; p < points; ++p) {
    int64_t rest = p;
    for (size_t d = f.vars.size(); d-- > 0;) {
      vars_[f.vars[d]] = rest % f.extents[d];
      rest /= f.extents[d];
    }
    accumulators_[f.id] = values;
    std::vector<Scalar> next;
    for (NodeId body : f.bodies) next.push_back(Get(body));
    values = std::move(next);
  }
  --fold_depth_;
  return values;
}

Scalar ElementTrace::At(int o, absl::Span<const int64_t> index) {
  NextElement();
  for (size_t d = 0; d < index.size(); ++d) vars_[d] = index[d];
  return Get(program_.outputs[o].value);
}

void ElementTrace::Updates(const std::function<bool(int64_t target)>& each) {
  const Program::Push& push = program_.push;
  absl::flat_hash_map<int64_t, std::vector<Scalar>> running;
  int64_t points = 1;
  for (int32_t v : push.vars) points *= graph_.VarExtent(v);
  const Shape& shape = program_.outputs[0].shape;
  std::vector<int64_t> index(shape.rank());
  for (int64_t p = 0; p < points; ++p) {
    NextElement();
    int64_t rest = p;
    for (size_t d = push.vars.size(); d-- > 0;) {
      const int64_t extent = graph_.VarExtent(push.vars[d]);
      vars_[push.vars[d]] = rest % extent;
      rest /= extent;
    }
    if (push.in_bounds != kNoNode && Get(push.in_bounds).i == 0) continue;
    int64_t target = 0;
    for (int d = 0; d < shape.rank(); ++d) target = target * shape.dim(d) + (index[d] = Get(push.target[d]).i);
    auto [at, fresh] = running.try_emplace(target);
    if (fresh) {
      const std::vector<int64_t> domain = vars_;
      OnOp quiet;
      std::swap(quiet, on_op_);
      for (size_t o = 0; o < program_.outputs.size(); ++o) at->second.push_back(At(static_cast<int>(o), index));
      std::swap(quiet, on_op_);
      NextElement();
      vars_ = domain;
    }
    accumulators_[push.accumulator_id] = at->second;
    std::vector<Scalar> next;
    for (NodeId combined : push.combined) next.push_back(Get(combined));
    at->second = std::move(next);
    if (!each(target)) return;
  }
}

}  // namespace hloscope
