// hloscope bench: how fast programs run here: compiling with and without the disk cache, the first run, the best and the median of many, one
// thread beside all of them, whether the results are right, and which kernels take the time. Not for one run and what came out (run.cc).
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "app/cli/arguments.h"
#include "app/cli/bench_programs.h"
#include "app/cli/check_text.h"
#include "app/cli/donated_inputs.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "backends/exchange/run_parallel.h"
#include "core/debug/check.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"
#include "core/exec/live.h"
#include "core/ir/written_names.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct BenchOptions {
  std::vector<std::string> files;
  int repeat = 10;
  double seconds = 0.5;
  int64_t samples = 64;
  bool scaling = false, json = false;
  ProgramOptions program;
  DonatedInputs inputs;
};

struct KernelTime {
  std::string instruction, kernel;  // "%x in body"; what runs it
  int64_t times = 0;
  double ms = 0;
  int64_t bytes = 0;  // of what it took and made
};

struct Times {
  std::vector<double> run_ms;  // in the order of the runs
  double best = 0, median = 0;
};

struct Figures {
  std::string file, module, error;
  int64_t instructions = 0, kernels = 0, peak_bytes = 0;
  LiveSet live;  // what a run cannot do without
  double load_ms = 0, cold_ms = 0, warm_ms = 0, first_ms = 0;
  Times times;
  std::optional<Times> one_thread;
  bool same_bits = true;  // of the results of one thread and of all
  CheckReport check;
  std::vector<KernelTime> kernel_times;  // of one run, longest first
  bool failed() const { return !error.empty() || check.mismatch_count > 0 || !same_bits; }
};

// A folder of its own for compiled kernels, gone at the end.
class EmptyCache {
 public:
  EmptyCache() {
    std::string name = (std::filesystem::temp_directory_path() / "hloscope-bench-").string() + std::string(6, 'X');  // as mkdtemp wants it
    if (mkdtemp(name.data()) != nullptr) path_ = name;
  }
  ~EmptyCache() {
    std::error_code ignored;
    if (!path_.empty()) std::filesystem::remove_all(path_, ignored);
  }
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

class Bench {
 public:
  Bench(BenchOptions& o, const Module& module, Progress& progress, Figures& figures) : o_(o), module_(module), progress_(progress), f_(figures) {}

  absl::Status Measure(const std::vector<Value>& snapshot) {
    absl::StatusOr<SessionOptions> session = o_.program.ToSession();
    if (!session.ok()) return session.status();
    session->arguments = snapshot;
    absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(module_, *session);
    if (!inputs.ok()) return inputs.status();
    inputs_ = *std::move(inputs);
    machine_options_.memory_limit = session->memory_limit;
    machine_options_.max_iterations = session->max_iterations;
    machine_options_.seed = session->fill.seed;
    machine_options_.fill = session->fill;
    machine_options_.custom_calls = &inputs_->custom_calls();
    machine_options_.infeed = inputs_->infeed();
    if (absl::Status s = o_.inputs.Choose(module_, false); !s.ok()) return s;

    const EmptyCache cache;
    ProgramOptions program = o_.program;
    program.cache_directory = cache.path();
    if (absl::Status s = Cold(program); !s.ok()) return s;
    if (absl::Status s = Warm(program); !s.ok()) return s;
    return o_.scaling ? OneThread(program) : absl::OkStatus();
  }

 private:
  struct Running {
    std::unique_ptr<Backend> backend;
    std::unique_ptr<Machine> machine;
    double compile_ms = 0;
  };

  // A backend and a machine as a process has them after its start, everything compiled.
  absl::StatusOr<Running> Start(const ProgramOptions& program, bool time_instructions = false) {
    Running r;
    absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(program);
    if (!backend.ok()) return backend.status();
    r.backend = *std::move(backend);
    MachineOptions options = machine_options_;
    options.time_instructions = time_instructions;
    AllowRunParallel(options, *r.backend, program.threads);
    r.machine = std::make_unique<Machine>(module_, *r.backend, std::move(options));
    const Clock::time_point begin = Clock::now();
    r.machine->PrepareAll();
    r.compile_ms = Milliseconds(begin);
    return r;
  }

