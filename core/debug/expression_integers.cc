#include "core/debug/expression_integers.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/debug/expression_functions.h"
#include "core/literal/scalar.h"

namespace hloscope::expression {
namespace {

constexpr double kExactDoubles = 9007199254740992.0;  // 2^53
constexpr Wide kLeast = std::numeric_limits<int64_t>::min(), kMost = std::numeric_limits<int64_t>::max(), kMostUnsigned = std::numeric_limits<uint64_t>::max();

// Elements of a result of integers; one goes with every index.
class Integers {
 public:
  explicit Integers(const Result& r) : r_(r), one_(Size(r) == 1) {
    if (!r.value.has_value()) return;
    type_ = r.value.shape().element_type();
    data_ = r.value.data();
    bytes_ = StorageBytes(type_);
  }
  Wide operator[](int64_t i) const {
    if (one_) i = 0;
    if (!r_.integers.empty()) return r_.integers[i];
    if (data_ == nullptr) return static_cast<Wide>(r_.re[i]);
    if (std::fabs(r_.re[i]) < kExactDoubles) return static_cast<Wide>(r_.re[i]);
    const Scalar s = LoadScalar(type_, data_ + i * bytes_);
    return IsUnsigned(type_) ? static_cast<Wide>(s.u()) : static_cast<Wide>(s.i);
  }

