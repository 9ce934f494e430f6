// hloscope run: runs a program to the end, and says what came out, how long it took, and (asked to) whether it is right.
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstring>
#include <fstream>
#include <map>
#include <nlohmann/json.hpp>
#include <thread>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "app/cli/arguments.h"
#include "app/cli/caught.h"
#include "app/cli/check_text.h"
#include "app/cli/donated_inputs.h"
#include "app/cli/functions_check.h"
#include "app/cli/junit.h"
#include "app/cli/load.h"
#include "app/cli/number_json.h"
#include "app/cli/processes.h"
#include "app/cli/profile_report.h"
#include "app/cli/progress.h"
#include "app/cli/run_compare.h"
#include "app/cli/run_devices.h"
#include "app/cli/run_devices_catch.h"
#include "app/cli/run_report.h"
#include "app/cli/verb.h"
#include "backends/exchange/run_parallel.h"
#include "core/base/threads.h"
#include "core/debug/catch_list.h"
#include "core/debug/catches.h"
#include "core/debug/check.h"
#include "core/debug/compare_results.h"
#include "core/debug/locations.h"
#include "core/debug/parallel_main.h"
#include "core/debug/profile.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"
#include "core/element/scalar_hazards.h"
#include "core/exec/error_place.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/npy.h"
#include "core/literal/statistics.h"
#include "core/ops/collectives.h"
#include "core/text/proto/hlo_proto.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;
using Clock = std::chrono::steady_clock;

struct RunOptions {
  std::string file, check, catches, output, profile_out, trace, junit, report;
  int repeat = 1;
  bool json = false, profile = false;
  int64_t samples = 0;  // 0: no check; -1: all
  std::vector<CatchRequest> catch_requests;
  ProgramOptions program;
  DonatedInputs inputs;
  RunCompare comparing;
};

struct Outcome {
  std::vector<double> run_ms;
  double first_step_ms = 0;
  int64_t executed = 0, peak_bytes = 0;
  std::string error;           // where and how the program stopped
  ordered_json error_json;     // {"instruction","place","message"}; of a catch without the place
  ordered_json caught_json;    // of --catch; null: nothing was caught
  Value result;
};

absl::Status ParseOptions(RunOptions& o) {
  if (o.repeat < 1) return absl::InvalidArgumentError("--repeat takes a number of at least 1");
  if (o.check == "all") {
    o.samples = -1;
  } else if (!o.check.empty() && (!absl::SimpleAtoi(o.check, &o.samples) || o.samples < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("--check takes a number of samples or all, not ", o.check));
  }
  if (!o.output.empty() && !absl::EndsWith(o.output, ".npz") && !absl::EndsWith(o.output, ".pb")) {
    return absl::InvalidArgumentError(absl::StrCat("--output writes an archive of arrays or a snapshot: name it FILE.npz or FILE.pb, not ", o.output));
  }
  if (!absl::StripAsciiWhitespace(o.catches).empty()) {
    absl::StatusOr<std::vector<CatchRequest>> requests = ParseCatches(o.catches);
    if (!requests.ok()) return absl::InvalidArgumentError(absl::StrCat("--catch ", o.catches, ": ", requests.status().message()));
    o.catch_requests = *std::move(requests);
  }
  return absl::OkStatus();
}

// The object of --json where there is nothing else to say.
void PrintErrorJson(const std::string& message, ordered_json errors) {
  const ordered_json j = {{"error", {{"instruction", nullptr}, {"message", message}}}, {"errors", std::move(errors)}};
  std::printf("%s\n", j.dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
}

int Refuse(const RunOptions& o, int exit_status, const absl::Status& why) {
  const std::string message(why.message());
  WriteJunitError(o.junit, o.file, "run", message);
  if (o.json) PrintErrorJson(message, ordered_json::array());
  UsageError(message);
  return exit_status;
}

// A file that cannot be run, as --json says it.
void PrintLoadJson(const std::string& path, const Loaded& loaded) {
  ordered_json errors = ordered_json::array();
  for (const Diagnostic& d : loaded.sink.diagnostics()) {
    if (d.severity != Severity::kError) continue;
    const LineColumn place = d.range.valid() ? loaded.source->Locate(d.range.begin) : LineColumn();
    errors.push_back({{"line", place.line}, {"column", place.column}, {"message", d.message}});
  }
  PrintErrorJson(loaded.open.ok() ? absl::StrCat(path, " has ", Count(static_cast<int64_t>(errors.size()), "error")) : std::string(loaded.open.message()), errors);
}

void Leaves(const Value& value, std::vector<Value>& leaves) {
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) Leaves(element, leaves);
  } else if (value.shape().IsArray()) {
    leaves.push_back(value);
  }
}

