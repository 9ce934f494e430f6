// The builder's functions for an operation, as text: for pages and tests.
#ifndef HLOSCOPE_CORE_OPS_BUILDER_METHODS_H_
#define HLOSCOPE_CORE_OPS_BUILDER_METHODS_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "core/ir/opcode.h"

namespace hloscope::hlo {

// "Op Add(Op lhs, Op rhs, Dims broadcast_dimensions = {})", the main one first; never empty (tests/builder).
std::vector<absl::string_view> MethodsOf(Opcode opcode);

}  // namespace hloscope::hlo

#endif  // HLOSCOPE_CORE_OPS_BUILDER_METHODS_H_
