// A bitcast-convert between elements of different width: the wide element's bits, and which of them each narrow one is. Not for the bits of one
// number (numbers.cc).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_BIT_LANES_H_
#define HLOSCOPE_VISUALIZER_PICTURES_BIT_LANES_H_

#include <cstdint>

#include "absl/types/span.h"
#include "core/literal/scalar.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

// The stored bits of a number of up to 64.
uint64_t BitsOfScalar(const Scalar& s);

// Of the element at `index` of the array (an operand's or result's id). Nothing is drawn where widths are the same or values are missing.
void DrawBitLanes(Board& board, int array, absl::Span<const int64_t> index);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_BIT_LANES_H_
