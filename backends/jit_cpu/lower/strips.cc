// Folds whose elements lie down the columns of memory (reduce over rows, the plain loop of a dot). One vector of outputs at a time would
// touch a page for each row; a strip of some hundred neighbouring outputs reads along the rows, with its accumulators in the cache.
// The order of combination is the same.
#include <algorithm>

#include "backends/jit_cpu/lower/kernel_emitter.h"

namespace hloscope {
namespace {

// Rows that a slot takes at a time, and how many rows ahead their runs are fetched so that they are near when their turn comes. A long run
// gives the next row time enough.
struct Turns {
  int64_t rows, steps;
};
Turns TurnsOf(int64_t strip_elements) { return strip_elements < 1024 ? Turns{4, 8} : Turns{8, 1}; }

int64_t Points(const FoldInfo& f) {
  int64_t n = 1;
  for (int64_t e : f.extents) n *= e;
  return n;
}

}  // namespace

std::vector<NodeId> KernelEmitter::StripFolds() const {
  const int lane_var = static_cast<int>(p_.extents.size()) - 1;
  if (p_.extents[lane_var] <= kLanes) return {};
  // Nodes that are computed whatever happens: not behind a select.
  std::vector<bool> certain(g_.size(), false);
  std::vector<NodeId> stack(p_.values.begin(), p_.values.end());
  while (!stack.empty()) {
    const NodeId id = stack.back();
    stack.pop_back();
    if (certain[id]) continue;
    certain[id] = true;
    const Node& n = g_.node(id);
    if (n.kind == NodeKind::kSelect) stack.push_back(n.inputs[0]);
    else stack.insert(stack.end(), n.inputs.begin(), n.inputs.end());
  }
  std::vector<NodeId> result;
  for (NodeId id = 0; id < static_cast<NodeId>(certain.size()); ++id) {
    const Node& n = g_.node(id);
    if (!certain[id] || n.kind != NodeKind::kFold || !facts_.depends[id].test(lane_var)) continue;
    const FoldInfo& f = g_.fold(n);
    if (Points(f) < 16 || f.vars.empty()) continue;
    bool along = false;
    for (NodeId l = 0; l < static_cast<NodeId>(certain.size()) && !along; ++l) {
      if (!facts_.reachable[l] || g_.node(l).kind != NodeKind::kLoad || !facts_.depends[l].test(f.vars.back())) continue;
      bool contiguous = false, far = false;
      for (const auto& [atom, factor] : g_.ToAffine(g_.node(l).inputs[0]).terms) {
        const Node& a = g_.node(atom);
        contiguous |= a.kind == NodeKind::kIndex && a.var == lane_var && factor == 1;
        far |= a.kind == NodeKind::kIndex && a.var == f.vars.back() && std::abs(factor) >= 64;
      }
      along = contiguous && far;
    }
    for (NodeId init : f.inits) along = along && !IsComplex(g_.node(init).type);
    if (along) result.push_back(id);
  }
  if (result.size() > 4) result.clear();
  return result;
}

// Sums in slots take several rows at a time, so theirs may lie in the second level cache: a strip is long then, and memory is read in long runs.
int64_t KernelEmitter::StripSize() const {
  constexpr int64_t kNearElements = 4096, kSlotBytes = int64_t{256} << 10;
  int64_t slots = 1, bytes = 0;
  bool in_order = false;
  for (NodeId id : strip_folds_) {
    const FoldInfo& f = g_.fold(g_.node(id));
    if (f.order == FoldOrder::kInterleaved16) {
      bytes += kLanes * std::max(4, StorageBytes(g_.node(f.inits[0]).type));
    } else {
      in_order = true;
      slots = std::max<int64_t>(slots, static_cast<int64_t>(f.inits.size()));
    }
  }
  int64_t fits = std::max<int64_t>(64, in_order || bytes == 0 ? kNearElements / slots : kSlotBytes);
  if (bytes > 0) fits = std::clamp<int64_t>(kSlotBytes / bytes / kLanes * kLanes, 64, fits);
  return std::min(fits, (p_.extents.back() + kLanes - 1) / kLanes * kLanes);
}

std::vector<LaneValue> KernelEmitter::LoadStrip(const Strip& strip, const FoldInfo& f, Level* level, llvm::Value* slot) {
  llvm::Value* at = b_.CreateAdd(b_.CreateMul(slot, I64(strip.size)), b_.CreateSub(level->lane_base, strip.begin));
  std::vector<LaneValue> values;
  for (size_t k = 0; k < f.inits.size(); ++k) {
    llvm::Type* t = strip.types[k];
    LaneValue v{b_.CreateLoad(llvm::FixedVectorType::get(t, kLanes), b_.CreateGEP(t, strip.memory[k], at))};
    const ElementType type = g_.node(f.inits[k]).type;
    if (IsPred(type)) v.re = s_.FromStorage(type, v.re);
    values.push_back(v);
  }
  return values;
}

void KernelEmitter::StoreStrip(const Strip& strip, const FoldInfo& f, Level* level, llvm::Value* slot, absl::Span<const LaneValue> values) {
  llvm::Value* at = b_.CreateAdd(b_.CreateMul(slot, I64(strip.size)), b_.CreateSub(level->lane_base, strip.begin));
  for (size_t k = 0; k < values.size(); ++k) {
    llvm::Value* v = s_.Splat(values[k].re);
    const ElementType type = g_.node(f.inits[k]).type;
    if (IsPred(type)) v = s_.ToStorage(type, v);
    b_.CreateStore(v, b_.CreateGEP(strip.types[k], strip.memory[k], at));
  }
}

void KernelEmitter::FillStrip(NodeId id, Level* level, llvm::Value* begin, llvm::Value* end, bool whole) {
  const FoldInfo f = g_.fold(g_.node(id));
  const bool interleaved = f.order == FoldOrder::kInterleaved16;
  Strip strip;
  strip.begin = begin;
  strip.size = StripSize();
  At(level);
  for (NodeId init : f.inits) {
    const ElementType type = g_.node(init).type;
    strip.types.push_back(IsPred(type) ? b_.getInt8Ty() : s_.RegisterType(type));
    strip.memory.push_back(s_.Scratch(strip.types.back(), static_cast<int>(strip.size) * (interleaved ? kLanes : 1)));
  }
  LaneLoop(level, begin, end, whole, [&](Level* lanes) {
    if (interleaved) {
      At(lanes);
      LaneValue identity;
      s_.Identity(f.combiner, g_.node(f.inits[0]).type, &identity);
      for (int l = 0; l < kLanes; ++l) StoreStrip(strip, f, lanes, I64(l), {identity});
    } else {
      std::vector<LaneValue> inits;
      for (NodeId init : f.inits) inits.push_back(Value(init, lanes));
      At(lanes);
      StoreStrip(strip, f, lanes, I64(0), inits);
    }
  });
  std::vector<std::unique_ptr<Loop>> loops;
  Level* inner = level;
  for (size_t d = 0; d + 1 < f.extents.size(); ++d) {
    At(inner);
    loops.push_back(Open(inner, I64(0), I64(f.extents[d]), 1));
    DefineScalar(loops.back()->level, f.vars[d], loops.back()->index);
    inner = &loops.back()->level;
  }
  // A slot's rows are kLanes apart. Several of them, one after the other, are added between one load and one store of its sums.
  const int64_t rows = f.extents.back(), a_turn = TurnsOf(strip.size).rows, turns = interleaved ? rows / (kLanes * a_turn) * kLanes : 0;
  if (turns > 0) {
    At(inner);
    std::unique_ptr<Loop> turn = Open(inner, I64(0), I64(turns), 1);
    turn->level.real = &turn->level;
    At(&turn->level);
    llvm::Value* slot = b_.CreateAnd(turn->index, I64(kLanes - 1));
    llvm::Value* first = b_.CreateAdd(b_.CreateMul(b_.CreateSub(turn->index, slot), I64(a_turn)), slot);
    AddToStrip(strip, f, &turn->level, slot, first, a_turn, end, whole);
    Close(*turn);
  }
  if (turns * a_turn < rows) {
    At(inner);
    std::unique_ptr<Loop> row = Open(inner, I64(turns * a_turn), I64(rows), 1);
    DefineScalar(row->level, f.vars.back(), row->index);
    At(&row->level);
    llvm::Value* slot = interleaved ? b_.CreateAnd(row->index, I64(kLanes - 1)) : I64(0);
    AddToStrip(strip, f, &row->level, slot, nullptr, 1, end, whole);
    Close(*row);
  }
  for (size_t d = loops.size(); d-- > 0;) Close(*loops[d]);
  strips_[id] = std::move(strip);
}

// Rows `first`, `first` + kLanes, ... of the fold; null: the one row that the level says.
void KernelEmitter::AddToStrip(const Strip& strip, const FoldInfo& f, Level* level, llvm::Value* slot, llvm::Value* first, int64_t rows, llvm::Value* end, bool whole) {
  const int bit = facts_.FoldBit(f.id);
  LaneLoop(level, strip.begin, end, whole, [&](Level* lanes) {
    At(lanes);
    std::vector<LaneValue> sums = LoadStrip(strip, f, lanes, slot);
    std::deque<Level> levels;
    for (int64_t r = 0; r < rows; ++r) {
      Level& row = levels.emplace_back(MakeChild(lanes));
      row.at = lanes->at;
      row.real = lanes->real;
      if (first != nullptr) {
        At(lanes);
        row.defines.set(f.vars.back());
        row.vars[f.vars.back()] = b_.CreateAdd(first, I64(r * kLanes));
      }
      row.defines.set(bit);
      row.lanes.set(bit);
      row.accumulators = std::move(sums);
      sums.clear();
      prefetch_var_ = f.vars.back();
      prefetch_steps_ = TurnsOf(strip.size).steps;
      for (NodeId body : f.bodies) sums.push_back(Value(body, &row));
      prefetch_var_ = -1;
    }
    At(lanes);
    StoreStrip(strip, f, lanes, slot, sums);
  });
}

std::vector<LaneValue> KernelEmitter::TakeFromStrip(NodeId id, const FoldInfo& f, Level* level) {
  const Strip strip = strips_[id];
  if (f.order != FoldOrder::kInterleaved16) {
    At(level);
    return LoadStrip(strip, f, level, I64(0));
  }
  const LaneValue init = Value(f.inits[0], level);
  At(level);
  const ElementType type = g_.node(f.inits[0]).type;
  std::vector<LaneValue> values;
  for (int l = 0; l < kLanes; ++l) values.push_back(LoadStrip(strip, f, level, I64(l))[0]);
  for (int half = kLanes / 2; half >= 1; half /= 2) {
    for (int l = 0; l < half; ++l) values[l] = s_.Op(f.combiner, type, type, 0, {values[l], values[l + half]});
  }
  return {s_.Op(f.combiner, type, type, 0, {init, values[0]})};
}

}  // namespace hloscope
