// What the verbs share: their functions (from verbs.def), exit statuses, and small helpers. Not for reading programs (load.h).
#ifndef HLOSCOPE_APP_CLI_VERB_H_
#define HLOSCOPE_APP_CLI_VERB_H_

#include <chrono>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope {
class Session;
}

namespace hloscope::cli {

enum ExitStatus : int {
  kOk = 0,
  kFailed = 1,  // the program, a check or an assertion failed
  kUsage = 2,   // bad usage or unreadable input
};

int Main(int argc, char** argv);

// `args` are the words after the verb.
#define X(verb, synopsis, summary) int Run_##verb(const std::vector<std::string>& args);
#include "app/cli/verbs.def"
#undef X

// hloscope [FILE] [OPTIONS]: the window (app/gui).
int OpenWindow(const std::vector<std::string>& args);
// The window's part of the manual: panels, actions and keys, commands of the window. Empty where there is none.
std::string WindowManual();

// Gives a session what needs the window's rooms, without a window: pictures of operations.
void EquipSession(Session& session);

// Text inside a cell of the manual's tables.
std::string TableCell(absl::string_view text);

// Writes "hloscope: TEXT" to standard error and returns kUsage.
int UsageError(const std::string& text);

// How long ago that was.
inline double Milliseconds(std::chrono::steady_clock::time_point since) {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now() - since).count();
}

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_VERB_H_