// A diagnostic with its place, as those of reading are.
std::string StopText(const Module& module, const Machine& machine) {
  const Instruction* at = PlaceOfError(machine).instruction;
  std::string text = absl::StrCat("the program stopped with an error", ErrorText(machine));
  if (at == nullptr || module.source == nullptr) return absl::StrCat("hloscope: ", text, "\n");
  return Render({Severity::kError, "", std::move(text), at->name_range.valid() ? at->name_range : at->range, ""}, *module.source);
}

class Runner {
 public:
  Runner(RunOptions& o, Loaded& loaded, std::shared_ptr<Module> module, Clock::time_point start)
      : o_(o), loaded_(loaded), module_(std::move(module)), start_(start) {}

  int Run() {
    absl::StatusOr<SessionOptions> session = o_.program.ToOneDevice();
    if (!session.ok()) return Refuse(o_, kUsage, session.status());
    session->arguments = loaded_.arguments;
    absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(o_.program);
    if (!backend.ok()) return Refuse(o_, kUsage, backend.status());
    backend_ = *std::move(backend);
    absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs = ProgramInputs::Open(*module_, *session);
    if (!inputs.ok()) return Refuse(o_, kUsage, inputs.status());
    inputs_ = *std::move(inputs);
    std::fputs(ElidedWarning(CountElidedConstants(*module_)).c_str(), stderr);

    MachineOptions machine_options;
    machine_options.memory_limit = session->memory_limit;
    machine_options.max_iterations = session->max_iterations;
    machine_options.seed = session->fill.seed;
    machine_options.fill = session->fill;
    machine_options.custom_calls = &inputs_->custom_calls();
    machine_options.infeed = inputs_->infeed();
    machine_options.time_instructions = o_.profile || !o_.trace.empty();
    AllowRunParallel(machine_options, *backend_, o_.program.threads, [this](const std::string& device, Machine& machine) {
      if (functions_ != nullptr) functions_->Begin(device, machine);
    });
    machine_ = std::make_unique<Machine>(*module_, *backend_, std::move(machine_options));
    const int status = Execute();
    progress_.Set("");
    for (const std::string& notice : machine_->TakeNotices()) std::fprintf(stderr, "note: %s\n", notice.c_str());
    if (catches_ != nullptr) {
      for (const std::string& notice : catches_->TakeNotices()) std::fprintf(stderr, "note: %s\n", notice.c_str());
    }
    if (status != kOk) return status;
    return Report();
  }

 private:
  int Fail(const absl::Status& status) {
    progress_.Set("");
    return Refuse(o_, kFailed, status);
  }

  // Of a program that is sure to come to an exchange with devices that this run has not: before inputs are made, which may take minutes.
  int EnoughDevices() {
    const Instruction* exchange = FirstExchange(*module_);
    const std::string options = exchange != nullptr ? OptionsForDevices(*exchange) : "";
    if (options.empty()) return kOk;
    const std::string message = absl::StrCat(ShownName(*exchange), " exchanges data among ", ParticipantCount(*exchange),
                                             " devices, and this run has one replica and one partition; ", options, " has as many as its groups name");
    WriteJunitError(o_.junit, o_.file, "run", message);
    if (o_.json) PrintErrorJson(message, ordered_json::array());
    std::fputs(ErrorAt(*module_, *exchange, message).c_str(), stderr);
    return kFailed;
  }

