#include "app/cli/run_report.h"

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "app/cli/junit.h"
#include "core/debug/compare_values.h"
#include "core/debug/explain.h"
#include "core/debug/locations.h"
#include "core/debug/record.h"
#include "core/debug/report.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"

namespace hloscope::cli {
namespace {

constexpr size_t kMostValues = 24;  // of each array, in the page

std::string MismatchText(const Mismatch& m) {
  return absl::StrCat(m.device, m.device.empty() ? "" : ": ", "%", m.instruction, m.fused ? " (fused)" : "", m.output >= 0 ? absl::StrCat("{", m.output, "}") : "", "[", absl::StrJoin(m.index, ","), "] is ", ToText(m.got), ", expected ",
                      ToText(m.expected), m.bound == 0 ? " to the bit" : absl::StrCat(" within ", FormatDouble(m.bound)), " (", UlpText(m.ulp), ")");
}

JunitCase RunCase(const std::string& error, bool caught) {
  const size_t line_end = error.find('\n');
  return {"run", error.empty() ? JunitCase::kPassed : caught ? JunitCase::kFailed : JunitCase::kError, error.substr(0, line_end), line_end < error.size() ? error : ""};
}

// What was checked, as both files say it.
std::vector<JunitCase> Cases(const RunFacts& f) {
  std::vector<JunitCase> cases;
  cases.push_back(RunCase(f.error, f.caught));
  if (f.check != nullptr) cases.push_back(CheckCase(*f.check));
  if (f.compared) {
    JunitCase snapshot = {"the snapshot's result", JunitCase::kPassed, "", ""};
    for (const ResultDifference& d : *f.differences) {
      snapshot.outcome = JunitCase::kFailed;
      if (snapshot.message.empty()) snapshot.message = ToText(d);
      absl::StrAppend(&snapshot.text, ToText(d), "\n");
    }
    cases.push_back(std::move(snapshot));
  }
  if (f.recorded != nullptr) cases.push_back(RecordCase(*f.recorded));
  return cases;
}

// The page with its title and what was checked.
Report Begin(const Module& module, const std::vector<JunitCase>& cases) {
  Report r;
  r.title = module.name;
  for (const JunitCase& c : cases) {
    r.checks.push_back({c.name, c.outcome == JunitCase::kPassed, c.text.empty() ? c.message : c.text});
    r.passed = r.passed && c.outcome == JunitCase::kPassed;
  }
  return r;
}

// How long it took, and how and where it ended: `well`, or at an instruction. Of one device and of several.
template <typename Facts>
void AddEnd(const Facts& f, absl::string_view well, Report* r) {
  constexpr int kAround = 12;
  const Module& module = *f.module;
  if (!f.run_ms.empty()) r->facts.emplace_back("time", absl::StrCat(absl::StrJoin(f.run_ms, ", ", [](std::string* out, double ms) { absl::StrAppendFormat(out, "%.3f", ms); }), " ms"));
  r->stop = f.error.empty() ? std::string(well) : f.stopped != nullptr ? absl::StrCat("Stopped at ", Describe(module, {f.stopped->parent, f.stopped->index})) : "Stopped.";
  r->error = f.error;
  if (f.stopped == nullptr) return;
  r->instruction = ExplainInstruction(module, *f.stopped);
  if (const int line = LineOf(module, *f.stopped); line > 0 && module.source != nullptr) r->listings.push_back(ListingAround(*module.source, line, kAround));
}

std::vector<JunitCase> Cases(const DevicesFacts& f) {
  std::vector<JunitCase> cases = {RunCase(f.error, f.caught)};
  cases.insert(cases.end(), f.cases.begin(), f.cases.end());
  return cases;
}

}  // namespace

JunitCase CheckCase(const CheckReport& report) {
  JunitCase check = {"check against the reference", JunitCase::kPassed, "", ""};
  if (report.mismatch_count == 0) return check;
  check.outcome = JunitCase::kFailed;
  check.message = Count(report.mismatch_count, report.mismatch_count == 1 ? "element differs" : "element").append(report.mismatch_count == 1 ? "" : " differ");
  for (const Mismatch& m : report.mismatches) absl::StrAppend(&check.text, MismatchText(m), "\n");
  return check;
}

JunitCase RecordCase(const RecordComparison& recorded) {
  JunitCase record = {"compare with the record", JunitCase::kPassed, "", ""};
  if (recorded.diverging == 0) return record;
  record.outcome = JunitCase::kFailed;
  record.message = absl::StrCat("first divergence: ", recorded.divergences[0].place);
  record.text = ToText(recorded);
  return record;
}

absl::Status WriteDevicesJunit(const DevicesFacts& facts, const std::string& path) {
  return WriteJunit(path, facts.file, Cases(facts)) ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path));
}

