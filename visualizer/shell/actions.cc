#include "visualizer/shell/actions.h"

#include <cassert>
#include <cstring>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/command_table.h"

namespace hloscope {

const std::vector<Action>& Actions() {
  static const auto& actions = *new std::vector<Action>{
#define X(id, label, menu, keys, command) {id, label, menu, keys, command},
#include "visualizer/shell/actions.def"
#undef X
  };
  return actions;
}

const std::vector<PanelKey>& PanelKeys() {
  static const auto& keys = *new std::vector<PanelKey>{
#define X(panel, keys, what, command) {panel, keys, what, command},
#include "visualizer/shell/panel_keys.def"
#undef X
  };
  return keys;
}

const std::vector<const char*>& MenuNames() {
  static const auto& names = *new std::vector<const char*>{"File", "Edit", "Run", "Back", "Stops", "Look", "View", "Help"};
  return names;
}

std::string MenuKeys(absl::string_view menu) { return absl::StrCat("Alt+", menu.substr(0, 1)); }

std::string PanelTitle(const PanelKey& key) {
  const PanelRow* row = FindPanelRow(key.panel);
  return row != nullptr ? row->title : "Lists";
}

const Action& FindAction(const char* id) {
  for (const Action& action : Actions()) {
    if (std::strcmp(action.id, id) == 0) return action;
  }
  assert(false);
  return Actions().front();
}

const PanelRow* PanelOfCommand(absl::string_view command) {
  return absl::ConsumePrefix(&command, "window ") ? FindPanelRow(command.substr(0, command.find(' '))) : nullptr;
}

bool IsStep(const Action& action) { return std::strcmp(action.id, "next") == 0 || std::strcmp(action.id, "step") == 0; }

bool OfText(const Action& action) { return absl::string_view(action.menu) == "Edit/Text"; }

std::string LabelWithin(const Action& action, absl::string_view menu) {
  absl::string_view label = action.label;
  const size_t slash = menu.rfind('/');
  if (slash == absl::string_view::npos || !absl::ConsumePrefix(&label, absl::StrCat(menu.substr(slash + 1), ": "))) return action.label;
  std::string within(label);
  within[0] = absl::ascii_toupper(within[0]);
  return within;
}

std::string WhyNot(const Action& action, const Snapshot& now) {
  const PanelRow* panel = PanelOfCommand(action.command);
  if (now.phase == Phase::kEmpty || now.session == nullptr)
    return panel != nullptr || now.phase == Phase::kEmpty ? "there is no program; Ctrl+O opens one"
                                                          : "the program cannot be read: there is nothing to run";
  if (now.phase == Phase::kFinished || now.phase == Phase::kError) {
    return absl::StrCat(now.phase == Phase::kFinished ? "the program has finished" : "the program has ended with an error",
                        ": Ctrl+F5 starts it again, Shift+F10 goes back");
  }
  return "the program has not been started: F5 runs it, F10 starts it at its first instruction";
}

std::string CommandOf(const Action& action, const Snapshot& now, std::string* asks) {
  const std::pair<absl::string_view, absl::string_view> asked = absl::StrSplit(action.command, absl::MaxSplits(" ... ", 1));
  const std::pair<absl::string_view, absl::string_view> commands = asked.second.empty() ? absl::StrSplit(asked.first, absl::MaxSplits('|', 1)) : std::make_pair(asked.first, absl::string_view());
  if (asks != nullptr) *asks = std::string(asked.second);
  const PanelRow* panel = PanelOfCommand(commands.first);
  if (panel != nullptr && absl::string_view(panel->id) != "lessons" && now.phase == Phase::kEmpty) return "";
  if (absl::StartsWith(commands.first, "window ") || commands.first == "help") return std::string(commands.first);
  if (now.session == nullptr) return "";
  const bool started = now.phase == Phase::kStopped || now.phase == Phase::kError || now.phase == Phase::kFinished;
  const absl::string_view menu = action.menu;
  if (menu == "Back") return started ? std::string(commands.first) : "";
  // At the end there is no next instruction, and the run is not thrown away for one step too many.
  if (IsStep(action) && (now.phase == Phase::kFinished || now.phase == Phase::kError)) return "";
  if (!commands.second.empty()) return now.phase == Phase::kStopped ? std::string(commands.first) : std::string(commands.second);
  if (std::strcmp(action.id, "finish") == 0 && now.phase != Phase::kStopped) return "";
  return std::string(commands.first);
}

bool AnswersInConsole(absl::string_view line) {
  const CommandRow* command = CommandOfLine(line);
  if (command == nullptr) return false;
  const absl::string_view group = command->group, name = command->name;
  if (group == "comparing") return true;
  if (group == "looking") return name != "profile";  // which has a panel
  return name == "print" || name == "list" || name == "show" || name == "help" || name == "backtrace" || name == "where";
}

const PanelRow* PanelOfAnswer(absl::string_view line) {
  // The timeline stands at the foot of the window, wherever else it has no place.
  if (const PanelRow* panel = PanelOfCommand(line)) return absl::string_view(panel->id) != "timeline" ? panel : nullptr;
  const CommandRow* command = CommandOfLine(line);
  if (command == nullptr || absl::string_view(command->name) != "profile") return nullptr;
  const std::vector<absl::string_view> words = absl::StrSplit(line, ' ', absl::SkipEmpty());
  return words.size() > 1 && words[1] == "run" ? FindPanelRow("profile") : nullptr;
}

}  // namespace hloscope