  int Execute() {
    if (const int enough = EnoughDevices(); enough != kOk) return enough;
    // How soon a person would stand at the first instruction: parameters are made only when they are needed.
    absl::Status started = machine_->Start([this](int number) { return inputs_->Parameter(number, &machine_->account()); });
    if (!started.ok()) return Fail(started);
    machine_->RunTo(0, FirstStop(*module_->entry));
    outcome_.first_step_ms = Milliseconds(start_);

    progress_.Set("making inputs");
    const bool looked_at = o_.samples != 0 || o_.profile || !o_.trace.empty();  // in runs of their own
    absl::Status made = inputs_->CheckRoom();
    if (made.ok()) made = o_.inputs.Choose(*module_, !o_.catch_requests.empty() || !o_.report.empty());
    if (made.ok()) made = o_.inputs.Make(*inputs_, machine_->account(), o_.repeat > 1 || looked_at);
    if (!made.ok()) {
      progress_.Set("");
      return Refuse(o_, kUsage, made);
    }
    progress_.Set("compiling");
    if (!o_.catch_requests.empty()) {
      catches_ = std::make_unique<Catches>(*module_, *backend_);
      catches_->requests() = o_.catch_requests;
      catches_->Attach(*machine_);
    }
    machine_->PrepareAll();
    for (int r = 0; r < o_.repeat; ++r) {
      outcome_.result = Value();
      if (catches_ != nullptr) catches_->Restarted();
      absl::StatusOr<std::vector<Value>> given = o_.inputs.Take(machine_->account(), r + 1 == o_.repeat && !looked_at);
      if (!given.ok()) return Fail(given.status());
      started = machine_->Start(*std::move(given), o_.inputs.numbers());
      if (!started.ok()) return Fail(started);
      if (r == 0) machine_->account().ResetPeak();
      progress_.Set(o_.repeat > 1 ? absl::StrCat("running, ", r + 1, " of ", o_.repeat) : "running");
      const Clock::time_point begin = Clock::now();
      const StopReason reason = machine_->Run();
      outcome_.run_ms.push_back(Milliseconds(begin));
      outcome_.executed = machine_->executed();
      outcome_.peak_bytes = machine_->account().peak();
      if (reason != StopReason::kFinished) {
        if (reason == StopReason::kCaught) SetCaught();
        else SetError();
        return kOk;  // reported below
      }
      outcome_.result = machine_->result();
    }
    if (o_.profile || !o_.trace.empty()) {
      const int profiled = Profile(o_.inputs.values());
      if (profiled != kOk || !outcome_.error.empty()) return profiled;
    }
    if (catches_ != nullptr) {
      catches_->LookAtParameters(*machine_);
      catches_->Detach(*machine_);
    }
    return o_.samples == 0 ? kOk : Check(o_.inputs.values());
  }

  // A run of its own, so that watching changes none of the figures above.
  int Profile(const std::vector<Value>& parameters) {
    machine_->set_region_observer(nullptr);
    progress_.Set("profiling");
    outcome_.result = Value();  // of the run before: it would count as held by this one, which makes it again
    Profiler profiler(*machine_, *backend_, *module_);
    const absl::Status started = machine_->Start(parameters);
    if (!started.ok()) return Fail(started);
    machine_->account().ResetPeak();
    profiler.Begin();
    const StopReason reason = machine_->Run();
    profile_ = profiler.End();
    if (reason == StopReason::kFinished) {
      outcome_.result = machine_->result();
    } else {
      SetError();
    }
    for (const auto& [path, is_trace] : {std::make_pair(o_.profile_out, false), std::make_pair(o_.trace, true)}) {
      if (path.empty()) continue;
      std::ofstream file(path, std::ios::binary);
      file << (is_trace ? TraceJson(*profile_) : ProfileJson(*profile_));
      file.close();
      if (!file) return Refuse(o_, kUsage, absl::UnavailableError(absl::StrCat("cannot write ", path)));
    }
    return kOk;
  }

  // A run of its own, so that watching changes none of the figures above.
  int Check(std::vector<Value> parameters) {
    CheckOptions check;
    check.samples = o_.samples;
    check.threads = o_.program.threads;
    checker_ = std::make_unique<RegionChecker>(*backend_, check);
    functions_ = std::make_unique<FunctionsCheck>(*backend_, check);
    machine_->set_region_observer([this](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
      progress_.Set(absl::StrCat("checking, ", checker_->report().checked_elements, " elements"));
      return checker_->Observe(frame, region, kernel, inputs, result);
    });
    const absl::Status started = machine_->Start(std::move(parameters));
    if (!started.ok()) return Fail(started);
    if (machine_->Run() != StopReason::kFinished) SetError();
    machine_->set_region_observer(nullptr);
    checked_ = checker_->report();
    functions_->AddTo(&checked_);
    return kOk;
  }

