#include "core/element/bounds.h"

#include <algorithm>
#include <cmath>
#include <limits>

#include "core/element/functions.h"
#include "core/element/scalar_eval.h"

namespace hloscope {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();

// The largest last place near a value that is itself uncertain by `bound`.
double UlpNear(ElementType type, double v, double bound) {
  const double m = std::fabs(v) + bound;
  if (!std::isfinite(m)) return kInf;
  return UlpAt(RealTypeOf(type), m);
}

double Function(ScalarOp op, double a, double b = 0) {
  const Scalar in[2] = {Scalar::Float(ElementType::kF64, a), Scalar::Float(ElementType::kF64, b)};
  return EvalScalarOp(op, ElementType::kF64, 0, absl::MakeConstSpan(in, Arity(op))).re;
}

// The farthest of some possible results from the one computed; NaN among them: no statement.
double Farthest(double v, std::initializer_list<double> others) {
  double r = 0;
  for (double o : others) {
    if (o == v) continue;  // also equal infinities
    const double d = std::fabs(o - v);
    if (!(d < kInf)) return kInf;
    r = std::max(r, d);
  }
  return r;
}

// Unary functions that are monotonic where they are defined: the ends of the interval bound everything between.
bool IsMonotonic(ScalarOp op) {
  switch (op) {
    case ScalarOp::kCeil:
    case ScalarOp::kFloor:
    case ScalarOp::kRoundNearestAfz:
    case ScalarOp::kRoundNearestEven:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kLog:
    case ScalarOp::kLog1p:
    case ScalarOp::kLogistic:
    case ScalarOp::kSqrt:
    case ScalarOp::kRsqrt:
    case ScalarOp::kCbrt:
    case ScalarOp::kTanh:
    case ScalarOp::kErf:
    case ScalarOp::kAcos:
    case ScalarOp::kAcosh:
    case ScalarOp::kAsin:
    case ScalarOp::kAsinh:
    case ScalarOp::kAtanh:
    case ScalarOp::kSinh:
    case ScalarOp::kSign: return true;
    default: return false;
  }
}

double UnaryInterval(ScalarOp op, double v, double bound, double result) {
  const double low = v - bound, high = v + bound;
  if (IsMonotonic(op)) return Farthest(result, {Function(op, low), Function(op, high)});
  switch (op) {
    case ScalarOp::kNegate:
    case ScalarOp::kAbs:
    case ScalarOp::kReal: return bound;
    case ScalarOp::kImag: return 0;
    case ScalarOp::kSin:
    case ScalarOp::kCos: return std::min(bound, 2.0);
    case ScalarOp::kCosh: {
      const double ends = Farthest(result, {std::cosh(low), std::cosh(high)});
      return low < 0 && high > 0 ? std::max(ends, result - 1) : ends;
    }
    case ScalarOp::kTan: {
      // A pole between the ends?
      const double pi = 3.14159265358979323846;
      if (std::floor(low / pi + 0.5) != std::floor(high / pi + 0.5)) return kInf;
      return Farthest(result, {std::tan(low), std::tan(high)});
    }
    default: return kInf;
  }
}

double PowerInterval(const BoundedScalar& a, const BoundedScalar& b, double result) {
  const double low = a.value.re - a.bound, high = a.value.re + a.bound;
  if (low <= 0) {
    // Through zero only whole positive exponents are continuous.
    if (b.bound != 0 || b.value.re < 0 || b.value.re != std::floor(b.value.re)) return a.bound == 0 && b.bound == 0 ? 0 : kInf;
    return Farthest(result,
                    {std::pow(low, b.value.re), std::pow(high, b.value.re), low <= 0 && high >= 0 && b.value.re > 0 ? 0.0 : result});
  }
  const double p = b.value.re - b.bound, q = b.value.re + b.bound;
  return Farthest(result, {std::pow(low, p), std::pow(low, q), std::pow(high, p), std::pow(high, q)});
}

double BinaryInterval(ScalarOp op, const BoundedScalar& x, const BoundedScalar& y, double result) {
  const double a = x.value.re, b = y.value.re, da = x.bound, db = y.bound;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract: return da + db;
    case ScalarOp::kMultiply: return std::fabs(a) * db + std::fabs(b) * da + da * db;
    case ScalarOp::kDivide:
      if (std::fabs(b) <= db) return kInf;
      return (da + std::fabs(a / b) * db) / (std::fabs(b) - db);
    case ScalarOp::kRemainder: {
      if (std::fabs(b) <= db) return kInf;
      const double q = std::trunc(a / b);
      for (double p : {a - da, a + da}) {
        for (double r : {b - db, b + db}) {
          if (std::trunc(p / r) != q) return kInf;
        }
      }
      return da + std::fabs(q) * db;
    }
    case ScalarOp::kMaximum: return Farthest(result, {std::max(a - da, b - db), std::max(a + da, b + db)});
    case ScalarOp::kMinimum: return Farthest(result, {std::min(a - da, b - db), std::min(a + da, b + db)});
    case ScalarOp::kPower: return PowerInterval(x, y, result);
    case ScalarOp::kAtan2: {
      const double d = std::hypot(da, db), r = std::hypot(a, b);
      if (d >= r || (b < db && std::fabs(a) <= da)) return kInf;  // around the origin, or across the cut
      return std::asin(d / r);
    }
    default: return kInf;
  }
}

