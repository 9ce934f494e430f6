// Scalar functions of the oracle, see scalars.h.
#include "tests/oracle/scalars.h"

#include <algorithm>
#include <cmath>

namespace hloscope::oracle {
namespace {

using LongComplex = std::complex<long double>;
constexpr long double kNaN = std::numeric_limits<long double>::quiet_NaN();

// What an implementation of a function may be off by: 2 ULP for f32 and f64, 4 of the magnitude for complex, 1 for narrower types. The
// oracle's own rounding takes another half.
double FunctionSlack(ElementType type, double magnitude) {
  const double ulps = IsComplex(type) ? 4.5 : BitWidth(type) >= 32 ? 2.5 : 1;
  return ulps * Ulp(IsComplex(type) ? RealTypeOf(type) : type, magnitude);
}

// ---- Integers ----

int64_t IntegerPower(ElementType type, int64_t base, int64_t exponent) {
  if (IsSigned(type) && exponent < 0) return base == 1 ? 1 : base == -1 ? (exponent % 2 == 0 ? 1 : -1) : 0;
  uint64_t result = 1, b = static_cast<uint64_t>(base);
  for (uint64_t e = static_cast<uint64_t>(exponent); e != 0; e >>= 1, b *= b) {
    if (e & 1) result *= b;
  }
  return static_cast<int64_t>(result);
}

int64_t IntegerBinary(Opcode opcode, ElementType type, int64_t x, int64_t y) {
  const bool is_signed = IsSigned(type);
  const uint64_t a = static_cast<uint64_t>(x), b = static_cast<uint64_t>(y);
  const int bits = BitWidth(type);
  switch (opcode) {
    case Opcode::kAdd: return IsPred(type) ? (x | y) : static_cast<int64_t>(a + b);
    case Opcode::kSubtract: return static_cast<int64_t>(a - b);
    case Opcode::kMultiply: return IsPred(type) ? (x & y) : static_cast<int64_t>(a * b);
    case Opcode::kDivide:
      if (y == 0) return -1;
      if (!is_signed) return static_cast<int64_t>(a / b);
      return y == -1 ? static_cast<int64_t>(0 - a) : x / y;
    case Opcode::kRemainder:
      if (y == 0) return x;
      if (!is_signed) return static_cast<int64_t>(a % b);
      return y == -1 ? 0 : x % y;
    case Opcode::kPower: return IntegerPower(type, x, y);
    case Opcode::kMaximum: return is_signed ? std::max(x, y) : static_cast<int64_t>(std::max(a, b));
    case Opcode::kMinimum: return is_signed ? std::min(x, y) : static_cast<int64_t>(std::min(a, b));
    case Opcode::kAnd: return x & y;
    case Opcode::kOr: return x | y;
    case Opcode::kXor: return x ^ y;
    // The amount is unsigned: a negative one is beyond the width.
    case Opcode::kShiftLeft: {
      const uint64_t n = bits < 64 ? b & ((uint64_t{1} << bits) - 1) : b;
      return n >= static_cast<uint64_t>(bits) ? 0 : static_cast<int64_t>(a << n);
    }
    case Opcode::kShiftRightArithmetic: {
      const uint64_t n = bits < 64 ? b & ((uint64_t{1} << bits) - 1) : b;
      // An unsigned value is shifted as the signed one of the same bits.
      int64_t v = x;
      if (!is_signed && bits < 64 && (a >> (bits - 1)) != 0) v = static_cast<int64_t>(a | ~((uint64_t{1} << bits) - 1));
      return n >= static_cast<uint64_t>(bits) ? (v < 0 ? -1 : 0) : v >> n;
    }
    case Opcode::kShiftRightLogical: {
      const uint64_t mask = bits < 64 ? (uint64_t{1} << bits) - 1 : ~uint64_t{0};
      const uint64_t n = b & mask;
      return n >= static_cast<uint64_t>(bits) ? 0 : static_cast<int64_t>((a & mask) >> n);
    }
    case Opcode::kMulhi:
      return is_signed ? static_cast<int64_t>((static_cast<__int128>(x) * y) >> bits)
                       : static_cast<int64_t>((static_cast<unsigned __int128>(a) * b) >> bits);
    default: return 0;
  }
}

int64_t IntegerUnary(Opcode opcode, ElementType type, int64_t x) {
  const int bits = BitWidth(type);
  const uint64_t low = bits >= 64 ? static_cast<uint64_t>(x) : static_cast<uint64_t>(x) & ((uint64_t{1} << bits) - 1);
  switch (opcode) {
    case Opcode::kAbs: return x < 0 && IsSigned(type) ? static_cast<int64_t>(0 - static_cast<uint64_t>(x)) : x;
    case Opcode::kNegate: return static_cast<int64_t>(0 - static_cast<uint64_t>(x));
    case Opcode::kNot: return IsPred(type) ? !x : ~x;
    case Opcode::kSign: return IsSigned(type) ? (x > 0) - (x < 0) : x != 0;
    case Opcode::kPopcnt: return __builtin_popcountll(low);
    case Opcode::kCountLeadingZeros: return low == 0 ? bits : __builtin_clzll(low) - (64 - bits);
    default: return x;
  }
}

// ---- Real functions ----

long double RealFunction(Opcode opcode, long double x) {
  switch (opcode) {
    case Opcode::kCbrt: return std::cbrt(x);
    case Opcode::kCosine: return std::cos(x);
    case Opcode::kErf: return std::erf(x);
    case Opcode::kExponential: return std::exp(x);
    case Opcode::kExponentialMinusOne: return std::expm1(x);
    case Opcode::kLog: return std::log(x);
    case Opcode::kLogPlusOne: return std::log1p(x);
    case Opcode::kLogistic: return 1 / (1 + std::exp(-x));
    case Opcode::kRsqrt: return 1 / std::sqrt(x);
    case Opcode::kSqrt: return std::sqrt(x);
    case Opcode::kSine: return std::sin(x);
    case Opcode::kTan: return std::tan(x);
    case Opcode::kTanh: return std::tanh(x);
    case Opcode::kAcos: return std::acos(x);
    case Opcode::kAcosh: return std::acosh(x);
    case Opcode::kAsin: return std::asin(x);
    case Opcode::kAsinh: return std::asinh(x);
    case Opcode::kAtanh: return std::atanh(x);
    case Opcode::kCosh: return std::cosh(x);
    case Opcode::kSinh: return std::sinh(x);
    default: return kNaN;
  }
}

Number RealUnaryFunction(Opcode opcode, ElementType type, const Number& x) {
  const long double raw = RealFunction(opcode, x.re);
  const double value = Round(type, raw);
  if (!std::isfinite(value)) {
    if (x.error != 0) return Unknown();
    // A hair's breadth beyond the greatest number: finite is right too.
    if (std::isfinite(raw) && std::abs(raw) < MaxFinite(type) * (1 + 8.0L * Unit(type))) return Unknown();
    return Real(value);
  }
  double spread = 0;
  if (x.error != 0) {
    const bool oscillates = opcode == Opcode::kSine || opcode == Opcode::kCosine;
    if (oscillates) {
      spread = std::min(2.0, x.error);
    } else {
      const long double low = RealFunction(opcode, x.re - x.error), high = RealFunction(opcode, x.re + x.error);
      if (!std::isfinite(low) || !std::isfinite(high)) return Unknown();
      if (opcode == Opcode::kTan && (x.error > 0.5 || low > high)) return Unknown();
      spread = static_cast<double>(std::max(std::abs(low - raw), std::abs(high - raw))) * 1.01;
      if (opcode == Opcode::kCosh) spread *= 2;  // its least value lies inside
    }
  }
  return Real(value, spread + FunctionSlack(type, std::abs(value) + spread));
}

double AwayFromZero(double x) { return std::round(x); }

Number RealUnary(Opcode opcode, ElementType type, const Number& x) {
  switch (opcode) {
    case Opcode::kReal: return x;
    case Opcode::kImag: return Real(0);
    case Opcode::kNegate: {
      const Format& f = FormatOf(type);
      const bool one_nan = f.nan && !f.infinity && (!f.negative_zero || !f.sign);
      if (std::isnan(x.re)) return Real(one_nan ? x.re : -x.re, x.error);  // a NaN's sign turns as well
      return Real(Round(type, -static_cast<long double>(x.re)), x.error);
    }
    case Opcode::kAbs: return Real(Round(type, std::abs(x.re)), x.error);
    case Opcode::kSign:
      if (x.error != 0) return std::abs(x.re) <= x.error ? Unknown() : Real(x.re > 0 ? 1 : Round(type, -1));
      return Real(std::isnan(x.re) || x.re == 0 ? x.re : Round(type, x.re > 0 ? 1 : -1));
    case Opcode::kIsFinite:
      if (x.error != 0 && std::abs(x.re) + x.error > MaxFinite(type)) return Unknown();
      return Int(std::isfinite(x.re));
    case Opcode::kFloor:
    case Opcode::kCeil:
    case Opcode::kRoundNearestAfz:
    case Opcode::kRoundNearestEven: {
      auto f = [opcode](double v) {
        return opcode == Opcode::kFloor ? std::floor(v) : opcode == Opcode::kCeil ? std::ceil(v)
               : opcode == Opcode::kRoundNearestAfz ? AwayFromZero(v) : std::rint(v);
      };
      if (x.error != 0) {
        if (f(x.re - x.error) != f(x.re + x.error)) return Unknown();
        return Real(Round(type, f(x.re)), f(x.re) == 0 ? 0x1p-1074 : 0);  // the sign of a zero is not known
      }
      return Real(Round(type, f(x.re)));
    }
    case Opcode::kSqrt:
      if (x.error == 0) {
        if (type == ElementType::kF64) return Real(std::sqrt(x.re));
        return Real(Round(type, std::sqrt(x.re)));
      }
      return RealUnaryFunction(opcode, type, x);
    default: return RealUnaryFunction(opcode, type, x);
  }
}

Number NaNsAlike(Number n) { return std::isnan(n.re) && !n.unknown() ? SomeNaN() : n; }

// ---- Complex functions ----

LongComplex ComplexFunction(Opcode opcode, LongComplex z) {
  switch (opcode) {
    case Opcode::kCbrt: return std::pow(z, LongComplex(1.0L / 3));
    case Opcode::kCosine: return std::cos(z);
    case Opcode::kExponential: return std::exp(z);
    case Opcode::kExponentialMinusOne: {
      // exp(a) cos(b) - 1 without cancellation.
      const long double s = std::sin(z.imag() / 2);
      return {std::expm1(z.real()) * std::cos(z.imag()) - 2 * s * s, std::exp(z.real()) * std::sin(z.imag())};
    }
    case Opcode::kLog: return std::log(z);
    case Opcode::kLogPlusOne: {
      const long double a = z.real(), b = z.imag();
      if (std::abs(a) < 0.5L && std::abs(b) < 0.5L) return {0.5L * std::log1p(a * (2 + a) + b * b), std::atan2(b, 1 + a)};
      return std::log(LongComplex(1 + a, b));
    }
    case Opcode::kLogistic: return LongComplex(1) / (LongComplex(1) + std::exp(-z));
    case Opcode::kRsqrt: return LongComplex(1) / std::sqrt(z);
    case Opcode::kSqrt: return std::sqrt(z);
    case Opcode::kSine: return std::sin(z);
    case Opcode::kTan: return std::tan(z);
    case Opcode::kTanh: return std::tanh(z);
    case Opcode::kAcos: return std::acos(z);
    case Opcode::kAcosh: return std::acosh(z);
    case Opcode::kAsin: return std::asin(z);
    case Opcode::kAsinh: return std::asinh(z);
    case Opcode::kAtanh: return std::atanh(z);
    case Opcode::kCosh: return std::cosh(z);
    case Opcode::kSinh: return std::sinh(z);
    case Opcode::kSign: {
      const long double m = std::hypot(z.real(), z.imag());
      return m == 0 ? z : z / m;
    }
    default: return {kNaN, kNaN};
  }
}

bool Finite(LongComplex z) { return std::isfinite(z.real()) && std::isfinite(z.imag()); }

Number FromComplex(ElementType type, LongComplex z, double error) {
  const ElementType r = RealTypeOf(type);
  Number n = Complex(Round(r, z.real()), Round(r, z.imag()), error);
  if (!std::isfinite(n.re) || !std::isfinite(n.im)) return Unknown();
  return n;
}

Number ComplexUnary(Opcode opcode, ElementType type, const Number& x) {
  const ElementType r = RealTypeOf(type);
  switch (opcode) {
    case Opcode::kReal: return Real(x.re, x.error);
    case Opcode::kImag: return Real(x.im, x.error);
    case Opcode::kNegate: return Complex(-x.re, -x.im, x.error);
    case Opcode::kIsFinite: return x.error != 0 ? Unknown() : Int(std::isfinite(x.re) && std::isfinite(x.im));
    case Opcode::kAbs: {
      const double m = Round(r, std::hypot(static_cast<long double>(x.re), static_cast<long double>(x.im)));
      if (!std::isfinite(m)) return x.error == 0 && (std::isinf(x.re) || std::isinf(x.im)) ? Real(m) : Unknown();
      return Real(m, x.error + 4 * Ulp(r, m));
    }
    default: break;
  }
  if (!Finite(x.c())) return Unknown();
  const LongComplex raw = ComplexFunction(opcode, x.c());
  if (!Finite(raw)) return Unknown();
  double spread = 0;
  if (x.error != 0) {
    const long double e = x.error;
    for (LongComplex d : {LongComplex(e, 0), LongComplex(-e, 0), LongComplex(0, e), LongComplex(0, -e)}) {
      const LongComplex other = ComplexFunction(opcode, x.c() + d);
      if (!Finite(other)) return Unknown();
      spread = std::max(spread, 2 * static_cast<double>(std::abs(other - raw)));
    }
    if (spread > static_cast<double>(std::abs(raw)) * 0.1) return Unknown();
  }
  const double magnitude = static_cast<double>(std::abs(raw));
  if (magnitude > MaxFinite(r) / 4) return Unknown();
  return FromComplex(type, raw, spread + FunctionSlack(type, magnitude));
}

// ---- Binary ----

Number RealArithmetic(Opcode opcode, ElementType type, const Number& x, const Number& y) {
  const double a = x.re, b = y.re;
  double value = 0, propagated = 0;
  switch (opcode) {
    case Opcode::kAdd: value = a + b; propagated = x.error + y.error; break;
    case Opcode::kSubtract: value = a - b; propagated = x.error + y.error; break;
    case Opcode::kMultiply:
      value = a * b;
      propagated = std::abs(a) * y.error + std::abs(b) * x.error + x.error * y.error;
      break;
    default:  // division
      value = a / b;
      if (y.error >= std::abs(b) && y.error != 0) return Unknown();
      if (x.error != 0 || y.error != 0) propagated = (x.error + std::abs(value) * y.error) / (std::abs(b) - y.error);
      break;
  }
  const double rounded = type == ElementType::kF64 ? value : Round(type, value);
  if (x.error == 0 && y.error == 0) return Real(rounded);
  if (std::isnan(propagated) || !std::isfinite(rounded) || std::abs(rounded) + propagated > MaxFinite(type)) return Unknown();
  return Real(rounded, propagated * 1.001 + 2 * Ulp(type, std::abs(rounded) + propagated));
}

Number RealFunctionOfTwo(Opcode opcode, ElementType type, const Number& x, const Number& y) {
  auto f = [opcode](long double a, long double b) { return opcode == Opcode::kPower ? std::pow(a, b) : std::atan2(a, b); };
  const long double raw = f(x.re, y.re);
  const double value = Round(type, raw);
  if (!std::isfinite(value)) {
    if (x.error != 0 || y.error != 0) return Unknown();
    if (std::isfinite(raw) && std::abs(raw) < MaxFinite(type) * (1 + 8.0L * Unit(type))) return Unknown();
    return Real(value);
  }
  double spread = 0;
  if (x.error != 0 || y.error != 0) {
    if (opcode == Opcode::kAtan2) {
      const double r = std::hypot(x.re, y.re), e = x.error + y.error;
      if (r <= 2 * e || (y.re - y.error <= 0 && std::abs(x.re) <= x.error)) return Unknown();
      spread = 2 * e / r;
    } else {
      for (int k = 0; k < 4; ++k) {
        const long double other = f(x.re + (k & 1 ? x.error : -x.error), y.re + (k & 2 ? y.error : -y.error));
        if (!std::isfinite(other)) return Unknown();
        spread = std::max(spread, 1.01 * static_cast<double>(std::abs(other - raw)));
      }
    }
  }
  return Real(value, spread + FunctionSlack(type, std::abs(value) + spread));
}

Number RealRemainder(ElementType type, const Number& x, const Number& y) {
  const double r = std::fmod(x.re, y.re);
  if (x.error == 0 && y.error == 0) return Real(Round(type, r));
  if (y.error != 0 || !std::isfinite(r)) return Unknown();
  if (std::abs(r) <= x.error || std::abs(y.re) - std::abs(r) <= x.error) return Unknown();
  return Real(Round(type, r), x.error + Ulp(type, r));
}

Number RealMaxMin(Opcode opcode, const Number& x, const Number& y) {
  Number n;
  n.error = std::max(x.error, y.error);
  if (std::isnan(x.re) || std::isnan(y.re)) return Real(std::numeric_limits<double>::quiet_NaN(), n.error == 0 ? 0 : kUnknown);
  const bool x_less = x.re < y.re || (x.re == 0 && y.re == 0 && std::signbit(x.re));
  n.re = (opcode == Opcode::kMaximum) == x_less ? y.re : x.re;
  return n;
}

Number ComplexBinary(Opcode opcode, ElementType type, const Number& x, const Number& y) {
  const ElementType r = RealTypeOf(type);
  auto round = [r](double v) { return Round(r, v); };
  const double ax = static_cast<double>(std::abs(x.c())), ay = static_cast<double>(std::abs(y.c()));
  Number n;
  switch (opcode) {
    case Opcode::kAdd: n = Complex(round(x.re + y.re), round(x.im + y.im), x.error + y.error); break;
    case Opcode::kSubtract: n = Complex(round(x.re - y.re), round(x.im - y.im), x.error + y.error); break;
    case Opcode::kMultiply: {
      n = Complex(round(round(x.re * y.re) - round(x.im * y.im)), round(round(x.re * y.im) + round(x.im * y.re)),
                  x.error * ay + y.error * ax + x.error * y.error + 4 * Ulp(r, ax * ay));
      if (!std::isfinite(n.re) || !std::isfinite(n.im) || !std::isfinite(n.error)) return Unknown();
      return n;
    }
    case Opcode::kDivide: {
      if (!Finite(x.c()) || !Finite(y.c()) || ay <= 2 * y.error) return Unknown();
      if (ay == 0) return Unknown();
      const LongComplex q = x.c() / y.c();
      const double m = static_cast<double>(std::abs(q));
      return FromComplex(type, q, 2 * (x.error + m * y.error) / ay + 6 * Ulp(r, m));
    }
    case Opcode::kPower: {
      if (!Finite(x.c()) || !Finite(y.c()) || x.error != 0 || y.error != 0) return Unknown();
      if (ax == 0) return ay == 0 ? Complex(1, 0, FunctionSlack(type, 1)) : y.im == 0 && y.re > 0 ? Complex(0, 0, 0x1p-1074) : Unknown();
      // exp(y log x): a large exponent turns what its rounding leaves out into as many more units.
      const LongComplex exponent = y.c() * std::log(x.c());
      const LongComplex p = std::exp(exponent);
      const double m = static_cast<double>(std::abs(p));
      if (!Finite(p) || m > MaxFinite(r) / 4) return Unknown();
      return FromComplex(type, p, FunctionSlack(type, m) * (1 + static_cast<double>(std::abs(exponent))));
    }
    default: return Unknown();
  }
  if (n.error != 0) {
    n.error = n.error * 1.001 + 2 * Ulp(r, std::hypot(n.re, n.im));
    if (!std::isfinite(n.re) || !std::isfinite(n.im)) return Unknown();
  }
  return n;
}

}  // namespace

bool IsUnary(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAbs: case Opcode::kCbrt: case Opcode::kCeil: case Opcode::kCountLeadingZeros: case Opcode::kCosine: case Opcode::kErf:
    case Opcode::kExponential: case Opcode::kExponentialMinusOne: case Opcode::kFloor: case Opcode::kImag: case Opcode::kIsFinite:
    case Opcode::kLog: case Opcode::kLogPlusOne: case Opcode::kLogistic: case Opcode::kNegate: case Opcode::kNot: case Opcode::kPopcnt:
    case Opcode::kReal: case Opcode::kRoundNearestAfz: case Opcode::kRoundNearestEven: case Opcode::kRsqrt: case Opcode::kSign:
    case Opcode::kSine: case Opcode::kSqrt: case Opcode::kTan: case Opcode::kTanh: case Opcode::kAcos: case Opcode::kAcosh:
    case Opcode::kAsin: case Opcode::kAsinh: case Opcode::kAtanh: case Opcode::kCosh: case Opcode::kSinh:
      return true;
    default: return false;
  }
}

