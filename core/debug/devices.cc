#include "core/debug/devices.h"

#include <algorithm>
#include <deque>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/begin.h"
#include "core/debug/device_names.h"
#include "core/debug/parallel_main.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/exec/error_place.h"
#include "core/ir/written_names.h"
#include "core/ops/device_groups.h"

namespace hloscope {

std::string SessionDevices::Name(int device) const { return DeviceText({device / partitions, device % partitions}, replicas, partitions); }

Devices& DevicesOf(Session::State& s) { return s.Extension<Devices>(); }

// ---- What they run ----

void SetProgram(Session::State& s, std::vector<std::shared_ptr<Module>> modules) {
  Devices& all = DevicesOf(s);
  all.modules = std::move(modules);
  for (size_t d = 0; d < all.runs.size(); ++d) all.runs[d].module = all.modules[d];
  s.module = all.modules[all.selected];
}

std::vector<const Module*> ModulesOf(Session::State& s) {
  std::vector<const Module*> modules;
  for (const std::shared_ptr<Module>& module : DevicesOf(s).modules) modules.push_back(module.get());
  return modules;
}

std::vector<const Computation*> EntriesOf(const std::vector<const Module*>& modules) {
  std::vector<const Computation*> entries;
  for (const Module* module : modules) entries.push_back(module->entry);
  return entries;
}

// ---- Selecting ----

void BeginWith(Session::State& s, int device) {
  Devices& all = DevicesOf(s);
  if (!all.runs.empty()) return;
  all.selected = all.shown = device;
  s.module = all.modules[device];
}

void SwapTo(Session::State& s, int device) {
  Devices& all = DevicesOf(s);
  if (device == all.selected || all.runs.empty()) return;
  RunState& here = s;
  std::swap(here, all.runs[all.selected]);
  std::swap(here, all.runs[device]);
  all.selected = device;
  s.interrupt.store(s.machine != nullptr ? &s.machine->interrupt() : nullptr);
  if (s.machine == nullptr) return;
  if (s.interrupted.load()) s.machine->interrupt().store(true);  // it came between
  if (s.armed_generation != s.breakpoints_generation) s.ArmThis();
}

void SettleRun(Session::State& s) {
  if (s.machine != nullptr && s.machine->status().ok()) Settle(s);
}

void SelectDevice(Session::State& s, int device) {
  SwapTo(s, device);
  SettleRun(s);
  s.selected = s.visible() ? static_cast<int>(s.machine->frames().size()) - 1 : 0;
  s.list_first = s.list_last = 0;
}

void ForEachRun(Session::State& s, const std::function<void(int device)>& each) {
  Devices& all = DevicesOf(s);
  const int selected = all.selected;
  if (all.runs.empty()) return each(selected);
  for (int d = 0; d < static_cast<int>(all.runs.size()); ++d) {
    SwapTo(s, d);
    each(d);
  }
  SwapTo(s, selected);
}

void ForgetInterrupt(Session::State& s) {
  s.interrupted.store(false);
  if (s.machine != nullptr) s.machine->interrupt().store(false);
  for (RunState& run : DevicesOf(s).runs) {
    if (run.machine != nullptr) run.machine->interrupt().store(false);
  }
}

std::string SelectedName(const Session::State& s) {
  if (!Several(s)) return "";
  return s.options.devices.Name(DevicesOf(const_cast<Session::State&>(s)).selected);
}

std::string FileOfRun(Session::State& s, const std::string& path) { return DevicesOf(s).each ? FileOfDevice(path, SelectedName(s)) : path; }

std::string WhereAsked(const Session::State& s) {
  const std::string who = Several(s) ? SelectedName(s) : "the program";
  return !s.visible() ? who + " is not running" : s.Finished() ? who + " has finished" : absl::StrCat(who, " stands at ", s.DescribeFrame(s.selected));
}

void SaySwitched(Session::State& s) {
  if (!Several(s)) return;
  Devices& all = DevicesOf(s);
  if (all.shown != all.selected) s.Say("Switched to ", SelectedName(s), "\n");
  all.shown = all.selected;
}

// ---- Beginning ----

absl::Status OpenDevices(Session::State& s) {
  Devices& all = DevicesOf(s);
  if (!s.options.devices.make_room) return absl::UnimplementedError("this session has no way to let devices exchange");
  if (all.inputs == nullptr) {
    absl::StatusOr<std::unique_ptr<DeviceInputs>> opened = DeviceInputs::Open(ModulesOf(s), s.options);
    if (!opened.ok()) return opened.status();
    all.inputs = *std::move(opened);
  }
  if (s.inputs == nullptr) s.inputs = all.inputs->of(all.selected);
  return absl::OkStatus();
}

void SayOfMain(Session::State& s) {
  const Module& program = s.module->program();
  const ParallelMain main = FindParallelMain(program);
  if (main.call == nullptr) return;
  if (!s.options.devices.of_main) return s.Say("note: the devices of ", ShownName(*main.call), " are not followed: ", main.why, s.Extension<UnfollowedMain>().allow ? "; each call runs as one step" : "", "\n");
  const std::string inputs = MainInputsText(program, s.options);
  s.Say("note: this is what ", program.entry->name, " runs at ", ShownName(*main.call), ", on the arguments that it gives",
        inputs.empty() ? "" : absl::StrCat(" (it takes ", inputs, ")"), "; what it does with the results is not executed\n");
  std::vector<std::pair<const Computation*, std::vector<std::string>>> runs;  // each function once
  for (size_t d = 0; d < main.functions.size(); ++d) {
    auto of = std::find_if(runs.begin(), runs.end(), [&](const auto& each) { return each.first == main.functions[d]; });
    if (of == runs.end()) of = runs.insert(of, {main.functions[d], {}});
    of->second.push_back(s.options.devices.Name(static_cast<int>(d)));
  }
  if (runs.size() < 2) return;
  for (const auto& [function, devices] : runs) s.Say("  ", function->name, ": ", ListOfNames(devices), "\n");
}

absl::Status BeginDevices(Session::State& s) {
  Devices& all = DevicesOf(s);
  const int count = s.options.devices.count();
  if (absl::Status opened = OpenDevices(s); !opened.ok()) return opened;
  if (all.room == nullptr) {
    all.room = s.options.devices.make_room(EntriesOf(ModulesOf(s)), *s.backend, &all.account);
    all.room->Remember();
    all.room->set_wake([&s](int device) {
      Devices& devices = DevicesOf(s);
      devices.waits[device] = false;
      if (s.run_for < 0) return;
      s.yield = true;
      s.machine->interrupt().store(true);  // of the one that runs
    });
    all.runs.resize(count);
    for (int d = 0; d < count; ++d) all.runs[d].module = all.modules[d];
    all.held.resize(count);
    all.waits.resize(count);
  }
  SayElided(s);
  SpendCounts(s);
  all.room->Reset();
  all.inputs->Forget();
  all.held.assign(count, false);
  absl::Status begun;
  ForEachRun(s, [&](int d) {
    if (!begun.ok()) return;
    s.inputs = all.inputs->of(d);
    MachineOptions options = OptionsOfRun(s);
    options.account = &all.account;
    options.exchange = &all.room->port(d);
    begun = BeginRun(s, std::move(options), [&all, d](int number) { return all.inputs->Parameter(d, number, &all.account); });
  });
  if (!begun.ok()) {
    ForEachRun(s, [&](int) { s.Clear(); });
    return begun;
  }
  all.shown = all.selected;
  s.interrupt.store(&s.machine->interrupt());
  s.Say("Starting ", s.module->name, " on ", s.options.devices.replicas > 1 ? Count(s.options.devices.replicas, "replica") : "",
        s.options.devices.replicas > 1 && s.options.devices.partitions > 1 ? " and " : "", s.options.devices.partitions > 1 ? Count(s.options.devices.partitions, "partition") : "", " (",
        all.inputs->Summary(), ") on ", s.backend->name(), "\n");
  SayOfMain(s);
  return absl::OkStatus();
}

// ---- Running ----

int NextNeeded(const ExchangeRoom& room, int device, const std::vector<bool>& waits, const std::function<bool(int device)>& can_run) {
  const int count = room.device_count();
  std::vector<bool> needed(count, device < 0);
  std::vector<int> waiting;
  if (device >= 0) waiting.push_back(device);
  for (size_t k = 0; k < waiting.size(); ++k) {
    const std::vector<int> whom = room.WaitsFor(waiting[k]);
    if (whom.empty()) needed.assign(count, true);  // anybody may be who comes
    for (int other : whom) {
      if (needed[other]) continue;
      needed[other] = true;
      if (waits[other]) waiting.push_back(other);
    }
  }
  for (int d = 0; d < count; ++d) {
    if (needed[d] && can_run(d)) return d;
  }
  return -1;
}

namespace {

bool Failed(const RunState& run) { return run.machine != nullptr && !run.machine->status().ok(); }

// It has been started, and has neither ended nor failed.
bool Runs(const RunState& run) { return run.machine != nullptr && run.machine->running() && !Failed(run); }

const RunState& RunOf(Session::State& s, int device) {
  Devices& all = DevicesOf(s);
  return device == all.selected ? static_cast<const RunState&>(s) : all.runs[device];
}

bool CanRun(Session::State& s, int device) {
  const RunState& run = RunOf(s, device);
  const Devices& all = DevicesOf(s);
  return Runs(run) && !all.held[device] && !all.waits[device];
}

void ForgetStuck(RunState& run) {
  if (run.stuck.ok()) return;
  run.stuck = absl::OkStatus();
  run.error_stop = false;
}

// Nobody can go on any more, for `device`, or as none of those that are left can.
StopReason AllWait(Session::State& s, int device) {
  Devices& all = DevicesOf(s);
  const int count = static_cast<int>(all.runs.size());
  std::vector<bool> ended(count);
  std::string failed;
  bool held = false;
  for (int d = 0; d < count; ++d) {
    const RunState& run = RunOf(s, d);
    ended[d] = !Runs(run);
    if (Failed(run)) absl::StrAppend(&failed, "\n  ", all.room->Name(d), " has stopped with an error", ErrorText(*run.machine));
    held |= all.held[d] && !ended[d];
  }
  const ExchangeRoom::Stuck stuck = all.room->Explain(ended);
  const bool lost = stuck.device >= 0 && ended[stuck.device];  // what it has sent
  if (device < 0 && (stuck.device < 0 || lost)) {
    for (int d = 0; d < count; ++d) {
      if (!Failed(RunOf(s, d))) continue;
      SwapTo(s, d);
      return StopReason::kError;
    }
    if (!lost) return StopReason::kFinished;
    SwapTo(s, stuck.device);
    s.stuck = absl::DeadlineExceededError(absl::StrCat(stuck.why, ", at ", ShownName(*stuck.instruction), " in ", stuck.instruction->parent->name, ", ", Basename(s.module->source->name()), ":", LineOf(*s.module, *stuck.instruction)));
    return StopReason::kError;
  }
  SwapTo(s, device >= 0 ? device : stuck.device);
  if (held) return StopReason::kWaiting;
  s.stuck = absl::DeadlineExceededError(absl::StrCat(stuck.why, failed));
  ForEachRun(s, [&s](int) {
    if (s.waiting_at.has_value()) s.Extension<StuckBefore>().mark = s.waiting_at;
  });
  return StopReason::kError;
}

// NextNeeded, of those that can run; the count of devices: none can.
int NextToRun(Session::State& s, int device) {
  const Devices& all = DevicesOf(s);
  const int next = NextNeeded(*all.room, device, all.waits, [&s](int d) { return CanRun(s, d); });
  return next < 0 ? static_cast<int>(all.runs.size()) : next;
}

// Runs others until `device` can go on (nothing is returned), or something stops one of them (selected then), or nobody can go on. -1: until
// all have ended. `run`: of one that is selected. `on_stop`: what is done with a stop instead of stopping.
std::optional<StopReason> Serve(Session::State& s, int device, const RunStep& run, const std::function<void(int device, StopReason reason)>& on_stop) {
  Devices& all = DevicesOf(s);
  struct RunFor {
    Session::State& s;
    ~RunFor() {
      s.run_for = -1;
      s.yield = false;
    }
  } run_for{s};
  s.run_for = device;
  s.yield = false;
  all.waits.assign(all.runs.size(), false);
  if (device >= 0) all.waits[device] = true;
  while (true) {
    if (device >= 0 && !all.waits[device]) {
      SwapTo(s, device);
      return std::nullopt;
    }
    s.yield = false;
    const int next = NextToRun(s, device);
    if (next == static_cast<int>(all.runs.size())) return AllWait(s, device);
    SwapTo(s, next);
    all.waits[next] = true;  // taken back where something comes for it meanwhile
    const StopReason reason = run();
    s.machine->interrupt().store(s.interrupted.load());  // a wish to yield that came too late
    if (reason != StopReason::kWaiting) all.waits[next] = false;
    if (reason == StopReason::kWaiting || reason == StopReason::kFinished) continue;
    if (reason == StopReason::kInterrupted && !s.interrupted.load()) continue;
    if (reason == StopReason::kInterrupted && device >= 0) SwapTo(s, device);
    if (reason == StopReason::kInterrupted || !on_stop) return reason;
    on_stop(next, reason);
  }
}

// Until it has to wait, or something stops it.
RunStep RunAlone(Session::State& s) {
  return [&s] {
    const auto run = [&s] { return s.machine->Run(); };
    return s.GoAlone(run, run, true);
  };
}

}  // namespace

StopReason ServeUnseen(Session::State& s, absl::Status* stuck) {
  const RunStep run = [&s] {
    Mark end;
    end.levels.push_back({FrameKind::kEntry, 0, -1, static_cast<int>(s.module->entry->schedule.size())});
    StopReason reason = s.Extension<Travel>().timeline->Seek(end);
    if (reason == StopReason::kStep && !s.machine->finished()) reason = s.machine->RunUnseen();  // at the end, which is armed
    s.waiting_at.reset();
    if (reason == StopReason::kWaiting) s.waiting_at = s.machine->Where();
    s.unjudged = false;
    return s.machine->finished() ? StopReason::kFinished : reason;
  };
  const std::optional<StopReason> served = Serve(s, DevicesOf(s).selected, run, [](int, StopReason) {});
  if (!served.has_value()) return StopReason::kStep;
  if (*served != StopReason::kError) return *served;
  *stuck = std::exchange(s.stuck, absl::OkStatus());
  return StopReason::kWaiting;
}

std::vector<int> NotEnded(const Session::State& s) {
  Session::State& state = const_cast<Session::State&>(s);  // only looked at
  const Devices& all = DevicesOf(state);
  std::vector<int> free, held;
  for (int d = 0; d < static_cast<int>(all.runs.size()); ++d) {
    if (Runs(RunOf(state, d))) (all.held[d] ? held : free).push_back(d);
  }
  free.insert(free.end(), held.begin(), held.end());
  return free;
}

StopReason GoTogether(Session::State& s, const RunStep& first, const RunStep& again, bool enter) {
  Devices& all = DevicesOf(s);
  const int device = all.selected;
  ForgetStuck(s);
  for (RunState& run : all.runs) ForgetStuck(run);
  all.held[device] = false;
  const RunStep* run = &first;
  while (true) {
    const StopReason reason = s.GoAlone(*run, again, enter);
    if (reason != StopReason::kWaiting) return reason;
    if (const std::optional<StopReason> stopped = Serve(s, device, RunAlone(s), nullptr)) return *stopped;
    run = &again;
  }
}

void RunOn(Session::State& s, const RunStep& first, const RunStep& again) {
  if (!Several(s)) return s.ShowStop(s.Go(first, again));
  Devices& all = DevicesOf(s);
  const int device = all.selected;
  StopReason reason = s.Go(first, again);
  if (!all.stop_one) {
    if (reason == StopReason::kFinished) {
      const StopReason others = *Serve(s, -1, RunAlone(s), nullptr);
      if (others == StopReason::kFinished) {
        SwapTo(s, device);
        s.Say("All ", s.options.devices.count(), " devices have finished.\n");
      }
      reason = others;
    }
    return s.ShowStop(reason);
  }
  // Each stop is shown and holds its device; the others go on.
  const auto hold = [&](int stopped, StopReason why) {
    all.held[stopped] = true;
    s.ShowStop(why);
  };
  if (reason != StopReason::kWaiting && reason != StopReason::kInterrupted && s.machine->running()) hold(all.selected, reason);
  std::deque<Breakpoint::Command> attached = std::exchange(Stops(s).pending, {});
  const int shown = all.selected;
  const bool ended = reason == StopReason::kFinished;
  if (reason != StopReason::kInterrupted) {
    const StopReason others = *Serve(s, -1, RunAlone(s), hold);
    if (others == StopReason::kInterrupted || others == StopReason::kError) return s.ShowStop(others);
    SwapTo(s, shown);
    if (ended || reason == StopReason::kWaiting) s.ShowStop(others == StopReason::kFinished ? StopReason::kFinished : StopReason::kWaiting);
  } else {
    s.ShowStop(reason);
  }
  SaySwitched(s);
  Stops(s).pending = std::move(attached);
}

// ---- Where they are ----

namespace {

bool Waits(const RunState& run) { return run.waiting_at.has_value() && run.machine->running() && run.machine->Where() == *run.waiting_at; }

// It was found that some wait for ever, none has gone elsewhere since, and this one waits for those that do, or have ended, whatever the others do.
bool WaitsForEver(Session::State& s, int device) {
  const int count = s.options.devices.count();
  const ExchangeRoom& room = *DevicesOf(s).room;
  bool found = false;
  std::vector<bool> may_go(count);
  std::vector<int> waiting;
  for (int d = 0; d < count; ++d) {
    const RunState& run = RunOf(s, d);
    if (Runs(run) && Waits(run)) waiting.push_back(d);
    else may_go[d] = Runs(run);
    found |= !run.stuck.ok();
  }
  if (!found) return false;
  bool more = std::find(may_go.begin(), may_go.end(), true) != may_go.end();
  while (more) {
    more = false;
    for (const int d : waiting) {
      if (may_go[d]) continue;
      const std::vector<int> whom = room.WaitsFor(d);  // none: any
      may_go[d] = whom.empty() || std::all_of(whom.begin(), whom.end(), [&](int other) { return may_go[other]; });
      more |= may_go[d];
    }
  }
  return !may_go[device];
}

}  // namespace

std::vector<DeviceError> ErrorsOfRuns(Session::State& s) {
  std::vector<DeviceError> errors;
  const int selected = DevicesOf(s).selected;
  ForEachRun(s, [&](int d) {
    if (!s.error_stop) return;
    errors.insert(d == selected ? errors.begin() : errors.end(), {d, std::string(s.stop_status().message()), s.error_expected});
  });
  return errors;
}

DeviceStanding StandingOf(Session::State& s, int device) {
  DeviceStanding standing;
  Devices& all = DevicesOf(s);
  if (all.runs.empty()) return standing;
  const int selected = all.selected;
  SwapTo(s, device);
  if (s.visible()) {
    const Machine& m = *s.machine;
    const int top = static_cast<int>(m.frames().size()) - 1;
    standing.state = DeviceStanding::kStopped;
    standing.instruction = m.finished() ? nullptr : m.next_instruction();
    standing.place = s.DescribeFrame(top);
    for (const Frame& frame : m.frames()) {
      if (IsLoop(frame.kind)) standing.iterations.push_back(frame.iteration);
    }
    const std::string waits = Waits(s) ? all.room->WaitText(device) : "";
    if (m.finished()) {
      standing.state = DeviceStanding::kEnded;
    } else if (Failed(s)) {
      standing.state = DeviceStanding::kError;
      standing.what = std::string(s.machine->status().message());
    } else if (!waits.empty()) {
      standing.state = DeviceStanding::kWaiting;
      standing.for_ever = WaitsForEver(s, device);
      const size_t whom = waits.find(") for ");
      standing.what = whom == std::string::npos ? absl::StrCat(" ", waits) : waits.substr(whom + 1);
    } else if (all.held[device]) {
      standing.state = DeviceStanding::kHeld;
    }
  }
  SwapTo(s, selected);
  return standing;
}

}  // namespace hloscope
