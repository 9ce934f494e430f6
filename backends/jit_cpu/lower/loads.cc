// Loads and stores: by how an index moves with the lanes they are scalar, contiguous, reversed or gathered.
#include <algorithm>

#include "backends/jit_cpu/lower/kernel_emitter.h"
#include "llvm/IR/Intrinsics.h"

namespace hloscope {
namespace {

constexpr int64_t kStreamAheadBytes = 2048;
constexpr int64_t kRowAheadBytes = 4096;

llvm::FixedVectorType* Vector(llvm::Type* t, int n = kLanes) { return llvm::FixedVectorType::get(t, n); }

}  // namespace

llvm::Value* KernelEmitter::Operand(int k) { return operands_[k]; }

// Sum of factor * value, each partial sum as far out as it can be.
llvm::Value* KernelEmitter::LinearSum(const std::vector<std::pair<NodeId, int64_t>>& terms, int64_t constant, Level* level) {
  struct Term {
    int depth;
    Level* level;
    llvm::Value* value;
    int64_t factor;
  };
  std::vector<Term> sorted;
  for (const auto& [atom, factor] : terms) {
    Level* target = Target(atom, level);
    int depth = 0;
    for (Level* l = target; l->parent != nullptr; l = l->parent) ++depth;
    sorted.push_back({depth, target, Value(atom, level).re, factor});
  }
  std::stable_sort(sorted.begin(), sorted.end(), [](const Term& a, const Term& b) { return a.depth < b.depth; });
  llvm::Value* sum = I64(constant);
  for (const Term& t : sorted) {
    At(t.level);
    sum = b_.CreateAdd(sum, b_.CreateMul(t.value, I64(t.factor)));
  }
  At(level);
  return sum;
}

LaneValue KernelEmitter::LoadContiguous(ElementType type, llvm::Value* address, llvm::Value* mask, bool reversed) {
  llvm::Type* t = s_.StorageType(type);
  const int parts = IsComplex(type) ? 2 : 1;
  const llvm::Align align(StorageBytes(type) / parts);
  if (reversed) address = b_.CreateConstGEP1_64(t, address, -static_cast<int64_t>(kLanes - 1) * parts);
  llvm::SmallVector<int, kLanes> backwards, even, odd;
  llvm::SmallVector<int, 2 * kLanes> twice;
  for (int l = 0; l < kLanes; ++l) {
    backwards.push_back(kLanes - 1 - l);
    even.push_back(2 * l);
    odd.push_back(2 * l + 1);
    twice.append({l, l});
  }
  if (mask != nullptr && reversed) mask = b_.CreateShuffleVector(mask, backwards);
  if (mask != nullptr && parts == 2) mask = b_.CreateShuffleVector(mask, twice);
  llvm::Type* v = Vector(t, kLanes * parts);
  llvm::Value* raw = mask == nullptr ? static_cast<llvm::Value*>(b_.CreateAlignedLoad(v, address, align))
                                     : b_.CreateMaskedLoad(v, address, align, mask, llvm::Constant::getNullValue(v));
  LaneValue r{raw};
  if (parts == 2) r = {b_.CreateShuffleVector(raw, even), b_.CreateShuffleVector(raw, odd)};
  if (reversed) {
    r.re = b_.CreateShuffleVector(r.re, backwards);
    if (r.im != nullptr) r.im = b_.CreateShuffleVector(r.im, backwards);
  }
  return r;
}

// One part of each element. Bytes and half words are gathered as whole words: buffers have room after their end.
llvm::Value* KernelEmitter::Gather(ElementType type, llvm::Value* addresses, llvm::Value* mask) {
  llvm::Type* t = s_.StorageType(type);
  const int bytes = StorageBytes(type) / (IsComplex(type) ? 2 : 1);
  llvm::Type* wide = bytes < 4 ? b_.getInt32Ty() : t;
  llvm::Value* all = llvm::Constant::getAllOnesValue(Vector(b_.getInt1Ty()));
  llvm::Value* v = b_.CreateMaskedGather(Vector(wide), addresses, llvm::Align(bytes), mask != nullptr ? mask : all,
                                         llvm::Constant::getNullValue(Vector(wide)));
  if (bytes >= 4) return v;
  return b_.CreateBitCast(b_.CreateTrunc(v, Vector(b_.getIntNTy(8 * bytes))), Vector(t));
}

// The line `bytes` behind `address` comes into the nearest cache. Beyond an array's end nothing happens: a prefetch never faults.
void KernelEmitter::Prefetch(llvm::Value* address, int64_t bytes, bool write) {
  llvm::Value* ahead = b_.CreateConstGEP1_64(b_.getInt8Ty(), address, bytes);
  b_.CreateIntrinsic(llvm::Intrinsic::prefetch, {ahead->getType()}, {ahead, b_.getInt32(write), b_.getInt32(3), b_.getInt32(1)});
}

LaneValue KernelEmitter::Load(NodeId id, const Node& node, Level* level) {
  const ExprGraph::Affine index = g_.ToAffine(node.inputs[0]);
  const ElementType type = node.type;
  const bool complex = IsComplex(type);
  llvm::Type* t = s_.StorageType(type);
  const int parts = complex ? 2 : 1;
  std::vector<std::pair<NodeId, int64_t>> fixed, moving;
  for (const auto& term : index.terms) (HasLanes(term.first, level) ? moving : fixed).push_back(term);
  const bool guarded = facts_.guarded[id];
  llvm::Value* mask = guarded ? level->mask : nullptr;
  llvm::Value* base = Operand(node.operand);
  const auto is_lane_var = [&](NodeId n) { return g_.node(n).kind == NodeKind::kIndex && g_.node(n).var == level->lane_var; };
  const auto finish = [&](LaneValue raw) {
    raw.re = s_.FromStorage(type, raw.re);
    if (raw.im != nullptr) raw.im = s_.FromStorage(type, raw.im);
    return raw;
  };

  if (moving.empty()) {
    llvm::Value* sum = LinearSum(fixed, index.constant, level);
    llvm::Value* address = b_.CreateGEP(t, base, parts == 1 ? sum : b_.CreateMul(sum, I64(2)));
    if (mask != nullptr) {
      if (mask->getType()->isVectorTy()) mask = b_.CreateOrReduce(mask);
      llvm::Value* zero = s_.Scratch(b_.getInt64Ty(), 2);
      address = b_.CreateSelect(mask, address, zero);
    }
    const llvm::Align align(StorageBytes(type) / parts);
    LaneValue raw{b_.CreateAlignedLoad(t, address, align)};
    if (complex) raw.im = b_.CreateAlignedLoad(t, b_.CreateConstGEP1_64(t, address, 1), align);
    return finish(raw);
  }
  if (moving.size() == 1 && is_lane_var(moving[0].first) && (moving[0].second == 1 || moving[0].second == -1)) {
    const bool reversed = moving[0].second < 0;
    llvm::Value* sum = LinearSum(fixed, index.constant, level);
    sum = reversed ? b_.CreateSub(sum, level->lane_base) : b_.CreateAdd(sum, level->lane_base);
    llvm::Value* address = b_.CreateGEP(t, base, parts == 1 ? sum : b_.CreateMul(sum, I64(2)));
    if (prefetch_var_ >= 0) {
      for (const auto& [atom, factor] : fixed) {
        const Node& a = g_.node(atom);
        if (a.kind != NodeKind::kIndex || a.var != prefetch_var_) continue;
        Prefetch(address, factor * prefetch_steps_ * StorageBytes(type), false);
      }
    }
    if (fetches_ahead_ && !reversed && p_.operands[node.operand].ByteSize() >= kFetchedBytes) Prefetch(address, kRowAheadBytes, false);
    if (later_ != nullptr && !reversed && p_.operands[node.operand].ByteSize() >= kFetchedBytes && IsFar(fixed)) {
      llvm::Value* row = LinearSum(fixed, index.constant, later_);
      At(level);
      llvm::Value* later = b_.CreateAdd(row, level->lane_base);
      Prefetch(b_.CreateGEP(t, base, parts == 1 ? later : b_.CreateMul(later, I64(2))), 0, false);
    } else if (streams_ && !reversed && prefetch_var_ < 0) {
      // Arrays that no cache holds: the reads are known long before the arithmetic gets there.
      Prefetch(address, kStreamAheadBytes, false);
    }
    // Idle lanes of a plain load read up to fifteen elements beyond: within the room after a buffer if elements are small.
    if (!guarded && (reversed || StorageBytes(type) > 4)) mask = level->tail;
    if (mask != nullptr) mask = s_.Splat(mask);
    return finish(LoadContiguous(type, address, mask, reversed));
  }
  const int64_t stride = moving.size() == 1 && is_lane_var(moving[0].first) ? moving[0].second : 0;
  // Without masks for single bytes each byte of such a load would have a branch of its own.
  const bool all_lanes = (guarded ? mask : level->tail) == nullptr;
  if (stride >= 2 && stride * StorageBytes(type) <= 32 && !complex && (HostHasAvx512() || StorageBytes(type) >= 4 || all_lanes)) {
    // Few lines hold all lanes: read them whole and pick.
    llvm::Value* sum = LinearSum(fixed, index.constant, level);
    sum = b_.CreateAdd(sum, b_.CreateMul(level->lane_base, I64(stride)));
    llvm::Value* address = b_.CreateGEP(t, base, sum);
    if (!guarded) mask = level->tail;
    llvm::SmallVector<int, kLanes> pick;
    llvm::SmallVector<int, 8 * kLanes> spread;
    for (int l = 0; l < kLanes; ++l) {
      pick.push_back(static_cast<int>(l * stride));
      for (int64_t i = 0; i < stride; ++i) spread.push_back(l);
    }
    llvm::Type* wide = Vector(t, static_cast<int>(kLanes * stride));
    const llvm::Align align(StorageBytes(type));
    llvm::Value* raw;
    if (mask == nullptr) raw = b_.CreateAlignedLoad(wide, address, align);
    else raw = b_.CreateMaskedLoad(wide, address, align, b_.CreateShuffleVector(s_.Splat(mask), spread), llvm::Constant::getNullValue(wide));
    return finish({b_.CreateShuffleVector(raw, pick)});
  }
  // Gather. Offsets of the lanes fit in 32 bits more often than not, which halves the instructions.
  int64_t low = 0, high = 0;
  bool narrow = true;
  for (const auto& [atom, factor] : moving) {
    const auto [a, b] = g_.Range(atom);
    narrow = narrow && a > -(int64_t{1} << 31) && b < (int64_t{1} << 31) && std::abs(factor) < (int64_t{1} << 31);
    if (!narrow) break;
    low += std::min(a * factor, b * factor);
    high += std::max(a * factor, b * factor);
    narrow = low > -(int64_t{1} << 30) && high < (int64_t{1} << 30);
  }
  llvm::Value* sum = LinearSum(fixed, index.constant, level);
  llvm::Value* start = b_.CreateGEP(t, base, parts == 1 ? sum : b_.CreateMul(sum, I64(2)));
  llvm::Value* offset = nullptr;
  for (const auto& [atom, factor] : moving) {
    llvm::Value* v = s_.Splat(Value(atom, level).re);
    At(level);
    if (narrow) v = b_.CreateTrunc(v, Vector(b_.getInt32Ty()));
    v = b_.CreateMul(v, llvm::ConstantInt::get(v->getType(), static_cast<uint64_t>(factor * parts), true));
    offset = offset == nullptr ? v : b_.CreateAdd(offset, v);
  }
  if (mask != nullptr) mask = s_.Splat(mask);
  llvm::Value* addresses = b_.CreateGEP(t, start, offset);
  LaneValue raw{Gather(type, addresses, mask)};
  if (complex) raw.im = Gather(type, b_.CreateGEP(t, addresses, I64(1)), mask);
  return finish(raw);
}

void KernelEmitter::Store(int output, llvm::Value* linear, LaneValue v, Level* level) {
  const ElementType type = p_.output_shapes[output].element_type();
  llvm::Type* t = s_.StorageType(type);
  const int parts = IsComplex(type) ? 2 : 1;
  const llvm::Align align(StorageBytes(type) / parts);
  llvm::Value* address = b_.CreateGEP(t, outputs_[output], parts == 1 ? linear : b_.CreateMul(linear, I64(2)));
  const bool lanes = level->lane_var >= 0;
  if (lanes) v = s_.Splat(v);
  llvm::Value* re = s_.ToStorage(type, v.re);
  if (!lanes) {
    b_.CreateAlignedStore(re, address, align);
    if (parts == 2) b_.CreateAlignedStore(s_.ToStorage(type, v.im), b_.CreateConstGEP1_64(t, address, 1), align);
    return;
  }
  llvm::Value* mask = level->mask;
  if (parts == 2) {
    llvm::SmallVector<int, 2 * kLanes> order, twice;
    for (int l = 0; l < kLanes; ++l) order.append({l, l + kLanes}), twice.append({l, l});
    re = b_.CreateShuffleVector(re, s_.ToStorage(type, v.im), order);
    if (mask != nullptr) mask = b_.CreateShuffleVector(s_.Splat(mask), twice);
  } else if (mask != nullptr) {
    mask = s_.Splat(mask);
  }
  if (mask == nullptr && streams_ && StorageBytes(type) == 4 && p_.extents.back() % kLanes == 0) {
    // Whole lines of a buffer that no cache holds: past the caches. Rows start on a line, so every vector is one.
    llvm::StoreInst* store = b_.CreateAlignedStore(re, address, llvm::Align(64));
    store->setMetadata(llvm::LLVMContext::MD_nontemporal, llvm::MDNode::get(c_, llvm::ConstantAsMetadata::get(b_.getInt32(1))));
    return;
  }
  if (mask == nullptr) b_.CreateAlignedStore(re, address, align);
  else b_.CreateMaskedStore(re, address, align, mask);
}

}  // namespace hloscope
