// Folds, each in the order that its FoldInfo states, whatever the lanes are.
#include <deque>

#include "backends/jit_cpu/lower/kernel_emitter.h"
#include "core/element/functions.h"

namespace hloscope {
namespace {

int64_t Points(const FoldInfo& f) {
  int64_t n = 1;
  for (int64_t e : f.extents) n *= e;
  return n;
}

// Registers of values, flat, and back.
std::vector<llvm::Value*> Flatten(absl::Span<const LaneValue> values) {
  std::vector<llvm::Value*> r;
  for (const LaneValue& v : values) {
    r.push_back(v.re);
    if (v.im != nullptr) r.push_back(v.im);
  }
  return r;
}

template <typename V>
std::vector<LaneValue> Unflatten(absl::Span<const LaneValue> like, const std::vector<V>& flat) {
  std::vector<LaneValue> r;
  size_t k = 0;
  for (const LaneValue& v : like) {
    LaneValue x{flat[k++]};
    if (v.im != nullptr) x.im = flat[k++];
    r.push_back(x);
  }
  return r;
}

}  // namespace

const std::vector<LaneValue>& KernelEmitter::Fold(NodeId id, Level* level) {
  Level* target = Target(id, level);
  if (auto it = target->folds.find(id); it != target->folds.end()) return it->second;
  const FoldInfo f = g_.fold(g_.node(id));
  std::vector<LaneValue> r;
  if (strips_.contains(id)) {
    r = TakeFromStrip(id, f, target);
  } else if (Points(f) == 0) {
    for (NodeId init : f.inits) r.push_back(Value(init, target));
  } else if (f.order == FoldOrder::kSequential) {
    r = SequentialFold(id, f, target);
  } else if (target->lane_var < 0) {
    r = FoldAcrossLanes(id, f, target);
  } else {
    r = FoldInterleaved(id, f, target);
  }
  return target->folds[id] = std::move(r);
}

std::vector<LaneValue> KernelEmitter::SequentialFold(NodeId id, const FoldInfo& f, Level* level) {
  const bool lanes = HasLanes(id, level);
  std::vector<LaneValue> inits;
  for (NodeId init : f.inits) inits.push_back(Value(init, level));
  At(level);
  if (lanes) {
    for (LaneValue& v : inits) v = s_.Splat(v);
  }
  std::vector<std::unique_ptr<Loop>> loops;
  std::vector<llvm::Value*> state = Flatten(inits);
  Level* inner = level;
  const size_t depth = std::max<size_t>(f.extents.size(), 1);
  for (size_t d = 0; d < depth; ++d) {
    At(inner);
    const int64_t extent = f.extents.empty() ? 1 : f.extents[d];
    loops.push_back(Open(inner, I64(0), I64(extent), 1, state));
    Loop& loop = *loops.back();
    if (f.extents.empty()) loop.level.real = &loop.level;
    else DefineScalar(loop.level, f.vars[d], loop.index);
    state.assign(loop.carried.begin(), loop.carried.end());
    inner = &loop.level;
  }
  inner->defines.set(facts_.FoldBit(f.id));
  if (lanes) inner->lanes.set(facts_.FoldBit(f.id));
  inner->accumulators = Unflatten(inits, state);
  std::vector<LaneValue> next;
  for (NodeId body : f.bodies) next.push_back(Value(body, inner));
  At(inner);
  if (lanes) {
    for (LaneValue& v : next) v = s_.Splat(v);
  }
  std::vector<llvm::Value*> flat = Flatten(next);
  for (size_t d = depth; d-- > 0;) Close(*loops[d], flat);
  At(level);
  return Unflatten(inits, flat);
}

std::vector<LaneValue> KernelEmitter::FoldAcrossLanes(NodeId id, const FoldInfo& f, Level* level) {
  const ElementType type = g_.node(f.inits[0]).type;
  const LaneValue init = Value(f.inits[0], level);
  const LaneValue joined = FoldsAnyExtremum(f) ? ExtremumAcrossLanes(id, f, level) : AcrossLanes(id, f, level);
  At(level);
  return {s_.Op(f.combiner, type, type, 0, {init, joined})};
}

// op(acc, x), the body of a fold whose order is free: x, and whether it is the first operand.
NodeId KernelEmitter::FoldedElement(const FoldInfo& f, bool* second) const {
  const Node& body = g_.node(f.bodies[0]);
  *second = g_.node(body.inputs[0]).kind == NodeKind::kAccumulator && g_.node(body.inputs[0]).var == f.id;
  return body.inputs[*second ? 1 : 0];
}

// How many vectors of elements are computed side by side before they are added one after the other.
int KernelEmitter::FoldedSideBySide(const FoldInfo& f) const {
  if (in_order_ || watch_ != Watch::kNone || total_cost_ < kManyNanoseconds || facts_.reachable_count > 100 || f.extents.back() % (SideBySideCount() * kLanes) != 0) return 1;
  std::vector<NodeId> stack = {f.bodies[0]};
  while (!stack.empty()) {
    const NodeId id = stack.back();
    const Node& n = g_.node(id);
    stack.pop_back();
    if (!facts_.depends[id].test(f.vars.back())) continue;  // made before the loop
    if (n.kind == NodeKind::kFold || n.kind == NodeKind::kFoldResult || n.kind == NodeKind::kSelect) return 1;
    if (n.kind == NodeKind::kScalarOp && IsFunction(n.op) && n.type == ElementType::kF32) return SideBySideCount();
    stack.insert(stack.end(), n.inputs.begin(), n.inputs.end());
  }
  return 1;
}

// Nobody else has lanes: they are the fold's own, sixteen neighbours of its innermost variable, which is just what the order says. Joined, without
// what the fold starts from.
LaneValue KernelEmitter::AcrossLanes(NodeId id, const FoldInfo& f, Level* level) {
  const ElementType type = g_.node(f.inits[0]).type;
  At(level);
  LaneValue identity;
  const bool has_identity = s_.Identity(f.combiner, type, &identity);
  if (!has_identity) identity = s_.Constant(IsComplex(type) ? Scalar::Complex(type, {0, 0}) : Scalar::Int(type, 0));
  identity = s_.Splat(identity);
  std::vector<LaneValue> like = {identity};
  std::vector<llvm::Value*> state = Flatten(like);
  std::vector<std::unique_ptr<Loop>> loops;
  Level* inner = level;
  const size_t depth = f.extents.size();
  const int side_by_side = has_identity ? FoldedSideBySide(f) : 1;
  for (size_t d = 0; d < depth; ++d) {
    At(inner);
    const bool last = d + 1 == depth;
    loops.push_back(Open(inner, I64(0), I64(f.extents[d]), last ? side_by_side * kLanes : 1, state));
    Loop& loop = *loops.back();
    if (!last) DefineScalar(loop.level, f.vars[d], loop.index);
    else if (side_by_side > 1) loop.level.real = &loop.level;
    else DefineLanes(loop.level, f.vars[d], loop.index, f.extents[d] % kLanes == 0 ? nullptr : I64(f.extents[d]));
    state.assign(loop.carried.begin(), loop.carried.end());
    inner = &loop.level;
  }
  const LaneValue acc = Unflatten(like, state)[0];
  LaneValue next;
  if (side_by_side > 1) {
    next = FoldSideBySide(id, f, level, *loops.back(), acc);
  } else {
    const int bit = facts_.FoldBit(f.id);
    inner->defines.set(bit);
    inner->lanes.set(bit);
    inner->accumulators = {acc};
    FetchRows(id, f, level, inner, loops.back()->index);
    next = Value(f.bodies[0], inner);
    KeepRowValues(id, inner, loops.back()->index);
    fetches_ahead_ = false;
    At(inner);
    next = s_.Splat(next);
    if (!has_identity) {
      // The first element of a lane stands alone.
      bool second;
      const LaneValue x = Value(FoldedElement(f, &second), inner);
      At(inner);
      llvm::Value* first = b_.getInt1(true);
      for (size_t d = 0; d < depth; ++d) first = b_.CreateAnd(first, b_.CreateICmpEQ(loops[d]->index, I64(0)));
      next = s_.Select(first, s_.Splat(x), next);
    }
    if (inner->tail != nullptr) next = s_.Select(inner->tail, next, acc);
  }
  const std::vector<llvm::Value*> flat = Flatten(absl::MakeConstSpan(&next, 1));
  for (size_t d = depth; d-- > 0;) Close(*loops[d], flat);
  At(level);
  return s_.Join(f.combiner, type, Unflatten(like, flat)[0]);
}

// Some vectors of a fold's elements, from the loop's index on, their instructions in turns.
std::vector<LaneValue> KernelEmitter::ElementsSideBySide(NodeId id, const FoldInfo& f, Level* level, Loop& loop, NodeId element, int count) {
  std::deque<Level> copies;
  std::vector<LaneValue> elements;
  InTurns(loop.level.at, count, [&](int c) {
    Level& copy = copies.emplace_back(MakeChild(&loop.level));
    copy.at = loop.level.at;
    b_.SetInsertPoint(copy.at);
    llvm::Value* index = b_.CreateAdd(loop.index, I64(c * kLanes));
    DefineLanes(copy, f.vars.back(), index, nullptr);
    FetchRows(id, f, level, &copy, index);
    elements.push_back(s_.Splat(Value(element, &copy)));
    KeepRowValues(id, &copy, index);
  });
  fetches_ahead_ = false;
  At(&loop.level);
  return elements;
}

// Added one after the other, as the order says.
LaneValue KernelEmitter::FoldSideBySide(NodeId id, const FoldInfo& f, Level* level, Loop& loop, LaneValue acc) {
  const Node& body = g_.node(f.bodies[0]);
  bool second;
  const NodeId element = FoldedElement(f, &second);
  for (const LaneValue& x : ElementsSideBySide(id, f, level, loop, element, SideBySideCount())) {
    acc = s_.Op(body.op, body.type, body.type, body.aux, second ? std::vector<LaneValue>{acc, x} : std::vector<LaneValue>{x, acc});
  }
  return acc;
}

// The lanes are the outputs': sixteen accumulators for each of them, in memory, picked by the innermost variable modulo 16.
std::vector<LaneValue> KernelEmitter::FoldInterleaved(NodeId id, const FoldInfo& f, Level* level) {
  const ElementType type = g_.node(f.inits[0]).type;
  const bool lanes = HasLanes(id, level);
  const LaneValue init = Value(f.inits[0], level);
  At(level);
  llvm::Type* part = s_.RegisterType(type);
  if (lanes) part = llvm::FixedVectorType::get(part, kLanes);
  if (IsPred(type)) part = lanes ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(b_.getInt8Ty(), kLanes)) : b_.getInt8Ty();
  const int parts = IsComplex(type) ? 2 : 1;
  llvm::Value* memory[2] = {s_.Scratch(part, kLanes), parts == 2 ? s_.Scratch(part, kLanes) : nullptr};
  const auto put = [&](llvm::Value* slot, LaneValue v) {
    if (lanes) v = s_.Splat(v);
    b_.CreateStore(IsPred(type) ? s_.ToStorage(type, v.re) : v.re, b_.CreateGEP(part, memory[0], slot));
    if (parts == 2) b_.CreateStore(v.im, b_.CreateGEP(part, memory[1], slot));
  };
  const auto get = [&](llvm::Value* slot) {
    LaneValue v{b_.CreateLoad(part, b_.CreateGEP(part, memory[0], slot))};
    if (IsPred(type)) v.re = s_.FromStorage(type, v.re);
    if (parts == 2) v.im = b_.CreateLoad(part, b_.CreateGEP(part, memory[1], slot));
    return v;
  };
  LaneValue identity;
  const bool has_identity = s_.Identity(f.combiner, type, &identity);
  if (!has_identity) identity = s_.Constant(Scalar::Complex(type, {0, 0}));
  for (int l = 0; l < kLanes; ++l) put(I64(l), identity);
  std::vector<std::unique_ptr<Loop>> loops;
  Level* inner = level;
  const size_t depth = f.extents.size();
  for (size_t d = 0; d < depth; ++d) {
    At(inner);
    loops.push_back(Open(inner, I64(0), I64(f.extents[d]), 1));
    DefineScalar(loops.back()->level, f.vars[d], loops.back()->index);
    inner = &loops.back()->level;
  }
  const int bit = facts_.FoldBit(f.id);
  inner->defines.set(bit);
  if (lanes) inner->lanes.set(bit);
  At(inner);
  llvm::Value* slot = b_.CreateAnd(loops.back()->index, I64(kLanes - 1));
  inner->accumulators = {get(slot)};
  LaneValue next = Value(f.bodies[0], inner);
  if (!has_identity) {
    const Node& body = g_.node(f.bodies[0]);
    const bool second = g_.node(body.inputs[0]).kind == NodeKind::kAccumulator && g_.node(body.inputs[0]).var == f.id;
    const LaneValue x = Value(body.inputs[second ? 1 : 0], inner);
    At(inner);
    llvm::Value* first = b_.CreateICmpSLT(loops.back()->index, I64(kLanes));
    for (size_t d = 0; d + 1 < depth; ++d) first = b_.CreateAnd(first, b_.CreateICmpEQ(loops[d]->index, I64(0)));
    next = s_.Select(first, x, next);
  }
  At(inner);
  put(slot, next);
  for (size_t d = depth; d-- > 0;) Close(*loops[d]);
  At(level);
  std::vector<LaneValue> values;
  for (int l = 0; l < kLanes; ++l) values.push_back(get(I64(l)));
  for (int half = kLanes / 2; half >= 1; half /= 2) {
    for (int l = 0; l < half; ++l) values[l] = s_.Op(f.combiner, type, type, 0, {values[l], values[l + half]});
  }
  return {s_.Op(f.combiner, type, type, 0, {init, values[0]})};
}

}  // namespace hloscope
