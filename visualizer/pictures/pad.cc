// Pad: which elements of the result are the operand's, and which are padding; what a negative border cuts off.
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsPad(const Instruction& instruction) { return instruction.opcode == Opcode::kPad ? 50 : 0; }

absl::StatusOr<MadePicture> DrawPad(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &value = scene.operand(1), &result = scene.result();
  const auto padding = scene.instruction().GetPadding();
  const std::vector<GridAxis> axes = CustomaryAxes(x.shape.rank());
  board.Headline();
  board.Say("First the interior padding goes between neighbours, then the low padding before and the high padding after them; a negative one cuts off.");
  for (int d = 0; d < x.shape.rank(); ++d) {
    const PaddingDimension& p = padding[d];
    if (p == PaddingDimension()) continue;
    std::vector<std::string> parts;
    if (p.low != 0) parts.push_back(p.low > 0 ? absl::StrCat(p.low, " before") : absl::StrCat(-p.low, " cut off at the beginning"));
    if (p.interior != 0) parts.push_back(absl::StrCat(p.interior, " between neighbours"));
    if (p.high != 0) parts.push_back(p.high > 0 ? absl::StrCat(p.high, " after") : absl::StrCat(-p.high, " cut off at the end"));
    std::string sentence;
    for (size_t k = 0; k < parts.size(); ++k) absl::StrAppend(&sentence, k == 0 ? "" : k + 1 == parts.size() ? " and " : ", ", parts[k]);
    board.Explain(absl::StrCat(axes[d].letter, " = ", p.low, "_", p.high, p.interior != 0 ? absl::StrCat("_", p.interior) : ""), Ink::kViolet,
                  absl::StrCat(sentence, ": ", x.shape.dim(d), " become ", result.shape.dim(d), "."));
  }
  // The operand's place of an element of the result in a dimension; -1: padding.
  const auto place = [&padding, &x](int d, int64_t i) -> int64_t {
    const int64_t at = i - padding[d].low, step = padding[d].interior + 1;
    return at < 0 || at % step != 0 || at / step >= x.shape.dim(d) ? -1 : at / step;
  };
  GridSpec operand = board.SpecOf(x);
  operand.cell = [inner = std::move(operand.cell), &padding, &result](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    for (size_t d = 0; d < index.size(); ++d) {
      const int64_t at = index[d] * (padding[d].interior + 1) + padding[d].low;
      if (at >= 0 && at < result.shape.dim(static_cast<int>(d))) continue;
      cell.state = CellState::kSkipped;
      cell.hint += "\ncut off";
    }
    return cell;
  };
  GridSpec out = board.SpecOf(result);
  out.cell = [inner = std::move(out.cell), place](absl::Span<const int64_t> index) {
    GridCell cell = inner(index);
    for (size_t d = 0; d < index.size(); ++d) {
      if (place(static_cast<int>(d), index[d]) < 0) cell.state = CellState::kPadding;
    }
    if (cell.state == CellState::kPadding) cell.hint += "\npadding";
    return cell;
  };
  board.Row({std::move(operand), std::string(), board.SpecOf(value), std::string("->"), std::move(out)});
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
