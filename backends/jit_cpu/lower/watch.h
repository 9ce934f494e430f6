// Which nodes of a program must be looked at so that no NaN (or infinity) inside it goes unseen. Not for the code that looks
// (kernel_emitter.cc).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_WATCH_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_WATCH_H_

#include <vector>

#include "backends/jit_cpu/lower/prepare.h"
#include "core/exec/watch.h"

namespace hloscope {

// By node. A NaN that goes into an addition comes out of it, so only values that are stored, or read by something that may lose it (a
// comparison, a select, a conversion to an integer), need a look. `roots`: what is stored.
std::vector<bool> WatchedNodes(const ExprGraph& graph, const std::vector<bool>& reachable, absl::Span<const NodeId> roots, Watch watch);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_WATCH_H_
