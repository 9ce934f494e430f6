#include "app/cli/run_devices_watch.h"

#include <fstream>
#include <functional>
#include <memory>

#include "absl/strings/str_cat.h"
#include "app/cli/check_text.h"
#include "app/cli/difference_text.h"
#include "app/cli/number_json.h"
#include "app/cli/profile_report.h"
#include "app/cli/progress.h"
#include "app/cli/run_report.h"
#include "backends/exchange/together.h"
#include "core/debug/check.h"
#include "core/debug/device_names.h"
#include "core/debug/exchange_log.h"
#include "core/debug/profile.h"
#include "core/debug/record.h"
#include "core/debug/shadow.h"
#include "core/debug/text_util.h"
#include "core/debug/twin.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

class Watcher {
 public:
  Watcher(const DevicesWatch& watch, const Module& module, Backend& backend, const ProgramOptions& program, const SessionOptions& session, const DeviceCounts& counts, DeviceRun& run,
          bool stops, DevicesWatched& watched)
      : watch_(watch), module_(module), backend_(backend), program_(program), session_(session), counts_(counts), run_(run), replicas_(run.replicas()), stops_(stops), watched_(watched) {}

  absl::Status Run() {
    watched_.json.assign(replicas_.device_count(), ordered_json::object());
    for (int d = 0; d < replicas_.device_count(); ++d) {
      const Device device = replicas_.device(d);
      watched_.json[d] = {{"replica", device.replica}, {"partition", device.partition}};
    }
    absl::Status status;
    if (watch_.timed() && !stops_) status = Profile();
    if (status.ok() && watch_.samples != 0 && !stops_) status = Check();
    // One after the other: devices come to the same exchanges then.
    const RunCompare& all = watch_.comparing;
    for (std::string RunCompare::*what : {&RunCompare::record, &RunCompare::compare}) {
      if (status.ok() && !(all.*what).empty()) status = Compare(what);
    }
    if (status.ok() && !all.shadow.empty()) status = Shadow();
    progress_.Set("");
    return status;
  }

 private:
  // What is said of a device, made in the process where it runs.
  struct Report {
    std::string text, notes;
    ordered_json json = ordered_json::object();
    bool failed = false;
    std::vector<JunitCase> cases;
  };

  static std::string Packed(const Report& report) {
    ordered_json j = {
        {"text", report.text}, {"notes", report.notes}, {"json", report.json}, {"failed", report.failed}, {"cases", ordered_json::array()}};
    for (const JunitCase& c : report.cases) j["cases"].push_back({c.name, static_cast<int>(c.outcome), c.message, c.text});
    return j.dump(-1, ' ', false, ordered_json::error_handler_t::replace);
  }

  void Take(int device, const std::string& packed) {
    const ordered_json j = ordered_json::parse(packed, nullptr, /*allow_exceptions=*/false);
    if (!j.is_object()) return;
    const std::string name = replicas_.Name(device), notes = j["notes"];
    absl::StrAppend(&watched_.text, name, ":\n", j["text"].get<std::string>());
    if (!notes.empty()) absl::StrAppend(&watched_.notes, name, ": ", notes);
    watched_.json[device].update(j["json"]);
    watched_.failed |= j["failed"].get<bool>();
    for (const ordered_json& c : j["cases"]) {
      JunitCase& of_device = watched_.cases.emplace_back();
      of_device.name = absl::StrCat(c[0].get<std::string>(), ", ", name);
      of_device.outcome = static_cast<JunitCase::Outcome>(c[1].get<int>());
      of_device.message = c[2];
      of_device.text = c[3];
    }
  }

  // All devices to the end once more; `begin` before they run, `report` when one has come to its end. An error of it is the device's.
  absl::Status RunAgain(int threads, const std::function<void(int device)>& begin,
                        const std::function<absl::StatusOr<Report>(int device)>& report) {
    if (absl::Status started = run_.Start(); !started.ok()) {
      watched_.left = true;
      return started;
    }
    replicas_.account().ResetPeak();
    for (int d = 0; d < replicas_.device_count(); ++d) {
      if (replicas_.IsHere(d)) begin(d);
    }
    replicas_.set_at_end([&report](int device, DeviceEnd& end) {
      const absl::StatusOr<Report> made = report(device);
      end.status = made.status();
      if (made.ok()) end.report = Packed(*made);
    });
    const Replicas::Outcome outcome = replicas_.Run(threads);
    replicas_.set_at_end(nullptr);
    if (!outcome.finished && outcome.device < 0) return absl::CancelledError("the first process tells of it");
    if (!outcome.finished)
      return absl::Status(outcome.status.code(), absl::StrCat(replicas_.Name(outcome.device), ": ", outcome.status.message()));
    for (size_t d = 0; d < replicas_.ends().size(); ++d) Take(static_cast<int>(d), replicas_.ends()[d].report);
    return absl::OkStatus();
  }

