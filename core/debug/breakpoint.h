// What the session keeps of a breakpoint, a logpoint, a watch or a catch: all are numbered together. When they stop is stops.cc's business.
// How often they were reached belongs to the moment, not to them: stop_counts.h.
#ifndef HLOSCOPE_CORE_DEBUG_BREAKPOINT_H_
#define HLOSCOPE_CORE_DEBUG_BREAKPOINT_H_

#include <string>
#include <vector>

#include "core/debug/locations.h"
#include "core/exec/machine.h"

namespace hloscope {

enum class CatchKind : uint8_t;  // core/debug/catch_find.h

struct Breakpoint {
  enum Kind : uint8_t {
    kBreak,
    kLog,    // writes `text` and goes on
    kWatch,  // stops where `expression` has another value than before, or `condition` has become true
    kCatch,  // stops after an instruction that introduces what `catches` names, wherever
  };
  Kind kind = kBreak;
  int number = 0;
  std::string spec;                 // the location as typed; of a watch or catch empty
  bool elsewhere = false;           // `spec` was typed for another text, and means other places in this one: it stands where it stood
  std::vector<Location> locations;  // of a watch: what its expression reads
  // By location: it stops after that instruction, because its condition or text reads the value. Empty: before, at all of them.
  std::vector<bool> after;
  std::string condition;            // empty: none
  bool enabled = true;
  std::vector<const Computation*> looked_into;  // whose values the condition, text or expression reads
  bool temporary = false;           // removed by its first stop
  bool unnamed = false;             // of `until`: it has no number (0), and its stop is shown as a step's end
  int device = -1;                  // the only one that it stops; -1: any
  bool from_program = false;        // the program's own text asks for it
  // A rule holds for what comes after `from` (an empty mark: from the beginning) until the next one's does. In order of time.
  struct Rule {
    Mark from;
    int64_t count = 0;
  };
  std::vector<Rule> ignores;  // so many hits are passed
  std::vector<Rule> limits;   // it sleeps after so many stops; -1: does not
  struct Command {
    std::string text;
    std::string script;  // the file of commands that it stands in; empty: none
    int line = 0;        // there
  };
  std::vector<Command> commands;  // executed at its stops

  std::string text, file;           // kLog; the file is empty, or gets the text too
  bool file_only = false;           // kLog
  std::string expression;           // kWatch
  bool becomes = false;             // kWatch: stops when `condition` becomes true; else it only allows stops at changes
  const Computation* home = nullptr;  // kWatch: names mean what they mean there
  CatchKind catches{};                // kCatch
  int bits = 0;                       // kCatch: of cancellation, 0: as usual

  std::string shown_spec() const { return elsewhere ? spec + " of the text before" : spec; }
  bool stops_after(size_t location) const { return !after.empty() && after[location]; }
  // Where the Machine is armed.
  int armed_position(size_t location) const { return locations[location].position + (stops_after(location) ? 1 : 0); }
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_BREAKPOINT_H_
