// What `run` does beside running, on several devices: a check, a profile, a record, a comparison with one, a shadow. Each is a run of its
// own of all devices, and says what it found on each; what is written is a file for each device, where it runs. Not for one device
// (run.cc).
#ifndef HLOSCOPE_APP_CLI_RUN_DEVICES_WATCH_H_
#define HLOSCOPE_APP_CLI_RUN_DEVICES_WATCH_H_

#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "app/cli/device_run.h"
#include "app/cli/junit.h"
#include "app/cli/run_compare.h"

namespace hloscope::cli {

struct DevicesWatch {
  int64_t samples = 0;   // of --check; 0: none, -1: all
  bool profile = false;
  std::string profile_out, trace;
  RunCompare comparing;
  bool timed() const { return profile || !trace.empty(); }
  bool any() const { return samples != 0 || timed() || comparing.any(); }
};

struct DevicesWatched {
  std::string text, notes;                   // for standard output, standard error
  std::vector<nlohmann::ordered_json> json;  // by device
  std::vector<JunitCase> cases;
  bool failed = false;
  bool left = false;  // this process could not begin one of the runs, which the others have begun
};

// Errors: a file that cannot be written, or a device that stopped, with its name. Of several processes all call it; the first one is told
// what was found on all devices, and of the others Cancelled says that the first one tells what went wrong. `stops`: the program is known to
// stop with an error, which has been told; then what the comparisons found before it on each device.
absl::Status WatchDevices(const DevicesWatch& watch, const Module& module, Backend& backend, const ProgramOptions& program, const SessionOptions& session, const DeviceCounts& counts,
                          DeviceRun& run, bool stops, DevicesWatched& watched);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_RUN_DEVICES_WATCH_H_
