// The formula of an instruction with the sizes that it has in a run, where the program leaves sizes to the run (f32[<=6]). Not for formulas as they are
// written (explain.h).
#ifndef HLOSCOPE_CORE_DEBUG_FORMULA_IN_RUN_H_
#define HLOSCOPE_CORE_DEBUG_FORMULA_IN_RUN_H_

#include <string>

#include "core/debug/session_state.h"

namespace hloscope {

// With the sizes that its operands have where the program stands; empty where they are the written ones, or not known there.
std::string FormulaInRun(const Session::State& s, const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_FORMULA_IN_RUN_H_
