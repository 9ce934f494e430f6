// Pages about operations and instructions, for people. Made from the operation's definition alone. Not for values.
#ifndef HLOSCOPE_CORE_DEBUG_EXPLAIN_H_
#define HLOSCOPE_CORE_DEBUG_EXPLAIN_H_

#include <string>

#include "core/ir/module.h"

namespace hloscope {

// Summary, what it takes, its attributes, doc and specification.
std::string ExplainOperation(Opcode opcode);
// The instruction's text, where it comes from, formula with its real attributes, shapes and layouts, users.
std::string ExplainInstruction(const Module& module, const Instruction& instruction);
// The operation's general formula, for what hands values on or calls with its operands, index, computations and target in it.
std::string FilledFormula(const Instruction& instruction);
// How an element of its result is made, with its real attributes; why there is no formula; empty where no formula would say it.
std::string InstructionFormula(const Instruction& instruction);
// "  attention() at /src/model.py:142" lines, innermost first; "" where the text has none.
std::string PythonFramesText(const Module& module, const Instruction& instruction, absl::string_view indent);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXPLAIN_H_
