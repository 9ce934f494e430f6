// A value on all devices, and compare replicas %x [@ MOMENT], for the command compare.
#ifndef HLOSCOPE_CORE_DEBUG_COMPARE_REPLICAS_H_
#define HLOSCOPE_CORE_DEBUG_COMPARE_REPLICAS_H_

#include <functional>
#include <string>
#include <vector>

#include "core/debug/session_state.h"

namespace hloscope {

struct ValuesMeant {
  std::string iterations;           // "iteration 0,3" of the loops around what is meant; "": of no loop, or at the moment that was named
  std::vector<std::string> others;  // lines about what else the names could mean
};
// What each device has for an expression whose names mean what they mean on the selected one: at `moment`, or where none is named in the selected
// device's iterations, wherever the others are. `each` is told in turn, while the device's run is the session's; false: no more.
ValuesMeant ForEachDeviceValue(Session::State& s, const std::string& text, absl::string_view moment, const std::function<bool(int device, const absl::StatusOr<Value>& value)>& each);

absl::Status CompareReplicas(Session::State& s, absl::string_view args);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMPARE_REPLICAS_H_
