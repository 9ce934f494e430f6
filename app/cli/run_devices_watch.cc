#include "app/cli/run_devices_watch.h"

#include <fstream>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "app/cli/check_text.h"
#include "app/cli/number_json.h"
#include "app/cli/profile_report.h"
#include "app/cli/progress.h"
#include "app/cli/run_report.h"
#include "backends/exchange/together.h"
#include "core/debug/check.h"
#include "core/debug/profile.h"
#include "core/debug/record.h"
#include "core/debug/text_util.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

class Watcher {
 public:
  Watcher(const DevicesWatch& watch, const Module& module, Backend& backend, const ProgramOptions& program, const SessionOptions& session, const DeviceCounts& counts, DeviceRun& run,
          DevicesWatched& watched)
      : watch_(watch), module_(module), backend_(backend), program_(program), session_(session), counts_(counts), run_(run), replicas_(run.replicas()), watched_(watched) {}

  absl::Status Run() {
    watched_.json.assign(replicas_.device_count(), ordered_json::object());
    for (int d = 0; d < replicas_.device_count(); ++d) {
      const Device device = replicas_.device(d);
      watched_.json[d] = {{"replica", device.replica}, {"partition", device.partition}};
    }
    absl::Status status;
    if (watch_.timed()) status = Profile();
    if (status.ok() && watch_.samples != 0) status = Check();
    // One after the other: devices come to the same exchanges then.
    const RunCompare& all = watch_.comparing;
    for (std::string RunCompare::*what : {&RunCompare::record, &RunCompare::compare, &RunCompare::shadow}) {
      if (status.ok() && !(all.*what).empty()) status = Compare(what);
    }
    progress_.Set("");
    return status;
  }

 private:
  // All devices to the end once more; `begin` before they run.
  absl::Status RunAgain(int threads, const std::function<void(int device)>& begin) {
    if (absl::Status started = run_.Start(); !started.ok()) return started;
    replicas_.account().ResetPeak();
    for (int d = 0; d < replicas_.device_count(); ++d) begin(d);
    const Replicas::Outcome outcome = replicas_.Run(threads);
    if (outcome.finished) return absl::OkStatus();
    return absl::Status(outcome.status.code(), absl::StrCat(replicas_.Name(outcome.device), ": ", outcome.status.message()));
  }

  void Say(int device, const std::string& text) { absl::StrAppend(&watched_.text, replicas_.Name(device), ":\n", text); }

  absl::Status Check() {
    CheckOptions check;
    check.samples = watch_.samples;
    check.threads = program_.threads;
    std::vector<std::unique_ptr<RegionChecker>> checkers(replicas_.device_count());
    progress_.Set("checking");
    const absl::Status ran = RunAgain(0, [&](int d) {
      checkers[d] = std::make_unique<RegionChecker>(backend_, check);
      replicas_.machine(d).set_region_observer([checker = checkers[d].get()](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
        return checker->Observe(frame, region, kernel, inputs, result);
      });
    });
    for (int d = 0; d < replicas_.device_count(); ++d) replicas_.machine(d).set_region_observer(nullptr);
    if (!ran.ok()) return ran;
    for (int d = 0; d < replicas_.device_count(); ++d) {
      const CheckReport& report = checkers[d]->report();
      Say(d, CheckText(report));
      const std::string notes = CheckNotes(report);
      if (!notes.empty()) absl::StrAppend(&watched_.notes, replicas_.Name(d), ": ", notes);
      watched_.json[d]["checked_elements"] = report.checked_elements;
      watched_.json[d]["unchecked_nonfinite"] = report.unchecked_nonfinite;
      watched_.json[d]["mismatches"] = MismatchesJson(report);
      watched_.cases.push_back(CheckCase(report));
      watched_.cases.back().name += absl::StrCat(", ", replicas_.Name(d));
      watched_.failed |= report.mismatch_count > 0;
    }
    return absl::OkStatus();
  }

  absl::Status Profile() {
    std::vector<std::unique_ptr<Profiler>> profilers(replicas_.device_count());
    progress_.Set("profiling");
    // One at a time, so that none is slower for another's sake; while one waits it is not its own time.
    const absl::Status ran = RunAgain(1, [&](int d) {
      profilers[d] = std::make_unique<Profiler>(replicas_.machine(d), backend_, module_);
      profilers[d]->set_elsewhere([this, d] { return replicas_.away(d); });
      profilers[d]->Begin();
    });
    for (int d = 0; d < replicas_.device_count(); ++d) {
      const std::unique_ptr<ProfileData> data = profilers[d]->End();
      Say(d, ProfileReportText(*data));
      for (const auto& [path, is_trace] : {std::make_pair(watch_.profile_out, false), std::make_pair(watch_.trace, true)}) {
        if (path.empty()) continue;
        const std::string name = FileOfDevice(path, replicas_.Name(d));
        std::ofstream file(name, std::ios::binary);
        file << (is_trace ? TraceJson(*data) : ProfileJson(*data));
        file.close();
        if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", name));
      }
    }
    return ran;
  }

  // A record, a comparison with one, or a shadow: which member of RunCompare is asked for.
  absl::Status Compare(std::string RunCompare::*what) {
    progress_.Set("comparing");
    Together together(counts_.replicas, counts_.partitions, module_, backend_, &replicas_.account());
    std::vector<RunCompare::Outcome> outcomes(replicas_.device_count());
    const absl::Status ran = together.Run(program_.threads, [&](int d, ExchangePort& port) {
      RunCompare one = watch_.comparing;
      for (std::string RunCompare::*other : {&RunCompare::record, &RunCompare::compare, &RunCompare::shadow}) {
        if (other != what) (one.*other).clear();
      }
      if (what != &RunCompare::shadow) one.*what = FileOfDevice(one.*what, replicas_.Name(d));
      return one.Run(module_, backend_, *run_.inputs().of(d), session_, outcomes[d], &port);
    });
    if (!ran.ok()) return ran;
    for (int d = 0; d < replicas_.device_count(); ++d) {
      Say(d, outcomes[d].text);
      watched_.json[d].update(outcomes[d].json);
      watched_.failed |= outcomes[d].failed;
      if (outcomes[d].compared == nullptr) continue;
      watched_.cases.push_back(RecordCase(*outcomes[d].compared));
      watched_.cases.back().name += absl::StrCat(", ", replicas_.Name(d));
    }
    return absl::OkStatus();
  }

  const DevicesWatch& watch_;
  const Module& module_;
  Backend& backend_;
  const ProgramOptions& program_;
  const SessionOptions& session_;
  const DeviceCounts& counts_;
  DeviceRun& run_;
  Replicas& replicas_;
  DevicesWatched& watched_;
  Progress progress_;
};

}  // namespace

std::string FileOfDevice(const std::string& path, const std::string& device) {
  const size_t slash = path.rfind('/'), dot = path.rfind('.');
  const size_t at = dot == std::string::npos || (slash != std::string::npos && dot < slash) ? path.size() : dot;
  return absl::StrCat(path.substr(0, at), "_", absl::StrReplaceAll(device, {{", ", "_"}, {" ", "_"}}), path.substr(at));
}

absl::Status WatchDevices(const DevicesWatch& watch, const Module& module, Backend& backend, const ProgramOptions& program, const SessionOptions& session, const DeviceCounts& counts,
                          DeviceRun& run, DevicesWatched& watched) {
  return Watcher(watch, module, backend, program, session, counts, run, watched).Run();
}

}  // namespace hloscope::cli
