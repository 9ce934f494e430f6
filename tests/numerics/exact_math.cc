// See exact_math.h.
#include "tests/numerics/exact_math.h"

#include <mpfr.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

namespace hloscope {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

// A number of the precision that was the default when it was made.
class Big {
 public:
  Big() { mpfr_init(v_); }
  Big(double x) : Big() { mpfr_set_d(v_, x, MPFR_RNDN); }
  Big(const Big& o) : Big() { mpfr_set(v_, o.v_, MPFR_RNDN); }
  Big& operator=(const Big& o) {
    mpfr_set(v_, o.v_, MPFR_RNDN);
    return *this;
  }
  ~Big() { mpfr_clear(v_); }
  mpfr_ptr p() { return v_; }
  mpfr_srcptr p() const { return v_; }
  double ToDouble() const { return mpfr_get_d(v_, MPFR_RNDN); }
  bool IsNaN() const { return mpfr_nan_p(v_) != 0; }
  bool IsInf() const { return mpfr_inf_p(v_) != 0; }
  bool IsZero() const { return mpfr_zero_p(v_) != 0; }
  bool Negative() const { return mpfr_signbit(v_) != 0; }

  friend Big operator+(const Big& a, const Big& b) { return Make(mpfr_add, a, b); }
  friend Big operator-(const Big& a, const Big& b) { return Make(mpfr_sub, a, b); }
  friend Big operator*(const Big& a, const Big& b) { return Make(mpfr_mul, a, b); }
  friend Big operator/(const Big& a, const Big& b) { return Make(mpfr_div, a, b); }
  friend Big operator-(const Big& a) { return Of(mpfr_neg, a); }

  using Unary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_rnd_t);
  using Binary = int (*)(mpfr_ptr, mpfr_srcptr, mpfr_srcptr, mpfr_rnd_t);
  static Big Of(Unary f, const Big& a) {
    Big r;
    f(r.v_, a.v_, MPFR_RNDN);
    return r;
  }
  static Big Make(Binary f, const Big& a, const Big& b) {
    Big r;
    f(r.v_, a.v_, b.v_, MPFR_RNDN);
    return r;
  }

 private:
  mpfr_t v_;
};

Big Sqrt(const Big& a) { return Big::Of(mpfr_sqrt, a); }
Big Abs(const Big& a) { return Big::Of(mpfr_abs, a); }
Big Exp(const Big& a) { return Big::Of(mpfr_exp, a); }
Big Log(const Big& a) { return Big::Of(mpfr_log, a); }
Big Sin(const Big& a) { return Big::Of(mpfr_sin, a); }
Big Cos(const Big& a) { return Big::Of(mpfr_cos, a); }
Big Sinh(const Big& a) { return Big::Of(mpfr_sinh, a); }
Big Cosh(const Big& a) { return Big::Of(mpfr_cosh, a); }
Big Atan2(const Big& y, const Big& x) { return Big::Make(mpfr_atan2, y, x); }
Big Hypot(const Big& x, const Big& y) { return Big::Make(mpfr_hypot, x, y); }

