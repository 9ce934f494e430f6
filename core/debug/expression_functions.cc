#include "core/debug/expression_functions.h"

#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/debug/expression_claim.h"
#include "core/literal/format.h"
#include "core/literal/format_array.h"
#include "core/literal/scalar.h"

namespace hloscope::expression {
namespace {

constexpr int64_t kMaxElements = int64_t{1} << 28;

template <typename T>
void Widen(const std::byte* from, std::vector<double>& to) {
  const T* elements = reinterpret_cast<const T*>(from);
  for (size_t i = 0; i < to.size(); ++i) to[i] = static_cast<double>(elements[i]);
}

}  // namespace

int64_t Size(const Result& r) {
  if (!r.unknown) return static_cast<int64_t>(r.re.size());
  int64_t n = r.any_dimensions ? -1 : 1;
  for (int64_t d : r.dimensions) n *= d;
  return n;
}
Complex At(const Result& r, int64_t i) {
  if (Size(r) == 1) i = 0;
  return {r.re[i], r.im.empty() ? 0.0 : r.im[i]};
}

Result Number(double x, bool is_bool) {
  Result r;
  r.re = {x};
  r.is_bool = is_bool;
  return r;
}

Result Unknown() {
  Result r;
  r.unknown = r.any_dimensions = true;
  return r;
}

absl::string_view WhyNotOfComplex(absl::string_view op, const Result& a, const Result& b) {
  if (a.im.empty() && b.im.empty()) return "";
  if (op[0] == '<' || op[0] == '>') return "complex numbers have no order; compare abs(), real() or imag() of them";
  return op == "%" ? "complex numbers have no remainder; take real() or imag() of them" : "";
}

absl::StatusOr<Result> ToNumbers(Result r) {
  if (r.kind == Result::kNumbers) return r;
  if (r.kind == Result::kShape) return absl::InvalidArgumentError("a shape is no number; compare it with ==, as shape(%x) == f32[2,3]");
  const Shape shape = r.unknown ? r.shape : r.value.shape();
  if (r.unknown && r.any_dimensions) return Unknown();
  if (!shape.IsArray()) return absl::InvalidArgumentError(absl::StrCat("a value of shape ", shape.ToString(false), " is no array; name an element, as %x[0]"));
  if (r.unknown) {
    Result n = Unknown();
    n.any_dimensions = shape.has_dynamic_dimension();
    n.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
    n.is_bool = IsPred(shape.element_type());
    if (IsComplex(shape.element_type())) n.im = {0};
    return n;
  }
  if (r.value.element_count() > kMaxElements) return absl::ResourceExhaustedError(absl::StrCat(shape.ToString(false), " is too large for an expression; take a slice"));
  Result n;
  n.dimensions.assign(shape.dimensions().begin(), shape.dimensions().end());
  const ElementType type = shape.element_type();
  const int bytes = StorageBytes(type);
  n.is_bool = IsPred(type);
  if (IsInteger(type)) n.value = r.value;
  const int64_t count = r.value.element_count();
  n.re.resize(count);
  if (IsComplex(type)) n.im.resize(count);
  // Conditions are evaluated often: the commonest types without a look at the type for each element.
  if (type == ElementType::kF32) return Widen<float>(r.value.data(), n.re), n;
  if (type == ElementType::kF64) return Widen<double>(r.value.data(), n.re), n;
  if (type == ElementType::kS32) return Widen<int32_t>(r.value.data(), n.re), n;
  if (type == ElementType::kPred) return Widen<uint8_t>(r.value.data(), n.re), n;
  for (int64_t i = 0; i < count; ++i) {
    const Scalar s = LoadScalar(type, r.value.data() + i * bytes);
    n.re[i] = IsFloat(type) || IsComplex(type) ? s.re : IsUnsigned(type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
    if (IsComplex(type)) n.im[i] = s.im;
  }
  return n;
}

namespace {

double Extreme(const Result& r, bool max) {
  double best = max ? -HUGE_VAL : HUGE_VAL;  // of no elements, as a reduction has it
  if (r.im.empty()) {
    for (double x : r.re) {
      if (std::isnan(x)) return x;  // a NaN must not hide
      if (max ? x > best : x < best) best = x;
    }
    return best;
  }
  for (size_t i = 0; i < r.re.size(); ++i) {
    if (std::isnan(r.re[i]) || std::isnan(r.im[i])) return std::numeric_limits<double>::quiet_NaN();
    const double x = std::abs(Complex(r.re[i], r.im[i]));
    if (max ? x > best : x < best) best = x;
  }
  return best;
}
Complex Sum(const Result& r) {
  double re = 0, im = 0;
  for (double x : r.re) re += x;
  for (double x : r.im) im += x;
  return {re, im};
}
Complex Mean(const Result& r) {
  const double n = static_cast<double>(r.re.size());
  const Complex sum = Sum(r);
  return {sum.real() / n, sum.imag() / n};
}
double SumOfSquares(const Result& r, Complex from) {
  double squares = 0;
  for (double x : r.re) squares += (x - from.real()) * (x - from.real());
  for (double x : r.im) squares += (x - from.imag()) * (x - from.imag());
  return squares;
}
double CountIf(const Result& r, bool (*test)(double)) {
  int64_t n = 0;
  for (size_t i = 0; i < r.re.size(); ++i) n += test(r.re[i]) || (!r.im.empty() && test(r.im[i]));
  return static_cast<double>(n);
}
// A complex number of which a part is NaN is NaN, and no infinity.
double Infinite(const Result& r) {
  int64_t n = 0;
  for (size_t i = 0; i < r.re.size(); ++i) {
    const double im = r.im.empty() ? 0 : r.im[i];
    n += !std::isnan(r.re[i]) && !std::isnan(im) && (std::isinf(r.re[i]) || std::isinf(im));
  }
  return static_cast<double>(n);
}
bool True(double x) { return x != 0; }

const Function kFunctions[] = {
    {"max", "largest element, of complex ones the largest magnitude (nan if there is one, -inf of no elements)", [](const Result& r) { return Complex(Extreme(r, true)); }, nullptr},
    {"min", "smallest element, of complex ones the smallest magnitude (nan if there is one, inf of no elements)", [](const Result& r) { return Complex(Extreme(r, false)); }, nullptr},
    {"mean", "mean of the elements", Mean, nullptr, false, true},
    {"sum", "sum of the elements", Sum, nullptr, false, true},
    {"nan", "how many elements are nan", [](const Result& r) { return Complex(CountIf(r, [](double x) { return std::isnan(x); })); }, nullptr, true},
    {"inf", "how many elements are infinite", [](const Result& r) { return Complex(Infinite(r)); }, nullptr, true},
    {"any", "1 if some element is true (not 0)", [](const Result& r) { return Complex(CountIf(r, True) > 0); }, nullptr},
    {"all", "1 if every element is true (not 0)", [](const Result& r) { return Complex(CountIf(r, True) == static_cast<double>(r.re.size())); }, nullptr},
    {"count", "how many elements; of a condition, how many are true",
     [](const Result& r) { return Complex(r.is_bool ? CountIf(r, True) : static_cast<double>(r.re.size())); }, nullptr, true},
    {"std", "standard deviation of the elements, of complex ones by |x - mean|",
     [](const Result& r) { return Complex(std::sqrt(SumOfSquares(r, Mean(r)) / static_cast<double>(r.re.size()))); }, nullptr},
    {"norm", "Euclidean length of all elements", [](const Result& r) { return Complex(std::sqrt(SumOfSquares(r, 0))); }, nullptr},
    {"rank", "how many dimensions", [](const Result& r) { return Complex(static_cast<double>(r.dimensions.size())); }, nullptr, true},
    {"abs", "magnitude of each element", nullptr, [](Complex x) { return Complex(x.imag() == 0 ? std::fabs(x.real()) : std::abs(x)); }},
    {"sqrt", "square root of each element", nullptr, [](Complex x) { return x.imag() == 0 ? Complex(std::sqrt(x.real())) : std::sqrt(x); }, false, true},
    {"exp", "exponential of each element", nullptr, [](Complex x) { return x.imag() == 0 ? Complex(std::exp(x.real())) : std::exp(x); }, false, true},
    {"log", "natural logarithm of each element", nullptr, [](Complex x) { return x.imag() == 0 ? Complex(std::log(x.real())) : std::log(x); }, false, true},
    {"real", "real part of each element", nullptr, [](Complex x) { return Complex(x.real()); }},
    {"imag", "imaginary part of each element", nullptr, [](Complex x) { return Complex(x.imag()); }},
};

}  // namespace

absl::Span<const Function> Functions() { return kFunctions; }

}  // namespace hloscope::expression

namespace hloscope {

absl::StatusOr<Value> ToValue(ExpressionResult r) {
  if (r.kind == ExpressionResult::kShape) return absl::InvalidArgumentError("a shape is no value");
  if (r.unknown) return absl::UnavailableError("the value is not known");
  if (r.kind == ExpressionResult::kValue || r.value.has_value()) return r.value;
  if (!r.integers.empty()) return absl::InvalidArgumentError("some of these integers take more than 64 bits, which no value holds; multiplied by 1.0 they are f64");
  const ElementType type = r.is_bool ? ElementType::kPred : r.im.empty() ? ElementType::kF64 : ElementType::kC128;
  Value array = Value::Allocate(Shape::Array(type, r.dimensions));
  for (int64_t i = 0; i < expression::Size(r); ++i) {
    Scalar s;
    s.type = type;
    s.i = r.re[i] != 0;
    s.re = r.re[i];
    s.im = r.im.empty() ? 0 : r.im[i];
    StoreScalar(s, array.mutable_data() + i * StorageBytes(type));
  }
  return array;
}

std::string ToText(const ExpressionResult& r, int64_t max_elements) {
  if (r.kind == ExpressionResult::kShape) return r.shape.ToString(false);
  if (r.kind == ExpressionResult::kValue) return FormatValue(r.value, {.elements = max_elements});
  if (r.dimensions.empty()) return expression::ElementText(r, 0);
  if (!r.integers.empty()) return FormatArray(r.dimensions, {.elements = max_elements}, [&r](int64_t i) { return expression::ElementText(r, i); });
  const absl::StatusOr<Value> array = ToValue(r);
  return array.ok() ? FormatValue(*array, {.elements = max_elements, .digits = r.value.has_value() ? 0 : 9}) : std::string(array.status().message());
}

std::string ExpressionHelp() {
  std::string text =
      "An expression is made of values (%x, %x[0, 1:3], %t[0] of a tuple, $result), numbers, + - * / and % (remainder),\n"
      "comparisons == != < <= > >= (of integers exact; beside == or != a number that is compared with a value of floats of\n"
      "at most 32 bits is taken as f32, so that a value is equal to what is printed of it), complex numbers as (1, -2),\n"
      "which have no order (compare abs(x), real(x) or imag(x)),\n"
      "~= (equal within a tolerance: %x ~= 3.0 1e-5; |a - b| <= tolerance * max(1, |b|)), and, or, not, and functions:\n";
  for (const expression::Function& f : expression::Functions()) absl::StrAppend(&text, "  ", f.name, "(x)", std::string(8 - std::string(f.name).size(), ' '), f.help, "\n");
  absl::StrAppend(&text, "  shape(x)   the shape, to compare with one: shape(%x) == f32[2,3]\n", "  stopped at %x, finished: where the program is\n");
  text +=
      "  iteration  of the innermost loop, from 0; iteration(NAME) of the loop or loop body NAME (of loops of one name in each other: COMPUTATION:NAME)\n"
      "  depth      how many frames are around this one\n"
      "  $_         what the instruction before the stop has computed; in a condition or logpoint, the value of its place, after which it\n"
      "             stops then; in a watch, the expression's value, and $old the one before\n"
      "  hits       in conditions and logpoints: how often the place has been reached since the program began, this time included, also\n"
      "             before the breakpoint was there and while it was disabled, so that it is the same whichever way leads there\n"
      "  replica, partition  the numbers of the device, where a program runs on several\n"
      "  @ MOMENT   in print, expect, set and save: what stands before it is of that moment, %x @ iteration 3 (help print). At the end, or before a\n"
      "             closing parenthesis, that is all of it: %x > %y @ iteration 3. Where an operator follows, it goes back to a comparison, and, or,\n"
      "             not, or the operator behind another @: %x @ iteration 3 > 5, %x @ iteration 3 - %x @ iteration 2, %x - (%x @ iteration 3)\n"
      "An instruction called iteration, depth, hits, replica or partition is written with its %. and, or do not evaluate what cannot matter any more.\n"
      "As a condition, a comparison of arrays by == or ~= is true where all elements are; of any other array say all(...) or any(...).\n";
  return text;
}

}  // namespace hloscope
