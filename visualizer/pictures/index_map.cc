// The general picture: operands, result, and what belongs together, from the element program or from what an operation states of its reads.
#include <string>

#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

bool HasArray(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray();
  for (const Shape& element : shape.tuple_shapes()) {
    if (HasArray(element)) return true;
  }
  return false;
}

// Of an array that is cut to a size: what is beyond it is crossed out.
GridSpec CutTo(GridSpec spec, const Shape& kept, const Captions& tr) {
  spec.cell = [inner = std::move(spec.cell), kept, tr](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    for (int d = 0; d < kept.rank(); ++d) {
      if (index[d] < kept.dim(d)) continue;
      cell.state = CellState::kSkipped;
      absl::StrAppend(&cell.hint, "\n", tr("cut off"));
      break;
    }
    return cell;
  };
  return spec;
}

}  // namespace

int SuitsIndexMap(const Instruction& instruction) {
  bool any = HasArray(instruction.shape);
  for (const Instruction* operand : instruction.operands) any = any || HasArray(operand->shape);
  return any ? 10 : 0;
}

absl::StatusOr<MadePicture> DrawIndexMap(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  board.Headline();
  board.Summary();
  const bool cuts = data.instruction->opcode == Opcode::kSetDimensionSize && data.result.has_value();
  constexpr size_t kMost = 8;  // arrays of a side; the selected one and what belongs to it come first
  const auto side = [&](const std::vector<PictureArray>& arrays) {
    std::vector<Board::Piece> pieces;
    for (const bool wanted : {true, false}) {
      for (const PictureArray& array : arrays) {
        const bool of_selection = arrays.size() <= kMost || board.FocusOf(array.id).has_value();
        if (of_selection != wanted || pieces.size() >= 2 * kMost) continue;
        if (!pieces.empty()) pieces.push_back(std::string());
        const bool is_cut = cuts && array.id == OperandArray(0) && array.shape.rank() == scene.result().shape.rank();
        pieces.push_back(is_cut ? CutTo(board.SpecOf(array), scene.result().shape, tr) : board.SpecOf(array));
      }
    }
    return pieces;
  };
  std::vector<Board::Piece> row = side(scene.operands()), results = side(scene.results());
  const float height = row.size() + results.size() > 8 ? 200 : 380;
  const int64_t hidden = static_cast<int64_t>(scene.operands().size() + scene.results().size()) - static_cast<int64_t>(row.size() + 1) / 2 - static_cast<int64_t>(results.size() + 1) / 2;
  if (!row.empty() && !results.empty()) row.push_back(std::string("->"));
  row.insert(row.end(), std::make_move_iterator(results.begin()), std::make_move_iterator(results.end()));
  board.Row(std::move(row), height);
  if (hidden > 0) board.Say(tr.Counted(hidden, "$0 more array is not drawn.", "$0 more arrays are not drawn."));
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
