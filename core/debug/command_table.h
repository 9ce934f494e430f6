// The handlers behind the rows of commands.def, and the topics of info.def. The rows of commands themselves are Commands() in session.h.
#ifndef HLOSCOPE_CORE_DEBUG_COMMAND_TABLE_H_
#define HLOSCOPE_CORE_DEBUG_COMMAND_TABLE_H_

#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/session.h"

namespace hloscope {

using CommandHandler = absl::Status (*)(Session::State&, absl::string_view);
// Of Commands()[row].
CommandHandler HandlerOf(int row);

// The row that a console line means, by its first word; null: none, or the word could be several.
const CommandRow* CommandOfLine(absl::string_view line);
// An empty line after it does it again.
bool RepeatsOnEmptyLine(const CommandRow& command);
// It runs the program: on, anew, or beside the session (profile, compare and the like).
bool RunsProgram(absl::string_view line);

// What `help` says of this: nothing (all commands), expressions, or a command. Needs no program.
absl::StatusOr<std::string> HelpText(absl::string_view args);

// A row of info.def: what `info` tells about.
struct InfoTopic {
  const char* name;
  const char* arguments;
  const char* help;
  CommandHandler show;
};
const std::vector<InfoTopic>& InfoTopics();

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COMMAND_TABLE_H_
