// A cheap structural key of a region: equal keys compute the same function. Saves making element programs for the thousands of regions
// of a large module that differ in names only. Not a hash: the key holds everything, so unequal regions never meet.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_REGION_KEY_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_REGION_KEY_H_

#include <string>

#include "core/exec/backend.h"

namespace hloscope {

std::string RegionKey(const Computation& computation, const Region& region);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_REGION_KEY_H_