  absl::Status Check() {
    CheckOptions check;
    check.samples = watch_.samples;
    check.threads = program_.threads;
    std::vector<std::unique_ptr<RegionChecker>> checkers(replicas_.device_count());
    progress_.Set("checking");
    const auto begin = [&](int d) {
      checkers[d] = std::make_unique<RegionChecker>(backend_, check);
      replicas_.machine(d).set_region_observer([checker = checkers[d].get()](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
        return checker->Observe(frame, region, kernel, inputs, result);
      });
    };
    const absl::Status ran = RunAgain(0, begin, [&](int d) -> absl::StatusOr<Report> {
      const CheckReport& found = checkers[d]->report();
      Report report;
      report.text = CheckText(found);
      report.notes = CheckNotes(found);
      report.json["checked_elements"] = found.checked_elements;
      report.json["unchecked_nonfinite"] = found.unchecked_nonfinite;
      report.json["unchecked_exchanged"] = found.unchecked_exchanged;
      report.json["mismatches"] = MismatchesJson(found);
      report.cases.push_back(CheckCase(found));
      report.failed = found.mismatch_count > 0;
      return report;
    });
    for (int d = 0; d < replicas_.device_count(); ++d) {
      if (replicas_.IsHere(d)) replicas_.machine(d).set_region_observer(nullptr);
    }
    return ran;
  }

  absl::Status Profile() {
    std::vector<std::unique_ptr<Profiler>> profilers(replicas_.device_count());
    progress_.Set("profiling");
    // One at a time, so that none is slower for another's sake; while one waits it is not its own time.
    const auto begin = [&](int d) {
      profilers[d] = std::make_unique<Profiler>(replicas_.machine(d), backend_, module_);
      profilers[d]->set_elsewhere([this, d] { return replicas_.away(d); });
      profilers[d]->Begin();
    };
    return RunAgain(1, begin, [&](int d) -> absl::StatusOr<Report> {
      const std::unique_ptr<ProfileData> data = profilers[d]->End();
      Report report;
      report.text = absl::StrCat(ProfileReportText(*data), "\n", kExchangeTimes);
      for (const auto& [path, is_trace] : {std::make_pair(watch_.profile_out, false), std::make_pair(watch_.trace, true)}) {
        if (path.empty()) continue;
        const std::string name = FileOfDevice(path, replicas_.Name(d));
        std::ofstream file(name, std::ios::binary);
        file << (is_trace ? TraceJson(*data) : ProfileJson(*data));
        file.close();
        if (!file) return absl::UnavailableError(absl::StrCat("cannot write ", name));
      }
      return report;
    });
  }

  // A record or a comparison with one: which member of RunCompare is asked for.
  absl::Status Compare(std::string RunCompare::*what) {
    progress_.Set("comparing");
    Together together(counts_.replicas, counts_.partitions, module_, backend_, &replicas_.account(), replicas_.across());
    std::vector<RunCompare::Outcome> outcomes(replicas_.device_count());
    const absl::Status ran = together.Run(program_.threads, [&](int d, ExchangePort& port, std::string*) -> absl::Status {
      RunCompare one = watch_.comparing;
      for (std::string RunCompare::*other : {&RunCompare::record, &RunCompare::compare, &RunCompare::shadow}) {
        if (other != what) (one.*other).clear();
      }
      one.*what = FileOfDevice(one.*what, replicas_.Name(d));
      return one.Run(module_, backend_, *run_.inputs().of(d), session_, outcomes[d], &port, stops_);
    });
    return ran.ok() || stops_ ? Tell(together, outcomes) : ran;
  }

  static Report ReportOf(const RunCompare::Outcome& outcome) {
    Report report;
    report.text = outcome.text;
    report.json = outcome.json;
    report.failed = outcome.failed;
    if (outcome.compared != nullptr) report.cases.push_back(RecordCase(*outcome.compared));
    return report;
  }

