// What the session keeps of a breakpoint, a logpoint or a watch: all are numbered together. When they stop is stops.cc's business.
#ifndef HLOSCOPE_CORE_DEBUG_BREAKPOINT_H_
#define HLOSCOPE_CORE_DEBUG_BREAKPOINT_H_

#include <string>
#include <vector>

#include "core/debug/locations.h"

namespace hloscope {

struct Breakpoint {
  enum Kind : uint8_t {
    kBreak,
    kLog,    // writes `text` and goes on
    kWatch,  // stops where `expression` has another value than before, or `condition` has become true
  };
  Kind kind = kBreak;
  int number = 0;
  std::string spec;                 // the location as typed; of a watch empty
  std::vector<Location> locations;  // of a watch: what its expression reads
  // By location: it stops after that instruction, because its condition or text reads the value. Empty: before, at all of them.
  std::vector<bool> after;
  std::string condition;            // empty: none
  bool enabled = true;
  std::vector<const Computation*> looked_into;  // whose values the condition, text or expression reads
  bool temporary = false;           // removed by its first stop
  bool from_program = false;        // the program's own text asks for it
  int64_t reached = 0;              // how often the program has come there since it began (a watch: how often it was evaluated)
  int64_t hits = 0;                 // of these, with a condition that was true (a watch: with a change)
  int64_t ignore = 0;               // this many more times it does not stop
  int64_t stops_left = -1;          // sleeps after this many more stops; -1: does not
  std::vector<std::string> commands;  // executed at its stops

  std::string text, file;           // kLog; the file is empty, or gets the text too
  bool file_only = false;           // kLog
  std::string expression;           // kWatch
  bool becomes = false;             // kWatch: stops when `condition` becomes true; else it only allows stops at changes
  const Computation* home = nullptr;  // kWatch: names mean what they mean there

  bool stops_after(size_t location) const { return !after.empty() && after[location]; }
  // Where the Machine is armed.
  int armed_position(size_t location) const { return locations[location].position + (stops_after(location) ? 1 : 0); }
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_BREAKPOINT_H_
