// Moments by their place in the program: before an instruction, and one iteration of a loop after the other. Not for what a text means
// (moments.cc), nor for values by iteration in general (occurrences.h).
#ifndef HLOSCOPE_CORE_DEBUG_PLACES_H_
#define HLOSCOPE_CORE_DEBUG_PLACES_H_

#include <cstdint>
#include <functional>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/session_state.h"

namespace hloscope {

// The moment before an instruction is executed: in its computation's frame on the stack (of a loop: in the present iteration), be it ahead
// or behind; else the next time that it is executed, and where there is none the last time that it was. The program has frames. NotFound:
// it never is. No exchange with other devices is made to find it.
absl::StatusOr<Mark> WhenExecuted(Session::State& s, const Instruction& instruction);

// Calls `each` in iterations `first` to `last` of the loop with this body (of loops around it: in the present iteration, or in the first), at
// the beginning of each, and then all is as before. Ends without an error where the loop does; the first that is not OK ends it with that.
// NotFound: the program does not come to the first.
absl::Status AtIterations(Session::State& s, const Computation& body, int64_t first, int64_t last, const std::function<absl::Status(int64_t iteration)>& each);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PLACES_H_
