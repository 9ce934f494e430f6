#include "app/cli/check_text.h"

#include "app/cli/number_json.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/compare_values.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"

namespace hloscope::cli {

std::string CheckText(const CheckReport& r) {
  std::string text = absl::StrFormat("check: %d elements of %d regions and %d instructions compared%s, %d mismatches; %d not finite on both sides%s\n", r.checked_elements, r.regions,
                                     r.instructions, r.devices == 0 ? "" : absl::StrCat(" (of main and ", Count(r.devices, "device"), ")"), r.mismatch_count, r.unchecked_nonfinite,
                                     r.unchecked_exchanged == 0 ? "" : absl::StrCat("; ", ExchangedText(r), " not compared"));
  for (const Mismatch& m : r.mismatches) {
    absl::StrAppend(&text, "mismatch: ", m.device, m.device.empty() ? "" : ": ", "%", m.instruction, m.fused ? " (fused)" : "", m.output >= 0 ? absl::StrCat("{", m.output, "}") : "", "[", absl::StrJoin(m.index, ","), "] is ",
                    ToText(m.got), ", expected ", ToText(m.expected), " within ", m.bound == 0 ? "no bit" : FormatDouble(m.bound), " (", UlpText(m.ulp), ")\n");
  }
  const int64_t more = r.mismatch_count - static_cast<int64_t>(r.mismatches.size());
  if (more > 0) absl::StrAppend(&text, "(and ", more, " more)\n");
  return text;
}

std::string CheckNotes(const CheckReport& r) {
  std::string text;
  const int64_t samples = r.checked_elements + r.unchecked_nonfinite + r.undecided;
  if (r.unchecked_nonfinite * 100 > samples) {
    std::vector<std::pair<int64_t, std::string>> most;
    for (const auto& [name, count] : r.nonfinite_by_instruction) most.emplace_back(count, absl::StrCat("%", name, " (", count, ")"));
    std::sort(most.rbegin(), most.rend());
    if (most.size() > 5) most.resize(5);
    absl::StrAppendFormat(&text, "warning: %.1f %% of the samples were not finite on both sides and say nothing, most of them in %s\n", 100.0 * r.unchecked_nonfinite / samples,
                          absl::StrJoin(most, ", ", [](std::string* out, const auto& m) { *out += m.second; }));
  }
  if (r.undecided > 0) absl::StrAppend(&text, "note: ", Count(r.undecided, "sample"), " lay where the reference's bound decides nothing\n");
  if (r.unchecked_opaque > 0) absl::StrAppend(&text, "note: ", Count(r.unchecked_opaque, "result"), " of operations without a cheap reference unchecked\n");
  if (r.unchecked_failed > 0) absl::StrAppend(&text, "warning: ", Count(r.unchecked_failed, "result"), " unchecked because the reference failed, first ", r.first_failure, "\n");
  if (r.split_differences > 0) {
    absl::StrAppend(&text, "warning: ", Count(r.split_differences, "region"), ", executed one instruction at a time, gave other bits, first %", r.first_split_difference, "\n");
  }
  return text;
}

nlohmann::ordered_json MismatchesJson(const CheckReport& report) {
  nlohmann::ordered_json list = nlohmann::ordered_json::array();
  for (const Mismatch& m : report.mismatches) {
    list.push_back({{"instruction", m.instruction}, {"index", m.index}, {"got", Number(m.got)}, {"expected", Number(m.expected)}, {"ulp", Number(m.ulp)}, {"bound", Number(m.bound)}});
    if (!m.device.empty()) list.back()["device"] = m.device;
  }
  return list;
}

}  // namespace hloscope::cli
