// The sizes of one run: what an instruction with bounded dimensions (f32[<=10]) is when its operands' actual sizes are known. And how
// bounds go through a reshape. Not for running it (core/exec/dynamic.h).
#ifndef HLOSCOPE_CORE_OPS_DYNAMIC_SHAPES_H_
#define HLOSCOPE_CORE_OPS_DYNAMIC_SHAPES_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/ir/module.h"

namespace hloscope {

struct ConcreteShapes {
  std::vector<Shape> operands;          // what each operand is cut to: a static array beside a dynamic one gives its first elements
  std::vector<Attribute> attributes;    // the instruction's, with whole-dimension slices cut
  // What to offer the shape rule as the written shape. Dimensions that nothing determines keep their dynamic flag: a rule that returns
  // them could not infer them.
  Shape result;
  // The operation reads memory, not elements: `operands` and `result` have the layouts that are written, and what is made of them keeps
  // them. Other operations do not ask for layouts and get none.
  bool reads_memory = false;
};

// `actual`: the run-time shapes of the operands, static. Errors say which size does not follow, or which operands disagree.
absl::StatusOr<ConcreteShapes> ConcreteShapesOf(const Instruction& instruction, absl::Span<const Shape> actual);

// A parameter instruction, added to a computation that is being made.
Instruction* AddParameter(Module& module, Computation* computation, absl::string_view name, const Shape& shape, int64_t number);

// Which dimensions of `to` are dynamic when `from`, bounded as written, is reshaped to the sizes of `to` with the flags that it has.
// Nullopt, with `why`, where it cannot be told.
std::optional<std::vector<bool>> ReshapeDynamic(const Shape& from, const Shape& to, std::string* why);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_DYNAMIC_SHAPES_H_
