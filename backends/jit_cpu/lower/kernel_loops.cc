// The frames of kernels: how outputs are walked, in units that threads can share.
#include <algorithm>
#include <cmath>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/lower/kernel_emitter.h"
#include "core/element/functions.h"
#include "core/element/interpret.h"
#include "llvm/IR/IntrinsicsX86.h"

namespace hloscope {
namespace {

constexpr int kCopiedVectors = 4;  // of a row that a turn of the innermost loop copies
constexpr int64_t kStreamedBytes = int64_t{64} << 20;

// Nanoseconds for one element, roughly: what a good grain follows from.
double ElementCost(const ExprGraph& g, const NodeFacts& facts) {
  double cost = 0.3;
  for (NodeId id = 0; id < g.size(); ++id) {
    if (!facts.reachable[id]) continue;
    const Node& n = g.node(id);
    if (n.kind == NodeKind::kScalarOp || n.kind == NodeKind::kLoad) cost += 0.05;
    // Functions: a polynomial in f32 and below, a call elsewhere.
    if (n.kind == NodeKind::kScalarOp && IsFunction(n.op) && !IsInteger(n.type)) cost += n.type == ElementType::kF64 || IsComplex(n.type) ? 6 : 0.3;
    if (n.kind != NodeKind::kFold) continue;
    double points = 0.2;
    for (int64_t e : g.fold(n).extents) points *= static_cast<double>(e);
    cost += points;
  }
  return cost;
}

}  // namespace

llvm::Function* KernelEmitter::Begin(const std::string& name) {
  llvm::Type* p = b_.getPtrTy();
  llvm::Type* i = b_.getInt64Ty();
  auto* f = llvm::Function::Create(llvm::FunctionType::get(b_.getVoidTy(), {p, p, i, i}, false), llvm::GlobalValue::ExternalLinkage, name, m_);
  f->setDoesNotThrow();
  f->addFnAttr("prefer-vector-width", "512");
  f->addFnAttr("min-legal-vector-width", "512");
  function_ = f;
  b_.SetInsertPoint(llvm::BasicBlock::Create(c_, "entry", f));
  root_ = Level();
  root_.real = &root_;
  root_.defines.resize(facts_.bits);
  root_.lanes.resize(facts_.bits);
  operands_.clear();
  outputs_.clear();
  for (size_t k = 0; k < p_.operands.size(); ++k) operands_.push_back(b_.CreateLoad(p, b_.CreateConstGEP1_64(p, f->getArg(0), k)));
  for (size_t k = 0; k < p_.output_shapes.size(); ++k) outputs_.push_back(b_.CreateLoad(p, b_.CreateConstGEP1_64(p, f->getArg(1), k)));
  root_.at = b_.CreateRetVoid();
  if (watch_ != Watch::kNone) {
    b_.SetInsertPoint(root_.at);
    seen_out_ = b_.CreateLoad(p, b_.CreateConstGEP1_64(p, f->getArg(1), p_.output_shapes.size()));
    llvm::Type* lanes = llvm::FixedVectorType::get(b_.getInt1Ty(), kLanes);
    seen_lanes_ = s_.Scratch(lanes);
    seen_scalar_ = s_.Scratch(b_.getInt1Ty());
    b_.CreateStore(llvm::Constant::getNullValue(lanes), seen_lanes_);
    b_.CreateStore(b_.getInt1(false), seen_scalar_);
  }
  return f;
}

void KernelEmitter::Rows(Level* level, size_t dim, std::function<void(Level*)> body) {
  const bool lanes = !p_.scalar_rows && !p_.extents.empty();
  const size_t last = p_.extents.size() - (lanes ? 1 : 0);
  if (dim == last) {
    body(level);
    return;
  }
  At(level);
  std::unique_ptr<Loop> loop = Open(level, I64(0), I64(p_.extents[dim]), 1);
  DefineScalar(loop->level, static_cast<int>(dim), loop->index);
  Rows(&loop->level, dim + 1, std::move(body));
  Close(*loop);
}

void KernelEmitter::LaneLoop(Level* level, llvm::Value* begin, llvm::Value* end, bool whole, const std::function<void(Level*)>& body) {
  At(level);
  std::unique_ptr<Loop> loop = Open(level, begin, end, kLanes * (whole ? side_by_side_ : 1));
  const int var = static_cast<int>(p_.extents.size()) - 1;
  if (whole && side_by_side_ > 1) {
    SideBySide(*loop, var, side_by_side_, body);
  } else {
    DefineLanes(loop->level, var, loop->index, whole ? nullptr : end);
    body(&loop->level);
  }
  Close(*loop);
}

// Copies of one piece of code, each of elements of its own, their instructions in turns. A polynomial is one long chain: the processor looks some
// hundred instructions ahead, which is less than two vectors' chains when they come one after the other, so its units would stand idle most of the time.
void KernelEmitter::InTurns(llvm::Instruction* anchor, int count, absl::FunctionRef<void(int)> emit) {
  llvm::BasicBlock* block = anchor->getParent();
  std::vector<std::vector<llvm::Instruction*>> copies(count);
  size_t longest = 0;
  for (int c = 0; c < count; ++c) {
    llvm::Instruction* last = anchor->getPrevNode();
    emit(c);
    if (anchor->getParent() != block) continue;
    for (llvm::Instruction* i = last != nullptr ? last->getNextNode() : &block->front(); i != anchor; i = i->getNextNode()) copies[c].push_back(i);
    longest = std::max(longest, copies[c].size());
  }
  if (anchor->getParent() != block) return;  // with branches they stay as they are
  for (size_t k = 0; k < longest; ++k) {
    for (const std::vector<llvm::Instruction*>& copy : copies) {
      if (k < copy.size()) copy[k]->moveBefore(anchor);
    }
  }
}

void KernelEmitter::SideBySide(Loop& loop, int var, int count, const std::function<void(Level*)>& body) {
  loop.level.real = &loop.level;
  std::deque<Level> levels;
  InTurns(loop.level.at, count, [&](int c) {
    Level& level = levels.emplace_back(MakeChild(&loop.level));
    level.at = loop.level.at;
    b_.SetInsertPoint(level.at);
    DefineLanes(level, var, b_.CreateAdd(loop.index, I64(c * kLanes)), nullptr);
    body(&level);
  });
}

void KernelEmitter::Innermost(Level* level, llvm::Value* begin, llvm::Value* end, bool whole) {
  if (strip_folds_.empty()) {
    for (const RowValue& row : row_values_) Value(row.result, level);
    LaneLoop(level, begin, end, whole, [&](Level* lanes) { StoreOutputs(lanes); });
    return;
  }
  At(level);
  const int64_t size = StripSize();
  std::unique_ptr<Loop> loop = Open(level, begin, end, size);
  loop->level.real = &loop->level;
  At(&loop->level);
  llvm::Value* strip_end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(loop->index, I64(size)), end);
  for (NodeId id : strip_folds_) FillStrip(id, &loop->level, loop->index, strip_end, whole);
  LaneLoop(&loop->level, loop->index, strip_end, whole, [&](Level* lanes) { StoreOutputs(lanes); });
  strips_.clear();
  Close(*loop);
}

