// Of a build without the window: says so.
#include "app/cli/verb.h"

namespace hloscope::cli {

int OpenWindow(const std::vector<std::string>& args) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF); hloscope help lists the verbs"); }
std::string WindowManual() { return ""; }
int Run_shot(const std::vector<std::string>& args) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF), so it draws no pictures of it"); }

}  // namespace hloscope::cli
