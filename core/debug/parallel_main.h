// A test's main that runs functions on several devices (interpreter.run_parallel of StableHLO's tests), seen as what each device runs, so that
// a session can follow them. Not for executing the call inside of main (backends/exchange/run_parallel.h).
#ifndef HLOSCOPE_CORE_DEBUG_PARALLEL_MAIN_H_
#define HLOSCOPE_CORE_DEBUG_PARALLEL_MAIN_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/session.h"
#include "core/exec/backend.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"

namespace hloscope {

struct ParallelMain {
  const Instruction* call = nullptr;  // null: there is none
  int64_t replicas = 1, partitions = 1;
  std::vector<Computation*> functions;  // by device; empty: a session cannot follow them
  std::vector<Computation*> infeed;     // ParallelCall::infeed
  std::string why;                      // then

  bool followed() const { return !functions.empty(); }
  // "f", "f and g": each once.
  std::string FunctionsText() const;
};
// State::Extension<UnfollowedMain>().
struct UnfollowedMain {
  // Lets a Machine run the functions of a main whose devices are not followed, each call of them as one step (backends/exchange/run_parallel.h).
  // Null: it stops there with an error.
  std::function<void(MachineOptions& options, Backend& backend)> allow;
};
// Of a whole program, not of one begun elsewhere.
ParallelMain FindParallelMain(const Module& program);

// Where main takes parameters: the session's inputs are for them, and what they are ("1 parameter: 1 from files"). Else empty.
std::string MainInputsText(const Module& program, const SessionOptions& options);

// What each device runs, by device: the program itself, or of those of its main (SessionDevices::of_main) the program begun at the device's
// function. Devices that run the same function share a module.
std::vector<std::shared_ptr<Module>> ModulesOfDevices(std::shared_ptr<Module> program, const SessionDevices& devices);
// For devices of the program's main: what stands before its call is executed, and they have as inputs what it gives them.
// The session's inputs are then main's, where it takes parameters. Errors: inputs that main does not take; main stops with an error, or runs its
// functions on another number of devices.
absl::Status GiveParallelArguments(const Module& program, Backend& backend, SessionOptions& options);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PARALLEL_MAIN_H_
