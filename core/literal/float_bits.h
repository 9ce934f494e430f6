// f32 held as a double and back, with the bits of a NaN: a cast makes a signalling one quiet, and what only moves must not change.
#ifndef HLOSCOPE_CORE_LITERAL_FLOAT_BITS_H_
#define HLOSCOPE_CORE_LITERAL_FLOAT_BITS_H_

#include <bit>
#include <cstdint>

namespace hloscope {

inline double Widen(float x) {
  if (x == x) return x;
  const uint64_t bits = std::bit_cast<uint32_t>(x);
  return std::bit_cast<double>((bits >> 31) << 63 | uint64_t{0x7ff} << 52 | (bits & 0x7fffff) << 29);
}

// Rounds to nearest even; of a NaN's payload the upper bits, quiet where they are all zero.
inline float Narrow(double x) {
  if (x == x) return static_cast<float>(x);
  const uint64_t bits = std::bit_cast<uint64_t>(x);
  const uint32_t payload = static_cast<uint32_t>(bits >> 29) & 0x7fffff;
  return std::bit_cast<float>(static_cast<uint32_t>(bits >> 63) << 31 | uint32_t{0x7f800000} | (payload != 0 ? payload : 0x400000));
}

// As arithmetic and conversions leave a NaN.
inline double Quiet(double x) { return x == x ? x : std::bit_cast<double>(std::bit_cast<uint64_t>(x) | uint64_t{1} << 51); }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_FLOAT_BITS_H_
