// hloscope minimize: makes a failing program smaller.
#include <cstdio>

#include "absl/strings/str_cat.h"
#include "app/cli/arguments.h"
#include "app/cli/device_run.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "core/debug/device_inputs.h"
#include "core/debug/minimize.h"
#include "core/debug/program_inputs.h"

namespace hloscope::cli {

int Run_minimize(const std::vector<std::string>& args) {
  OptionParser app("Makes a failing program smaller, as long as it fails, and writes it as HLO text with the values that it needs beside it.", "hloscope minimize");
  std::string file, expect, catches, script, device;
  bool mismatch = false, error = false;
  MinimizeRequest request;
  MinimizeOptions options;
  ProgramOptions program;
  app.add_option("FILE", file, "the program, HLO or StableHLO")->required();
  app.add_option("--expect", expect, "it fails when this expectation does not hold at its end, of several devices on any of them (it knows replica and partition)")->type_name("EXPR");
  app.add_option("--device", device, "with --expect: when it does not hold on this one")->type_name("R[.P]");
  app.add_flag("--mismatch", mismatch, "it fails when a sampled element differs from the reference");
  app.add_option("--catch", catches, "it fails when the same operation is caught making the first nan, inf, overflow, ...")->type_name("KIND,...");
  app.add_flag("--error", error, "it fails when it stops with an error of the same kind at the same operation; so do devices that wait for one another for ever");
  app.add_option("--script", script, "it fails as long as this command ends with the status that it ends with for the whole program; {} is the program's file, {npz} its values, {inputs} the options that give it these, and those of single devices")->type_name("COMMAND");
  app.add_option("-o,--output", request.out, "the smaller program")->type_name("OUT.hlo")->required();
  app.add_option("--seconds", options.seconds, "ends after this time")->capture_default_str();
  app.add_option("--steps", options.steps, "ends after this many candidates")->capture_default_str();
  program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  if (!expect.empty() + mismatch + !catches.empty() + error + !script.empty() != 1) return UsageError("minimize takes one of --expect, --mismatch, --catch, --error and --script");
  if (!device.empty() && expect.empty()) return UsageError("--device goes with --expect: what else fails does so on whichever device it is first");
  request.kind = !expect.empty()    ? MinimizeRequest::kExpect
                 : mismatch         ? MinimizeRequest::kMismatch
                 : !catches.empty() ? MinimizeRequest::kCatch
                 : error            ? MinimizeRequest::kError
                                    : MinimizeRequest::kScript;
  request.text = absl::StrCat(expect, catches, script);
  absl::StatusOr<SessionOptions> session = program.ToSession(/*several=*/true);
  if (!session.ok()) return UsageError(std::string(session.status().message()));
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(program);
  if (!backend.ok()) return UsageError(std::string(backend.status().message()));
  Loaded loaded;
  int status = kOk;
  const std::unique_ptr<Module> module = LoadOrReport(file, loaded, status);
  if (module == nullptr) return status;
  session->arguments = loaded.arguments;
  if (const absl::Status given = GiveDevices(program, *module, &*session); !given.ok()) return UsageError(std::string(given.message()));
  if (session->devices.of_main) return UsageError("minimize makes one program smaller, and this main runs a function on each device: give it a program that all devices run");
  const DeviceCounts counts{session->devices.replicas, session->devices.partitions};
  if (!device.empty()) {
    const absl::StatusOr<int> number = ParseDevice(device, counts);
    if (!number.ok()) return UsageError(std::string(number.status().message()));
    request.device = *number;
  }
  const absl::StatusOr<std::unique_ptr<DeviceInputs>> inputs = DeviceInputs::Open(std::vector<const Module*>(session->devices.count(), module.get()), *session);
  if (!inputs.ok()) return UsageError(std::string(inputs.status().message()));
  std::fputs(ElidedWarning(CountElidedConstants(*module)).c_str(), stderr);
  Progress progress;
  options.progress = [&progress](const std::string& what) { progress.Set(what); };
  const absl::StatusOr<std::string> done = MinimizeToFile(*module, **inputs, **backend, *session, request, options);
  progress.Set("");
  if (!done.ok()) {
    UsageError(std::string(done.status().message()));
    return absl::IsFailedPrecondition(done.status()) ? kFailed : kUsage;
  }
  std::fputs(done->c_str(), stdout);
  return kOk;
}

}  // namespace hloscope::cli
