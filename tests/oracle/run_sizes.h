// Sizes known only at run time (f32[<=5]), for the oracle: an array carries the sizes of the run, and an instruction that reads one becomes
// an instruction of these sizes. Written from the description of the operations, apart from core/ops/dynamic_shapes.h.
#ifndef HLOSCOPE_TESTS_ORACLE_RUN_SIZES_H_
#define HLOSCOPE_TESTS_ORACLE_RUN_SIZES_H_

#include <memory>

#include "tests/oracle/arrays.h"

namespace hloscope::oracle {

// Is a written size of the result or of an operand only a bound?
bool HasBounds(const Instruction& instruction);

struct OfThisRun {
  std::unique_ptr<Instruction> instruction;  // with the result's shape in this run; operands as in the program
  std::vector<Array> operands;               // a static array beside a bounded one gives its first elements
};
// Unimplemented for an operation that is not said here; Aborted when a size is not known exactly.
absl::StatusOr<OfThisRun> SizesOfThisRun(const Instruction& instruction, Operands operands);

// set-dimension-size: the first elements along one dimension.
absl::StatusOr<Array> SetDimensionSize(const Instruction& instruction, Operands operands);
// dynamic-reshape: the elements in order, under sizes that are operands.
absl::StatusOr<Array> DynamicReshape(const Instruction& instruction, Operands operands);

}  // namespace hloscope::oracle

#endif  // HLOSCOPE_TESTS_ORACLE_RUN_SIZES_H_
