// A screen where there is none: starts Xvfb for this process, so that the real window can be drawn without a display.
#ifndef HLOSCOPE_APP_GUI_SCREEN_H_
#define HLOSCOPE_APP_GUI_SCREEN_H_

#include <string>

#include "absl/status/statusor.h"

namespace hloscope::gui {

// While it lives there is a display in $DISPLAY. `width` and `height` in pixels.
class VirtualScreen {
 public:
  static absl::StatusOr<VirtualScreen> Start(int width, int height);
  VirtualScreen(VirtualScreen&& other) noexcept : process_(other.process_) { other.process_ = -1; }
  VirtualScreen& operator=(VirtualScreen&&) = delete;
  ~VirtualScreen();

 private:
  explicit VirtualScreen(int process) : process_(process) {}
  int process_ = -1;
};

}  // namespace hloscope::gui

#endif  // HLOSCOPE_APP_GUI_SCREEN_H_