  absl::StatusOr<double> RunOnce(Machine& machine) {
    absl::StatusOr<std::vector<Value>> given = o_.inputs.Take(machine.account(), false);
    if (!given.ok()) return given.status();
    if (absl::Status s = machine.Start(*std::move(given), o_.inputs.numbers()); !s.ok()) return s;
    machine.account().ResetPeak();
    const Clock::time_point begin = Clock::now();
    const StopReason reason = machine.Run();
    const double ms = Milliseconds(begin);
    if (reason != StopReason::kFinished) return machine.status().ok() ? absl::CancelledError("the run was interrupted") : machine.status();
    return ms;
  }

  absl::StatusOr<Times> Repeat(Machine& machine) {
    Times times;
    constexpr int kWarmUps = 2, kMost = 1000;
    for (int r = 0; r < kWarmUps; ++r) {
      if (absl::StatusOr<double> ms = RunOnce(machine); !ms.ok()) return ms.status();
    }
    const Clock::time_point begin = Clock::now();
    while (static_cast<int>(times.run_ms.size()) < o_.repeat || (Milliseconds(begin) < o_.seconds * 1e3 && times.run_ms.size() < kMost)) {
      absl::StatusOr<double> ms = RunOnce(machine);
      if (!ms.ok()) return ms.status();
      times.run_ms.push_back(*ms);
    }
    std::vector<double> sorted = times.run_ms;
    std::sort(sorted.begin(), sorted.end());
    times.best = sorted.front();
    times.median = sorted.size() % 2 == 1 ? sorted[sorted.size() / 2] : (sorted[sorted.size() / 2 - 1] + sorted[sorted.size() / 2]) / 2;
    return times;
  }

  // The compiler at work, and the first run.
  absl::Status Cold(const ProgramOptions& program) {
    progress_.Set(absl::StrCat(f_.file, ": compiling"));
    absl::StatusOr<Running> r = Start(program);
    if (!r.ok()) return r.status();
    progress_.Set(absl::StrCat(f_.file, ": making inputs"));
    if (absl::Status s = o_.inputs.Make(*inputs_, r->machine->account(), true); !s.ok()) return s;
    f_.cold_ms = r->compile_ms;
    progress_.Set(absl::StrCat(f_.file, ": running"));
    absl::StatusOr<double> first = RunOnce(*r->machine);
    if (!first.ok()) return first.status();
    f_.first_ms = *first;
    f_.kernels = r->backend->stats().kernels_compiled;
    f_.peak_bytes = r->machine->account().peak();
    return o_.samples == 0 ? absl::OkStatus() : Check(*r);
  }

  // Kernels come from the disk cache; then the runs that count.
  absl::Status Warm(const ProgramOptions& program) {
    absl::StatusOr<Running> r = Start(program);
    if (!r.ok()) return r.status();
    f_.warm_ms = r->compile_ms;
    progress_.Set(absl::StrCat(f_.file, ": running"));
    absl::StatusOr<Times> times = Repeat(*r->machine);
    if (!times.ok()) return times.status();
    f_.times = *std::move(times);
    result_ = r->machine->result();
    return KernelTimes(program);
  }

  absl::Status OneThread(ProgramOptions program) {
    program.threads = 1;
    progress_.Set(absl::StrCat(f_.file, ": running on one thread"));
    absl::StatusOr<Running> r = Start(program);
    if (!r.ok()) return r.status();
    absl::StatusOr<Times> times = Repeat(*r->machine);
    if (!times.ok()) return times.status();
    f_.one_thread = *std::move(times);
    f_.same_bits = Value::BitEqual(result_, r->machine->result());
    return absl::OkStatus();
  }

  absl::Status Check(Running& r) {
    progress_.Set(absl::StrCat(f_.file, ": checking"));
    CheckOptions options;
    options.samples = o_.samples;
    options.threads = o_.program.threads;
    RegionChecker checker(*r.backend, options);
    r.machine->set_region_observer([&](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
      return checker.Observe(frame, region, kernel, inputs, result);
    });
    absl::Status started = r.machine->Start(o_.inputs.values());
    if (started.ok() && r.machine->Run() != StopReason::kFinished) started = r.machine->status();
    r.machine->set_region_observer(nullptr);
    f_.check = checker.report();
    return started;
  }

