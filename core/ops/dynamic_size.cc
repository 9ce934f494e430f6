// Dynamic sizes: get-dimension-size, set-dimension-size, dynamic-reshape. Values carry no run-time sizes yet, so only what the shape
// already answers is executed.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

// The one dimension that get- and set-dimension-size are about; nullopt after a complaint.
std::optional<int> TheDimension(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("dimension-size.array"))) return std::nullopt;
  if (!CheckCount(c, AttrId::kDimensions, 1, HLO_LABEL("dimension-size.one-dimension"))) return std::nullopt;
  if (!CheckInRange(c, AttrId::kDimensions, c.operand(0).rank(), HLO_LABEL("dimension-size.dimension-range"))) return std::nullopt;
  return static_cast<int>(c.instruction().Ints(AttrId::kDimensions)[0]);
}

std::optional<Shape> InferGet(ShapeContext& c) {
  const std::optional<int> dimension = TheDimension(c);
  if (!dimension.has_value()) return std::nullopt;
  if (c.operand(0).dim(*dimension) > INT32_MAX) {
    return c.Fail(HLO_LABEL("get-dimension-size.too-large"), absl::StrCat("the size ", c.operand(0).dim(*dimension), " does not fit into s32"));
  }
  return Shape::Scalar(ElementType::kS32);
}

absl::StatusOr<Program> ProgramOfGet(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const int dimension = static_cast<int>(instruction.Ints(AttrId::kDimensions)[0]);
  if (program.operands[0].is_dynamic(dimension)) {
    return absl::UnimplementedError("the run-time size of a dynamic dimension is not known yet");
  }
  program.outputs[0].value = program.graph->Constant(Scalar::Int(ElementType::kS32, program.operands[0].dim(dimension)));
  return program;
}

std::optional<Shape> InferSet(ShapeContext& c) {
  const std::optional<int> dimension = TheDimension(c);
  if (!dimension.has_value()) return std::nullopt;
  if (!c.operand(1).IsScalar() || c.operand(1).element_type() != ElementType::kS32) {
    return c.FailOperand(1, HLO_LABEL("set-dimension-size.size"), absl::StrCat("the size must be s32[], not ", c.operand(1).ToString(false)));
  }
  const Shape& operand = c.operand(0);
  std::vector<bool> dynamic(operand.rank());
  for (int d = 0; d < operand.rank(); ++d) dynamic[d] = d == *dimension || operand.is_dynamic(d);
  return Shape::Array(operand.element_type(), operand.dimensions(), std::nullopt, std::move(dynamic));
}

std::optional<Shape> InferReshape(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("dynamic-reshape.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  const Shape& result = c.written();
  if (!result.IsArray() || result.element_type() != c.operand(0).element_type()) {
    return c.Fail(HLO_LABEL("dynamic-reshape.result"), absl::StrCat("the result must be an array of ", Name(c.operand(0).element_type()), ", not ", result.ToString(false)));
  }
  if (c.operand_count() != result.rank() + 1) {
    return c.Fail(HLO_LABEL("dynamic-reshape.size-count"), absl::StrCat("each of the ", result.rank(), " dimensions needs a size, but there are ", c.operand_count() - 1));
  }
  for (int i = 1; i < c.operand_count(); ++i) {
    if (c.operand(i).IsScalar() && c.operand(i).element_type() == ElementType::kS32) continue;
    return c.FailOperand(i, HLO_LABEL("dynamic-reshape.size"), absl::StrCat("a size must be s32[], not ", c.operand(i).ToString(false)));
  }
  return result;
}

absl::StatusOr<Program> NotExecuted(const Instruction& instruction) {
  return absl::UnimplementedError(absl::StrCat(Name(instruction.opcode), " is not executed yet: values carry no run-time sizes"));
}

}  // namespace

void DefineDynamicSize(OpRegistry& registry) {
  OpDef& get = registry.Define(Opcode::kGetDimensionSize);
  get.min_operands = get.max_operands = 1;
  get.attributes = {{AttrId::kDimensions, true}};
  get.infer = InferGet;
  get.program = ProgramOfGet;
  get.summary = "the size of one dimension";
  get.doc = "An `s32` scalar. For a dimension written `<=N` it is the size at run time.";
  get.spec = "operations.md: Shape and data movement";

  OpDef& set = registry.Define(Opcode::kSetDimensionSize);
  set.movement = Movement::kMove;
  set.min_operands = set.max_operands = 2;
  set.attributes = {{AttrId::kDimensions, true}};
  set.infer = InferSet;
  set.program = NotExecuted;
  set.not_executed = "set-dimension-size is not executed yet: values carry no run-time sizes";
  set.summary = "the operand with one dimension cut to a size computed by the program";
  set.doc = "The dimension becomes `<=N`; operations that read the result see only so many elements.";
  set.spec = "operations.md: Shape and data movement";

  OpDef& reshape = registry.Define(Opcode::kDynamicReshape);
  reshape.movement = Movement::kMove;
  reshape.min_operands = 1;
  reshape.max_operands = -1;
  reshape.infer = InferReshape;
  reshape.program = NotExecuted;
  reshape.not_executed = "dynamic-reshape is not executed yet: values carry no run-time sizes";
  reshape.summary = "a reshape to sizes computed by the program";
  reshape.doc = "One `s32` scalar for each dimension of the result; the written sizes are their bounds.";
  reshape.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
