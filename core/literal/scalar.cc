// Storage codecs of every float format, correct rounding, conversions and text of single elements.
// Not for arithmetic (element/scalar_eval.h) nor for whole arrays (format.h, statistics.h).
#include "core/literal/scalar.h"

#include <array>
#include <bit>
#include <charconv>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <limits>

#include "absl/strings/str_cat.h"
#include "core/literal/float_bits.h"

namespace hloscope {
namespace {

// What a float format does with values beyond its largest finite one, and where it keeps NaN.
enum class Specials : uint8_t {
  kIeee,    // infinities and NaNs in the top exponent
  kFn,      // no infinity; NaN is all ones; overflow gives NaN
  kFnuz,    // no infinity, no negative zero; NaN is the code of -0; overflow gives NaN
  kFinite,  // neither infinity nor NaN; overflow saturates
  kScale,   // f8e8m0fnu: unsigned powers of two, no zero; NaN is all ones
};

struct Format {
  int exponent_bits;
  int mantissa_bits;
  int bias;
  Specials specials;
};

constexpr Format FormatOf(ElementType t) {
  switch (t) {
    case ElementType::kF4E2M1FN: return {2, 1, 1, Specials::kFinite};
    case ElementType::kF6E2M3FN: return {2, 3, 1, Specials::kFinite};
    case ElementType::kF6E3M2FN: return {3, 2, 3, Specials::kFinite};
    case ElementType::kF8E3M4: return {3, 4, 3, Specials::kIeee};
    case ElementType::kF8E4M3: return {4, 3, 7, Specials::kIeee};
    case ElementType::kF8E4M3FN: return {4, 3, 7, Specials::kFn};
    case ElementType::kF8E4M3B11FNUZ: return {4, 3, 11, Specials::kFnuz};
    case ElementType::kF8E4M3FNUZ: return {4, 3, 8, Specials::kFnuz};
    case ElementType::kF8E5M2: return {5, 2, 15, Specials::kIeee};
    case ElementType::kF8E5M2FNUZ: return {5, 2, 16, Specials::kFnuz};
    case ElementType::kF8E8M0FNU: return {8, 0, 127, Specials::kScale};
    case ElementType::kBF16: return {8, 7, 127, Specials::kIeee};
    case ElementType::kF16: return {5, 10, 15, Specials::kIeee};
    case ElementType::kF32:
    case ElementType::kC64: return {8, 23, 127, Specials::kIeee};
    default: return {11, 52, 1023, Specials::kIeee};
  }
}

int MinExponent(const Format& f) { return f.specials == Specials::kScale ? -127 : 1 - f.bias; }

double MaxFinite(const Format& f) {
  const int top = (1 << f.exponent_bits) - 1;
  const double ones = 2.0 - std::ldexp(1.0, -f.mantissa_bits);
  switch (f.specials) {
    case Specials::kIeee: return std::ldexp(ones, top - 1 - f.bias);
    case Specials::kFn: return std::ldexp(2.0 - std::ldexp(1.0, 1 - f.mantissa_bits), top - f.bias);
    case Specials::kFnuz:
    case Specials::kFinite: return std::ldexp(ones, top - f.bias);
    case Specials::kScale: return std::ldexp(1.0, 127);
  }
  return 0;
}

constexpr double kNaN = std::numeric_limits<double>::quiet_NaN();
constexpr double kInf = std::numeric_limits<double>::infinity();

double RoundScale(double v) {
  if (!(v >= 0) || std::isinf(v)) return kNaN;  // negative values have no code
  if (v <= std::ldexp(1.0, -127)) return std::ldexp(1.0, -127);
  int e;
  const double m = std::frexp(v, &e);  // v = m * 2^e, m in [1/2, 1): between 2^(e-1) and 2^e
  // Halfway (m == 3/4) goes to the even exponent code.
  const bool up = m > 0.75 || (m == 0.75 && ((e - 1 + 127) & 1) != 0);
  const int exponent = up ? e : e - 1;
  return exponent > 127 ? kNaN : std::ldexp(1.0, exponent);
}

// Rounds to the format's grid, exponent bounded below but not above.
double RoundToGrid(const Format& f, double v) {
  uint64_t bits = std::bit_cast<uint64_t>(v);
  const int exponent = static_cast<int>((bits >> 52) & 0x7ff) - 1023;
  if (exponent >= 1 - f.bias && exponent < 1023) {
    const int drop = 52 - f.mantissa_bits;
    const uint64_t lsb = (bits >> drop) & 1;
    bits += (uint64_t{1} << (drop - 1)) - 1 + lsb;
    bits &= ~((uint64_t{1} << drop) - 1);
    return std::bit_cast<double>(bits);
  }
  // Denormals of the format: a fixed grid. Adding and subtracting 1.5 * 2^52 units rounds to a multiple of one unit.
  const double unit = std::ldexp(1.0, 1 - f.bias - f.mantissa_bits);
  const double magic = 6755399441055744.0 * unit;
  const double r = (std::fabs(v) + magic) - magic;
  return std::signbit(v) ? -r : r;
}

struct Limits {
  Format format;
  double max;
};
const Limits& LimitsOf(ElementType t) {
  static const std::array<Limits, kElementTypeCount> table = [] {
    std::array<Limits, kElementTypeCount> result;
    for (int i = 0; i < kElementTypeCount; ++i) {
      const Format f = FormatOf(static_cast<ElementType>(i));
      result[i] = {f, MaxFinite(f)};
    }
    return result;
  }();
  return table[static_cast<int>(t)];
}

// NaN keeps its sign and as much of its payload as fits, like a hardware conversion. In types of 8 bits it is always quiet.
double RoundNaN(const Format& f, double v) {
  if (f.specials == Specials::kFinite) return -0.0;
  if (f.specials != Specials::kIeee) return std::copysign(kNaN, f.specials == Specials::kFn ? v : 1.0);
  uint64_t bits = std::bit_cast<uint64_t>(v);
  bits &= ~((uint64_t{1} << (52 - f.mantissa_bits)) - 1);
  if (f.mantissa_bits < 7 || (bits & ((uint64_t{1} << 52) - 1)) == 0) bits |= uint64_t{1} << 51;
  return std::bit_cast<double>(bits);
}

double RoundTo(ElementType type, double v) {
  if (type == ElementType::kF32) return Widen(Narrow(v));
  if (type == ElementType::kF64) return v;
  const Limits& limits = LimitsOf(type);
  const Format& f = limits.format;
  if (std::isnan(v)) return RoundNaN(f, v);
  if (f.specials == Specials::kScale) return RoundScale(v);
  const double r = std::isinf(v) ? v : RoundToGrid(f, v);
  if (std::fabs(r) > limits.max) {
    switch (f.specials) {
      case Specials::kIeee: return std::copysign(kInf, v);
      case Specials::kFinite: return std::copysign(limits.max, v);
      case Specials::kFn: return std::copysign(kNaN, v);
      default: return kNaN;
    }
  }
  if (r == 0 && f.specials == Specials::kFnuz) return 0;
  return r;
}

// The double nearest to an integer in the sense "round to odd": rounding it again to at most 51 bits equals one rounding.
double ToOddDouble(uint64_t magnitude) {
  const int width = 64 - std::countl_zero(magnitude);
  if (width <= 53) return static_cast<double>(magnitude);
  const int drop = width - 53;
  uint64_t kept = magnitude >> drop;
  if ((kept << drop) != magnitude) kept |= 1;
  return std::ldexp(static_cast<double>(kept), drop);
}

double IntegerToFloat(int64_t i, bool is_unsigned, ElementType type) {
  if (type == ElementType::kF64) return is_unsigned ? static_cast<double>(static_cast<uint64_t>(i)) : static_cast<double>(i);
  if (is_unsigned || i >= 0) return RoundTo(type, ToOddDouble(static_cast<uint64_t>(i)));
  return RoundTo(type, -ToOddDouble(-static_cast<uint64_t>(i)));
}

int64_t FloatToInteger(double v, ElementType type) {
  if (std::isnan(v)) return 0;
  const int bits = BitWidth(type);
  const double t = std::trunc(v);
  if (IsUnsigned(type)) {
    if (t <= 0) return 0;
    const uint64_t max = bits == 64 ? ~uint64_t{0} : (uint64_t{1} << bits) - 1;
    return static_cast<int64_t>(t >= std::ldexp(1.0, bits) ? max : static_cast<uint64_t>(t));
  }
  const double limit = std::ldexp(1.0, bits - 1);
  const int64_t max = static_cast<int64_t>((uint64_t{1} << (bits - 1)) - 1);
  if (t >= limit) return max;
  if (t < -limit) return -max - 1;
  return static_cast<int64_t>(t);
}

double DecodeSlow(const Format& f, uint64_t bits) {
  const int total = 1 + f.exponent_bits + f.mantissa_bits;
  if (f.specials == Specials::kScale) return bits == 0xff ? kNaN : std::ldexp(1.0, static_cast<int>(bits) - 127);
  const bool negative = (bits >> (total - 1)) & 1;
  const int top = (1 << f.exponent_bits) - 1;
  const int exponent = static_cast<int>(bits >> f.mantissa_bits) & top;
  const uint64_t mantissa = bits & ((uint64_t{1} << f.mantissa_bits) - 1);
  const double sign = negative ? -1.0 : 1.0;
  if (f.specials == Specials::kFnuz && negative && exponent == 0 && mantissa == 0) return kNaN;
  if (f.specials == Specials::kFn && exponent == top && mantissa == (uint64_t{1} << f.mantissa_bits) - 1) return std::copysign(kNaN, sign);
  if (f.specials == Specials::kIeee && exponent == top) {
    if (mantissa == 0) return sign * kInf;
    uint64_t wide = uint64_t{0x7ff} << 52 | mantissa << (52 - f.mantissa_bits);
    if (f.mantissa_bits < 7) wide |= uint64_t{1} << 51;
    if (negative) wide |= uint64_t{1} << 63;
    return std::bit_cast<double>(wide);
  }
  if (exponent == 0) return sign * std::ldexp(static_cast<double>(mantissa), 1 - f.bias - f.mantissa_bits);
  return sign * std::ldexp(static_cast<double>(mantissa | uint64_t{1} << f.mantissa_bits), exponent - f.bias - f.mantissa_bits);
}

const double* DecodeTable(ElementType type) {
  static const auto* tables = [] {
    auto* result = new std::array<std::array<double, 256>, kElementTypeCount>();
    for (int t = 0; t < kElementTypeCount; ++t) {
      const auto type = static_cast<ElementType>(t);
      if (!IsFloat(type) || BitWidth(type) > 8) continue;
      const int mask = (1 << BitWidth(type)) - 1;
      for (int i = 0; i < 256; ++i) (*result)[t][i] = DecodeSlow(FormatOf(type), i & mask);
    }
    return result;
  }();
  return (*tables)[static_cast<int>(type)].data();
}

double DecodeF16(uint64_t bits) {
  const uint64_t exponent = (bits >> 10) & 31;
  if (exponent == 0 || exponent == 31) return DecodeSlow(FormatOf(ElementType::kF16), bits);
  return std::bit_cast<double>((bits & 0x8000) << 48 | (exponent + 1008) << 52 | (bits & 0x3ff) << 42);
}

std::string FloatText(ElementType type, double v) {
  if (std::isnan(v)) return "nan";
  if (std::isinf(v)) return v < 0 ? "-inf" : "inf";
  char buffer[64];
  // Narrower types as f32: the fewest digits that read back in a type of 8 bits (60000 for 57344) say little about the number.
  const auto r = type == ElementType::kF64 ? std::to_chars(buffer, buffer + sizeof(buffer), v)
                                           : std::to_chars(buffer, buffer + sizeof(buffer), static_cast<float>(v));
  return std::string(buffer, r.ptr);
}

}  // namespace

Scalar Scalar::Int(ElementType type, int64_t v) {
  Scalar s;
  s.type = type;
  const int bits = BitWidth(type);
  if (IsPred(type)) {
    s.i = v != 0;
  } else if (bits >= 64) {
    s.i = v;
  } else if (IsUnsigned(type)) {
    s.i = static_cast<int64_t>(static_cast<uint64_t>(v) & ((uint64_t{1} << bits) - 1));
  } else {
    s.i = static_cast<int64_t>(static_cast<uint64_t>(v) << (64 - bits)) >> (64 - bits);
  }
  return s;
}

Scalar Scalar::Float(ElementType type, double v) {
  Scalar s;
  s.type = type;
  s.re = RoundTo(type, v);
  return s;
}

Scalar Scalar::Complex(ElementType type, std::complex<double> v) {
  Scalar s;
  s.type = type;
  const ElementType real = RealTypeOf(type);
  s.re = RoundTo(real, v.real());
  s.im = RoundTo(real, v.imag());
  return s;
}

bool Scalar::IsNaN() const { return IsFloat(type) || IsComplex(type) ? std::isnan(re) || std::isnan(im) : false; }
bool Scalar::IsFinite() const { return IsFloat(type) || IsComplex(type) ? std::isfinite(re) && std::isfinite(im) : true; }

FloatFields FieldsOf(ElementType type) {
  const Format f = FormatOf(type);
  return {f.exponent_bits, f.mantissa_bits, f.bias};
}

double DecodeFloat(ElementType type, uint64_t bits) {
  switch (type) {
    case ElementType::kF64: return std::bit_cast<double>(bits);
    case ElementType::kF32: return Widen(std::bit_cast<float>(static_cast<uint32_t>(bits)));
    case ElementType::kBF16: return Widen(std::bit_cast<float>(static_cast<uint32_t>(bits) << 16));
    case ElementType::kF16: return DecodeF16(bits & 0xffff);
    default: return DecodeTable(type)[bits & 0xff];
  }
}

uint64_t EncodeFloat(ElementType type, double v) {
  if (type == ElementType::kF64) return std::bit_cast<uint64_t>(v);
  if (type == ElementType::kF32) return std::bit_cast<uint32_t>(Narrow(v));
  if (type == ElementType::kBF16) {
    return std::bit_cast<uint32_t>(Narrow(RoundTo(type, v))) >> 16;
  }
  const Format f = FormatOf(type);
  const double r = RoundTo(type, v);
  if (f.specials == Specials::kScale) return std::isnan(r) ? 0xff : static_cast<uint64_t>(std::ilogb(r) + 127);
  const int total = 1 + f.exponent_bits + f.mantissa_bits;
  const uint64_t wide = std::bit_cast<uint64_t>(r);
  const uint64_t sign = (wide >> 63) << (total - 1);
  const uint64_t top = (uint64_t{1} << f.exponent_bits) - 1;
  const uint64_t mantissa_mask = (uint64_t{1} << f.mantissa_bits) - 1;
  if (std::isnan(r)) {
    if (f.specials == Specials::kFnuz) return uint64_t{1} << (total - 1);
    if (f.specials == Specials::kFn) return sign | top << f.mantissa_bits | mantissa_mask;
    return sign | top << f.mantissa_bits | ((wide >> (52 - f.mantissa_bits)) & mantissa_mask);
  }
  if (std::isinf(r)) return sign | top << f.mantissa_bits;
  if (r == 0) return sign;
  const int exponent = std::ilogb(r);
  if (exponent < 1 - f.bias) return sign | static_cast<uint64_t>(std::ldexp(std::fabs(r), f.bias - 1 + f.mantissa_bits));
  return sign | static_cast<uint64_t>(exponent + f.bias) << f.mantissa_bits | ((wide >> (52 - f.mantissa_bits)) & mantissa_mask);
}

Scalar LoadScalar(ElementType type, const std::byte* storage) {
  Scalar s;
  s.type = type;
  switch (type) {
#define HLOSCOPE_CASE(enumerator, T)     \
  case ElementType::enumerator: {        \
    T x;                                 \
    std::memcpy(&x, storage, sizeof(x)); \
    s.i = static_cast<int64_t>(x);       \
    return s;                            \
  }
    HLOSCOPE_CASE(kS8, int8_t)
    HLOSCOPE_CASE(kS16, int16_t) HLOSCOPE_CASE(kS32, int32_t) HLOSCOPE_CASE(kS64, int64_t) HLOSCOPE_CASE(kU8, uint8_t)
        HLOSCOPE_CASE(kU16, uint16_t) HLOSCOPE_CASE(kU32, uint32_t) HLOSCOPE_CASE(kU64, uint64_t)
#undef HLOSCOPE_CASE
            case ElementType::kPred : s.i = *storage != std::byte{0};
    return s;
    case ElementType::kF64: std::memcpy(&s.re, storage, 8); return s;
    case ElementType::kF32: {
      float x;
      std::memcpy(&x, storage, 4);
      s.re = Widen(x);
      return s;
    }
    case ElementType::kC64: {
      float x[2];
      std::memcpy(x, storage, 8);
      s.re = Widen(x[0]);
      s.im = Widen(x[1]);
      return s;
    }
    case ElementType::kC128: {
      double x[2];
      std::memcpy(x, storage, 16);
      s.re = x[0];
      s.im = x[1];
      return s;
    }
    case ElementType::kBF16:
    case ElementType::kF16: {
      uint16_t x;
      std::memcpy(&x, storage, 2);
      s.re = DecodeFloat(type, x);
      return s;
    }
    default: break;
  }
  const auto byte = static_cast<uint8_t>(*storage);
  if (IsFloat(type)) {
    s.re = DecodeFloat(type, byte);
    return s;
  }
  return Scalar::Int(type, byte);  // sub-byte integers
}

void StoreScalar(const Scalar& s, std::byte* storage) {
  const ElementType type = s.type;
  if (IsFloat(type)) {
    const uint64_t bits = EncodeFloat(type, s.re);
    std::memcpy(storage, &bits, StorageBytes(type));
  } else if (type == ElementType::kC64) {
    const float x[2] = {Narrow(s.re), Narrow(s.im)};
    std::memcpy(storage, x, 8);
  } else if (type == ElementType::kC128) {
    const double x[2] = {s.re, s.im};
    std::memcpy(storage, x, 16);
  } else {
    // Little-endian storage; a sub-byte integer takes one byte, sign-extended when signed.
    std::memcpy(storage, &s.i, StorageBytes(type));
  }
}

Scalar ConvertScalar(const Scalar& s, ElementType to) {
  if (s.type == to) return s;
  const bool from_float = IsFloat(s.type) || IsComplex(s.type);
  if (IsPred(to)) return Scalar::Int(to, from_float ? s.re != 0 || s.im != 0 : s.i != 0);
  if (IsInteger(to)) return from_float ? Scalar::Int(to, FloatToInteger(s.re, to)) : Scalar::Int(to, s.i);
  Scalar r;
  r.type = to;
  const ElementType real = RealTypeOf(to);
  r.re = from_float ? Quiet(RoundTo(real, s.re)) : IntegerToFloat(s.i, IsUnsigned(s.type), real);
  if (IsComplex(to) && IsComplex(s.type)) r.im = Quiet(RoundTo(real, s.im));
  return r;
}

std::string ToText(const Scalar& s) {
  if (IsPred(s.type)) return s.i ? "true" : "false";
  if (IsUnsigned(s.type)) return absl::StrCat(s.u());
  if (IsSigned(s.type)) return absl::StrCat(s.i);
  if (IsComplex(s.type)) {
    const ElementType real = RealTypeOf(s.type);
    return absl::StrCat("(", FloatText(real, s.re), ", ", FloatText(real, s.im), ")");
  }
  return FloatText(s.type, s.re);
}

double UlpAt(ElementType type, double v) {
  const Format f = FormatOf(type);
  if (!std::isfinite(v)) return kNaN;
  int exponent = v == 0 ? MinExponent(f) : std::ilogb(v);
  if (exponent < MinExponent(f)) exponent = MinExponent(f);
  return std::ldexp(1.0, exponent - f.mantissa_bits);
}

double UnitRoundoff(ElementType type) { return std::ldexp(1.0, -FormatOf(type).mantissa_bits - 1); }

}  // namespace hloscope
