// Frames inside reducers and comparators: `step` into an instruction whose computation works on scalars. Each call of the computation
// is one kElement frame; the walk shows how the first elements come about and is thrown away, the instruction itself runs natively.
#include "core/exec/machine_impl.h"
#include "core/exec/not_on_the_way.h"
#include "core/literal/relayout.h"
#include "core/ops/element_calls.h"

namespace hloscope {

absl::StatusOr<bool> Machine::Impl::PushElements(Stack& stack, const Instruction& instruction, const Instruction& of_run, std::vector<Value> operands) {
  for (Value& operand : operands) operand = ToDense(operand, &m.account_);
  std::shared_ptr<ElementCalls> calls = ElementCalls::Make(of_run, std::move(operands));
  if (calls == nullptr) return false;
  std::optional<std::vector<Value>> arguments = calls->Next(nullptr);
  if (!arguments.has_value()) return false;
  const uint64_t path = stack.frames.back().path;
  absl::Status status = PushFrame(stack, FrameKind::kElement, &instruction, path, calls->computation(), *std::move(arguments), 0, -1);
  if (!status.ok()) return status;
  stack.frames.back().walk = calls;
  return true;
}

// After the last call the frame is gone and its instruction is next, to be computed natively.
absl::StatusOr<bool> Machine::Impl::NextElement(Stack& stack, Value result) {
  Frame& frame = stack.frames.back();
  std::shared_ptr<void> walk = frame.walk;
  const Instruction* caller = frame.caller;
  const uint64_t path = frame.caller_path;
  const int64_t iteration = frame.iteration + 1;
  ElementCalls& calls = *static_cast<ElementCalls*>(walk.get());
  std::optional<std::vector<Value>> arguments = calls.Next(&result);
  PopFrame(stack);
  if (!arguments.has_value()) {
    exempt_serial = stack.frames.back().serial;  // a breakpoint there was passed when the walk began
    exempt_position = stack.frames.back().position;
    walked_serial = exempt_serial;
    walked_position = exempt_position;
    return false;
  }
  absl::Status status = PushFrame(stack, FrameKind::kElement, caller, path, calls.computation(), *std::move(arguments), iteration, -1);
  if (!status.ok()) return status;
  stack.frames.back().walk = std::move(walk);
  return true;
}

absl::Status Machine::Impl::SkipElements(Stack& stack, int64_t number) {
  Frame& frame = stack.frames.back();
  std::shared_ptr<void> walk = frame.walk;
  ElementCalls& calls = *static_cast<ElementCalls*>(walk.get());
  const int64_t passed = calls.Skip(number - frame.iteration);
  if (passed == 0) return absl::OkStatus();
  const Instruction* caller = frame.caller;
  const uint64_t path = frame.caller_path;
  const int64_t iteration = frame.iteration + passed;
  std::optional<std::vector<Value>> arguments = calls.Next(nullptr);
  PopFrame(stack);
  if (!arguments.has_value()) return NotOnTheWay("there are not so many calls");
  absl::Status status = PushFrame(stack, FrameKind::kElement, caller, path, calls.computation(), *std::move(arguments), iteration, -1);
  if (status.ok()) stack.frames.back().walk = std::move(walk);
  return status;
}

Machine::WalkLength Machine::LengthOfWalk() const {
  if (frames_.empty() || frames_.back().walk == nullptr) return {};
  // The first call was given already: counted are those of a walk that has not begun.
  const ElementCalls::Length length = static_cast<const ElementCalls*>(frames_.back().walk.get())->Count();
  return {length.calls, length.to_last};
}

}  // namespace hloscope
