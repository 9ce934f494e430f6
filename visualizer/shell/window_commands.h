// The table of what `window` can do (window_commands.def), for help and the manual.
#ifndef HLOSCOPE_VISUALIZER_SHELL_WINDOW_COMMANDS_H_
#define HLOSCOPE_VISUALIZER_SHELL_WINDOW_COMMANDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

struct WindowCommandRow {
  const char* name;
  const char* synopsis;
  const char* help;
  bool of_text;  // it is about the text as it stands, and waits until that has been read
};
const std::vector<WindowCommandRow>& WindowCommandRows();
// What the last word of the line, which begins with "window", could be: commands and panels, their words, after % the instructions.
std::vector<std::string> CompleteWindowCommand(const Snapshot& now, absl::string_view line);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_WINDOW_COMMANDS_H_
