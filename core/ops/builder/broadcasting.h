// Implicit broadcasting of two operands (spec/broadcasting.md), made explicit as broadcast and reshape instructions: first a scalar or the
// operand of lower rank through broadcast_dimensions, then dimensions of size 1. Not the operation `broadcast` itself.
#ifndef HLOSCOPE_CORE_OPS_BUILDER_BROADCASTING_H_
#define HLOSCOPE_CORE_OPS_BUILDER_BROADCASTING_H_

#include <utility>

#include "core/ops/builder/operations.h"

namespace hloscope::hlo {

// Both operands with equal dimensions; invalid Ops, and the builder's error, where they cannot be.
std::pair<Op, Op> BroadcastTogether(Op lhs, Op rhs, Dims broadcast_dimensions, Place place);

}  // namespace hloscope::hlo

#endif  // HLOSCOPE_CORE_OPS_BUILDER_BROADCASTING_H_
