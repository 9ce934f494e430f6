// Pad: which elements of the result are the operand's, and which are padding; what a negative border cuts off.
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsPad(const Instruction& instruction) { return instruction.opcode == Opcode::kPad ? 50 : 0; }

absl::StatusOr<MadePicture> DrawPad(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &value = scene.operand(1), &result = scene.result();
  const auto padding = scene.instruction().GetPadding();
  const std::vector<GridAxis> axes = CustomaryAxes(x.shape.rank());
  board.Headline();
  board.Say(tr("First the interior padding goes between neighbours, then the low padding before and the high padding after them; a negative one cuts off."));
  for (int d = 0; d < x.shape.rank(); ++d) {
    const PaddingDimension& p = padding[d];
    if (p == PaddingDimension()) continue;
    std::vector<std::string> parts;
    if (p.low != 0) parts.push_back(p.low > 0 ? tr("$0 before", p.low) : tr("$0 cut off at the beginning", -p.low));
    if (p.interior != 0) parts.push_back(tr("$0 between neighbours", p.interior));
    if (p.high != 0) parts.push_back(p.high > 0 ? tr("$0 after", p.high) : tr("$0 cut off at the end", -p.high));
    board.Explain(absl::StrCat(axes[d].letter, " = ", p.low, "_", p.high, p.interior != 0 ? absl::StrCat("_", p.interior) : ""), Ink::kViolet,
                  tr("$0: $1 become $2.", tr.And(parts), x.shape.dim(d), result.shape.dim(d)));
  }
  // The operand's place of an element of the result in a dimension; -1: padding.
  const auto place = [&padding, &x](int d, int64_t i) -> int64_t {
    const int64_t at = i - padding[d].low, step = padding[d].interior + 1;
    return at < 0 || at % step != 0 || at / step >= x.shape.dim(d) ? -1 : at / step;
  };
  GridSpec operand = board.SpecOf(x);
  operand.cell = [inner = std::move(operand.cell), &padding, &result, &tr](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t at = index[d] * (padding[d].interior + 1) + padding[d].low;
      if (at >= 0 && at < result.shape.dim(static_cast<int>(d))) continue;
      cell.state = CellState::kSkipped;
      absl::StrAppend(&cell.hint, "\n", tr("cut off"));
    }
    return cell;
  };
  GridSpec out = board.SpecOf(result);
  out.cell = [inner = std::move(out.cell), place, &tr](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    for (size_t d = 0; d < index.size(); ++d) {
      if (place(static_cast<int>(d), index[d]) < 0) cell.state = CellState::kPadding;
    }
    if (cell.state == CellState::kPadding) absl::StrAppend(&cell.hint, "\n", tr("padding"));
    return cell;
  };
  board.Row({std::move(operand), std::string(), board.SpecOf(value), std::string("->"), std::move(out)});
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