DevicesFacts BeginDevicesFacts(const Module& module, const std::string& file, int64_t replicas, int64_t partitions, absl::string_view backend) {
  DevicesFacts facts;
  facts.module = &module;
  facts.file = file;
  facts.facts = {{"size", absl::StrCat(Count(module.instruction_count(), "instruction"), " in ", Count(static_cast<int64_t>(module.computations.size()), "computation"))},
                 {"devices", absl::StrCat(Count(replicas, "replica"), " and ", Count(partitions, "partition"))},
                 {"backend", std::string(backend)}};
  return facts;
}

absl::Status WriteDevicesFiles(const DevicesFacts& facts, const std::string& junit, const std::string& report) {
  absl::Status status;
  if (!junit.empty()) status = WriteDevicesJunit(facts, junit);
  if (status.ok() && !report.empty()) status = WriteDevicesReport(facts, report);
  return status;
}

absl::Status WriteDevicesReport(const DevicesFacts& f, const std::string& path) {
  const Module& module = *f.module;
  Report r = Begin(module, Cases(f));
  r.verdict = !f.error.empty() ? (f.caught ? "caught" : "stopped with an error") : r.passed ? "finished" : "finished, with failed checks";
  r.facts = {{"program", absl::StrCat(module.name, " (", f.file, ")")}};
  r.facts.insert(r.facts.end(), f.facts.begin(), f.facts.end());
  AddEnd(f, "All devices ran to their end.", &r);
  for (const auto& [device, result] : f.results) AddLeaves(absl::StrCat(device, ": $result"), "the result", result, kMostValues, &r.values);
  return WriteReport(r, path);
}

absl::Status WriteRunJunit(const RunFacts& facts, const std::string& path) {
  return WriteJunit(path, facts.file, Cases(facts)) ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path));
}

absl::Status WriteRunReport(const RunFacts& f, const std::string& path) {
  const Module& module = *f.module;
  Report r = Begin(module, Cases(f));
  r.verdict = !f.error.empty() ? (f.caught ? "caught" : "stopped with an error") : r.passed ? "finished" : "finished, with failed checks";
  r.facts = {{"program", absl::StrCat(module.name, " (", f.file, ")")},
             {"size", absl::StrCat(Count(module.instruction_count(), "instruction"), " in ", Count(static_cast<int64_t>(module.computations.size()), "computation"))},
             {"backend", f.backend},
             {"inputs", f.inputs->Summary()},
             {"executed", Count(f.machine->executed(), "instruction")},
             {"memory", absl::StrCat(FormatByteCount(f.machine->account().peak()), " of values and scratch at most")}};
  AddEnd(f, "The program ran to its end.", &r);
  if (f.stopped != nullptr) {
    const int depth = static_cast<int>(f.machine->frames().size()) - 1;
    if (f.caught && depth >= 0 && f.stopped->parent == f.machine->frames()[depth].computation) {
      const absl::StatusOr<Value> made = f.machine->ValueOf(depth, f.stopped->index);
      if (made.ok()) AddLeaves(ShownName(*f.stopped), "what was caught", *made, kMostValues, &r.values);
    }
    for (size_t k = 0; k < f.stopped->operands.size() && depth >= 0; ++k) {
      const Instruction& operand = *f.stopped->operands[k];
      if (operand.parent != f.machine->frames()[depth].computation) break;
      const absl::StatusOr<Value> value = f.machine->ValueOf(depth, operand.index);
      if (value.ok()) AddLeaves(ShownName(operand), absl::StrCat("operand ", k, " of ", ShownName(*f.stopped)), *value, kMostValues, &r.values);
    }
  }
  if (f.result.has_value()) AddLeaves("$result", "the result", f.result, kMostValues, &r.values);
  if (f.profile != nullptr) r.profile = absl::StrCat(ProfileSummary(*f.profile), ProfileTable(*f.profile, ProfileBy::kInstruction, 12));
  return WriteReport(r, path);
}

}  // namespace hloscope::cli
