// Concatenate: the operands one after the other along a dimension, each in its colour.
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsConcatenate(const Instruction& instruction) { return instruction.opcode == Opcode::kConcatenate ? 50 : 0; }

absl::StatusOr<MadePicture> DrawConcatenate(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray& result = scene.result();
  const auto dimensions = scene.instruction().Ints(AttrId::kDimensions);
  const int along = dimensions.empty() ? 0 : static_cast<int>(dimensions[0]);
  board.Headline();
  std::vector<int64_t> ends;  // of each operand, in the result
  for (const PictureArray& operand : scene.operands()) ends.push_back((ends.empty() ? 0 : ends.back()) + operand.shape.dim(along));
  std::vector<GridAxis> axes = CustomaryAxes(result.shape.rank());
  axes[along].paint = Ink::kViolet;
  board.Explain(absl::StrCat("dimensions={", along, "}"), Ink::kViolet,
                tr("the operands follow one another along $0; their other dimensions are equal.", axes[along].letter));
  std::vector<Board::Piece> row;
  constexpr int kMost = 8;
  for (int k = 0; k < static_cast<int>(scene.operands().size()); ++k) {
    const PictureArray& operand = scene.operands()[k];
    if (k >= kMost && !board.FocusOf(operand.id)) continue;
    GridSpec spec = board.SpecOf(operand);
    spec.axes = axes;
    const int64_t begin = k == 0 ? 0 : ends[k - 1];
    spec.note = operand.shape.dim(along) == 0 ? tr("nothing") : tr("$0 $1 to $2 of the result", axes[along].letter, begin, ends[k] - 1);
    spec.cell = [inner = std::move(spec.cell), k](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      cell.tint = Paint(GroupInk(k), 0.22f);
      return cell;
    };
    if (!row.empty()) row.push_back(std::string());
    row.push_back(std::move(spec));
  }
  GridSpec out = board.SpecOf(result);
  out.axes = axes;
  out.cell = [inner = std::move(out.cell), &ends, along](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    int k = 0;
    while (k + 1 < static_cast<int>(ends.size()) && index[along] >= ends[k]) ++k;
    cell.tint = Paint(GroupInk(k), 0.22f);
    return cell;
  };
  row.push_back(std::string("->"));
  row.push_back(std::move(out));
  board.Row(std::move(row), scene.operands().size() > 3 ? 240 : 380);
  if (scene.operands().size() > kMost) board.Say(tr("$0 more operands are shown when one of their elements is selected.", scene.operands().size() - kMost));
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
