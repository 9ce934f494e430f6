#include "core/debug/devices_at_end.h"

#include <vector>

#include "absl/strings/str_cat.h"
#include "core/debug/devices.h"
#include "core/debug/devices_kept.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

// To the last moment of its history that is known, over what was set on the way.
absl::Status ToEndOfKnown(Session::State& s) {
  Timeline& timeline = *s.Extension<Travel>().timeline;
  const Mark last = timeline.moments().back().mark;
  if (!(s.machine->Where() < last)) return absl::OkStatus();
  const StopReason reason = timeline.Seek(last);
  return reason == StopReason::kInterrupted ? absl::CancelledError("interrupted") : absl::OkStatus();
}

// In turns, each until it waits; none is told to stop.
absl::Status RunAllUnseen(Session::State& s, const DevicesKept& kept) {
  Devices& all = DevicesOf(s);
  std::vector<bool> over(all.runs.size());
  for (size_t d = 0; d < over.size(); ++d) over[d] = !kept.has(static_cast<int>(d));
  all.waits.assign(over.size(), false);
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
  const int device = DevicesOf(s).selected;
  const absl::StatusOr<DevicesKept> kept = DevicesKept::Keep(s);
  if (!kept.ok()) return kept.status();
  ForgetInterrupt(s);
  absl::Status status;
  ForEachRun(s, [&](int d) {
    if (status.ok() && kept->has(d)) status = ToEndOfKnown(s);
  });
  if (status.ok()) status = RunAllUnseen(s, *kept);
  SwapTo(s, device);
  if (status.ok()) {
    SayWhoDoesNot(s);
    status = look();
  }
  kept->PutBack(s);
  SwapTo(s, device);
  return status;
}

}  // namespace hloscope
