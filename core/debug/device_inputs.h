// The inputs of a program's run on several devices: those that devices share are opened, and their values made, once. Not for one program's
// inputs (program_inputs.h). Shared by the session and by the verbs that run.
#ifndef HLOSCOPE_CORE_DEBUG_DEVICE_INPUTS_H_
#define HLOSCOPE_CORE_DEBUG_DEVICE_INPUTS_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "core/debug/program_inputs.h"

namespace hloscope {

class DeviceInputs {
 public:
  // As the options and their `devices` say; `modules`: what each runs, by device. Errors: those of ProgramInputs::Open.
  static absl::StatusOr<std::unique_ptr<DeviceInputs>> Open(const std::vector<const Module*>& modules, const SessionOptions& options);

  // Of a device, numbered replica by replica; several may have the same.
  const std::shared_ptr<ProgramInputs>& of(int device) const { return inputs_[inputs_of_[device]]; }
  bool own(int device) const { return own_[device]; }
  // Made when it is first asked for, and kept for all devices that share it until Forget.
  absl::StatusOr<Value> Parameter(int device, int number, MemoryAccount* account);
  void Forget();
  // "1 parameter, made up (random:0)"; where devices have inputs of their own, that too.
  std::string Summary() const;

 private:
  std::vector<std::shared_ptr<ProgramInputs>> inputs_;  // the first is of all devices that run what the first one does and have none of their own
  std::vector<int> inputs_of_;                          // by device
  std::vector<bool> own_;                               // by device
  std::vector<std::vector<Value>> parameters_;          // by inputs_ and number; empty: not made yet
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DEVICE_INPUTS_H_
