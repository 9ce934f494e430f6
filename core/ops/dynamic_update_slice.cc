// DynamicUpdateSlice: the operand with a box of it replaced, at a place known only at run time.
#include "absl/strings/str_cat.h"
#include "core/ops/dynamic_index.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("dynamic-update-slice.array")) || !CheckArrayOperand(c, 1, HLO_LABEL("dynamic-update-slice.array"))) {
    return std::nullopt;
  }
  const Shape& operand = c.operand(0);
  const Shape& update = c.operand(1);
  if (!CheckSameType(c, 1, 0, HLO_LABEL("dynamic-update-slice.same-type"))) return std::nullopt;
  if (update.rank() != operand.rank()) {
    return c.FailOperand(1, HLO_LABEL("dynamic-update-slice.rank"),
                         absl::StrCat("the update has ", update.rank(), " dimensions and the operand ", operand.rank()));
  }
  for (int d = 0; d < operand.rank(); ++d) {
    if (update.dim(d) <= operand.dim(d)) continue;
    return c.FailOperand(1, HLO_LABEL("dynamic-update-slice.sizes"),
                         absl::StrCat("an update of size ", update.dim(d), " does not fit into dimension ", d, " of size ", operand.dim(d)));
  }
  if (!CheckStartIndices(c, 2, operand.rank(), HLO_LABEL("dynamic-update-slice.start-count"), HLO_LABEL("dynamic-update-slice.start-type"))) {
    return std::nullopt;
  }
  return operand;
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const Shape update = program.operands[1];
  const std::vector<NodeId> starts = ClampedStarts(program, 2, program.operands[0], update.dimensions());
  const std::vector<NodeId> indices = OutputIndices(program);
  std::vector<NodeId> inside, in_update(indices.size());
  for (int d = 0; d < update.rank(); ++d) {
    in_update[d] = graph.Sub(indices[d], starts[d]);
    if (update.dim(d) != program.operands[0].dim(d)) inside.push_back(graph.InRange(in_update[d], 0, update.dim(d)));
  }
  const NodeId condition = Conjunction(graph, inside);
  const NodeId updated = LoadOperand(program, 1, in_update);
  program.outputs[0].value = condition == kNoNode ? updated : graph.Select(condition, updated, LoadOperand(program, 0, indices));
  return program;
}

}  // namespace

void DefineDynamicUpdateSlice(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kDynamicUpdateSlice);
  def.movement = Movement::kMove;
  def.min_operands = 2;
  def.max_operands = -1;
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operand with a box of it replaced";
  def.doc =
      "The second operand is what to put in; the others say where it starts, one for each dimension. A start from which it would not fit is moved so "
      "that it just does.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