bool IsBinary(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAdd: case Opcode::kSubtract: case Opcode::kMultiply: case Opcode::kDivide: case Opcode::kPower: case Opcode::kRemainder:
    case Opcode::kMaximum: case Opcode::kMinimum: case Opcode::kAnd: case Opcode::kOr: case Opcode::kXor: case Opcode::kShiftLeft:
    case Opcode::kShiftRightArithmetic: case Opcode::kShiftRightLogical: case Opcode::kAtan2: case Opcode::kComplex: case Opcode::kMulhi:
      return true;
    default: return false;
  }
}

Number Unary(Opcode opcode, ElementType type, const Number& x) {
  if (x.unknown()) return Unknown();
  if (IsComplex(type)) return ComplexUnary(opcode, type, x);
  if (IsFloat(type)) {
    const bool keeps = opcode == Opcode::kAbs || opcode == Opcode::kNegate || opcode == Opcode::kReal || opcode == Opcode::kImag;
    if (opcode == Opcode::kIsFinite && std::isnan(x.re)) return Int(0);
    if (std::isnan(x.re) && !keeps) return SomeNaN();
    return keeps ? RealUnary(opcode, type, x) : NaNsAlike(RealUnary(opcode, type, x));
  }
  return Int(Wrap(type, IntegerUnary(opcode, type, x.i)));
}