void KernelEmitter::StoreOutputs(Level* level) {
  std::vector<LaneValue> values;
  for (NodeId v : p_.values) values.push_back(Value(v, level));
  const std::vector<int64_t> strides = RowMajorStrides(p_.extents);
  std::vector<std::pair<NodeId, int64_t>> terms;
  for (size_t d = 0; d < p_.extents.size(); ++d) {
    if (static_cast<int>(d) != level->lane_var) terms.push_back({output_linear_[d], strides[d]});
  }
  llvm::Value* linear = LinearSum(terms, 0, level);
  if (level->lane_var >= 0) linear = b_.CreateAdd(linear, level->lane_base);
  for (size_t o = 0; o < values.size(); ++o) Store(static_cast<int>(o), linear, values[o], level);
}

// How many vectors the innermost loop takes a turn: several where functions are computed over enough elements to be worth their compilation.
int KernelEmitter::SideBySideVectors(int64_t block) const {
  if (p_.scalar_rows || p_.extents.empty() || watch_ != Watch::kNone || total_cost_ < kManyNanoseconds) return 1;
  bool functions = false;
  for (NodeId id = 0; id < g_.size(); ++id) {
    if (!facts_.reachable[id]) continue;
    const Node& n = g_.node(id);
    if (n.kind == NodeKind::kFold && facts_.depends[id].test(static_cast<int>(p_.extents.size()) - 1)) return 1;
    functions |= n.kind == NodeKind::kScalarOp && IsFunction(n.op) && n.type == ElementType::kF32;
  }
  const int64_t turn = SideBySideCount() * kLanes;
  return functions && facts_.reachable_count <= 100 && block % turn == 0 && p_.extents.back() % turn == 0 ? SideBySideCount() : 1;
}

