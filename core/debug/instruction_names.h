// The name of an instruction as people type it: x or %x, or with its computation, as body:x and, as places are shown, %x in body.
#ifndef HLOSCOPE_CORE_DEBUG_INSTRUCTION_NAMES_H_
#define HLOSCOPE_CORE_DEBUG_INSTRUCTION_NAMES_H_

#include <string>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/nearest_name.h"
#include "core/ir/module.h"

namespace hloscope {

struct InstructionName {
  absl::string_view computation;  // empty: not said
  absl::string_view name;         // without %
};
InstructionName ParseInstructionName(absl::string_view text);

// The instruction of `computation` that is meant; null: it has none of that name, or another computation is named.
const Instruction* FindNamed(const Computation& computation, absl::string_view text);

// Of a name with its computation that means nothing: which of the two is wrong, and where such an instruction is. NotFound.
absl::Status NoSuchNamed(const Module& module, const InstructionName& name);

// Takes " in body" off the front of `text` and returns the word behind in, without %; empty: it is not there.
absl::string_view TakeIn(absl::string_view& text);

// As the program's text calls it.
void OfferName(NearestName& nearest, const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_INSTRUCTION_NAMES_H_
