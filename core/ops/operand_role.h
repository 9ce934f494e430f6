// What the numbers of an operand are for. Made-up inputs (core/exec/inputs.h) are chosen by it: weights by their fan-in, indices in
// range, positive numbers under a square root. Not part of what an operation means.
#ifndef HLOSCOPE_CORE_OPS_OPERAND_ROLE_H_
#define HLOSCOPE_CORE_OPS_OPERAND_ROLE_H_

#include "core/ir/module.h"

namespace hloscope {

enum class OperandRole : uint8_t {
  kData,        // nothing special; what comes out is another quantity
  kThrough,     // the same numbers come out (moved, converted, selected)
  kArithmetic,  // shifted or scaled numbers come out, which want the same sign (add, multiply, maximum, the numerator of divide)
  kWeights,     // contracted with data: `extent` is the fan-in
  kIndex,       // positions: `extent` says how many there are
  kPositive,    // above zero: square roots, logarithms, variances
  kDivisor,     // away from zero
};

struct RoleOfOperand {
  OperandRole role = OperandRole::kData;
  int64_t extent = 0;
};

// Operations that run computations, and tuples, are kData here: whoever follows a value knows what they do (OpDef::control).
RoleOfOperand RoleOf(const Instruction& instruction, int operand);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_OPERAND_ROLE_H_
