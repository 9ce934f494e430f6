// Small helpers of the definitions of structural operations: those that hand values on without touching an element.
#ifndef HLOSCOPE_CORE_OPS_STRUCTURAL_H_
#define HLOSCOPE_CORE_OPS_STRUCTURAL_H_

#include "core/ops/op.h"

namespace hloscope {

inline std::optional<Shape> InferSameAsOperand(ShapeContext& c) { return c.operand(0); }
inline absl::StatusOr<Value> EvaluateFirstOperand(const EvalContext& c) { return c.operands[0]; }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_STRUCTURAL_H_