double ComplexInterval(ScalarOp op, const BoundedScalar& a, const BoundedScalar& b, const Scalar& result) {
  const double x = std::abs(a.value.c()), y = std::abs(b.value.c());
  const double root2 = 1.4142135623730951;  // a bound on each part is at most this much on the magnitude
  const double dx = a.bound * root2, dy = b.bound * root2;
  switch (op) {
    case ScalarOp::kAdd:
    case ScalarOp::kSubtract: return a.bound + b.bound;
    case ScalarOp::kMultiply: return x * dy + y * dx + dx * dy;
    case ScalarOp::kDivide: return y <= dy ? kInf : (dx + x / y * dy) / (y - dy);
    case ScalarOp::kNegate:
    case ScalarOp::kReal:
    case ScalarOp::kImag: return a.bound;
    case ScalarOp::kAbs: return dx;
    case ScalarOp::kExp: return std::exp(a.value.re) * std::expm1(dx);
    case ScalarOp::kLog: return x <= dx ? kInf : dx / (x - dx);
    case ScalarOp::kSqrt: return x <= dx ? kInf : dx / (2 * std::sqrt(x - dx));
    case ScalarOp::kRsqrt: return x <= dx ? kInf : dx / (2 * std::pow(x - dx, 1.5));
    default: return kInf;
  }
}

bool IsReal(ElementType t) { return IsFloat(t); }

// Comparisons of reals: certain when the intervals do not touch.
double ComparisonBound(const BoundedScalar& a, const BoundedScalar& b) {
  if (!IsReal(a.value.type)) return kInf;
  if (std::isnan(a.value.re) || std::isnan(b.value.re)) return kInf;
  return std::fabs(a.value.re - b.value.re) > a.bound + b.bound ? 0 : kInf;
}

double IntegerBound(ScalarOp op, const BoundedScalar& a, const BoundedScalar& b) {
  // One certain operand can settle the logic of the other.
  if (op == ScalarOp::kAnd && ((a.bound == 0 && a.value.i == 0) || (b.bound == 0 && b.value.i == 0))) return 0;
  if (op == ScalarOp::kOr && IsPred(a.value.type) && ((a.bound == 0 && a.value.i == 1) || (b.bound == 0 && b.value.i == 1))) return 0;
  if (op == ScalarOp::kMultiply && ((a.bound == 0 && a.value.i == 0) || (b.bound == 0 && b.value.i == 0))) return 0;
  return kInf;
}

