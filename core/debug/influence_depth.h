// The beginning of a forward slice: what lies so many hops from the element that was asked of. Not for how it is found (influence.h).
#ifndef HLOSCOPE_CORE_DEBUG_INFLUENCE_DEPTH_H_
#define HLOSCOPE_CORE_DEBUG_INFLUENCE_DEPTH_H_

#include "absl/types/span.h"
#include "core/debug/influence.h"

namespace hloscope {

// Leaves of each device's influence only what is at most `hops` computations away from the first node of device `from`; what only hands values
// on, and an exchange, is none. Says in the notes of that device how much is left out.
void KeepHops(absl::Span<Influence> devices, int from, int hops);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INFLUENCE_DEPTH_H_
