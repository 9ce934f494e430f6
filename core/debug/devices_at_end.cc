#include "core/debug/devices_at_end.h"

#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/devices.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

// Where a device stood that is taken on.
struct Stood {
  Timeline::Branch branch;
  int selected = 0;
};

bool MayGoOn(const Session::State& s) { return s.machine != nullptr && s.machine->running() && s.machine->status().ok(); }

// To the last moment of its history that is known, over what was set on the way.
absl::Status ToEndOfKnown(Session::State& s) {
  Timeline& timeline = *s.Extension<Travel>().timeline;
  const Mark last = timeline.moments().back().mark;
  if (!(s.machine->Where() < last)) return absl::OkStatus();
  const StopReason reason = timeline.Seek(last);
  return reason == StopReason::kInterrupted ? absl::CancelledError("interrupted") : absl::OkStatus();
}

// In turns, each until it waits; none is told to stop.
absl::Status RunAllUnseen(Session::State& s, const std::vector<std::optional<Stood>>& stood) {
  Devices& all = DevicesOf(s);
  std::vector<bool> over(stood.size());
  for (size_t d = 0; d < stood.size(); ++d) over[d] = !stood[d].has_value();
  all.waits.assign(stood.size(), false);
  while (true) {
    const int next = NextNeeded(*all.room, -1, all.waits, [&](int d) { return !over[d] && !all.waits[d]; });
    if (next < 0) return absl::OkStatus();
    SwapTo(s, next);
    all.waits[next] = true;  // taken back where something comes for it meanwhile
    const StopReason reason = s.machine->RunUnseen();
    if (reason == StopReason::kInterrupted) return absl::CancelledError("interrupted");
    over[next] = reason != StopReason::kWaiting;
  }
}

void SayWhoDoesNot(Session::State& s) {
  const int selected = DevicesOf(s).selected;
  ForEachRun(s, [&s](int d) {
    if (s.machine->finished()) return;
    const std::string waits = DevicesOf(s).room->WaitText(d);
    s.Say("note: ", s.options.devices.Name(d), " does not come to its end, it ",
          !s.machine->status().ok() ? absl::StrCat("stops at ", s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1), ": ", s.machine->status().message())
          : waits.empty()           ? "has not been run on"
                                    : absl::StrCat("waits for ever ", waits),
          "\n");
  });
  SwapTo(s, selected);
}

}  // namespace

absl::Status LookAtEndOfAll(Session::State& s, const std::function<absl::Status()>& look) {
  Devices& all = DevicesOf(s);
  const int device = all.selected;
  std::vector<std::optional<Stood>> stood(all.runs.size());
  absl::Status status;
  ForEachRun(s, [&](int d) {
    if (!status.ok() || !MayGoOn(s)) return;
    absl::StatusOr<Timeline::Branch> branch = s.Extension<Travel>().timeline->Save(/*everything=*/true);
    status = branch.status();
    if (branch.ok()) stood[d] = Stood{*std::move(branch), s.selected};
  });
  if (!status.ok()) return status;
  const std::shared_ptr<const ExchangeState> room = all.room->Save();
  const std::vector<bool> waits = all.waits;
  s.interrupted.store(false);
  ForEachRun(s, [&](int d) {
    s.machine->interrupt().store(false);
    if (status.ok() && stood[d].has_value()) status = ToEndOfKnown(s);
  });
  if (status.ok()) status = RunAllUnseen(s, stood);
  SwapTo(s, device);
  if (status.ok()) {
    SayWhoDoesNot(s);
    status = look();
  }
  all.room->Load(*room);
  ForEachRun(s, [&](int d) {
    s.machine->interrupt().store(false);
    if (!stood[d].has_value()) return;
    s.Extension<Travel>().timeline->Load(stood[d]->branch, /*recall=*/false);
    s.selected = stood[d]->selected;
  });
  SwapTo(s, device);
  all.waits = waits;
  return status;
}

}  // namespace hloscope
