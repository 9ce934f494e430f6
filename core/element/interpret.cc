// The interpreter: memoised evaluation of a private copy of the program, one slot a node.
//
// Every node belongs to the innermost loop it depends on (an output dimension, a dimension of a push domain, a fold) and is evaluated at
// most once for each turn of that loop: a slot remembers the stamp of the turn it was evaluated in. Loops nest like dependencies do, so a
// node that only depends on outer loops keeps its value while inner ones turn. Nothing is evaluated that is not asked for, which makes
// select lazy. Copying the program first gives every fold variables of its own and joins the indices of a load into one linear index.
#include "core/element/interpret.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <limits>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/element/bounds.h"
#include "core/element/scalar_eval.h"

namespace hloscope {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

struct Slot {
  int64_t i = 0;
  double re = 0;
  double im = 0;
  double bound = 0;
  uint64_t stamp = 0;
  const uint64_t* epoch = nullptr;  // of the node's loop: the slot is valid when stamp == *epoch
};

// What to do, with the type folded in for the common ones.
enum class Code : uint8_t {
  kFixed,  // constants, index variables, accumulators: set from outside
  kAddI64, kSubI64, kMulI64, kFloorDivI64, kModI64, kMaxI64, kMinI64,
  kEqI64, kNeI64, kLtI64, kLeI64, kGtI64, kGeI64,
  kAddF32, kSubF32, kMulF32, kDivF32, kAddF64, kSubF64, kMulF64, kDivF64, kMaxFloat, kMinFloat, kNegFloat,
  kEqFloat, kNeFloat, kLtFloat, kLeFloat, kGtFloat, kGeFloat,
  kAddS32, kSubS32, kMulS32, kAndBits, kOrBits, kXorBits,
  kWidenFloat, kToF32, kWidenInteger,
  kUnary, kBinary,  // any other: EvalScalarOp
  kLoad, kSelect, kFold, kFoldResult,
};

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
    case ScalarOp::kNegate: return type == ElementType::kF32 || type == ElementType::kF64 || type == ElementType::kBF16 || type == ElementType::kF16 ? Code::kNegFloat : Code::kUnary;
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

struct Step {
  Code code = Code::kFixed;
  ElementType type = ElementType::kS64;
  ElementType input_type = ElementType::kS64;
  ScalarOp op{};
  bool ulps = false;  // implementations may differ even on exact inputs
  int32_t a = kNoNode, b = kNoNode, c = kNoNode;
  int32_t extra = 0;  // operand of a load, number of a fold, part of a fold result
  int64_t aux = 0;    // reduce-precision's bits, divisor of floordiv and mod
};

struct LoadStep {
  int32_t operand = 0;
  ElementType type = ElementType::kF32;
  NodeId linear = kNoNode;       // proven in bounds
  std::vector<NodeId> indices;   // else checked one by one
  std::vector<int64_t> dims, strides;
};

struct FoldStep {
  FoldInfo info;
  std::vector<NodeId> var_nodes, accumulators;  // kNoNode where the bodies do not use them
  NodeId element = kNoNode;                     // of a one-part op(acc, x)
  uint64_t epoch = 0;
  int64_t total = 1;
  std::vector<Slot> running, next;
  std::vector<int64_t> index;
};

double RoundFloat(ElementType type, double v) { return Scalar::Float(type, v).re; }

Slot ToSlot(const Scalar& s) {
  Slot r;
  r.i = s.i;
  r.re = s.re;
  r.im = s.im;
  return r;
}

}  // namespace

struct Interpreter::Impl {
  Impl(const Program& p, InterpretOptions o) : program(p), options(o) { Prepare(); }

  // ---- Preparation -------------------------------------------------------------------------------------------------------------
  Program program;  // the caller's, its graph shared
  InterpretOptions options;
  ExprGraph graph;  // our copy
  std::vector<NodeId> values, targets, combined;
  NodeId in_bounds = kNoNode;
  std::vector<int32_t> push_vars;
  std::vector<NodeId> output_index, push_index, push_accumulators;  // nodes, kNoNode where unused
  std::vector<int64_t> output_dims, output_strides, push_extents;