Number Binary(Opcode opcode, ElementType type, const Number& x, const Number& y) {
  if (x.unknown() || y.unknown()) return Unknown();
  if (opcode == Opcode::kComplex) return Complex(x.re, y.re, x.error + y.error);
  if (IsComplex(type)) return ComplexBinary(opcode, type, x, y);
  if (!IsFloat(type)) return Int(Wrap(type, IntegerBinary(opcode, type, x.i, y.i)));
  if ((std::isnan(x.re) || std::isnan(y.re)) && opcode != Opcode::kPower) return SomeNaN();
  switch (opcode) {
    case Opcode::kAdd: case Opcode::kSubtract: case Opcode::kMultiply: case Opcode::kDivide: return NaNsAlike(RealArithmetic(opcode, type, x, y));
    case Opcode::kPower: case Opcode::kAtan2: return NaNsAlike(RealFunctionOfTwo(opcode, type, x, y));
    case Opcode::kRemainder: return NaNsAlike(RealRemainder(type, x, y));
    case Opcode::kMaximum: case Opcode::kMinimum: {
      Number n = RealMaxMin(opcode, x, y);
      n.re = Round(type, n.re);
      return n;
    }
    default: return Unknown();
  }
}

int TotalOrder(ElementType type, const Number& x, const Number& y) {
  if (!IsFloat(type)) {
    if (IsSigned(type)) return (x.i > y.i) - (x.i < y.i);
    const uint64_t a = static_cast<uint64_t>(x.i), b = static_cast<uint64_t>(y.i);
    return (a > b) - (a < b);
  }
  auto rank = [](double v) { return std::isnan(v) ? 2 : 0; };
  auto sign = [](double v) { return std::signbit(v) ? -1 : 1; };
  if (sign(x.re) != sign(y.re)) return sign(x.re);
  const int s = sign(x.re);
  if (rank(x.re) != rank(y.re)) return rank(x.re) > rank(y.re) ? s : -s;
  if (rank(x.re) == 2) return 0;
  return (x.re > y.re) - (x.re < y.re);
}