void KernelEmitter::Units() {
  llvm::Function* f = Begin(symbol_);
  for (int64_t e : p_.extents) {
    if (e == 0) return;
  }
  const bool lanes = !p_.scalar_rows && !p_.extents.empty();
  const size_t outer = p_.extents.size() - (lanes ? 1 : 0);
  // Units: the outermost dimensions, as many as give threads enough to share; the innermost one in blocks if there are few rows.
  constexpr int64_t kEnough = 256;
  size_t split = 0;
  int64_t rows = 1, total = 1;
  for (int64_t e : p_.extents) total *= e;
  while (split < outer && rows < kEnough) rows *= p_.extents[split++];
  const int64_t inner = lanes ? p_.extents.back() : 1;
  int64_t block = inner, blocks = 1;
  if (lanes) strip_folds_ = StripFolds();
  if (lanes && strip_folds_.empty()) FindRowValues();
  if (!strip_folds_.empty() && split == outer && rows < 16) {
    // Few rows, and each output is much work: blocks of a strip.
    block = std::min(StripSize(), std::max<int64_t>(256, (inner / 4 + kLanes - 1) / kLanes * kLanes));
    blocks = (inner + block - 1) / block;
  } else if (lanes && split == outer && rows < kEnough && inner > 1024) {
    block = std::max<int64_t>(1024, (inner * rows / kEnough + kLanes - 1) / kLanes * kLanes);
    if (listed_row_ > 0) {
      const int64_t whole = std::lcm<int64_t>(listed_row_, kLanes), most = kNearBytes / StorageBytes(p_.output_shapes[0].element_type());
      block = std::max<int64_t>(1, std::min(block, most) / whole) * whole;
    }
    blocks = (inner + block - 1) / block;
  }
  unit_elements_ = blocks == 1 ? total / rows : rows == 1 ? block : 0;
  whole_rows_ = blocks == 1;
  info_.extent = rows * blocks;
  total_cost_ = ElementCost(g_, facts_) * static_cast<double>(total);
  const double cost = total_cost_ / static_cast<double>(info_.extent);
  info_.grain = std::max<int64_t>(1, static_cast<int64_t>(std::ceil(20000 / cost)));

  streams_ = p_.push_targets.empty() && total * 4 >= kStreamedBytes;
  side_by_side_ = SideBySideVectors(block);
  // A row each turn, whose elements all are found by one index.
  const bool far = lanes && split == outer && split > 0 && blocks == 1 && watch_ == Watch::kNone && HasFarLoad();
  if (far && inner % (kCopiedVectors * kLanes) == 0) side_by_side_ = std::max(side_by_side_, kCopiedVectors);
  std::unique_ptr<Loop> loop = Open(&root_, f->getArg(2), f->getArg(3), 1);
  Level& unit = loop->level;
  unit.real = &unit;
  At(&unit);
  llvm::Value* row = loop->index;
  llvm::Value* block_index = nullptr;
  if (blocks > 1) {
    block_index = rows == 1 ? row : b_.CreateURem(row, I64(blocks));
    row = b_.CreateUDiv(row, I64(blocks));
  }
  const auto define = [&](Level& level, llvm::Value* row) {
    for (size_t d = split; d-- > 0;) {
      level.defines.set(static_cast<int>(d));
      level.vars[static_cast<int>(d)] = d == 0 ? row : b_.CreateURem(row, I64(p_.extents[d]));
      if (d > 0) row = b_.CreateUDiv(row, I64(p_.extents[d]));
    }
  };
  define(unit, row);
  Level later = MakeChild(&root_);
  if (far) {
    later.real = &unit;
    const int64_t steps = StepsAhead(inner * StorageBytes(p_.output_shapes[0].element_type()));
    define(later, b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(loop->index, I64(steps)), I64(rows - 1)));
    later_ = &later;
  }
  Rows(&unit, split, [&](Level* level) {
    if (!lanes) {
      StoreOutputs(level);
    } else if (block_index == nullptr) {
      Innermost(level, I64(0), I64(inner), inner % kLanes == 0);
    } else {
      At(level);
      llvm::Value* begin = b_.CreateMul(block_index, I64(block));
      llvm::Value* end = b_.CreateBinaryIntrinsic(llvm::Intrinsic::smin, b_.CreateAdd(begin, I64(block)), I64(inner));
      Innermost(level, begin, end, inner % kLanes == 0);
    }
  });
  later_ = nullptr;
  Close(*loop);
  if (streams_) {
    // Such stores are not ordered with what tells other threads that the work is done.
    At(&root_);
    b_.CreateIntrinsic(llvm::Intrinsic::x86_sse_sfence, {}, {});
  }
  ReportSeen();
}

