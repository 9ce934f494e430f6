// The table of console commands, from commands.def, and of what `info` tells about, from info.def. A new one is its row there and its
// handler in a file of its own.
#include "core/debug/command_table.h"

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/text_util.h"

namespace hloscope {

#define X(name, abbreviation, synopsis, help, group, handler) absl::Status Command##handler(Session::State& s, absl::string_view args);
#include "core/debug/commands.def"
#undef X

const std::vector<CommandRow>& Commands() {
  static const std::vector<CommandRow>& commands = *new std::vector<CommandRow>{
#define X(name, abbreviation, synopsis, help, group, handler) {name, abbreviation, synopsis, help, group, nullptr},
#define ONE(why, name, abbreviation, synopsis, help, group, handler) {name, abbreviation, synopsis, help, group, why},
#include "core/debug/commands.def"
#undef X
  };
  return commands;
}

CommandHandler HandlerOf(int row) {
  static const CommandHandler handlers[] = {
#define X(name, abbreviation, synopsis, help, group, handler) Command##handler,
#include "core/debug/commands.def"
#undef X
  };
  return handlers[row];
}

#define X(name, arguments, help, handler) absl::Status Info##handler(Session::State& s, absl::string_view args);
#include "core/debug/info.def"
#undef X

const std::vector<InfoTopic>& InfoTopics() {
  static const std::vector<InfoTopic>& topics = *new std::vector<InfoTopic>{
#define X(name, arguments, help, handler) {name, arguments, help, Info##handler},
#include "core/debug/info.def"
#undef X
  };
  return topics;
}

absl::Status CommandInfo(Session::State& s, absl::string_view args) {
  const absl::string_view word = TakeWord(args);
  std::string all;
  for (const InfoTopic& topic : InfoTopics()) absl::StrAppend(&all, all.empty() ? "info takes one of: " : ", ", topic.name);
  if (word.empty()) return absl::InvalidArgumentError(all);
  for (const InfoTopic& topic : InfoTopics()) {
    if (absl::StartsWith(topic.name, word)) return topic.show(s, args);
  }
  return absl::InvalidArgumentError(absl::StrCat("there is no 'info ", word, "'; ", all));
}

}  // namespace hloscope
