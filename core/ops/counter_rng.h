// Counter-based random bits: Philox4x32-10 and Threefry2x32-20 (Salmon, Moraes, Dror, Shaw 2011: "Parallel random numbers: as easy as
// 1, 2, 3"). Pure functions of counter and key, so any element can be made alone and a replay is exact.
#ifndef HLOSCOPE_CORE_OPS_COUNTER_RNG_H_
#define HLOSCOPE_CORE_OPS_COUNTER_RNG_H_

#include <array>
#include <cstdint>

namespace hloscope {

inline std::array<uint32_t, 4> Philox4x32(std::array<uint32_t, 4> c, std::array<uint32_t, 2> k) {
  for (int round = 0; round < 10; ++round) {
    const uint64_t p0 = uint64_t{0xD2511F53u} * c[0], p1 = uint64_t{0xCD9E8D57u} * c[2];
    c = {static_cast<uint32_t>(p1 >> 32) ^ c[1] ^ k[0], static_cast<uint32_t>(p1), static_cast<uint32_t>(p0 >> 32) ^ c[3] ^ k[1],
         static_cast<uint32_t>(p0)};
    k[0] += 0x9E3779B9u;
    k[1] += 0xBB67AE85u;
  }
  return c;
}

inline std::array<uint32_t, 2> Threefry2x32(std::array<uint32_t, 2> x, std::array<uint32_t, 2> k) {
  constexpr int kRotations[8] = {13, 15, 26, 6, 17, 29, 16, 24};
  const uint32_t keys[3] = {k[0], k[1], 0x1BD11BDAu ^ k[0] ^ k[1]};
  x[0] += keys[0];
  x[1] += keys[1];
  for (int round = 0; round < 20; ++round) {
    const int r = kRotations[round % 8];
    x[0] += x[1];
    x[1] = (x[1] << r | x[1] >> (32 - r)) ^ x[0];
    if (round % 4 == 3) {
      const uint32_t injection = round / 4 + 1;
      x[0] += keys[injection % 3];
      x[1] += keys[(injection + 1) % 3] + injection;
    }
  }
  return x;
}

inline std::array<uint32_t, 2> Halves(uint64_t v) { return {static_cast<uint32_t>(v), static_cast<uint32_t>(v >> 32)}; }
inline uint64_t Joined(uint32_t low, uint32_t high) { return uint64_t{high} << 32 | low; }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COUNTER_RNG_H_
