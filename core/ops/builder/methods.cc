#include "core/ops/builder/methods.h"

namespace hloscope::hlo {

std::vector<absl::string_view> MethodsOf(Opcode opcode) {
  struct Row {
    Opcode opcode;
    absl::string_view signature;
  };
  static constexpr Row kRows[] = {
#define X(opcode, signature) {Opcode::opcode, signature},
#include "core/ops/builder/methods.def"
#undef X
  };
  std::vector<absl::string_view> methods;
  for (const Row& row : kRows) {
    if (row.opcode == opcode) methods.push_back(row.signature);
  }
  return methods;
}

}  // namespace hloscope::hlo
