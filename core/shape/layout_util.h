// Makes and changes shapes together with their layouts, and takes positions apart by shape: the small utilities of XLA's shape_util,
// layout_util and index_util under one roof. Dimension numbers may be negative: -1 is the last one.
// Not for where elements lie (layout_map.h).
#ifndef HLOSCOPE_CORE_SHAPE_LAYOUT_UTIL_H_
#define HLOSCOPE_CORE_SHAPE_LAYOUT_UTIL_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/types/span.h"
#include "core/shape/shape.h"

namespace hloscope {

// -1 becomes rank - 1, and so on; nothing when there is no such dimension.
std::optional<int> CanonicalDimension(int64_t dimension, int rank);
// Size of dimension `dimension`, negative numbers from the end; nothing when there is none.
std::optional<int64_t> DimensionSize(const Shape& shape, int64_t dimension);

// How many dimensions are larger than 1.
int TrueRank(const Shape& shape);

// Shapes with a layout. `minor_to_major` must order the dimensions; entries may be negative.
Shape MakeShape(ElementType type, absl::Span<const int64_t> dimensions);                // no layout written
Shape MakeShapeWithLayout(ElementType type, absl::Span<const int64_t> dimensions, absl::Span<const int64_t> minor_to_major,
                          std::vector<Tile> tiles = {}, int64_t element_size_in_bits = 0);
Shape MakeShapeWithRowMajorLayout(ElementType type, absl::Span<const int64_t> dimensions);
Shape MakePaddedShape(const Shape& shape, absl::Span<const int64_t> padded_dimensions, PaddingValue value);
// The layout of a shape; row-major where none is written. Arrays only.
Layout LayoutOf(const Shape& shape);
// Row-major layouts written everywhere, also inside tuples.
Shape WithRowMajorLayouts(const Shape& shape);
// Layouts whose values are not dense are taken away, also inside tuples; memory spaces and the like stay.
Shape DenseShape(const Shape& shape);
// Dimension d of the result is dimension permutation[d] of the shape, and the elements stay where they are in memory.
Shape PermuteDimensions(const Shape& shape, absl::Span<const int64_t> permutation);
// Without dimensions of size 1 (that are not padded); the others keep their order in memory.
Shape DropDegenerateDimensions(const Shape& shape);
// One more dimension behind the last, the most minor in memory too.
Shape AppendMinorDimension(const Shape& shape, int64_t size);
// The n-th most minor dimension (0: the most minor), and the most major.
int MinorDimension(const Shape& shape, int n = 0);
int MajorDimension(const Shape& shape, int n = 0);
// All dimension numbers in that order; of a layout that does not order them: 0, 1, 2 ...
std::vector<int64_t> MajorToMinor(const Shape& shape);
// Whether one lies like the other in memory: equal order, padding, tiles and element sizes. Memory spaces do not count; type and
// dimensions do. Tuples element by element.
bool SameStorage(const Shape& a, const Shape& b);
// By dimension, how many elements apart neighbours lie in memory; nothing where tiles or packed elements make that no single number.
std::optional<std::vector<int64_t>> MemoryStrides(const Shape& shape);
// The shape that has `b`'s layout and everything else of `a` (tuples element by element; where they differ in structure: `a`).
Shape WithLayoutOf(const Shape& a, const Shape& b);

// The array that `written` is with the sizes of one run, all static: in its layout, or without one where that does not fit them.
Shape WithSizes(const Shape& written, absl::Span<const int64_t> dimensions);

// Steps `index` to the next one in row-major order; false (and all zeros) after the last.
bool NextIndex(absl::Span<const int64_t> dimensions, absl::Span<int64_t> index);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_SHAPE_LAYOUT_UTIL_H_