Number Compare(Direction direction, bool total_order, ElementType type, const Number& x, const Number& y) {
  if (x.unknown() || y.unknown()) return Unknown();
  const double error = x.error + y.error;
  int order = 0;        // of x to y
  bool ordered = true;  // false: a NaN
  if (IsComplex(type)) {
    if (error != 0 && std::abs(x.c() - y.c()) <= error) return Unknown();
    order = x.re == y.re && x.im == y.im ? 0 : 1;
  } else if (total_order || !IsFloat(type)) {
    if (error != 0 && !(std::abs(x.re - y.re) > error)) return Unknown();
    order = TotalOrder(type, x, y);
  } else {
    ordered = !std::isnan(x.re) && !std::isnan(y.re);
    if (error != 0 && ordered && !(std::abs(x.re - y.re) > error)) return Unknown();
    order = (x.re > y.re) - (x.re < y.re);
  }
  if (!ordered) return Int(direction == Direction::kNe);
  switch (direction) {
    case Direction::kEq: return Int(order == 0);
    case Direction::kNe: return Int(order != 0);
    case Direction::kGe: return Int(order >= 0);
    case Direction::kGt: return Int(order > 0);
    case Direction::kLe: return Int(order <= 0);
    case Direction::kLt: return Int(order < 0);
  }
  return Unknown();
}

