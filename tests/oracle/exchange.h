// Collectives again as plain loops over devices, written from the StableHLO specification and operations.md ("Across replicas"), without
// core/ops: who is in a group, and what each of its members gets. Arrays of doubles that hold whole numbers.
#ifndef HLOSCOPE_TESTS_ORACLE_EXCHANGE_H_
#define HLOSCOPE_TESTS_ORACLE_EXCHANGE_H_

#include <cstdint>
#include <vector>

namespace hloscope::oracle {

struct PlainArray {
  std::vector<int64_t> dims;
  std::vector<double> elements;  // row-major
  bool operator==(const PlainArray&) const = default;
};

enum class Grouping { kReplicas, kPartitions, kReplicasTogether, kFlattened };

// The devices (replica * partitions + partition) of each group; no rows: one group of all.
std::vector<std::vector<int>> PlainGroups(Grouping grouping, const std::vector<std::vector<int>>& rows, int replicas, int partitions);

// Each takes what every device brings, by device, and gives what every device gets. Devices in no group: nothing for them is said.
std::vector<PlainArray> PlainAllReduce(const std::vector<std::vector<int>>& groups, const std::vector<PlainArray>& x, double (*f)(double, double));
std::vector<PlainArray> PlainAllGather(const std::vector<std::vector<int>>& groups, const std::vector<PlainArray>& x, int dim);
std::vector<PlainArray> PlainReduceScatter(const std::vector<std::vector<int>>& groups, const std::vector<PlainArray>& x, int dim, double (*f)(double, double));
std::vector<PlainArray> PlainAllToAll(const std::vector<std::vector<int>>& groups, const std::vector<PlainArray>& x, int dim);
std::vector<PlainArray> PlainBroadcast(const std::vector<std::vector<int>>& groups, const std::vector<PlainArray>& x);
// What is sent by a ragged-all-to-all: rows of `input` to places in the receivers' outputs. The vectors of a member have `entries` for each
// member of its group, one behind the other in the order of the group.
struct PlainRaggedOperands {
  PlainArray input, output;
  std::vector<int64_t> input_offsets, send_sizes, output_offsets;
};
std::vector<PlainArray> PlainRaggedAllToAll(const std::vector<std::vector<int>>& groups, const std::vector<PlainRaggedOperands>& x, int entries);
// `sends`: from which device to which.
std::vector<PlainArray> PlainPermute(const std::vector<std::pair<int, int>>& sends, const std::vector<PlainArray>& x);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_EXCHANGE_H_
