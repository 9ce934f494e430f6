// The table of console commands, from commands.def. A new command is its row there and its handler in a file of its own.
#include "core/debug/command_table.h"

namespace hloscope {

#define X(name, abbreviation, synopsis, help, group, handler) absl::Status Command##handler(Session::State& s, absl::string_view args);
#include "core/debug/commands.def"
#undef X

const std::vector<CommandRow>& Commands() {
  static const std::vector<CommandRow>& commands = *new std::vector<CommandRow>{
#define X(name, abbreviation, synopsis, help, group, handler) {name, abbreviation, synopsis, help, group},
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

}  // namespace hloscope
