// A program of several devices for the verbs that run one: the inputs of each device, and their start. Not for the run (backends/exchange).
#ifndef HLOSCOPE_APP_CLI_DEVICE_RUN_H_
#define HLOSCOPE_APP_CLI_DEVICE_RUN_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "app/cli/arguments.h"
#include "backends/exchange/replicas.h"
#include "core/debug/program_inputs.h"

namespace hloscope::cli {

class DeviceRun {
 public:
  // `machine`: the options of each device, without its infeed. Errors: inputs that cannot be opened or are for a device that there is not.
  static absl::StatusOr<std::unique_ptr<DeviceRun>> Create(Module& module, Backend& backend, const ProgramOptions& options, const SessionOptions& session, const DeviceCounts& devices,
                                                           MachineOptions machine);
  // Makes the parameters (those that devices share once) and starts every Machine.
  absl::Status Start();
  Replicas& replicas() { return *replicas_; }
  // "1 parameter, made up (random:0)"; where devices have inputs of their own, that too.
  std::string Summary() const;

 private:
  std::vector<std::unique_ptr<ProgramInputs>> inputs_;  // the first is of all devices that have none of their own
  std::vector<int> inputs_of_;                          // by device
  std::vector<std::vector<Value>> parameters_;          // by inputs_, while they are wanted
  std::unique_ptr<Replicas> replicas_;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_DEVICE_RUN_H_
