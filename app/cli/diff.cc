// hloscope diff: what differs between two programs, in their structure and in their values on the same inputs.
#include <cstdio>
#include <limits>
#include <nlohmann/json.hpp>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/cli/arguments.h"
#include "app/cli/difference_text.h"
#include "app/cli/load.h"
#include "app/cli/progress.h"
#include "app/cli/verb.h"
#include "core/debug/lockstep.h"
#include "core/debug/match.h"
#include "core/debug/program_inputs.h"
#include "core/debug/text_util.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

struct DiffOptions {
  std::string a, b, waiting;
  std::vector<std::string> budgets;
  bool structure = false, all = false, json = false, verbose = false;
  ProgramOptions program;
};

// The structure alone answers where no values are compared.
int Verdict(const DiffOptions& o, const ProgramMatch& match, const LockstepReport* values) {
  if (values == nullptr) return match.SameStructure() ? kOk : kFailed;
  if (values->diverging > 0 || !values->error_a.empty() || !values->error_b.empty()) return kFailed;
  return values->results_compared ? kOk : kFailed;
}

int Refuse(const DiffOptions& o, int status, const absl::Status& why) {
  if (o.json) std::printf("%s\n", ordered_json({{"error", {{"message", std::string(why.message())}}}}).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  UsageError(std::string(why.message()));
  return status;
}

}  // namespace

int Run_diff(const std::vector<std::string>& args) {
  OptionParser app("Compares two programs: their structure, and their values instruction by instruction on the same inputs, up to the first that differs.", "hloscope diff");
  DiffOptions o;
  app.add_option("A", o.a, "a program; - reads standard input")->required();
  app.add_option("B", o.b, "the other program; its parameters get the values of A's")->required();
  app.add_flag("--structure", o.structure, "compares the structure only");
  app.add_option("--budget", o.budgets,
                 "how far values may differ: 4ulp, or ABSOLUTE,RELATIVE as 1e-5,1e-6; for some instructions: %x=..., %body:x=..., op:dot=..., "
                 "/REGEX/=...; several, the last that fits counts; without one (and with 0ulp) every other bit is a difference, also the sign of a zero; of numbers of two types "
                 "and what comes from them, what the narrower one rounds in another order is none (1e-4 of the number for f32, 1e-2 for f16, 4e-2 for bf16), and constants have to be the same but for rounding once")
      ->type_name("[WHICH=]BUDGET")
      ->repeated();
  app.add_flag("--all", o.all, "goes on to the end after the first divergence, and tells divergences from those that inherit them");
  app.add_flag("-v,--verbose", o.verbose, "lists renamed and moved instructions, too, and everything without limits");
  app.add_option("--waiting", o.waiting, "bytes of values that wait in memory for those of the other program (default 256MiB)")->type_name("BYTES");
  app.add_flag("--json", o.json, "one JSON object on standard output");
  o.program.AddTo(app, false);
  if (const auto status = app.Parse(args)) return *status;

  LockstepOptions lockstep;
  for (const std::string& budget : o.budgets) {
    const absl::Status added = lockstep.budgets.Add(budget);
    if (!added.ok()) return Refuse(o, kUsage, absl::InvalidArgumentError(absl::StrCat("--budget: ", added.message())));
  }
  if (!o.waiting.empty()) {
    const absl::StatusOr<int64_t> bytes = ParseBytes(o.waiting);
    if (!bytes.ok()) return Refuse(o, kUsage, absl::InvalidArgumentError(absl::StrCat("--waiting: ", bytes.status().message())));
    lockstep.waiting_bytes = *bytes;
  }
  absl::StatusOr<SessionOptions> session = o.program.ToSession();
  if (!session.ok()) return Refuse(o, kUsage, session.status());

  Loaded loaded_a, loaded_b;
  int status = kOk;
  const std::unique_ptr<Module> a = LoadOrReport(o.a, loaded_a, status);
  const std::unique_ptr<Module> b = a == nullptr ? nullptr : LoadOrReport(o.b, loaded_b, status);
  if (a == nullptr || b == nullptr) {
    if (o.json) std::printf("%s\n", ordered_json({{"error", {{"message", absl::StrCat((a == nullptr ? o.a : o.b), " cannot be read")}}}}).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
    return status;
  }
  if (const absl::Status known = lockstep.budgets.Check({a.get(), b.get()}); !known.ok()) return Refuse(o, kUsage, absl::Status(known.code(), absl::StrCat("--budget: ", known.message())));
  Progress progress;
  progress.Set("matching");
  const ProgramMatch match = MatchPrograms(*a, *b);
  const DifferenceText text{*a, *b, o.a, o.b, o.verbose};
  if (o.structure) {
    progress.Set("");
    const int verdict = Verdict(o, match, nullptr);
    if (o.json) std::printf("%s\n", text.Json(match, nullptr, verdict == kOk).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
    else std::fputs(text.Structure(match).c_str(), stdout);
    return verdict;
  }

  session->arguments = loaded_a.arguments;
  absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs_a = ProgramInputs::Open(*a, *session);
  if (!inputs_a.ok()) return Refuse(o, kUsage, inputs_a.status());
  SessionOptions own;  // of parameters that only b has
  own.fill = session->fill;
  own.arguments = loaded_b.arguments;
  absl::StatusOr<std::unique_ptr<ProgramInputs>> inputs_b = ProgramInputs::Open(*b, own);
  if (!inputs_b.ok()) return Refuse(o, kUsage, inputs_b.status());
  absl::StatusOr<std::unique_ptr<Backend>> backend = MakeBackend(o.program);
  if (!backend.ok()) return Refuse(o, kUsage, backend.status());
  std::fputs(ElidedWarning(CountElidedConstants(*a)).c_str(), stderr);

  lockstep.keep_going = o.all;
  if (o.verbose) lockstep.keep = std::numeric_limits<size_t>::max();
  lockstep.machine = MachineOptionsOf(*session, **inputs_a);
  lockstep.progress = [&](int64_t compared) { progress.Set(absl::StrCat("comparing, ", compared, " values")); };
  absl::StatusOr<LockstepReport> report = RunLockstep(*a, *b, match, **inputs_a, **inputs_b, **backend, **backend, std::move(lockstep));
  progress.Set("");
  if (!report.ok()) return Refuse(o, kFailed, report.status());
  for (std::string* error : {&report->error_a, &report->error_b}) *error = OnOneDevice(*error, "diff");
  const int verdict = Verdict(o, match, &*report);
  if (o.json) {
    std::printf("%s\n", text.Json(match, &*report, verdict == kOk).dump(2, ' ', false, ordered_json::error_handler_t::replace).c_str());
  } else {
    std::fputs(text.Structure(match).c_str(), stdout);
    std::fputs(text.Values(*report).c_str(), stdout);
  }
  return verdict;
}

}  // namespace hloscope::cli
