// Which moments of a run a logpoint has written its line for. A line is written once: the first time that the program, going forward by any
// command, comes by its moment. Part of the run, not of the present: going back does not change it.
#ifndef HLOSCOPE_CORE_DEBUG_LOG_MOMENTS_H_
#define HLOSCOPE_CORE_DEBUG_LOG_MOMENTS_H_

#include <vector>

#include "core/debug/stop_counts.h"

namespace hloscope {

class LoggedMoments {
 public:
  using Key = StopLedger::Key;  // `after`: behind what is written at the mark

  bool Contains(const Mark& mark) const { return Covers({mark, false}, {mark, true}); }
  // All moments from `from` to `to`.
  bool Covers(const Key& from, const Key& to) const;
  void Add(const Key& from, const Key& to);
  // Something was set there: what comes after is not so any more, and is written anew.
  void DropAfter(const Mark& mark);

 private:
  struct Stretch {
    Key from, to;
  };
  std::vector<Stretch> stretches_;  // in order of time; they do not touch
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_LOG_MOMENTS_H_