 private:
  const Result& r_;
  const bool one_;
  ElementType type_ = ElementType::kS64;
  const std::byte* data_ = nullptr;
  int bytes_ = 0;
};

// Results that `at` gives for 0 <= i < n; nothing where it gives none.
template <typename At>
absl::StatusOr<std::optional<Result>> Make(const std::vector<int64_t>& dimensions, int64_t n, At at) {
  std::vector<Wide> all(n);
  Wide least = 0, most = 0;
  for (int64_t i = 0; i < n; ++i) {
    const Made made = at(i, &all[i]);
    if (made == Made::kNone) return std::nullopt;
    if (made == Made::kTooLarge) return absl::OutOfRangeError("integers are computed exactly, and 128 bits do not hold one of these; multiplied by 1.0 they are computed with as f64");
    least = std::min(least, all[i]);
    most = std::max(most, all[i]);
  }
  Result r;
  r.dimensions = dimensions;
  r.re.resize(n);
  for (int64_t i = 0; i < n; ++i) r.re[i] = static_cast<double>(all[i]);
  const bool is_signed = most <= kMost;
  if (least < kLeast || most > (least < 0 ? kMost : kMostUnsigned)) {
    r.integers = std::move(all);
    return r;
  }
  r.value = Value::Allocate(Shape::Array(is_signed ? ElementType::kS64 : ElementType::kU64, dimensions));
  if (!r.value.has_value()) return absl::ResourceExhaustedError("there is no memory for so many integers");
  uint64_t* to = reinterpret_cast<uint64_t*>(r.value.mutable_data());
  for (int64_t i = 0; i < n; ++i) to[i] = static_cast<uint64_t>(all[i]);
  return r;
}

Made Unless(bool overflow) { return overflow ? Made::kTooLarge : Made::kInteger; }
Made Add(Wide a, Wide b, Wide* x) { return Unless(__builtin_add_overflow(a, b, x)); }
Made Subtract(Wide a, Wide b, Wide* x) { return Unless(__builtin_sub_overflow(a, b, x)); }
Made Multiply(Wide a, Wide b, Wide* x) { return Unless(__builtin_mul_overflow(a, b, x)); }
// The least of 128 bits has no opposite.
Made Divide(Wide a, Wide b, Wide* x) {
  if (b == -1) return Subtract(0, a, x);
  if (b == 0 || a % b != 0) return Made::kNone;
  *x = a / b;
  return Made::kInteger;
}
// With the sign of the dividend, as that of doubles and of the operation.
Made Remainder(Wide a, Wide b, Wide* x) {
  if (b == 0) return Made::kNone;
  *x = b == -1 ? 0 : a % b;
  return Made::kInteger;
}

std::string Digits(Wide x) {
  std::string digits;
  for (Wide rest = x; rest != 0 || digits.empty(); rest /= 10) digits.insert(digits.begin(), static_cast<char>('0' + static_cast<int>(x < 0 ? -(rest % 10) : rest % 10)));
  return x < 0 ? "-" + digits : digits;
}

bool Holds(absl::string_view op, Wide a, Wide b) {
  if (op == "==") return a == b;
  if (op == "!=") return a != b;
  if (op == "<") return a < b;
  if (op == "<=") return a <= b;
  if (op == ">") return a > b;
  return a >= b;
}

}  // namespace

bool AreIntegers(const Result& r) { return r.kind == Result::kNumbers && !r.unknown && r.im.empty() && (r.is_bool || r.value.has_value() || !r.integers.empty()); }

Result Integer(Wide x) {
  const auto at = [x](int64_t, Wide* to) {
    *to = x;
    return Made::kInteger;
  };
  absl::StatusOr<std::optional<Result>> made = Make({}, 1, at);
  return made.ok() && made->has_value() ? **std::move(made) : Number(static_cast<double>(x));
}

WideOp WideOpOf(absl::string_view sign) {
  if (sign == "+") return Add;
  if (sign == "-") return Subtract;
  if (sign == "*") return Multiply;
  if (sign == "/") return Divide;
  if (sign == "%") return Remainder;
  return nullptr;
}

absl::StatusOr<std::optional<Result>> CombineIntegers(const Result& a, const Result& b, const std::vector<int64_t>& dimensions, WideOp f) {
  int64_t n = 1;
  for (int64_t d : dimensions) n *= d;
  const Integers x(a), y(b);
  return Make(dimensions, n, [&](int64_t i, Wide* to) { return f(x[i], y[i], to); });
}

absl::StatusOr<std::optional<Result>> CallWithIntegers(absl::string_view name, const Result& r) {
  const int64_t n = Size(r);
  const Integers x(r);
  if (name == "abs") return Make(r.dimensions, n, [&](int64_t i, Wide* to) { return x[i] < 0 ? Subtract(0, x[i], to) : Add(0, x[i], to); });
  if (name == "real" && !r.is_bool) return r;
  if (name != "max" && name != "min" && name != "sum") return std::nullopt;
  if (n == 0 && name != "sum") return std::nullopt;
  return Make({}, 1, [&](int64_t, Wide* to) {
    *to = name == "sum" ? 0 : x[0];
    for (int64_t i = 0; i < n; ++i) {
      const Wide now = x[i];
      if (name == "sum") {
        if (const Made made = Add(*to, now, to); made != Made::kInteger) return made;
      } else if (name == "max" ? now > *to : now < *to) {
        *to = now;
      }
    }
    return Made::kInteger;
  });
}

void CompareIntegers(absl::string_view op, const Result& a, const Result& b, Result* outcome) {
  const Integers x(a), y(b);
  for (size_t i = 0; i < outcome->re.size(); ++i) {
    const double u = a.re[a.re.size() == 1 ? 0 : i], v = b.re[b.re.size() == 1 ? 0 : i];
    if (std::fabs(u) < kExactDoubles && std::fabs(v) < kExactDoubles) continue;
    outcome->re[i] = Holds(op, x[i], y[i]);
  }
}

bool ReadInteger(absl::string_view digits, Wide* x) {
  *x = 0;
  if (absl::StartsWith(digits, "0x") || absl::StartsWith(digits, "0X")) {
    digits.remove_prefix(2);
    for (const char c : digits) {
      const int digit = absl::ascii_isdigit(c) ? c - '0' : absl::ascii_isxdigit(c) ? absl::ascii_tolower(c) - 'a' + 10 : -1;
      if (digit < 0 || Multiply(*x, 16, x) != Made::kInteger || Add(*x, digit, x) != Made::kInteger) return false;
    }
    return !digits.empty();
  }
  for (const char c : digits) {
    if (c < '0' || c > '9' || Multiply(*x, 10, x) != Made::kInteger || Add(*x, c - '0', x) != Made::kInteger) return false;
  }
  return !digits.empty();
}

std::string IntegerText(const Result& r, int64_t i) {
  if (!r.integers.empty()) return Digits(r.integers[i]);
  const ElementType type = r.value.shape().element_type();
  return hloscope::ToText(LoadScalar(type, r.value.data() + i * StorageBytes(type)));
}

}  // namespace hloscope::expression
