// edit of a program that runs on several devices. Not for making the edited program (edit_text.cc), nor for one device (edit.cc).
#include "absl/strings/str_join.h"
#include "core/debug/begin.h"
#include "core/debug/devices.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/parallel_main.h"
#include "core/debug/unchanged.h"

namespace hloscope {
namespace {

// The first instruction of the entry that is not as it was; the entry's size: none.
int FirstChange(const Module& before, const Module& after) {
  const std::vector<int> old = UnchangedInstructions(before, after, std::vector<bool>(before.entry->schedule.size(), true));
  int first = 0;
  while (first < static_cast<int>(old.size()) && old[first] >= 0) ++first;
  return first;
}

}  // namespace

absl::Status EditTogether(Session::State& s, std::unique_ptr<Module> next) {
  Devices& all = DevicesOf(s);
  if (absl::Status given = GiveParallelArguments(*next, *s.backend, s.options.devices); !given.ok()) return given;
  absl::StatusOr<std::unique_ptr<DeviceInputs>> inputs = DeviceInputs::Open(*next, s.options);
  if (!inputs.ok()) return inputs.status();
  const bool visible = s.visible();
  bool finished = visible;
  ForEachRun(s, [&](int) { finished = finished && s.Finished(); });
  const int first = FirstChange(*s.module, *next);
  SpendCounts(s);
  s.interrupt.store(nullptr);
  std::vector<std::string> sets;  // of all devices
  ForEachRun(s, [&](int device) {
    for (const HandSet& set : AllSets(s)) sets.push_back(absl::StrCat(SetText(*s.module, set), " of ", s.options.devices.Name(device)));
    s.Clear();
    s.inputs.reset();
  });
  const Module& before = *s.module;
  s.Extension<Forks>().modules.push_back(std::move(s.module));  // much else points into it
  s.module = std::move(next);
  all.room.reset();
  all.inputs = *std::move(inputs);
  s.elided_said = true;
  s.selected = 0;
  FindAgain(s, before);
  s.Say("The program is edited on all ", s.options.devices.count(), " devices; ", visible ? "as they may exchange other values now, each begins anew.\n" : "run begins it.\n");
  if (!sets.empty()) s.Say("What was set by hand is gone: ", absl::StrJoin(sets, "; "), "\n");
  if (!visible) return absl::OkStatus();
  if (absl::Status begun = BeginDevices(s); !begun.ok()) return begun;
  const int size = static_cast<int>(s.module->entry->schedule.size());
  ForEachRun(s, [&](int) { s.machine->DisarmAll(); });
  const auto run = [&s] { return s.machine->Run(); };
  const auto to = [&s, first] { return s.machine->RunTo(0, first); };
  if (first >= size && finished) {
    RunOn(s, run, run);
  } else {
    s.ShowStop(GoTogether(s, to, to, true));
  }
  ForEachRun(s, [&](int) { s.ArmThis(); });
  return absl::OkStatus();
}

}  // namespace hloscope
