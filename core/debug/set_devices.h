// Setting a value on one of several devices: what it has exchanged since is not so any more, nor what followed from that on others. Those go
// back to before the first of it, and all go on anew. Not for setting the value (values.cc), nor for the exchanges themselves
// (ExchangeRoom::PlanAnew).
#ifndef HLOSCOPE_CORE_DEBUG_SET_DEVICES_H_
#define HLOSCOPE_CORE_DEBUG_SET_DEVICES_H_

#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/session_state.h"
#include "core/debug/timeline.h"
#include "core/exec/exchange.h"

namespace hloscope {

// What is to be done where something is set at the selected device's present.
struct GoingAnew {
  ExchangesAnew plan;                        // no devices: there is one
  std::vector<std::vector<Value>> operands;  // of plan.brought
  struct There {
    int64_t executed = 0;                    // where plan.devices[k].to is
    std::string place;
  };
  std::vector<There> there;                  // by device
};
// Before it is set. Nothing has changed when this returns; Cancelled: it was interrupted.
absl::StatusOr<GoingAnew> PlanGoingAnew(Session::State& s);
// At once before it is set: the room is as if what is made anew had not been exchanged, and the selected device is ready. What was set
// on other devices later is set again where they come there.
void GoAnew(Session::State& s, const GoingAnew& going);
// When it is set: the other devices go back, which is said.
void SendBack(Session::State& s, const GoingAnew& going);

// These are set again where the selected device comes to their moments.
void AwaitSets(Session::State& s, std::vector<HandSet> sets);
// What was to be set again, and cannot be as devices went another way, is said.
void SayMissedSets(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SET_DEVICES_H_
