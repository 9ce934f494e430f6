// Maps by names, for readers: a name is hashed in a few instructions where it stands, which for the short names of programs takes a third of
// what the general hash of containers takes. The names are not copied: their text must outlive the map.
#ifndef HLOSCOPE_CORE_BASE_NAME_MAP_H_
#define HLOSCOPE_CORE_BASE_NAME_MAP_H_

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <functional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"

namespace hloscope {

struct NameHash {
  size_t operator()(absl::string_view name) const {
    const char* p = name.data();
    size_t left = name.size();
    uint64_t h = 0x9e3779b97f4a7c15ull + left;
    for (; left > 16; p += 16, left -= 16) h = Fold(h ^ Word<uint64_t>(p), kOdd ^ Word<uint64_t>(p + 8));
    // The last bytes as two words that may overlap.
    uint64_t a = 0, b = 0;
    if (left >= 8) {
      a = Word<uint64_t>(p);
      b = Word<uint64_t>(p + left - 8);
    } else if (left >= 4) {
      a = Word<uint32_t>(p);
      b = Word<uint32_t>(p + left - 4);
    } else if (left > 0) {
      a = static_cast<unsigned char>(p[0]);
      b = static_cast<uint64_t>(static_cast<unsigned char>(p[left / 2])) << 8 | static_cast<unsigned char>(p[left - 1]);
    }
    return Fold(h ^ a, kOdd ^ b);
  }

 private:
  static constexpr uint64_t kOdd = 0xbf58476d1ce4e5b9ull;
  template <class T>
  static T Word(const char* p) {
    T word;
    std::memcpy(&word, p, sizeof word);
    return word;
  }
  // Both halves of the product: every bit of a and b reaches every bit of the result.
  static uint64_t Fold(uint64_t a, uint64_t b) {
    const unsigned __int128 product = static_cast<unsigned __int128>(a) * b;
    return static_cast<uint64_t>(product) ^ static_cast<uint64_t>(product >> 64);
  }
};

template <class T>
using NameMap = absl::flat_hash_map<absl::string_view, T, NameHash, std::equal_to<absl::string_view>>;

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_NAME_MAP_H_
