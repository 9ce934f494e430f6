// hloscope run on several devices: runs them together and says what came out on each, or who waits for whom.
// Not for one device (run.cc), nor for what it does beside running (run_devices_watch.h).
#ifndef HLOSCOPE_APP_CLI_RUN_DEVICES_H_
#define HLOSCOPE_APP_CLI_RUN_DEVICES_H_

#include <string>

#include "app/cli/arguments.h"
#include "app/cli/load.h"
#include "app/cli/processes.h"
#include "app/cli/run_devices_watch.h"
#include "core/ir/module.h"

namespace hloscope::cli {

struct DevicesRun {
  const ProgramOptions* program = nullptr;
  DeviceCounts devices;
  std::string file;    // of the program
  std::string output;  // FILE.npz; empty: none
  std::string junit, report;  // files; empty: none
  int repeat = 1;
  bool json = false;
  bool catching = false;  // and nothing was caught (run_devices_catch.h)
  DevicesWatch watch;
  Processes* processes = nullptr;  // that run the devices together; null: this one alone
};
// The exit status; everything is said.
int RunOnDevices(const DevicesRun& run, Module& module, const Loaded& loaded);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_RUN_DEVICES_H_
