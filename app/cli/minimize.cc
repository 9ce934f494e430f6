// hloscope minimize: makes a failing program smaller.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "app/cli/arguments.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "core/debug/minimize.h"
#include "core/debug/program_inputs.h"

namespace hloscope::cli {

int Run_minimize(const std::vector<std::string>& args) {
  CLI::App app("Makes a failing program smaller, as long as it fails, and writes it as HLO text with the values that it needs beside it.", "hloscope minimize");
  std::string file, expect, catches, script;
  bool mismatch = false;
  MinimizeRequest request;
  MinimizeOptions options;
  ProgramOptions program;
  app.add_option("FILE", file, "the program, HLO or StableHLO")->required();
  app.add_option("--expect", expect, "it fails when this expectation does not hold at its end")->type_name("EXPR");
  app.add_flag("--mismatch", mismatch, "it fails when a sampled element differs from the reference");
  app.add_option("--catch", catches, "it fails when the same operation is caught making the first nan, inf, overflow, ...")->type_name("KIND,...");
  app.add_option("--script", script, "it fails as long as this command ends with the status that it ends with for the whole program; {} is the program's file, {npz} its values")->type_name("COMMAND");
  app.add_option("-o,--output", request.out, "the smaller program")->type_name("OUT.hlo")->required();
  app.add_option("--seconds", options.seconds, "ends after this time")->capture_default_str();
  app.add_option("--steps", options.steps, "ends after this many candidates")->capture_default_str();
  program.AddTo(app, false);
  if (const auto status = Parse(app, args)) return *status;
  if (!expect.empty() + mismatch + !catches.empty() + !script.empty() != 1) return UsageError("minimize takes one of --expect, --mismatch, --catch and --script");
  request.kind = !expect.empty() ? MinimizeRequest::kExpect : mismatch ? MinimizeRequest::kMismatch : !catches.empty() ? MinimizeRequest::kCatch : MinimizeRequest::kScript;
  request.text = absl::StrCat(expect, catches, script);
  absl::StatusOr<SessionOptions> session = program.ToSession();
  if (!session.ok()) return UsageError(std::string(session.status().message()));
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(program);
  if (!backend.ok()) return UsageError(std::string(backend.status().message()));
  Loaded loaded;
  int status = kOk;
  const std::unique_ptr<Module> module = LoadOrReport(file, loaded, status);
  if (module == nullptr) return status;
  session->arguments = loaded.arguments;
  const absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*module, *session);
  if (!inputs.ok()) return UsageError(std::string(inputs.status().message()));
  std::fputs(ElidedWarning(CountElidedConstants(*module)).c_str(), stderr);
  Progress progress;
  options.progress = [&progress](const std::string& what) { progress.Set(what); };
  const absl::StatusOr<std::string> done = MinimizeToFile(*module, **inputs, **backend, *session, request, options);
  progress.Set("");
  if (!done.ok()) {
    UsageError(OnOneDevice(done.status().message(), "minimize"));
    return absl::IsFailedPrecondition(done.status()) ? kFailed : kUsage;
  }
  std::fputs(done->c_str(), stdout);
  return kOk;
}

}  // namespace hloscope::cli
