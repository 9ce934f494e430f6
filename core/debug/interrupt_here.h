// Who interrupts a session interrupts what a command runs beside the session's own run. Not for when a time has passed (time_limit.h).
#ifndef HLOSCOPE_CORE_DEBUG_INTERRUPT_HERE_H_
#define HLOSCOPE_CORE_DEBUG_INTERRUPT_HERE_H_

#include <atomic>

#include "core/debug/session_state.h"

namespace hloscope {

// While it lives. `around` null: nobody does. Where it has been interrupted already, so is what begins here.
class InterruptHere {
 public:
  // `flag`: Machine::interrupt().
  InterruptHere(Session::State* around, std::atomic<bool>& flag);
  // The runs of another session.
  InterruptHere(Session::State* around, Session& inner);
  ~InterruptHere();
  InterruptHere(const InterruptHere&) = delete;
  InterruptHere& operator=(const InterruptHere&) = delete;

 private:
  Session::State* const around_;
  std::atomic<bool>* flag_before_ = nullptr;
  Session* inner_before_ = nullptr;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INTERRUPT_HERE_H_
