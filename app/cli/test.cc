// hloscope test: runs every function (of StableHLO) or program (of HLO) with assertions, and says which do not hold. The result that a
// snapshot expects is an assertion.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "app/cli/arguments.h"
#include "app/cli/device_run.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "backends/exchange/run_parallel.h"
#include "core/base/markup.h"
#include "core/debug/compare_results.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"
#include "core/exec/machine.h"
#include "core/ir/written_names.h"
#include "core/ops/custom_call_targets.h"
#include "core/ops/verifier.h"
#include "core/text/hlo_text.h"
#include "core/text/stablehlo/stablehlo.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct Failure {
  LineColumn place;
  std::string text;
};

struct Result {
  std::string file, name;
  LineColumn place;
  enum { kPassed, kFailed, kSkipped } outcome = kPassed;
  std::vector<Failure> failures;  // of a failed one; of a skipped one: why
  double seconds = 0;
};

// Lines one after the other: "a: b; c".
std::string OneLine(absl::string_view text) {
  std::string one;
  for (const absl::string_view line : absl::StrSplit(text, '\n', absl::SkipWhitespace())) {
    const absl::string_view said = absl::StripAsciiWhitespace(line);
    const bool ends = one.empty() || absl::string_view(":;,.").find(one.back()) != absl::string_view::npos;
    absl::StrAppend(&one, one.empty() ? "" : ends ? " " : "; ", said);
  }
  return one;
}

bool Asserts(const Module& module) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (i->Has(AttrId::kCustomCallTarget) && FindCustomCallTarget(i->Text(AttrId::kCustomCallTarget)) == CustomCallTarget::kCheck) return true;
    }
  }
  return false;
}

class Tester {
 public:
  Tester(const ProgramOptions& options, SessionOptions session, std::unique_ptr<Backend> backend) : options_(options), session_(std::move(session)), backend_(std::move(backend)) {}

