// Which devices a collective or a transfer joins, from its attributes alone: replica_groups in every form that is written,
// source_target_pairs, and whether the numbers mean replicas, partitions or both. GroupsOf lists the faults of groups; ExchangeGroups
// refuses them, for a run. Not for what is exchanged (collective_exchange.cc).
#ifndef HLOSCOPE_CORE_OPS_DEVICE_GROUPS_H_
#define HLOSCOPE_CORE_OPS_DEVICE_GROUPS_H_

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

struct Device {
  int64_t replica = 0, partition = 0;
  bool operator==(const Device&) const = default;
  auto operator<=>(const Device&) const = default;
};
// "replica 1", "partition 3", "replica 1, partition 3": as much as is needed among so many. "the program" where there is one device.
std::string DeviceText(const Device& device, int64_t replicas, int64_t partitions);

// What the numbers in groups and pairs mean.
enum class GroupMode : uint8_t {
  kReplicas,           // replicas; each partition for itself
  kPartitions,         // partitions; each replica for itself
  kReplicasTogether,   // replicas, with all of their partitions
  kFlattened,          // replica * partitions + partition
};

GroupMode GroupModeOf(const Instruction& instruction);
// The order inside a group of GroupMode::kReplicasTogether, as the pages of the operations tell it; a literal, to stand behind others.
#define HLO_ORDER_OF_REPLICAS_TOGETHER                                                                                                     \
  "\n\nWith a channel_id and without use_global_device_ids the numbers of a group are replicas, each with all of its partitions. Its order " \
  "goes partition by partition then: partition 0 of each of its replicas, then partition 1 of each, as StableHLO's "                       \
  "cross_replica_and_partition says. XLA goes replica by replica there; with use_global_device_ids=true the groups say the order themselves."

// What the module's header says of "replica_count" or "num_partitions", up to kMostDevices; nothing: it is silent.
std::optional<int64_t> HeaderCount(const Instruction& instruction, absl::string_view key);
// How many numbers there are, from 0 on: one group of all has as many.
int64_t NumbersOf(GroupMode mode, int64_t replicas, int64_t partitions);
// How many devices a group of so many numbers joins.
int64_t DevicesOf(GroupMode mode, int64_t numbers, int64_t partitions);

struct DeviceGroups {
  int64_t replicas = 1, partitions = 1;
  bool counts_known = true;   // from the module's header; else as many as are named
  GroupMode mode = GroupMode::kReplicas;
  std::vector<std::vector<int64_t>> written;  // numbers, as the attribute lists them (an iota list expanded)
  std::vector<std::vector<Device>> groups;    // that exchange with one another
  bool pairwise = false;                      // sources and targets instead of groups; transfers that name none have no pairs
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
// source_target_pairs as they are written; null: it has none.
const std::vector<std::pair<int64_t, int64_t>>* PairsOf(const Instruction& instruction);
DeviceGroups GroupsOf(const Instruction& instruction);
// The same in a run of so many devices, whatever the module's header says.
DeviceGroups GroupsOf(const Instruction& instruction, int64_t replicas, int64_t partitions);

// Devices that exchange with one another when they execute an instruction.
struct ExchangeGroup {
  std::vector<Device> members;             // in the order of the group; of pairs ascending
  std::vector<std::pair<int, int>> sends;  // of pairs: from which member to which
};
// The groups of a collective in a run of so many devices. InvalidArgument where they do not fit: a device that there is none of, in two groups,
// or in none though every device has to take part (ExchangeDef::outsiders_get_zeros); groups of several sizes where one size is needed.
absl::StatusOr<std::vector<ExchangeGroup>> ExchangeGroups(const Instruction& instruction, int64_t replicas, int64_t partitions);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_DEVICE_GROUPS_H_
