// Branches of a session: each has a program, a run of it on every device, the runs' histories, and what devices have exchanged. One is current.
// For the files of edit and fork.
#ifndef HLOSCOPE_CORE_DEBUG_FORK_H_
#define HLOSCOPE_CORE_DEBUG_FORK_H_

#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/debug/devices.h"
#include "core/debug/log_moments.h"
#include "core/debug/session_state.h"
#include "core/debug/stop_counts.h"
#include "core/debug/travel.h"

namespace hloscope {

// What a fork keeps of the run on one device.
struct ForkRun {
  Machine* machine = nullptr;    // null: the program was not running
  std::optional<Timeline::Branch> branch;
  std::map<std::string, Mark> bookmarks;
  StopMemory memory;             // of stops, at its present
  StopLedger ledger;
  std::map<int, LoggedMoments> logged;
  bool error_stop = false, error_expected = false, unjudged = false;
  absl::Status stuck;
  std::optional<Mark> waiting_at, stuck_before;
};

struct Fork {
  Module* module = nullptr;
  std::vector<ForkRun> runs;     // by device; one: there is one device, or nothing was running
  std::string made;              // how it came about
  ProgramInputs* inputs = nullptr;  // of one device
  // Of several devices.
  std::vector<std::shared_ptr<Module>> device_modules;
  DeviceInputs* device_inputs = nullptr;
  ExchangeRoom* room = nullptr;     // null: nothing was running
  std::shared_ptr<const ExchangeState> exchanged;
  int selected = 0;
  std::vector<bool> held;
};

// State::Extension<Forks>().
struct Forks {
  std::string current = "main";
  std::string current_made;
  std::map<std::string, Fork> others;
  // What is not the session's now. Modules stay for good, because much else points into them.
  std::vector<std::shared_ptr<Module>> modules;
  std::vector<std::shared_ptr<ProgramInputs>> inputs;
  std::vector<std::unique_ptr<DeviceInputs>> device_inputs;
  std::vector<std::unique_ptr<ExchangeRoom>> rooms;
  struct Run {
    std::unique_ptr<Machine> machine;
    std::unique_ptr<Timeline> timeline;
  };
  std::vector<Run> runs;
};

// Takes the session's machine and history out of it (of several devices those of the selected one); they are kept where a fork wants them.
void PutAwayRun(Session::State& s);
// Of several devices: the same of where they exchange, and their inputs. After all their runs.
void PutAwayRoom(Session::State& s);
// The session has another program now: everything that points into the old one is found again in the new one, and what is not there is said.
// `before`: the old one.
void FindAgain(Session::State& s, const Module& before);
// The session's fork is that one now.
absl::Status SwitchTo(Session::State& s, const std::string& name);
absl::Status NoFork(Forks& forks, absl::string_view name);
// "main other [%x]": the values of two forks (compare_forks.cc).
absl::Status CompareForks(Session::State& s, absl::string_view args);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FORK_H_
