// Of a build without the window: says so.
#include "app/cli/export.h"
#include "app/cli/report.h"
#include "app/cli/verb.h"

namespace hloscope::cli {

int OpenWindow(const std::vector<std::string>& args) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF); hloscope help lists the verbs"); }
std::string WindowManual() { return ""; }
void EquipSession(Session& session) {}
int Run_shot(const std::vector<std::string>& args) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF), so it draws no pictures of it"); }
int Run_lessons(const std::vector<std::string>& args) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF), and lessons come with it"); }

void AddDrawings(Session::State& s, const Instruction& at, const std::optional<ReportedElement>& element, int hops, const std::string& who, Report* report) {}
int Draw(const DrawRequest& request) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF), so it draws nothing; .hlo and .pb can be written"); }
int DrawPicture(const DrawRequest& request) { return UsageError("this build has no window (HLOSCOPE_WINDOW=OFF), so it draws nothing; .hlo and .pb can be written"); }

}  // namespace hloscope::cli
