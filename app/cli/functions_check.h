// run --check of a main that runs functions on several devices (interpreter.run_parallel): each device's kernels against the reference, too.
// Not for devices that run the program itself (run_devices_watch.h).
#ifndef HLOSCOPE_APP_CLI_FUNCTIONS_CHECK_H_
#define HLOSCOPE_APP_CLI_FUNCTIONS_CHECK_H_

#include <map>
#include <memory>
#include <string>

#include "core/debug/check.h"
#include "core/exec/machine.h"

namespace hloscope::cli {

class FunctionsCheck {
 public:
  FunctionsCheck(Backend& backend, CheckOptions options) : backend_(backend), options_(std::move(options)) {}
  // Before the device runs its function: for AllowRunParallel.
  void Begin(const std::string& device, Machine& machine);
  // What was found on the devices, with their names, into that of main.
  void AddTo(CheckReport* report) const;

 private:
  Backend& backend_;
  const CheckOptions options_;
  std::map<std::string, std::unique_ptr<RegionChecker>> checkers_;  // by device; of all calls that main makes
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_FUNCTIONS_CHECK_H_
