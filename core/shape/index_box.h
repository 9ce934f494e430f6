// A box of multi-dimensional indices.
#ifndef HLOSCOPE_CORE_SHAPE_INDEX_BOX_H_
#define HLOSCOPE_CORE_SHAPE_INDEX_BOX_H_

#include <cstdint>
#include <optional>
#include <utility>
#include <vector>

namespace hloscope {

struct IndexBox {
  std::vector<int64_t> low, high;  // inclusive
};

// The two halves of a box along its longest dimension, of those in `dimensions` (bit d for dimension d) where one of them is longer than one
// element, else of all; the lower half first. None of a box of one element.
std::optional<std::pair<IndexBox, IndexBox>> Halves(const IndexBox& box, uint64_t dimensions);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_INDEX_BOX_H_
