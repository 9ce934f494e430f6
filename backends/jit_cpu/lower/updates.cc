// How updates of push programs (scatter, select-and-scatter) are applied to outputs that the units have begun.
#include <algorithm>
#include <limits>
#include <numeric>

#include "backends/jit_cpu/lower/kernel_emitter.h"

namespace hloscope {
namespace {

constexpr int64_t kUpdateBlock = 64;
// Updates are listed where outputs are larger than what is near, and each update has some work.
constexpr int64_t kListedBytes = int64_t{4} << 20, kListedRowBytes = 64;

}  // namespace

// Code of the level that is returned runs where the update at hand is within the output. `rest`: where code of `level` goes on after it.
KernelEmitter::Level KernelEmitter::Hit(Level* level, llvm::Instruction** rest) {
  const llvm::Value* condition = Value(p_.push.in_bounds, level).re;
  *rest = level->at;
  llvm::BasicBlock* before = (*rest)->getParent();
  llvm::BasicBlock* after = before->splitBasicBlock((*rest)->getIterator());
  before->getTerminator()->eraseFromParent();
  llvm::BasicBlock* then = llvm::BasicBlock::Create(c_, "hit", function_, after);
  Level arm = MakeChild(level);
  b_.SetInsertPoint(then);
  arm.at = b_.CreateBr(after);
  arm.takes_guarded = arm.takes_folds = true;
  b_.SetInsertPoint(before);
  level->at = b_.CreateCondBr(const_cast<llvm::Value*>(condition), then, after);
  return arm;
}

// `hit`: it is known to be within the output.
void KernelEmitter::UpdateBody(Level* level, bool hit) {
  const int bit = facts_.FoldBit(p_.push.accumulator_id);
  Level* where = level;
  Level arm;
  llvm::Instruction* rest = nullptr;
  if (p_.push.in_bounds != kNoNode && !hit) {
    if (HasLanes(p_.push.in_bounds, level)) {
      where = Masked(level, Value(p_.push.in_bounds, level).re, true);
    } else {
      arm = Hit(level, &rest);
      arm.real = where = &arm;
    }
  }
  const bool lanes = where->lane_var >= 0;
  where->defines.set(bit);
  if (lanes) where->lanes.set(bit);
  std::vector<std::pair<NodeId, int64_t>> terms;
  const ExprGraph::Affine target = g_.ToAffine(p_.push_targets[0]);
  for (const auto& term : target.terms) {
    if (!HasLanes(term.first, where)) terms.push_back(term);
  }
  if (later_ != nullptr && lanes && listed_var_ < 0) {
    llvm::Value* row = LinearSum(terms, target.constant, later_);
    At(where);
    llvm::Value* later = b_.CreateAdd(row, where->lane_base);
    for (size_t o = 0; o < p_.output_shapes.size(); ++o) {
      const ElementType type = p_.output_shapes[o].element_type();
      Prefetch(b_.CreateGEP(s_.StorageType(type), outputs_[o], IsComplex(type) ? b_.CreateMul(later, I64(2)) : later), 0, true);
    }
  }
  llvm::Value* linear = LinearSum(terms, target.constant, where);
  if (lanes) linear = b_.CreateAdd(linear, where->lane_base);
  where->accumulators.clear();
  for (size_t o = 0; o < p_.output_shapes.size(); ++o) {
    const ElementType type = p_.output_shapes[o].element_type();
    llvm::Type* t = s_.StorageType(type);
    const int parts = IsComplex(type) ? 2 : 1;
    const llvm::Align align(StorageBytes(type) / parts);
    llvm::Value* address = b_.CreateGEP(t, outputs_[o], parts == 1 ? linear : b_.CreateMul(linear, I64(2)));
    LaneValue v;
    if (lanes) {
      v = LoadContiguous(type, address, where->mask == nullptr ? nullptr : s_.Splat(where->mask), false);
    } else {
      v.re = b_.CreateAlignedLoad(t, address, align);
      if (parts == 2) v.im = b_.CreateAlignedLoad(t, b_.CreateConstGEP1_64(t, address, 1), align);
    }
    v.re = s_.FromStorage(type, v.re);
    if (parts == 2) v.im = s_.FromStorage(type, v.im);
    where->accumulators.push_back(v);
  }
  std::vector<LaneValue> values;
  for (NodeId n : p_.push.combined) values.push_back(Value(n, where));
  At(where);
  for (size_t o = 0; o < values.size(); ++o) Store(static_cast<int>(o), linear, values[o], where);
  if (rest != nullptr) level->at = rest;
}

// What the target of an update moves in besides the innermost variable: a multiple of so many elements; 0: not at all.
int64_t KernelEmitter::TargetStep() const {
  const int32_t inner = p_.push.vars.back();
  int64_t step = 0;
  for (const auto& [atom, factor] : g_.ToAffine(p_.push_targets[0]).terms) {
    if (g_.node(atom).kind != NodeKind::kIndex || g_.node(atom).var != inner) step = std::gcd(step, std::abs(factor));
  }
  return step;
}

// Elements of a row, if each value of the outermost variable but one stands for updates of one row, and it pays to list them; otherwise 0.
int64_t KernelEmitter::ListedRow() const {
  const std::vector<int32_t>& vars = p_.push.vars;
  if (vars.size() != 2 || p_.extents.size() != 1) return 0;
  const int64_t updates = g_.VarExtent(vars[0]), width = g_.VarExtent(vars[1]), step = TargetStep();
  const int64_t bytes = StorageBytes(p_.output_shapes[0].element_type());
  if (step == 0 || updates > std::numeric_limits<int32_t>::max() || step * bytes < kListedRowBytes || p_.extents[0] * bytes < kListedBytes) return 0;
  if (p_.extents[0] % step != 0 || step > kNearBytes / bytes / 4) return 0;
  const ExprGraph::Affine target = g_.ToAffine(p_.push_targets[0]);
  if (target.constant < 0 || target.constant % step + width > step) return 0;
  for (const auto& [atom, factor] : target.terms) {
    const Node& n = g_.node(atom);
    if (n.kind == NodeKind::kIndex && n.var == vars[1]) {
      if (factor != 1) return 0;
    } else if (facts_.depends[atom].test(vars[1])) {
      return 0;
    }
  }
  return p_.push.in_bounds != kNoNode && facts_.depends[p_.push.in_bounds].test(vars[1]) ? 0 : step;
}

// Blocks of the innermost variable that write to different elements whatever the others are: the rest of the target moves in steps that
// no window reaches across.
int64_t KernelEmitter::UpdateBlocks() const {
  const int32_t inner = p_.push.vars.back();
  const int64_t extent = g_.VarExtent(inner);
  const ExprGraph::Affine target = g_.ToAffine(p_.push_targets[0]);
  const int64_t step = TargetStep();
  const int64_t offset = step == 0 ? 0 : ((target.constant % step) + step) % step;
  if (step != 0 && offset + extent > step) return 1;
  return std::max<int64_t>(1, (extent + kUpdateBlock - 1) / kUpdateBlock);
}

// Where an update goes is found through indices.
bool KernelEmitter::TargetIsFar() const {
  std::vector<std::pair<NodeId, int64_t>> fixed;
  for (const auto& term : g_.ToAffine(p_.push_targets[0]).terms) {
    if (!facts_.depends[term.first].test(p_.push.vars.back())) fixed.push_back(term);
  }
  return IsFar(fixed);
}

void KernelEmitter::Update() {
  llvm::Function* f = Begin(symbol_ + ".update");
  const std::vector<int32_t>& vars = p_.push.vars;
  for (int32_t v : vars) {
    if (g_.VarExtent(v) == 0) return;
  }
  double updates = 2;
  for (int32_t v : vars) updates *= static_cast<double>(g_.VarExtent(v));
  total_cost_ += updates;
  for (int64_t e : p_.extents) {
    if (e == 0) return;
  }
  // Lanes over the innermost variable if they write neighbouring elements: no two of them the same one.
  bool lanes = false;
  if (!vars.empty() && g_.VarExtent(vars.back()) >= 4) {
    int moving = 0;
    lanes = true;
    for (const auto& [atom, factor] : g_.ToAffine(p_.push_targets[0]).terms) {
      if (!facts_.depends[atom].test(vars.back())) continue;
      ++moving;
      lanes = lanes && g_.node(atom).kind == NodeKind::kIndex && factor == 1;
    }
    lanes = lanes && moving == 1;
  }
  info_.update_extent = lanes ? UpdateBlocks() : 1;
  std::vector<std::unique_ptr<Loop>> loops;
  Level* level = &root_;
  At(level);
  // Those of a list, or all.
  llvm::Value *list = nullptr, *first = I64(0), *last = vars.empty() ? nullptr : I64(g_.VarExtent(vars[0]));
  if (info_.listed_updates > 0) {
    llvm::Type* p = b_.getPtrTy();
    llvm::Value* of = b_.CreateLoad(p, b_.CreateConstGEP1_64(p, f->getArg(1), p_.output_shapes.size() + 1));
    list = b_.CreateLoad(p, of);
    first = b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), of, 1));
    last = b_.CreateLoad(b_.getInt64Ty(), b_.CreateConstGEP1_64(b_.getInt64Ty(), of, 2));
    listed_var_ = vars[0];
  }
  llvm::Value* begin = I64(0);
  llvm::Value* end = vars.empty() ? nullptr : I64(g_.VarExtent(vars.back()));
  if (info_.update_extent > 1) {
    begin = b_.CreateMul(f->getArg(2), I64(kUpdateBlock));
    end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, end, b_.CreateMul(f->getArg(3), I64(kUpdateBlock)));
  }
  // One update's elements lie in a row: whether it is within the output, and where, is the same for all of them.
  const bool rows = lanes && vars.size() > 1;
  const bool by_row = rows && p_.push.in_bounds != kNoNode && !facts_.depends[p_.push.in_bounds].test(vars.back());
  const int64_t row_bytes = (vars.empty() ? 1 : g_.VarExtent(vars.back())) * StorageBytes(p_.output_shapes[0].element_type());
  const bool fetches = rows && vars.size() == 2 && watch_ == Watch::kNone && p_.output_shapes[0].ByteSize() >= kFetchedBytes && TargetIsFar();
  Level later = MakeChild(&root_), hit;
  llvm::Instruction* rest = nullptr;
  for (size_t i = 0; i < vars.size(); ++i) {
    At(level);
    const int64_t extent = g_.VarExtent(vars[i]);
    const bool wide = lanes && i + 1 == vars.size();
    if (wide && by_row) {
      hit = Hit(level, &rest);
      level = hit.real = &hit;
      At(level);
    }
    const int together = wide && rows && watch_ == Watch::kNone && extent % kUpdateBlock == 0 ? static_cast<int>(kUpdateBlock / kLanes) : 1;
    loops.push_back(Open(level, wide ? begin : i == 0 ? first : I64(0), wide ? end : i == 0 ? last : I64(extent), wide ? kLanes * together : 1));
    Loop& loop = *loops.back();
    if (together > 1) {
      SideBySide(loop, vars[i], together, [&](Level* one) { UpdateBody(one, by_row); });
      continue;
    }
    if (wide) {
      DefineLanes(loop.level, vars[i], loop.index, extent % kLanes == 0 ? nullptr : end);
    } else {
      loop.level.real = &loop.level;
      At(&loop.level);
      const auto number = [&](llvm::Value* index) {
        if (i > 0 || list == nullptr) return index;
        return b_.CreateZExt(b_.CreateLoad(b_.getInt32Ty(), b_.CreateGEP(b_.getInt32Ty(), list, index)), b_.getInt64Ty());
      };
      DefineScalar(loop.level, vars[i], number(loop.index));
      if (i == 0 && fetches) {
        llvm::Value* ahead = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(loop.index, I64(StepsAhead(row_bytes))), b_.CreateSub(last, I64(1)));
        DefineScalar(later, vars[0], number(ahead));
        later.real = &loop.level;
        later_ = &later;
      }
    }
    level = &loop.level;
    if (i + 1 == vars.size()) UpdateBody(level, by_row);
  }
  if (vars.empty()) UpdateBody(level, false);
  later_ = nullptr;
  listed_var_ = -1;
  for (size_t i = loops.size(); i-- > 0;) {
    Close(*loops[i]);
    if (rest != nullptr && i + 1 == loops.size()) hit.parent->at = rest;
  }
  ReportSeen();
}

