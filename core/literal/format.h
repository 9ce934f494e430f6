// Values as people read them: nested brackets, long arrays shortened at their edges. Not for HLO text (core/text/hlo_text.h).
#ifndef HLOSCOPE_CORE_LITERAL_FORMAT_H_
#define HLOSCOPE_CORE_LITERAL_FORMAT_H_

#include <string>

#include "core/literal/statistics.h"
#include "core/literal/value.h"

namespace hloscope {

struct FormatOptions {
  int64_t elements = 200;  // arrays with more show only `edge` entries at both ends of each dimension; 0: no limit
  int edge = 3;
  int digits = 0;          // significant digits of floats; 0: the shortest text that reads back
};
// "[[1, 2],\n [3, 4]]", "2.5", "(1, [1, 2])", "token".
std::string FormatValue(const Value& value, const FormatOptions& options = {});
// "min -1.5, max 2.25, mean 0.01, nan 0, inf 0 (of 1024)".
std::string FormatStatistics(const Statistics& statistics);
// How numbers are written where people look at them: one number alone exactly (ToText of its scalar, core/literal/scalar.h); one among many (an
// element in a list, the ends of a range, a mean, a cell) in short. Nothing that shows values rounds in a way of its own.
constexpr int kShortDigits = 4;
// Whole numbers below 1e7 in full (of integer types where `full`: below 2^53), others with so many digits; "nan", "inf", "-inf", "true",
// "-0".
std::string ShortText(double x, ElementType type = ElementType::kF64, int digits = kShortDigits, bool full = true);
// With as many digits as so many letters hold, "-0.0045", "-4e-3"; empty: not even one.
std::string TextThatFits(double x, size_t letters);
// With an exponent and so many significant digits, "4.5e-3", "1e9": neither zeros at the end nor in the exponent.
std::string ShortExponent(double x, int digits);
// "%.6g", and "nan" without a sign.
std::string FormatDouble(double x, int digits = 6);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_FORMAT_H_
