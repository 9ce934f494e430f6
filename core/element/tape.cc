// Preparing a program: copying its graph, joining load indices, finding each node's loop, choosing codes.
#include "core/element/tape.h"

#include <algorithm>

#include "core/element/bounds.h"
#include "core/element/scalar_eval.h"

namespace hloscope::tape {
namespace {

Code FloatCode(ScalarOp op, ElementType type) {
  const bool narrow = type == ElementType::kF32;
  if (narrow || type == ElementType::kF64) {
    switch (op) {
      case ScalarOp::kAdd: return narrow ? Code::kAddF32 : Code::kAddF64;
      case ScalarOp::kSubtract: return narrow ? Code::kSubF32 : Code::kSubF64;
      case ScalarOp::kMultiply: return narrow ? Code::kMulF32 : Code::kMulF64;
      case ScalarOp::kDivide: return narrow ? Code::kDivF32 : Code::kDivF64;
      default: break;
    }
  }
  switch (op) {
    case ScalarOp::kMaximum: return Code::kMaxFloat;
    case ScalarOp::kMinimum: return Code::kMinFloat;
    case ScalarOp::kNegate:
      return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kBF16 || type == ElementType::kF16
                 ? Code::kNegFloat
                 : Code::kUnary;
    case ScalarOp::kEq: return Code::kEqFloat;
    case ScalarOp::kNe: return Code::kNeFloat;
    case ScalarOp::kLt: return Code::kLtFloat;
    case ScalarOp::kLe: return Code::kLeFloat;
    case ScalarOp::kGt: return Code::kGtFloat;
    case ScalarOp::kGe: return Code::kGeFloat;
    default: return Arity(op) == 2 ? Code::kBinary : Code::kUnary;
  }
}

Code IntegerCode(ScalarOp op, ElementType type) {
  if (op == ScalarOp::kAnd) return Code::kAndBits;
  if (op == ScalarOp::kOr) return Code::kOrBits;
  if (op == ScalarOp::kXor) return Code::kXorBits;
  if (type == ElementType::kS32) {
    if (op == ScalarOp::kAdd) return Code::kAddS32;
    if (op == ScalarOp::kSubtract) return Code::kSubS32;
    if (op == ScalarOp::kMultiply) return Code::kMulS32;
  }
  const bool ordered = IsSigned(type) || (IsUnsigned(type) && BitWidth(type) < 64) || IsPred(type);  // compares like s64
  if (ordered) {
    switch (op) {
      case ScalarOp::kEq: return Code::kEqI64;
      case ScalarOp::kNe: return Code::kNeI64;
      case ScalarOp::kLt: return Code::kLtI64;
      case ScalarOp::kLe: return Code::kLeI64;
      case ScalarOp::kGt: return Code::kGtI64;
      case ScalarOp::kGe: return Code::kGeI64;
      case ScalarOp::kMaximum: return Code::kMaxI64;
      case ScalarOp::kMinimum: return Code::kMinI64;
      default: break;
    }
  }
  if (type == ElementType::kS64) {
    switch (op) {
      case ScalarOp::kAdd: return Code::kAddI64;
      case ScalarOp::kSubtract: return Code::kSubI64;
      case ScalarOp::kMultiply: return Code::kMulI64;
      default: break;
    }
  }
  return Arity(op) == 2 ? Code::kBinary : Code::kUnary;
}

Code ConvertCode(ElementType to, ElementType from) {
  if (IsFloat(from) && to == ElementType::kF32 && BitWidth(from) <= 32) return Code::kWidenFloat;
  if (IsFloat(from) && to == ElementType::kF64) return Code::kWidenFloat;
  if (from == ElementType::kF64 && to == ElementType::kF32) return Code::kToF32;
  // Slots hold integers as 64 bits already.
  if ((IsInteger(from) || IsPred(from)) && IsInteger(to) && BitWidth(to) == 64) return Code::kWidenInteger;
  return Code::kUnary;
}

}  // namespace

void Tape::Prepare() {
  const ExprGraph& source = *program.graph;
  const bool push = program.is_push;
  const int rank = program.rank();
  ExprGraph::Substitution substitution;
  substitution.index_map.assign(source.var_count(), kNoNode);
  const auto fresh = [&](int32_t old) {
    const int32_t v = graph.NewVar(source.VarExtent(old));
    substitution.index_map[old] = graph.Index(v);
    return v;
  };
  std::vector<int32_t> output_vars;
  for (int d = 0; d < rank; ++d) output_vars.push_back(fresh(d));
  for (int d = 0; d < rank; ++d) output_dims.push_back(program.outputs[0].shape.dim(d));
  output_strides = RowMajorStrides(output_dims);
  if (push) {
    for (int32_t v : program.push.vars) {
      push_vars.push_back(fresh(v));
      push_extents.push_back(source.VarExtent(v));
    }
    // Made first, so that ids of copied folds come after this one.
    for (size_t o = 0; o < program.outputs.size(); ++o) {
      push_accumulators.push_back(
          graph.Accumulator(program.push.accumulator_id, static_cast<int>(o), program.outputs[o].shape.element_type()));
    }
  }
  std::vector<NodeId> roots;
  for (const auto& output : program.outputs) roots.push_back(output.value);
  if (push) {
    roots.push_back(program.push.in_bounds);
    roots.insert(roots.end(), program.push.target.begin(), program.push.target.end());
    roots.insert(roots.end(), program.push.combined.begin(), program.push.combined.end());
  }
  const std::vector<NodeId> copies = graph.SubstituteAll(source, roots, substitution);
  values.assign(copies.begin(), copies.begin() + program.outputs.size());
  if (push) {
    in_bounds = copies[values.size()];
    const auto t = copies.begin() + values.size() + 1;
    targets.assign(t, t + program.push.target.size());
    combined.assign(t + program.push.target.size(), copies.end());
  }
  PrepareLoads();
  const int n = graph.size();
  slots.resize(n);
  steps.resize(n);
  output_epochs.assign(rank, 0);
  push_epochs.assign(push_vars.size() + 1, 0);
  PrepareFolds();
  for (NodeId id = 0; id < n; ++id) PrepareNode(id, output_vars);
  const auto index_nodes = [&](const std::vector<int32_t>& vars, std::vector<NodeId>& nodes) {
    nodes.assign(vars.size(), kNoNode);
    for (NodeId id = 0; id < n; ++id) {
      if (graph.node(id).kind != NodeKind::kIndex) continue;
      const auto it = std::find(vars.begin(), vars.end(), graph.node(id).var);
      if (it != vars.end()) nodes[it - vars.begin()] = id;
    }
  };
  index_nodes(output_vars, output_index);
  index_nodes(push_vars, push_index);
}

void Tape::PrepareLoads() {
  const int n = graph.size();
  for (NodeId id = 0; id < n; ++id) {
    if (graph.node(id).kind != NodeKind::kLoad) continue;
    const Node node = graph.node(id);  // by value: the graph grows below
    LoadStep load;
    load.operand = node.operand;
    load.type = node.type;
    const auto dims = program.operands[node.operand].dimensions();
    load.dims.assign(dims.begin(), dims.end());
    load.strides = RowMajorStrides(dims);
    bool proven = true;
    for (size_t d = 0; d < dims.size(); ++d) {
      const auto [low, high] = graph.Range(node.inputs[d]);
      proven = proven && low >= 0 && high < dims[d];
    }
    if (proven) {
      ExprGraph::Affine sum;
      load.linear = graph.IndexConstant(0);
      for (size_t d = 0; d < dims.size(); ++d)
        load.linear = graph.Add(load.linear, graph.Mul(node.inputs[d], graph.IndexConstant(load.strides[d])));
    } else {
      load.indices = node.inputs;
    }
    load_of[id] = static_cast<int>(loads.size());
    loads.push_back(std::move(load));
  }
}


void Tape::PrepareFolds() {
  std::vector<NodeId> fold_nodes;
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind != NodeKind::kFold) continue;
    fold_of[id] = static_cast<int>(folds.size());
    fold_nodes.push_back(id);
    folds.emplace_back();
    FoldStep& f = folds.back();
    f.info = graph.fold(node);
    for (int64_t e : f.info.extents) f.total *= e;
    for (int32_t v : f.info.vars) fold_of_var[v] = fold_of[id];
    fold_of_var[~f.info.id] = fold_of[id];
    f.var_nodes.assign(f.info.vars.size(), kNoNode);
    f.accumulators.assign(f.info.bodies.size(), kNoNode);
    f.running.resize(f.info.bodies.size());
    f.next.resize(f.info.bodies.size());
    f.index.resize(f.info.vars.size());
    f.element = ElementOf(f.info);
  }
  for (NodeId id = 0; id < graph.size(); ++id) {
    const Node& node = graph.node(id);
    if (node.kind == NodeKind::kIndex) {
      const auto it = fold_of_var.find(node.var);
      if (it == fold_of_var.end()) continue;
      FoldStep& f = folds[it->second];
      f.var_nodes[std::find(f.info.vars.begin(), f.info.vars.end(), node.var) - f.info.vars.begin()] = id;
    } else if (node.kind == NodeKind::kAccumulator) {
      const auto it = fold_of_var.find(~node.var);
      if (it != fold_of_var.end()) folds[it->second].accumulators[node.part] = id;
    }
  }
  // An outer fold comes after the folds in its bodies, so its depth is known first when going backwards.
  fold_depth.assign(folds.size(), 0);
  for (int k = static_cast<int>(folds.size()) - 1; k >= 0; --k) {
    for (int32_t v : graph.FreeVars(fold_nodes[k])) {
      const auto it = fold_of_var.find(v);
      if (it != fold_of_var.end()) fold_depth[k] = std::max(fold_depth[k], fold_depth[it->second] + 1);
    }
  }
}