  void SetCaught() {
    const Caught& caught = *catches_->caught();
    outcome_.error = CaughtDiagnostic(*module_, caught);
    outcome_.error_json = {{"instruction", NameInText(*caught.instruction)}, {"message", CaughtHeadline(*module_, caught)}};
    outcome_.caught_json = CaughtJson(*module_, caught);
  }

  void SetError() {
    outcome_.error = StopText(*module_, *machine_);
    const ErrorPlace at = PlaceOfError(*machine_);
    outcome_.error_json = {{"instruction", at.instruction != nullptr ? ordered_json(NameInText(*at.instruction)) : ordered_json()},
                           {"place", at.Text()},
                           {"message", std::string(machine_->status().message())}};
  }

  int Report() {
    int status = outcome_.error.empty() ? kOk : kFailed;
    if (!outcome_.error.empty()) std::fputs(outcome_.error.c_str(), stderr);
    if (checked_.mismatch_count > 0) status = kFailed;
    std::vector<Value> outputs;
    if (outcome_.result.has_value()) Leaves(outcome_.result, outputs);
    CompareWithSnapshot();
    if (!differences_.empty()) status = kFailed;
    if (!o_.output.empty() && outcome_.error.empty()) {
      const absl::Status written = absl::EndsWith(o_.output, ".pb") ? WriteSnapshot() : WriteOutputs(outputs);
      if (!written.ok()) return Refuse(o_, kUsage, written);
    }
    if (const bool stopped = !outcome_.error.empty(); o_.comparing.any() && (!stopped || outcome_.caught_json.is_null())) {
      const absl::Status ran = o_.comparing.Run(*module_, *backend_, *inputs_, *o_.program.ToOneDevice(), compared_runs_, nullptr, stopped);
      if (!ran.ok()) return Refuse(o_, kUsage, ran);
      if (compared_runs_.failed) status = kFailed;
    }
    const absl::Status told = WriteFiles();
    if (!told.ok()) return Refuse(o_, kUsage, told);
    if (o_.json) {
      const std::string text = Json(outputs).dump(2, ' ', false, ordered_json::error_handler_t::replace);
      std::printf("%s\n", text.c_str());
    } else {
      PrintText(outputs);
    }
    if (checker_ != nullptr) std::fputs(CheckNotes(checked_).c_str(), stderr);
    return status;
  }

  // For CI.
  absl::Status WriteFiles() {
    RunFacts facts;
    facts.module = module_.get();
    facts.machine = machine_.get();
    facts.inputs = inputs_.get();
    facts.file = o_.file;
    facts.backend = std::string(backend_->name());
    facts.error = outcome_.error;
    if (!outcome_.error.empty()) facts.stopped = PlaceOfError(*machine_).instruction;
    facts.caught = !outcome_.caught_json.is_null();
    if (facts.caught) facts.stopped = catches_->caught()->instruction;
    facts.result = outcome_.result;
    facts.run_ms = outcome_.run_ms;
    if (checker_ != nullptr) facts.check = &checked_;
    facts.compared = compared_;
    facts.differences = &differences_;
    facts.recorded = compared_runs_.compared.get();
    facts.profile = profile_.get();
    absl::Status status;
    if (!o_.junit.empty()) status = WriteRunJunit(facts, o_.junit);
    if (status.ok() && !o_.report.empty()) status = WriteRunReport(facts, o_.report);
    return status;
  }

  // The result that the program brought is only that of the inputs that it brought.
  void CompareWithSnapshot() {
    if (!loaded_.expected.has_value() || !outcome_.result.has_value()) return;
    if (inputs_->from_snapshot() != inputs_->parameter_count()) return;
    compared_ = true;
    differences_ = CompareResults(outcome_.result, loaded_.expected);
  }

