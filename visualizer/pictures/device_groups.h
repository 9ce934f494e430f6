// Which devices a collective joins, from its attributes alone: replica_groups in every form that is written, source_target_pairs, and whether
// the numbers mean replicas, partitions or both. Groups' faults are listed, not refused. Not for drawing (collective.cc).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_DEVICE_GROUPS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_DEVICE_GROUPS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

struct Device {
  int64_t replica = 0, partition = 0;
  bool operator==(const Device&) const = default;
};

// What the numbers in groups and pairs mean.
enum class GroupMode : uint8_t {
  kReplicas,           // replicas; each partition for itself
  kPartitions,         // partitions; each replica for itself
  kReplicasTogether,   // replicas, with all of their partitions
  kFlattened,          // replica * partitions + partition
};

struct DeviceGroups {
  int64_t replicas = 1, partitions = 1;
  bool counts_known = true;   // from the module's header; else as many as are named
  GroupMode mode = GroupMode::kReplicas;
  std::vector<std::vector<int64_t>> written;  // numbers, as the attribute lists them (an iota list expanded)
  std::vector<std::vector<Device>> groups;    // that exchange with one another
  bool pairwise = false;      // sources and targets instead of groups
  std::vector<std::pair<Device, Device>> pairs;
  // Devices in no group, numbers that are named twice, numbers that no device has.
  std::vector<Device> missing;
  std::vector<int64_t> twice, beyond;
  bool readable = true;       // the attribute's text was understood
  bool all = false;           // nothing was written: one group of all

  int GroupOf(const Device& device) const;  // -1: none
};

// How many are read and listed.
inline constexpr int64_t kMostDevices = 1 << 16;

// "{{0,1},{2,3}}", "[2,4]<=[4,2]T(1,0)", "{}". nullopt: it cannot be read.
std::optional<std::vector<std::vector<int64_t>>> ReadGroups(absl::string_view text);
DeviceGroups GroupsOf(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_DEVICE_GROUPS_H_
