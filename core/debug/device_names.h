// Devices by their names, in lists. Not for what one device is called (DeviceText of core/ops/device_groups.h).
#ifndef HLOSCOPE_CORE_DEBUG_DEVICE_NAMES_H_
#define HLOSCOPE_CORE_DEBUG_DEVICE_NAMES_H_

#include <string>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hloscope {

// What stands between names: a comma, or ";" where such a name has commas itself.
absl::string_view BetweenNames(absl::string_view name);
// "replica 0, replica 2", and "replica 0, partition 1; replica 2, partition 0".
std::string ListOfNames(absl::Span<const std::string> names);
// The file of a device: "run.npz" is run_replica_1.npz for replica 1.
std::string FileOfDevice(const std::string& path, absl::string_view device);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_DEVICE_NAMES_H_
