#include "core/debug/expression_integers.h"

#include <cmath>
#include <limits>

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
std::optional<Result> Make(const std::vector<int64_t>& dimensions, int64_t n, At at) {
  Wide least = 0, most = 0, x = 0;
  for (int64_t i = 0; i < n; ++i) {
    if (!at(i, &x)) return std::nullopt;
    if (x < least) least = x;
    if (x > most) most = x;
  }
  const bool is_signed = most <= kMost;
  if (least < kLeast || most > (least < 0 ? kMost : kMostUnsigned)) return std::nullopt;
  Result r;
  r.dimensions = dimensions;
  r.re.resize(n);
  r.value = Value::Allocate(Shape::Array(is_signed ? ElementType::kS64 : ElementType::kU64, dimensions));
  if (!r.value.has_value()) return std::nullopt;
  uint64_t* to = reinterpret_cast<uint64_t*>(r.value.mutable_data());
  for (int64_t i = 0; i < n; ++i) {
    at(i, &x);
    r.re[i] = static_cast<double>(x);
    to[i] = static_cast<uint64_t>(x);
  }
  return r;
}

bool Add(Wide a, Wide b, Wide* x) { return !__builtin_add_overflow(a, b, x); }
bool Subtract(Wide a, Wide b, Wide* x) { return !__builtin_sub_overflow(a, b, x); }
bool Multiply(Wide a, Wide b, Wide* x) { return !__builtin_mul_overflow(a, b, x); }
bool Divide(Wide a, Wide b, Wide* x) {
  if (b == 0 || a % b != 0) return false;
  *x = a / b;
  return true;
}
// With the sign of the dividend, as that of doubles and of the operation.
bool Remainder(Wide a, Wide b, Wide* x) {
  if (b == 0) return false;
  *x = a % b;
  return true;
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

bool AreIntegers(const Result& r) { return r.kind == Result::kNumbers && !r.unknown && r.im.empty() && (r.is_bool || r.value.has_value()); }

Result Integer(Wide x) {
  const auto at = [x](int64_t, Wide* to) {
    *to = x;
    return true;
  };
  std::optional<Result> made = Make({}, 1, at);
  return made.has_value() ? *std::move(made) : Number(static_cast<double>(x));
}

WideOp WideOpOf(absl::string_view sign) {
  if (sign == "+") return Add;
  if (sign == "-") return Subtract;
  if (sign == "*") return Multiply;
  if (sign == "/") return Divide;
  if (sign == "%") return Remainder;
  return nullptr;
}

std::optional<Result> CombineIntegers(const Result& a, const Result& b, const std::vector<int64_t>& dimensions, WideOp f) {
  int64_t n = 1;
  for (int64_t d : dimensions) n *= d;
  const Integers x(a), y(b);
  return Make(dimensions, n, [&](int64_t i, Wide* to) { return f(x[i], y[i], to); });
}

std::optional<Result> CallWithIntegers(absl::string_view name, const Result& r) {
  const int64_t n = Size(r);
  const Integers x(r);
  if (name == "abs") {
    return Make(r.dimensions, n, [&](int64_t i, Wide* to) {
      *to = x[i] < 0 ? -x[i] : x[i];
      return true;
    });
  }
  if (name == "real") {
    Result same = r;
    if (same.value.has_value()) return same;
  }
  if (name != "max" && name != "min" && name != "sum") return std::nullopt;
  if (n == 0 && name != "sum") return std::nullopt;
  Wide found = name == "sum" ? 0 : x[0];
  for (int64_t i = 0; i < n; ++i) {
    const Wide now = x[i];
    if (name == "sum") {
      found += now;
    } else if (name == "max" ? now > found : now < found) {
      found = now;
    }
  }
  return Integer(found);
}

void CompareIntegers(absl::string_view op, const Result& a, const Result& b, Result* outcome) {
  const Integers x(a), y(b);
  for (size_t i = 0; i < outcome->re.size(); ++i) {
    const double u = a.re[a.re.size() == 1 ? 0 : i], v = b.re[b.re.size() == 1 ? 0 : i];
    if (std::fabs(u) < kExactDoubles && std::fabs(v) < kExactDoubles) continue;
    outcome->re[i] = Holds(op, x[i], y[i]);
  }
}

std::string IntegerText(const Result& r, int64_t i) {
  const ElementType type = r.value.shape().element_type();
  return hloscope::ToText(LoadScalar(type, r.value.data() + i * StorageBytes(type)));
}

}  // namespace hloscope::expression
