// Cuts a computation into regions: chains of pointwise operations and index maps fused into their consumers, one kernel a region.
// Not for how regions are compiled (compile.h) nor for what an operation is (core/ops, kernels/traits.h).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_PLAN_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_PLAN_H_

#include <memory>
#include <string>

#include "core/exec/backend.h"

namespace hloscope {

// Linear in instructions and operands; makes no element programs.
std::unique_ptr<Plan> MakeFusedPlan(const Computation& computation);

// One region for people: "%root = f32[8] reduce: fuses a, b; reads x, y".
std::string DescribeRegion(const Computation& computation, const Region& region);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_PLAN_H_