double ConvertBound(ElementType to, const BoundedScalar& a, const Scalar& result) {
  const ElementType from = a.value.type;
  if (!IsReal(from) && !IsComplex(from)) return kInf;
  if (IsFloat(to) || IsComplex(to)) {
    const double rounding = UlpNear(to, std::max(std::fabs(result.re), std::fabs(result.im)), a.bound);
    const bool widens =
        BitWidth(RealTypeOf(to)) >= BitWidth(RealTypeOf(from)) && UnitRoundoff(RealTypeOf(to)) <= UnitRoundoff(RealTypeOf(from));
    return widens ? a.bound : a.bound + rounding;
  }
  if (IsComplex(from)) return kInf;
  if (!(a.bound < kInf)) return kInf;
  const auto at = [&](double v) { return ConvertScalar(Scalar::Float(ElementType::kF64, v), to).i; };
  if (IsPred(to)) return std::fabs(a.value.re) > a.bound ? 0 : kInf;
  return at(a.value.re - a.bound) == result.i && at(a.value.re + a.bound) == result.i ? 0 : kInf;
}

}  // namespace

double PropagateBound(ScalarOp op, ElementType type, int64_t aux, const BoundedScalar& a, const BoundedScalar& b_or_none,
                      const Scalar& result) {
  const BoundedScalar& b = Arity(op) == 2 ? b_or_none : BoundedScalar{a.value, 0};
  const ElementType input = a.value.type;
  const double ulps = FunctionUlp(op, type);
  const bool uncertain = a.bound != 0 || b.bound != 0;
  if (!uncertain) {
    if (ulps == 0 || !result.IsFinite()) return 0;
    return ulps * UlpNear(type, std::max(std::fabs(result.re), std::fabs(result.im)), 0);
  }
  if (IsComparison(op)) return ComparisonBound(a, b);
  if (op == ScalarOp::kConvert) return ConvertBound(type, a, result);
  if (op == ScalarOp::kIsFinite) return a.bound < kInf && a.value.IsFinite() ? 0 : kInf;
  if (op == ScalarOp::kComplex) return std::max(a.bound, b.bound);
  if (IsInteger(type) || IsPred(type)) return IntegerBound(op, a, b);
  if (op == ScalarOp::kBitcast || !(a.bound < kInf) || !(b.bound < kInf)) return kInf;
  if (op == ScalarOp::kReducePrecision) {
    const auto at = [&](double v) {
      const Scalar in[1] = {Scalar::Float(type, v)};
      return EvalScalarOp(op, type, aux, in).re;
    };
    return Farthest(result.re, {at(a.value.re - a.bound), at(a.value.re + a.bound)}) + UlpNear(type, result.re, a.bound);
  }
  if (!result.IsFinite()) {
    // An infinity stays one when the inputs leave no finite result; keeping it simple, there is no statement.
    return kInf;
  }
  const double interval = IsComplex(input) ? ComplexInterval(op, a, b, result)
                          : Arity(op) == 2 ? BinaryInterval(op, a, b, result.re)
                                           : UnaryInterval(op, a.value.re, a.bound, result.re);
  if (!(interval < kInf)) return kInf;
  if (op == ScalarOp::kNegate || op == ScalarOp::kMaximum || op == ScalarOp::kMinimum || op == ScalarOp::kReal || op == ScalarOp::kImag ||
      (op == ScalarOp::kAbs && !IsComplex(input))) {
    return interval;  // these never round
  }
  // Of two different arguments even one and the same function errs by different amounts.
  const double errors = IsFunction(op) || IsComplex(input) ? std::max(ulps, IsComplex(input) ? 8.0 : 4.0) : ulps;
  const double bound = interval * (1 + 1e-12) + (1 + errors) * UlpNear(type, std::max(std::fabs(result.re), std::fabs(result.im)), interval);
  return bound < kInf ? bound : kInf;
}

double SelectBound(const BoundedScalar& pred, const BoundedScalar& taken, const BoundedScalar& other) {
  if (pred.bound == 0) return taken.bound;
  if (IsFloat(taken.value.type) || IsComplex(taken.value.type)) {
    if (std::isnan(taken.value.re) || std::isnan(other.value.re)) return kInf;
    const double d = std::max(Farthest(taken.value.re, {other.value.re}), Farthest(taken.value.im, {other.value.im}));
    return std::max(taken.bound, d + other.bound);
  }
  return taken.value.i == other.value.i && taken.bound == 0 && other.bound == 0 ? 0 : kInf;
}

}  // namespace hloscope
