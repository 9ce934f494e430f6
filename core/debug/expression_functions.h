// What expressions compute with: results as numbers, and the functions over them. For expression*.cc only.
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_FUNCTIONS_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_FUNCTIONS_H_

#include <complex>

#include "absl/strings/ascii.h"
#include "absl/types/span.h"
#include "core/debug/expression.h"

namespace hloscope::expression {

using Result = ExpressionResult;
using Complex = std::complex<double>;

inline bool IsNameChar(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '#'; }
// How many numbers; -1: that is not known.
int64_t Size(const Result& r);
// A result of one number goes with every index.
Complex At(const Result& r, int64_t i);
Result Number(double x, bool is_bool = false);
// Of which nothing is known; without any_dimensions one number is.
Result Unknown();
// What complex numbers do not have, of an order or a remainder of them; empty: it can be computed.
absl::string_view WhyNotOfComplex(absl::string_view op, const Result& a, const Result& b);
// A value's elements as doubles.
absl::StatusOr<Result> ToNumbers(Result r);

struct Function {
  const char* name;
  const char* help;
  // Whole array to one number, or element to element.
  Complex (*reduce)(const Result&);
  Complex (*map)(Complex);
  bool counts = false;   // an integer, whatever it is given
  bool complex = false;  // complex where it is given complex numbers; else real
};
absl::Span<const Function> Functions();

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_FUNCTIONS_H_