Big RealFunction(ScalarOp op, const Big& a, const Big& b) {
  switch (op) {
    case ScalarOp::kAdd: return a + b;
    case ScalarOp::kSubtract: return a - b;
    case ScalarOp::kMultiply: return a * b;
    case ScalarOp::kDivide: return a / b;
    case ScalarOp::kRemainder: return Big::Make(mpfr_fmod, a, b);
    case ScalarOp::kPower: return Big::Make(mpfr_pow, a, b);
    case ScalarOp::kAtan2: return Atan2(a, b);
    case ScalarOp::kExp: return Exp(a);
    case ScalarOp::kExpm1: return Big::Of(mpfr_expm1, a);
    case ScalarOp::kLog: return Log(a);
    case ScalarOp::kLog1p: return Big::Of(mpfr_log1p, a);
    case ScalarOp::kLogistic: return Big(1) / (Big(1) + Exp(-a));
    case ScalarOp::kSqrt: return Sqrt(a);
    case ScalarOp::kRsqrt: return Big(1) / Sqrt(a);
    case ScalarOp::kCbrt: return Big::Of(mpfr_cbrt, a);
    case ScalarOp::kSin: return Sin(a);
    case ScalarOp::kCos: return Cos(a);
    case ScalarOp::kTan: return Big::Of(mpfr_tan, a);
    case ScalarOp::kTanh: return Big::Of(mpfr_tanh, a);
    case ScalarOp::kErf: return Big::Of(mpfr_erf, a);
    case ScalarOp::kAcos: return Big::Of(mpfr_acos, a);
    case ScalarOp::kAcosh: return Big::Of(mpfr_acosh, a);
    case ScalarOp::kAsin: return Big::Of(mpfr_asin, a);
    case ScalarOp::kAsinh: return Big::Of(mpfr_asinh, a);
    case ScalarOp::kAtanh: return Big::Of(mpfr_atanh, a);
    case ScalarOp::kCosh: return Cosh(a);
    case ScalarOp::kSinh: return Sinh(a);
    default: return Big(kNaN);
  }
}

struct BigComplex {
  Big re, im;
};
using C = BigComplex;

C operator+(const C& a, const C& b) { return {a.re + b.re, a.im + b.im}; }
C operator*(const C& a, const C& b) { return {a.re * b.re - a.im * b.im, a.re * b.im + a.im * b.re}; }
C operator/(const C& a, const C& b) {
  const Big n = b.re * b.re + b.im * b.im;
  return {(a.re * b.re + a.im * b.im) / n, (a.im * b.re - a.re * b.im) / n};
}
C operator-(const C& a) { return {-a.re, -a.im}; }
C TimesI(const C& a) { return {-a.im, a.re}; }
C TimesMinusI(const C& a) { return {a.im, -a.re}; }
C OnePlus(const C& a) { return {Big(1) + a.re, a.im}; }
C OneMinus(const C& a) { return {Big(1) - a.re, -a.im}; }

C Sqrt(const C& z) {
  const Big t = Sqrt((Abs(z.re) + Hypot(z.re, z.im)) / Big(2));
  if (t.IsZero()) return {t, z.im};
  const Big other = z.im / (Big(2) * t);
  if (!z.re.Negative()) return {t, other};
  return {Abs(other), z.im.Negative() ? -t : t};
}
C Exp(const C& z) { return {Exp(z.re) * Cos(z.im), Exp(z.re) * Sin(z.im)}; }
C Log(const C& z) { return {Log(Hypot(z.re, z.im)), Atan2(z.im, z.re)}; }
C Sin(const C& z) { return {Sin(z.re) * Cosh(z.im), Cos(z.re) * Sinh(z.im)}; }
C Cos(const C& z) { return {Cos(z.re) * Cosh(z.im), -(Sin(z.re) * Sinh(z.im))}; }
C Sinh(const C& z) { return TimesMinusI(Sin(TimesI(z))); }
C Cosh(const C& z) { return Cos(TimesI(z)); }

// Kahan's formulas: right on both sides of the cuts.
C Asin(const C& z) {
  const C p = Sqrt(OnePlus(z)), m = Sqrt(OneMinus(z));
  return {Atan2(z.re, (m * p).re), Big::Of(mpfr_asinh, m.re * p.im - m.im * p.re)};
}
C Acos(const C& z) {
  const C p = Sqrt(OnePlus(z)), m = Sqrt(OneMinus(z));
  return {Big(2) * Atan2(m.re, p.re), Big::Of(mpfr_asinh, p.re * m.im - p.im * m.re)};
}
C Acosh(const C& z) {
  const C p = Sqrt(OnePlus(z)), m = Sqrt(C{z.re - Big(1), z.im});
  return {Big::Of(mpfr_asinh, m.re * p.re + m.im * p.im), Big(2) * Atan2(m.im, p.re)};
}
C Atanh(const C& z) {
  const C p = Log(OnePlus(z)), m = Log(OneMinus(z));
  return {(p.re - m.re) / Big(2), (p.im - m.im) / Big(2)};
}

