// record and compare: a run written down, and runs compared with records and with the reference.
#include <algorithm>
#include <chrono>
#include <climits>
#include <filesystem>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/begin.h"
#include "core/debug/beside.h"
#include "core/debug/catch_commands.h"
#include "core/debug/check.h"
#include "core/debug/compare_replicas.h"
#include "core/debug/compare_values.h"
#include "core/debug/file_words.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/devices.h"
#include "core/debug/interruption.h"
#include "core/debug/locations.h"
#include "core/debug/record.h"
#include "core/debug/run_progress.h"
#include "core/debug/session_state.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/debug/watched_run.h"
#include "core/literal/format.h"
#include "core/ops/op.h"

namespace hloscope {

absl::StatusOr<WatchedRun> WholeRun(Session::State& s) {
  absl::StatusOr<std::shared_ptr<Beside>> others = Beside::Open(s);
  if (!others.ok()) return others.status();
  if (s.inputs == nullptr) {
    absl::StatusOr<std::unique_ptr<ProgramInputs>> opened = ProgramInputs::Open(*s.module, s.options);
    if (!opened.ok()) return opened.status();
    s.inputs = *std::move(opened);
  }
  if (!s.elided_said) {
    s.Say(ElidedWarning(CountElidedConstants(*s.module)));
    s.elided_said = true;
  }
  if (s.visible() && !AllSets(s).empty())
    s.Say("note: the program runs from its start beside the session, without what was set by hand in the session\n");
  if (const std::string name = SelectedName(s); !name.empty() && !DevicesOf(s).each) s.Say("note: this is of ", name, " alone; after start or run, replica R selects another one\n");
  WatchedRun run{*s.module, *s.backend, *s.inputs, {}, &s.interrupt, true};
  run.options.memory_limit = s.options.memory_limit;
  run.options.max_iterations = s.options.max_iterations;
  run.options.seed = s.options.fill.seed;
  run.options.fill = s.options.fill;
  run.options.custom_calls = &s.inputs->custom_calls();
  run.options.infeed = s.inputs->infeed();
  AllowParallel(s, run.options);
  if (*others != nullptr) run.options.exchange = (*others)->port();
  run.others = *std::move(others);
  return run;
}

InterruptKeeper::InterruptKeeper(Session::State& s) : s_(s) {}
InterruptKeeper::~InterruptKeeper() { s_.interrupt.store(s_.machine != nullptr ? &s_.machine->interrupt() : nullptr); }

absl::Status CommandRecord(Session::State& s, absl::string_view args) {
  const absl::StatusOr<std::string> file = TakeFile(args);
  if (!file.ok()) return file.status();
  const std::string path = FileOfRun(s, *file);
  if (file->empty()) return absl::InvalidArgumentError("record OUT.npz [WHICH...]: WHICH is a place as break takes it");
  absl::flat_hash_set<const Instruction*> chosen;
  while (!args.empty()) {
    const absl::string_view word = TakeWord(args);
    const absl::StatusOr<std::vector<Location>> places = ResolveLocations(*s.module, word, s.current_computation());
    if (!places.ok()) return places.status();
    std::vector<const Instruction*> meant;
    for (const Location& place : *places) meant.push_back(&place.instruction());
    const absl::string_view name = absl::StripPrefix(word, "%");
    const Computation* named = s.module->FindComputation(name);
    if (named != nullptr && meant.size() == 1 && meant[0]->parent == named && meant[0]->name != name) meant.assign(named->schedule.begin(), named->schedule.end());
    // Handles and constants only where nothing else is meant.
    const auto handle = [](const Instruction* i) { return i->literal != nullptr || Def(*i).op_class == OpClass::kStructural; };
    const bool handles = std::all_of(meant.begin(), meant.end(), handle);
    for (const Instruction* i : meant) {
      if (handles || !handle(i)) chosen.insert(i);
    }
  }
  absl::StatusOr<WatchedRun> run = WholeRun(s);
  if (!run.ok()) return run.status();
  InterruptKeeper keeper(s);
  const absl::StatusOr<RecordReport> report = RecordRun(*std::move(run), path, chosen);
  if (!report.ok()) return report.status();
  s.Say("Recorded ", Count(report->arrays, "array"), ", ", FormatByteCount(report->bytes), ", of a run from the start, in ", path, ".\n");
  return absl::OkStatus();
}

namespace {

// Stops the machine behind the first result that the reference disagrees with.
class ReferenceWatch {
 public:
  ReferenceWatch(Machine& machine, Backend& backend, const CheckOptions& check) : machine_(machine), checker_(backend, check) {
    machine_.set_region_observer([this](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value> inputs, const Value& result) {
      const absl::Status status = checker_.Observe(frame, region, kernel, inputs, result);
      if (!status.ok() || checker_.report().mismatches.empty()) return status;
      // The member that is wrong by itself, where there is one.
      found_ = checker_.report().mismatches[0];
      for (const Mismatch& m : checker_.report().mismatches) {
        if (!m.fused) {
          found_ = m;
          break;
        }
      }
      const Instruction* at = frame.computation->FindInstruction(found_.instruction);
      machine_.StopAfter(at != nullptr ? at->index : region.root);
      return absl::OkStatus();
    });
  }
  void End() { machine_.set_region_observer(nullptr); }
  const CheckReport& report() const { return checker_.report(); }