  absl::Status WriteSnapshot() {
    std::vector<Value> arguments;
    for (int i = 0; i < inputs_->parameter_count(); ++i) {
      absl::StatusOr<Value> value = inputs_->Parameter(i, nullptr);
      if (!value.ok()) return value.status();
      arguments.push_back(*std::move(value));
    }
    const std::string bytes = WriteHloSnapshot(*module_, arguments, outcome_.result);
    std::ofstream file(o_.output, std::ios::binary);
    file.write(bytes.data(), static_cast<std::streamsize>(bytes.size()));
    file.close();
    return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", o_.output));
  }

  absl::Status WriteOutputs(const std::vector<Value>& outputs) {
    absl::StatusOr<std::unique_ptr<NpzWriter>> writer = NpzWriter::Create(o_.output);
    if (!writer.ok()) return writer.status();
    for (size_t i = 0; i < outputs.size(); ++i) {
      const absl::Status added = (*writer)->Add(absl::StrCat("output_", i), outputs[i]);
      if (!added.ok()) return added;
    }
    return (*writer)->Close();
  }

  ordered_json Json(const std::vector<Value>& outputs) const {
    const BackendStats stats = backend_->stats();
    ordered_json j;
    j["module"] = module_->name;
    j["instructions"] = module_->instruction_count();
    j["executed"] = outcome_.executed;
    j["load_ms"] = loaded_.load_ms;
    j["verify_ms"] = loaded_.verify_ms;
    j["first_step_ms"] = outcome_.first_step_ms;
    j["compile_ms"] = stats.compile_ms;
    j["run_ms"] = outcome_.run_ms;
    j["kernels_compiled"] = stats.kernels_compiled;
    j["kernels_cached"] = stats.kernels_from_cache;
    j["checked_elements"] = checked_.checked_elements;
    j["unchecked_nonfinite"] = checked_.unchecked_nonfinite;
    j["mismatches"] = MismatchesJson(checked_);
    if (compared_) {
      j["snapshot_differences"] = ordered_json::array();
      for (const ResultDifference& d : differences_) j["snapshot_differences"].push_back(ToText(d));
    }
    j["peak_bytes"] = outcome_.peak_bytes;
    j["error"] = outcome_.error_json;
    if (!o_.catch_requests.empty()) {
      j["caught"] = outcome_.caught_json;
      j["given"] = GivenJson(catches_->given());
    }
    j["elided_constants"] = CountElidedConstants(*module_);
    j.update(compared_runs_.json);
    j["outputs"] = ordered_json::array();
    for (const Value& output : outputs) {
      const Statistics s = Summarize(output);
      const bool any = s.finite > 0;
      j["outputs"].push_back({{"shape", output.shape().ToString(false)}, {"min", any ? ordered_json(s.min) : ordered_json()}, {"max", any ? ordered_json(s.max) : ordered_json()},
                              {"mean", any ? Number(s.mean) : ordered_json()}, {"nan", s.nan}, {"inf", s.inf}});
    }
    return j;
  }

