// Catches in a session: what other files of commands ask for. The engine is catches.h.
#ifndef HLOSCOPE_CORE_DEBUG_CATCH_COMMANDS_H_
#define HLOSCOPE_CORE_DEBUG_CATCH_COMMANDS_H_

#include <string>
#include <vector>

#include "core/debug/session_state.h"

namespace hloscope {

struct Caught;  // core/debug/catches.h

// The machine was made anew: observe it, if there is anything to catch.
void AttachCatches(Session::State& s);
// The session has another program now: the same catches for that one.
void CatchesOfNewProgram(Session::State& s);
// The session's machine is put away, alive: it is not observed any more.
void DetachCatches(Session::State& s);
// These are looked for from now on; for ArmAll.
void SetCatches(Session::State& s, const std::vector<const Breakpoint*>& catches);
// What the machine has just been stopped for; nothing: no catch of the session's stopped it.
struct CaughtThere {
  int number = 0;
  std::string text;
};
std::vector<CaughtThere> TakeCaught(Session::State& s);
// What a catch stopped the program for where it stands now; null where none did.
const Caught* CaughtHere(Session::State& s);
// Before a walk through the past: what was caught there is caught again.
void BeginCatchWalk(Session::State& s);
// Things that catches have to say once.
void ShowCatchNotices(Session::State& s);
// "nan", "cancellation 20": as catch takes it.
std::string CatchText(const Breakpoint& b);
// "cancellation of 20 bits or more".
std::string CatchDescription(const Breakpoint& b);
absl::Status InfoCatch(Session::State& s, absl::string_view args);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCH_COMMANDS_H_
