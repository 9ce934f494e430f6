// Where breakpoints, watches and catches have stopped the program in this session, as data: State::Extension<StopLog>(). Each place once.
// Written where stops are announced (stops.cc).
#ifndef HLOSCOPE_CORE_DEBUG_STOP_LOG_H_
#define HLOSCOPE_CORE_DEBUG_STOP_LOG_H_

#include <string>
#include <vector>

#include "core/debug/breakpoint.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"

namespace hloscope {

struct StopLog {
  struct Entry {
    Breakpoint::Kind kind = Breakpoint::kBreak;
    int number = 0;
    const Module* module = nullptr;  // what ran: the mark is of that
    int device = 0;                  // on which
    Mark mark;
    std::string text;  // "Breakpoint 3, at %div.7 in main"; of a watch or a catch the first line of what it says
  };
  static constexpr size_t kMost = 2000;
  const Module* program = nullptr;
  std::vector<Entry> entries;  // in the order in which they happened
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_STOP_LOG_H_
