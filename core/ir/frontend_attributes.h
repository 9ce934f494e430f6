// frontend_attributes={key="value",other={a,{b}}}: finding one of them in the text that an instruction keeps as written. Not for making new ones.
#ifndef HLOSCOPE_CORE_IR_FRONTEND_ATTRIBUTES_H_
#define HLOSCOPE_CORE_IR_FRONTEND_ATTRIBUTES_H_

#include <optional>
#include <string>

#include "absl/strings/string_view.h"

namespace hloscope {

// The value of `key`, without quotes where it has them; values in braces need none. What is escaped inside quotes stays so. nullopt: it is not
// there. `raw` is Instruction::frontend_attributes, with its braces.
std::optional<absl::string_view> FrontendAttribute(absl::string_view raw, absl::string_view key);
// The text without it, where it is there; empty: nothing is left.
std::string WithoutFrontendAttribute(absl::string_view raw, absl::string_view key);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_FRONTEND_ATTRIBUTES_H_
