// How the last run of the program ended, for who interrupted it. State::Extension<LastStop>(); written where stops are shown (execution.cc).
#ifndef HLOSCOPE_CORE_DEBUG_LAST_STOP_H_
#define HLOSCOPE_CORE_DEBUG_LAST_STOP_H_

namespace hloscope {

struct LastStop {
  bool interrupted = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LAST_STOP_H_
