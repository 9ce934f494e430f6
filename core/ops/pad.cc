// Pad: a border round the operand and gaps between its elements, filled with one value; a negative border cuts off.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

// The size of the operand with its gaps.
__int128 Spread(int64_t size, int64_t interior) { return size == 0 ? 0 : static_cast<__int128>(size - 1) * (static_cast<__int128>(interior) + 1) + 1; }

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("pad.array"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  if (c.operand(1).rank() != 0) {
    return c.FailOperand(1, HLO_LABEL("pad.scalar"), absl::StrCat("the padding value must be a scalar, not ", c.operand(1).ToString(false)));
  }
  if (!CheckSameType(c, 1, 0, HLO_LABEL("pad.same-type"))) return std::nullopt;
  const absl::Span<const PaddingDimension> padding = c.instruction().GetPadding();
  if (static_cast<int>(padding.size()) != operand.rank()) {
    return c.FailAttribute(AttrId::kPadding, HLO_LABEL("pad.dimension-count"),
                           absl::StrCat("padding has ", padding.size(), " entries for ", operand.rank(), " dimensions"));
  }
  std::vector<int64_t> sizes;
  for (int d = 0; d < operand.rank(); ++d) {
    const PaddingDimension& p = padding[d];
    if (p.interior < 0) {
      return c.FailAttribute(AttrId::kPadding, HLO_LABEL("pad.interior"), absl::StrCat("the interior padding of dimension ", d, " must not be negative: ", p.interior));
    }
    const std::optional<int64_t> size = ToDimension(Spread(operand.dim(d), p.interior) + p.low + p.high);
    if (!size.has_value()) {
      return c.FailAttribute(AttrId::kPadding, HLO_LABEL("pad.size"), absl::StrCat("the padding leaves no possible size of dimension ", d));
    }
    sizes.push_back(*size);
  }
  return Shape::Array(operand.element_type(), sizes, std::nullopt, operand.dynamic_dimensions());
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const Shape operand = program.operands[0];
  const absl::Span<const PaddingDimension> padding = instruction.GetPadding();
  std::vector<NodeId> indices = OutputIndices(program), inside;
  for (int d = 0; d < operand.rank(); ++d) {
    const PaddingDimension& p = padding[d];
    const int64_t spread = static_cast<int64_t>(Spread(operand.dim(d), p.interior));
    const NodeId place = graph.Sub(indices[d], graph.IndexConstant(p.low));
    if (p.low > 0 || p.high > 0) inside.push_back(graph.InRange(place, 0, spread));
    indices[d] = place;
    if (p.interior == 0) continue;
    inside.push_back(graph.Binary(ScalarOp::kEq, graph.Mod(place, p.interior + 1), graph.IndexConstant(0)));
    indices[d] = graph.FloorDiv(place, p.interior + 1);
  }
  const NodeId condition = Conjunction(graph, inside);
  const NodeId element = LoadOperand(program, 0, indices);
  program.outputs[0].value = condition == kNoNode ? element : graph.Select(condition, element, LoadOperand(program, 1, {}));
  return program;
}

}  // namespace

void DefinePad(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kPad);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 2;
  def.attributes = {{AttrId::kPadding}};  // absent for a scalar
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operand with a border, and gaps between its elements";
  def.doc =
      "`padding=low_high_interior` for each dimension, joined by x. First `interior` padding elements go between neighbours, then `low` before and "
      "`high` after; a negative low or high cuts off instead. The second operand is what the padding holds.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
