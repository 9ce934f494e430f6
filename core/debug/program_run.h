// A program run once to its end, for who asks afterwards what came of it: of one device on a Machine, of several in a session of their own, in
// which they take the turns, and are caught, as the console has it. Not for the run of the console itself (execution.cc).
#ifndef HLOSCOPE_CORE_DEBUG_PROGRAM_RUN_H_
#define HLOSCOPE_CORE_DEBUG_PROGRAM_RUN_H_

#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "core/debug/catches.h"
#include "core/debug/session.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"

namespace hloscope {

// Values of a program's parameters, by device and by number.
using DeviceValues = std::vector<std::vector<Value>>;

// How programs are run, one after the other.
struct RunSettings {
  MachineOptions machine;  // of one device; of several what limits it, and what it makes up
  SessionOptions session;  // of several: the devices, and their libraries and infeeds
  Session::State* around = nullptr;  // who interrupts this session ends a run soon, with kInterrupted
  std::optional<std::chrono::steady_clock::time_point> until;  // so does the time
  int devices() const { return session.devices.count(); }
  bool several() const { return devices() > 1; }
};

class ProgramRun {
 public:
  // The module is verified, and its constants have values.
  ProgramRun(const Module& module, Backend& backend, const RunSettings& settings);
  ~ProgramRun();

  // To where nothing has been executed yet, on all devices. Once.
  absl::Status Begin(const DeviceValues& parameters, std::vector<CatchRequest> catches = {});
  // How the run ended: kFinished on all devices; kCaught or kError on that one, which may wait for ever for others.
  struct End {
    StopReason reason = StopReason::kFinished;
    int device = 0;
    absl::Status status;                 // of kError
    const Instruction* at = nullptr;     // that was caught, or failed
    std::string device_name;             // "" of one
  };
  End Run();

  int devices() const { return settings_.devices(); }
  // Of a run that has begun.
  Machine& machine(int device);

 private:
  struct Several;
  absl::Status BeginSeveral(const DeviceValues& parameters, const std::vector<CatchRequest>& catches);
  End RunSeveral();

  const Module& module_;
  Backend& backend_;
  const RunSettings& settings_;
  std::unique_ptr<Catches> catches_;
  std::unique_ptr<Machine> machine_;   // of one device
  std::unique_ptr<Several> several_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PROGRAM_RUN_H_
