// Real functions; see functions.h. The C library's are used where they keep 1 ULP in f64; the others go through the 80-bit format, whose 11
// extra bits leave room for a composition.
#include "core/element/functions.h"

#include <cmath>

namespace hloscope {
namespace {

using Wide = long double;

double Cbrt(double x) { return static_cast<double>(std::cbrt(static_cast<Wide>(x))); }
double Tanh(double x) { return static_cast<double>(std::tanh(static_cast<Wide>(x))); }
double Sinh(double x) { return static_cast<double>(std::sinh(static_cast<Wide>(x))); }
double Cosh(double x) { return static_cast<double>(std::cosh(static_cast<Wide>(x))); }
double Asinh(double x) { return static_cast<double>(std::asinh(static_cast<Wide>(x))); }
double Acosh(double x) { return static_cast<double>(std::acosh(static_cast<Wide>(x))); }
double Atanh(double x) { return static_cast<double>(std::atanh(static_cast<Wide>(x))); }
double Erf(double x) { return static_cast<double>(std::erf(static_cast<Wide>(x))); }

double Logistic(double x) {
  // Of -|x|, so that nothing overflows: e / (1 + e), or 1 / (1 + e) for positive x.
  const Wide e = std::exp(-std::fabs(static_cast<Wide>(x)));
  return static_cast<double>((x >= 0 ? Wide(1) : std::isnan(x) ? static_cast<Wide>(x) : e) / (1 + e));
}

}  // namespace

bool IsFunction(ScalarOp op) {
  return op == ScalarOp::kRsqrt || (Arity(op) == 2 ? RealBinaryFunction(op) != nullptr : RealUnaryFunction(op) != nullptr);
}

UnaryFunction RealUnaryFunction(ScalarOp op) {
  switch (op) {
    case ScalarOp::kExp: return [](double x) { return std::exp(x); };
    case ScalarOp::kExpm1: return [](double x) { return std::expm1(x); };
    case ScalarOp::kLog: return [](double x) { return std::log(x); };
    case ScalarOp::kLog1p: return [](double x) { return std::log1p(x); };
    case ScalarOp::kLogistic: return Logistic;
    case ScalarOp::kCbrt: return Cbrt;
    case ScalarOp::kSin: return [](double x) { return std::sin(x); };
    case ScalarOp::kCos: return [](double x) { return std::cos(x); };
    case ScalarOp::kTan: return [](double x) { return std::tan(x); };
    case ScalarOp::kTanh: return Tanh;
    case ScalarOp::kErf: return Erf;
    case ScalarOp::kAcos: return [](double x) { return std::acos(x); };
    case ScalarOp::kAcosh: return Acosh;
    case ScalarOp::kAsin: return [](double x) { return std::asin(x); };
    case ScalarOp::kAsinh: return Asinh;
    case ScalarOp::kAtanh: return Atanh;
    case ScalarOp::kCosh: return Cosh;
    case ScalarOp::kSinh: return Sinh;
    default: return nullptr;
  }
}

BinaryFunction RealBinaryFunction(ScalarOp op) {
  switch (op) {
    case ScalarOp::kPower: return [](double x, double y) { return std::pow(x, y); };
    case ScalarOp::kAtan2: return [](double y, double x) { return std::atan2(y, x); };
    default: return nullptr;
  }
}

}  // namespace hloscope
