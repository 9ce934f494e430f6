// StableHLO's interpreter.run_parallel, kept as a custom call: which function each device of a grid runs, and on which operands. Not for
// running it (backends/exchange/run_parallel.h), nor for following the devices (core/debug/parallel_main.h).
#ifndef HLOSCOPE_CORE_OPS_PARALLEL_CALL_H_
#define HLOSCOPE_CORE_OPS_PARALLEL_CALL_H_

#include <cstdint>
#include <vector>

#include "absl/status/statusor.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

struct ParallelCall {
  int64_t replicas = 1, partitions = 1;
  std::vector<Computation*> functions;  // by device, replica by replica
  std::vector<int> first_operand;       // by device: of as many as its function has parameters
  std::vector<Computation*> infeed;     // functions without parameters: what they give is the infeed of each device, in this order. Empty: it brings none
};

bool IsParallelCall(const Instruction& instruction);
// The functions take their parameters from the operands in turn, and their results follow each other. InvalidArgument: rows of functions of
// another length, operands or results that are not those of the functions, or parameters of those of the infeed.
absl::StatusOr<ParallelCall> ParallelCallOf(const Instruction& call);
// What functions of constants give, in order. Unimplemented: one computes something.
absl::StatusOr<std::vector<Value>> ConstantsOf(absl::Span<Computation* const> functions);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_PARALLEL_CALL_H_
