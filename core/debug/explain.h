// Pages about operations and instructions, for people. Made from the operation's definition alone. Not for values.
#ifndef HLOSCOPE_CORE_DEBUG_EXPLAIN_H_
#define HLOSCOPE_CORE_DEBUG_EXPLAIN_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

// Summary, what it takes, its attributes, doc and specification.
std::string ExplainOperation(Opcode opcode);
// The instruction's text, where it comes from, formula with its real attributes, shapes and layouts, users.
// `in_run`: its formula with the sizes of a run, where these are others than the bounds; empty: nothing is known of them.
std::string ExplainInstruction(const Module& module, const Instruction& instruction, absl::string_view in_run = "");
// How an element of its result is made, with its real attributes; of what hands values on or calls, what. Empty where no formula would say it.
// Errors: those of ElementProgram.
absl::StatusOr<std::string> FormulaOf(const Instruction& instruction);
// The same, or why there is none.
std::string InstructionFormula(const Instruction& instruction);
// "  attention() at /src/model.py:142" lines, innermost first; "" where the text has none.
std::string PythonFramesText(const Module& module, const Instruction& instruction, absl::string_view indent);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EXPLAIN_H_