Number Clamp(ElementType type, const Number& low, const Number& x, const Number& high) {
  return Binary(Opcode::kMinimum, type, Binary(Opcode::kMaximum, type, low, x), high);
}

Number ReducePrecision(ElementType type, const Number& x, int exponent_bits, int mantissa_bits) {
  if (x.unknown()) return x;
  const Format& f = FormatOf(type);
  if (!std::isfinite(x.re) || x.re == 0) return x;
  double r = x.re;
  double max = f.max;
  if (mantissa_bits < f.mantissa_bits) {
    // Nearest, ties to even; the exponent's range is not yet in question, nor are denormals kept finer than their type has them.
    int e;
    std::frexp(r, &e);
    const int least = 1 - f.bias;
    const int quantum = std::max(e - 1, least) - mantissa_bits;
    const long double units = std::ldexp(static_cast<long double>(r), -quantum);
    // With no mantissa bit left, the even one of two powers is that with the even exponent code.
    const bool power_tie = mantissa_bits == 0 && std::fabs(units) == 1.5L && (quantum + f.bias) % 2 == 0;
    r = static_cast<double>(std::ldexp(power_tie ? std::copysign(1.0L, units) : std::rint(units), quantum));
  }
  if (exponent_bits < f.exponent_bits) {
    const int bias = (1 << (exponent_bits - 1)) - 1;
    const int greatest = bias;   // exponents of normal numbers: 1 - bias .. bias
    int e;
    std::frexp(r, &e);
    if (r != 0 && e - 1 > greatest) r = std::copysign(INFINITY, r);
    if (r != 0 && std::isfinite(r) && e - 1 < 1 - bias) r = std::copysign(0.0, r);
  } else if (std::abs(r) > max) {
    r = std::copysign(INFINITY, r);
  }
  r = Round(type, r);  // an infinity that the type has not
  if (x.error != 0) {
    if (!std::isfinite(r) || r == 0) return Unknown();
    return Real(r, x.error + 2 * std::ldexp(std::abs(r), -std::min(mantissa_bits, f.mantissa_bits)));
  }
  return Real(r);
}

