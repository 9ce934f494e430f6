// The k largest (or smallest) elements of each line, shared by the operation and the custom call of the same name.
#ifndef HLOSCOPE_CORE_OPS_TOPK_H_
#define HLOSCOPE_CORE_OPS_TOPK_H_

#include "core/ops/op.h"

namespace hloscope {

// Along the last dimension of operand 0: (values, s32 indices); the instruction's shape also says k. Ordered by the total order of floats
// (+NaN is largest); among equals the lower index first.
// Why the k first elements of lines of `operand` cannot be `result`, (values, s32 indices); "" where they can.
std::string TopKProblem(const Shape& operand, const Shape& result);
absl::StatusOr<Value> TopK(const EvalContext& context, bool largest);

// What its values and indices depend on.
std::vector<Reach> ReachOfTopK(const ReachQuestion& question);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_TOPK_H_
