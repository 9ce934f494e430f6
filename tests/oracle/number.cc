// Codecs and conversions of the oracle, see number.h.
#include "tests/oracle/number.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"

namespace hloscope::oracle {

Number Int(int64_t i) {
  Number n;
  n.i = i;
  return n;
}
Number Real(double re, double error) {
  Number n;
  n.re = re;
  n.error = error;
  return n;
}
Number Complex(double re, double im, double error) {
  Number n;
  n.re = re;
  n.im = im;
  n.error = error;
  return n;
}
Number SomeNaN() { return Real(std::numeric_limits<double>::quiet_NaN(), 0x1p-1074); }
Number Unknown() {
  Number n;
  n.error = kUnknown;
  return n;
}

const Format& FormatOf(ElementType t) {
  //                                     exp man bias  inf    nan    -0     sign   zero   max
  static const Format f4e2m1fn = {2, 1, 1, false, false, true, true, true, 6};
  static const Format f6e2m3fn = {2, 3, 1, false, false, true, true, true, 7.5};
  static const Format f6e3m2fn = {3, 2, 3, false, false, true, true, true, 28};
  static const Format f8e3m4 = {3, 4, 3, true, true, true, true, true, 15.5};
  static const Format f8e4m3 = {4, 3, 7, true, true, true, true, true, 240};
  static const Format f8e4m3fn = {4, 3, 7, false, true, true, true, true, 448};
  static const Format f8e4m3b11fnuz = {4, 3, 11, false, true, false, true, true, 30};
  static const Format f8e4m3fnuz = {4, 3, 8, false, true, false, true, true, 240};
  static const Format f8e5m2 = {5, 2, 15, true, true, true, true, true, 57344};
  static const Format f8e5m2fnuz = {5, 2, 16, false, true, false, true, true, 57344};
  static const Format f8e8m0fnu = {8, 0, 127, false, true, false, false, false, 0x1p127};
  static const Format bf16 = {8, 7, 127, true, true, true, true, true, 0x1.FEp127};
  static const Format f16 = {5, 10, 15, true, true, true, true, true, 65504};
  static const Format f32 = {8, 23, 127, true, true, true, true, true, std::numeric_limits<float>::max()};
  static const Format f64 = {11, 52, 1023, true, true, true, true, true, std::numeric_limits<double>::max()};
  switch (t) {
    case ElementType::kF4E2M1FN: return f4e2m1fn;
    case ElementType::kF6E2M3FN: return f6e2m3fn;
    case ElementType::kF6E3M2FN: return f6e3m2fn;
    case ElementType::kF8E3M4: return f8e3m4;
    case ElementType::kF8E4M3: return f8e4m3;
    case ElementType::kF8E4M3FN: return f8e4m3fn;
    case ElementType::kF8E4M3B11FNUZ: return f8e4m3b11fnuz;
    case ElementType::kF8E4M3FNUZ: return f8e4m3fnuz;
    case ElementType::kF8E5M2: return f8e5m2;
    case ElementType::kF8E5M2FNUZ: return f8e5m2fnuz;
    case ElementType::kF8E8M0FNU: return f8e8m0fnu;
    case ElementType::kBF16: return bf16;
    case ElementType::kF16: return f16;
    case ElementType::kF64: return f64;
    case ElementType::kC128: return f64;
    default: return f32;
  }
}

int64_t Wrap(ElementType t, int64_t v) {
  if (IsPred(t)) return v != 0;
  const int bits = BitWidth(t);
  if (bits >= 64) return v;
  const uint64_t mask = (uint64_t{1} << bits) - 1;
  uint64_t low = static_cast<uint64_t>(v) & mask;
  if (IsSigned(t) && (low >> (bits - 1)) != 0) low |= ~mask;
  return static_cast<int64_t>(low);
}

namespace {

// Exponent of the smallest normal number.
int MinExponent(const Format& f) { return f.zero ? 1 - f.bias : -f.bias; }

double Overflowed(const Format& f, bool negative) {
  const double magnitude = f.infinity ? std::numeric_limits<double>::infinity() : f.nan ? std::numeric_limits<double>::quiet_NaN() : f.max;
  const bool one_nan = f.nan && !f.infinity && (!f.negative_zero || !f.sign);  // which has no sign
  return negative && !one_nan ? -magnitude : magnitude;
}

}  // namespace

double Round(ElementType t, long double x) {
  const Format& f = FormatOf(t);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (std::isnan(x)) return f.nan ? nan : -0.0;
  if (!f.sign && (std::signbit(x) && x != 0)) return nan;
  if (std::isinf(x)) return Overflowed(f, x < 0);
  if (x == 0) {
    if (!f.zero) return std::ldexp(1.0, MinExponent(f));
    return f.negative_zero ? static_cast<double>(x) : 0.0;
  }
  int e;
  std::frexp(x, &e);
  const int quantum = std::max(e - 1, MinExponent(f)) - f.mantissa_bits;
  const long double scaled = std::ldexp(x, -quantum);
  long double r = std::ldexp(std::rint(scaled), quantum);
  // Without mantissa bits a tie goes to the code, that is the exponent, that is even.
  if (!f.zero && scaled == 1.5L) r = std::ldexp(1.0L, (quantum + f.bias) % 2 == 0 ? quantum : quantum + 1);
  if (std::abs(r) > static_cast<long double>(f.max)) return Overflowed(f, x < 0);
  if (r == 0 && !f.zero) return std::ldexp(1.0, MinExponent(f));
  if (r == 0 && !f.negative_zero) return 0.0;
  return static_cast<double>(r);
}

double Ulp(ElementType t, double x) {
  const Format& f = FormatOf(t);
  if (!std::isfinite(x)) return 0;
  int e = MinExponent(f) + 1;
  if (x != 0) std::frexp(x, &e);
  return std::ldexp(1.0, std::max(e - 1, MinExponent(f)) - f.mantissa_bits);
}
double Unit(ElementType t) { return std::ldexp(1.0, -FormatOf(t).mantissa_bits - 1); }
double MaxFinite(ElementType t) { return FormatOf(t).max; }

uint64_t Encode(ElementType t, double value) {
  const Format& f = FormatOf(t);
  if (t == ElementType::kF64) {
    uint64_t bits;
    std::memcpy(&bits, &value, 8);
    return bits;
  }
  const int width = f.exponent_bits + f.mantissa_bits + (f.sign ? 1 : 0);
  const uint64_t sign = f.sign ? uint64_t{std::signbit(value)} << (width - 1) : 0;
  const uint64_t top = (uint64_t{1} << f.exponent_bits) - 1;
  if (std::isnan(value)) {
    if (!f.sign) return top;                                           // all ones
    if (!f.negative_zero) return uint64_t{1} << (width - 1);           // the code of -0
    if (!f.infinity) return sign | ((uint64_t{1} << (width - 1)) - 1);  // all ones below the sign
    return sign | top << f.mantissa_bits | uint64_t{1} << (f.mantissa_bits - 1);
  }
  if (std::isinf(value)) return sign | top << f.mantissa_bits;
  if (value == 0) return f.negative_zero ? sign : 0;
  int e;
  std::frexp(value, &e);
  const int exponent = std::max(e - 1, MinExponent(f));
  uint64_t mantissa = static_cast<uint64_t>(std::ldexp(std::abs(value), f.mantissa_bits - exponent));
  if (!f.zero) return static_cast<uint64_t>(exponent + f.bias);
  uint64_t biased = 0;
  if (mantissa >> f.mantissa_bits) {
    mantissa -= uint64_t{1} << f.mantissa_bits;
    biased = static_cast<uint64_t>(exponent + f.bias);
  }
  return sign | biased << f.mantissa_bits | mantissa;
}

double Decode(ElementType t, uint64_t bits) {
  const Format& f = FormatOf(t);
  const double nan = std::numeric_limits<double>::quiet_NaN();
  if (t == ElementType::kF64) {
    double d;
    std::memcpy(&d, &bits, 8);
    return d;
  }
  const int width = f.exponent_bits + f.mantissa_bits + (f.sign ? 1 : 0);
  bits &= (uint64_t{1} << width) - 1;
  if (!f.sign) return bits == (uint64_t{1} << width) - 1 ? nan : std::ldexp(1.0, static_cast<int>(bits) - f.bias);
  const bool negative = (bits >> (width - 1)) != 0;
  const uint64_t magnitude = bits & ((uint64_t{1} << (width - 1)) - 1);
  if (!f.negative_zero && negative && magnitude == 0) return nan;
  const uint64_t top = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t biased = magnitude >> f.mantissa_bits, mantissa = magnitude & ((uint64_t{1} << f.mantissa_bits) - 1);
  if (f.infinity && biased == top) return mantissa != 0 ? (negative ? -nan : nan) : negative ? -INFINITY : INFINITY;
  if (!f.infinity && f.nan && f.negative_zero && magnitude == (uint64_t{1} << (width - 1)) - 1) return negative ? -nan : nan;
  const double value = biased == 0 ? std::ldexp(static_cast<double>(mantissa), MinExponent(f) - f.mantissa_bits)
                                   : std::ldexp(static_cast<double>(mantissa | uint64_t{1} << f.mantissa_bits),
                                                static_cast<int>(biased) - f.bias - f.mantissa_bits);
  return negative ? -value : value;
}

unsigned __int128 Bits(ElementType t, const Number& x) {
  if (IsComplex(t)) {
    const ElementType r = RealTypeOf(t);
    return static_cast<unsigned __int128>(Encode(r, x.re)) | static_cast<unsigned __int128>(Encode(r, x.im)) << BitWidth(r);
  }
  if (IsFloat(t)) return Encode(t, x.re);
  const int bits = BitWidth(t);
  const uint64_t v = static_cast<uint64_t>(x.i);
  return bits >= 64 ? v : v & ((uint64_t{1} << bits) - 1);
}

Number FromBits(ElementType t, unsigned __int128 bits) {
  if (IsComplex(t)) {
    const ElementType r = RealTypeOf(t);
    return Complex(Decode(r, static_cast<uint64_t>(bits)), Decode(r, static_cast<uint64_t>(bits >> BitWidth(r))));
  }
  if (IsFloat(t)) return Real(Decode(t, static_cast<uint64_t>(bits)));
  return Int(Wrap(t, static_cast<int64_t>(static_cast<uint64_t>(bits))));
}

Number Load(ElementType t, const std::byte* storage) {
  unsigned __int128 bits = 0;
  std::memcpy(&bits, storage, StorageBytes(t));
  return FromBits(t, bits);
}

void Store(ElementType t, const Number& x, std::byte* storage) {
  unsigned __int128 bits = Bits(t, x);
  if (IsSigned(t) && BitWidth(t) < 8 && x.i < 0) bits |= 0xFFu << BitWidth(t);  // in a byte of its own, sign extended
  std::memcpy(storage, &bits, StorageBytes(t));
}

namespace {

int64_t RealToInteger(ElementType to, double x) {
  if (IsPred(to)) return x != 0;
  if (std::isnan(x)) return 0;
  const int bits = BitWidth(to);
  const long double low = IsSigned(to) ? -std::ldexp(1.0L, bits - 1) : 0.0L;
  const long double high = std::ldexp(1.0L, IsSigned(to) ? bits - 1 : bits);  // one beyond
  const long double t = std::trunc(static_cast<long double>(x));
  if (t <= low) return IsSigned(to) ? static_cast<int64_t>(low) : 0;
  if (t >= high) return IsSigned(to) ? static_cast<int64_t>(high - 1) : static_cast<int64_t>(static_cast<uint64_t>(high - 1));
  return IsSigned(to) ? static_cast<int64_t>(t) : static_cast<int64_t>(static_cast<uint64_t>(t));
}

}  // namespace

Number Convert(ElementType from, ElementType to, const Number& x) {
  if (x.unknown()) return Unknown();
  if (IsFloat(from) || IsComplex(from)) {
    if (IsComplex(to)) {
      const ElementType r = RealTypeOf(to);
      Number n = Complex(Round(r, x.re), IsComplex(from) ? Round(r, x.im) : 0.0);
      // One bound for both parts: where either may overflow, nothing is said.
      if (x.error != 0 && std::max(std::abs(x.re), std::abs(x.im)) + x.error > MaxFinite(r)) return Unknown();
      if (x.error != 0) n.error = x.error + Ulp(r, n.re) + Ulp(r, n.im);
      return n;
    }
    if (IsFloat(to)) {
      const double r = Round(to, x.re);
      if (std::isnan(x.re) && std::isnan(r)) return SomeNaN();
      if (x.error == 0) return Real(r);
      if (!std::isfinite(r)) return std::isfinite(x.re) ? Unknown() : Real(r, x.error);
      if (std::abs(r) + x.error > MaxFinite(to)) return Unknown();
      return Real(r, from == to ? x.error : x.error + Ulp(to, std::abs(r) + x.error));
    }
    if (IsPred(to)) {
      if (x.error != 0 && std::abs(x.re) + (IsComplex(from) ? std::abs(x.im) : 0) <= x.error) return Unknown();
      return Int(x.re != 0 || (IsComplex(from) && x.im != 0));
    }
    const int64_t v = RealToInteger(to, x.re);
    if (x.error != 0 && (RealToInteger(to, x.re - x.error) != v || RealToInteger(to, x.re + x.error) != v)) return Unknown();
    return Int(v);
  }
  const bool is_unsigned = !IsSigned(from);
  if (IsFloat(to) || IsComplex(to)) {
    const long double v = is_unsigned ? static_cast<long double>(static_cast<uint64_t>(x.i)) : static_cast<long double>(x.i);
    return IsComplex(to) ? Complex(Round(RealTypeOf(to), v), 0) : Real(Round(to, v));
  }
  return Int(Wrap(to, x.i));
}

std::string Show(ElementType t, const Number& x) {
  std::string s;
  if (x.unknown()) return "unknown";
  if (IsComplex(t)) {
    s = absl::StrFormat("(%.17g, %.17g)", x.re, x.im);
  } else if (IsFloat(t)) {
    s = absl::StrFormat("%.17g", x.re);
  } else {
    s = IsUnsigned(t) ? absl::StrCat(static_cast<uint64_t>(x.i)) : absl::StrCat(x.i);
  }
  if (x.error != 0) s += absl::StrFormat(" +- %.3g", x.error);
  return s;
}

}  // namespace hloscope::oracle
