// The functions of scalar_ops.def to hundreds of digits (MPFR), from textbook formulas: what the tests and the accuracy table measure
// against. Knows nothing of how the project computes them.
#ifndef HLOSCOPE_TESTS_NUMERICS_EXACT_MATH_H_
#define HLOSCOPE_TESTS_NUMERICS_EXACT_MATH_H_

#include <complex>
#include <memory>

#include "core/element/expr.h"

namespace hloscope {

// Error of `got` in units of the last place of `type` at the exact result's magnitude (of a complex number: the distance in the plane). 0 when
// both are NaN or the same infinity, infinity when only one is. When the exact value rounds beyond the largest finite one, `got` must be
// that infinity, or the largest finite value of its type (0 or infinity is the answer).
// Supported: every function of reals and complex numbers but integers' own. `type` is the inputs' type.
double RealErrorUlp(ScalarOp op, ElementType type, double a, double b, double got);
double ComplexErrorUlp(ScalarOp op, ElementType type, std::complex<double> a, std::complex<double> b, std::complex<double> got);
// The exact result, rounded once to `type` (to nearest even; overflow to infinity).
double ExactRounded(ScalarOp op, ElementType type, double a, double b);

}  // namespace hloscope

#endif  // HLOSCOPE_TESTS_NUMERICS_EXACT_MATH_H_
