// The scalar functions of the specification, on one element, with the bound of what comes out. Real functions by libm in long double,
// rounded once. Not for arrays (arrays.h).
#ifndef HLOSCOPE_TESTS_ORACLE_SCALARS_H_
#define HLOSCOPE_TESTS_ORACLE_SCALARS_H_

#include <algorithm>
#include <complex>

#include "core/ir/opcode.h"
#include "tests/oracle/number.h"

namespace hloscope::oracle {

bool IsUnary(Opcode opcode);   // of one operand, elementwise, not a conversion
bool IsBinary(Opcode opcode);  // of two operands, elementwise, not compare
// `type` is the operands' type; the result's is `type` too, but for abs, real and imag of complex (its real type), is-finite (pred), complex.
Number Unary(Opcode opcode, ElementType type, const Number& x);
Number Binary(Opcode opcode, ElementType type, const Number& x, const Number& y);
enum class Direction { kEq, kNe, kGe, kGt, kLe, kLt };
Number Compare(Direction direction, bool total_order, ElementType type, const Number& x, const Number& y);
// -1, 0, 1 in the total order -NaN < -inf < ... < -0 < +0 < ... < inf < NaN.
int TotalOrder(ElementType type, const Number& x, const Number& y);
Number Clamp(ElementType type, const Number& low, const Number& x, const Number& high);
Number ReducePrecision(ElementType type, const Number& x, int exponent_bits, int mantissa_bits);
Number StochasticConvert(ElementType from, ElementType to, ElementType random_type, const Number& x, const Number& random);

// A long double (complex) that collects the rounding errors that an implementation in arithmetic of unit `u` would make. For algorithms
// whose order is free: moments, factorisations, transforms.
struct Approximate {
  std::complex<long double> v;
  double error = 0;
  double u = 0;
  Approximate Rounded(std::complex<long double> value, double propagated) const {
    const double size = static_cast<double>(std::abs(value));
    return {value, propagated + (size == 0 ? 0 : std::max(4 * u * size, LeastDenormal(u))), u};
  }
  // Of the type that rounds by u.
  static double LeastDenormal(double u) { return u < 0x1p-50 ? 0x1p-1074 : u < 0x1p-20 ? 0x1p-149 : u < 0x1p-10 ? 0x1p-24 : 0x1p-133; }
};
Approximate operator+(const Approximate& a, const Approximate& b);
Approximate operator-(const Approximate& a, const Approximate& b);
Approximate operator*(const Approximate& a, const Approximate& b);
Approximate operator/(const Approximate& a, const Approximate& b);
Approximate Sqrt(const Approximate& a);
Approximate Conj(const Approximate& a);
Approximate FromNumber(ElementType type, const Number& x);
Approximate FromReal(ElementType type, long double x);
Number ToNumber(ElementType type, const Approximate& a);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_SCALARS_H_
