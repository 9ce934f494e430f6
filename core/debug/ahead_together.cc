#include "core/debug/ahead_together.h"

#include <optional>
#include <utility>

#include "core/debug/devices.h"
#include "core/debug/devices_kept.h"
#include "core/debug/stop_walk.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

// State::Extension<Ahead>().
struct Ahead {
  bool active = false;
  bool serving = false;  // others run
  int looks = 0;         // around, in each other
  absl::Status why;      // WhyNotTogether
  std::optional<DevicesKept> kept;  // from before the first exchange; none: nothing was exchanged
};

// Of a seek of the selected device.
StopReason Exchange(Session::State& s, bool brought) {
  Ahead& ahead = s.Extension<Ahead>();
  if (!ahead.kept.has_value()) {
    absl::StatusOr<DevicesKept> kept = DevicesKept::Keep(s);
    if (ahead.why = kept.status(); !kept.ok()) return StopReason::kWaiting;
    ahead.kept = *std::move(kept);
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

void HookAll(Session::State& s, const std::function<StopReason(bool brought)>& hook) {
  ForEachRun(s, [&](int) {
    if (Timeline* timeline = s.Extension<Travel>().timeline.get(); timeline != nullptr) timeline->set_on_exchange(hook);
  });
}

}  // namespace

AheadTogether::AheadTogether(Session::State& s) : s_(s) {
  if (!Several(s) || DevicesOf(s).runs.empty() || !s.visible() || s.Extension<Ahead>().active) return;
  active_ = s.Extension<Ahead>().active = true;
  ForgetInterrupt(s);
  HookAll(s, [&s](bool brought) { return Exchange(s, brought); });
}

AheadTogether::~AheadTogether() {
  if (!active_) return;
  HookAll(s_, nullptr);
  Ahead& ahead = s_.Extension<Ahead>();
  if (ahead.kept.has_value()) {
    ahead.kept->KeepSelectedHere(s_);  // it may have been kept in the middle of a look, and is back from that
    ahead.kept->PutBack(s_);
  }
  ahead = Ahead();
}

absl::Status AheadTogether::Stay() {
  if (!active_) return absl::OkStatus();
  const std::optional<DevicesKept> kept = std::exchange(s_.Extension<Ahead>().kept, std::nullopt);
  if (!kept.has_value()) return absl::OkStatus();
  HookAll(s_, nullptr);
  const int selected = DevicesOf(s_).selected;
  absl::Status status;
  ForEachRun(s_, [&](int d) {
    if (d == selected || !status.ok() || !kept->has(d) || s_.machine->Where() == kept->mark(d)) return;
    const Mark now = s_.machine->Where();
    const absl::Status failed = s_.machine->status();
    s_.selected = static_cast<int>(s_.machine->frames().size()) - 1;
    if (failed.ok() && LogsMissing(s_, kept->mark(d), now)) status = WriteLogsOnTheWay(s_, kept->mark(d), now);
    if (failed.ok()) Arrived(s_);
    else s_.error_stop = true;
  });
  return status;
}

void BeginLookTogether(Session::State& s) { ++s.Extension<Ahead>().looks; }

void EndLookTogether(Session::State& s) {
  Ahead& ahead = s.Extension<Ahead>();
  if (--ahead.looks > 0 || !ahead.kept.has_value()) return;
  ahead.kept->KeepSelectedHere(s);
  ahead.kept->PutOthersBack(s);
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
