#include "visualizer/model/frame_moment.h"

#include "core/debug/begin.h"
#include "core/debug/devices.h"

namespace hloscope {

FrameMoment FrameMomentOf(Session::State& s, int depth) {
  FrameMoment moment{s.machine.get(), s.Extension<RunsBegun>().count, DevicesOf(s).selected};
  if (depth < 0) return moment;
  const Frame& frame = s.machine->frames()[depth];
  moment.frame = frame.serial;
  moment.position = frame.position;
  moment.executed = s.machine->executed();
  moment.sets = frame.set_by_hand.size();
  return moment;
}

}  // namespace hloscope