  void PrintText(const std::vector<Value>& outputs) const {
    const BackendStats stats = backend_->stats();
    std::printf("%s: %s, %lld executed on %s\n", module_->name.c_str(), Count(module_->instruction_count(), "instruction").c_str(),
                static_cast<long long>(outcome_.executed), std::string(backend_->name()).c_str());
    std::printf("%s\n", inputs_->Summary().c_str());
    std::printf("load %.1f ms, verify %.1f ms, first step after %.1f ms, compile %.1f ms (%s compiled, %lld cached)\n", loaded_.load_ms, loaded_.verify_ms,
                outcome_.first_step_ms, stats.compile_ms, Count(stats.kernels_compiled, "kernel").c_str(), static_cast<long long>(stats.kernels_from_cache));
    if (outcome_.error.empty()) {
      std::printf("run %s ms\n", absl::StrJoin(outcome_.run_ms, ", ", [](std::string* out, double ms) { absl::StrAppendFormat(out, "%.3f", ms); }).c_str());
    }
    std::printf("peak %s of values and scratch\n", FormatByteCount(outcome_.peak_bytes).c_str());
    if (!o_.catch_requests.empty() && outcome_.caught_json.is_null()) {
      const std::string given = GivenText(catches_->given());
      std::printf("caught nothing of %s%s\n", absl::StrJoin(o_.catch_requests, ", ", [](std::string* out, const CatchRequest& r) { absl::StrAppend(out, CatchDescription(r.kind, r.bits)); }).c_str(),
                  given.empty() ? "" : absl::StrCat("; given, not made: ", given).c_str());
    }
    for (size_t i = 0; i < outputs.size(); ++i) {
      if (i == 32 && outputs.size() > 40) {
        std::printf("(%zu more outputs)\n", outputs.size() - i);
        break;
      }
      std::printf("output %zu: %s  %s\n", i, outputs[i].shape().ToString(false).c_str(), FormatStatistics(Summarize(outputs[i])).c_str());
    }
    const std::vector<Value>& fed = machine_->outfeed();
    for (size_t i = 0; i < fed.size(); ++i) {
      if (i == 32 && fed.size() > 40) {
        std::printf("(%zu more outfeed items)\n", fed.size() - i);
        break;
      }
      std::vector<Value> leaves;
      Leaves(fed[i], leaves);
      for (const Value& leaf : leaves) std::printf("outfeed %zu: %s  %s\n", i, leaf.shape().ToString(false).c_str(), FormatStatistics(Summarize(leaf)).c_str());
    }
    if (compared_ && differences_.empty()) std::printf("the result is that of the snapshot\n");
    for (const ResultDifference& d : differences_) std::printf("not the result of the snapshot: %s\n", ToText(d).c_str());
    if (o_.profile && profile_ != nullptr) std::fputs(ProfileReportText(*profile_).c_str(), stdout);
    if (checker_ != nullptr) std::fputs(CheckText(checked_).c_str(), stdout);
    std::fputs(compared_runs_.text.c_str(), stdout);
  }

  RunOptions& o_;
  Loaded& loaded_;
  std::shared_ptr<Module> module_;
  Clock::time_point start_;
  std::unique_ptr<Backend> backend_;
  std::unique_ptr<ProgramInputs> inputs_;
  std::unique_ptr<Machine> machine_;
  std::unique_ptr<Catches> catches_;
  std::unique_ptr<RegionChecker> checker_;
  std::unique_ptr<FunctionsCheck> functions_;
  CheckReport checked_;  // by both
  std::unique_ptr<ProfileData> profile_;
  RunCompare::Outcome compared_runs_;
  Outcome outcome_;
  bool compared_ = false;                       // with the result that came along
  std::vector<ResultDifference> differences_;
  Progress progress_;
};

// An option that programs of several devices do not have; "": there is none.
absl::string_view OfOneDevice(const RunOptions& o) {
  if (o.inputs.asked()) return "--donate";
  if (absl::EndsWith(o.output, ".pb")) return "--output FILE.pb";
  return "";
}

}  // namespace

