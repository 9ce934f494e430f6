#include "visualizer/shell/actions.h"

#include <cassert>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
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

const Action& FindAction(const char* id) {
  for (const Action& action : Actions()) {
    if (std::strcmp(action.id, id) == 0) return action;
  }
  assert(false);
  return Actions().front();
}

std::string CommandOf(const Action& action, const Snapshot& now) {
  const std::pair<absl::string_view, absl::string_view> commands = absl::StrSplit(action.command, absl::MaxSplits('|', 1));
  if (absl::StartsWith(commands.first, "window ") || commands.first == "help") return std::string(commands.first);
  if (now.session == nullptr) return "";
  const bool started = now.phase == Phase::kStopped || now.phase == Phase::kError || now.phase == Phase::kFinished;
  const absl::string_view menu = action.menu;
  if (menu == "Back") return started ? std::string(commands.first) : "";
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

}  // namespace hloscope
