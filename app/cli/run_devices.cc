#include "app/cli/run_devices.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "app/cli/caught.h"
#include "app/cli/device_run.h"
#include "app/cli/junit.h"
#include "app/cli/progress.h"
#include "app/cli/run_report.h"
#include "app/cli/verb.h"
#include "backends/exchange/run_parallel.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/npy.h"
#include "core/literal/statistics.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

void Leaves(const Value& value, std::vector<Value>& leaves) {
  for (const Value& element : value.elements()) Leaves(element, leaves);
  if (value.shape().IsArray()) leaves.push_back(value);
}
std::vector<Value> Leaves(const Value& value) {
  std::vector<Value> leaves;
  Leaves(value, leaves);
  return leaves;
}

// The diagnostic of a device that failed, with its place; what else waits follows in lines of its own.
std::string StopText(const Module& module, const std::string& device, const Replicas::Outcome& outcome) {
  const std::string message(outcome.status.message());
  if (outcome.at.instruction == nullptr) return absl::StrCat("hloscope: ", device, " stopped with an error: ", message, "\n");
  return ErrorAt(module, *outcome.at.instruction, absl::StrCat(device, " stopped with an error at ", outcome.at.Text(), ": ", message));
}

absl::Status WriteOutputs(const std::string& path, Replicas& replicas) {
  absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(path);
  if (!writer.ok()) return writer.status();
  for (int d = 0; d < replicas.device_count(); ++d) {
    const std::vector<Value> outputs = Leaves(replicas.ends()[d].result);
    const std::string device = absl::StrReplaceAll(replicas.Name(d), {{", ", "_"}, {" ", "_"}});
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (absl::Status s = (*writer)->Add(absl::StrCat(device, "_output_", i), outputs[i]); !s.ok()) return s;
    }
  }
  return (*writer)->Close();
}

struct Figures {
  std::vector<double> run_ms;
  double compile_ms = 0;
  int64_t executed = 0, peak_bytes = 0;
};

ordered_json Json(const Module& module, const Loaded& loaded, const DeviceCounts& devices, DeviceRun& run, Backend& backend, const Figures& figures, const Replicas::Outcome& outcome) {
  Replicas& replicas = run.replicas();
  const BackendStats stats = backend.stats();
  ordered_json j = {{"module", module.name}, {"replicas", devices.replicas}, {"partitions", devices.partitions}, {"instructions", module.instruction_count()}, {"executed", figures.executed},
                    {"load_ms", loaded.load_ms}, {"verify_ms", loaded.verify_ms}, {"compile_ms", stats.compile_ms}, {"run_ms", figures.run_ms}, {"kernels_compiled", stats.kernels_compiled},
                    {"kernels_cached", stats.kernels_from_cache}, {"peak_bytes", figures.peak_bytes}};
  j["error"] = ordered_json();
  j["outputs"] = ordered_json::array();
  if (!outcome.finished) {
    const Device device = replicas.device(outcome.device);
    j["error"] = {
        {"replica", device.replica},
        {"partition", device.partition},
        {"instruction", outcome.at.instruction != nullptr ? ordered_json(NameInText(*outcome.at.instruction)) : ordered_json()},
        {"place", outcome.at.Text()},
        {"message", std::string(outcome.status.message())}};
    return j;
  }
  for (int d = 0; d < replicas.device_count(); ++d) {
    const Device device = replicas.device(d);
    for (const Value& output : Leaves(replicas.ends()[d].result)) {
      const Statistics s = Summarize(output);
      const bool any = s.finite > 0;
      j["outputs"].push_back({{"replica", device.replica}, {"partition", device.partition}, {"shape", output.shape().ToString(false)}, {"min", any ? ordered_json(s.min) : ordered_json()},
                              {"max", any ? ordered_json(s.max) : ordered_json()}, {"mean", !any ? ordered_json() : std::isfinite(s.mean) ? ordered_json(s.mean) : ordered_json(FormatDouble(s.mean))},
                              {"nan", s.nan}, {"inf", s.inf}});
    }
  }
  return j;
}