C ComplexExact(ScalarOp op, const C& a, const C& b) {
  const C one{Big(1), Big(0)};
  switch (op) {
    case ScalarOp::kAbs: return {Hypot(a.re, a.im), Big(0)};
    case ScalarOp::kDivide: return a / b;
    case ScalarOp::kMultiply: return a * b;
    case ScalarOp::kPower: return Exp(b * Log(a));
    case ScalarOp::kAtan2: {
      // -i log((x + iy) / sqrt(x^2 + y^2)), x = b, y = a
      const C root = Sqrt(b * b + a * a);
      return TimesMinusI(Log((b + TimesI(a)) / root));
    }
    case ScalarOp::kSign: {
      const Big m = Hypot(a.re, a.im);
      return {a.re / m, a.im / m};
    }
    case ScalarOp::kExp: return Exp(a);
    case ScalarOp::kExpm1: {
      const C e = Exp(a);
      return {e.re - Big(1), e.im};
    }
    case ScalarOp::kLog: return Log(a);
    case ScalarOp::kLog1p: return Log(OnePlus(a));
    case ScalarOp::kLogistic: return one / OnePlus(Exp(-a));
    case ScalarOp::kSqrt: return Sqrt(a);
    case ScalarOp::kRsqrt: return one / Sqrt(a);
    case ScalarOp::kCbrt: {
      const C l = Log(a);
      return Exp(C{l.re / Big(3), l.im / Big(3)});
    }
    case ScalarOp::kSin: return Sin(a);
    case ScalarOp::kCos: return Cos(a);
    case ScalarOp::kTan: return Sin(a) / Cos(a);
    case ScalarOp::kTanh: return Sinh(a) / Cosh(a);
    case ScalarOp::kSinh: return Sinh(a);
    case ScalarOp::kCosh: return Cosh(a);
    case ScalarOp::kAsin: return Asin(a);
    case ScalarOp::kAcos: return Acos(a);
    case ScalarOp::kAcosh: return Acosh(a);
    case ScalarOp::kAsinh: return TimesMinusI(Asin(TimesI(a)));
    case ScalarOp::kAtanh: return Atanh(a);
    default: return {Big(kNaN), Big(kNaN)};
  }
}

int ExponentOf(double v) { return v == 0 || !std::isfinite(v) ? 0 : std::abs(std::ilogb(v)); }

// Enough digits that cancellation between parts of these sizes leaves a hundred or more.
void SetPrecision(ScalarOp op, std::initializer_list<double> parts) {
  int largest = 0;
  for (double v : parts) largest = std::max(largest, ExponentOf(v));
  if (op == ScalarOp::kLogistic || op == ScalarOp::kTanh || op == ScalarOp::kTan) {
    // 1 + e^x shows what e^x is only when its bits reach there; results are saturated long before the cap.
    for (double v : parts) largest = std::max(largest, static_cast<int>(std::min(std::fabs(v), 1500.0)));
  }
  mpfr_set_default_prec(200 + 5 * largest);
}

struct Limits {
  double max, ulp_of_max;
};
Limits LimitsOf(ElementType type) {
  const ElementType real = RealTypeOf(type);
  double max = 0;
  switch (real) {
    case ElementType::kF64: max = std::numeric_limits<double>::max(); break;
    case ElementType::kF32: max = std::numeric_limits<float>::max(); break;
    case ElementType::kBF16: max = 0x1.fep127; break;
    default: max = 65504; break;  // f16
  }
  return {max, UlpAt(real, max)};
}

// |exact - got| / ulp(magnitude)
double InUlp(ElementType real, const Big& difference, double magnitude) {
  const double ulp = UlpAt(real, std::min(magnitude, LimitsOf(real).max));
  const Big r = Abs(difference) / Big(ulp);
  return r.ToDouble();
}

}  // namespace

