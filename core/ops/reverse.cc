// Reverse: some dimensions run backwards.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("reverse.array"))) return std::nullopt;
  if (!CheckInRange(c, AttrId::kDimensions, c.operand(0).rank(), HLO_LABEL("reverse.dimension-range"))) return std::nullopt;
  if (!CheckDistinct(c, AttrId::kDimensions, HLO_LABEL("reverse.dimension-repeated"))) return std::nullopt;
  return c.operand(0);
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  std::vector<NodeId> indices = OutputIndices(program);
  for (int64_t d : instruction.Ints(AttrId::kDimensions)) {
    indices[d] = graph.Sub(graph.IndexConstant(instruction.shape.dim(static_cast<int>(d)) - 1), indices[d]);
  }
  program.outputs[0].value = LoadOperand(program, 0, indices);
  return program;
}

}  // namespace

void DefineReverse(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kReverse);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kDimensions}};
  def.infer = Infer;
  def.program = MakeProgram;
  def.size_source = [](const Instruction&, int) { return SizeSource{0, false}; };
  def.summary = "the operand, back to front";
  def.doc = "Along each of `dimensions`, of size N, index i of the result is index N-1-i of the operand.";
  def.spec = "operations.md: Shape and data movement (Rev)";
}

}  // namespace hloscope
