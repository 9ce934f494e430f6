// Reshape: the same elements in row-major order, under other dimensions.
#include "absl/strings/str_cat.h"
#include "core/ops/dynamic_shapes.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("reshape.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  const Shape& operand = c.operand(0);
  const Shape& result = c.written();
  if (!result.IsArray()) return c.Fail(HLO_LABEL("reshape.result"), absl::StrCat("reshape makes an array, not ", result.ToString(false)));
  if (operand.ElementCount() != result.ElementCount()) {
    return c.Fail(HLO_LABEL("reshape.element-count"), absl::StrCat(operand.ToString(false), " has ", operand.ElementCount(), " elements and ",
                                                                   result.ToString(false), " has ", result.ElementCount()));
  }
  if (operand.has_dynamic_dimension() || result.has_dynamic_dimension()) {
    std::string why;
    std::optional<std::vector<bool>> dynamic = ReshapeDynamic(operand, result, &why);
    if (!dynamic.has_value()) return c.Fail(HLO_LABEL("reshape.dynamic"), why, "write <= at the dimension that takes it, or use dynamic-reshape");
    return Shape::Array(operand.element_type(), result.dimensions(), std::nullopt, *std::move(dynamic));
  }
  return result.element_type() == operand.element_type() ? result : result.WithElementType(operand.element_type());
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const std::vector<NodeId> indices =
      ReshapeIndices(*program.graph, instruction.shape.dimensions(), program.operands[0].dimensions(), OutputIndices(program));
  program.outputs[0].value = LoadOperand(program, 0, indices);
  return program;
}

}  // namespace

void DefineReshape(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kReshape);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the same elements under other dimensions";
  def.doc = "Reads the operand in row-major order and fills the result in row-major order. As many elements come out as went in.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
