// The float formats as their authors define them and rounding to them in integer arithmetic: what tests compare the project's codecs with.
#ifndef HLOSCOPE_TESTS_NUMERICS_FORMATS_H_
#define HLOSCOPE_TESTS_NUMERICS_FORMATS_H_

#include <algorithm>
#include <bit>
#include <cstdint>
#include <cstdlib>

#include "core/shape/element_type.h"

namespace hloscope::formats {

using T = ElementType;

enum class Top { kIeee, kAllOnesIsNan, kNegativeZeroIsNan, kNoSpecials, kUnsignedPowers };
struct Format {
  T type;
  int exponent_bits, mantissa_bits, bias;
  Top top;
};
inline constexpr Format kFormats[] = {
    {T::kF4E2M1FN, 2, 1, 1, Top::kNoSpecials},          {T::kF6E2M3FN, 2, 3, 1, Top::kNoSpecials},
    {T::kF6E3M2FN, 3, 2, 3, Top::kNoSpecials},          {T::kF8E3M4, 3, 4, 3, Top::kIeee},
    {T::kF8E4M3, 4, 3, 7, Top::kIeee},                  {T::kF8E4M3FN, 4, 3, 7, Top::kAllOnesIsNan},
    {T::kF8E4M3B11FNUZ, 4, 3, 11, Top::kNegativeZeroIsNan}, {T::kF8E4M3FNUZ, 4, 3, 8, Top::kNegativeZeroIsNan},
    {T::kF8E5M2, 5, 2, 15, Top::kIeee},                 {T::kF8E5M2FNUZ, 5, 2, 16, Top::kNegativeZeroIsNan},
    {T::kF8E8M0FNU, 8, 0, 127, Top::kUnsignedPowers},   {T::kBF16, 8, 7, 127, Top::kIeee},
    {T::kF16, 5, 10, 15, Top::kIeee},                   {T::kF32, 8, 23, 127, Top::kIeee},
    {T::kF64, 11, 52, 1023, Top::kIeee},
};
inline const Format& FormatOf(T type) {
  for (const Format& f : kFormats) {
    if (f.type == type) return f;
  }
  std::abort();
}

// (-1)^negative * m * 2^e
struct Number {
  enum Kind { kFinite, kInfinite, kNan } kind = kFinite;
  bool negative = false;
  uint64_t m = 0;
  int e = 0;
};

inline Number Decode(const Format& f, uint64_t bits) {
  const int width = f.exponent_bits + f.mantissa_bits;
  const uint64_t ones = (uint64_t{1} << width) - 1, magnitude = bits & ones, top = (uint64_t{1} << f.exponent_bits) - 1;
  Number r;
  if (f.top == Top::kUnsignedPowers) {
    if (magnitude == ones) return {Number::kNan};
    return {Number::kFinite, false, 1, static_cast<int>(magnitude) - f.bias};
  }
  r.negative = (bits >> width) & 1;
  const uint64_t exponent = magnitude >> f.mantissa_bits, mantissa = magnitude & ((uint64_t{1} << f.mantissa_bits) - 1);
  if (f.top == Top::kIeee && exponent == top) r.kind = mantissa == 0 ? Number::kInfinite : Number::kNan;
  if (f.top == Top::kAllOnesIsNan && magnitude == ones) r.kind = Number::kNan;
  if (f.top == Top::kNegativeZeroIsNan && r.negative && magnitude == 0) r.kind = Number::kNan;
  r.m = exponent == 0 ? mantissa : mantissa | uint64_t{1} << f.mantissa_bits;
  r.e = (exponent == 0 ? 1 : static_cast<int>(exponent)) - f.bias - f.mantissa_bits;
  return r;
}

inline constexpr uint64_t kAnyNan = ~uint64_t{0} - 1;  // stands for every NaN code

// The code nearest to a number, of equally near ones the even one.
inline uint64_t Encode(const Format& f, const Number& n) {
  const int width = f.exponent_bits + f.mantissa_bits;
  const uint64_t ones = (uint64_t{1} << width) - 1, sign = uint64_t{n.negative} << width;
  const uint64_t infinity = ((uint64_t{1} << f.exponent_bits) - 1) << f.mantissa_bits;
  const bool minus_zero_is_nan = f.top == Top::kNegativeZeroIsNan;
  if (n.kind == Number::kNan) return f.top == Top::kNoSpecials ? uint64_t{1} << width : minus_zero_is_nan ? uint64_t{1} << width : kAnyNan;
  const uint64_t too_large = f.top == Top::kIeee ? sign | infinity : f.top == Top::kNoSpecials ? sign | ones : minus_zero_is_nan ? ones + 1 : kAnyNan;
  if (f.top == Top::kUnsignedPowers) {
    if (n.kind == Number::kInfinite || (n.negative && n.m != 0)) return kAnyNan;
    if (n.m == 0) return 0;
    const int length = 64 - std::countl_zero(n.m), exponent = length - 1 + n.e;
    int64_t code = exponent + f.bias;
    // The middle is 1.5 times the power.
    const uint64_t rest = n.m << (64 - length) << 1, half = uint64_t{1} << 63;
    if (rest > half || (rest == half && (code & 1))) ++code;
    return code < 0 ? 0 : code >= 255 ? kAnyNan : static_cast<uint64_t>(code);
  }
  if (n.kind == Number::kInfinite) return too_large;
  if (n.m == 0) return minus_zero_is_nan ? 0 : sign;
  const int length = 64 - std::countl_zero(n.m), least = 1 - f.bias - f.mantissa_bits;
  const int unit = std::max(length - 1 + n.e - f.mantissa_bits, least), drop = unit - n.e;
  uint64_t k;
  if (drop <= 0) {
    k = n.m << -drop;
  } else if (drop > 64) {
    k = 0;
  } else {
    k = drop == 64 ? 0 : n.m >> drop;
    const uint64_t rest = drop == 64 ? n.m : n.m & ((uint64_t{1} << drop) - 1), half = uint64_t{1} << (drop - 1);
    if (rest > half || (rest == half && (k & 1))) ++k;
  }
  const unsigned __int128 code = (static_cast<unsigned __int128>(unit - least) << f.mantissa_bits) + k;
  const uint64_t largest = f.top == Top::kIeee ? infinity - 1 : f.top == Top::kAllOnesIsNan ? ones - 1 : ones;
  if (code > largest) return too_large;
  return code == 0 && minus_zero_is_nan ? 0 : sign | static_cast<uint64_t>(code);
}

}  // namespace hloscope::formats

#endif  // HLOSCOPE_TESTS_NUMERICS_FORMATS_H_
