// Where an edit first matters inside of what the entry runs, a loop or a call: up to there the moments of the run before are moments of a run of
// the edited program, too, and it goes on from them. Not for what the entry itself has computed (unchanged.h).
#ifndef HLOSCOPE_CORE_DEBUG_EDIT_INSIDE_H_
#define HLOSCOPE_CORE_DEBUG_EDIT_INSIDE_H_

#include <memory>
#include <string>
#include <vector>

#include "core/debug/session_state.h"
#include "core/debug/timeline.h"

namespace hloscope {

struct SharedMoment {
  std::shared_ptr<const MachineSnapshot> snapshot;  // of the new run
  double seconds = 0;
};
struct SharedPart {
  std::vector<SharedMoment> moments;  // in order of time; none: nothing is shared inside of that instruction
  std::string why_not;                // why nothing is, though there are such moments: "%x was set by hand in the run before"
  Mark stand;                         // where the session's run stands, if all that leads there is shared, else where the edit first matters
  Mark matters;                       // where that is, as far as the run before has come
};
// The session's run and `machine`, a run of the edited program `next` that stands at its beginning (and is left there). `first`: the position in
// the entry of what the edit has changed first, by what it runs. FailedPrecondition: the machine stopped with an error on the way.
absl::StatusOr<SharedPart> FindSharedPart(Session::State& s, const Module& next, Machine& machine, int first);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EDIT_INSIDE_H_
