#include "visualizer/pictures/number_text.h"

#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/literal/format.h"

namespace hloscope {
namespace {

std::string Shorter(std::string text, double x, const NumberStyle& style) {
  if (style.letters == 0 || text.size() <= style.letters || !std::isfinite(x)) return text;
  std::string exponent = ShortExponent(x, style.digits);
  return exponent.size() < text.size() ? exponent : text;
}

std::string RealText(double x, const NumberStyle& style) {
  if (std::isnan(x)) return "nan";
  if (std::isinf(x)) return x < 0 ? "-inf" : "inf";
  std::string text = absl::StrFormat("%.*g", style.digits, x);
  if (text.find('e') != std::string::npos) return ShortExponent(x, style.digits);
  // "6.00" of a number that is only nearly 6.
  const size_t digits = text.size() - (text[0] == '-' ? 1 : 0), wanted = static_cast<size_t>(style.digits);
  if (text.find('.') == std::string::npos && x != std::floor(x) && digits < wanted) absl::StrAppend(&text, ".", std::string(wanted - digits, '0'));
  return Shorter(std::move(text), x, style);
}

}  // namespace

std::string NumberText(const Scalar& s, const NumberStyle& style) {
  constexpr double kMostWhole = 1e5;
  constexpr size_t kShortInteger = 7;
  if (IsPred(s.type)) return s.i != 0 ? "T" : "F";
  if (IsFloat(s.type)) {
    const bool whole = std::fabs(s.re) < kMostWhole && s.re == std::floor(s.re) && !(s.re == 0 && std::signbit(s.re));
    return whole ? Shorter(absl::StrFormat("%.0f", s.re), s.re, style) : RealText(s.re, style);
  }
  if (IsComplex(s.type)) {
    NumberStyle part = style;
    if (style.letters > 2) part.letters = (style.letters - 2) / 2;
    const std::string im = RealText(s.im, part);
    return absl::StrCat(RealText(s.re, part), im[0] == '-' ? "" : "+", im, "i");
  }
  std::string text = ToText(s);
  const double x = IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
  if (style.whole) return text;
  return text.size() <= kShortInteger ? Shorter(std::move(text), x, style) : RealText(x, style);
}

std::string NumberTextIn(const Scalar& s, NumberStyle style, size_t letters) {
  std::string text = NumberText(s, style);
  style.whole = false;
  style.letters = letters;
  for (; text.size() > letters && style.digits >= 1; --style.digits) text = NumberText(s, style);
  return text;
}

}  // namespace hloscope
