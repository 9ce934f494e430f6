// Functions that kernels call for what has no inline code: one scalar operation on an array of lanes. Not for speed.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_LANE_FUNCTIONS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_LANE_FUNCTIONS_H_

#include <cstdint>
#include <utility>
#include <vector>

#include "core/element/expr.h"

namespace hloscope {

// out[i] = op(a[i], b[i]) for i < n, elements in storage form. `what` packs operation and types; b may be null. `round`: f32 elements hold
// values of this narrower type, to which the result is rounded from f64 at once (kPred: no such type).
extern "C" void hloscope_lanes(int64_t what, int64_t aux, int64_t n, void* out, const void* a, const void* b);

constexpr int64_t PackLaneFunction(ScalarOp op, ElementType type, ElementType input_type, ElementType round = ElementType::kPred) {
  return static_cast<int64_t>(op) | static_cast<int64_t>(type) << 8 | static_cast<int64_t>(input_type) << 16 | static_cast<int64_t>(round) << 24;
}

// Names and addresses of the functions that object code may refer to.
std::vector<std::pair<const char*, void*>> LaneFunctionSymbols();

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_LANE_FUNCTIONS_H_
