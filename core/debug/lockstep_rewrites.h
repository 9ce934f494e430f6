// Values that two programs write otherwise on the way to the same: x / 4 as x * 0.25, a / s as a * (1 / s), 2x + 2x as 4x. The pair that differs waits
// until it is known whether what is made of it agrees: other pairs, or the results. Not for running (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_REWRITES_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_REWRITES_H_

#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_set.h"
#include "core/debug/lockstep.h"

namespace hloscope {

// Pairs that differ and that nothing but other operations than their partners read in the end, straight or through pairs that are the same operation:
// where these all agree, the two programs only have another way to the same. What one program alone makes of them and gives as a result counts
// as such an operation, which the result tells about.
class Rewrites {
 public:
  // `d` differs at the pair `in_a` (a node) of the frame and is of its own; `entry`: the frame is the programs' entry. True: it is held, and it is not
  // known yet what it is.
  bool Hold(const ScopeMatch& m, bool entry, uint64_t frame, int in_a, const Divergence& d);
  // A divergence that only inherits one that is held: that is held with it.
  bool HoldInherited(uint64_t frame, int in_a, const Divergence& d);
  void Agrees(uint64_t frame, int in_a);
  bool waits() const { return !held_.empty(); }
  bool WaitsForResults() const;
  // The results have been compared; `differing`: their leaves that differ.
  void Results(const absl::flat_hash_set<int>& differing);
  // What is held and of which something that decides has not agreed, in order, with what inherits it.
  std::vector<Divergence> TakeUndecided();
  // The others so far.
  std::vector<Divergence> TakeDecided();

 private:
  struct Held {
    uint64_t frame = 0;
    absl::flat_hash_set<int> inside, ends;  // nodes of a; ends: that have not agreed so far
    absl::flat_hash_set<int> results;       // leaves of the programs' results, that have not agreed so far
    std::vector<Divergence> divergences;    // the first is the one of its own
    bool decided() const { return ends.empty() && results.empty(); }
  };
  std::vector<Held> held_;
};

// Whether the pair stands in a loop, or is handed to one, whose body makes what it carries in another way in each program: unrolled, say. Values in it may
// differ from iteration to iteration though what comes of them is the same.
bool InLoopWrittenOtherwise(const ProgramMatch& match, int scope, int in_a);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_REWRITES_H_
