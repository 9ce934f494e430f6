// Makes the part of a snapshot that comes from the session. On the engine's thread.
#ifndef HLOSCOPE_VISUALIZER_MODEL_OBSERVE_H_
#define HLOSCOPE_VISUALIZER_MODEL_OBSERVE_H_

#include "core/debug/session.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

// Fills phase, module, frames, stops, displays, moments, events, trips, mark, executed, error, memory_bytes, slice.
void Observe(const Session::State& state, Snapshot& snapshot);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_OBSERVE_H_
