// Levels, loops, values and selects; loads are in loads.cc, folds in folds.cc, the kernels' frames in kernel_loops.cc.
#include "backends/jit_cpu/lower/kernel_emitter.h"

#include "llvm/IR/Intrinsics.h"

namespace hloscope {

namespace Intr = llvm::Intrinsic;

KernelEmitter::KernelEmitter(const LoopProgram& program, llvm::Module& module, std::string symbol, Watch watch)
    : p_(program),
      g_(*program.graph),
      m_(module),
      c_(module.getContext()),
      b_(module.getContext()),
      s_(module, b_),
      symbol_(std::move(symbol)),
      watch_(watch) {}

KernelEmitter::Level KernelEmitter::MakeChild(Level* parent) {
  Level child;
  child.parent = parent;
  child.defines.resize(facts_.bits);
  child.lanes = parent->lanes;
  child.lane_var = parent->lane_var;
  child.lane_base = parent->lane_base;
  child.lane_index = parent->lane_index;
  child.tail = parent->tail;
  child.mask = parent->mask;
  return child;
}

// Splits the code of `outer` where it stands: before | body | rest. While the loop is open, code of `outer` goes before it.
std::unique_ptr<KernelEmitter::Loop> KernelEmitter::Open(Level* outer, llvm::Value* begin, llvm::Value* end, int64_t step,
                                                         absl::Span<llvm::Value* const> carried) {
  auto loop = std::make_unique<Loop>();
  loop->outer = outer;
  loop->end = end;
  loop->step = step;
  Level* real = outer->real;
  llvm::Instruction* at = real->at;
  llvm::BasicBlock* before = at->getParent();
  loop->exit = before->splitBasicBlock(at->getIterator());
  loop->header = llvm::BasicBlock::Create(c_, "loop", function_, loop->exit);
  before->getTerminator()->setSuccessor(0, loop->header);
  b_.SetInsertPoint(loop->header);
  loop->index = b_.CreatePHI(b_.getInt64Ty(), 2);
  loop->index->addIncoming(begin, before);
  for (llvm::Value* v : carried) {
    llvm::PHINode* phi = b_.CreatePHI(v->getType(), 2);
    phi->addIncoming(v, before);
    loop->carried.push_back(phi);
  }
  loop->saved_at = at;
  real->at = before->getTerminator();
  loop->level = MakeChild(outer);
  loop->level.at = b_.CreateUnreachable();
  return loop;
}

void KernelEmitter::Close(Loop& loop, absl::Span<llvm::Value* const> next) {
  llvm::Instruction* anchor = loop.level.at;
  b_.SetInsertPoint(anchor);
  llvm::Value* index = b_.CreateAdd(loop.index, I64(loop.step));
  llvm::BasicBlock* latch = anchor->getParent();
  b_.CreateCondBr(b_.CreateICmpSLT(index, loop.end), loop.header, loop.exit);
  anchor->eraseFromParent();
  loop.index->addIncoming(index, latch);
  for (size_t i = 0; i < next.size(); ++i) loop.carried[i]->addIncoming(next[i], latch);
  loop.outer->real->at = loop.saved_at;
}

void KernelEmitter::DefineScalar(Level& level, int var, llvm::Value* value) {
  level.real = &level;
  level.defines.set(var);
  level.vars[var] = value;
}

void KernelEmitter::DefineLanes(Level& level, int var, llvm::Value* base, llvm::Value* limit) {
  level.real = &level;
  At(&level);
  level.defines.set(var);
  level.lanes.set(var);
  level.lane_var = var;
  level.lane_base = base;
  llvm::SmallVector<llvm::Constant*, kLanes> iota, iota32;
  for (int l = 0; l < kLanes; ++l) iota.push_back(b_.getInt64(l)), iota32.push_back(b_.getInt32(l));
  level.lane_index = b_.CreateAdd(s_.Splat(base), llvm::ConstantVector::get(iota));
  if (limit != nullptr) {
    llvm::Value* left = b_.CreateBinaryIntrinsic(Intr::smin, b_.CreateSub(limit, base), I64(kLanes));
    level.tail = b_.CreateICmpULT(llvm::ConstantVector::get(iota32), s_.Splat(b_.CreateTrunc(left, b_.getInt32Ty())));
    level.mask = level.tail;
    level.lane_index = b_.CreateBinaryIntrinsic(Intr::smin, level.lane_index, s_.Splat(b_.CreateSub(limit, I64(1))));
  }
}

KernelEmitter::Level* KernelEmitter::Target(NodeId id, Level* level) {
  const Node& n = g_.node(id);
  const bool fold = n.kind == NodeKind::kFold || n.kind == NodeKind::kFoldResult;
  for (Level* l = level;; l = l->parent) {
    if (l->parent == nullptr) return l;
    if (l->takes_guarded && facts_.guarded[id]) return l;
    if (l->takes_folds && fold) return l;
    if (l->defines.anyCommon(facts_.depends[id])) return l;
  }
}

LaneValue KernelEmitter::Value(NodeId id, Level* level) {
  const Node& node = g_.node(id);
  if (node.kind == NodeKind::kConstant) {
    const LaneValue constant = s_.Constant(node.constant);
    if (watch_ != Watch::kNone && watched_[id]) LookAt(constant, node.type, level);
    return constant;
  }
  Level* target = Target(id, level);
  if (auto it = target->memo.find(id); it != target->memo.end()) return it->second;
  const LaneValue v = Compute(id, node, target);
  if (watch_ != Watch::kNone && watched_[id]) LookAt(v, node.type, target);
  target->memo[id] = v;
  return v;
}

LaneValue KernelEmitter::Compute(NodeId id, const Node& node, Level* level) {
  if (const std::optional<LaneValue> kept = KeptRowValue(id, level)) return *kept;
  switch (node.kind) {
    case NodeKind::kIndex:
      if (auto it = level->vars.find(node.var); it != level->vars.end()) return {it->second};
      return {level->lane_index};
    case NodeKind::kConstant: return s_.Constant(node.constant);
    case NodeKind::kScalarOp: {
      std::vector<LaneValue> in;
      for (NodeId i : node.inputs) in.push_back(Value(i, level));
      At(level);
      const bool division = node.op == ScalarOp::kFloorDiv || node.op == ScalarOp::kMod;
      if (division) {
        const auto [low, high] = g_.Range(node.inputs[0]);
        const bool small = low >= 0 && high <= INT32_MAX;
        const int64_t divisor = g_.node(node.inputs[1]).constant.i;
        return {node.op == ScalarOp::kMod ? s_.Mod(in[0].re, divisor, small) : s_.FloorDiv(in[0].re, divisor, small)};
      }
      if (row_folds_ && node.op == ScalarOp::kDivide && node.type == ElementType::kF32 && ScalarEmitter::IsVector(in[0]) && !ScalarEmitter::IsVector(in[1]) &&
          !llvm::isa<llvm::Constant>(in[1].re)) {
        return DivideByInvariant(in[0], node.inputs[1], level);
      }
      return s_.Op(node.op, node.type, g_.node(node.inputs[0]).type, node.aux, in);
    }
    case NodeKind::kLoad: return Load(id, node, level);
    case NodeKind::kSelect: return Select(node, level);
    case NodeKind::kFold: return {};
    case NodeKind::kFoldResult: return Fold(node.inputs[0], level)[node.part];
    case NodeKind::kAccumulator: return level->accumulators[node.part];
  }
  return {};
}

// Registers hold values of small types as f32, so two kinds of tests are enough.
void KernelEmitter::LookAt(const LaneValue& v, ElementType type, Level* level) {
  At(level);
  for (llvm::Value* part : {v.re, v.im}) {
    if (part == nullptr || !part->getType()->isFPOrFPVectorTy()) continue;
    llvm::Value* bad = nullptr;
    if (watch_ == Watch::kNan) {
      bad = b_.CreateFCmpUNO(part, part);
    } else {
      llvm::Value* magnitude = b_.CreateUnaryIntrinsic(Intr::fabs, part);
      bad = b_.CreateFCmpUEQ(magnitude, llvm::ConstantFP::getInfinity(part->getType()));
    }
    llvm::Value* mask = level->mask;
    if (mask != nullptr && mask->getType()->isVectorTy() == bad->getType()->isVectorTy()) bad = b_.CreateAnd(bad, mask);
    llvm::Value* slot = bad->getType()->isVectorTy() ? seen_lanes_ : seen_scalar_;
    b_.CreateStore(b_.CreateOr(b_.CreateLoad(bad->getType(), slot), bad), slot);
  }
}

// At the end of the function.
void KernelEmitter::ReportSeen() {
  if (watch_ == Watch::kNone) return;
  llvm::Instruction* end = root_.at;
  llvm::BasicBlock* before = end->getParent();
  b_.SetInsertPoint(end);
  llvm::Value* lanes = b_.CreateOrReduce(b_.CreateLoad(llvm::FixedVectorType::get(b_.getInt1Ty(), kLanes), seen_lanes_));
  llvm::Value* any = b_.CreateOr(lanes, b_.CreateLoad(b_.getInt1Ty(), seen_scalar_));
  llvm::BasicBlock* rest = before->splitBasicBlock(end->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::BasicBlock* report = llvm::BasicBlock::Create(c_, "seen", function_, rest);
  b_.SetInsertPoint(before);
  b_.CreateCondBr(any, report, rest);
  b_.SetInsertPoint(report);
  b_.CreateStore(b_.getInt8(1), seen_out_);
  b_.CreateBr(rest);
}

LaneValue KernelEmitter::Select(const Node& node, Level* level) {
  const LaneValue condition = Value(node.inputs[0], level);
  if (auto* c = llvm::dyn_cast<llvm::ConstantInt>(condition.re)) return Value(node.inputs[c->isOne() ? 1 : 2], level);
  const bool guarded_true = facts_.guarded[node.inputs[1]], guarded_false = facts_.guarded[node.inputs[2]];
  const bool folds = facts_.has_fold[node.inputs[1]] || facts_.has_fold[node.inputs[2]];
  if (!condition.re->getType()->isVectorTy() && (guarded_true || guarded_false || folds)) return Branch(node, condition.re, level);
  LaneValue arms[2];
  for (int i = 0; i < 2; ++i) {
    Level* where = facts_.guarded[node.inputs[i + 1]] ? Masked(level, condition.re, i == 0) : level;
    arms[i] = Value(node.inputs[i + 1], where);
  }
  At(level);
  return s_.Select(condition.re, arms[0], arms[1]);
}

KernelEmitter::Level* KernelEmitter::Masked(Level* level, llvm::Value* condition, bool polarity) {
  std::unique_ptr<Level>& slot = level->masks[{condition, polarity}];
  if (slot == nullptr) {
    slot = std::make_unique<Level>(MakeChild(level));
    slot->real = level->real;
    slot->takes_guarded = true;
    At(level);
    llvm::Value* c = polarity ? condition : b_.CreateNot(condition);
    if (level->mask != nullptr) {
      llvm::Value* outer = level->mask;
      if (outer->getType() != c->getType()) outer = s_.Splat(outer), c = s_.Splat(c);
      c = b_.CreateAnd(outer, c);
    }
    slot->mask = c;
  }
  return slot.get();
}

// One condition for all lanes: the arm not taken is not even computed, as far as it loads under the guard or folds.
LaneValue KernelEmitter::Branch(const Node& node, llvm::Value* condition, Level* level) {
  Level* real = level->real;
  llvm::Instruction* at = real->at;
  llvm::BasicBlock* before = at->getParent();
  llvm::BasicBlock* rest = before->splitBasicBlock(at->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::BasicBlock* blocks[2];
  Level arms[2] = {MakeChild(level), MakeChild(level)};
  for (int i = 0; i < 2; ++i) {
    blocks[i] = llvm::BasicBlock::Create(c_, i == 0 ? "then" : "else", function_, rest);
    b_.SetInsertPoint(blocks[i]);
    arms[i].at = b_.CreateBr(rest);
    arms[i].real = &arms[i];
    arms[i].takes_guarded = arms[i].takes_folds = true;
  }
  b_.SetInsertPoint(before);
  real->at = b_.CreateCondBr(condition, blocks[0], blocks[1]);
  LaneValue values[2];
  for (int i = 0; i < 2; ++i) values[i] = Value(node.inputs[i + 1], &arms[i]);
  const bool vector = ScalarEmitter::IsVector(values[0]) || ScalarEmitter::IsVector(values[1]);
  for (int i = 0; i < 2 && vector; ++i) {
    At(&arms[i]);
    values[i] = s_.Splat(values[i]);
  }
  real->at = at;
  b_.SetInsertPoint(&rest->front());
  const auto join = [&](llvm::Value* t, llvm::Value* f) {
    llvm::PHINode* phi = b_.CreatePHI(t->getType(), 2);
    phi->addIncoming(t, arms[0].at->getParent());
    phi->addIncoming(f, arms[1].at->getParent());
    return phi;
  };
  LaneValue r{join(values[0].re, values[1].re)};
  if (values[0].im != nullptr) r.im = join(values[0].im, values[1].im);
  return r;
}

}  // namespace hloscope
