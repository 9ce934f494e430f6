// What `hloscope report` asks of the window's part (app/gui): drawings beside the text of a report.
#ifndef HLOSCOPE_APP_CLI_REPORT_H_
#define HLOSCOPE_APP_CLI_REPORT_H_

#include <optional>
#include <string>
#include <vector>

#include "core/debug/report.h"

namespace hloscope::cli {

// The element that a report is about: of the result, or of a leaf of it.
struct ReportedElement {
  int output = -1;
  std::vector<int64_t> index;
};

// The graph round an instruction, and the pictures of what it means with its values where these are known. Nothing in a build without
// drawings. The element, if there is one, is selected. `who`: put before titles, "a: "; empty: nothing.
void AddDrawings(Session::State& s, const Instruction& at, const std::optional<ReportedElement>& element, int hops, const std::string& who, Report* report);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_REPORT_H_
