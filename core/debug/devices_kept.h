// All devices of a session as they stood at one moment, with what they had exchanged, for ways and looks after which everything is as before. Not
// for one device, which goes through its own history (LookAround of travel.h).
#ifndef HLOSCOPE_CORE_DEBUG_DEVICES_KEPT_H_
#define HLOSCOPE_CORE_DEBUG_DEVICES_KEPT_H_

#include <memory>
#include <optional>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session_state.h"
#include "core/debug/timeline.h"
#include "core/exec/exchange.h"

namespace hloscope {

class DevicesKept {
 public:
  // Of every device that can go on. FailedPrecondition where one stands inside an element computation.
  static absl::StatusOr<DevicesKept> Keep(Session::State& s);

  // By device: it was kept, as it could go on.
  bool has(int device) const { return stood_[device].has_value(); }
  const Mark& mark(int device) const { return stood_[device]->mark; }

  // The selected device is kept where it stands now, with the history that it had.
  void KeepSelectedHere(Session::State& s);
  // The others stand where they stood; what was exchanged since stays so.
  void PutOthersBack(Session::State& s) const;
  // All stand where they stood, nothing of what was exchanged since has been, and none is told to stop.
  void PutBack(Session::State& s) const;

 private:
  struct Stood {
    Timeline::Branch branch;
    Mark mark;
    int selected = 0;
    bool unjudged = false;
    std::optional<Mark> waiting_at, stuck_before;
    absl::Status stuck;
  };
  static void PutBackRun(Session::State& s, const Stood& stood);

  std::vector<std::optional<Stood>> stood_;  // by device
  std::shared_ptr<const ExchangeState> room_;
  std::vector<bool> waits_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DEVICES_KEPT_H_
