// Runs the tests of a StableHLO text on a backend, for the tests of this folder.
#ifndef HLOSCOPE_TESTS_STABLEHLO_RUNNING_H_
#define HLOSCOPE_TESTS_STABLEHLO_RUNNING_H_

#include <filesystem>
#include <fstream>
#include <memory>
#include <sstream>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "backends/exchange/run_parallel.h"
#include "backends/reference/backend.h"
#include "core/exec/machine.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/stablehlo/stablehlo.h"
#ifdef HLOSCOPE_JIT
#include "backends/jit_cpu/jit_cpu.h"
#endif

namespace hloscope {

inline std::vector<std::unique_ptr<Backend>> AllBackends() {
  std::vector<std::unique_ptr<Backend>> backends;
  BackendOptions options;
  options.threads = 2;
  absl::StatusOr<std::unique_ptr<Backend>> reference = MakeReferenceBackend(options);
  if (reference.ok()) backends.push_back(*std::move(reference));
#ifdef HLOSCOPE_JIT
  absl::StatusOr<std::unique_ptr<Backend>> jit = MakeJitCpuBackend(options);
  if (jit.ok()) backends.push_back(*std::move(jit));
#endif
  return backends;
}

inline std::string ReadText(const std::filesystem::path& path) {
  std::ifstream stream(path, std::ios::binary);
  std::stringstream text;
  text << stream.rdbuf();
  return text.str();
}

inline std::string Problems(const DiagnosticSink& sink, const SourceText& source) {
  std::string text;
  for (const Diagnostic& d : sink.diagnostics()) text += Render(d, source);
  return text;
}

// Empty when the module runs and all of its assertions hold.
inline std::string RunModule(const Module& module, Backend& backend, std::vector<Value> infeed = {}) {
  std::string failures;
  MachineOptions options;
  options.infeed = std::move(infeed);
  options.on_failed_check = [&](const Instruction&, const absl::Status& why) {
    absl::StrAppend(&failures, why.message(), "\n");
    return true;
  };
  AllowRunParallel(options, backend, 2);
  Machine machine(module, backend, std::move(options));
  absl::Status status = machine.Start(std::vector<Value>());
  if (status.ok() && machine.Run() != StopReason::kFinished) status = machine.status();
  if (!status.ok()) absl::StrAppend(&failures, status.ToString(), "\n");
  return failures;
}

struct Tally {
  int passed = 0, failed = 0;
  std::string failures;
};

// `again`: each program is printed as HLO text, read back and run from that.
inline Tally RunTests(const std::string& name, const std::string& text, Backend& backend, bool again = false) {
  Tally tally;
  auto source = std::make_shared<SourceText>(name, text);
  DiagnosticSink sink;
  std::vector<StableHloTest> tests = ReadStableHloTests(source, sink);
  for (StableHloTest& test : tests) {
    if (test.reached) Verify(*test.module, sink);
  }
  if (sink.error_count() > 0) absl::StrAppend(&tally.failures, Problems(sink, *source));
  for (StableHloTest& test : tests) {
    std::string failures;
    if (sink.error_count() > 0) {
      failures = "errors in the file\n";
    } else if (again) {
      auto printed = std::make_shared<SourceText>(name + ".hlo", PrintHloText(*test.module));
      DiagnosticSink reread;
      const std::unique_ptr<Module> module = ReadHloText(printed, reread);
      Verify(*module, reread);
      failures = reread.error_count() > 0 ? Problems(reread, *printed) : RunModule(*module, backend, test.infeed);
    } else {
      failures = RunModule(*test.module, backend, test.infeed);
    }
    failures.empty() ? ++tally.passed : ++tally.failed;
    if (!failures.empty()) absl::StrAppend(&tally.failures, name, " @", test.name, " on ", backend.name(), ": ", failures);
  }
  return tally;
}

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_STABLEHLO_RUNNING_H_
