// edit of a program that runs on several devices. Not for making the edited program (edit_text.cc), nor for one device (edit.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/begin.h"
#include "core/debug/devices.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/locations.h"
#include "core/debug/lockstep_reads.h"
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

// What main gives the device is not as it was.
bool GivenOtherwise(const SessionOptions& before, const SessionOptions& after, int device) {
  const auto given = [device](const SessionOptions& options) {
    for (const SessionDevices::Own& own : options.devices.own) {
      if (own.device == device) return own.arguments;
    }
    return std::vector<Value>();
  };
  const std::vector<Value> a = given(before), b = given(after);
  return !std::equal(a.begin(), a.end(), b.begin(), b.end(), SameBytes);
}

}  // namespace

absl::Status EditTogether(Session::State& s, std::shared_ptr<Module> next) {
  Devices& all = DevicesOf(s);
  SessionOptions options = s.options;
  if (absl::Status given = GiveParallelArguments(*next, *s.backend, options); !given.ok())
    return absl::Status(given.code(), absl::StrCat(given.message(), "; the program before the edit stays"));
  const std::vector<std::shared_ptr<Module>> modules = ModulesOfDevices(next, options.devices);
  std::vector<const Module*> runs;
  for (const auto& module : modules) runs.push_back(module.get());
  absl::StatusOr<std::unique_ptr<DeviceInputs>> inputs = DeviceInputs::Open(runs, options);
  if (!inputs.ok()) return inputs.status();
  const bool visible = s.visible();
  bool finished = visible;
  ForEachRun(s, [&](int) { finished = finished && s.Finished(); });
  const Module& next_module = *modules[all.selected];
  int first = FirstChange(*s.module, next_module);
  if (options.devices.of_main && GivenOtherwise(s.options, options, all.selected)) first = std::min(first, FirstStop(*next_module.entry));
  s.options = std::move(options);
  SpendCounts(s);
  s.interrupt.store(nullptr);
  std::vector<std::string> sets;  // of all devices
  ForEachRun(s, [&](int device) {
    for (const HandSet& set : AllSets(s)) sets.push_back(absl::StrCat(SetText(*s.module, set), " of ", s.options.devices.Name(device)));
    s.Clear();
    s.inputs.reset();
  });
  const Module& before = *s.module;
  std::vector<std::shared_ptr<Module>>& kept = s.Extension<Forks>().modules;  // much else points into them
  kept.insert(kept.end(), all.modules.begin(), all.modules.end());
  SetProgram(s, modules);
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