// By update, the unit that makes the elements of its row.
void KernelEmitter::Targets() {
  llvm::Function* f = Begin(symbol_ + ".targets");
  const std::vector<int32_t>& vars = p_.push.vars;
  std::unique_ptr<Loop> loop = Open(&root_, f->getArg(2), f->getArg(3), 1);
  Level& level = loop->level;
  DefineScalar(level, vars[0], loop->index);
  std::vector<std::pair<NodeId, int64_t>> terms;
  const ExprGraph::Affine target = g_.ToAffine(p_.push_targets[0]);
  for (const auto& term : target.terms) {
    if (g_.node(term.first).kind != NodeKind::kIndex || g_.node(term.first).var != vars[1]) terms.push_back(term);
  }
  llvm::Value* linear = LinearSum(terms, target.constant, &level);
  llvm::Value* in_bounds = p_.push.in_bounds == kNoNode ? b_.getTrue() : Value(p_.push.in_bounds, &level).re;
  At(&level);
  llvm::Value* unit = b_.CreateTrunc(b_.CreateUDiv(linear, I64(unit_elements_)), b_.getInt32Ty());
  unit = b_.CreateSelect(in_bounds, unit, b_.getInt32(-1));
  b_.CreateStore(unit, b_.CreateGEP(b_.getInt32Ty(), outputs_[0], loop->index));
  Close(*loop);
}

}  // namespace hloscope
