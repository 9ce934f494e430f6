// What others ask of the console's command `shadow`.
#ifndef HLOSCOPE_CORE_DEBUG_SHADOW_COMMANDS_H_
#define HLOSCOPE_CORE_DEBUG_SHADOW_COMMANDS_H_

#include "core/debug/session_state.h"
#include "core/debug/shadow.h"

namespace hloscope {

// The last report of the selected device; null when none was made, or it is of another program.
const ShadowReport* LastShadowReport(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SHADOW_COMMANDS_H_
