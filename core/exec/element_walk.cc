// Frames inside reducers and comparators: `step` into an instruction whose computation works on scalars.
#include "core/exec/machine_impl.h"

namespace hloscope {

absl::StatusOr<bool> Machine::Impl::PushElements(Stack& stack, const Instruction& instruction, std::vector<Value> operands) { return false; }

absl::StatusOr<bool> Machine::Impl::NextElement(Stack& stack, Value result) {
  PopFrame(stack);
  return false;
}

}  // namespace hloscope
