// What a text calls instructions where that is not their name, as 0 of v0 or r#1 of r.1 in StableHLO. They are found by it everywhere
// (Computation::by_name has both); this is for showing and offering them: texts for people name an instruction by ShownName.
#ifndef HLOSCOPE_CORE_IR_WRITTEN_NAMES_H_
#define HLOSCOPE_CORE_IR_WRITTEN_NAMES_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

// The shortest such name; empty: nothing else than the instruction's own.
absl::string_view WrittenName(const Instruction& instruction);
// "%6": as the program's own text calls it.
std::string ShownName(const Instruction& instruction);
// "6": the same without the sign, as JSON has it.
std::string NameInText(const Instruction& instruction);
// All such names of a computation, sorted.
std::vector<absl::string_view> WrittenNames(const Computation& computation);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_WRITTEN_NAMES_H_
