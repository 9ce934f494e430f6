// Operators of expressions over arrays of numbers. For expression*.cc only.
#ifndef HLOSCOPE_CORE_DEBUG_EXPRESSION_ARITHMETIC_H_
#define HLOSCOPE_CORE_DEBUG_EXPRESSION_ARITHMETIC_H_

#include <algorithm>
#include <optional>

#include "absl/status/statusor.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/expression_functions.h"
#include "core/debug/expression_integers.h"

namespace hloscope::expression {

inline bool Compare(absl::string_view op, Complex a, Complex b, double tolerance) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a.real() < b.real();  // of real numbers only
  if (op == "<=") return a.real() <= b.real();
  if (op == ">") return a.real() > b.real();
  if (op == ">=") return a.real() >= b.real();
  return a == b || std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));  // ~=
}

// Element by element; a single number goes with any array. `exact`: of integers.
template <typename F>
absl::StatusOr<Result> Combine(const Result& a, const Result& b, F f, bool to_bool, WideOp exact = nullptr) {
  if (a.any_dimensions || b.any_dimensions) return Unknown();
  if (Size(a) != 1 && Size(b) != 1 && a.dimensions != b.dimensions) {
    return absl::InvalidArgumentError(
        absl::StrCat("arrays of sizes [", absl::StrJoin(a.dimensions, ","), "] and [", absl::StrJoin(b.dimensions, ","), "] do not go together"));
  }
  const Result& larger = a.dimensions.size() >= b.dimensions.size() && !(Size(a) == 1 && Size(b) != 1) ? a : b;
  Result r;
  r.dimensions = larger.dimensions;
  r.is_bool = to_bool;
  r.unknown = a.unknown || b.unknown;
  const bool complex = !to_bool && (!a.im.empty() || !b.im.empty());
  if (complex) r.im = {0};
  if (r.unknown) return r;
  if (exact != nullptr && AreIntegers(a) && AreIntegers(b)) {
    absl::StatusOr<std::optional<Result>> integers = CombineIntegers(a, b, larger.dimensions, exact);
    if (!integers.ok()) return integers.status();
    if (integers->has_value()) return **std::move(integers);
  }
  const int64_t n = Size(larger);
  r.re.resize(n);
  if (complex) r.im.resize(n);
  for (int64_t i = 0; i < n; ++i) {
    const Complex x = f(At(a, i), At(b, i));
    r.re[i] = x.real();
    if (complex) r.im[i] = x.imag();
  }
  return r;
}

// `complex`: of complex numbers it is one.
inline Result Map(Result n, Complex (*f)(Complex), bool to_bool, bool complex) {
  n.is_bool = to_bool;
  n.value = Value();
  n.integers.clear();
  for (int64_t i = 0; !n.unknown && i < Size(n); ++i) {
    const Complex x = f(At(n, i));
    n.re[i] = x.real();
    if (!n.im.empty()) n.im[i] = x.imag();
  }
  if (!complex) n.im.clear();
  return n;
}

}  // namespace hloscope::expression

#endif  // HLOSCOPE_CORE_DEBUG_EXPRESSION_ARITHMETIC_H_
