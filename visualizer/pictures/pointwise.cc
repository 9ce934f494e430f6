// Operations that make each element of the elements at the same place: operands and result side by side.
#include <algorithm>

#include "core/element/visit.h"
#include "core/ops/op.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

// Every load is at the result's own index, or of a scalar.
int SuitsPointwise(const Instruction& instruction) {
  if (Def(instruction).op_class != OpClass::kPull || !instruction.shape.IsArray() || instruction.operands.empty()) return 0;
  for (const Instruction* operand : instruction.operands) {
    if (!operand->shape.IsArray()) return 0;
    if (operand->shape.rank() != 0 && operand->shape.dimensions() != instruction.shape.dimensions()) return 0;
  }
  const absl::StatusOr<Program> program = ElementProgram(instruction);
  if (!program.ok()) return 0;
  const ExprGraph& graph = *program->graph;
  const bool pointwise = VisitNodes(graph, {program->outputs[0].value}, [&](NodeId, const Node& node) {
    if (node.kind == NodeKind::kFold) return Visit::kEnd;
    if (node.kind != NodeKind::kLoad) return Visit::kInto;
    for (size_t d = 0; d < node.inputs.size(); ++d) {
      const Node& index = graph.node(node.inputs[d]);
      const bool own = index.kind == NodeKind::kIndex && index.var == static_cast<int32_t>(d);
      const bool only = index.kind == NodeKind::kConstant && instruction.shape.dim(static_cast<int>(d)) == 1;
      if (!own && !only) return Visit::kEnd;
    }
    return Visit::kPast;
  });
  return pointwise ? 30 : 0;
}

absl::StatusOr<MadePicture> DrawPointwise(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  board.Headline();
  board.Summary();
  std::vector<Board::Piece> row;
  for (const PictureArray& operand : board.scene().operands()) {
    if (!row.empty()) row.push_back(std::string());
    row.push_back(board.SpecOf(operand));
  }
  row.push_back(std::string("->"));
  row.push_back(board.SpecOf(board.scene().result()));
  board.Row(std::move(row));
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
