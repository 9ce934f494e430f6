// The table of what `window` can do (window_commands.def), for help and the manual.
#ifndef HLOSCOPE_VISUALIZER_SHELL_WINDOW_COMMANDS_H_
#define HLOSCOPE_VISUALIZER_SHELL_WINDOW_COMMANDS_H_

#include <vector>

namespace hloscope {

struct WindowCommandRow {
  const char* name;
  const char* synopsis;
  const char* help;
};
const std::vector<WindowCommandRow>& WindowCommandRows();

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_WINDOW_COMMANDS_H_
