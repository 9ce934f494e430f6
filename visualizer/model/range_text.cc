#include "visualizer/model/range_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/literal/format.h"

namespace hloscope {
namespace {

constexpr size_t kMostLetters = 26;  // of a range of whole numbers in full

}  // namespace

std::string RangeText(ElementType type, const KnownValue& known) {
  const Statistics& s = known.statistics;
  if (s.count == 0) return "";
  const std::string part = known.whole ? "" : "\u2248 ";
  const std::string all = known.whole ? "all " : part;
  const std::string magnitude = IsComplex(type) ? "|z| " : "";
  if (s.finite == 0) {
    const std::string inf = s.inf == 0 ? "" : known.negative_inf == 0 ? "inf" : known.negative_inf == s.inf ? "-inf" : "\u00b1inf";
    if (s.nan > 0) return absl::StrCat(inf.empty() ? all : part, "nan", inf.empty() ? "" : ", ", inf);
    return absl::StrCat(known.negative_inf == 0 || known.negative_inf == s.inf ? all : part, magnitude, inf);
  }
  if (s.min == s.max && std::signbit(s.min) == std::signbit(s.max))
    return absl::StrCat(magnitude, s.nan + s.inf > 0 ? part : all, ShortText(s.min, type));
  if (type == ElementType::kPred) {
    const double share = 100 * s.mean;
    // Rounded to the end it would say that all are.
    return absl::StrCat(part, share > 99 ? ">99%" : share < 1 ? "<1%" : absl::StrFormat("%.0f%%", share), " true");
  }
  const auto range = [&](bool full) { return absl::StrCat(part, magnitude, ShortText(s.min, type, kShortDigits, full), " .. ", ShortText(s.max, type, kShortDigits, full)); };
  const std::string full = range(true);
  return full.size() <= kMostLetters ? full : range(false);
}

std::string TroubleText(const KnownValue& known) {
  const Statistics& s = known.statistics;
  std::string text;
  const auto add = [&](int64_t count, const char* what) {
    if (count > 0) absl::StrAppend(&text, text.empty() ? "" : ", ", count, " ", what);
  };
  add(s.nan, "NaN");
  add(s.inf - known.negative_inf, "inf");
  add(known.negative_inf, "-inf");
  return text;
}

}  // namespace hloscope
