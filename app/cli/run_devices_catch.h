// run --catch on several devices: a run of its own, in which all devices take the turns that a session gives them, so that what is caught
// first is always the same. Not for one device (run.cc), nor for the run whose figures are told (run_devices.h).
#ifndef HLOSCOPE_APP_CLI_RUN_DEVICES_CATCH_H_
#define HLOSCOPE_APP_CLI_RUN_DEVICES_CATCH_H_

#include <memory>
#include <optional>
#include <vector>

#include "app/cli/run_devices.h"
#include "core/debug/catch_find.h"

namespace hloscope::cli {

// The exit status where something was caught or the run cannot be made, and everything is said. Nothing: nothing was caught up to the end,
// or up to an error, which the run itself will tell.
std::optional<int> CatchOnDevices(const DevicesRun& run, const std::vector<CatchRequest>& requests, const std::shared_ptr<Module>& module,
                                  const Loaded& loaded);

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_RUN_DEVICES_CATCH_H_
