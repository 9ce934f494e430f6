#include "visualizer/model/range_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/literal/format.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

constexpr size_t kMostLetters = 26;  // of a range of whole numbers in full

bool OneNumber(const Statistics& s) { return s.finite > 0 && s.min == s.max && std::signbit(s.min) == std::signbit(s.max); }

}  // namespace

std::string ExactText(ElementType type, double x) {
  constexpr double kExact = 9007199254740992.0;  // 2^53
  if (IsInteger(type)) return absl::StrCat(std::abs(x) < kExact ? "" : "\u2248 ", ShortText(x, type));
  if (type == ElementType::kPred) return ShortText(x, type);
  const std::string full = ShortText(x, type);  // whole numbers without an exponent
  const ElementType real = IsComplex(type) ? RealTypeOf(type) : type;
  return x == std::floor(x) && full.find('e') == std::string::npos ? full : ToText(Scalar::Float(real, x));
}

std::string EndsText(ElementType type, double min, double max) {
  constexpr int kMostDigits = 17;
  const auto range = [&](bool full) {
    for (int digits = kShortDigits;; ++digits) {
      const std::string low = ShortText(min, type, digits, full), high = ShortText(max, type, digits, full);
      if (low != high || digits == kMostDigits) return absl::StrCat(low, " .. ", high);
    }
  };
  const std::string full = range(true);
  return full.size() <= kMostLetters ? full : range(false);
}

std::string MeanText(ElementType type, const Statistics& s) {
  return OneNumber(s) ? ExactText(type, s.min) : ShortText(s.mean, type == ElementType::kPred ? ElementType::kF64 : type);
}

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
  if (OneNumber(s)) {
    const std::string number = ExactText(type, s.min);
    const bool rounded = number.rfind("\u2248", 0) == 0;
    return absl::StrCat(magnitude, rounded ? "" : s.nan + s.inf > 0 ? part : all, number);
  }
  if (type == ElementType::kPred) {
    const double share = 100 * s.mean;
    // Rounded to the end it would say that all are.
    return absl::StrCat(part, share > 99 ? ">99%" : share < 1 ? "<1%" : absl::StrFormat("%.0f%%", share), " true");
  }
  return absl::StrCat(part, magnitude, EndsText(type, s.min, s.max));
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
