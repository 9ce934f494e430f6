// Reads a program: from a file or standard input, in the format that its content shows, verified.
#ifndef HLOSCOPE_APP_CLI_LOAD_H_
#define HLOSCOPE_APP_CLI_LOAD_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/base/diagnostic.h"
#include "core/ir/module.h"

namespace hloscope::cli {

struct Loaded {
  absl::Status open = absl::OkStatus();  // not OK: the file cannot be opened or read
  std::string format = "unknown";        // "hlo text", "stablehlo text", "hlo proto", "stablehlo bytecode", "unknown"
  std::shared_ptr<const SourceText> source;
  std::unique_ptr<Module> module;        // null when the format cannot be read
  DiagnosticSink sink;
  double load_ms = 0;                    // reading and parsing
  double verify_ms = 0;
  bool ok() const { return open.ok() && module != nullptr && sink.error_count() == 0; }
};

// `path` "-": standard input.
Loaded Load(const std::string& path);
// Writes all diagnostics (or why the file cannot be opened) to standard error.
void ReportProblems(const std::string& path, const Loaded& loaded);
// Load + ReportProblems; null when the program cannot be used, and then `status` is the exit status.
std::unique_ptr<Module> LoadOrReport(const std::string& path, Loaded& loaded, int& status);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_LOAD_H_
