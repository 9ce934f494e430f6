// Running error analysis: how far the result of one scalar operation may lie from the value computed, given how far its inputs may.
// Used by the interpreter only.
#ifndef HLOSCOPE_CORE_ELEMENT_BOUNDS_H_
#define HLOSCOPE_CORE_ELEMENT_BOUNDS_H_

#include "core/element/expr.h"
#include "core/element/interpret.h"

namespace hloscope {

// The bound of `result = op(a, b)` of result type `type` (for complex values: on each part). Unary: b is ignored.
double PropagateBound(ScalarOp op, ElementType type, int64_t aux, const BoundedScalar& a, const BoundedScalar& b, const Scalar& result);

// The bound of select: the taken arm's when the pred is certain, else the union of both.
double SelectBound(const BoundedScalar& pred, const BoundedScalar& taken, const BoundedScalar& other);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_ELEMENT_BOUNDS_H_