void PrintText(const Module& module, const Loaded& loaded, const DeviceCounts& devices, DeviceRun& run, Backend& backend, const Figures& figures, const Replicas::Outcome& outcome) {
  constexpr int kShown = 64;
  Replicas& replicas = run.replicas();
  const BackendStats stats = backend.stats();
  std::printf("%s: %s on %s and %s, %lld executed on %s\n", module.name.c_str(), Count(module.instruction_count(), "instruction").c_str(), Count(devices.replicas, "replica").c_str(),
              Count(devices.partitions, "partition").c_str(), static_cast<long long>(figures.executed), std::string(backend.name()).c_str());
  std::printf("%s\n", run.Summary().c_str());
  std::printf("load %.1f ms, verify %.1f ms, compile %.1f ms (%s compiled, %lld cached)\n", loaded.load_ms, loaded.verify_ms, stats.compile_ms, Count(stats.kernels_compiled, "kernel").c_str(),
              static_cast<long long>(stats.kernels_from_cache));
  if (outcome.finished) std::printf("run %s ms\n", absl::StrJoin(figures.run_ms, ", ", [](std::string* out, double ms) { absl::StrAppendFormat(out, "%.3f", ms); }).c_str());
  std::printf("peak %s of values and scratch, of all devices%s\n", FormatByteCount(figures.peak_bytes).c_str(), run.elsewhere() ? " of the first process" : "");
  int shown = 0, hidden = 0;
  for (int d = 0; d < replicas.device_count() && outcome.finished; ++d) {
    const auto print = [&](absl::string_view what, size_t i, const Value& value) {
      if (++shown > kShown) {
        ++hidden;
        return;
      }
      std::printf("%s, %s %zu: %s  %s\n", replicas.Name(d).c_str(), std::string(what).c_str(), i, value.shape().ToString(false).c_str(), FormatStatistics(Summarize(value)).c_str());
    };
    const std::vector<Value> outputs = Leaves(replicas.ends()[d].result);
    for (size_t i = 0; i < outputs.size(); ++i) print("output", i, outputs[i]);
    const std::vector<Value>& fed = replicas.ends()[d].outfeed;
    for (size_t i = 0; i < fed.size(); ++i) {
      for (const Value& leaf : Leaves(fed[i])) print("outfeed", i, leaf);
    }
  }
  if (hidden > 0) std::printf("(and %d more; --output OUT.npz has all)\n", hidden);
}

// For CI.
absl::Status WriteFiles(const DevicesRun& o, const Module& module, DeviceRun& run, Backend& backend, const Figures& figures, const Replicas::Outcome& outcome, const DevicesWatched& watched) {
  if (o.junit.empty() && o.report.empty()) return absl::OkStatus();
  Replicas& replicas = run.replicas();
  DevicesFacts facts = BeginDevicesFacts(module, o.file, o.devices.replicas, o.devices.partitions, backend.name());
  facts.facts.insert(facts.facts.end(), {
                 {"inputs", run.Summary()},
                 {"executed", absl::StrCat(Count(figures.executed, "instruction"), ", of all devices")},
                 {"memory", absl::StrCat(FormatByteCount(figures.peak_bytes), " of values and scratch at most, of all devices", run.elsewhere() ? " of the first process" : "")}});
  if (!outcome.finished) {
    facts.error = StopText(module, replicas.Name(outcome.device), outcome);
    facts.stopped = outcome.at.instruction;
  }
  for (int d = 0; d < replicas.device_count() && outcome.finished; ++d) facts.results.emplace_back(replicas.Name(d), replicas.ends()[d].result);
  facts.run_ms = figures.run_ms;
  facts.cases = watched.cases;
  return WriteDevicesFiles(facts, o.junit, o.report);
}

// What the processes of a run must agree on beside the program: how many runs follow one another.
std::string PurposeOf(const DevicesRun& o) {
  const RunCompare& c = o.watch.comparing;
  return absl::StrCat(o.repeat, " ", o.watch.samples, " ", o.watch.timed(), " ", !c.record.empty(), !c.compare.empty(), " ", c.shadow, " ", c.accumulated);
}

}  // namespace

