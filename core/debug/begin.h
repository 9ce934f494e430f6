// What a run is begun with, for the files that make machines. Begin itself is execution.cc's.
#ifndef HLOSCOPE_CORE_DEBUG_BEGIN_H_
#define HLOSCOPE_CORE_DEBUG_BEGIN_H_

#include <cstdint>

#include "core/debug/session_state.h"

namespace hloscope {

// By the session's settings, over its inputs, which are open.
MachineOptions OptionsOfRun(const Session::State& s);
// A main whose devices the session does not follow runs them as one step.
void AllowParallel(const Session::State& s, MachineOptions& options);
// The parts of State::Begin: what the program lacks is said, once; what counts have left of rules is the rule; the run itself.
void SayElided(Session::State& s);
void SpendCounts(Session::State& s);
// State::Extension<RunsBegun>(): how many there were, of whichever device. What is kept of one run is not another one's.
struct RunsBegun {
  uint64_t count = 0;
};
absl::Status BeginRun(Session::State& s, MachineOptions options, Machine::ParameterProvider parameters);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_BEGIN_H_