  // A run of its own, after one to warm up.
  absl::Status KernelTimes(const ProgramOptions& program) {
    absl::StatusOr<Running> r = Start(program, true);
    if (!r.ok()) return r.status();
    absl::flat_hash_map<const Instruction*, std::string> kernels;
    for (int round = 0; round < 2; ++round) {
      r->machine->set_light_region_observer([&](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value>, const Value&) {
        const Instruction* root = frame.computation->schedule[region.root];
        if (kernel != nullptr && !kernels.contains(root)) kernels.emplace(root, kernel->description());
        return absl::OkStatus();
      });
      if (absl::StatusOr<double> ms = RunOnce(*r->machine); !ms.ok()) return ms.status();
    }
    for (const auto& [instruction, entry] : r->machine->profile()) {
      if (entry.seconds <= 0) continue;
      const auto kernel = kernels.find(instruction);
      f_.kernel_times.push_back({absl::StrCat(ShownName(*instruction), " in ", instruction->parent->name), kernel == kernels.end() ? "-" : kernel->second, entry.count,
                                 entry.seconds * 1e3, entry.bytes});
    }
    std::sort(f_.kernel_times.begin(), f_.kernel_times.end(), [](const KernelTime& a, const KernelTime& b) { return a.ms != b.ms ? a.ms > b.ms : a.instruction < b.instruction; });
    return absl::OkStatus();
  }

  BenchOptions& o_;
  const Module& module_;
  Progress& progress_;
  Figures& f_;
  std::unique_ptr<ProgramInputs> inputs_;
  MachineOptions machine_options_;
  Value result_;
};

std::string TableHead(const BenchOptions& o) {
  return absl::StrFormat("%-24s %9s %9s %9s %9s %9s%s %10s %8s %6s\n", "program", "cold ms", "cached ms", "first ms", "best ms", "median", o.scaling ? "  1 thread speed-up" : "", "peak",
                         "checked", "wrong");
}

std::string TableRow(const BenchOptions& o, const Figures& f) {
  std::string name = std::filesystem::path(f.file).stem().string();
  if (name.size() > 24) name = absl::StrCat(name.substr(0, 21), "...");
  if (!f.error.empty()) return absl::StrFormat("%-24s failed: %s\n", name, f.error);
  std::string text = absl::StrFormat("%-24s %9.1f %9.1f %9.2f %9.3f %9.3f", name, f.cold_ms, f.warm_ms, f.first_ms, f.times.best, f.times.median);
  if (o.scaling) absl::StrAppendFormat(&text, " %9.3f %8.2f", f.one_thread->median, f.one_thread->median / f.times.median);
  absl::StrAppendFormat(&text, " %10s %8d %6d\n", FormatByteCount(f.peak_bytes), f.check.checked_elements, f.check.mismatch_count);
  if (!f.same_bits) absl::StrAppend(&text, "  the result on one thread has other bits\n");
  return text;
}

std::string KernelTable(const Figures& f) {
  constexpr size_t kRows = 20;
  double total = 0;
  for (const KernelTime& k : f.kernel_times) total += k.ms;
  std::string text = absl::StrFormat("kernels by time\n%10s %8s %8s %8s  %s\n", "ms", "share", "times", "GB/s", "kernel of instruction");
  for (size_t i = 0; i < std::min(kRows, f.kernel_times.size()); ++i) {
    const KernelTime& k = f.kernel_times[i];
    absl::StrAppendFormat(&text, "%10.3f %7.1f%% %8d %8.1f  %s: %s\n", k.ms, 100 * k.ms / total, k.times, k.bytes / k.ms * 1e-6, k.instruction, k.kernel);
  }
  if (f.kernel_times.size() > kRows) absl::StrAppend(&text, "(", f.kernel_times.size() - kRows, " more)\n");
  return text;
}

ordered_json Json(const Figures& f) {
  ordered_json j = {{"file", f.file}, {"module", f.module}, {"instructions", f.instructions}, {"error", f.error.empty() ? ordered_json() : ordered_json(f.error)}, {"load_ms", f.load_ms}};
  if (!f.error.empty()) return j;
  j["compile_cold_ms"] = f.cold_ms;
  j["compile_cached_ms"] = f.warm_ms;
  j["kernels"] = f.kernels;
  j["first_run_ms"] = f.first_ms;
  j["run_ms"] = f.times.run_ms;
  j["best_ms"] = f.times.best;
  j["median_ms"] = f.times.median;
  if (f.one_thread.has_value()) {
    j["one_thread_best_ms"] = f.one_thread->best;
    j["one_thread_median_ms"] = f.one_thread->median;
    j["one_thread_same_bits"] = f.same_bits;
  }
  j["peak_bytes"] = f.peak_bytes;
  j["parameter_bytes"] = f.live.parameter_bytes;
  j["largest_live_bytes"] = f.live.largest_bytes;
  j["checked_elements"] = f.check.checked_elements;
  j["unchecked_nonfinite"] = f.check.unchecked_nonfinite;
  j["mismatches"] = f.check.mismatch_count;
  j["kernels_by_time"] = ordered_json::array();
  for (const KernelTime& k : f.kernel_times) {
    j["kernels_by_time"].push_back({{"instruction", k.instruction}, {"kernel", k.kernel}, {"times", k.times}, {"total_ms", k.ms}, {"bytes", k.bytes}});
  }
  return j;
}

// Nullopt: the program cannot be used, and `status` is the exit status.
std::optional<Figures> MeasureOne(BenchOptions& o, const std::string& name, Loaded loaded, Progress& progress, int& status) {
  if (!loaded.ok()) {
    progress.Set("");
    ReportProblems(loaded);
    status = kUsage;
    return std::nullopt;
  }
  Figures f;
  f.file = name;
  f.module = loaded.module->name;
  f.instructions = loaded.module->instruction_count();
  f.load_ms = loaded.load_ms + loaded.verify_ms;
  f.live = LargestLiveSet(*loaded.module);
  const DeviceCounts devices = CountDevices(o.program, *loaded.module);
  absl::Status measured = devices.several() ? absl::UnimplementedError(absl::StrCat("it runs on ", Count(devices.replicas * devices.partitions, "device"), ", and bench measures one; add --replicas 1 --partitions 1"))
                                            : Bench(o, *loaded.module, progress, f).Measure(loaded.arguments);
  if (!measured.ok()) {
    f.error = std::string(measured.message());
    if (absl::IsInvalidArgument(measured) || absl::IsNotFound(measured)) status = kUsage;
  }
  if (f.failed() && status == kOk) status = kFailed;
  progress.Set("");
  return f;
}

}  // namespace

