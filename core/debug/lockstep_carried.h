// What the loops of two programs in lockstep hand from one iteration to the next. Two loops may be written so differently that their values have nothing to
// do with each other; but where both begin with the same value, carry another one later, and give that to an operation that both have, equally
// often, then it is a wrong value, whatever comes of it in the end. Not for comparing (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_CARRIED_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_CARRIED_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/types/span.h"
#include "core/debug/match.h"
#include "core/debug/record_sources.h"

namespace hloscope {

// What is known of a frame on the stack of one of the two programs.
struct LockstepFrame {
  uint64_t serial = 0;
  RecordLevel level;  // of a frame that is not the entry's
  int match = -1;   // the pair of computations; -1: the frame belongs to nothing that is matched
  int scope = 0;    // in its flat computation
  uint64_t key = 0;
  int owner = 0;    // the frame whose flat computation this one lies in
  int from = -1, from_node = -1;  // where it is called from: the pair of computations, and the node of a
  bool first = true;              // no later iteration of a loop
  std::vector<uint64_t> loops;    // keys of the runs of loops that it stands in, the outermost first
  absl::flat_hash_set<int> operands;  // nodes already seen where they are read (of owners)
};

class CarriedValues {
 public:
  explicit CarriedValues(const ProgramMatch& match) : match_(match) {}
  // The pair `in_a` (a node) of the frame at `depth` differs where it is read: a parameter of its computation or an element of one, or the result of a loop.
  void OperandDiffers(absl::Span<const LockstepFrame> frames, int depth, int in_a);
  // A pair of the same operation in both programs differs. `diverged`: keys of all pairs that do.
  void ResultDiffers(const LockstepFrame& frame, int in_a, const absl::flat_hash_set<uint64_t>& diverged);
  // Whether this run of a loop has carried a wrong value, if both programs run it equally often.
  bool IsWrong(uint64_t loop) const { return wrong_.contains(loop); }

 private:
  // The run of a loop that carries the value of this parameter, or element of one; 0: none, it was another one from the beginning.
  uint64_t CarrierOf(absl::Span<const LockstepFrame> frames, int depth, int in_a);
  uint64_t CarrierOfGiven(absl::Span<const LockstepFrame> frames, int depth, int element);

  const ProgramMatch& match_;
  absl::flat_hash_map<uint64_t, uint64_t> carried_;  // by the key of a pair that differs: the run of a loop that carries why
  absl::flat_hash_map<uint64_t, uint64_t> begun_;    // by run of a loop and node: of what differs at its beginning, the run of a loop around it that carries that; 0: none
  absl::flat_hash_set<uint64_t> wrong_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_CARRIED_H_
