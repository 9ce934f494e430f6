#include "app/cli/run_devices_catch.h"

#include <cstdio>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "app/cli/caught.h"
#include "app/cli/device_run.h"
#include "app/cli/junit.h"
#include "app/cli/progress.h"
#include "app/cli/run_report.h"
#include "app/cli/verb.h"
#include "backends/exchange/kernel_service.h"
#include "backends/exchange/kernels_across.h"
#include "core/debug/catch_commands.h"
#include "core/debug/devices.h"
#include "core/debug/session.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

int Tell(const DevicesRun& o, Session::State& s, const Caught& caught) {
  const Module& module = *s.module;
  const int device = DevicesOf(s).selected;
  const std::string name = SelectedName(s), text = CaughtDiagnostic(module, caught, name);
  std::fputs(text.c_str(), stderr);
  DevicesFacts facts = BeginDevicesFacts(module, o.file, o.devices.replicas, o.devices.partitions, s.backend->name());
  facts.error = text;
  facts.stopped = caught.instruction;
  facts.caught = true;
  const absl::Status told = WriteDevicesFiles(facts, o.junit, o.report);
  if (!told.ok()) return UsageError(std::string(told.message()));
  if (o.json) {
    ordered_json j = {{"module", module.name},
                      {"replicas", o.devices.replicas},
                      {"partitions", o.devices.partitions},
                      {"instructions", module.instruction_count()}};
    const int64_t replica = device / o.devices.partitions, partition = device % o.devices.partitions;
    j["error"] = {{"replica", replica},
                  {"partition", partition},
                  {"instruction", NameInText(*caught.instruction)},
                  {"message", CaughtHeadline(module, caught)}};
    j["caught"] = {{"replica", replica}, {"partition", partition}};
    j["caught"].update(CaughtJson(module, caught));
    std::printf("%s\n", j.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  }
  return kFailed;
}

// In a process other than the first one, which has the session. Nothing: the run follows.
std::optional<int> ServeSession(const ProgramOptions& program, Processes& processes, const SessionOptions& options) {
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(program);
  if (!backend.ok()) return UsageError(std::string(backend.status().message()));
  if (ServeKernels(processes.link(), **backend, options.fill)) return std::nullopt;
  processes.TookPart();  // the first one tells
  return kOk;
}

}  // namespace

std::optional<int> CatchOnDevices(const DevicesRun& o, const std::vector<CatchRequest>& requests, const std::shared_ptr<Module>& module,
                                  const Loaded& loaded) {
  const auto refuse = [&](absl::string_view why) {
    WriteJunitError(o.junit, o.file, "run", std::string(why));
    return UsageError(std::string(why));
  };
  absl::StatusOr<SessionOptions> options = o.program->ToSession(/*several=*/true);
  if (!options.ok()) return refuse(options.status().message());
  const bool elsewhere = o.processes != nullptr && o.processes->link().count() > 1;
  if (elsewhere && !o.processes->first()) return ServeSession(*o.program, *o.processes, *options);
  options->arguments = loaded.arguments;
  if (absl::Status given = GiveDevices(*o.program, *module, &*options, elsewhere ? o.processes->link().count() : 1); !given.ok())
    return refuse(given.message());
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(*o.program);
  if (!backend.ok()) return refuse(backend.status().message());
  std::fputs(ElidedWarning(CountElidedConstants(*module)).c_str(), stderr);  // the session gives them values

  std::unique_ptr<KernelsAcross> across;
  if (elsewhere) {
    across = std::make_unique<KernelsAcross>(o.processes->link());
    backend = across->Over(*std::move(backend));
  }
  std::string said;
  Progress progress;
  progress.Set("catching");
  std::optional<int> status;
  {
    Session session(module, *std::move(backend), *std::move(options),
                    [&said](absl::string_view text) { absl::StrAppend(&said, text); });
    EquipSession(session);
    Session::State& s = session.state();
    for (const CatchRequest& request : requests)
      session.Execute(absl::StrCat("catch ", Name(request.kind), request.bits > 0 ? absl::StrCat(" ", request.bits) : ""));
    said.clear();
    session.Execute("run");
    progress.Set("");
    for (const absl::string_view line : absl::StrSplit(said, '\n')) {
      if (absl::StartsWith(line, "note: ")) std::fprintf(stderr, "%s\n", std::string(line).c_str());
    }
    if (const Caught* caught = CaughtHere(s); caught != nullptr) status = Tell(o, s, *caught);
  }
  for (const ProcessFigures& process : elsewhere && !status.has_value() ? across->Figures() : std::vector<ProcessFigures>()) {
    if (!status.has_value() && !process.status.ok()) status = refuse(process.status.message());
  }
  across.reset();
  if (elsewhere && status.has_value()) o.processes->Leave("something was caught");
  return status;
}

}  // namespace hloscope::cli