int Run_run(const std::vector<std::string>& args) {
  const Clock::time_point start = Clock::now();
  OptionParser app("Runs a program to the end.", "hloscope run");
  RunOptions o;
  app.add_option("FILE", o.file, "the program; - reads standard input");
  app.add_option("--repeat", o.repeat, "runs N times")->type_name("N");
  app.add_option("--check", o.check, "compares N sampled elements of every result (all: every element) with the reference")->type_name("N|all");
  app.add_option("--catch", o.catches, "stops at the first instruction that makes a nan or an infinity (or one of the other kinds of: help catch)")->type_name("nan,inf,...");
  app.add_option("--output", o.output, "writes the outputs as output_0, output_1, ..., or program, inputs and outputs as an HloSnapshot")->type_name("FILE.npz|FILE.pb");
  ParserOption* profile = app.add_option("--profile", o.profile_out, "shows where the time goes; with a file, writes it as JSON too")->type_name("[OUT.json]")->expected(0, 1);
  app.add_option("--trace", o.trace, "writes what ran when, for ui.perfetto.dev")->type_name("OUT.json");
  app.add_option("--junit", o.junit, "writes the outcome as JUnit XML")->type_name("OUT.xml");
  app.add_option("--report", o.report, "writes a page about the run, its values and its checks")->type_name("OUT.html");
  app.add_flag("--json", o.json, "one JSON object on standard output");
  o.inputs.AddTo(app);
  o.comparing.AddTo(app);
  o.program.AddTo(app);
  std::string exchange;
  app.add_option("--exchange", exchange, "mpi: the processes that mpirun starts run the devices together, each its part of them (by default one replica each)")->type_name("HOW");
  if (const auto status = app.Parse(args)) return *status;
  std::unique_ptr<Processes> processes;
  if (!exchange.empty()) {
    absl::StatusOr<std::unique_ptr<Processes>> joined = Processes::Join(exchange);
    if (!joined.ok()) return Refuse(o, kUsage, joined.status());
    processes = *std::move(joined);
  }
  o.profile = profile->count() > 0;
  if (o.profile && !o.profile_out.empty() && !absl::EndsWith(o.profile_out, ".json")) {
    // --profile takes its file or none, so the program's own may have gone to it.
    if (o.file.empty()) o.file.swap(o.profile_out);
    else return UsageError(absl::StrCat("--profile writes JSON: name it OUT.json, not ", o.profile_out));
  }
  if (o.file.empty()) return UsageError("FILE is required; see: hloscope run --help");
  absl::Status parsed = ParseOptions(o);
  if (parsed.ok()) parsed = o.comparing.Check();
  if (!parsed.ok()) return Refuse(o, kUsage, parsed);
  Loaded loaded;
  int status = kOk;
  std::shared_ptr<Module> module = LoadOrReport(o.file, loaded, status);
  if (module == nullptr) {
    if (o.json) PrintLoadJson(o.file, loaded);
    WriteJunitError(o.junit, o.file, "load", ProblemsText(loaded));
    return status;
  }
  if (processes != nullptr) {
    const ParallelMain main = FindParallelMain(*module);
    if (main.call != nullptr)
      return Refuse(o, kUsage,
                    absl::UnimplementedError(absl::StrCat("main runs functions on devices of its own (interpreter.run_parallel), all in one process: leave --exchange out",
                                                          main.followed() ? "; hloscope debug --exchange mpi shares them" : "")));
  }
  if (FindParallelMain(*module).call != nullptr && (o.comparing.any() || !o.catch_requests.empty())) {
    return Refuse(o, kUsage, absl::UnimplementedError(absl::StrCat(
                                 !o.catch_requests.empty() ? "--catch looks" : "--record, --compare and --shadow look",
                                 " into one program, and main runs functions on devices of its own (interpreter.run_parallel); hloscope debug follows them and has ",
                                 !o.catch_requests.empty() ? "catch" : "record, compare and shadow")));
  }
  DeviceCounts devices = CountDevices(o.program, *module);
  if (FindParallelMain(*module).call != nullptr && devices.several() && o.samples != 0) {
    return Refuse(o, kUsage, absl::UnimplementedError(
                                 "--check looks into the functions that one main runs on several devices (interpreter.run_parallel), and this main runs on "
                                 "several itself: leave --replicas and --partitions out"));
  }
  if (processes != nullptr) {
    if (absl::Status shared = processes->Share(o.program, &devices); !shared.ok()) return Refuse(o, kUsage, shared);
  }
  if (!devices.several()) return Runner(o, loaded, std::move(module), start).Run();
  if (const absl::string_view only_one = OfOneDevice(o); !only_one.empty()) {
    return Refuse(o, kUsage,
                  absl::UnimplementedError(absl::StrCat(only_one, " works on one device so far, and this program runs on ",
                                                        Count(devices.replicas, "replica"), " and ", Count(devices.partitions, "partition"),
                                                        "; leave it out, or run it with --replicas 1 --partitions 1")));
  }
  DevicesRun run;
  run.program = &o.program;
  run.devices = devices;
  run.file = o.file;
  run.output = o.output;
  run.junit = o.junit;
  run.report = o.report;
  run.repeat = o.repeat;
  run.json = o.json;
  run.watch = {o.samples, o.profile, o.profile_out, o.trace, o.comparing};
  run.processes = processes.get();
  run.catching = !o.catch_requests.empty();
  if (run.catching) {
    if (const std::optional<int> caught = CatchOnDevices(run, o.catch_requests, module, loaded)) return *caught;
  }
  return RunOnDevices(run, *module, loaded);
}

}  // namespace hloscope::cli
