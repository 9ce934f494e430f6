// Which loop is meant where iterations are said and no loop is named. For looking at other moments (moments.cc).
#ifndef HLOSCOPE_CORE_DEBUG_LOOP_CHOICE_H_
#define HLOSCOPE_CORE_DEBUG_LOOP_CHOICE_H_

#include "absl/status/statusor.h"
#include "core/debug/occurrences.h"

namespace hloscope {

// Of as many iterations as `asked` has, outer before inner: the loop around the selected frame if there are so many around it, else the
// only loop in what the frame runs that stands in so many, else the only such loop of the program. Empty: `asked` says no iteration.
// InvalidArgument names the loops that may be meant, as they are typed; FailedPrecondition: the program has none.
absl::StatusOr<const Instruction*> LoopMeant(Session::State& s, const Asked& asked);
// How many loops the program has that something runs.
size_t CountLoopsThatRun(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOOP_CHOICE_H_
