// A look at all devices at their end, after which all is as before: each stands where it stood, and what they exchanged for it has not been
// exchanged. Not for one device, which goes through its own history (LookAround of travel.h).
#ifndef HLOSCOPE_CORE_DEBUG_DEVICES_AT_END_H_
#define HLOSCOPE_CORE_DEBUG_DEVICES_AT_END_H_

#include <functional>

#include "absl/status/status.h"
#include "core/debug/session_state.h"

namespace hloscope {

// Calls `look` when every device has come to its end, or to an error, or waits for ever, of which it says which. Nothing stops them on the way,
// and what counts and logs does not see it. FailedPrecondition where a device stands inside an element computation.
absl::Status LookAtEndOfAll(Session::State& s, const std::function<absl::Status()>& look);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DEVICES_AT_END_H_
