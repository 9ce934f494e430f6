// A whole run beside the session's own, for commands: on the session's inputs and backend, with a machine of its own, so that where the
// session stands does not change.
#ifndef HLOSCOPE_CORE_DEBUG_WATCHED_RUN_H_
#define HLOSCOPE_CORE_DEBUG_WATCHED_RUN_H_

#include "absl/status/statusor.h"
#include "core/debug/record.h"
#include "core/debug/session_state.h"

namespace hloscope {

absl::StatusOr<WatchedRun> WholeRun(Session::State& s);

// Ctrl-C is the session's machine's again when this goes.
class InterruptKeeper {
 public:
  explicit InterruptKeeper(Session::State& s);
  ~InterruptKeeper();

 private:
  Session::State& s_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_WATCHED_RUN_H_
