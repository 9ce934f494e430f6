// Where a run stands, as far as the values of one of its frames depend on it: what was made of them is still right while this is the same.
#ifndef HLOSCOPE_VISUALIZER_MODEL_FRAME_MOMENT_H_
#define HLOSCOPE_VISUALIZER_MODEL_FRAME_MOMENT_H_

#include <cstddef>
#include <cstdint>

#include "core/debug/session_state.h"

namespace hloscope {

struct FrameMoment {
  const Machine* machine = nullptr;  // of a fork, or a device
  uint64_t runs = 0;                 // begun so far
  int device = 0;                    // that is selected
  uint64_t frame = 0;
  int position = -1;
  int64_t executed = -1;
  size_t sets = 0;

  friend bool operator==(const FrameMoment& a, const FrameMoment& b) = default;
};
// Of the selected run's frame at that depth; below 0: there is none.
FrameMoment FrameMomentOf(Session::State& s, int depth);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_FRAME_MOMENT_H_
