// What a run is begun with, for the files that make machines. Begin itself is execution.cc's.
#ifndef HLOSCOPE_CORE_DEBUG_BEGIN_H_
#define HLOSCOPE_CORE_DEBUG_BEGIN_H_

#include "core/debug/session_state.h"

namespace hloscope {

// By the session's settings, over its inputs, which are open.
MachineOptions OptionsOfRun(const Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_BEGIN_H_
