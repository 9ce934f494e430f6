// Reads a program: from a file or standard input, in the format that its content shows, verified.
#ifndef HLOSCOPE_APP_CLI_LOAD_H_
#define HLOSCOPE_APP_CLI_LOAD_H_

#include <memory>
#include <string>
#include <vector>
#include <vector>

#include "absl/status/status.h"
#include "core/base/diagnostic.h"
#include "core/ir/module.h"
#include "core/text/stablehlo/stablehlo.h"
#include "core/literal/value.h"

namespace hloscope::cli {

struct Loaded {
  absl::Status open = absl::OkStatus();  // not OK: the file cannot be opened or read
  // "hlo text", "stablehlo text", "stablehlo bytecode", "hlo proto", "hlo module proto", "hlo snapshot", "hlo unoptimized snapshot", "unknown"
  std::string format = "unknown";
  std::shared_ptr<const SourceText> source;  // of a binary dump: the text that was made of it
  std::unique_ptr<Module> module;        // null when the format cannot be read
  std::vector<Value> arguments;          // of a snapshot, by parameter number
  Value expected;                        // the result that a snapshot brings
  DiagnosticSink sink;
  double load_ms = 0;                    // reading and parsing
  double verify_ms = 0;
  bool ok() const { return open.ok() && module != nullptr && sink.error_count() == 0; }
};

// `path` "-": standard input. `tests` given: of StableHLO text it gets each test (not verified), and there is no module.
Loaded Load(const std::string& path, std::vector<StableHloTest>* tests = nullptr);
// The same of a text that is not in a file; `name` stands for its path.
Loaded LoadText(const std::string& name, std::string text);
// All diagnostics, warnings too, or why the file cannot be opened or has nothing to run.
std::string ProblemsText(const Loaded& loaded);
// Writes that to standard error.
void ReportProblems(const Loaded& loaded);
// Load + ReportProblems; null when the program cannot be used, and then `status` is the exit status.
std::unique_ptr<Module> LoadOrReport(const std::string& path, Loaded& loaded, int& status);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_LOAD_H_
