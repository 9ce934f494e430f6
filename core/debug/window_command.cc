#include "core/debug/window_command.h"

#include "core/debug/session_state.h"

namespace hloscope {

absl::Status CommandWindow(Session::State& s, absl::string_view args) {
  const WindowLink& link = s.Extension<WindowLink>();
  if (!link.execute) return absl::FailedPreconditionError("there is no window here; hloscope FILE opens one");
  return link.execute(args);
}

}  // namespace hloscope
