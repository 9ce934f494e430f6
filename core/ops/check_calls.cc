#include "core/ops/check_calls.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <limits>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/literal/scalar.h"

namespace hloscope {
namespace {

// The number after `name` and whatever separates them; tolerates both "tolerance=0.1" and "{tolerance = 0.1 : f64}".
absl::string_view Setting(absl::string_view config, absl::string_view name) {
  const size_t at = config.find(name);
  if (at == absl::string_view::npos) return {};
  config.remove_prefix(at + name.size());
  size_t begin = 0;
  while (begin < config.size() && !absl::ascii_isdigit(config[begin]) && config[begin] != '-' && config[begin] != '.') ++begin;
  size_t end = begin;
  while (end < config.size() && (absl::ascii_isalnum(config[end]) || config[end] == '.' || config[end] == '-' || config[end] == '+')) ++end;
  return config.substr(begin, end - begin);
}

uint64_t Bits(const std::byte* data, int bytes) {
  uint64_t bits = 0;
  std::memcpy(&bits, data, bytes);
  return bits;
}

bool SameNumber(double a, double b) { return a == b || (std::isnan(a) && std::isnan(b)); }

bool AlmostSame(double a, double b, double tolerance) {
  if (SameNumber(a, b)) return true;
  return std::isfinite(a) && std::isfinite(b) && std::abs(a - b) <= tolerance * std::max(1.0, std::abs(b));
}

struct Comparison {
  bool equal = true;
  uint64_t ulp = 0;
};

enum class Kind { kEq, kAlmost, kClose };

// The distance of neighbours at the largest element of an array; 0 where it has none.
double UlpOfNorm(const Value& v) {
  const ElementType type = v.shape().element_type();
  if (!IsFloat(type) && !IsComplex(type)) return 0;
  double largest = 0;
  for (int64_t e = 0; e < v.element_count(); ++e) {
    const Scalar s = LoadScalar(type, v.data() + e * StorageBytes(type));
    largest = std::max({largest, std::abs(s.re), std::abs(s.im)});
  }
  return std::isfinite(largest) && largest > 0 ? UlpAt(RealTypeOf(type), largest) : 0;
}

// Element `e` of both sides.
Comparison Compare(Kind kind, double tolerance, double norm_ulp, const Value& a, const Value& b, int64_t e) {
  const ElementType type = a.shape().element_type();
  const int bytes = StorageBytes(type);
  const std::byte* x = a.data() + e * bytes;
  const std::byte* y = b.data() + e * bytes;
  const Scalar p = LoadScalar(type, x), q = LoadScalar(type, y);
  if (!IsFloat(type) && !IsComplex(type)) return {p.i == q.i, p.i == q.i ? 0 : std::numeric_limits<uint64_t>::max()};
  const bool complex = IsComplex(type);
  switch (kind) {
    case Kind::kEq: return {SameNumber(p.re, q.re) && (!complex || SameNumber(p.im, q.im)), 0};
    case Kind::kAlmost: return {AlmostSame(p.re, q.re, tolerance) && (!complex || AlmostSame(p.im, q.im, tolerance)), 0};
    case Kind::kClose: break;
  }
  const ElementType part = RealTypeOf(type);
  const int width = StorageBytes(part);
  uint64_t ulp = UlpDistance(part, Bits(x, width), Bits(y, width));
  if (complex) ulp = std::max(ulp, UlpDistance(part, Bits(x + width, width), Bits(y + width, width)));
  if (norm_ulp > 0 && ulp > 0 && std::isfinite(p.re - q.re) && std::isfinite(p.im - q.im)) {
    ulp = std::min(ulp, static_cast<uint64_t>(std::ceil(std::max(std::abs(p.re - q.re), std::abs(p.im - q.im)) / norm_ulp)));
  }
  return {true, ulp};
}

std::string ElementText(const Value& v, int64_t e) {
  const ElementType type = v.shape().element_type();
  return ToText(LoadScalar(type, v.data() + e * StorageBytes(type)));
}

std::string Place(const Shape& shape, int64_t e) {
  if (shape.rank() == 0) return "";
  std::vector<int64_t> index(shape.rank());
  DelinearizeIndex(shape.dimensions(), e, absl::MakeSpan(index));
  return absl::StrCat(" at [", absl::StrJoin(index, ","), "]");
}

}  // namespace

uint64_t UlpDistance(ElementType type, uint64_t a_bits, uint64_t b_bits) {
  const double a = DecodeFloat(type, a_bits), b = DecodeFloat(type, b_bits);
  if (SameNumber(a, b)) return 0;
  if (!std::isfinite(a) || !std::isfinite(b)) return std::numeric_limits<uint64_t>::max();
  const uint64_t sign = uint64_t{1} << (BitWidth(type) - 1);
  // Magnitudes count from zero; on both sides of it the ways there add up.
  const uint64_t x = a_bits & (sign - 1), y = b_bits & (sign - 1);
  if ((a_bits & sign) != (b_bits & sign) && type != ElementType::kF8E8M0FNU) return x + y;
  if (type == ElementType::kF8E8M0FNU) return a_bits > b_bits ? a_bits - b_bits : b_bits - a_bits;
  return x > y ? x - y : y - x;
}

absl::Status RunCheck(absl::string_view target, absl::string_view config, absl::Span<const Value> operands, bool normwise) {
  Kind kind = Kind::kEq;
  absl::string_view name = target;
  absl::ConsumePrefix(&name, "check.");
  absl::ConsumePrefix(&name, "expect_");  // older programs leave it out
  if (name == "almost_eq") kind = Kind::kAlmost;
  else if (name == "close") kind = Kind::kClose;
  else if (name != "eq") return absl::UnimplementedError(absl::StrCat(target, " is not executed: there are check.expect_eq, check.expect_almost_eq and check.expect_close"));
  if (operands.size() != 2) return absl::InvalidArgumentError(absl::StrCat(target, " compares two values, it has ", operands.size()));
  const Value& actual = operands[0];
  const Value& expected = operands[1];
  if (!actual.shape().IsArray() || !expected.shape().IsArray() || actual.shape().element_type() != expected.shape().element_type() ||
      actual.shape().dimensions() != expected.shape().dimensions()) {
    return absl::FailedPreconditionError(absl::StrCat(target, " failed: the value has the shape ", actual.shape().ToString(false), ", expected was ", expected.shape().ToString(false)));
  }
  double tolerance = 0.0001;
  uint64_t most = 3, least = 0;
  if (const absl::string_view text = Setting(config, "tolerance"); !text.empty() && !absl::SimpleAtod(text, &tolerance)) {
    return absl::InvalidArgumentError(absl::StrCat(target, ": the tolerance must be a number, not ", text));
  }
  for (const auto& [field, value] : {std::make_pair("max_ulp_difference", &most), std::make_pair("min_ulp_difference", &least)}) {
    const absl::string_view text = Setting(config, field);
    if (!text.empty() && !absl::SimpleAtoi(text, value)) return absl::InvalidArgumentError(absl::StrCat(target, ": ", field, " must be a whole number, not ", text));
  }

  const int64_t n = actual.element_count();
  const double norm_ulp = normwise && kind == Kind::kClose ? UlpOfNorm(expected) : 0;
  int64_t different = 0, worst = -1, closest = -1;
  uint64_t largest = 0, smallest = std::numeric_limits<uint64_t>::max();
  for (int64_t e = 0; e < n; ++e) {
    const Comparison c = Compare(kind, tolerance, norm_ulp, actual, expected, e);
    const bool bad = kind == Kind::kClose ? c.ulp > most : !c.equal;
    if (bad) ++different;
    if (bad && (worst < 0 || c.ulp > largest)) worst = e;
    largest = std::max(largest, c.ulp);
    if (closest < 0 || c.ulp < smallest) closest = e;
    smallest = std::min(smallest, c.ulp);
  }
  const auto difference = [&](int64_t e) { return absl::StrCat(Place(actual.shape(), e), ": got ", ElementText(actual, e), ", expected ", ElementText(expected, e)); };
  if (different > 0) {
    std::string text = absl::StrCat(target, " failed", difference(worst));
    if (kind == Kind::kAlmost) absl::StrAppend(&text, " (at most ", tolerance, " apart)");
    if (kind == Kind::kClose && largest != std::numeric_limits<uint64_t>::max()) absl::StrAppend(&text, " (", largest, " ULP apart, at most ", most, " allowed)");
    if (n > 1) absl::StrAppend(&text, "; ", different, " of ", n, " elements differ");
    return absl::FailedPreconditionError(text);
  }
  if (kind == Kind::kClose && n > 0 && smallest < least) {
    return absl::FailedPreconditionError(absl::StrCat(target, " failed", difference(closest), " (", smallest, " ULP apart, at least ", least, " expected)"));
  }
  return absl::OkStatus();
}

}  // namespace hloscope
