// How many iterations the loops of two programs in lockstep run: each run of a pair of loops is counted on both sides. Not for what is computed in
// them (lockstep.h).
#ifndef HLOSCOPE_CORE_DEBUG_LOCKSTEP_LOOPS_H_
#define HLOSCOPE_CORE_DEBUG_LOCKSTEP_LOOPS_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/debug/lockstep.h"
#include "core/debug/record_sources.h"

namespace hloscope {

class LoopCounts {
 public:
  // A run of a loop is over in program 0 or 1. `key`: of the pair in its frame. Both numbers of iterations, once the other program has run it, too.
  std::optional<std::pair<int64_t, int64_t>> Over(int side, uint64_t key, int64_t iterations);

 private:
  absl::flat_hash_map<uint64_t, int64_t> waiting_[2];
};

// Iterations of a loop whose frame stands there: those before it, and a body's own.
inline int64_t IterationsSeen(const RecordLevel& level) { return level.iteration + (level.kind == FrameKind::kWhileBody ? 1 : 0); }
// "it runs 7 iterations, expected 10".
std::string IterationsText(int64_t iterations_a, int64_t iterations_b);
// Into the report: counted, and the first run of each pair told.
void TellUnequal(UnequalLoops loops, LockstepReport& report);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOCKSTEP_LOOPS_H_