  // And notes the verdict, like an expect.
  void Tell(Session::State& s, absl::string_view before) const {
    const CheckReport& r = report();
    // A fused region's result is compared as it is, and its members, which are executed alone.
    const std::string compared = absl::StrCat(Count(r.checked_elements, "element"), " of ", r.regions == r.instructions ? "" : absl::StrCat(Count(r.regions, "region"), " and "),
                                              Count(r.instructions, "instruction"), " compared with the reference: ");
    if (r.mismatch_count == 0) {
      const std::string verdict = absl::StrCat(compared, "no mismatch", before, r.unchecked_nonfinite > 0 ? absl::StrCat("; ", r.unchecked_nonfinite, " not finite on both sides") : "",
                                               r.unchecked_opaque > 0 ? absl::StrCat("; ", Count(r.unchecked_opaque, "result"), " without a cheap reference") : "",
                                               r.unchecked_exchanged > 0 ? absl::StrCat("; ", ExchangedText(r), " not compared") : "");
      s.Say(verdict, "\n");
      s.expects.push_back({"compare reference", true, verdict});
      return;
    }
    s.Say(compared, "first mismatch\n%", found_.instruction, found_.output >= 0 ? absl::StrCat(", element ", found_.output) : "", " [", absl::StrJoin(found_.index, ","), "] is ", ToText(found_.got), ", the reference gives ", ToText(found_.expected),
          " (", UlpText(found_.ulp), found_.bound > 0 ? absl::StrCat(", within ", FormatDouble(found_.bound, 3), " allowed") : ", the bits were asked for", ")",
          found_.fused ? ", as part of a fused region" : "", "\n");
    s.expects.push_back({"compare reference", false, absl::StrCat(compared, "%", found_.instruction, " is not within its bound")});
  }

 private:
  Machine& machine_;
  RegionChecker checker_;
  Mismatch found_;
};

// A run of its own from the start: where the session stands does not change.
class WholeComparison {
 public:
  WholeComparison(Session::State& s, CheckOptions check) : s_(s), keeper_(s), check_(std::move(check)) {}
  ~WholeComparison() {
    if (line_) line_("");
  }

  absl::Status Run() {
    s_.interrupted.store(false);  // of a Ctrl-C while nothing ran
    line_ = s_.Extension<ProgressLine>().set;
    if (line_) {
      // How much there is to do, from a run that compares nothing: loops may go round any number of times.
      if (const absl::Status counted = Go([&](Machine& machine) { Count(machine); }); absl::IsCancelled(counted)) return counted;
      begin_ = said_ = Clock::now();
      check_.progress = [this](double steps) { Say(steps); };
    }
    std::optional<ReferenceWatch> watch;
    StopReason reason = StopReason::kFinished;
    const absl::Status run = Go(
        [&](Machine& machine) {
          check_.cancel = &machine.interrupt();
          watch.emplace(machine, *s_.backend, check_);
        },
        &reason);
    if (!run.ok()) return run;
    watch->Tell(s_, reason == StopReason::kError ? " before the error" : "");
    return absl::OkStatus();
  }

 private:
  using Clock = std::chrono::steady_clock;

  absl::Status Go(const std::function<void(Machine&)>& watch, StopReason* ended = nullptr) {
    absl::StatusOr<WatchedRun> run = WholeRun(s_);
    if (!run.ok()) return run.status();
    Machine machine(run->module, run->backend, std::move(run->options));
    const absl::Status started = machine.Start([&](int number) { return run->inputs.Parameter(number, &machine.account()); });
    if (!started.ok()) return started;
    watch(machine);
    run->interrupt->store(&machine.interrupt());
    if (s_.interrupted.load()) machine.interrupt().store(true);  // it came between
    const StopReason reason = machine.Run();
    run->interrupt->store(nullptr);
    if (reason == StopReason::kInterrupted) return Interruption("the program stands where it stood");
    if (ended == nullptr) return absl::OkStatus();
    if (reason == StopReason::kError && !machine.status().ok()) s_.Say("The run stops with an error: ", machine.status().message(), "\n");
    *ended = reason;
    return absl::OkStatus();
  }

  void Count(Machine& machine) {
    line_("comparing with the reference, counting what there is to compute");
    machine.set_light_region_observer(
        [this](const Frame& frame, const Region& region, const Kernel* kernel, absl::Span<const Value>, const Value&) {
          if (kernel == nullptr) return absl::OkStatus();
          const auto [entry, fresh] = steps_.try_emplace(frame.computation->schedule[region.root], 0);
          if (fresh) entry->second = StepsToCheck(*frame.computation, region, check_.samples);
          all_ += entry->second;
          return absl::OkStatus();
        });
  }

