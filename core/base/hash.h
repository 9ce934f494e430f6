// Mixing of 64-bit hashes: well spread, the same on every machine and in every run. Not for containers (absl's own hashes).
#ifndef HLOSCOPE_CORE_BASE_HASH_H_
#define HLOSCOPE_CORE_BASE_HASH_H_

#include <cstddef>
#include <cstdint>
#include <cstring>

namespace hloscope {

// Every bit of x moves about half of the result's.
inline uint64_t MixHash(uint64_t x) {
  x ^= x >> 30;
  x *= 0xbf58476d1ce4e5b9ull;
  x ^= x >> 27;
  x *= 0x94d049bb133111ebull;
  return x ^ (x >> 31);
}

// Two into one; their order counts. Paths of frames are made with it, and so random streams: it cannot change.
inline uint64_t MixHash(uint64_t a, uint64_t b) { return MixHash(a ^ (b + 0x9e3779b97f4a7c15ull + (a << 6) + (a >> 2))); }

inline uint64_t HashBytes(const void* data, size_t size) {
  const unsigned char* bytes = static_cast<const unsigned char*>(data);
  uint64_t h = MixHash(0x51ed270b, size);
  for (size_t k = 0; k < size; k += 8) {
    uint64_t word = 0;
    std::memcpy(&word, bytes + k, size - k < 8 ? size - k : 8);
    h = MixHash(h, word);
  }
  return h;
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_HASH_H_
