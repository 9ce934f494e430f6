// Slice: which elements of the operand are taken.
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsSlice(const Instruction& instruction) { return instruction.opcode == Opcode::kSlice ? 50 : 0; }

absl::StatusOr<MadePicture> DrawSlice(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &result = scene.result();
  const auto slices = scene.instruction().GetSlices();
  const std::vector<GridAxis> axes = CustomaryAxes(x.shape.rank());
  board.set_focus_word(tr("taken"));
  board.Headline();
  for (int d = 0; d < x.shape.rank() && d < static_cast<int>(slices.size()); ++d) {
    const SliceDimension& s = slices[d];
    if (s.start == 0 && s.limit == x.shape.dim(d) && s.stride == 1) continue;
    board.Explain(absl::StrCat(axes[d].letter, " = [", s.start, ":", s.limit, s.stride != 1 ? absl::StrCat(":", s.stride) : "", "]"), Ink::kViolet,
                  s.stride != 1 ? tr("from $0 up to $1, which is not taken, in steps of $2: $3 of $4.", s.start, s.limit, s.stride, result.shape.dim(d), x.shape.dim(d))
                                : tr("from $0 up to $1, which is not taken: $2 of $3.", s.start, s.limit, result.shape.dim(d), x.shape.dim(d)));
  }
  board.set_marks([&](const Cell& cell) {
    if (cell.array != x.id) return CellMark::kNone;
    for (size_t d = 0; d < cell.index.size() && d < slices.size(); ++d) {
      const SliceDimension& s = slices[d];
      if (cell.index[d] < s.start || cell.index[d] >= s.limit || (cell.index[d] - s.start) % s.stride != 0) return CellMark::kNone;
    }
    return CellMark::kFocus;
  });
  GridSpec operand = board.SpecOf(x);
  if (!operand.focus) {
    operand.focus.emplace();
    for (const SliceDimension& s : slices) operand.focus->push_back(s.start);
  }
  board.Row({std::move(operand), std::string("->"), board.SpecOf(result)});
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
