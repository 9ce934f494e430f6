// A session of a program that runs on several devices: each has a Machine and a history of its own, and one is selected, which all commands
// mean. All run on the session's one thread, in an order that is always the same: the selected one first, and the others, from the first to the
// last, where it waits for them. Not for the exchanges themselves (core/exec/exchange.h), nor for inputs (device_inputs.h).
#ifndef HLOSCOPE_CORE_DEBUG_DEVICES_H_
#define HLOSCOPE_CORE_DEBUG_DEVICES_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/debug/device_inputs.h"
#include "core/debug/session_state.h"
#include "core/exec/exchange.h"

namespace hloscope {

// State::Extension<Devices>().
struct Devices {
  std::vector<std::shared_ptr<Module>> modules;  // by device: what each runs
  MemoryAccount account;                 // of all
  std::unique_ptr<DeviceInputs> inputs;  // null until the first run, as is the rest
  std::unique_ptr<ExchangeRoom> room;
  std::vector<RunState> runs;            // by device; the selected one's is in the State
  int selected = 0;
  int shown = 0;                         // the device that was selected when something was shown last
  std::optional<int> prefix_of;          // a command is executed on another device (replica R COMMAND), and this is selected again after it
  bool each = false;                     // a command is executed on each in turn (replica all)
  bool stop_one = false;                 // a stop holds its device, and the others go on
  std::vector<bool> held;                // by device: until it is told to run
  std::vector<bool> waits;               // while some run: it has to wait
};

// State::Extension<StuckBefore>(): where a device was last when all waited for ever. It may have gone back to before that.
struct StuckBefore {
  static constexpr bool kOfRun = true;
  std::optional<Mark> mark;
};

inline bool Several(const Session::State& s) { return s.options.devices.several(); }
// FailedPrecondition: there is one.
absl::Status NeedSeveral(const Session::State& s);
Devices& DevicesOf(Session::State& s);
// What each device runs, by device (ModulesOfDevices); the session's module is the selected one's. No device must be running.
void SetProgram(Session::State& s, std::vector<std::shared_ptr<Module>> modules);
// What each device runs, by device.
std::vector<const Module*> ModulesOf(Session::State& s);
std::vector<const Computation*> EntriesOf(const std::vector<const Module*>& modules);
// Their inputs are open; those of the selected one are the session's.
absl::Status OpenDevices(Session::State& s);
// As State::Begin, on all devices; the same one stays selected.
absl::Status BeginDevices(Session::State& s);
// Of a main that runs functions on several devices: what is followed of it, and which device runs what.
void SayOfMain(Session::State& s);

// -- Selecting --
// Before the first run: that device is selected from the start, and what runs beside the session is of it.
void BeginWith(Session::State& s, int device);
// The State's run is that device's. Nothing is shown, and nothing settled.
void SwapTo(Session::State& s, int device);
// As a person does: what is looked at there is made available.
void SelectDevice(Session::State& s, int device);
// Values of the frames where it stands are made available; of a run that stopped with an error they are as they are.
void SettleRun(Session::State& s);
// Calls it with each device's run in turn, or with the only one.
void ForEachRun(Session::State& s, const std::function<void(int device)>& each);
// An interruption is of what ran when it came, on whichever device: nothing that is begun later ends by it.
void ForgetInterrupt(Session::State& s);
// The file that a command writes: where it is executed on each device in turn, each has its own (FileOfDevice).
std::string FileOfRun(Session::State& s, const std::string& path);
// "replica 1"; "" where there is one device.
std::string SelectedName(const Session::State& s);
// Where an expectation is asked: "replica 1 stands at %x in main, model.hlo:3", "the program has finished".
std::string WhereAsked(const Session::State& s);
// "Switched to replica 1", where the session is at another device than was shown last.
void SaySwitched(Session::State& s);

// -- Running --
// The first that can run of those for whom `device` waits, or of those for whom these wait; -1 of `device`: of all. -1: none can.
int NextNeeded(const ExchangeRoom& room, int device, const std::vector<bool>& waits, const std::function<bool(int device)>& can_run);
using RunStep = std::function<StopReason()>;
// Devices that have not ended, the first to the last; those that a stop holds after the others.
std::vector<int> NotEnded(const Session::State& s);
// State::Go where there are several: the selected device goes on, and the others as far as it waits for them, each stopped by what stops it. Where
// another one stops, that is selected; where all wait for ever, it is an error (State::stop_status).
StopReason GoTogether(Session::State& s, const RunStep& first, const RunStep& again, bool enter);
// The selected device waits: runs others as far as it does, past all that stops and so that nothing is told of it, for ways that go by
// themselves. kStep: it can go on. kWaiting: nobody can, for ever (`stuck` says why) or as some are held.
StopReason ServeUnseen(Session::State& s, absl::Status* stuck);
// As run and continue do: until something stops, or all devices have ended; and shows it.
void RunOn(Session::State& s, const RunStep& first, const RunStep& again);

// Where a device stands, for who lists them.
struct DeviceStanding {
  enum State : uint8_t { kNotStarted, kStopped, kWaiting, kHeld, kEnded, kError };
  State state = kNotStarted;
  const Instruction* instruction = nullptr;  // that is next
  std::vector<int64_t> iterations;           // of the loops that run, the outermost first
  std::string place;                         // "%ar in body (loop body of %while, iteration 2), model.hlo:12"
  std::string what;                          // whom it waits for, its error
  bool for_ever = false;                     // it waits, and that was a stop with an error: none can go on
};
DeviceStanding StandingOf(Session::State& s, int device);
// "waits at %ar in main, model.hlo:12 for replica 1".
std::string StateText(const DeviceStanding& standing);
// As what "it" is said to do: "is at %p in main, model.hlo:3", "waits at ...".
std::string NowText(const DeviceStanding& standing);
// The devices whose run stopped with an error, the selected one first, then the first to the last.
struct DeviceError {
  int device = 0;
  std::string why;
  bool expected = false;  // RunState::error_expected
};
std::vector<DeviceError> ErrorsOfRuns(Session::State& s);
// set stop all | one.
absl::Status SetStop(Session::State& s, absl::string_view word);
absl::Status InfoReplicas(Session::State& s, absl::string_view args);

// The session's program is another one on all devices (edit_devices.cc). What they exchanged may be other now, so each begins anew, and the
// selected one runs on to where the change first matters. Nothing has changed where it fails before that.
absl::Status EditTogether(Session::State& s, std::shared_ptr<Module> next);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DEVICES_H_