  void Say(double steps) {
    const Clock::time_point now = Clock::now();
    if (now - said_ < std::chrono::seconds(1)) return;
    said_ = now;
    const double share = all_ > 0 ? std::min(1.0, steps / all_) : 1, seconds = std::chrono::duration<double>(now - begin_).count();
    std::string text = absl::StrFormat("comparing with the reference, %.1f %%", 100 * share);
    if (share > 0.001 || seconds > 10)
      absl::StrAppend(&text, ", about ", AboutSeconds(seconds * (1 - share) / std::max(share, 1e-6)), " left");
    line_(text);
  }

  static std::string AboutSeconds(double seconds) {
    if (seconds < 90) return absl::StrFormat("%.0f s", seconds);
    return seconds < 5400 ? absl::StrFormat("%.0f min", seconds / 60) : absl::StrFormat("%.1f h", seconds / 3600);
  }

  Session::State& s_;
  InterruptKeeper keeper_;
  CheckOptions check_;
  std::function<void(const std::string&)> line_;
  absl::flat_hash_map<const Instruction*, double> steps_;  // by root
  double all_ = 0;
  Clock::time_point begin_, said_;
};

absl::Status CompareWithReference(Session::State& s, absl::string_view args) {
  CheckOptions check;
  absl::string_view amount = TakeWord(args);
  const bool whole = amount == "whole";
  if (whole) amount = TakeWord(args);
  if (amount == "all") {
    check.samples = -1;
  } else if (!amount.empty() && (!absl::SimpleAtoi(amount, &check.samples) || check.samples < 1)) {
    return absl::InvalidArgumentError(absl::StrCat("compare reference takes whole, a number of samples or all, not ", amount));
  }
  check.times = INT_MAX;
  if (whole) return WholeComparison(s, check).Run();
  if (!s.started()) {
    const absl::Status begun = s.Begin();
    if (!begun.ok()) return begun;
  }
  (void)KnowCounts(s, Need::kGoOn);  // now, that nothing of the past is compared
  Machine& machine = *s.machine;
  ReferenceWatch watch(machine, *s.backend, check);
  const auto run = [&machine] { return machine.Run(); };
  const StopReason reason = s.Go(run, run);
  watch.End();
  const CheckReport& r = watch.report();
  AttachCatches(s);  // they look on again
  // A breakpoint's line has been begun; a mismatch is no catch of the session's.
  s.ShowStop(reason == StopReason::kCaught ? StopReason::kBreakpoint : reason);
  if (reason == StopReason::kError && r.mismatch_count == 0 && r.checked_elements == 0) {
    s.Say("Nothing was compared with the reference: the program stops with this error before any result. From an earlier moment (goto start) compare reference looks at what leads there.\n");
    s.expects.push_back({"compare reference", false, "nothing was compared, the program stopped with an error"});
    return absl::OkStatus();
  }
  watch.Tell(s, reason == StopReason::kError ? " before the error" : "");
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandCompare(Session::State& s, absl::string_view args) {
  const absl::StatusOr<std::string> file = TakeFile(args);
  if (!file.ok()) return file.status();
  std::string path = *file;
  if (path.empty()) return absl::InvalidArgumentError("compare RECORD.npz [[WHICH=]BUDGET...] [all], compare reference [whole] [N | all], or compare forks A B [%x]");
  if (path == "replicas") return CompareReplicas(s, args);
  if (path == "forks") return CompareForks(s, args);
  if (path == "reference") return CompareWithReference(s, args);
  if (const std::string own = FileOfRun(s, path); std::filesystem::exists(own)) path = own;  // as record writes it
  const Forks& forks = s.Extension<Forks>();
  if ((path == forks.current || forks.others.contains(path)) && !std::filesystem::exists(path)) {
    return absl::NotFoundError(absl::StrCat("there is no record ", path, "; ", path, " is a fork: compare forks ", path,
                                            args.empty() ? "" : " ", args, " compares forks"));
  }
  BudgetTable budgets;
  bool all = false;
  while (!args.empty()) {
    absl::string_view word = TakeWord(args);
    if (word == "all") {
      all = true;
      continue;
    }
    if (word == "--budget") word = TakeWord(args);
    if (word.size() > 1 && word.front() == '\'' && word.back() == '\'') word = word.substr(1, word.size() - 2);
    const absl::Status added = budgets.Add(word);
    if (!added.ok()) return added;
  }
  absl::StatusOr<WatchedRun> run = WholeRun(s);
  if (!run.ok()) return run.status();
  InterruptKeeper keeper(s);
  const absl::StatusOr<RecordComparison> report = CompareWithRecord(*std::move(run), path, budgets, all);
  if (!report.ok()) return report.status();
  s.Say(ToText(*report));
  s.Extension<LastRecordComparison>() = {path, *report};
  // Like an expect: a script goes on, and ends with status 1.
  s.expects.push_back({absl::StrCat("compare ", path), report->diverging == 0, report->diverging == 0 ? "" : absl::StrCat("first divergence: ", report->divergences[0].place)});
  return report->ended;
}

}  // namespace hloscope
