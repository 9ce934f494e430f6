#include "core/debug/set_devices.h"

#include <algorithm>
#include <functional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/devices.h"
#include "core/debug/hand_sets.h"
#include "core/debug/known_values.h"
#include "core/debug/stop_walk.h"
#include "core/debug/travel.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

// With the selected device's program at that moment, before what it executes there.
absl::Status LookExactlyAt(Session::State& s, const Mark& mark, const std::function<absl::Status()>& look) {
  return LookAround(s, [&] {
    const absl::Status there = GoTo(s, mark);
    return there.ok() ? look() : there;
  });
}

// What the device brought to that exchange, from its past.
absl::StatusOr<std::vector<Value>> BroughtAgain(Session::State& s, const ExchangesAnew::Brought& brought) {
  std::vector<Value> operands;
  const absl::Status looked = LookExactlyAt(s, brought.mark, [&]() -> absl::Status {
    const int depth = static_cast<int>(s.machine->frames().size()) - 1;
    for (const Instruction* operand : brought.instruction->operands) {
      const absl::StatusOr<Value> value = s.machine->ValueOf(depth, operand->index);
      if (!value.ok()) return value.status();
      operands.push_back(ToDense(*value));
    }
    return absl::OkStatus();
  });
  if (!looked.ok()) return looked;
  return operands;
}

// The selected device's run is at `to`, or where it stands if that is before; what was from there on is gone. What was set there is set again,
// and `later` what was set later, when it comes there.
void GoBackAnew(Session::State& s, const GoingAnew& going, int device, bool later) {
  const ExchangesAnew::Back& back = going.plan.devices[device];
  const int64_t executed = going.there[device].executed;
  // Snapshots from where something forgotten was begun may have what it gave: a device that comes there again is given it at once.
  Mark from = *back.to;
  for (const ExchangesAnew::Brought& brought : going.plan.brought) {
    const bool forgotten = std::find(back.forgotten.begin(), back.forgotten.end(), brought.key) != back.forgotten.end();
    if (brought.device == device && forgotten && brought.mark < from) from = brought.mark;
  }
  Timeline& timeline = *s.Extension<Travel>().timeline;
  const Mark present = s.machine->Where();
  s.machine->ForgetLogged(executed, back.forgotten, back.last);
  std::vector<HandSet> sets = timeline.DropFrom(from);
  if (!later) std::erase_if(sets, [&](const HandSet& set) { return *back.to < set.mark; });
  AwaitSets(s, std::move(sets));
  ForgetKnownValues(s);
  timeline.SeekAnew(present < *back.to ? present : *back.to);
  Ledger(s).DropAfter(*back.to);
  for (auto& [number, logged] : StopsOfRun(s).logged) logged.DropAfter(*back.to);
  s.error_stop = s.unjudged = false;
  s.stuck = absl::OkStatus();
  s.waiting_at.reset();
  s.Extension<StuckBefore>().mark.reset();
  s.selected = std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  if (!(present == s.machine->Where())) StopsMoved(s);
  s.ArmThis();
}

}  // namespace

absl::StatusOr<GoingAnew> PlanGoingAnew(Session::State& s) {
  GoingAnew going;
  if (!Several(s)) return going;
  Devices& all = DevicesOf(s);
  ForgetInterrupt(s);
  going.plan = all.room->PlanAnew(all.selected, s.machine->Where());
  going.there.resize(all.runs.size());
  absl::Status status;
  ForEachRun(s, [&](int d) {
    if (!status.ok() || !going.plan.devices[d].to.has_value()) return;
    GoingAnew::There& there = going.there[d];
    status = LookExactlyAt(s, *going.plan.devices[d].to, [&] {
      there.executed = s.machine->executed();
      there.place = s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1);
      return absl::OkStatus();
    });
  });
  const int selected = all.selected;
  for (const ExchangesAnew::Brought& brought : going.plan.brought) {
    if (!status.ok()) break;
    SwapTo(s, brought.device);
    absl::StatusOr<std::vector<Value>> operands = BroughtAgain(s, brought);
    status = operands.status();
    if (operands.ok()) going.operands.push_back(*std::move(operands));
  }
  SwapTo(s, selected);
  if (!status.ok()) return status;
  return going;
}

void GoAnew(Session::State& s, const GoingAnew& going) {
  if (going.plan.devices.empty()) return;
  Devices& all = DevicesOf(s);
  all.room->GoAnew(going.plan, going.operands);
  if (!going.plan.undoes) return;
  const int frame = s.selected;
  GoBackAnew(s, going, all.selected, false);
  s.selected = frame;
}

void SendBack(Session::State& s, const GoingAnew& going) {
  if (!going.plan.undoes) return;
  const SessionDevices& devices = s.options.devices;
  const int selected = DevicesOf(s).selected;
  std::vector<std::string> lines;
  ForEachRun(s, [&](int d) {
    const ExchangesAnew::Back& back = going.plan.devices[d];
    if (d == selected || !back.to.has_value()) return;
    const bool goes_back = *back.to < s.machine->Where() || !s.machine->status().ok();
    const std::string place = going.there[d].place, from = devices.Name(back.because);
    GoBackAnew(s, going, d, true);
    if (goes_back) {
      s.Say("  ", devices.Name(d), " goes back to ", place, ": that is exchanged anew, as ", from, " may bring something else\n");
    } else {
      s.Say("  ", devices.Name(d), " stands before ", place, ", and goes on anew from there: that is exchanged anew, as ", from, " may bring something else\n");
    }
  });
  ForEachRun(s, [&](int d) {
    if (d == selected || s.Extension<Travel>().timeline == nullptr) return;
    std::vector<std::string> sets;
    for (const HandSet& set : s.Extension<Travel>().timeline->awaited()) sets.push_back(SetText(*s.module, set));
    if (!sets.empty()) s.Say("  Set again where ", devices.Name(d), " comes there: ", absl::StrJoin(sets, "; "), "\n");
  });
}

void AwaitSets(Session::State& s, std::vector<HandSet> sets) {
  if (sets.empty()) return;
  s.Extension<Travel>().timeline->Await(std::move(sets), [&s](const HandSet& set) {
    // That the device is to leave off for another one must not end this.
    const bool leave_off = s.machine->interrupt().exchange(false);
    const bool set_again = SetAgain(s, set).ok();
    if (leave_off) s.machine->interrupt().store(true);
    return set_again;
  });
  s.ArmThis();
}

void SayMissedSets(Session::State& s) {
  ForEachRun(s, [&](int) {
    Timeline* timeline = s.Extension<Travel>().timeline.get();
    if (timeline == nullptr || !s.visible()) return;
    std::vector<std::string> texts;
    for (const HandSet& set : timeline->TakeMissed()) texts.push_back(SetText(*s.module, set));
    if (!texts.empty()) s.Say("What was set by hand is gone, ", SelectedName(s), " does not come there any more: ", absl::StrJoin(texts, "; "), "\n");
  });
}

}  // namespace hloscope
