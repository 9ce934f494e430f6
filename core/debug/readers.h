// Who reads what an instruction computes, as the program's text has it. Not for what a run executes (calls.h).
#ifndef HLOSCOPE_CORE_DEBUG_READERS_H_
#define HLOSCOPE_CORE_DEBUG_READERS_H_

#include <vector>

#include "core/ir/module.h"

namespace hloscope {

// StableHLO's regions read what is around them: of a constant those are here too that read the copies that regions have of it.
struct Readers {
  std::vector<const Instruction*> users;      // of its own computation first
  std::vector<const Computation*> result_of;  // whose result it is
};
Readers ReadersOf(const Module& module, const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_READERS_H_
