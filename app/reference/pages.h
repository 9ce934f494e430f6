// The page of an operation: definition, types, formula, requirements, builder functions, an example that is run on the spot. Everything
// is taken from the definition, the rule, its sources and the example; nothing is worded here twice. Not for instructions of a user's
// program: core/debug/explain.h.
#ifndef HLOSCOPE_APP_REFERENCE_PAGES_H_
#define HLOSCOPE_APP_REFERENCE_PAGES_H_

#include <string>
#include <vector>

#include "core/ir/opcode.h"

namespace hloscope {

struct Requirement {
  std::string label;    // "dot.contracting-sizes"
  std::string message;  // what its diagnostic says, "…" where it fills something in
};
// The labelled diagnostics of the operation's rule, in the order of its source.
std::vector<Requirement> RequirementsOf(Opcode opcode);
// Which element types operand 0 of the example may have, by asking the rule: "integers, floats". Empty where that says nothing.
std::string TypesOf(Opcode opcode);
// The example's value on the reference backend, inputs made up; or why there is none.
std::string ExampleResult(Opcode opcode);

// Plain text, for the terminal.
std::string OperationPage(Opcode opcode);
// All of them in Markdown, with a table of contents.
std::string OperationsManual();

}  // namespace hloscope

#endif  // HLOSCOPE_APP_REFERENCE_PAGES_H_
