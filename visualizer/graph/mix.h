// Hashes of small things, put together.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_MIX_H_
#define HLOSCOPE_VISUALIZER_GRAPH_MIX_H_

#include <cstdint>
#include <cstring>

namespace hloscope {

inline uint64_t MixBits(uint64_t a, uint64_t b) {
  uint64_t x = a * 0x9e3779b97f4a7c15ull + b + 0x632be59bd9b4e019ull;
  x ^= x >> 29;
  x *= 0xbf58476d1ce4e5b9ull;
  return x ^ (x >> 32);
}

inline uint64_t BitsOf(float x) {
  uint32_t u = 0;
  std::memcpy(&u, &x, sizeof u);
  return u;
}

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_MIX_H_
