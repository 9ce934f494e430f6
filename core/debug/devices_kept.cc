#include "core/debug/devices_kept.h"

#include <utility>

#include "core/debug/devices.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

bool MayGoOn(const Session::State& s) { return s.machine != nullptr && s.machine->running() && s.machine->status().ok(); }

}  // namespace

absl::StatusOr<DevicesKept> DevicesKept::Keep(Session::State& s) {
  Devices& all = DevicesOf(s);
  DevicesKept kept;
  kept.stood_.resize(all.runs.size());
  absl::Status status;
  ForEachRun(s, [&](int d) {
    if (!status.ok() || !MayGoOn(s)) return;
    absl::StatusOr<Timeline::Branch> branch = s.Extension<Travel>().timeline->Save(/*everything=*/true);
    status = branch.status();
    if (branch.ok()) kept.stood_[d] = Stood{*std::move(branch), s.machine->Where(), s.selected, s.unjudged, s.waiting_at, s.Extension<StuckBefore>().mark, s.stuck};
  });
  if (!status.ok()) return status;
  kept.room_ = all.room->Save();
  kept.waits_ = all.waits;
  return kept;
}

void DevicesKept::PutBackRun(Session::State& s, const Stood& stood) {
  s.selected = stood.selected;
  s.unjudged = stood.unjudged;
  s.waiting_at = stood.waiting_at;
  s.stuck = stood.stuck;
  s.Extension<StuckBefore>().mark = stood.stuck_before;
}

void DevicesKept::KeepSelectedHere(Session::State& s) {
  std::optional<Stood>& stood = stood_[DevicesOf(s).selected];
  if (!stood.has_value()) return;
  stood->branch.present = s.machine->TakeSnapshot(/*everything=*/true);
  stood->selected = s.selected;
}

void DevicesKept::PutOthersBack(Session::State& s) const {
  const int selected = DevicesOf(s).selected;
  ForEachRun(s, [&](int d) {
    if (d == selected || !has(d) || stood_[d]->branch.present == nullptr) return;
    s.machine->Restore(*stood_[d]->branch.present);
    PutBackRun(s, *stood_[d]);
  });
}

void DevicesKept::PutBack(Session::State& s) const {
  Devices& all = DevicesOf(s);
  all.room->Load(*room_);
  ForEachRun(s, [&](int d) {
    s.machine->interrupt().store(false);
    if (!has(d)) return;
    s.Extension<Travel>().timeline->Load(stood_[d]->branch, /*recall=*/false);
    PutBackRun(s, *stood_[d]);
  });
  all.waits = waits_;
}

}  // namespace hloscope
