// A program of several devices for the verbs that run one: the inputs of each device, and their start. Not for the run (backends/exchange).
#ifndef HLOSCOPE_APP_CLI_DEVICE_RUN_H_
#define HLOSCOPE_APP_CLI_DEVICE_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "app/cli/arguments.h"
#include "backends/exchange/replicas.h"
#include "core/debug/device_inputs.h"

namespace hloscope::cli {

// The devices of a session: their inputs as the options say, and a room in this process. Errors: inputs for a device that there is not.
// `processes`: in how many their kernels run.
absl::StatusOr<SessionDevices> MakeDevices(const ProgramOptions& options, const DeviceCounts& counts, int processes = 1);

// As CountDevices, and those of a main that runs functions on several devices.
DeviceCounts CountSessionDevices(const ProgramOptions& options, const Module& module);

// A session's devices, as many as the options and the program's header say. Errors: as MakeDevices.
// Of a main that runs functions on several devices (interpreter.run_parallel): those devices, each with what main gives it. After what the
// program itself brings as arguments is in `session`.
absl::Status GiveDevices(const ProgramOptions& options, const Module& module, SessionOptions* session, int processes = 1);

// A main whose devices the session does not follow is run all the same, each call of its functions as one step.
void LetRunParallel(const ProgramOptions& options, Session& session);

class DeviceRun {
 public:
  // `machine`: the options of each device, without its infeed. `link`: to the processes that run the devices together, all of which must be
  // told the same `purpose`: how often it runs, and what for. Errors: inputs that cannot be opened or are for a device that there is not.
  static absl::StatusOr<std::unique_ptr<DeviceRun>> Create(Module& module, Backend& backend, const ProgramOptions& options,
                                                           SessionOptions session, const DeviceCounts& devices, MachineOptions machine,
                                                           ProcessLink* link = nullptr, absl::string_view purpose = "");
  // Some devices are in other processes.
  bool elsewhere() const { return elsewhere_; }
  // Makes the parameters (those that devices share once) and starts every Machine. ResourceExhausted: there is no room for them, which is said
  // before any is made.
  absl::Status Start();
  Replicas& replicas() { return *replicas_; }
  DeviceInputs& inputs() { return *inputs_; }
  // "1 parameter, made up (random:0)"; where devices have inputs of their own, that too.
  std::string Summary() const;

 private:
  absl::Status CheckRoom() const;

  bool elsewhere_ = false;
  const Module* module_ = nullptr;
  int64_t memory_limit_ = 0;
  std::unique_ptr<DeviceInputs> inputs_;
  std::unique_ptr<Replicas> replicas_;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_DEVICE_RUN_H_
