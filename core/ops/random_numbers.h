// Which instructions draw random numbers from the stream of their place in the program: moved elsewhere, they draw others.
#ifndef HLOSCOPE_CORE_OPS_RANDOM_NUMBERS_H_
#define HLOSCOPE_CORE_OPS_RANDOM_NUMBERS_H_

#include "core/ir/module.h"

namespace hloscope {

// Itself; not what it calls.
inline bool DrawsRandomNumbers(const Instruction& instruction) { return instruction.opcode == Opcode::kRng || instruction.opcode == Opcode::kRngGetAndUpdateState; }

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_RANDOM_NUMBERS_H_
