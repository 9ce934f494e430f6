// Instructions whose sizes are known only at run time (shapes like f32[<=10]). A value carries its actual shape, f32[5]; the instruction
// is made anew with the actual shapes of its operands and the result that follows from them, and runs like any other. What does not
// follow, or does not fit the written bound, is an error at the instruction. Not for deciding when to do so (machine_run.cc).
#ifndef HLOSCOPE_CORE_EXEC_DYNAMIC_H_
#define HLOSCOPE_CORE_EXEC_DYNAMIC_H_

#include <memory>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

// Does any shape of the module, or any operation in it, leave a size to the run?
bool HasDynamicSizes(const Module& module);

// Can a value of shape `actual` (static) stand where `declared` is written? Equal but for sizes below the bounds of dynamic dimensions.
bool FitsDeclared(const Shape& actual, const Shape& declared);

// An instruction with the sizes of one run: alone in a computation, its operands parameters.
struct ConcreteInstruction {
  std::unique_ptr<Module> module;
  const Computation* computation = nullptr;
  const Instruction* instruction = nullptr;
  Region region;                             // its inputs are the operands in their order, repeats included
  std::vector<Shape> operand_shapes;         // what each operand is cut to before the run
  std::shared_ptr<const Kernel> kernel;      // filled by the user
};

// `shapes`: the actual shapes of the operands. Errors say what does not follow from them. `result`: the actual shape of the result, for
// operations that read it in values (OpDef::sizes_from_values); without it they have their bounds.
absl::StatusOr<std::unique_ptr<ConcreteInstruction>> MakeConcrete(const Instruction& instruction, absl::Span<const Shape> shapes, const Shape* result = nullptr);

// What the size of a bounded dimension of the result follows from: a value, or a dimension of an operand.
struct SizeOrigin {
  int operand = 0;
  int dimension = 0;
  bool is_value = false;
};
// As the operation's rule for shapes says, which is asked with other sizes; more than one where several are added up or must be the same.
// Of instructions that run computations, and of tuples: nothing. Leaf `leaf` of the result.
std::vector<SizeOrigin> SizeOriginsOf(const Instruction& instruction, int leaf, int dimension);

// The first `to`'s elements of each dimension. The shapes have the same rank, `to`'s sizes are not larger.
Value CutTo(const Value& value, const Shape& to, MemoryAccount* account);

// A tuple's shape made of its elements' actual shapes, at every depth.
Value WithActualShape(const Value& value);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_DYNAMIC_H_
