// Kernels that fold a row and then make its elements: softmax, normalisation. The row lies in the nearest cache when its elements are made, the next
// one is fetched while it is folded, and what costs much and is wanted in the fold and again for the elements is kept for the row. Folds down
// columns are in strips.cc.
#include <algorithm>

#include "backends/jit_cpu/lower/kernel_emitter.h"
#include "core/element/functions.h"

namespace hloscope {
// ---- Values that are kept for a row ----

// Whether `outside` is what `inside` is, of the output's element instead of the fold's.
bool KernelEmitter::SameOfElement(NodeId inside, int fold_var, NodeId outside, int lane_var, absl::flat_hash_map<NodeId, NodeId>& known) const {
  if (inside == outside) return !facts_.depends[inside].test(fold_var);
  if (const auto it = known.find(inside); it != known.end()) return it->second == outside;
  const Node &a = g_.node(inside), &b = g_.node(outside);
  if (a.kind != b.kind || a.type != b.type || a.op != b.op || a.operand != b.operand || a.part != b.part || a.aux != b.aux) return false;
  const auto same = [&](NodeId x, NodeId y) { return SameOfElement(x, fold_var, y, lane_var, known); };
  switch (a.kind) {
    case NodeKind::kIndex:
      if (a.var != fold_var || b.var != lane_var) return false;
      break;
    case NodeKind::kLoad: {
      const ExprGraph::Affine x = g_.ToAffine(a.inputs[0]), y = g_.ToAffine(b.inputs[0]);
      if (x.constant != y.constant || x.terms.size() != y.terms.size()) return false;
      for (const auto& [atom, factor] : x.terms) {
        const bool found = std::any_of(y.terms.begin(), y.terms.end(), [&](const auto& term) { return term.second == factor && same(atom, term.first); });
        if (!found) return false;
      }
      break;
    }
    case NodeKind::kScalarOp: case NodeKind::kSelect:
      if (a.inputs.size() != b.inputs.size()) return false;
      for (size_t i = 0; i < a.inputs.size(); ++i) {
        if (!same(a.inputs[i], b.inputs[i])) return false;
      }
      break;
    case NodeKind::kConstant: case NodeKind::kFold: case NodeKind::kFoldResult: case NodeKind::kAccumulator: return false;
  }
  known[inside] = outside;
  return true;
}

NodeId KernelEmitter::OutsideOf(NodeId inside, int fold_var) const {
  const int lane_var = static_cast<int>(p_.extents.size()) - 1;
  for (NodeId id = 0; id < static_cast<NodeId>(facts_.reachable.size()); ++id) {
    if (!facts_.reachable[id] || !facts_.depends[id].test(lane_var) || g_.node(id).kind != g_.node(inside).kind) continue;
    absl::flat_hash_map<NodeId, NodeId> known;
    if (SameOfElement(inside, fold_var, id, lane_var, known)) return id;
  }
  return kNoNode;
}

void KernelEmitter::FindRowValues() {
  const int lane_var = static_cast<int>(p_.extents.size()) - 1;
  const int64_t row = p_.extents[lane_var];
  for (NodeId id = 0; id < static_cast<NodeId>(facts_.reachable.size()); ++id) {
    if (!facts_.reachable[id] || g_.node(id).kind != NodeKind::kFoldResult) continue;
    const NodeId fold = g_.node(id).inputs[0];
    const FoldInfo& f = g_.fold(g_.node(fold));
    // Of a row of the output: dependent on its first indices alone, not on an element or on another fold's variables.
    if (f.order != FoldOrder::kInterleaved16 || facts_.depends[fold].find_first_in(lane_var, facts_.bits) >= 0) continue;
    row_folds_ = true;
    if (f.vars.size() == 1 && f.extents[0] == row) last_row_fold_ = fold;
    if (f.vars.size() != 1 || f.extents[0] != row || row > kMostKeptRow || facts_.guarded[fold]) continue;
    // Functions of the row's elements, the outermost first.
    std::vector<NodeId> stack = {f.bodies[0]};
    while (!stack.empty()) {
      const NodeId inside = stack.back();
      stack.pop_back();
      const Node& n = g_.node(inside);
      if (!facts_.depends[inside].test(f.vars[0]) || n.kind == NodeKind::kLoad || n.kind == NodeKind::kFoldResult) continue;
      const bool costs = n.kind == NodeKind::kScalarOp && IsFunction(n.op) && s_.RegisterType(n.type)->isFloatTy();
      const NodeId outside = costs ? OutsideOf(inside, f.vars[0]) : kNoNode;
      if (outside != kNoNode) row_values_.push_back({fold, id, inside, outside});
      else stack.insert(stack.end(), n.inputs.begin(), n.inputs.end());
    }
  }
}

// In the loop of a fold over a row: what is wanted again goes to memory. Not where the fold happens under a condition.
void KernelEmitter::KeepRowValues(NodeId fold, Level* loop, llvm::Value* index) {
  for (RowValue& row : row_values_) {
    if (row.fold != fold) continue;
    for (const Level* l = loop; l != nullptr; l = l->parent) {
      if (l->takes_folds || l->takes_guarded) return;
    }
    const LaneValue v = Value(row.inside, loop);
    At(loop);
    llvm::Type* t = b_.getFloatTy();
    if (row.memory == nullptr) row.memory = s_.Scratch(t, static_cast<int>((p_.extents.back() + kLanes - 1) / kLanes * kLanes));
    b_.CreateAlignedStore(s_.Splat(v).re, b_.CreateGEP(t, row.memory, index), llvm::Align(64));
  }
}

std::optional<LaneValue> KernelEmitter::KeptRowValue(NodeId id, Level* level) {
  for (const RowValue& row : row_values_) {
    if (row.outside != id || row.memory == nullptr || level->lane_var != static_cast<int>(p_.extents.size()) - 1) continue;
    At(level);
    llvm::Type* t = b_.getFloatTy();
    return LaneValue{b_.CreateAlignedLoad(llvm::FixedVectorType::get(t, kLanes), b_.CreateGEP(t, row.memory, level->lane_base), llvm::Align(64))};
  }
  return std::nullopt;
}

// ---- Memory ----

// Later rows come in the loop of the first fold over a row, while this one is worked on, and the lines that its elements go to in the loop of the
// last one: both in one loop get into each other's way.
void KernelEmitter::FetchRows(NodeId fold, const FoldInfo& f, Level* level, Level* loop, llvm::Value* index) {
  if (fetching_fold_ == kNoNode) fetching_fold_ = fold;
  fetches_ahead_ = fetching_fold_ == fold && !in_order_;
  if (last_row_fold_ != fold || in_order_) return;
  const std::vector<int64_t> strides = RowMajorStrides(p_.extents);
  std::vector<std::pair<NodeId, int64_t>> terms;
  for (size_t d = 0; d + 1 < p_.extents.size(); ++d) {
    if (!facts_.depends[fold].test(static_cast<int>(d))) return;  // one fold for many rows
    terms.push_back({output_linear_[d], strides[d]});
  }
  llvm::Value* linear = LinearSum(terms, 0, level);
  At(loop);
  for (size_t o = 0; o < p_.output_shapes.size(); ++o) {
    if (p_.output_shapes[o].ByteSize() < kFetchedBytes) continue;
    llvm::Type* t = s_.StorageType(p_.output_shapes[o].element_type());
    Prefetch(b_.CreateGEP(t, outputs_[o], b_.CreateAdd(linear, index)), 0, true);
  }
}

// ---- Maxima and minima ----

bool KernelEmitter::FoldsAnyExtremum(const FoldInfo& f) const {
  return (f.combiner == ScalarOp::kMaximum || f.combiner == ScalarOp::kMinimum) && g_.node(f.inits[0]).type == ElementType::kF32 && f.extents.back() >= 64 &&
         f.extents.back() % (4 * kLanes) == 0 && watch_ == Watch::kNone;
}

// The order of comparisons does not matter unless there is a NaN, or the result is a zero, which has a sign: four accumulators and one instruction for
// each vector; where it mattered the fold is done again as its order says.
LaneValue KernelEmitter::ExtremumAcrossLanes(NodeId id, const FoldInfo& f, Level* level) {
  constexpr int kCopies = 4;
  const bool max = f.combiner == ScalarOp::kMaximum;
  const auto better = [&](llvm::Value* a, llvm::Value* b) { return b_.CreateSelect(max ? b_.CreateFCmpOGT(a, b) : b_.CreateFCmpOLT(a, b), a, b); };
  At(level);
  LaneValue identity;
  s_.Identity(f.combiner, ElementType::kF32, &identity);
  identity = s_.Splat(identity);
  llvm::Type* flags = llvm::FixedVectorType::get(b_.getInt1Ty(), kLanes);
  std::vector<llvm::Value*> state(kCopies, identity.re);
  state.push_back(llvm::Constant::getNullValue(flags));
  std::vector<std::unique_ptr<Loop>> loops;
  Level* inner = level;
  const size_t depth = f.extents.size();
  for (size_t d = 0; d < depth; ++d) {
    At(inner);
    const bool last = d + 1 == depth;
    loops.push_back(Open(inner, I64(0), I64(f.extents[d]), last ? kCopies * kLanes : 1, state));
    Loop& loop = *loops.back();
    if (last) loop.level.real = &loop.level;
    else DefineScalar(loop.level, f.vars[d], loop.index);
    state.assign(loop.carried.begin(), loop.carried.end());
    inner = &loop.level;
  }
  bool second;
  const NodeId element = FoldedElement(f, &second);
  const std::vector<LaneValue> elements = ElementsSideBySide(id, f, level, *loops.back(), element, kCopies);
  llvm::Value* seen = state[kCopies];
  for (int c = 0; c < kCopies; c += 2) seen = b_.CreateOr(seen, b_.CreateFCmpUNO(elements[c].re, elements[c + 1].re));
  std::vector<llvm::Value*> next;
  for (int c = 0; c < kCopies; ++c) next.push_back(better(elements[c].re, state[c]));
  next.push_back(seen);
  for (size_t d = depth; d-- > 0;) Close(*loops[d], next);
  At(level);
  llvm::Value* best = better(better(next[0], next[1]), better(next[2], next[3]));
  for (int half = kLanes / 2; half >= 1; half /= 2) {
    llvm::SmallVector<int, kLanes> other;
    for (int l = 0; l < kLanes; ++l) other.push_back(l % half + half);
    best = better(best, b_.CreateShuffleVector(best, other));
  }
  best = b_.CreateExtractElement(best, uint64_t{0});
  llvm::Value* matters = b_.CreateOr(b_.CreateOrReduce(next[kCopies]), b_.CreateFCmpOEQ(best, llvm::ConstantFP::get(best->getType(), 0.0)));

  Level* real = level->real;
  llvm::Instruction* at = real->at;
  llvm::BasicBlock* before = at->getParent();
  llvm::BasicBlock* rest = before->splitBasicBlock(at->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::BasicBlock* again = llvm::BasicBlock::Create(c_, "in_order", function_, rest);
  Level arm = MakeChild(level);
  b_.SetInsertPoint(again);
  arm.at = b_.CreateBr(rest);
  arm.real = &arm;
  b_.SetInsertPoint(before);
  real->at = b_.CreateCondBr(matters, again, rest);
  in_order_ = true;
  const LaneValue in_order = AcrossLanes(id, f, &arm);
  in_order_ = false;
  b_.SetInsertPoint(&rest->front());
  llvm::PHINode* result = b_.CreatePHI(best->getType(), 2);
  result->addIncoming(best, real->at->getParent());
  result->addIncoming(in_order.re, arm.at->getParent());
  real->at = at;
  At(level);
  return {result};
}

// ---- Division ----

// x / s, correctly rounded, s the same for all lanes: r is 1 / s rounded, x r is within two units of the quotient, one step of Newton's makes that one
// unit, and from there the remainder is exact and the second step rounds as division does (Markstein). No part may underflow, so s and x lie in
// ranges; where one does not, the processor divides.
LaneValue KernelEmitter::DivideByInvariant(LaneValue numerator, NodeId divisor, Level* level) {
  const auto range = [&](llvm::Value* x, int exponent_low, int exponent_high) {  // outside of 2^low .. 2^high, zero of either sign being outside
    llvm::Type* integer = x->getType()->isVectorTy() ? static_cast<llvm::Type*>(llvm::FixedVectorType::get(b_.getInt32Ty(), kLanes)) : b_.getInt32Ty();
    llvm::Value* bits = b_.CreateAnd(b_.CreateBitCast(x, integer), llvm::ConstantInt::get(integer, 0x7fffffff));
    const uint32_t low = static_cast<uint32_t>(exponent_low + 127) << 23, high = static_cast<uint32_t>(exponent_high + 127) << 23;
    return b_.CreateICmpUGT(b_.CreateSub(bits, llvm::ConstantInt::get(integer, low)), llvm::ConstantInt::get(integer, high - low));
  };
  const LaneValue s = Value(divisor, level);
  Level* where = Target(divisor, level);
  Reciprocal& known = where->reciprocals[divisor];
  if (known.value == nullptr) {
    At(where);
    known.divisor = s_.Splat(s).re;
    known.negative = b_.CreateFNeg(known.divisor);
    known.value = s_.Splat(LaneValue{b_.CreateFDiv(llvm::ConstantFP::get(s.re->getType(), 1.0), s.re)}).re;
    known.unusable = s_.Splat(LaneValue{range(s.re, -20, 20)}).re;
  }
  At(level);
  llvm::Value* x = numerator.re;
  llvm::Value* q = b_.CreateFMul(x, known.value);
  for (int step = 0; step < 2; ++step) q = s_.Fma(s_.Fma(known.negative, q, x), known.value, q);
  llvm::Type* integer = llvm::FixedVectorType::get(b_.getInt32Ty(), kLanes);
  llvm::Value* nothing = b_.CreateICmpEQ(b_.CreateBitCast(x, integer), llvm::Constant::getNullValue(integer));
  llvm::Value* unlikely = b_.CreateOr(b_.CreateAnd(range(x, -100, 100), b_.CreateNot(nothing)), known.unusable);
  return {s_.Unless(unlikely, q, [&] { return b_.CreateFDiv(x, known.divisor); })};
}

}  // namespace hloscope
