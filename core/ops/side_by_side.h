// Operations that do one thing to several arrays side by side (reduce, reduce-window, sort, scatter, map): which operands, and which parameters
// of the computation, belong to which array. The arrays may stand in any order; part k of the result is that of array k.
#ifndef HLOSCOPE_CORE_OPS_SIDE_BY_SIDE_H_
#define HLOSCOPE_CORE_OPS_SIDE_BY_SIDE_H_

#include "core/ir/module.h"

namespace hloscope {

struct SidePlace {
  int array = -1;  // -1: it is of all of them
  int role = 0;    // the array itself, what it starts from, its update; the accumulator, the element
};

struct SideBySide {
  int arrays = 0;  // 0: it is no such operation
  bool results = true;    // one a part; else one of all
  bool decides = false;   // the computation says what happens to all arrays alike, and makes no part of the result
  const Computation* computation = nullptr;
  SidePlace (*operand)(int operand, int arrays) = nullptr;
  SidePlace (*parameter)(int parameter, int arrays) = nullptr;
};

// Of a verified instruction.
SideBySide SideBySideOf(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_SIDE_BY_SIDE_H_
