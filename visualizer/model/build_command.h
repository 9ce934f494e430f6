// The builder's commands (what stands after `window builder`) that edit the program, and how a form is written as one.
#ifndef HLOSCOPE_VISUALIZER_MODEL_BUILD_COMMAND_H_
#define HLOSCOPE_VISUALIZER_MODEL_BUILD_COMMAND_H_

#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "visualizer/model/build_edit.h"

namespace hloscope::build {

// add OPERATION %x %y ATTRIBUTE=VALUE... [shape=S] [name=N] [literal=L] [root=yes|no] [after=%x]   a new instruction
// change %i OPERATION %x ... (the same words)         writes an instruction anew; what is not said of metadata and the like stays
// operand %i NUMBER %x | attribute %i NAME=VALUE (empty: takes it out) | shape %i SHAPE | literal %c LITERAL
// delete %i [%instead] | rename %i NAME (or a computation's name) | root %i
// parameter SHAPE [NAME] | constant SHAPE LITERAL|zeros|ones|iota|random[:SEED]|FILE.npy [NAME]
// computation [OPERATION|LT|GT...] [TYPE] [NAME]
// Instructions are looked for in `home` first (null: the entry), then everywhere; "computation:name" names one exactly.
absl::StatusOr<TextEdit> RunBuildCommand(const Reading& reading, const Computation* home, absl::string_view command);

// The words of a draft, as `add` and `change` take them.
std::string WordsOf(const Draft& draft);
const Instruction* FindIn(const Reading& reading, const Computation* home, absl::string_view name);

}  // namespace hloscope::build

#endif  // HLOSCOPE_VISUALIZER_MODEL_BUILD_COMMAND_H_