  std::vector<Slot> slots;
  std::vector<Step> steps;
  std::vector<LoadStep> loads;
  std::deque<FoldStep> folds;
  uint64_t always = 1, run = 0;
  std::vector<uint64_t> output_epochs, push_epochs;  // one a dimension, and one more for the push accumulators
  uint64_t counter = 1;

  std::vector<const Value*> operands;
  std::vector<const std::byte*> data;
  std::function<void(int, int64_t, const Scalar&)> on_load;
  const std::atomic<bool>* cancel = nullptr;
  absl::Status status;
  int64_t fold_turns = 0;

  void Prepare() {
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
        push_accumulators.push_back(graph.Accumulator(program.push.accumulator_id, static_cast<int>(o), program.outputs[o].shape.element_type()));
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

  // Load nodes keep their place in the graph; LoadStep k belongs to load_of[node] == k.
  absl::flat_hash_map<NodeId, int> load_of;
  void PrepareLoads() {
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
        for (size_t d = 0; d < dims.size(); ++d) load.linear = graph.Add(load.linear, graph.Mul(node.inputs[d], graph.IndexConstant(load.strides[d])));
      } else {
        load.indices = node.inputs;
      }
      load_of[id] = static_cast<int>(loads.size());
      loads.push_back(std::move(load));
    }
  }

  absl::flat_hash_map<NodeId, int> fold_of;
  absl::flat_hash_map<int32_t, int> fold_of_var;  // index variable v -> fold; accumulators of fold id f as ~f
  std::vector<int> fold_depth;

  void PrepareFolds() {
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

  NodeId ElementOf(const FoldInfo& info) const {
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
  const uint64_t* EpochOf(NodeId id, const std::vector<int32_t>& output_vars) {
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

  void PrepareNode(NodeId id, const std::vector<int32_t>& output_vars) {
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
      case NodeKind::kIndex: case NodeKind::kAccumulator:
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

  void PrepareOp(Step& s) {
    s.ulps = OperationUlp(s.op, s.type, s.input_type) > 0;
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

  // ---- Evaluation --------------------------------------------------------------------------------------------------------------
  // kFull: with bounds and traced loads.

  template <bool kFull>
  const Slot& Get(NodeId id) {
    Slot& s = slots[id];
    if (s.stamp != *s.epoch) Eval<kFull>(id);
    return s;
  }

  Scalar ToScalar(ElementType type, const Slot& s) const {
    Scalar r;
    r.type = type;
    r.i = s.i;
    r.re = s.re;
    r.im = s.im;
    return r;
  }

  static int64_t Wrap(int64_t a, int64_t b, char op) {
    const uint64_t x = static_cast<uint64_t>(a), y = static_cast<uint64_t>(b);
    return static_cast<int64_t>(op == '+' ? x + y : op == '-' ? x - y : x * y);
  }

  void Generic(const Step& s, const Slot& a, const Slot& b, Slot& out) const {
    const Scalar in[2] = {ToScalar(s.input_type, a), ToScalar(s.input_type, b)};
    const Scalar r = EvalScalarOp(s.op, s.type, s.aux, absl::MakeConstSpan(in, s.b == kNoNode ? 1 : 2));
    out.i = r.i;
    out.re = r.re;
    out.im = r.im;
  }

  template <bool kFull>
  void Apply(const Step& s, const Slot& a, const Slot& b, Slot& out) const {
    switch (s.code) {
      case Code::kAddI64: out.i = Wrap(a.i, b.i, '+'); break;
      case Code::kSubI64: out.i = Wrap(a.i, b.i, '-'); break;
      case Code::kMulI64: out.i = Wrap(a.i, b.i, '*'); break;
      case Code::kFloorDivI64: {
        const int64_t q = a.i / s.aux;
        out.i = q - (a.i - q * s.aux < 0);
        break;
      }
      case Code::kModI64: {
        const int64_t r = a.i % s.aux;
        out.i = r < 0 ? r + s.aux : r;
        break;
      }
      case Code::kMaxI64: out.i = std::max(a.i, b.i); break;
      case Code::kMinI64: out.i = std::min(a.i, b.i); break;
      case Code::kEqI64: out.i = a.i == b.i; break;
      case Code::kNeI64: out.i = a.i != b.i; break;
      case Code::kLtI64: out.i = a.i < b.i; break;
      case Code::kLeI64: out.i = a.i <= b.i; break;
      case Code::kGtI64: out.i = a.i > b.i; break;
      case Code::kGeI64: out.i = a.i >= b.i; break;
      case Code::kAddF32: out.re = static_cast<float>(a.re + b.re); break;
      case Code::kSubF32: out.re = static_cast<float>(a.re - b.re); break;
      case Code::kMulF32: out.re = static_cast<float>(a.re * b.re); break;
      case Code::kDivF32: out.re = static_cast<float>(a.re / b.re); break;
      case Code::kAddF64: out.re = a.re + b.re; break;
      case Code::kSubF64: out.re = a.re - b.re; break;
      case Code::kMulF64: out.re = a.re * b.re; break;
      case Code::kDivF64: out.re = a.re / b.re; break;
      case Code::kMaxFloat: out.re = a.re > b.re || std::isnan(a.re) ? a.re : a.re == b.re && !std::signbit(a.re) ? a.re : b.re; break;
      case Code::kMinFloat: out.re = a.re < b.re || std::isnan(a.re) ? a.re : a.re == b.re && std::signbit(a.re) ? a.re : b.re; break;
      case Code::kNegFloat: out.re = -a.re; break;
      case Code::kEqFloat: out.i = a.re == b.re; break;
      case Code::kNeFloat: out.i = a.re != b.re; break;
      case Code::kLtFloat: out.i = a.re < b.re; break;
      case Code::kLeFloat: out.i = a.re <= b.re; break;
      case Code::kGtFloat: out.i = a.re > b.re; break;
      case Code::kGeFloat: out.i = a.re >= b.re; break;
      case Code::kAddS32: out.i = static_cast<int32_t>(a.i + b.i); break;
      case Code::kSubS32: out.i = static_cast<int32_t>(a.i - b.i); break;
      case Code::kMulS32: out.i = static_cast<int32_t>(a.i * b.i); break;
      case Code::kAndBits: out.i = a.i & b.i; break;
      case Code::kOrBits: out.i = a.i | b.i; break;
      case Code::kXorBits: out.i = a.i ^ b.i; break;
      case Code::kWidenFloat: out.re = a.re; break;
      case Code::kToF32: out.re = static_cast<float>(a.re); break;
      case Code::kWidenInteger: out.i = a.i; break;
      case Code::kUnary: case Code::kBinary: Generic(s, a, b, out); break;
      case Code::kFixed: case Code::kLoad: case Code::kSelect: case Code::kFold: case Code::kFoldResult: break;
    }
    if constexpr (kFull) {
      if (s.ulps || a.bound != 0 || b.bound != 0) {
        out.bound = PropagateBound(s.op, s.type, s.aux, {ToScalar(s.input_type, a), a.bound}, {ToScalar(s.input_type, b), b.bound}, ToScalar(s.type, out));
      } else {
        out.bound = 0;
      }
    }
  }

  template <bool kFull>
  void Eval(NodeId id) {
    const Step& s = steps[id];
    Slot& out = slots[id];
    switch (s.code) {
      case Code::kLoad: EvalLoad<kFull>(s, out); break;
      case Code::kSelect: {
        const Slot& pred = Get<kFull>(s.a);
        const Slot& taken = Get<kFull>(pred.i ? s.b : s.c);
        Assign(out, taken);
        if constexpr (kFull) {
          if (pred.bound != 0 && options.bounds) {
            const Slot& other = Get<kFull>(pred.i ? s.c : s.b);
            out.bound = SelectBound({ToScalar(ElementType::kPred, pred), pred.bound}, {ToScalar(s.type, taken), taken.bound}, {ToScalar(s.type, other), other.bound});
          }
        }
        break;
      }
      case Code::kFold: EvalFold<kFull>(folds[s.extra]); break;
      case Code::kFoldResult: {
        Get<kFull>(s.a);
        Assign(out, folds[s.extra].running[s.aux]);
        break;
      }
      default: {
        const Slot& a = Get<kFull>(s.a);
        const Slot& b = s.b == kNoNode ? a : Get<kFull>(s.b);
        Apply<kFull>(s, a, b, out);
      }
    }
    out.stamp = *out.epoch;
  }

  // Value and bound, not the memo.
  static void Assign(Slot& to, const Slot& from) {
    to.i = from.i;
    to.re = from.re;
    to.im = from.im;
    to.bound = from.bound;
  }

  template <bool kFull>
  void EvalLoad(const Step& s, Slot& out) {
    const LoadStep& load = loads[s.extra];
    int64_t linear = 0;
    double bound = 0;
    if (load.linear != kNoNode) {
      const Slot& index = Get<kFull>(load.linear);
      linear = index.i;
      bound = index.bound;
    } else {
      for (size_t d = 0; d < load.indices.size(); ++d) {
        const Slot& index = Get<kFull>(load.indices[d]);
        if (index.i < 0 || index.i >= load.dims[d]) {
          if (status.ok()) {
            status = absl::InternalError(absl::StrCat("element program: index ", index.i, " in dimension ", d, " of operand ", load.operand, " of shape ",
                                                      program.operands[load.operand].ToString(false), " is out of bounds"));
          }
          out.i = 0;
          out.re = out.im = 0;
          out.bound = kInf;
          return;
        }
        linear += index.i * load.strides[d];
        bound += index.bound;
      }
    }
    const std::byte* base = data[load.operand];
    switch (load.type) {
      case ElementType::kF32: out.re = reinterpret_cast<const float*>(base)[linear]; break;
      case ElementType::kF64: out.re = reinterpret_cast<const double*>(base)[linear]; break;
      case ElementType::kS32: out.i = reinterpret_cast<const int32_t*>(base)[linear]; break;
      case ElementType::kS64: case ElementType::kU64: out.i = reinterpret_cast<const int64_t*>(base)[linear]; break;
      case ElementType::kBF16: out.re = DecodeFloat(ElementType::kBF16, reinterpret_cast<const uint16_t*>(base)[linear]); break;
      default: {
        const Scalar x = LoadScalar(load.type, base + linear * StorageBytes(load.type));
        out.i = x.i;
        out.re = x.re;
        out.im = x.im;
      }
    }
    if constexpr (kFull) {
      out.bound = bound != 0 ? kInf : 0;
      if (on_load) on_load(load.operand, linear, ToScalar(load.type, out));
    }
  }

  bool Cancelled() {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed) && status.ok()) status = absl::CancelledError("interrupted");
    return !status.ok();
  }

  // ---- Folds -------------------------------------------------------------------------------------------------------------------

  void StartTurn(FoldStep& f) {
    f.epoch = ++counter;
    if ((++fold_turns & 0xfff) == 0) Cancelled();
  }
  void SetVar(FoldStep& f, size_t d, int64_t v) {
    f.index[d] = v;
    if (f.var_nodes[d] != kNoNode) slots[f.var_nodes[d]].i = v;
  }
  void FirstPoint(FoldStep& f) {
    for (size_t d = 0; d < f.index.size(); ++d) SetVar(f, d, 0);
  }
  void NextPoint(FoldStep& f) {
    for (size_t d = f.index.size(); d-- > 0;) {
      if (f.index[d] + 1 < f.info.extents[d]) return SetVar(f, d, f.index[d] + 1);
      SetVar(f, d, 0);
    }
  }

  template <bool kFull>
  void EvalFold(FoldStep& f) {
    if (kFull && options.bounds && options.library_order && f.element != kNoNode && steps[f.info.bodies[0]].op == ScalarOp::kAdd &&
        IsFloat(steps[f.info.bodies[0]].type)) {
      return EvalLibrarySum<kFull>(f);
    }
    if (f.info.order == FoldOrder::kInterleaved16 && f.element != kNoNode) return EvalInterleaved<kFull>(f);
    for (size_t p = 0; p < f.running.size(); ++p) Assign(f.running[p], Get<kFull>(f.info.inits[p]));
    FirstPoint(f);
    for (int64_t t = 0; t < f.total && status.ok(); ++t, NextPoint(f)) {
      for (size_t p = 0; p < f.running.size(); ++p) {
        if (f.accumulators[p] != kNoNode) Assign(slots[f.accumulators[p]], f.running[p]);
      }
      StartTurn(f);
      if (f.running.size() == 1) {
        Assign(f.running[0], Get<kFull>(f.info.bodies[0]));
        continue;
      }
      for (size_t p = 0; p < f.next.size(); ++p) Assign(f.next[p], Get<kFull>(f.info.bodies[p]));
      for (size_t p = 0; p < f.next.size(); ++p) Assign(f.running[p], f.next[p]);
    }
  }

  template <bool kFull>
  void EvalInterleaved(FoldStep& f) {
    const Step& combine = steps[f.info.bodies[0]];
    const Slot init = Get<kFull>(f.info.inits[0]);
    Assign(f.running[0], init);
    if (f.total == 0) return;
    Slot lanes[16];
    bool filled[16] = {};
    FirstPoint(f);
    for (int64_t t = 0; t < f.total && status.ok(); ++t, NextPoint(f)) {
      StartTurn(f);
      const Slot& x = Get<kFull>(f.element);
      const int lane = static_cast<int>(f.index.back() & 15);
      if (filled[lane]) {
        const Slot acc = lanes[lane];
        Apply<kFull>(combine, acc, x, lanes[lane]);
      } else {
        Assign(lanes[lane], x);
        filled[lane] = true;
      }
    }
    for (int width = 8; width >= 1; width /= 2) {
      for (int l = 0; l < width; ++l) {
        const Slot low = lanes[l];
        Apply<kFull>(combine, low, lanes[l + width], lanes[l]);
      }
    }
    Apply<kFull>(combine, init, lanes[0], f.running[0]);
  }

  // A sum whose order is a library's own: nearly exact here, and a bound that every order keeps.
  template <bool kFull>
  void EvalLibrarySum(FoldStep& f) {
    const ElementType type = steps[f.info.bodies[0]].type;
    const bool wide = options.library_wide_accumulation && BitWidth(type) < 32;
    const double u = UnitRoundoff(wide ? ElementType::kF32 : type);
    const Slot init = Get<kFull>(f.info.inits[0]);
    long double sum = init.re;
    double magnitude = std::fabs(init.re), bound = init.bound;
    FirstPoint(f);
    for (int64_t t = 0; t < f.total && status.ok(); ++t, NextPoint(f)) {
      StartTurn(f);
      const Slot& x = Get<kFull>(f.element);
      sum += x.re;
      magnitude += std::fabs(x.re) + x.bound;
      bound += x.bound;
    }
    Slot& out = f.running[0];
    out.re = RoundFloat(type, static_cast<double>(sum));
    // K + 1 roundings: a fused multiply-add may also have left out the product's own.
    out.bound = bound + (static_cast<double>(f.total) + 1) * u * magnitude;
    if (std::isfinite(out.re)) {
      out.bound += UlpAt(type, out.re);
    } else if (std::isfinite(magnitude) || std::isnan(bound)) {
      out.bound = kInf;  // overflow depends on the order
    } else {
      out.bound = 0;
    }
    if (std::isnan(out.bound)) out.bound = kInf;
  }

  // ---- Whole programs ----------------------------------------------------------------------------------------------------------

  absl::Status Bind(absl::Span<const Value* const> given) {
    if (given.size() != program.operands.size()) {
      return absl::InvalidArgumentError(absl::StrCat("the program takes ", program.operands.size(), " operands, not ", given.size()));
    }
    data.clear();
    for (size_t i = 0; i < given.size(); ++i) {
      const Shape& want = program.operands[i];
      if (given[i] == nullptr || !given[i]->has_value() || !Shape::SameDimensions(given[i]->shape(), want) || given[i]->shape().element_type() != want.element_type()) {
        return absl::InvalidArgumentError(absl::StrCat("operand ", i, " must be a value of shape ", want.ToString(false)));
      }
      data.push_back(given[i]->data());
    }
    status = absl::OkStatus();
    run = ++counter;
    BumpOutput(0);
    for (uint64_t& e : push_epochs) e = ++counter;
    return absl::OkStatus();
  }

  // Dimension d of the output (and so every later one) turned.
  void BumpOutput(size_t d) {
    const uint64_t now = ++counter;
    for (; d < output_epochs.size(); ++d) output_epochs[d] = now;
  }
  void BumpPush(size_t d) {
    const uint64_t now = ++counter;
    for (; d < push_epochs.size(); ++d) push_epochs[d] = now;
  }

  void SetOutputIndex(absl::Span<const int64_t> index) {
    for (size_t d = 0; d < index.size(); ++d) {
      if (output_index[d] != kNoNode) slots[output_index[d]].i = index[d];
    }
    BumpOutput(0);
  }

  static void Store(ElementType type, const Slot& s, std::byte* base, int64_t linear) {
    switch (type) {
      case ElementType::kF32: reinterpret_cast<float*>(base)[linear] = static_cast<float>(s.re); break;
      case ElementType::kF64: reinterpret_cast<double*>(base)[linear] = s.re; break;
      case ElementType::kS32: reinterpret_cast<int32_t*>(base)[linear] = static_cast<int32_t>(s.i); break;
      case ElementType::kS64: case ElementType::kU64: reinterpret_cast<int64_t*>(base)[linear] = s.i; break;
      case ElementType::kPred: reinterpret_cast<uint8_t*>(base)[linear] = s.i != 0; break;
      default: {
        Scalar x;
        x.type = type;
        x.i = s.i;
        x.re = s.re;
        x.im = s.im;
        StoreScalar(x, base + linear * StorageBytes(type));
      }
    }
  }

  BoundedScalar Bounded(ElementType type, const Slot& s) const { return {ToScalar(type, s), s.bound}; }

  absl::StatusOr<std::vector<Value>> All(absl::Span<const Value* const> given, MemoryAccount* account) {
    if (absl::Status s = Bind(given); !s.ok()) return s;
    std::vector<Value> results;
    for (const auto& output : program.outputs) {
      results.push_back(Value::Allocate(output.shape, account));
      if (!results.back().has_value()) return absl::ResourceExhaustedError(absl::StrCat("no memory for a result of ", output.shape.ByteSize(), " bytes"));
    }
    const int64_t count = results.empty() ? 0 : results[0].element_count();
    std::vector<int64_t> index(output_dims.size(), 0);
    SetOutputIndex(index);
    for (int64_t linear = 0; linear < count; ++linear) {
      for (size_t o = 0; o < values.size(); ++o) {
        Store(program.outputs[o].shape.element_type(), Get<false>(values[o]), results[o].mutable_data(), linear);
      }
      if ((linear & 0xff) == 0) Cancelled();
      if (!status.ok()) return status;
      for (size_t d = index.size(); d-- > 0;) {
        index[d] = index[d] + 1 < output_dims[d] ? index[d] + 1 : 0;
        if (output_index[d] != kNoNode) slots[output_index[d]].i = index[d];
        if (index[d] != 0) {
          BumpOutput(d);
          break;
        }
      }
    }
    if (program.is_push) {
      if (absl::Status s = PushAll(results); !s.ok()) return s;
    }
    return results;
  }

  // Calls visit() at every point of the push domain.
  template <typename Visit>
  absl::Status ForPushDomain(const Visit& visit) {
    int64_t count = 1;
    for (int64_t e : push_extents) count *= e;
    std::vector<int64_t> index(push_extents.size(), 0);
    for (NodeId n : push_index) {
      if (n != kNoNode) slots[n].i = 0;
    }
    BumpPush(0);
    for (int64_t t = 0; t < count; ++t) {
      visit();
      if ((t & 0xff) == 0) Cancelled();
      if (!status.ok()) return status;
      for (size_t d = index.size(); d-- > 0;) {
        index[d] = index[d] + 1 < push_extents[d] ? index[d] + 1 : 0;
        if (push_index[d] != kNoNode) slots[push_index[d]].i = index[d];
        if (index[d] != 0) {
          BumpPush(d);
          break;
        }
      }
    }
    return absl::OkStatus();
  }

  // Row-major index of the current point's target, or -1: skipped. `bound` is nonzero when that is uncertain.
  template <bool kFull>
  int64_t Target(double* bound) {
    if (in_bounds != kNoNode) {
      const Slot& inside = Get<kFull>(in_bounds);
      *bound += inside.bound;
      if (!inside.i) return -1;
    }
    int64_t linear = 0;
    for (size_t d = 0; d < targets.size(); ++d) {
      const Slot& x = Get<kFull>(targets[d]);
      *bound += x.bound;
      if (x.i < 0 || x.i >= output_dims[d]) {
        if (status.ok()) status = absl::InternalError(absl::StrCat("element program: an update's target ", x.i, " in dimension ", d, " is out of bounds"));
        return -1;
      }
      linear += x.i * output_strides[d];
    }
    return linear;
  }

  absl::Status PushAll(std::vector<Value>& results) {
    return ForPushDomain([&] {
      double bound = 0;
      const int64_t linear = Target<false>(&bound);
      if (linear < 0) return;
      for (size_t o = 0; o < results.size(); ++o) {
        const ElementType type = program.outputs[o].shape.element_type();
        Assign(slots[push_accumulators[o]], ToSlot(LoadScalar(type, results[o].data() + linear * StorageBytes(type))));
      }
      push_epochs.back() = ++counter;
      // All combinations see the elements before.
      for (size_t o = 0; o < results.size(); ++o) Get<false>(combined[o]);
      for (size_t o = 0; o < results.size(); ++o) Store(program.outputs[o].shape.element_type(), slots[combined[o]], results[o].mutable_data(), linear);
    });
  }

  absl::Status CheckIndex(absl::Span<const int64_t> index) const {
    bool good = index.size() == output_dims.size();
    for (size_t d = 0; good && d < index.size(); ++d) good = index[d] >= 0 && index[d] < output_dims[d];
    if (good) return absl::OkStatus();
    return absl::OutOfRangeError(absl::StrCat("[", absl::StrJoin(index, ", "), "] is not an index of ",
                                              program.outputs.empty() ? std::string("a program without outputs") : program.outputs[0].shape.ToString(false)));
  }

  template <bool kFull>
  absl::StatusOr<std::vector<std::vector<BoundedScalar>>> Many(absl::Span<const Value* const> given, absl::Span<const std::vector<int64_t>> indices) {
    if (absl::Status s = Bind(given); !s.ok()) return s;
    std::vector<std::vector<BoundedScalar>> results;
    for (const auto& index : indices) {
      if (absl::Status s = CheckIndex(index); !s.ok()) return s;
      run = ++counter;  // so that every load of this element is reported
      SetOutputIndex(index);
      results.emplace_back();
      for (size_t o = 0; o < values.size(); ++o) results.back().push_back(Bounded(program.outputs[o].shape.element_type(), Get<kFull>(values[o])));
      if (Cancelled()) return status;
    }
    if (program.is_push) {
      if (absl::Status s = PushMany<kFull>(indices, results); !s.ok()) return s;
    }
    return results;
  }

  template <bool kFull>
  absl::Status PushMany(absl::Span<const std::vector<int64_t>> indices, std::vector<std::vector<BoundedScalar>>& results) {
    absl::flat_hash_map<int64_t, std::vector<size_t>> wanted;
    for (size_t k = 0; k < indices.size(); ++k) wanted[LinearIndex(output_dims, indices[k])].push_back(k);
    bool anywhere = false;  // an update whose place is uncertain
    const auto trace = std::move(on_load);
    on_load = nullptr;
    const absl::Status done = ForPushDomain([&] {
      double bound = 0;
      const int64_t linear = Target<kFull>(&bound);
      anywhere = anywhere || bound != 0;
      const auto it = linear < 0 ? wanted.end() : wanted.find(linear);
      if (it == wanted.end()) return;
      for (size_t k : it->second) {
        if (trace) {
          // Once more, with everybody watching.
          on_load = trace;
          run = ++counter;
          BumpPush(0);
          Target<kFull>(&bound);
        }
        for (size_t o = 0; o < values.size(); ++o) {
          Slot s = ToSlot(results[k][o].value);
          s.bound = results[k][o].bound;
          Assign(slots[push_accumulators[o]], s);
        }
        push_epochs.back() = ++counter;
        for (size_t o = 0; o < values.size(); ++o) Get<kFull>(combined[o]);
        for (size_t o = 0; o < values.size(); ++o) results[k][o] = Bounded(program.outputs[o].shape.element_type(), slots[combined[o]]);
        on_load = nullptr;
      }
    });
    on_load = trace;
    if (!done.ok()) return done;
    if (anywhere && options.bounds) {
      for (auto& result : results) {
        for (BoundedScalar& s : result) s.bound = kInf;
      }
    }
    return absl::OkStatus();
  }
};

Interpreter::Interpreter(const Program& program, InterpretOptions options) : impl_(std::make_unique<Impl>(program, options)) {}
Interpreter::~Interpreter() = default;

absl::StatusOr<std::vector<BoundedScalar>> Interpreter::At(absl::Span<const Value* const> operands, absl::Span<const int64_t> index) {
  const std::vector<int64_t> one(index.begin(), index.end());
  auto many = AtMany(operands, absl::MakeConstSpan(&one, 1));
  if (!many.ok()) return many.status();
  return std::move((*many)[0]);
}

absl::StatusOr<std::vector<std::vector<BoundedScalar>>> Interpreter::AtMany(absl::Span<const Value* const> operands,
                                                                            absl::Span<const std::vector<int64_t>> indices) {
  if (impl_->options.bounds || impl_->on_load) {
    auto result = impl_->Many<true>(operands, indices);
    if (result.ok() && !impl_->options.bounds) {
      for (auto& r : *result) {
        for (BoundedScalar& s : r) s.bound = 0;
      }
    }
    return result;
  }
  return impl_->Many<false>(operands, indices);
}

absl::StatusOr<std::vector<Value>> Interpreter::All(absl::Span<const Value* const> operands, MemoryAccount* account) { return impl_->All(operands, account); }

void Interpreter::set_on_load(std::function<void(int operand, int64_t linear, const Scalar&)> f) { impl_->on_load = std::move(f); }
void Interpreter::set_cancel(const std::atomic<bool>* cancel) { impl_->cancel = cancel; }

}  // namespace hloscope
