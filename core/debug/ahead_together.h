// Ways and looks of one device that lead over exchanges with others which have not been made: the others run on for it as far as it waits for
// them, and nothing stops anybody on the way. Not for running on as a person does (GoTogether of devices.h), nor to the end of all
// (devices_at_end.h).
#ifndef HLOSCOPE_CORE_DEBUG_AHEAD_TOGETHER_H_
#define HLOSCOPE_CORE_DEBUG_AHEAD_TOGETHER_H_

#include <functional>

#include "absl/status/status.h"
#include "core/debug/session_state.h"

namespace hloscope {

// While it lives, seeks make exchanges, of whichever device is selected. Then all devices stand where they stood, and what was exchanged has
// not been, unless they are to stay. Within another one it does nothing, and where the program runs on one device.
class AheadTogether {
 public:
  explicit AheadTogether(Session::State& s);
  ~AheadTogether();
  AheadTogether(const AheadTogether&) = delete;
  AheadTogether& operator=(const AheadTogether&) = delete;

  // The others stay where they have come to, as the selected one does; what logpoints write on their ways is written.
  absl::Status Stay();

 private:
  Session::State& s_;
  bool active_ = false;
};

// Before and after a look around on the selected device (LookAround): behind it, the others stand where they stood, for the next one.
void BeginLookTogether(Session::State& s);
void EndLookTogether(Session::State& s);

// Why a seek had to wait that was to make exchanges: the wait has no end, or nobody may go on from where a device stands. Ok: nothing is known.
absl::Status WhyNotTogether(const Session::State& s);
// Within AheadTogether: what the frame at `depth` exchanges before `position` is exchanged, and the program stands where it stood.
// FailedPrecondition: not within it.
absl::Status ExchangeBefore(Session::State& s, int depth, int position);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_AHEAD_TOGETHER_H_