// Between two neighbours of a float format.
static Number StochasticFloat(ElementType from, ElementType to, ElementType random_type, double x, uint64_t random) {
  const double m = std::abs(x);
  const Number nearest = Convert(from, to, Real(x));
  if (!std::isfinite(x) || m == 0 || m >= MaxFinite(to)) return nearest;
  const long double quantum = Ulp(to, m), scaled = m / quantum, low = std::floor(scaled), cut = scaled - low;
  if (cut == 0) return nearest;
  const bool up = static_cast<long double>(random) < std::trunc(std::ldexp(cut, BitWidth(random_type)));
  return Real(Round(to, std::copysign((up ? low + 1 : low) * quantum, static_cast<long double>(x))));
}

Number StochasticConvert(ElementType from, ElementType to, ElementType random_type, const Number& x, const Number& random) {
  if (x.unknown() || random.unknown() || x.error != 0) return Unknown();
  if (IsFloat(to)) return FormatOf(to).zero ? StochasticFloat(from, to, random_type, x.re, static_cast<uint64_t>(random.i)) : Unknown();
  const Number saturated = Convert(from, to, x);
  const double whole = std::trunc(std::abs(x.re));
  const double fraction = std::abs(x.re) - whole;
  if (!std::isfinite(x.re) || fraction == 0) return saturated;
  const int bits = BitWidth(to);
  const long double top = std::ldexp(1.0L, IsSigned(to) ? bits - 1 : bits) - 1, bottom = IsSigned(to) ? -top - 1 : 0;
  if (x.re >= top || x.re <= bottom) return saturated;
  const long double threshold = std::trunc(std::ldexp(static_cast<long double>(fraction), BitWidth(random_type)));
  long double result = whole;
  if (static_cast<long double>(static_cast<uint64_t>(random.i)) < threshold) result = result == top ? bottom : result + 1;
  if (std::signbit(x.re)) result = -result;
  return Int(Wrap(to, static_cast<int64_t>(result)));
}

