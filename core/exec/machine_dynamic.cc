// Instructions whose sizes differ from the written ones in this run.
#include <deque>
#include <mutex>

#include "absl/strings/str_cat.h"
#include "core/exec/machine_impl.h"
#include "core/literal/relayout.h"

namespace hloscope {
namespace {

bool Differs(const Shape& actual, const Shape& declared) {
  if (declared.IsTuple()) return false;  // handles pass through
  return declared.has_dynamic_dimension() || actual.dimensions() != declared.dimensions();
}

// Kernels refer to the instructions that they were made for, and backends keep kernels: so these stay.
ConcreteInstruction* Keep(std::unique_ptr<ConcreteInstruction> concrete) {
  static auto& mutex = *new std::mutex;
  static auto& kept = *new std::deque<std::unique_ptr<ConcreteInstruction>>;
  std::lock_guard<std::mutex> lock(mutex);
  kept.push_back(std::move(concrete));
  return kept.back().get();
}

}  // namespace

bool Machine::Impl::SizesDiffer(const Instruction& instruction, absl::Span<const Value> operands) {
  if (Def(instruction).sizes_from_values) return false;  // it looks at the values itself
  if (Differs(instruction.shape, instruction.shape)) return true;
  for (size_t k = 0; k < operands.size(); ++k) {
    if (Differs(operands[k].shape(), instruction.operands[k]->shape)) return true;
  }
  return false;
}

absl::StatusOr<ConcreteInstruction*> Machine::Impl::Concrete(Code& code, const Instruction& instruction, absl::Span<const Value> operands) {
  std::string key = absl::StrCat(instruction.index);
  std::vector<Shape> shapes;
  for (const Value& operand : operands) {
    const Shape& shape = operand.shape();
    shapes.push_back(shape.IsArray() ? Shape::Array(shape.element_type(), shape.dimensions()) : shape.WithoutLayouts());
    absl::StrAppend(&key, " ", shapes.back().ToString());
  }
  if (auto it = code.concrete.find(key); it != code.concrete.end()) return it->second;
  absl::StatusOr<std::unique_ptr<ConcreteInstruction>> made = MakeConcrete(instruction, shapes);
  if (!made.ok()) return made.status();
  ConcreteInstruction* concrete = Keep(*std::move(made));
  const StepKind kind = code.steps[instruction.index].kind;
  if (kind == StepKind::kKernel) {
    absl::StatusOr<std::shared_ptr<const Kernel>> kernel = m.backend_.GetKernel(*concrete->computation, concrete->region);
    if (!kernel.ok()) return kernel.status();
    concrete->kernel = *std::move(kernel);
  }
  code.concrete[std::move(key)] = concrete;
  return concrete;
}

absl::StatusOr<const ConcreteInstruction*> Machine::Impl::WithActualSizes(Code& code, const Instruction& instruction, std::vector<Value>& operands) {
  absl::StatusOr<ConcreteInstruction*> made = Concrete(code, instruction, operands);
  if (!made.ok()) return made.status();
  const ConcreteInstruction& concrete = **made;
  for (size_t k = 0; k < operands.size(); ++k) {
    operands[k] = ToDense(operands[k], &m.account_);
    if (operands[k].has_value()) operands[k] = CutTo(operands[k], concrete.operand_shapes[k], &m.account_);
    if (!operands[k].has_value()) return MemoryError(concrete.operand_shapes[k].ByteSize(), instruction);
  }
  return &concrete;
}

absl::StatusOr<Value> Machine::Impl::ExecuteDynamic(Frame& frame, Code& code, const Instruction& instruction, std::vector<Value> operands) {
  const absl::StatusOr<const ConcreteInstruction*> made = WithActualSizes(code, instruction, operands);
  if (!made.ok()) return made.status();
  const ConcreteInstruction& concrete = **made;
  ran = &concrete;
  if (m.region_observer_) ran_on = operands;
  switch (code.steps[instruction.index].kind) {
    case StepKind::kKernel: {
      absl::StatusOr<Value> result = RunKernel(*concrete.kernel, frame, *concrete.instruction, std::move(operands));
      if (!result.ok() || !result->has_value()) return result;
      Value dense = ToDense(*result, &m.account_);  // of what reads memory; arrays of such sizes are kept dense
      if (!dense.has_value()) return MemoryError(result->shape().ByteSize(), instruction);
      return dense;
    }
    case StepKind::kCustomCall: return CustomCall(frame, *concrete.instruction, operands);
    default: return Evaluate(frame, *concrete.instruction, operands);
  }
}

absl::Status Machine::Impl::ObserveDynamic(const Frame& frame, int position, const Value& result) {
  Frame shown;
  shown.kind = frame.kind;
  shown.counted = frame.counted;
  shown.computation = ran->computation;
  shown.iteration = frame.iteration;
  shown.path = frame.path;
  shown.caller = frame.caller;
  if (frame.looked > position) shown.looked = ran->region.root + 1;
  const absl::Status status = m.region_observer_(shown, ran->region, ran->kernel.get(), ran_on, result);
  if (stop_after >= 0) stop_after = position;  // it was asked for in what stands for the instruction
  return status;
}

}  // namespace hloscope