  // False when the file cannot be read at all.
  bool File(const std::string& path) {
    std::vector<StableHloTest> tests;
    Loaded loaded = Load(path, &tests);
    if (loaded.format != "stablehlo text") {
      ReportProblems(loaded);
      Collect(path, loaded);
      if (!loaded.ok() || loaded.module->entry == nullptr) return false;
      if (!Asserts(*loaded.module) && !loaded.expected.has_value()) {
        std::fprintf(stderr, "%s: note: no assertions (custom calls of check.expect_eq and its kin, or a snapshot's result)\n", path.c_str());
        return true;
      }
      session_.arguments = std::move(loaded.arguments);
      Run(path, loaded.module->name, loaded.module->entry->name_range, *loaded.module, *loaded.source, {}, loaded.expected);
      session_.arguments.clear();
      return true;
    }
    for (StableHloTest& test : tests) {
      if (test.reached) Verify(*test.module, loaded.sink);
    }
    loaded.sink.SortByPlace();
    ReportProblems(loaded);
    Collect(path, loaded);
    if (tests.empty() && loaded.sink.error_count() > 0) return false;
    if (tests.empty()) std::fprintf(stderr, "%s: note: no function without arguments to test\n", path.c_str());
    bool blamed = loaded.sink.error_count() == 0;
    for (StableHloTest& test : tests) {
      if (!test.reached || BadModule(*test.module, loaded.sink)) {
        blamed = true;
        Result result = Begin(path, test.name, test.range, *loaded.source);
        result.outcome = Result::kFailed;
        result.failures.push_back({result.place, "it cannot be read; see the errors"});
        Finish(std::move(result));
      } else {
        Run(path, test.name, test.range, *test.module, *loaded.source, std::move(test.infeed));
      }
      test.module.reset();
    }
    if (!blamed) {  // errors outside of all functions
      const auto& all = loaded.sink.diagnostics();
      const auto first = std::find_if(all.begin(), all.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
      Result result = Begin(path, "module", first->range, *loaded.source);
      result.outcome = Result::kFailed;
      result.failures.push_back({result.place, OneLine(first->message)});
      Finish(std::move(result));
    }
    return true;
  }

  const std::vector<Result>& results() const { return results_; }
  // Errors of reading, by file: {"file","line","column","message"}.
  const ordered_json& errors() const { return errors_; }
  int CountOf(int outcome) const {
    int count = 0;
    for (const Result& r : results_) count += r.outcome == outcome;
    return count;
  }

 private:
  void Collect(const std::string& path, const Loaded& loaded) {
    if (!loaded.open.ok()) errors_.push_back({{"file", path}, {"line", 0}, {"column", 0}, {"message", std::string(loaded.open.message())}});
    for (const Diagnostic& d : loaded.sink.diagnostics()) {
      if (d.severity != Severity::kError) continue;
      const LineColumn place = d.range.valid() ? loaded.source->Locate(d.range.begin) : LineColumn();
      errors_.push_back({{"file", path}, {"line", place.line}, {"column", place.column}, {"message", d.message}});
    }
  }

  // A problem of the file is a problem of this test where it lies in one of its computations.
  static bool BadModule(const Module& module, const DiagnosticSink& sink) {
    if (module.entry == nullptr || module.entry->root == nullptr) return true;
    if (sink.error_count() == 0) return false;
    for (const Computation* computation : module.computations) {
      if (computation->in_error || computation->root == nullptr) return true;
      for (const Diagnostic& d : sink.diagnostics()) {
        if (d.severity == Severity::kError && d.range.begin >= computation->range.begin && d.range.begin < computation->range.end) return true;
      }
    }
    return false;
  }

  Result Begin(const std::string& path, absl::string_view name, SourceRange range, const SourceText& source) {
    Result result;
    result.file = path;
    result.name = std::string(name);
    if (range.valid()) result.place = source.Locate(range.begin);
    return result;
  }

  void Finish(Result result) { results_.push_back(std::move(result)); }

  void Run(const std::string& path, absl::string_view name, SourceRange range, Module& module, const SourceText& source, std::vector<Value> infeed = {}, Value expected = {}) {
    Result result = Begin(path, name, range, source);
    const Clock::time_point start = Clock::now();
    const auto fail = [&](SourceRange where, absl::string_view why) {
      result.outcome = Result::kFailed;
      result.failures.push_back({where.valid() ? source.Locate(where.begin) : result.place, OneLine(why)});
    };
    absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(module, session_);
    if (!inputs.ok()) {
      fail({}, inputs.status().message());
      return Finish(std::move(result));
    }
    MachineOptions machine_options;
    machine_options.memory_limit = session_.memory_limit;
    machine_options.max_iterations = session_.max_iterations;
    machine_options.seed = session_.fill.seed;
    machine_options.fill = session_.fill;
    machine_options.custom_calls = &(*inputs)->custom_calls();
    machine_options.infeed = infeed.empty() ? (*inputs)->infeed() : std::move(infeed);
    machine_options.on_failed_check = [&](const Instruction& check, const absl::Status& why) {
      fail(check.range, why.message());
      return true;
    };
    AllowRunParallel(machine_options, *backend_, options_.threads);
    if (const DeviceCounts devices = CountDevices(options_, module); devices.several()) {
      RunDevices(module, devices, std::move(machine_options), fail);
      result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
      return Finish(std::move(result));
    }
    Machine machine(module, *backend_, std::move(machine_options));
    absl::Status status = machine.Start([&](int number) { return (*inputs)->Parameter(number, &machine.account()); });
    if (status.ok() && machine.Run() != StopReason::kFinished) status = machine.status();
    if (!status.ok()) {
      const Instruction* at = machine.frames().empty() ? nullptr : machine.next_instruction();
      fail(at == nullptr ? SourceRange() : at->range, at == nullptr || absl::StartsWith(status.message(), absl::StrCat(ShownName(*at), ": ")) ? std::string(status.message()) : absl::StrCat(ShownName(*at), ": ", status.message()));
    }
    // The result that a snapshot brings is only that of the inputs that it brings.
    if (status.ok() && expected.has_value() && (*inputs)->from_snapshot() == (*inputs)->parameter_count()) {
      for (const ResultDifference& d : CompareResults(machine.result(), expected)) fail(module.entry->root->name_range, ToText(d));
    }
    result.seconds = std::chrono::duration<double>(Clock::now() - start).count();
    Finish(std::move(result));
  }

  // On several devices, which all have the same assertions.
  void RunDevices(Module& module, const DeviceCounts& devices, MachineOptions machine, const std::function<void(SourceRange, absl::string_view)>& fail) {
    absl::StatusOr<std::unique_ptr<DeviceRun>> run = DeviceRun::Create(module, *backend_, options_, session_, devices, std::move(machine));
    if (!run.ok()) return fail({}, run.status().message());
    const absl::Status started = (*run)->Start();
    if (!started.ok()) return fail({}, started.message());
    const Replicas::Outcome outcome = (*run)->replicas().Run();
    if (outcome.finished) return;
    const Instruction* at = outcome.at.instruction;
    fail(at == nullptr ? SourceRange() : at->range, absl::StrCat((*run)->replicas().Name(outcome.device), at == nullptr ? "" : " at ",
                                                                 outcome.at.Text(), ": ", outcome.status.message()));
  }

  const ProgramOptions& options_;
  SessionOptions session_;
  std::unique_ptr<Backend> backend_;
  std::vector<Result> results_;
  ordered_json errors_ = ordered_json::array();
};

std::string JUnit(const std::vector<Result>& results, int failed, int skipped) {
  std::string xml = absl::StrFormat("<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites>\n<testsuite name=\"hloscope test\" tests=\"%d\" failures=\"%d\" skipped=\"%d\">\n", results.size(), failed, skipped);
  for (const Result& r : results) {
    absl::StrAppendFormat(&xml, "<testcase classname=\"%s\" name=\"%s\" time=\"%.3f\"", EscapeAttribute(r.file), EscapeAttribute(r.name), r.seconds);
    if (r.failures.empty()) {
      absl::StrAppend(&xml, "/>\n");
      continue;
    }
    absl::StrAppend(&xml, ">\n");
    for (const Failure& f : r.failures) {
      if (r.outcome == Result::kSkipped) absl::StrAppend(&xml, "<skipped message=\"", EscapeAttribute(f.text), "\"/>\n");
      else absl::StrAppend(&xml, "<failure message=\"", EscapeAttribute(f.text), "\">", EscapeMarkup(absl::StrCat(r.file, ":", f.place.line, ":", f.place.column)), "</failure>\n");
    }
    absl::StrAppend(&xml, "</testcase>\n");
  }
  return absl::StrCat(xml, "</testsuite>\n</testsuites>\n");
}

ordered_json Json(const std::vector<Result>& results, const ordered_json& errors, int passed, int failed, int skipped) {
  ordered_json list = ordered_json::array();
  for (const Result& r : results) {
    ordered_json failures = ordered_json::array();
    for (const Failure& f : r.failures) failures.push_back({{"line", f.place.line}, {"column", f.place.column}, {"message", f.text}});
    list.push_back({{"file", r.file}, {"name", r.name}, {"outcome", r.outcome == Result::kPassed ? "passed" : r.outcome == Result::kFailed ? "failed" : "skipped"},
                    {"line", r.place.line}, {"failures", std::move(failures)}, {"run_ms", r.seconds * 1e3}});
  }
  return {{"passed", passed}, {"failed", failed}, {"skipped", skipped}, {"tests", std::move(list)}, {"errors", errors}};
}

}  // namespace