int Run_bench(const std::vector<std::string>& args) {
  OptionParser app("Measures programs, or the project's own when none is given.", "hloscope bench");
  BenchOptions o;
  app.add_option("FILE", o.files, "programs; - reads standard input");
  app.add_option("--repeat", o.repeat, "measures at least N runs")->type_name("N")->capture_default_str();
  app.add_option("--seconds", o.seconds, "and goes on for so long")->type_name("S")->capture_default_str();
  app.add_option("--check", o.samples, "compares N sampled elements of every result with the reference (0: none)")->type_name("N")->capture_default_str();
  app.add_flag("--scaling", o.scaling, "measures one thread too, and compares the results bit for bit");
  app.add_flag("--json", o.json, "one JSON object on standard output");
  o.inputs.AddTo(app);
  o.program.AddTo(app);
  if (const auto status = app.Parse(args)) return *status;
  if (o.repeat < 1) return UsageError("--repeat takes a number of at least 1");
  if (!(o.seconds >= 0) || !std::isfinite(o.seconds)) return UsageError("--seconds takes a number of at least 0");
  if (o.samples < 0) return UsageError("--check takes a number of samples, or 0 for none");
  if (absl::StatusOr<SessionOptions> session = o.program.ToSession(); !session.ok()) return UsageError(std::string(session.status().message()));
  if (absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(o.program); !backend.ok()) return UsageError(std::string(backend.status().message()));
  int status = kOk;
  std::vector<Figures> all;
  const auto measure = [&](const std::string& name, Loaded loaded, Progress& progress) {
    std::optional<Figures> f = MeasureOne(o, name, std::move(loaded), progress, status);
    if (!f.has_value()) return;
    if (!o.json) {
      if (all.empty()) std::fputs(TableHead(o).c_str(), stdout);
      std::fputs(TableRow(o, *f).c_str(), stdout);
      std::fflush(stdout);
      for (const Mismatch& m : f->check.mismatches) std::fprintf(stderr, "%s: %%%s is wrong\n", name.c_str(), m.instruction.c_str());
    }
    all.push_back(*std::move(f));
  };
  Progress progress;
  for (const std::string& file : o.files) measure(file, Load(file), progress);
  if (o.files.empty()) {
    for (const BenchProgram& program : BenchPrograms()) measure(program.name, LoadText(program.name, program.text), progress);
  }
  if (o.json) {
    ordered_json j = {{"threads", o.program.threads}, {"programs", ordered_json::array()}};
    for (const Figures& f : all) j["programs"].push_back(Json(f));
    std::printf("%s\n", j.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else if (o.files.size() == 1 && all.size() == 1 && all[0].error.empty()) {
    std::printf("\n%s", KernelTable(all[0]).c_str());
  }
  return status;
}

}  // namespace hloscope::cli
