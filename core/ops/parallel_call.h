// StableHLO's interpreter.run_parallel, kept as a custom call: which function each device of a grid runs, and on which operands. Not for
// running it (backends/exchange/run_parallel.h), nor for following the devices (core/debug/parallel_main.h).
#ifndef HLOSCOPE_CORE_OPS_PARALLEL_CALL_H_
#define HLOSCOPE_CORE_OPS_PARALLEL_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ir/module.h"

namespace hloscope {

struct ParallelCall {
  int64_t replicas = 1, partitions = 1;
  std::vector<Computation*> functions;  // by device, replica by replica
  std::vector<int> first_operand;       // by device: of as many as its function has parameters
};

bool IsParallelCall(const Instruction& instruction);
// The functions take their parameters from the operands in turn, and their results follow each other. InvalidArgument: rows of functions of
// another length, or operands or results that are not those of the functions.
absl::StatusOr<ParallelCall> ParallelCallOf(const Instruction& call);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_PARALLEL_CALL_H_
