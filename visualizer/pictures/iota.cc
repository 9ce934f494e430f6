// Iota: each element is its own index in one dimension.
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsIota(const Instruction& instruction) { return instruction.opcode == Opcode::kIota ? 50 : 0; }

absl::StatusOr<MadePicture> DrawIota(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureArray& result = board.scene().result();
  const int64_t along = board.scene().instruction().Int(AttrId::kIotaDimension);
  std::vector<GridAxis> axes = CustomaryAxes(result.shape.rank());
  board.Headline();
  if (along < static_cast<int64_t>(axes.size())) {
    axes[along].paint = Ink::kViolet;
    board.Explain(absl::StrCat("iota_dimension=", along), Ink::kViolet, tr("the numbers go up along $0; along the other dimensions they repeat.", axes[along].letter));
  }
  GridSpec out = board.SpecOf(result);
  out.axes = axes;
  out.cell = [inner = std::move(out.cell), along](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    if (along < static_cast<int64_t>(index.size())) cell.tint = Paint(GroupInk(static_cast<int>(index[along] % kGroupInks)), 0.2f);
    return cell;
  };
  board.Row({std::move(out)});
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
