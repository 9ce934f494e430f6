// shadow and info shadow: errors against f64.
#include <map>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/debug/beside.h"
#include "core/debug/devices.h"
#include "core/debug/shadow.h"
#include "core/debug/shadow_commands.h"
#include "core/debug/text_util.h"
#include "core/debug/twin.h"
#include "core/debug/watched_run.h"
#include "core/ir/written_names.h"

namespace hloscope {
namespace {

constexpr size_t kShown = 20;

struct LastShadow {
  struct Measured {
    const Module* of = nullptr;
    ShadowReport report;
  };
  std::map<int, Measured> by_device;
  std::vector<std::pair<const Module*, std::unique_ptr<Module>>> twins;  // as long as the backend
  std::shared_ptr<const Module> prepared_of;  // whose programs are kept
  std::unique_ptr<ShadowPrograms> programs;
};

absl::StatusOr<const Module*> TwinOf(Session::State& s, LastShadow& last, const Module& module) {
  for (const auto& [of, made] : last.twins) {
    if (of == &module) return made.get();
  }
  absl::StatusOr<std::unique_ptr<Module>> made = MakeTwin(module, s.options.fill);
  if (!made.ok()) return made.status();
  last.twins.emplace_back(&module, *std::move(made));
  return last.twins.back().second.get();
}

absl::Status Accumulate(Session::State& s, LastShadow& last, const MachineOptions& options, ShadowReport& report) {
  const absl::StatusOr<const Module*> twin = TwinOf(s, last, *s.module);
  if (!twin.ok()) return twin.status();
  if (!Several(s)) return AddAccumulatedErrors(*s.module, **twin, *s.backend, *s.inputs, options, report);
  // All devices run both programs.
  std::vector<const Module*> twins;
  for (const Module* module : ModulesOf(s)) {
    const absl::StatusOr<const Module*> of_device = TwinOf(s, last, *module);
    if (!of_device.ok()) return of_device.status();
    twins.push_back(*of_device);
  }
  const auto widen = [twins](int device, int number, const Value& value) { return WideParameter(*twins[device], number, value); };
  const absl::StatusOr<std::shared_ptr<Beside>> narrow = Beside::Open(s), wide = Beside::Open(s, twins, widen);
  if (!narrow.ok() || !wide.ok()) return narrow.ok() ? wide.status() : narrow.status();
  MachineOptions of_device = options;
  of_device.exchange = (*narrow)->port();
  return AddAccumulatedErrors(*s.module, **twin, *s.backend, *s.inputs, of_device, report, (*wide)->port());
}

}  // namespace

absl::Status CommandShadow(Session::State& s, absl::string_view args) {
  ShadowOptions options;
  bool accumulated = false;
  while (!args.empty()) {
    const absl::string_view word = TakeWord(args);
    if (word == "accumulated") {
      accumulated = true;
    } else if (word == "all") {
      options.samples = -1;
    } else if (!absl::SimpleAtoi(word, &options.samples) || options.samples < 1) {
      return absl::InvalidArgumentError(absl::StrCat("shadow takes a number of samples or all, and accumulated, not ", word));
    }
  }
  absl::StatusOr<WatchedRun> run = WholeRun(s);
  if (!run.ok()) return run.status();
  InterruptKeeper keeper(s);
  LastShadow& last = s.Extension<LastShadow>();
  if (last.prepared_of != s.module) {
    last.programs = std::make_unique<ShadowPrograms>(*s.backend);
    last.prepared_of = s.module;
  }
  absl::StatusOr<ShadowReport> report = RunShadow(*run, options, last.programs.get());
  if (!report.ok()) return report.status();
  if (accumulated && report->ended.ok()) {
    const absl::Status added = Accumulate(s, last, run->options, *report);
    if (!added.ok()) report->accumulated_why = std::string(added.message());
  }
  LastShadow::Measured& measured = last.by_device[DevicesOf(s).selected];
  measured = {s.module.get(), *std::move(report)};
  s.Say(ShadowSummary(measured.report), ShadowTable(measured.report, kShown));
  return measured.report.ended;
}

absl::Status InfoShadow(Session::State& s, absl::string_view args) {
  const auto& all = s.Extension<LastShadow>().by_device;
  const auto found = all.find(DevicesOf(s).selected);
  if (found == all.end()) {
    return absl::FailedPreconditionError(
        absl::StrCat("nothing has been measured yet", all.empty() ? "" : absl::StrCat(" of ", SelectedName(s)), "; see: shadow"));
  }
  const ShadowReport& last = found->second.report;
  const absl::string_view which = TakeWord(args);
  if (which.empty() || which == "all") {
    s.Say(ShadowSummary(last), ShadowTable(last, which.empty() ? kShown : last.rows.size()));
    return absl::OkStatus();
  }
  const absl::StatusOr<const Instruction*> instruction = s.FindInstruction(which);
  if (!instruction.ok()) return instruction.status();
  for (const ShadowRow& row : last.rows) {
    if (row.instruction != *instruction) continue;
    s.Say(ShadowDetails(row));
    return absl::OkStatus();
  }
  for (const auto& [unmeasured, why] : last.unmeasured) {
    if (unmeasured == *instruction) return absl::NotFoundError(absl::StrCat(ShownName(*unmeasured), " was not measured: ", why));
  }
  return absl::NotFoundError(absl::StrCat(ShownName(**instruction), " was not measured: it makes no numbers narrower than f64, copies them, or did not run"));
}

const ShadowReport* LastShadowReport(Session::State& s) {
  const auto& all = s.Extension<LastShadow>().by_device;
  const auto found = all.find(DevicesOf(s).selected);
  return found != all.end() && found->second.of == s.module.get() ? &found->second.report : nullptr;
}

}  // namespace hloscope
