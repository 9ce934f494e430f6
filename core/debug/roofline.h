// What this machine can do at best: arithmetic on each type and bytes moved, measured once in a process with the backend's own kernels.
// Not for what a program does (profile.h).
#ifndef HLOSCOPE_CORE_DEBUG_ROOFLINE_H_
#define HLOSCOPE_CORE_DEBUG_ROOFLINE_H_

#include "core/exec/backend.h"
#include "core/shape/element_type.h"

namespace hloscope {

struct MachinePeaks {
  double memory_bytes = 0;  // a second: a copy of large arrays on two threads, bytes read plus bytes written
  double cache_bytes = 0;   // a second: a copy that stays in the cache, on one thread
};
// About 50 ms the first time, then known.
const MachinePeaks& PeakBytes();
// Floating-point operations a second of the backend's matrix product in this type (others than f64, f32, bf16 and f16 count as f32).
// A few dozen milliseconds the first time for each backend and type, then known. 0 when the backend cannot say.
double PeakFlops(Backend& backend, ElementType type);

// Seconds that the machine needs at least for this much: the longer of arithmetic and bytes. Runs of up to this many bytes count as in cache.
constexpr int64_t kCacheBytes = int64_t{1} << 20;

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_ROOFLINE_H_
