// The functions of real and complex numbers, each said once: the reference evaluates with these, and native code calls them wherever it
// has no vector code of its own. Not for arithmetic that IEEE 754 defines (scalar_eval.h).
//
// Accuracy (measured by tests/bench/ulp_table, kept in ACCURACY.md): reals within 2 ULP of f64, so all but correctly rounded in the narrower
// types after one more rounding; complex numbers within 4 ULP of the result's magnitude. Special values are IEEE 754's and those of the C
// standard's Annexes F and G: signed zeros choose the side of a branch cut.
#ifndef HLOSCOPE_CORE_ELEMENT_FUNCTIONS_H_
#define HLOSCOPE_CORE_ELEMENT_FUNCTIONS_H_

#include <complex>

#include "core/element/expr.h"

namespace hloscope {

// True for the functions of this file: what takes a library call rather than an instruction.
bool IsFunction(ScalarOp op);

// Null when `op` is no such function of reals. Reciprocal square roots are not among them: 1 / sqrt(x) in the type itself.
using UnaryFunction = double (*)(double);
using BinaryFunction = double (*)(double, double);
UnaryFunction RealUnaryFunction(ScalarOp op);
BinaryFunction RealBinaryFunction(ScalarOp op);

// Functions and division of complex numbers, absolute values excepted. `narrow`: c64, whose parts the caller rounds to f32. `b` only
// matters to binary ones.
std::complex<double> ComplexFunction(ScalarOp op, bool narrow, std::complex<double> a, std::complex<double> b);
double ComplexAbs(bool narrow, std::complex<double> a);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_FUNCTIONS_H_
