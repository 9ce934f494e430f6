// Nested brackets by recursion over dimensions; ranks are small, so the recursion is too.
#include "core/literal/format.h"
#include "core/literal/format_array.h"

#include <algorithm>
#include <cmath>
#include <cstdio>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

class Formatter {
 public:
  Formatter(absl::Span<const int64_t> dimensions, const FormatOptions& options, absl::FunctionRef<std::string(int64_t)> element)
      : options_(options), dims_(dimensions), element_(element) {
    int64_t count = 1;
    for (const int64_t d : dims_) count *= d;
    shorten_ = options.elements > 0 && count > options.elements;
    strides_ = RowMajorStrides(dims_);
  }

  std::string Text() {
    if (dims_.empty()) return element_(0);
    Dimension(0, 0);
    return std::move(text_);
  }

 private:
  void Dimension(size_t d, int64_t base) {
    const bool last = d + 1 == dims_.size();
    const std::string separator = last ? ", " : absl::StrCat(",", std::string(dims_.size() - 1 - d, '\n'), std::string(d + 1, ' '));
    text_ += '[';
    for (int64_t i = 0; i < dims_[d]; ++i) {
      if (i > 0) text_ += separator;
      if (shorten_ && dims_[d] > 2 * options_.edge && i == options_.edge) {
        text_ += "...";
        i = dims_[d] - options_.edge - 1;
        continue;
      }
      if (last) {
        text_ += element_(base + i);
      } else {
        Dimension(d + 1, base + i * strides_[d]);
      }
    }
    text_ += ']';
  }

  const FormatOptions& options_;
  absl::Span<const int64_t> dims_;
  absl::FunctionRef<std::string(int64_t)> element_;
  std::vector<int64_t> strides_;
  bool shorten_ = false;
  std::string text_;
};

}  // namespace

std::string ShortText(double x, ElementType type, int digits, bool full) {
  if (type == ElementType::kPred) return x != 0 ? "true" : "false";
  constexpr double kExact = 9007199254740992.0;  // 2^53: farther out doubles do not hold each integer
  const double most = full && IsInteger(type) ? kExact : 1e7;
  if (x == 0 && std::signbit(x)) return "-0";
  if (std::isfinite(x) && x == std::floor(x) && std::abs(x) < most) return absl::StrCat(static_cast<int64_t>(x));
  return FormatDouble(x, digits);
}

std::string ShortExponent(double x, int digits) {
  const std::string text = absl::StrFormat("%.*e", digits - 1, x);
  const size_t e = text.find('e');
  std::string mantissa = text.substr(0, e);
  if (absl::StrContains(mantissa, '.')) mantissa.erase(mantissa.find_last_not_of("0") + 1);
  if (!mantissa.empty() && mantissa.back() == '.') mantissa.pop_back();
  const size_t first = std::min(text.find_first_not_of("+-0", e + 1), text.size() - 1);
  return absl::StrCat(mantissa, text[e + 1] == '-' ? "e-" : "e", text.substr(first));
}

std::string TextThatFits(double x, size_t letters) {
  std::string text = ShortText(x);
  for (int digits = kShortDigits; text.size() > letters && digits >= 1; --digits) {
    text = FormatDouble(x, digits);
    if (text.size() > letters && std::isfinite(x)) text = ShortExponent(x, digits);
  }
  return text.size() > letters ? "" : text;
}

std::string FormatDouble(double x, int digits) {
  if (std::isnan(x)) return "nan";
  char buffer[64];
  std::snprintf(buffer, sizeof(buffer), "%.*g", digits, x);
  return buffer;
}

std::string FormatValue(const Value& value, const FormatOptions& options) {
  if (!value.has_value()) return "(no value)";
  if (value.shape().IsToken()) return "token";
  if (value.shape().IsTuple()) {
    std::string text = "(";
    for (size_t i = 0; i < value.elements().size(); ++i) absl::StrAppend(&text, i > 0 ? ",\n " : "", FormatValue(value.elements()[i], options));
    return text + ")";
  }
  if (!value.shape().IsArray()) return "(opaque)";
  if (!value.IsDense()) return FormatValue(ToDense(value), options);
  const ElementType type = value.shape().element_type();
  return FormatArray(value.shape().dimensions(), options, [&](int64_t linear) {
    const Scalar s = LoadScalar(type, value.data() + linear * StorageBytes(type));
    if (options.digits > 0 && IsFloat(type) && s.IsFinite()) return ShortText(s.re, type, options.digits);
    return ToText(s);
  });
}

std::string FormatArray(absl::Span<const int64_t> dimensions, const FormatOptions& options, absl::FunctionRef<std::string(int64_t)> element) {
  return Formatter(dimensions, options, element).Text();
}

std::string FormatStatistics(const Statistics& s) {
  const std::string counts = absl::StrCat("nan ", s.nan, ", inf ", s.inf, " (of ", s.count, ")");
  if (s.finite == 0) return counts;
  return absl::StrCat("min ", FormatDouble(s.min), ", max ", FormatDouble(s.max), ", mean ", FormatDouble(s.mean), ", ", counts);
}

}  // namespace hloscope
