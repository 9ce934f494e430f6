// What fusion must know about an instruction, one row of a table for each family of operations.
// Not for what an operation means (core/ops) and not for choosing regions (backends/jit_cpu/plan.h).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_TRAITS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_TRAITS_H_

#include "core/ir/module.h"

namespace hloscope {

enum class FusionKind : uint8_t {
  kAlone,        // a region of one that takes its operands as they are: a library kernel, a copy of blocks, an opaque operation
  kRoot,         // lowered from its element program: may take producers in, is never taken in
  kElementwise,  // each operand element is demanded once, at the result's index
  kMovement,     // index arithmetic only (reshape, slice, broadcast, ...)
  kIndexOnly,    // reads nothing (iota); with kConstant the leaves of what is made anew wherever it is needed
  kConstant,     // a small constant of one repeated element
};

struct FusionTraits {
  FusionKind kind = FusionKind::kAlone;
  // One operand element is demanded for many result elements: of every operand for a root (gather, windows), else of the operands with
  // fewer elements than the result (expanding broadcast).
  bool repeats = false;
  bool same_index = false;  // operands are demanded at the result's own index
  bool duplicable = false;  // costs no more than a load: made anew in every region that reads it
  bool cheap = false;       // elementwise, an instruction or two: less than to write its result and read it again
  bool row_fold = false;    // a root that folds the last dimensions of one array away: may be taken in where it is wanted row by row
  int leading = -1;         // a broadcast whose operand is its first so many dimensions
};

FusionTraits TraitsOf(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_TRAITS_H_
