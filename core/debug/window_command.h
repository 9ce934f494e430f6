// The command `window`: the session's only way to the window that shows it. The window puts itself in here; without one, there is none.
#ifndef HLOSCOPE_CORE_DEBUG_WINDOW_COMMAND_H_
#define HLOSCOPE_CORE_DEBUG_WINDOW_COMMAND_H_

#include <functional>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hloscope {

// State::Extension<WindowLink>().
struct WindowLink {
  // Takes what stands after `window`; may be called from the session's thread at any time. Null: no window.
  std::function<absl::Status(absl::string_view args)> execute;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_WINDOW_COMMAND_H_
