// How often a loop goes round, where that can be read off the program: a counter with a constant beginning, step and end. Not for loops whose
// end depends on what they compute.
#ifndef HLOSCOPE_CORE_OPS_TRIP_COUNT_H_
#define HLOSCOPE_CORE_OPS_TRIP_COUNT_H_

#include <cstdint>
#include <optional>

#include "core/ir/module.h"

namespace hloscope {

std::optional<int64_t> StaticTripCount(const Instruction& loop);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_TRIP_COUNT_H_
