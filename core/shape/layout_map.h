// Where the elements of an array lie: between a logical index (one number a dimension), a linear position (in the padded array, its
// dimensions in minor_to_major order) and a physical position (after tiling, in elements or bits), each way.
// Not for values (literal/relayout.h) and not for index expressions (element/layout_index.h), which are built from the same stages.
//
// The order of the stages (spec/shapes_and_layout.md; tiles as XLA's page on tiled layouts describes them):
//   1. the dimensions, padded to padded_dimensions, from the most major to the most minor;
//   2. each tile in turn splits the most minor dimensions, as many as it has entries (ones are put in front where there are fewer),
//      into a number of tiles, rounded up, and a place in the tile; a `*` joins its dimension to the next minor one first;
//   3. elements of element_size_in_bits each follow one another, the first in the lowest bits of a byte.
#ifndef HLOSCOPE_CORE_SHAPE_LAYOUT_MAP_H_
#define HLOSCOPE_CORE_SHAPE_LAYOUT_MAP_H_

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/types/span.h"
#include "core/base/message.h"
#include "core/shape/shape.h"

namespace hloscope {

// What keeps a layout from describing the array it is written for.
struct LayoutProblem {
  enum class Part : uint8_t { kOrder, kPadding, kTile, kElementSize };
  Part part = Part::kOrder;
  Message message;
};
// Nothing for a shape without a layout and for shapes that are no arrays.
std::optional<LayoutProblem> FindLayoutProblem(ElementType type, absl::Span<const int64_t> dimensions, const Layout& layout);
std::optional<LayoutProblem> FindLayoutProblem(const Shape& shape);  // of an array; for tuples of their first faulty element

class LayoutMap {
 public:
  using Index = std::vector<int64_t>;

  // An array without layout problems and without unbounded dimensions. No layout: row-major.
  explicit LayoutMap(const Shape& shape);
  LayoutMap(ElementType type, absl::Span<const int64_t> dimensions, const Layout& layout);

  // One tile: the last `taken.size()` dimensions before it are joined in groups, and each group is split in two.
  struct Stage {
    struct Group {
      int first = 0;           // of the dimensions before the stage, counted with the ones put in front
      int count = 1;           // how many are joined
      int64_t size = 1;        // product of the joined ones
      int64_t tile = 1;
      int64_t tiles = 1;       // ceil(size / tile)
    };
    std::vector<int64_t> before;  // dimensions, with the ones put in front
    int added = 0;                // how many ones
    int kept = 0;                 // of `before`: those that the tile does not reach
    std::vector<Group> groups;    // after the stage: before[0..kept), the groups' tiles, the groups' tile
  };

  int rank() const { return static_cast<int>(dimensions_.size()); }
  // From the most major to the most minor: dimension numbers, padded sizes; and the sizes after all tiles.
  const std::vector<int64_t>& major_to_minor() const { return major_to_minor_; }
  const std::vector<int64_t>& linear_dimensions() const { return linear_dimensions_; }
  const std::vector<int64_t>& physical_dimensions() const { return physical_dimensions_; }
  const std::vector<Stage>& stages() const { return stages_; }
  const std::vector<int64_t>& dimensions() const { return dimensions_; }

  // Sizes saturate at INT64_MAX.
  int64_t LinearSize() const { return linear_size_; }      // elements, padding counted, tiles not
  int64_t PhysicalSize() const { return physical_size_; }  // elements, all padding counted
  int64_t ElementBits() const { return element_bits_; }
  int64_t ByteSize() const;
  // No position is padding, in the linear and in the physical order.
  bool HasPadding() const;
  // The elements lie as in a row-major array without padding, each in the bytes that a Value gives it.
  bool IsDense() const;
  // The same but for the bits of an element.
  bool IsDenseInElements() const;

  // `index` within the dimensions.
  int64_t LinearOf(absl::Span<const int64_t> index) const;
  int64_t PhysicalOf(absl::Span<const int64_t> index) const;
  int64_t BitOf(absl::Span<const int64_t> index) const { return PhysicalOf(index) * element_bits_; }
  // Nothing for positions that hold padding or lie outside.
  std::optional<Index> LogicalOfLinear(int64_t linear) const;
  std::optional<Index> LogicalOfPhysical(int64_t physical) const;
  std::optional<Index> LogicalOfBit(int64_t bit) const;
  std::optional<int64_t> PhysicalOfLinear(int64_t linear) const;  // nothing outside; PAD's padding has a physical position
  std::optional<int64_t> LinearOfPhysical(int64_t physical) const;  // nothing for what tiles pad

 private:
  void AddTile(const Tile& tile);
  int64_t Tiled(std::vector<int64_t>& position) const;
  std::vector<int64_t> dimensions_, major_to_minor_, linear_dimensions_, physical_dimensions_;
  std::vector<Stage> stages_;
  int64_t linear_size_ = 1, physical_size_ = 1, element_bits_ = 8, storage_bits_ = 8;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_LAYOUT_MAP_H_
