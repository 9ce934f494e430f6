// Moments by their place in the program: before an instruction, and one iteration of a loop after the other. Not for what a text means
// (moments.cc), nor for values by iteration in general (occurrences.h).
#ifndef HLOSCOPE_CORE_DEBUG_PLACES_H_
#define HLOSCOPE_CORE_DEBUG_PLACES_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/debug/session_state.h"

namespace hloscope {

// The moment before an instruction is executed: in its computation's frame on the stack (of a loop: in the present iteration), be it ahead
// or behind; else the next time that it is executed, and where there is none the last time that it was. The program has frames. NotFound:
// it never is. No exchange with other devices is made to find it.
absl::StatusOr<Mark> WhenExecuted(Session::State& s, const Instruction& instruction);

// What is looked at in each iteration of a loop.
struct InLoopPlace {
  const Instruction* loop = nullptr;
  const Computation* home = nullptr;  // its body or condition, or what that runs (a branch, a function)
  std::vector<int64_t> outer;         // iterations of the loops around it, the outermost first; what is missing or negative: as the program stands, or the first
};

// Calls `each` in iterations `first` to `last` at the beginning of `home` (where that is run; the first time, by the first way that leads
// there), and then all is as before. `around`: the iterations of all loops in each other, this one's last. Ends without an error where the
// loop does; the first that is not OK ends it with that. NotFound: the program does not come to the first.
absl::Status AtIterations(Session::State& s, const InLoopPlace& place, int64_t first, int64_t last,
                          const std::function<absl::Status(absl::Span<const int64_t> around)>& each);
// The loops around it, the outermost first, and itself as the last: those that `around` has the iterations of.
absl::StatusOr<std::vector<const Instruction*>> LoopsAround(Session::State& s, const InLoopPlace& place);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PLACES_H_