double RealErrorUlp(ScalarOp op, ElementType type, double a, double b, double got) {
  SetPrecision(op, {a, Arity(op) == 2 ? b : 0});
  const Big exact = RealFunction(op, Big(a), Big(b));
  if (exact.IsNaN() || std::isnan(got)) return exact.IsNaN() && std::isnan(got) ? 0 : kInf;
  const Limits limits = LimitsOf(type);
  const double magnitude = std::fabs(exact.ToDouble());
  const Big beyond = Abs(exact) - Big(limits.max);
  if (exact.IsInf()) return std::isinf(got) && std::signbit(got) == exact.Negative() ? 0 : kInf;
  if (!beyond.Negative() && !beyond.IsZero()) {  // beyond the largest: it or infinity, by how far it is
    if (std::isinf(got)) return std::signbit(got) == exact.Negative() ? 0 : kInf;
    return InUlp(type, exact - Big(got), magnitude);
  }
  if (std::isinf(got)) return InUlp(type, exact - Big(std::copysign(limits.max + 0, got)) - Big(std::copysign(limits.ulp_of_max, got)), magnitude);
  if (exact.IsZero() && got == 0) return exact.Negative() == std::signbit(got) ? 0 : kInf;
  return InUlp(type, exact - Big(got), magnitude);
}

double ComplexErrorUlp(ScalarOp op, ElementType type, std::complex<double> a, std::complex<double> b, std::complex<double> got) {
  const bool binary = Arity(op) == 2;
  SetPrecision(op, {a.real(), a.imag(), binary ? b.real() : 0, binary ? b.imag() : 0});
  const C exact = ComplexExact(op, {Big(a.real()), Big(a.imag())}, {Big(b.real()), Big(b.imag())});
  if (exact.re.IsNaN() || exact.im.IsNaN()) return 0;  // a point where the formula has no value: tested by itself
  if (std::isnan(got.real()) || std::isnan(got.imag())) return kInf;
  const ElementType real = RealTypeOf(type);
  const Limits limits = LimitsOf(real);
  const auto part = [&](const Big& want, double v) {
    if (!std::isinf(v)) return want - Big(v);
    // An infinity stands for everything from the largest value on.
    const Big edge(std::copysign(limits.max, v));
    const Big d = want - edge;
    return d.Negative() == std::signbit(v) || d.IsZero() ? d : Big(0);
  };
  const auto beyond = [&](const Big& want) { return !(Big(limits.max) - Abs(want)).Negative(); };
  // A part that overflows must be infinite (or all but); the other is then measured at the largest magnitude there is.
  Big dr = part(exact.re, got.real()), di = part(exact.im, got.imag());
  if (!beyond(exact.re)) dr = std::isinf(got.real()) && std::signbit(got.real()) == exact.re.Negative() ? Big(0) : exact.re - Big(got.real());
  if (!beyond(exact.im)) di = std::isinf(got.imag()) && std::signbit(got.imag()) == exact.im.Negative() ? Big(0) : exact.im - Big(got.imag());
  const double magnitude = Hypot(exact.re, exact.im).ToDouble();
  return InUlp(real, Hypot(dr, di), magnitude);
}

double ExactRounded(ScalarOp op, ElementType type, double a, double b) {
  SetPrecision(op, {a, Arity(op) == 2 ? b : 0});
  const Big exact = RealFunction(op, Big(a), Big(b));
  if (exact.IsNaN() || exact.IsInf() || exact.IsZero()) return exact.ToDouble();
  // To odd in 53 bits, then once more to the type.
  mpfr_t odd;
  mpfr_init2(odd, 53);
  const int direction = mpfr_set(odd, exact.p(), MPFR_RNDZ);
  double d = mpfr_get_d(odd, MPFR_RNDZ);
  mpfr_clear(odd);
  if (type == ElementType::kF64) return exact.ToDouble();
  if (direction != 0 && std::isfinite(d)) {
    uint64_t bits;
    static_assert(sizeof(bits) == sizeof(d));
    __builtin_memcpy(&bits, &d, 8);
    bits |= 1;
    __builtin_memcpy(&d, &bits, 8);
  }
  return Scalar::Float(type, d).re;
}

}  // namespace hloscope
