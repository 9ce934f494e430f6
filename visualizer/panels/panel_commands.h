// The table of what panels can be told (panel_commands.def): for who passes it on, completion, help and the manual.
#ifndef HLOSCOPE_VISUALIZER_PANELS_PANEL_COMMANDS_H_
#define HLOSCOPE_VISUALIZER_PANELS_PANEL_COMMANDS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope {

struct PanelCommandRow {
  const char* panel;
  const char* name;
  const char* synopsis;
  const char* help;
  bool of_text;  // it is about the text as it stands, and waits until that has been read
};
const std::vector<PanelCommandRow>& PanelCommandRows();
// What a panel can do by that word; null: nothing.
const PanelCommandRow* FindPanelCommand(absl::string_view panel, absl::string_view word);
// All that it can do, in a line: what is said where it was told something else.
std::string PanelCommandsText(absl::string_view panel);
// "window value part abs|re|im|angle".
std::string UsageOf(const PanelCommandRow& row);
// The words that rows mean by one in capitals (COLOUR); empty: it has no list.
std::vector<absl::string_view> PanelWords(absl::string_view what);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_PANEL_COMMANDS_H_
