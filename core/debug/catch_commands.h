// Catches in a session: what other files of commands ask for. The engine is catches.h.
#ifndef HLOSCOPE_CORE_DEBUG_CATCH_COMMANDS_H_
#define HLOSCOPE_CORE_DEBUG_CATCH_COMMANDS_H_

#include <string>
#include <vector>

#include "core/debug/session_state.h"

namespace hloscope {

// The machine was made anew: observe it, if there is anything to catch.
void AttachCatches(Session::State& s);
// The session has another program now: the same catches for that one.
void CatchesOfNewProgram(Session::State& s);
// The session's machine is put away, alive: it is not observed any more.
void DetachCatches(Session::State& s);
// What a StopReason::kCaught is about.
void ShowCaught(Session::State& s);
// The same on a walk through the past: nothing is shown or counted.
struct CaughtThere {
  std::string name, text;
};
void BeginCatchWalk(Session::State& s);
CaughtThere CaughtOnWalk(Session::State& s);
// Lines for info break; false: there are none.
bool ListCatches(Session::State& s);
absl::Status InfoCatch(Session::State& s, absl::string_view args);
// The catches, for whoever lists them beside breakpoints.
struct CatchInfo {
  int number = 0;
  std::string kind;
  bool enabled = true;
  int64_t hits = 0;
};
std::vector<CatchInfo> ListedCatches(const Session::State& s);

enum class CatchChange : uint8_t { kDelete, kDisable, kEnable };
// Takes the numbers of catches out of `args` (none at all means all) and changes those. True: nothing is left for breakpoints.
bool ChangeCatches(Session::State& s, absl::string_view* args, CatchChange change);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_CATCH_COMMANDS_H_
