// One element, of any type: decode from storage, encode with correct rounding, and the scalar arithmetic of the specification.
#ifndef HLOSCOPE_CORE_LITERAL_SCALAR_H_
#define HLOSCOPE_CORE_LITERAL_SCALAR_H_

#include <complex>
#include <cstddef>
#include <cstdint>
#include <string>

#include "core/shape/element_type.h"

namespace hloscope {

// The value is held exactly: pred and integers in `i` (unsigned as the same 64 bits), floats in `re`, complex in `re` and `im`.
// A Scalar of a type only ever holds values which that type can represent (constructors round).
struct Scalar {
  ElementType type = ElementType::kF32;
  int64_t i = 0;
  double re = 0;
  double im = 0;

  static Scalar Int(ElementType type, int64_t v);  // wraps modulo 2^bits; pred: v != 0
  static Scalar Float(ElementType type, double v);  // rounds to nearest even in `type`
  static Scalar Complex(ElementType type, std::complex<double> v);
  bool IsNaN() const;
  bool IsFinite() const;
  uint64_t u() const { return static_cast<uint64_t>(i); }
  std::complex<double> c() const { return {re, im}; }
};

Scalar LoadScalar(ElementType type, const std::byte* storage);
void StoreScalar(const Scalar& s, std::byte* storage);
// static_cast with the edges of spec/operations.md (saturation, NaN to 0, pred is != 0); one rounding only.
Scalar ConvertScalar(const Scalar& s, ElementType to);
// Shortest decimal text that reads back to the same value in the type, in f32 for the narrower float types ("-0", "inf", "nan", "(1, -2)", "true").
std::string ToText(const Scalar& s);
// Distance between neighbours of `type` at magnitude |v| (v finite); the smallest denormal near zero. Float types only.
double UlpAt(ElementType type, double v);
// Units in the last place of 1.0 halved: the rounding unit u of the type (2^-24 for f32).
double UnitRoundoff(ElementType type);

// The bits of a float format below the sign (f8e8m0fnu has none): exponent, then mantissa. Float types only.
struct FloatFields {
  int exponent_bits;
  int mantissa_bits;
  int bias;
};
FloatFields FieldsOf(ElementType type);

// Storage codecs, exact / round-to-nearest-even. `type` must be a float type.
double DecodeFloat(ElementType type, uint64_t bits);
uint64_t EncodeFloat(ElementType type, double v);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_SCALAR_H_
