#include "core/debug/lockstep_carried.h"

#include "core/base/hash.h"
#include "core/debug/lockstep_reads.h"
#include "core/ops/op.h"

namespace hloscope {

void CarriedValues::OperandDiffers(absl::Span<const LockstepFrame> frames, int depth, int in_a) {
  if (const uint64_t loop = CarrierOf(frames, depth, in_a); loop != 0) carried_.emplace(PairKey(frames[depth].key, in_a), loop);
}

void CarriedValues::ResultDiffers(const LockstepFrame& frame, int in_a, const absl::flat_hash_set<uint64_t>& diverged) {
  const FlatComputation& flat = match_.scopes[frame.match]->a;
  if (SeenWhereRead(*flat.nodes[in_a].instruction)) return;
  uint64_t loop = 0;
  for (const int operand : flat.nodes[in_a].operands) {
    const uint64_t key = PairKey(frame.key, flat.Resolve(operand));
    if (!diverged.contains(key)) continue;
    const auto found = carried_.find(key);
    if (found == carried_.end()) return;  // something that this iteration has made otherwise
    loop = found->second;
  }
  if (loop == 0) return;
  carried_.emplace(PairKey(frame.key, in_a), loop);
  wrong_.insert(loop);
}

uint64_t CarriedValues::CarrierOf(absl::Span<const LockstepFrame> frames, int depth, int in_a) {
  const LockstepFrame& frame = frames[depth];
  if (frame.match < 0 || frame.from < 0) return 0;
  const FlatComputation& flat = match_.scopes[frame.match]->a;
  int node = in_a, element = -1;
  for (; TakesElement(*flat.nodes[node].instruction); node = flat.nodes[node].operands[0]) element = static_cast<int>(flat.nodes[node].instruction->Int(AttrId::kIndex));
  if (flat.nodes[node].instruction->parameter_number < 0) return 0;
  if (!IsLoop(frame.level.kind)) return CarrierOfGiven(frames, depth, element);
  const uint64_t loop = frame.loops.back(), place = PairKey(MixHash(loop, static_cast<uint64_t>(frame.match)), in_a);
  if (frame.level.iteration > 0) {
    const auto begun = begun_.find(place);
    return begun == begun_.end() ? loop : begun->second;
  }
  return begun_[place] = CarrierOfGiven(frames, depth, element);
}

uint64_t CarriedValues::CarrierOfGiven(absl::Span<const LockstepFrame> frames, int depth, int element) {
  const LockstepFrame& frame = frames[depth];
  const int outer = frames[depth - 1].owner;
  const FlatComputation& flat = match_.scopes[frame.from]->a;
  const FlatNode& call = flat.nodes[frame.from_node];
  const size_t operand = frame.level.kind == FrameKind::kBranch ? static_cast<size_t>(frame.level.branch) + 1 : 0;
  if (frames[outer].match != frame.from || operand >= call.operands.size()) return 0;
  int given = flat.Resolve(call.operands[operand]);
  if (element >= 0) {
    if (!BuildsTuple(*flat.nodes[given].instruction)) return 0;
    given = flat.Resolve(flat.nodes[given].operands[element]);
  }
  const auto found = carried_.find(PairKey(frames[outer].key, given));
  return found != carried_.end() ? found->second : CarrierOf(frames, outer, given);
}

}  // namespace hloscope