// ---- Approximate ----

Approximate operator+(const Approximate& a, const Approximate& b) { return a.Rounded(a.v + b.v, a.error + b.error); }
Approximate operator-(const Approximate& a, const Approximate& b) { return a.Rounded(a.v - b.v, a.error + b.error); }
Approximate operator*(const Approximate& a, const Approximate& b) {
  return a.Rounded(a.v * b.v, a.error * static_cast<double>(std::abs(b.v)) + b.error * static_cast<double>(std::abs(a.v)) + a.error * b.error);
}
Approximate operator/(const Approximate& a, const Approximate& b) {
  const double m = static_cast<double>(std::abs(b.v));
  const LongComplex q = b.v.imag() == 0 ? LongComplex(a.v.real() / b.v.real(), a.v.imag() / b.v.real()) : a.v / b.v;
  if (b.error >= m && b.error != 0) return {q, kUnknown, a.u};
  return a.Rounded(q, (a.error + static_cast<double>(std::abs(q)) * b.error) / (m - b.error));
}
Approximate Sqrt(const Approximate& a) {
  if (a.v.imag() == 0 && a.v.real() < 0) return {a.v, kUnknown, a.u};
  const LongComplex r = a.v.imag() == 0 && a.v.real() >= 0 ? LongComplex(std::sqrt(a.v.real())) : std::sqrt(a.v);
  const double m = static_cast<double>(std::abs(r));
  if (a.error != 0 && a.error >= static_cast<double>(std::abs(a.v))) return {r, kUnknown, a.u};
  return a.Rounded(r, m == 0 ? 0 : a.error / m);
}
Approximate Conj(const Approximate& a) { return {std::conj(a.v), a.error, a.u}; }
Approximate FromNumber(ElementType type, const Number& x) {
  return {LongComplex(x.re, x.im), x.error, Unit(IsComplex(type) ? RealTypeOf(type) : type)};
}
Approximate FromReal(ElementType type, long double x) {
  return {LongComplex(x), 0, Unit(IsComplex(type) ? RealTypeOf(type) : type)};
}
Number ToNumber(ElementType type, const Approximate& a) {
  if (a.error == kUnknown || std::isnan(a.error) || !Finite(a.v)) return Unknown();
  const ElementType r = IsComplex(type) ? RealTypeOf(type) : type;
  const double m = static_cast<double>(std::abs(a.v));
  if (m + a.error > MaxFinite(r)) return Unknown();
  const double error = a.error + 2 * Ulp(r, m + a.error);
  return IsComplex(type) ? Complex(Round(r, a.v.real()), Round(r, a.v.imag()), error) : Real(Round(r, a.v.real()), error);
}

}  // namespace hloscope::oracle
