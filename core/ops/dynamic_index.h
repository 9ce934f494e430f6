// What dynamic-slice and dynamic-update-slice share: start indices as operands, clamped so that the window fits.
#ifndef HLOSCOPE_CORE_OPS_DYNAMIC_INDEX_H_
#define HLOSCOPE_CORE_OPS_DYNAMIC_INDEX_H_

#include <vector>

#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {

// The starts are the operands from `first` on: one integer scalar a dimension, or (older text) one vector of them.
bool CheckStartIndices(ShapeContext& c, int first, int rank, absl::string_view count_label, absl::string_view type_label);
// One s64 node a dimension: the start, clamped into [0, operand size - window size].
std::vector<NodeId> ClampedStarts(Program& program, int first, const Shape& operand, absl::Span<const int64_t> window);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_DYNAMIC_INDEX_H_
