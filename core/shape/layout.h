// How the elements of an array lie in memory (spec/shapes_and_layout.md, "Layout").
// A Layout is part of an array's type; values in buffers lie in it (layout_map.h says where each element is).
#ifndef HLOSCOPE_CORE_SHAPE_LAYOUT_H_
#define HLOSCOPE_CORE_SHAPE_LAYOUT_H_

#include <cstdint>
#include <string>
#include <vector>

namespace hloscope {

// One tile of a tiled layout, `T(8,128)`; kCombine is the `*` of the text.
struct Tile {
  static constexpr int64_t kCombine = INT64_MIN;
  std::vector<int64_t> dimensions;
  bool operator==(const Tile&) const = default;
};

enum class PaddingValue : uint8_t { kUnknown, kZero, kOne, kLowest, kHighest };

struct Layout {
  std::vector<int64_t> minor_to_major;     // an ordering of the dimension numbers, the most minor first
  std::vector<Tile> tiles;                 // T(..)(..)
  int64_t element_size_in_bits = 0;        // E(n); 0: the type's own
  int64_t memory_space = 0;                // S(n)
  std::vector<int64_t> padded_dimensions;  // PAD(..); empty or one a dimension
  PaddingValue padding_value = PaddingValue::kUnknown;
  std::string other;  // parts that are kept and printed back but not modelled: D(..), L(..), M(..), #(..), *(..), P(..), SC(..)

  bool operator==(const Layout&) const = default;
  // {rank-1, ..., 0}, nothing else.
  static Layout RowMajor(int rank);
  bool IsPlainRowMajor() const;
  // The text with its braces: "{1,0:T(8,128)S(1)}".
  std::string ToString() const;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_LAYOUT_H_
