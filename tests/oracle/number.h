// One element for the oracle: its exact value in its type and how far a right answer may lie from it. The codecs, roundings and conversions
// of every element type are written here anew, from the definitions of the formats; nothing of core/literal/scalar.h is used.
// Not for arithmetic (scalars.h).
#ifndef HLOSCOPE_TESTS_ORACLE_NUMBER_H_
#define HLOSCOPE_TESTS_ORACLE_NUMBER_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <limits>
#include <string>

#include "core/shape/element_type.h"

namespace hloscope::oracle {

inline constexpr double kUnknown = std::numeric_limits<double>::infinity();

// Integers and pred in `i` (unsigned ones as the same 64 bits), floats in `re`, complex in `re` and `im`. `error`: 0 means that the answer
// is fixed to the bit (NaNs aside); a finite number is a bound on the distance; kUnknown: nothing can be said.
struct Number {
  int64_t i = 0;
  double re = 0, im = 0;
  double error = 0;
  bool unknown() const { return error == kUnknown; }
  std::complex<long double> c() const { return {re, im}; }
};

Number Int(int64_t i);                // as is: call Wrap before where it may not fit
Number Real(double re, double error = 0);
Number Complex(double re, double im, double error = 0);
Number Unknown();
// What arithmetic makes: surely a NaN, of unknown sign and bits.
Number SomeNaN();

// How a float format is made. Precision counts the hidden bit.
struct Format {
  int exponent_bits, mantissa_bits, bias;
  bool infinity;       // has infinities
  bool nan;            // has NaNs
  bool negative_zero;  // false: the code of -0 is the only NaN
  bool sign;
  bool zero;
  double max;          // greatest finite value
};
const Format& FormatOf(ElementType float_type);

// Keeps the low bits of a type, sign or zero extended; pred: != 0.
int64_t Wrap(ElementType type, int64_t v);
// To the nearest value of the format, ties to even; overflow as the format has it.
double Round(ElementType float_type, long double x);
// Distance of neighbours at |x|, and the rounding unit (2^-precision).
double Ulp(ElementType float_type, double x);
double Unit(ElementType float_type);
double MaxFinite(ElementType float_type);

uint64_t Encode(ElementType float_type, double value);  // `value` is one of the format
double Decode(ElementType float_type, uint64_t bits);
// From and to a Value's storage.
Number Load(ElementType type, const std::byte* storage);
void Store(ElementType type, const Number& x, std::byte* storage);
// The bits of an element as an integer (types of up to 64 bits); complex: real part low, at most 128 bits.
unsigned __int128 Bits(ElementType type, const Number& x);
Number FromBits(ElementType type, unsigned __int128 bits);

Number Convert(ElementType from, ElementType to, const Number& x);

std::string Show(ElementType type, const Number& x);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_NUMBER_H_