  // By each process of its devices, in a run of its own, in which they exchange nothing: it comes to its end.
  absl::Status Tell(Together& together, const std::vector<RunCompare::Outcome>& outcomes) {
    const absl::Status told = together.Run(program_.threads, [&](int d, ExchangePort&, std::string* packed) {
      *packed = Packed(ReportOf(outcomes[d]));
      return absl::OkStatus();
    });
    for (int d = 0; told.ok() && d < replicas_.device_count(); ++d) Take(d, together.reports()[d]);
    return told;
  }

  // Of all devices: each operation's own error first, and what accumulates in a run of its own.
  absl::Status Shadow() {
    progress_.Set("measuring");
    std::vector<ShadowReport> reports(replicas_.device_count());
    std::vector<absl::Status> failed(replicas_.device_count());  // with nothing measured
    std::vector<std::unique_ptr<ExchangeLog>> logs(replicas_.device_count());
    Together together(counts_.replicas, counts_.partitions, module_, backend_, &replicas_.account(), replicas_.across());
    const absl::Status measured = together.Run(program_.threads, [&](int d, ExchangePort& port, std::string*) -> absl::Status {
      logs[d] = std::make_unique<ExchangeLog>(port);
      absl::StatusOr<ShadowReport> report =
          watch_.comparing.MeasureOwn(RunOf(d, watch_.comparing.accumulated ? logs[d]->kept() : port));
      if (!report.ok()) return failed[d] = report.status();
      reports[d] = *std::move(report);
      return reports[d].ended;
    });
    if (!measured.ok() && !stops_) return measured;
    if (watch_.comparing.accumulated && !stops_) Accumulate(logs, reports);
    std::vector<RunCompare::Outcome> outcomes(replicas_.device_count());
    for (int d = 0; d < replicas_.device_count(); ++d) {
      if (failed[d].ok()) RunCompare::Tell(reports[d], outcomes[d]);
      else RunCompare::TellError("shadow", failed[d], outcomes[d]);
    }
    return Tell(together, outcomes);
  }

  WatchedRun RunOf(int device, ExchangePort& port) {
    const ProgramInputs& inputs = *run_.inputs().of(device);
    WatchedRun run{module_, backend_, inputs, MachineOptionsOf(session_, inputs)};
    run.options.exchange = &port;
    return run;
  }

  // All devices run the program in f64, each beside its own in the program's types, which is given what it exchanged before. A device on which
  // one of them does not come to its end has the reason in its report.
  void Accumulate(const std::vector<std::unique_ptr<ExchangeLog>>& logs, std::vector<ShadowReport>& reports) {
    absl::StatusOr<std::unique_ptr<Module>> twin = MakeTwin(module_, session_.fill);
    if (!twin.ok()) {
      for (ShadowReport& report : reports) report.accumulated_why = std::string(twin.status().message());
      return;
    }
    const std::unique_ptr<AcrossProcesses> across = replicas_.AcrossWith(**twin, backend_);
    Together together(counts_.replicas, counts_.partitions, **twin, backend_, &replicas_.account(), across.get());
    together
        .Run(program_.threads,
             [&](int d, ExchangePort& port, std::string*) {
               const WatchedRun run = RunOf(d, logs[d]->again());
               const absl::Status added =
                   AddAccumulatedErrors(module_, **twin, backend_, run.inputs, run.options, reports[d], &port);
               if (!added.ok()) reports[d].accumulated_why = std::string(added.message());
               return absl::OkStatus();
             })
        .IgnoreError();  // each device has its own
    twin_ = *std::move(twin);
  }

  const DevicesWatch& watch_;
  const Module& module_;
  Backend& backend_;
  const ProgramOptions& program_;
  const SessionOptions& session_;
  const DeviceCounts& counts_;
  DeviceRun& run_;
  Replicas& replicas_;
  const bool stops_;
  DevicesWatched& watched_;
  std::unique_ptr<Module> twin_;  // the backend knows it
  Progress progress_;
};

}  // namespace

absl::Status WatchDevices(const DevicesWatch& watch, const Module& module, Backend& backend, const ProgramOptions& program, const SessionOptions& session, const DeviceCounts& counts,
                          DeviceRun& run, bool stops, DevicesWatched& watched) {
  return Watcher(watch, module, backend, program, session, counts, run, stops, watched).Run();
}

}  // namespace hloscope::cli
