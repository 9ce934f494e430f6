// A program's text with one thing in it changed, and reading it again. Not for what becomes of a run of it (edit.cc).
#ifndef HLOSCOPE_CORE_DEBUG_EDIT_TEXT_H_
#define HLOSCOPE_CORE_DEBUG_EDIT_TEXT_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

// Below, `origin` is the StableHLO program that an edit made HLO of, null where it was none.

// Constants in other computations that come from the same place of the text: StableHLO's regions read what is around them, and each has a copy.
std::vector<const Instruction*> CopiesOf(const Module& module, const Instruction& constant, const Module* origin);
// A module in which the constant (with its copies) has this text, `{1, 2}`, as its literal.
absl::StatusOr<std::unique_ptr<Module>> WithConstantText(const Module& module, const Instruction& constant, absl::string_view text,
                                                         const Module* origin);
// In which it has this value, of its shape.
absl::StatusOr<std::unique_ptr<Module>> WithConstant(const Module& module, const Instruction& constant, const Value& value,
                                                     const Module* origin);
// Of a program that is HLO since it was edited, where its sizes are fixed: InvalidArgument where the text would have made sizes or attributes of
// this value, so that a change of the constant is another there.
absl::Status NeedValueAlone(const Module* origin, const Instruction& constant, absl::string_view text);
// In which the instruction has this attribute, `dimensions={0}`, instead of the one of that name, or besides the others.
absl::StatusOr<std::unique_ptr<Module>> WithAttribute(const Module& module, const Instruction& instruction, absl::string_view attribute);
// A file of HLO or StableHLO text.
absl::StatusOr<std::unique_ptr<Module>> ReadEdited(const Module& module, const std::string& path);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_EDIT_TEXT_H_
