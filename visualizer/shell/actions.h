// The table of actions (actions.def): what can be done in the window, each a command.
#ifndef HLOSCOPE_VISUALIZER_SHELL_ACTIONS_H_
#define HLOSCOPE_VISUALIZER_SHELL_ACTIONS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/model/snapshot.h"
#include "visualizer/panels/panel.h"

namespace hloscope {

struct Action {
  const char* id;
  const char* label;
  const char* menu;
  const char* keys;
  const char* command;
};
const std::vector<Action>& Actions();
const Action& FindAction(const char* id);  // one that is there
// The command that the action means now; empty: it cannot be done now. `asks`: what has to stand behind it, which the person says; "" nothing.
std::string CommandOf(const Action& action, const Snapshot& now, std::string* asks = nullptr);
// Why it cannot be done now, and what can.
std::string WhyNot(const Action& action, const Snapshot& now);
// It goes on by an instruction: at the end of a run there is none, unless the text is another one by now, which is started.
bool IsStep(const Action& action);
// The panel that the command is for ("window graph fit": graph); null: none.
const PanelRow* PanelOfCommand(absl::string_view command);
// A key of the program's text: it does something else, or nothing, elsewhere.
bool OfText(const Action& action);
// The label in a menu that says already which panel it is about.
std::string LabelWithin(const Action& action, absl::string_view menu);

// The menus at the top, in their order, and the key of each: Alt and its first letter.
const std::vector<const char*>& MenuNames();
std::string MenuKeys(absl::string_view menu);

// A key of a panel (panel_keys.def).
struct PanelKey {
  const char* panel;  // its id; "lists": of all panels with rows
  const char* keys;
  const char* what;
  const char* command;  // empty: the panel does it by itself
};
const std::vector<PanelKey>& PanelKeys();
std::string PanelTitle(const PanelKey& key);

// A command whose answer is what it is given for, and stands in the console.
bool AnswersInConsole(absl::string_view line);
// The panel that a command is told, or that has its answer, and that comes to the front with it; null: none.
const PanelRow* PanelOfAnswer(absl::string_view line);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_ACTIONS_H_
