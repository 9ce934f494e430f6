#include "visualizer/shell/actions.h"

#include <cassert>
#include <cstring>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"

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

bool RunsProgram(const Action& action) {
  const absl::string_view id = action.id;
  return id == "continue" || id == "start" || id == "next" || id == "step" || id == "finish";
}

}  // namespace hloscope