KernelInfo KernelEmitter::Emit() {
  std::vector<NodeId> roots = p_.values;
  for (size_t d = 0; d < p_.extents.size(); ++d) output_linear_.push_back(g_.Index(static_cast<int32_t>(d)));
  roots.insert(roots.end(), output_linear_.begin(), output_linear_.end());
  const bool push = !p_.push_targets.empty();
  if (push) {
    roots.insert(roots.end(), p_.push.combined.begin(), p_.push.combined.end());
    roots.push_back(p_.push.in_bounds);
    for (const auto& [atom, factor] : g_.ToAffine(p_.push_targets[0]).terms) roots.push_back(atom);
    roots.push_back(g_.Accumulator(p_.push.accumulator_id, 0, p_.output_shapes[0].element_type()));
  }
  facts_ = ComputeFacts(g_, roots, p_.operands);
  std::vector<NodeId> stored = p_.values;
  if (push) stored.insert(stored.end(), p_.push.combined.begin(), p_.push.combined.end());
  watched_ = WatchedNodes(g_, facts_.reachable, stored, watch_);
  listed_row_ = push && watch_ == Watch::kNone ? ListedRow() : 0;
  Units();
  if (listed_row_ > 0 && unit_elements_ % listed_row_ == 0 && info_.extent > 1) {
    info_.listed_updates = g_.VarExtent(p_.push.vars[0]);
    info_.unit_bytes = unit_elements_ * StorageBytes(p_.output_shapes[0].element_type());
  }
  if (push) Update();
  if (info_.listed_updates > 0) Targets();
  info_.has_update = push;
  info_.may_alias = p_.may_alias;
  for (size_t k = 0; k < info_.may_alias.size() && whole_rows_; ++k) info_.may_alias[k] = info_.may_alias[k] || p_.may_alias_by_row[k];
  info_.starts_as = p_.starts_as;
  info_.summary = absl::StrCat(p_.scalar_rows ? "16 lanes across folds" : p_.extents.empty() ? "scalar" : "16 lanes", " of ",
                               Name(p_.output_shapes[0].element_type()).data(), ", ", facts_.reachable_count, " nodes");
  return info_;
}

}  // namespace hloscope
