// What collectives give to each member of a group, from what all members brought: one function for each kind, all of one signature
// (ExchangeDef::results). Not for who the members are (device_groups.h) nor for waiting until they have come (backends/exchange).
#ifndef HLOSCOPE_CORE_OPS_COLLECTIVE_EXCHANGE_H_
#define HLOSCOPE_CORE_OPS_COLLECTIVE_EXCHANGE_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ops/exchange_def.h"

namespace hloscope {

// StableHLO specification: all_reduce, all_gather, reduce_scatter, all_to_all, collective_broadcast, collective_permute.
absl::StatusOr<std::vector<Value>> ExchangeAllReduce(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangeAllGather(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangeAllGatherStart(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangeReduceScatter(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangeAllToAll(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangeRaggedAllToAll(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangeBroadcast(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangePermute(const ExchangeContext& c);
absl::StatusOr<std::vector<Value>> ExchangePermuteStart(const ExchangeContext& c);

// Whether a collective-permute of so many operands, which gives `result`, writes what it receives into parts of its second operand (operand,
// buffer, where from, where to); else each operand is permuted by itself, four too.
bool PermutesIntoBuffer(size_t operand_count, const Shape& second_operand, const Shape& result);

// What a device in no group gets: zeros (ExchangeDef::outsiders_get_zeros).
absl::StatusOr<Value> OutsiderValue(const Instruction& instruction, absl::Span<const Value> operands, MemoryAccount* account);

// A computation of `count` arrays of `shape` that reduces them with `reducer`, from the first to the last: f(f(a, b), c). `reducer` is not
// copied: it must outlive the result.
std::unique_ptr<Module> ReductionModule(const Computation& reducer, const Shape& shape, int count);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_COLLECTIVE_EXCHANGE_H_
