// Complex functions; see functions.h. c64 is computed in f64 and c128 in the 80-bit format: compositions of the C library's functions then
// keep their accuracy, and nothing overflows on the way that does not in the result. Powers may need still more digits.
#include <cmath>
#include <limits>

#include "core/element/functions.h"

namespace hloscope {
namespace {

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();

template <typename T>
bool Finite(std::complex<T> z) {
  return std::isfinite(z.real()) && std::isfinite(z.imag());
}

template <typename T>
std::complex<T> Expm1(std::complex<T> z) {
  const T x = z.real(), y = z.imag();
  if (!Finite(z)) {
    const std::complex<T> e = std::exp(z);
    return {e.real() - 1, e.imag()};
  }
  // exp(x) cos(y) - 1 without cancellation near zero: expm1(x) cos(y) - 2 sin(y/2)^2.
  const T s = std::sin(y / 2);
  return {std::expm1(x) * std::cos(y) - 2 * s * s, y == 0 ? y : std::exp(x) * std::sin(y)};
}

template <typename T>
std::complex<T> Log1p(std::complex<T> z) {
  const T x = z.real(), y = z.imag();
  const bool near = std::fabs(x) < T(0.5) && std::fabs(y) < T(0.5);
  return {near ? std::log1p(x * (2 + x) + y * y) / 2 : std::log(std::hypot(1 + x, y)), std::atan2(y, 1 + x)};
}

// 1 / (1 + e^-z) for x >= 0, else e^z / (1 + e^z), with 1 + e^w = -expm1(u) + 2 e^u cos(v/2)^2 + i e^u sin(v) for w = u + iv: accurate near
// the poles too, where 1 + e^w cancels.
template <typename T>
std::complex<T> Logistic(std::complex<T> z) {
  const std::complex<T> one(1);
  if (!Finite(z)) {
    if (std::isinf(z.real()) && z.real() < 0) return std::exp(z);
    return one / (one + std::exp(-z));
  }
  const bool negative = z.real() < 0;
  const T u = negative ? z.real() : -z.real(), v = negative ? z.imag() : -z.imag();
  const T e = std::exp(u), c = std::cos(v / 2);
  const std::complex<T> below(2 * e * c * c - std::expm1(u), v == 0 ? v : e * std::sin(v));
  return (negative ? std::exp(z) : one) / below;
}

template <typename T>
std::complex<T> Rsqrt(std::complex<T> z) {
  if (z == std::complex<T>(0)) return {std::numeric_limits<T>::infinity(), std::numeric_limits<T>::quiet_NaN()};
  return std::complex<T>(1) / std::sqrt(z);
}

template <typename T>
std::complex<T> Cbrt(std::complex<T> z) {
  if (z == std::complex<T>(0)) return z;
  const T r = std::cbrt(std::hypot(z.real(), z.imag())), angle = std::atan2(z.imag(), z.real()) / 3;
  return {r * std::cos(angle), angle == 0 ? angle : r * std::sin(angle)};
}

template <typename T>
std::complex<T> Sign(std::complex<T> z) {
  if (std::isnan(z.real()) || std::isnan(z.imag())) return {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
  const T magnitude = std::hypot(z.real(), z.imag());
  return magnitude == 0 ? std::complex<T>(0) : z / magnitude;
}

// Whether the principal root of (z sqrt(1 + t^2))^2 is that number itself.
template <typename T>
bool IsPrincipalRoot(std::complex<T> z, std::complex<T> t) {
  const std::complex<T> w = z * std::sqrt(T(1) + t * t);
  return w.real() > 0 || (w.real() == 0 && w.imag() >= 0);
}

// -i log((x + iy) / sqrt(x^2 + y^2)) for complex x and y. With t = y / x the root is x sqrt(1 + t^2) or its negative, which leaves the arc
// tangent of t, or that and half a turn; in the same way with x / y where that is the smaller.
template <typename T>
std::complex<T> Atan2(std::complex<T> y, std::complex<T> x) {
  const T pi = std::acos(T(-1));
  if (std::abs(y) <= std::abs(x)) {
    const std::complex<T> t = y / x, angle = std::atan(t);
    if (IsPrincipalRoot(x, t)) return angle;
    return {angle.real() > 0 ? angle.real() - pi : angle.real() + pi, angle.imag()};
  }
  const std::complex<T> t = x / y, angle = std::atan(t);
  return {(IsPrincipalRoot(y, t) ? pi / 2 : -pi / 2) - angle.real(), -angle.imag()};
}

// ---- Powers: exp(b log a). An absolute error of the exponent is a relative error of the power, so the digits needed grow with it. ----

template <typename T>
struct Reals;  // the functions of T
template <>
struct Reals<long double> {
  using T = long double;
  static T Log(T x) { return std::log(x); }
  static T Log1p(T x) { return std::log1p(x); }
  static T Atan2(T y, T x) { return std::atan2(y, x); }
  static T Exp(T x) { return std::exp(x); }
  static T Sin(T x) { return std::sin(x); }
  static T Cos(T x) { return std::cos(x); }
};
#if defined(__SIZEOF_FLOAT128__) && defined(__GLIBC__)
#if defined(__clang__)
// The C library declares these for GCC alone.
extern "C" {
__float128 logf128(__float128);
__float128 log1pf128(__float128);
__float128 atan2f128(__float128, __float128);
__float128 expf128(__float128);
__float128 sinf128(__float128);
__float128 cosf128(__float128);
}
#endif
using Widest = __float128;
template <>
struct Reals<__float128> {
  using T = __float128;
  static T Log(T x) { return logf128(x); }
  static T Log1p(T x) { return log1pf128(x); }
  static T Atan2(T y, T x) { return atan2f128(y, x); }
  static T Exp(T x) { return expf128(x); }
  static T Sin(T x) { return sinf128(x); }
  static T Cos(T x) { return cosf128(x); }
};
#else
using Widest = long double;
#endif

// For finite a that is not 0 and finite b. `size`: the exponent's magnitude.
template <typename T>
std::complex<double> PowerIn(std::complex<double> a, std::complex<double> b, double* size) {
  using F = Reals<T>;
  const T x = a.real(), y = a.imag();
  const bool near = std::fabs(a.real()) > 0.5 && std::fabs(a.real()) < 2 && std::fabs(a.imag()) < 2;
  // log |a|; near the unit circle from |a|^2 - 1 = (|x| - 1)(|x| + 1) + y^2.
  const T ax = x < 0 ? -x : x;
  const T lr = near ? F::Log1p((ax - 1) * (ax + 1) + y * y) / 2 : F::Log(x * x + y * y) / 2;
  const T li = F::Atan2(y, x);
  const T br = b.real(), bi = b.imag();
  // A real exponent leaves no room for 0 * x in the parts' signs.
  const T wr = bi == 0 ? br * lr : br * lr - bi * li;
  const T wi = bi == 0 ? br * li : br * li + bi * lr;
  *size = std::hypot(static_cast<double>(wr), static_cast<double>(wi));
  const T e = F::Exp(wr);
  const double zero = static_cast<double>(wi);
  if (wi == 0) return {static_cast<double>(e), zero};
  return {static_cast<double>(e * F::Cos(wi)), static_cast<double>(e * F::Sin(wi))};
}

std::complex<double> Power(bool narrow, std::complex<double> a, std::complex<double> b) {
  if (a == 0.0) {
    if (b == 0.0) return 1;
    if (b.real() > 0) return 0;
    if (b.imag() == 0) return {std::numeric_limits<double>::infinity(), 0};
    return {kNaN, kNaN};
  }
  if (b == 0.0) return 1;
  if (!Finite(a) || !Finite(b)) {
    const std::complex<double> log = std::log(a);
    return std::exp(b.imag() == 0 ? std::complex<double>(b.real() * log.real(), log.imag() == 0 ? 0 : b.real() * log.imag()) : b * log);
  }
  double size;
  const std::complex<double> r = PowerIn<long double>(a, b, &size);
  if (size < (narrow ? 0x1p30 : 0x1p6)) return r;
  return PowerIn<Widest>(a, b, &size);
}

template <typename T>
std::complex<T> Function(ScalarOp op, std::complex<T> a, std::complex<T> b) {
  switch (op) {
    case ScalarOp::kDivide: return a / b;
    case ScalarOp::kAtan2: return Atan2(a, b);
    case ScalarOp::kSign: return Sign(a);
    case ScalarOp::kExp: return std::exp(a);
    case ScalarOp::kExpm1: return Expm1(a);
    case ScalarOp::kLog: return std::log(a);
    case ScalarOp::kLog1p: return Log1p(a);
    case ScalarOp::kLogistic: return Logistic(a);
    case ScalarOp::kSqrt: return std::sqrt(a);
    case ScalarOp::kRsqrt: return Rsqrt(a);
    case ScalarOp::kCbrt: return Cbrt(a);
    case ScalarOp::kSin: return std::sin(a);
    case ScalarOp::kCos: return std::cos(a);
    case ScalarOp::kTan: return std::tan(a);
    case ScalarOp::kTanh: return std::tanh(a);
    case ScalarOp::kAcos: return std::acos(a);
    case ScalarOp::kAcosh: return std::acosh(a);
    case ScalarOp::kAsin: return std::asin(a);
    case ScalarOp::kAsinh: return std::asinh(a);
    case ScalarOp::kAtanh: return std::atanh(a);
    case ScalarOp::kCosh: return std::cosh(a);
    case ScalarOp::kSinh: return std::sinh(a);
    default: return {std::numeric_limits<T>::quiet_NaN(), std::numeric_limits<T>::quiet_NaN()};
  }
}

}  // namespace

std::complex<double> ComplexFunction(ScalarOp op, bool narrow, std::complex<double> a, std::complex<double> b) {
  if (op == ScalarOp::kPower) return Power(narrow, a, b);
  if (narrow) return Function<double>(op, a, b);
  const auto r = Function<long double>(op, {a.real(), a.imag()}, {b.real(), b.imag()});
  return {static_cast<double>(r.real()), static_cast<double>(r.imag())};
}

double ComplexAbs(bool narrow, std::complex<double> a) {
  if (narrow) return std::hypot(a.real(), a.imag());
  return static_cast<double>(std::hypot(static_cast<long double>(a.real()), static_cast<long double>(a.imag())));
}

}  // namespace hloscope
