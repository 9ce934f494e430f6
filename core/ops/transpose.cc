// Transpose: dimensions in another order.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("transpose.array"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  if (!CheckCount(c, AttrId::kDimensions, operand.rank(), HLO_LABEL("transpose.dimension-count"))) return std::nullopt;
  if (!CheckInRange(c, AttrId::kDimensions, operand.rank(), HLO_LABEL("transpose.dimension-range"))) return std::nullopt;
  if (!CheckDistinct(c, AttrId::kDimensions, HLO_LABEL("transpose.dimension-repeated"))) return std::nullopt;
  std::vector<int64_t> sizes;
  std::vector<bool> dynamic;
  for (int64_t d : c.instruction().Ints(AttrId::kDimensions)) {
    sizes.push_back(operand.dim(static_cast<int>(d)));
    if (operand.has_dynamic_dimension()) dynamic.push_back(operand.is_dynamic(static_cast<int>(d)));
  }
  return Shape::Array(operand.element_type(), sizes, std::nullopt, std::move(dynamic));
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const absl::Span<const int64_t> permutation = instruction.Ints(AttrId::kDimensions);
  std::vector<NodeId> indices(permutation.size());
  for (size_t i = 0; i < permutation.size(); ++i) indices[permutation[i]] = program.graph->Index(static_cast<int32_t>(i));
  program.outputs[0].value = LoadOperand(program, 0, indices);
  return program;
}

}  // namespace

void DefineTranspose(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kTranspose);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kDimensions}};  // absent for a scalar
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operand with its dimensions in another order";
  def.doc = "Dimension i of the result is dimension `dimensions[i]` of the operand.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
