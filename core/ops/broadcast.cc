// Broadcast: an operand's dimensions placed among more (or larger) ones; elements repeat along the rest.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("broadcast.array"))) return std::nullopt;
  if (c.instruction().shape_omitted) return std::nullopt;
  const Shape& operand = c.operand(0);
  const Shape& result = c.written();
  if (!result.IsArray()) return c.Fail(HLO_LABEL("broadcast.result"), absl::StrCat("broadcast makes an array, not ", result.ToString(false)));
  if (!CheckCount(c, AttrId::kDimensions, operand.rank(), HLO_LABEL("broadcast.dimension-count"))) return std::nullopt;
  if (!CheckInRange(c, AttrId::kDimensions, result.rank(), HLO_LABEL("broadcast.dimension-range"))) return std::nullopt;
  if (!CheckDistinct(c, AttrId::kDimensions, HLO_LABEL("broadcast.dimension-repeated"))) return std::nullopt;
  const absl::Span<const int64_t> dimensions = c.instruction().Ints(AttrId::kDimensions);
  for (int d = 0; d < operand.rank(); ++d) {
    const int64_t size = operand.dim(d), to = result.dim(static_cast<int>(dimensions[d]));
    if (size == to || size == 1) continue;
    return c.FailAttribute(AttrId::kDimensions, HLO_LABEL("broadcast.sizes"),
                           absl::StrCat("dimension ", d, " of size ", size, " cannot become dimension ", dimensions[d], " of size ", to));
  }
  if (operand.has_dynamic_dimension() || result.has_dynamic_dimension()) {
    std::vector<bool> dynamic(result.rank(), false), given(result.rank(), false);
    for (int d = 0; d < operand.rank(); ++d) {
      const int to = static_cast<int>(dimensions[d]);
      given[to] = operand.dim(d) == result.dim(to);
      dynamic[to] = given[to] && operand.is_dynamic(d);
    }
    for (int d = 0; d < result.rank(); ++d) {
      if (!result.is_dynamic(d) || given[d]) continue;
      return c.Fail(HLO_LABEL("broadcast.dynamic"), absl::StrCat("nothing says how large the dynamic dimension ", d, " of ", result.ToString(false), " is"),
                    "broadcast to the bound, and cut the result with set-dimension-size");
    }
    return Shape::Array(operand.element_type(), result.dimensions(), std::nullopt, std::move(dynamic));
  }
  return result.element_type() == operand.element_type() ? result : result.WithElementType(operand.element_type());
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const absl::Span<const int64_t> dimensions = instruction.Ints(AttrId::kDimensions);
  std::vector<NodeId> indices;
  for (int d = 0; d < program.operands[0].rank(); ++d) {
    const bool stretched = program.operands[0].dim(d) == 1;
    indices.push_back(stretched ? program.graph->IndexConstant(0) : program.graph->Index(static_cast<int32_t>(dimensions[d])));
  }
  program.outputs[0].value = LoadOperand(program, 0, indices);
  return program;
}

}  // namespace

void DefineBroadcast(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kBroadcast);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kDimensions}};
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operand, repeated along further dimensions";
  def.doc =
      "Dimension i of the operand becomes dimension `dimensions[i]` of the result; along the others, elements repeat. An operand dimension has "
      "the result's size, or size 1 and repeats. A scalar needs no dimensions.";
  def.spec = "operations.md: Shape and data movement; broadcasting.md";
}

}  // namespace hloscope
