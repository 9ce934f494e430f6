// edit of a program that runs on several devices. Not for making the edited program (edit_text.cc), nor for one device (edit.cc).
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/begin.h"
#include "core/debug/devices.h"
#include "core/debug/edit_sets.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/locations.h"
#include "core/debug/lockstep_reads.h"
#include "core/debug/parallel_main.h"
#include "core/debug/renames.h"
#include "core/debug/set_devices.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"
#include "core/debug/unchanged.h"
#include "core/ir/written_names.h"

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

// What was set by hand on the devices, where each comes to the same moments of the edited program; and says so.
void AwaitAllSets(Session::State& s, const Module& before, const std::vector<std::vector<PlacedSet>>& placed) {
  std::vector<std::string> again, redefined, gone;
  ForEachRun(s, [&](int d) {
    std::vector<HandSet> sets;
    for (const PlacedSet& set : placed[d]) {
      const Computation* there = set.now.has_value() ? ComputationAt(*s.module, set.now->mark) : nullptr;
      std::string text = absl::StrCat(there != nullptr ? SetText(*s.module, *set.now) : SetText(before, set.was), " of ", s.options.devices.Name(d));
      const int position = there != nullptr ? set.now->mark.levels.back().position : 0;
      if (there != nullptr && position < static_cast<int>(there->schedule.size())) absl::StrAppend(&text, " (before ", ShownName(*there->schedule[position]), ")");
      if (there != nullptr) sets.push_back(*set.now);
      (there != nullptr ? again : set.redefined ? redefined : gone).push_back(std::move(text));
    }
    AwaitSets(s, std::move(sets));
  });
  if (!again.empty()) s.Say("Set by hand again, where each comes there: ", absl::StrJoin(again, "; "), "\n");
  if (!redefined.empty()) s.Say("No longer set by hand, as the edit changes what makes it: ", absl::StrJoin(redefined, "; "), "\n");
  if (!gone.empty()) s.Say("What was set by hand is gone, the edited program has no such value or moment: ", absl::StrJoin(gone, "; "), "\n");
}

// The moment of the edited program at which the selected device stands, not in element computations; none: it has no such moment.
std::optional<Mark> WhereItStood(Session::State& s, const Module& next, const Renames& renames) {
  Mark mark = s.machine->Where();
  const auto element = std::find_if(mark.levels.begin(), mark.levels.end(), [](const Mark::Level& level) { return level.kind == FrameKind::kElement; });
  mark.levels.erase(element, mark.levels.end());
  return MomentIn(*s.module, next, renames, std::move(mark));
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
  const Renames renames(*s.module, *next);
  const std::optional<Mark> stood = visible && !s.Finished() ? WhereItStood(s, next_module, renames) : std::nullopt;
  std::vector<std::vector<PlacedSet>> sets(s.options.devices.count());  // by device
  std::vector<std::map<std::string, Mark>> bookmarks(s.options.devices.count());
  ForEachRun(s, [&](int device) {
    for (const HandSet& set : AllSets(s)) sets[device].push_back(PlaceSet(*s.module, *modules[device], renames, set));
    bookmarks[device] = s.Extension<Travel>().bookmarks;
    PutAwayRun(s);
    s.Clear();
    s.inputs.reset();
  });
  PutAwayRoom(s);
  const Module& before = *s.module;
  const std::vector<std::shared_ptr<Module>> ran = all.modules;  // by device
  std::vector<std::shared_ptr<Module>>& kept = s.Extension<Forks>().modules;  // much else points into them
  kept.insert(kept.end(), all.modules.begin(), all.modules.end());
  SetProgram(s, modules);
  all.inputs = *std::move(inputs);
  s.elided_said = true;
  s.selected = 0;
  FindAgain(s, before);
  s.Say("The program is edited on all ", s.options.devices.count(), " devices; ", visible ? "as they may exchange other values now, each begins anew.\n" : "run begins it.\n");
  if (!visible) return absl::OkStatus();
  if (absl::Status begun = BeginDevices(s); !begun.ok()) return begun;
  AwaitAllSets(s, before, sets);
  std::vector<std::string> lost;
  ForEachRun(s, [&](int d) {
    for (const std::string& name : KeepBookmarks(s, *ran[d], renames, bookmarks[d])) lost.push_back(absl::StrCat(name, " of ", s.options.devices.Name(d)));
  });
  SayLostBookmarks(s, lost);
  const int size = static_cast<int>(s.module->entry->schedule.size());
  // Nothing stops on the way, but what was set is set.
  ForEachRun(s, [&](int) {
    s.machine->DisarmAll();
    StopsOfRun(s).at.clear();
    ArmEdits(s);
  });
  const auto run = [&s] { return s.machine->Run(); };
  // Where the change is ahead of it, the selected one comes again to where it stood.
  const Computation* where = stood.has_value() && stood->levels[0].position < first ? ComputationAt(*s.module, *stood) : nullptr;
  const bool ahead = where != nullptr && stood->levels.back().position < static_cast<int>(where->schedule.size());
  if (ahead) s.machine->Arm(*where, stood->levels.back().position);
  const RunStep to = [&s, &stood, ahead, first] {
    if (!ahead) return s.machine->RunTo(0, first);
    if (!(s.machine->Where() < *stood)) return StopReason::kStep;
    const StopReason reason = s.machine->Run();
    return reason == StopReason::kBreakpoint && !(s.machine->Where() < *stood) ? StopReason::kStep : reason;
  };
  if (first >= size && finished) {
    RunOn(s, run, run);
  } else {
    s.ShowStop(GoTogether(s, to, to, true));
  }
  ForEachRun(s, [&](int) { s.ArmThis(); });
  return absl::OkStatus();
}

}  // namespace hloscope