NodeId Tape::ElementOf(const FoldInfo& info) const {
  if (info.bodies.size() != 1) return kNoNode;
  const Node& body = graph.node(info.bodies[0]);
  if (body.kind != NodeKind::kScalarOp || body.inputs.size() != 2) return kNoNode;
  for (int side = 0; side < 2; ++side) {
    const Node& acc = graph.node(body.inputs[side]);
    const auto vars = graph.FreeVars(body.inputs[1 - side]);
    if (acc.kind == NodeKind::kAccumulator && acc.var == info.id && std::find(vars.begin(), vars.end(), ~info.id) == vars.end()) {
      return body.inputs[1 - side];
    }
  }
  return kNoNode;
}

// The stamp source of the innermost loop that a node depends on.
const uint64_t* Tape::EpochOf(NodeId id, const std::vector<int32_t>& output_vars) {
  int best_fold = -1, best_output = -1, best_push = -1;
  for (int32_t v : graph.FreeVars(id)) {
    if (const auto it = fold_of_var.find(v); it != fold_of_var.end()) {
      if (best_fold < 0 || fold_depth[it->second] > fold_depth[best_fold]) best_fold = it->second;
      continue;
    }
    if (v < 0) {
      best_push = static_cast<int>(push_vars.size());
      continue;
    }
    const auto o = std::find(output_vars.begin(), output_vars.end(), v);
    if (o != output_vars.end()) best_output = std::max(best_output, static_cast<int>(o - output_vars.begin()));
    const auto p = std::find(push_vars.begin(), push_vars.end(), v);
    if (p != push_vars.end()) best_push = std::max(best_push, static_cast<int>(p - push_vars.begin()));
  }
  if (best_fold >= 0) return &folds[best_fold].epoch;
  if (best_push >= 0) return &push_epochs[best_push];
  if (best_output >= 0) return &output_epochs[best_output];
  return &run;
}

