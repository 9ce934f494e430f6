// The opcodes, from the one table core/ir/operations.def. What an opcode means is its OpDef in core/ops.
#ifndef HLOSCOPE_CORE_IR_OPCODE_H_
#define HLOSCOPE_CORE_IR_OPCODE_H_

#include <cstdint>
#include <optional>

#include "absl/strings/string_view.h"

namespace hloscope {

enum class Opcode : uint8_t {
#define X(enumerator, text, file) enumerator,
#include "core/ir/operations.def"
#undef X
};

inline constexpr int kOpcodeCount = 0
#define X(enumerator, text, file) +1
#include "core/ir/operations.def"
#undef X
    ;

absl::string_view Name(Opcode opcode);
std::optional<Opcode> OpcodeFromName(absl::string_view name);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_IR_OPCODE_H_
