// What the shadow found, for the console.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "core/debug/shadow.h"
#include "core/debug/text_util.h"
#include "core/ir/opcode.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"

namespace hloscope {
namespace {

std::string Milliseconds(double seconds) { return absl::StrFormat("%.4g ms", std::round(seconds * 1e6) / 1e3); }

}  // namespace

std::string ErrorBinText(int bin) {
  if (bin == 0) return "exact";
  if (bin == kErrorBins - 1) return "not finite";
  if (bin == kErrorBins - 2) return absl::StrCat("beyond ", FormatDouble(std::ldexp(0.5, bin - 2)));
  return absl::StrCat("up to ", FormatDouble(std::ldexp(0.5, bin - 1)));
}

std::string ShadowSummary(const ShadowReport& report) {
  ErrorStatistics own;
  const ShadowRow* worst = nullptr;
  for (const ShadowRow& row : report.rows) {
    own.elements += row.own.elements;
    own.sum_ulp += row.own.sum_ulp;
    for (int bin = 0; bin < kErrorBins; ++bin) own.bins[bin] += row.own.bins[bin];
    if (row.own.elements > 0 && (worst == nullptr || row.own.worst_ulp > worst->own.worst_ulp)) worst = &row;
  }
  std::string text = absl::StrCat(Count(own.elements, "element"), " of ", Count(static_cast<int64_t>(report.rows.size()), "instruction"),
                                  " against f64; own error ");
  if (worst == nullptr)
    text += !report.unmeasured.empty() ? "not measured" : "not measured: no instruction makes numbers narrower than f64";
  else
    absl::StrAppend(&text, std::isfinite(worst->own.worst_ulp) ? absl::StrFormat("at most %.3g ulp", worst->own.worst_ulp) : "not finite",
                    " (", ShownName(*worst->instruction), "), on average ", absl::StrFormat("%.3g", own.mean_ulp()),
                    own.bins[kErrorBins - 1] > 0 ? " where finite" : "");
  text += "\n";
  for (int bin = 0; bin < kErrorBins; ++bin) {
    if (own.bins[bin] > 0)
      absl::StrAppendFormat(&text, "  %-12s %9d %5.1f%%\n", ErrorBinText(bin), own.bins[bin],
                            100.0 * static_cast<double>(own.bins[bin]) / static_cast<double>(own.elements));
  }
  absl::StrAppendFormat(&text,
                        "the program took %s, the measuring %s more (%s of it to prepare), compiling for it %s\n",
                        Milliseconds(report.run_seconds), Milliseconds(report.seconds), Milliseconds(report.prepare_seconds), Milliseconds(report.compile_seconds));
  if (!report.ended.ok()) text += "all that is before the error with which the program stopped\n";
  if (report.accumulated) {
    absl::StrAppend(&text, "for what accumulates the program and the same in f64 ran instruction by instruction beside each other, which took ",
                    Milliseconds(report.accumulate_seconds), "\n");
  }
  if (report.looks < report.executions) {
    absl::StrAppendFormat(&text,
                          "looked at %d of %d executions: of an instruction in a loop the 1st, 2nd, 5th, 17th, ..., and others as far as "
                          "that costs about what the program does\n",
                          report.looks, report.executions);
  }
  if (report.fewer > 0) {
    absl::StrAppend(&text, "fewer elements than asked for of ", Count(report.fewer, "instruction"),
                    ", each of whose elements is made of very many others; first ", report.first_fewer, "\n");
  }
  if (!report.unmeasured.empty()) {
    const auto& [instruction, why] = report.unmeasured.front();
    absl::StrAppend(&text, Count(static_cast<int64_t>(report.unmeasured.size()), "instruction"), " could not be measured, first ",
                    ShownName(*instruction), ": ", why, "\n");
  }
  if (!report.accumulated_why.empty()) absl::StrAppend(&text, "no accumulated errors: ", report.accumulated_why, "\n");
  return text;
}

// ---- Showing ----

namespace {

std::string Ulp(const ErrorStatistics& s, double ulp) {
  return s.elements == 0 ? "-" : std::isfinite(ulp) ? absl::StrFormat("%.3g", ulp) : "not finite";
}

void Describe(const ErrorStatistics& s, absl::string_view what, std::string& text) {
  if (s.elements == 0) return;
  absl::StrAppend(&text, what, ": ", Count(s.elements, "element"), ", worst ", Ulp(s, s.worst_ulp),
                  std::isfinite(s.worst_ulp) ? " ulp" : "", " at [", absl::StrJoin(s.worst_index, ","), "]",
                  s.worst_where.empty() ? "" : " in ", s.worst_where, ": ", ToText(s.worst_got), ", exactly ", ToText(s.worst_exact),
                  "; mean ", Ulp(s, s.mean_ulp()), " ulp", s.bins[kErrorBins - 1] > 0 ? " where finite" : "", "\n");
  for (int bin = 0; bin < kErrorBins; ++bin) {
    if (s.bins[bin] == 0) continue;
    const double share = static_cast<double>(s.bins[bin]) / static_cast<double>(s.elements);
    absl::StrAppendFormat(&text, "  %-12s %9d %5.1f%% %s\n", ErrorBinText(bin), s.bins[bin], 100 * share,
                          std::string(static_cast<size_t>(std::ceil(40 * share)), '#'));
  }
}

}  // namespace

std::string ShadowDetails(const ShadowRow& row) {
  std::string text = absl::StrCat(ShownName(*row.instruction), " ", Name(row.instruction->opcode), " ", ShapeText(row.instruction->shape),
                                  ", looked at ", Count(row.times, "time"), "\n");
  Describe(row.own, "own error", text);
  Describe(row.accumulated, "accumulated error", text);
  return text;
}

std::string ShadowTable(const ShadowReport& report, size_t most) {
  std::vector<const ShadowRow*> rows;
  for (const ShadowRow& row : report.rows) rows.push_back(&row);
  const auto worse = [](const ShadowRow* x, const ShadowRow* y) {
    if (x->own.worst_ulp != y->own.worst_ulp) return x->own.worst_ulp > y->own.worst_ulp;
    return x->accumulated.worst_ulp > y->accumulated.worst_ulp;
  };
  std::stable_sort(rows.begin(), rows.end(), worse);
  std::string text = absl::StrFormat("%10s %10s %12s %9s  %s\n", "own worst", "own mean", report.accumulated ? "accumulated" : "",
                                     "elements", "instruction (ulp of its type)");
  for (size_t k = 0; k < rows.size() && k < most; ++k) {
    const ShadowRow& row = *rows[k];
    std::string at =
        absl::StrCat(ShownName(*row.instruction), " ", Name(row.instruction->opcode), " ", Cut(row.instruction->shape.ToString(false), 40));
    if (row.own.elements > 0 && row.own.worst_ulp > 0) {
      absl::StrAppend(&at, " [", absl::StrJoin(row.own.worst_index, ","), "]",
                      row.own.worst_where.empty() ? "" : absl::StrCat(", ", row.own.worst_where));
    }
    absl::StrAppendFormat(&text, "%10s %10s %12s %9d  %s\n", Ulp(row.own, row.own.worst_ulp), Ulp(row.own, row.own.mean_ulp()),
                          report.accumulated ? Ulp(row.accumulated, row.accumulated.worst_ulp) : "", row.own.elements, at);
  }
  if (rows.size() > most)
    absl::StrAppend(&text, Count(static_cast<int64_t>(rows.size() - most), "more instruction"),
                    "; info shadow all lists them, info shadow %x one\n");
  return text;
}

}  // namespace hloscope