int RunOnDevices(const DevicesRun& o, Module& module, const Loaded& loaded) {
  const bool tells = o.processes == nullptr || o.processes->first();
  const auto refuse = [&](int status, const absl::Status& why) {
    if (tells) WriteJunitError(o.junit, o.file, "run", std::string(why.message()));
    if (o.json) std::printf("%s\n", ordered_json({{"error", {{"instruction", nullptr}, {"message", std::string(why.message())}}}, {"errors", ordered_json::array()}}).dump(2).c_str());
    UsageError(std::string(why.message()));
    return status;
  };
  absl::StatusOr<SessionOptions> session = o.program->ToSession(/*several=*/true);
  if (!session.ok()) return refuse(kUsage, session.status());
  session->arguments = loaded.arguments;
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(*o.program);
  if (!backend.ok()) return refuse(kUsage, backend.status());
  std::fputs(ElidedWarning(CountElidedConstants(module)).c_str(), stderr);
  absl::StatusOr<std::unique_ptr<ProgramInputs>> libraries = ProgramInputs::Open(module, *session);
  if (!libraries.ok()) return refuse(kUsage, libraries.status());
  MachineOptions machine;
  machine.memory_limit = session->memory_limit;
  machine.max_iterations = session->max_iterations;
  machine.seed = session->fill.seed;
  machine.fill = session->fill;
  machine.custom_calls = &(*libraries)->custom_calls();
  machine.time_instructions = o.watch.timed();
  AllowRunParallel(machine, **backend, o.program->threads);
  absl::StatusOr<std::unique_ptr<DeviceRun>> made =
      DeviceRun::Create(module, **backend, *o.program, *session, o.devices, std::move(machine),
                        o.processes != nullptr ? &o.processes->link() : nullptr, PurposeOf(o));
  if (!made.ok()) return refuse(kUsage, made.status());
  DeviceRun& run = **made;
  Replicas& replicas = run.replicas();
  Progress progress;
  progress.Set("compiling");
  int here = 0;
  while (!replicas.IsHere(here)) ++here;
  replicas.machine(here).PrepareAll();
  Figures figures;
  Replicas::Outcome outcome;
  for (int r = 0; r < o.repeat; ++r) {
    if (const absl::Status started = run.Start(); !started.ok()) {
      progress.Set("");
      return refuse(kUsage, started);
    }
    if (r == 0) replicas.account().ResetPeak();
    progress.Set(o.repeat > 1 ? absl::StrCat("running, ", r + 1, " of ", o.repeat) : "running");
    const Clock::time_point begin = Clock::now();
    outcome = replicas.Run();
    figures.run_ms.push_back(Milliseconds(begin));
    if (!outcome.finished) break;
  }
  // Of what stops with an error, as far as it comes; where a process has left there is no further run.
  const bool again = o.watch.comparing.any() && (replicas.across() == nullptr || replicas.across()->everyone());
  const bool watches = outcome.finished ? o.watch.any() : again;
  if (o.processes != nullptr && !watches) o.processes->TookPart();
  if (!tells) {  // the first one tells
    DevicesWatched watched;
    const absl::Status done =
        watches ? WatchDevices(o.watch, module, **backend, *o.program, *session, o.devices, run, !outcome.finished, watched) : absl::OkStatus();
    if (watched.left) return refuse(kUsage, done);
    o.processes->TookPart();
    return kOk;
  }
  for (const DeviceEnd& end : replicas.ends()) figures.executed += end.executed;
  figures.peak_bytes = replicas.account().peak();
  progress.Set("");
  std::set<std::string> notices;
  for (const DeviceEnd& end : replicas.ends()) notices.insert(end.notices.begin(), end.notices.end());
  for (const std::string& notice : notices) std::fprintf(stderr, "note: %s\n", notice.c_str());
  if (!outcome.finished) std::fputs(StopText(module, replicas.Name(outcome.device), outcome).c_str(), stderr);
  if (!o.output.empty() && outcome.finished) {
    if (const absl::Status written = WriteOutputs(o.output, replicas); !written.ok()) return refuse(kUsage, written);
  }
  // Runs of their own, so that watching changes none of the figures above.
  DevicesWatched watched;
  if (watches) {
    progress.Set("");
    const absl::Status done = WatchDevices(o.watch, module, **backend, *o.program, *session, o.devices, run, !outcome.finished, watched);
    if (o.processes != nullptr && !watched.left) o.processes->TookPart();
    if (!done.ok()) return refuse(kUsage, done);
  }
  if (const absl::Status told = WriteFiles(o, module, run, **backend, figures, outcome, watched); !told.ok()) return refuse(kUsage, told);
  if (o.json) {
    ordered_json j = Json(module, loaded, o.devices, run, **backend, figures, outcome);
    if (o.catching) j["caught"] = ordered_json();
    if (!watched.json.empty()) j["devices"] = watched.json;
    std::printf("%s\n", j.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else {
    PrintText(module, loaded, o.devices, run, **backend, figures, outcome);
    std::fputs(watched.text.c_str(), stdout);
  }
  std::fputs(watched.notes.c_str(), stderr);
  return outcome.finished && !watched.failed ? kOk : kFailed;
}

}  // namespace hloscope::cli
