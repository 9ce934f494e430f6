#include "core/debug/ahead_together.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/debug/devices.h"
#include "core/debug/stop_walk.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

// Where a device stood when something was exchanged for the first time.
struct Stood {
  Timeline::Branch branch;
  Mark mark;
  int selected = 0;
  bool unjudged = false;
  std::optional<Mark> waiting_at, stuck_before;
  absl::Status stuck;
};

// State::Extension<Ahead>().
struct Ahead {
  bool active = false;
  bool serving = false;  // others run
  int looks = 0;         // around, in each other
  absl::Status why;      // WhyNotTogether
  std::vector<std::optional<Stood>> stood;  // by device; empty: nothing was exchanged
  std::shared_ptr<const ExchangeState> room;
  std::vector<bool> waits;
};

bool MayGoOn(const Session::State& s) { return s.machine != nullptr && s.machine->running() && s.machine->status().ok(); }

absl::Status KeepAll(Session::State& s, Ahead& ahead) {
  Devices& all = DevicesOf(s);
  std::vector<std::optional<Stood>> stood(all.runs.size());
  absl::Status status;
  ForEachRun(s, [&](int d) {
    if (!status.ok() || !MayGoOn(s)) return;
    absl::StatusOr<Timeline::Branch> branch = s.Extension<Travel>().timeline->Save(/*everything=*/true);
    status = branch.status();
    if (branch.ok()) stood[d] = Stood{*std::move(branch), s.machine->Where(), s.selected, s.unjudged, s.waiting_at, s.Extension<StuckBefore>().mark, s.stuck};
  });
  if (!status.ok()) return status;
  ahead.room = all.room->Save();
  ahead.waits = all.waits;
  ahead.stood = std::move(stood);
  return absl::OkStatus();
}

// Of a seek of the selected device.
StopReason Exchange(Session::State& s, bool brought) {
  Ahead& ahead = s.Extension<Ahead>();
  if (ahead.stood.empty()) {
    if (ahead.why = KeepAll(s, ahead); !ahead.why.ok()) return StopReason::kWaiting;
  }
  if (!brought) return StopReason::kStep;
  if (ahead.serving) return StopReason::kWaiting;
  ahead.serving = true;
  s.waiting_at = s.machine->Where();
  const StopReason served = ServeUnseen(s, &ahead.why);
  if (served == StopReason::kStep) s.waiting_at.reset();
  ahead.serving = false;
  return served;
}

// The selected device stands as it stood, but for what it has exchanged.
void PutBack(Session::State& s, const Stood& stood) {
  s.selected = stood.selected;
  s.unjudged = stood.unjudged;
  s.waiting_at = stood.waiting_at;
  s.stuck = stood.stuck;
  s.Extension<StuckBefore>().mark = stood.stuck_before;
}

void TakeBack(Session::State& s, Ahead& ahead) {
  Devices& all = DevicesOf(s);
  const int selected = all.selected;
  all.room->Load(*ahead.room);
  ForEachRun(s, [&](int d) {
    s.machine->interrupt().store(false);
    if (!ahead.stood[d].has_value()) return;
    Stood& stood = *ahead.stood[d];
    // It may have been kept in the middle of a look, and is back from that.
    if (d == selected) {
      stood.branch.present = s.machine->TakeSnapshot(/*everything=*/true);
      stood.selected = s.selected;
    }
    s.Extension<Travel>().timeline->Load(stood.branch, /*recall=*/false);
    PutBack(s, stood);
  });
  all.waits = ahead.waits;
}

void HookAll(Session::State& s, const std::function<StopReason(bool brought)>& hook) {
  ForEachRun(s, [&](int) {
    if (Timeline* timeline = s.Extension<Travel>().timeline.get(); timeline != nullptr) timeline->set_on_exchange(hook);
  });
}

}  // namespace

AheadTogether::AheadTogether(Session::State& s) : s_(s) {
  if (!Several(s) || DevicesOf(s).runs.empty() || !s.visible() || s.Extension<Ahead>().active) return;
  active_ = s.Extension<Ahead>().active = true;
  s.interrupted.store(false);
  ForEachRun(s, [&s](int) { s.machine->interrupt().store(false); });
  HookAll(s, [&s](bool brought) { return Exchange(s, brought); });
}

AheadTogether::~AheadTogether() {
  if (!active_) return;
  HookAll(s_, nullptr);
  Ahead& ahead = s_.Extension<Ahead>();
  if (!ahead.stood.empty()) TakeBack(s_, ahead);
  ahead = Ahead();
}

absl::Status AheadTogether::Stay() {
  if (!active_) return absl::OkStatus();
  const std::vector<std::optional<Stood>> stood = std::exchange(s_.Extension<Ahead>().stood, {});
  if (stood.empty()) return absl::OkStatus();
  HookAll(s_, nullptr);
  const int selected = DevicesOf(s_).selected;
  absl::Status status;
  ForEachRun(s_, [&](int d) {
    if (d == selected || !status.ok() || !stood[d].has_value() || s_.machine->Where() == stood[d]->mark) return;
    const Mark now = s_.machine->Where();
    const absl::Status failed = s_.machine->status();
    s_.selected = static_cast<int>(s_.machine->frames().size()) - 1;
    if (failed.ok() && LogsMissing(s_, stood[d]->mark, now)) status = WriteLogsOnTheWay(s_, stood[d]->mark, now);
    if (failed.ok()) Arrived(s_);
    else s_.error_stop = true;
  });
  return status;
}

void BeginLookTogether(Session::State& s) { ++s.Extension<Ahead>().looks; }

void EndLookTogether(Session::State& s) {
  Ahead& ahead = s.Extension<Ahead>();
  if (--ahead.looks > 0 || ahead.stood.empty()) return;
  const int selected = DevicesOf(s).selected;
  ForEachRun(s, [&](int d) {
    if (!ahead.stood[d].has_value()) return;
    Stood& stood = *ahead.stood[d];
    if (d == selected) {
      stood.branch.present = s.machine->TakeSnapshot(/*everything=*/true);
      stood.selected = s.selected;
    } else if (stood.branch.present != nullptr) {
      s.machine->Restore(*stood.branch.present);
      PutBack(s, stood);
    }
  });
}

absl::Status WhyNotTogether(const Session::State& s) {
  return const_cast<Session::State&>(s).Extension<Ahead>().why;
}

absl::Status ExchangeBefore(Session::State& s, int depth, int position) {
  if (!s.Extension<Ahead>().active) return absl::FailedPreconditionError("no exchange is made for a look");
  Mark there = s.machine->Where();
  there.levels.resize(static_cast<size_t>(depth) + 1);
  there.levels.back().position = position;
  Timeline& timeline = *s.Extension<Travel>().timeline;
  return timeline.Around([&] { return SeekStatus(s, timeline.Seek(there)); });
}

}  // namespace hloscope