int Run_test(const std::vector<std::string>& args) {
  OptionParser app("Runs every function or program with assertions (check.expect_*). A function that takes arguments, or that another one calls, is no test of its own.", "hloscope test");
  std::vector<std::string> files;
  std::string junit;
  bool json = false, verbose = false;
  ProgramOptions options;
  app.add_option("FILE", files, "StableHLO or HLO text; - reads standard input")->required();
  app.add_option("--junit", junit, "writes the results as JUnit XML")->type_name("OUT.xml");
  app.add_flag("--json", json, "one JSON object on standard output");
  app.add_flag("-v,--verbose", verbose, "names the tests that pass, too");
  options.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  absl::StatusOr<SessionOptions> session = options.ToSession(/*several=*/true);
  if (!session.ok()) return UsageError(std::string(session.status().message()));
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(options);
  if (!backend.ok()) return UsageError(std::string(backend.status().message()));
  Tester tester(options, *std::move(session), *std::move(backend));
  Progress progress;
  bool unreadable = false;
  size_t shown = 0;
  for (size_t k = 0; k < files.size(); ++k) {
    progress.Set(absl::StrCat("testing ", k + 1, " of ", files.size(), ": ", files[k]));
    if (!tester.File(files[k])) unreadable = true;
    for (; shown < tester.results().size() && !json; ++shown) {
      const Result& r = tester.results()[shown];
      if (r.failures.empty() && !verbose) continue;
      progress.Set("");
      if (r.failures.empty()) std::printf("%s:%d:%d: passed: %s\n", r.file.c_str(), r.place.line, r.place.column, r.name.c_str());
      for (const Failure& f : r.failures) {
        std::printf("%s:%d:%d: %s: %s: %s\n", r.file.c_str(), f.place.line, f.place.column, r.outcome == Result::kSkipped ? "not executed" : "failed", r.name.c_str(), f.text.c_str());
      }
      std::fflush(stdout);
    }
  }
  progress.Set("");
  const int passed = tester.CountOf(Result::kPassed), failed = tester.CountOf(Result::kFailed), skipped = tester.CountOf(Result::kSkipped);
  if (json) {
    std::printf("%s\n", Json(tester.results(), tester.errors(), passed, failed, skipped).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else {
    if (skipped > 0) std::printf("%d not executed\n", skipped);
    std::printf("%d passed, %d failed\n", passed, failed);
  }
  if (!junit.empty()) {
    std::ofstream stream(junit, std::ios::binary);
    stream << JUnit(tester.results(), failed, skipped);
    stream.close();
    if (!stream) return UsageError(absl::StrCat("cannot write ", junit));
  }
  return unreadable ? kUsage : failed > 0 ? kFailed : kOk;
}

}  // namespace hloscope::cli
