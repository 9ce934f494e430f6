#include "app/cli/run_compare.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "app/cli/difference_text.h"
#include "app/cli/number_json.h"
#include "core/debug/record.h"
#include "core/debug/shadow.h"
#include "core/debug/text_util.h"
#include "core/debug/twin.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"

namespace hloscope::cli {
namespace {

using nlohmann::ordered_json;

constexpr size_t kRows = 20;

ordered_json Json(const ErrorStatistics& s) {
  ordered_json bins = ordered_json::object();
  for (int bin = 0; bin < kErrorBins; ++bin) {
    if (s.bins[bin] > 0) bins[ErrorBinText(bin)] = s.bins[bin];
  }
  return {{"elements", s.elements},
          {"worst_ulp", Number(s.worst_ulp)},
          {"mean_ulp", Number(s.mean_ulp())},
          {"worst_index", s.worst_index},
          {"worst_moment", s.worst_where.empty() ? ordered_json() : ordered_json(s.worst_where)},
          {"got", s.elements > 0 ? ordered_json(ToText(s.worst_got)) : ordered_json()},
          {"exact", s.elements > 0 ? ordered_json(ToText(s.worst_exact)) : ordered_json()},
          {"histogram", std::move(bins)}};
}

ordered_json Json(const ShadowReport& report) {
  ordered_json rows = ordered_json::array();
  for (const ShadowRow& row : report.rows) {
    ordered_json item = {{"instruction", NameInText(*row.instruction)}, {"opcode", std::string(Name(row.instruction->opcode))}, {"computation", std::string(row.instruction->parent->name)},
                         {"times", row.times}, {"own", Json(row.own)}};
    if (report.accumulated) item["accumulated"] = Json(row.accumulated);
    rows.push_back(std::move(item));
  }
  ordered_json j = {{"elements", report.elements},
                    {"not_measured", report.unmeasured.size()},
                    {"program_ms", report.run_seconds * 1e3},
                    {"measuring_ms", report.seconds * 1e3},
                    {"preparing_ms", report.prepare_seconds * 1e3},
                    {"compiling_ms", report.compile_seconds * 1e3},
                    {"executions", report.executions},
                    {"looked_at", report.looks},
                    {"fewer_elements", report.fewer}};
  if (report.accumulated) j["accumulating_ms"] = report.accumulate_seconds * 1e3;
  if (!report.accumulated_why.empty()) j["accumulated_why"] = report.accumulated_why;
  j["instructions"] = std::move(rows);
  return j;
}

ordered_json Json(const RecordComparison& r) {
  ordered_json list = ordered_json::array();
  for (const RecordDivergence& d : r.divergences) {
    ordered_json item = {{"place", d.place}, {"instruction", NameInText(*d.instruction)}, {"kind", std::string(Name(d.origin))}};
    if (!d.unlike.empty()) {
      item["unlike"] = d.unlike;
    } else {
      item["differing"] = d.difference.beyond;
      item["elements"] = d.difference.elements;
      item["index"] = IndexOf(d.shape, d.difference.first);
      item["got"] = ToText(d.difference.got);
      item["expected"] = ToText(d.difference.expected);
      item["ulp"] = Number(d.difference.ulp);
      item["bound"] = Number(d.difference.bound);
    }
    list.push_back(std::move(item));
  }
  return {{"compared", r.compared}, {"elements", r.elements},     {"unrecorded", r.unrecorded},
          {"unmet", r.unmet},       {"other_bits", r.other_bits}, {"diverging", r.diverging},
          {"own", r.own},           {"unknown", r.unknown},       {"first_divergence", list.empty() ? ordered_json() : list[0]},
          {"divergences", list}};
}

}  // namespace

void RunCompare::AddTo(OptionParser& app) {
  app.add_option("--record", record, "writes every value that the program makes, loops by iteration, in a run of its own")->type_name("OUT.npz");
  app.add_option("--compare", compare, "compares every value with a record, in a run of its own, up to the first that differs")->type_name("RECORD.npz");
  app.add_option("--budget", budgets, "with --compare: how far values may differ: 4ulp, or ABSOLUTE,RELATIVE (without one, or with 0ulp: not by a bit, as -0 and 0 do); for some: %x=..., %body:x=..., op:dot=..., /REGEX/=...; of several the last that fits counts")
      ->type_name("[WHICH=]BUDGET")->repeated();
  app.add_option("--shadow", shadow, "measures each operation's own error against f64, in ULP, on N samples of each result or all")->type_name("N|all");
  app.add_flag("--accumulated", accumulated, "with --shadow: and its error against the whole program in f64");
}

absl::Status RunCompare::Check() {
  if (!record.empty() && !absl::EndsWith(record, ".npz")) return absl::InvalidArgumentError(absl::StrCat("--record writes an archive of arrays: name it OUT.npz, not ", record));
  if (!budgets.empty() && compare.empty()) return absl::InvalidArgumentError("--budget goes with --compare RECORD.npz");
  if (accumulated && shadow.empty()) return absl::InvalidArgumentError("--accumulated goes with --shadow N");
  for (const std::string& budget : budgets) {
    const absl::Status added = table_.Add(budget);
    if (!added.ok()) return absl::InvalidArgumentError(absl::StrCat("--budget: ", added.message()));
  }
  if (shadow == "all") samples_ = -1;
  else if (!shadow.empty() && (!absl::SimpleAtoi(shadow, &samples_) || samples_ < 1)) return absl::InvalidArgumentError(absl::StrCat("--shadow takes a number of samples or all, not ", shadow));
  return absl::OkStatus();
}

absl::Status RunCompare::Run(const Module& module, Backend& backend, const ProgramInputs& inputs, const SessionOptions& session, Outcome& outcome, ExchangePort* exchange,
                             bool stops) {
  WatchedRun run{module, backend, inputs, MachineOptionsOf(session, inputs)};
  run.options.exchange = exchange;
  if (!record.empty()) {
    const absl::StatusOr<RecordReport> report = RecordRun(run, record, {});
    if (report.ok()) {
      absl::StrAppend(&outcome.text, "recorded ", Count(report->arrays, "array"), ", ", FormatByteCount(report->bytes), ", in ", record, "\n");
      outcome.json["record"] = {{"arrays", report->arrays}, {"bytes", report->bytes}};
    } else if (stops) {
      TellError("record", report.status(), outcome);
    } else {
      return report.status();
    }
  }
  if (!compare.empty()) {
    absl::StatusOr<RecordComparison> report = CompareWithRecord(run, compare, table_, /*keep_going=*/exchange != nullptr);
    if (!stops && !report.ok()) return report.status();
    if (!stops && !report->ended.ok()) return report->ended;
    if (report.ok()) {
      absl::StrAppend(&outcome.text, "compared with ", compare, ": ", ToText(*report));
      outcome.json["compare"] = Json(*report);
      outcome.failed = report->diverging > 0 || !report->ended.ok();
      outcome.compared = std::make_shared<const RecordComparison>(*std::move(report));
    } else {
      TellError("compare", report.status(), outcome);
    }
  }
  if (shadow.empty()) return absl::OkStatus();
  absl::StatusOr<ShadowReport> report = MeasureOwn(run);
  if (!report.ok()) {
    if (!stops) return report.status();
    TellError("shadow", report.status(), outcome);
    return absl::OkStatus();
  }
  if (!report->ended.ok() && !stops) return report->ended;
  std::unique_ptr<Module> twin;
  if (accumulated && report->ended.ok()) {
    absl::StatusOr<std::unique_ptr<Module>> made = MakeTwin(module, session.fill);
    absl::Status added = made.status();
    if (made.ok()) {
      twin = *std::move(made);
      added = AddAccumulatedErrors(module, *twin, backend, inputs, run.options, *report);
    }
    if (!added.ok()) report->accumulated_why = std::string(added.message());
  }
  Tell(*report, outcome);
  return absl::OkStatus();
}

absl::StatusOr<ShadowReport> RunCompare::MeasureOwn(WatchedRun run) const {
  ShadowOptions options;
  options.samples = samples_;
  return RunShadow(std::move(run), options);
}

void RunCompare::Tell(const ShadowReport& report, Outcome& outcome) {
  absl::StrAppend(&outcome.text, "shadow: ", ShadowSummary(report), ShadowTable(report, kRows));
  outcome.json["shadow"] = Json(report);
}

void RunCompare::TellError(const char* what, const absl::Status& why, Outcome& outcome) {
  absl::StrAppend(&outcome.text, what, ": ", why.message(), "\n");
  outcome.json[what] = {{"error", std::string(why.message())}};
}

}  // namespace hloscope::cli