void Tape::PrepareNode(NodeId id, const std::vector<int32_t>& output_vars) {
  const Node& n = graph.node(id);
  Step& s = steps[id];
  Slot& slot = slots[id];
  s.type = n.type;
  s.op = n.op;
  s.aux = n.aux;
  slot.epoch = EpochOf(id, output_vars);
  if (!n.inputs.empty()) {
    s.a = n.inputs[0];
    s.input_type = graph.node(s.a).type;
  }
  if (n.inputs.size() > 1) s.b = n.inputs[1];
  if (n.inputs.size() > 2) s.c = n.inputs[2];
  switch (n.kind) {
    case NodeKind::kConstant: {
      const uint64_t* epoch = &always;
      slot = ToSlot(n.constant);
      slot.epoch = epoch;
      slot.stamp = always;
      break;
    }
    case NodeKind::kIndex:
    case NodeKind::kAccumulator:
      slot.epoch = &always;
      slot.stamp = always;
      break;
    case NodeKind::kScalarOp: PrepareOp(s); break;
    case NodeKind::kLoad:
      s.code = Code::kLoad;
      // The nodes of linear indices were added after the copy: loads among roots keep their number.
      s.extra = load_of.at(id);
      break;
    case NodeKind::kSelect: s.code = Code::kSelect; break;
    case NodeKind::kFold:
      s.code = Code::kFold;
      s.extra = fold_of.at(id);
      break;
    case NodeKind::kFoldResult:
      s.code = Code::kFoldResult;
      s.extra = fold_of.at(n.inputs[0]);
      s.aux = n.part;
      break;
  }
}

void Tape::PrepareOp(Step& s) {
  s.ulps = FunctionUlp(s.op, s.type) > 0;
  if (s.op == ScalarOp::kConvert) {
    s.code = ConvertCode(s.type, s.input_type);
  } else if (s.op == ScalarOp::kFloorDiv || s.op == ScalarOp::kMod) {
    const Node& divisor = graph.node(s.b);
    const bool constant = divisor.kind == NodeKind::kConstant && divisor.constant.i > 0;
    s.code = !constant ? Code::kBinary : s.op == ScalarOp::kMod ? Code::kModI64 : Code::kFloorDivI64;
    if (constant) s.aux = divisor.constant.i;
  } else if (IsFloat(s.input_type)) {
    s.code = FloatCode(s.op, s.input_type);
  } else if (IsInteger(s.input_type) || IsPred(s.input_type)) {
    s.code = IntegerCode(s.op, s.input_type);
  } else {
    s.code = s.b == kNoNode ? Code::kUnary : Code::kBinary;
  }
  if (s.code == Code::kBinary && s.b == kNoNode) s.code = Code::kUnary;
}

}  // namespace hloscope::tape
