// Transpose: dimensions change their places, and take their letters and colours with them.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsTranspose(const Instruction& instruction) { return instruction.opcode == Opcode::kTranspose ? 50 : 0; }

absl::StatusOr<MadePicture> DrawTranspose(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &result = scene.result();
  const auto permutation = scene.instruction().Ints(AttrId::kDimensions);
  std::vector<GridAxis> from = CustomaryAxes(x.shape.rank()), to(x.shape.rank());
  board.Headline();
  std::vector<std::string> words;
  for (int d = 0; d < x.shape.rank(); ++d) from[d].paint = GroupInk(d);
  for (int d = 0; d < static_cast<int>(permutation.size()); ++d) {
    to[d] = from[permutation[d]];
    words.push_back(tr("dimension $0 of the result is the operand's $1 ($2)", d, permutation[d], to[d].letter));
  }
  if (!words.empty()) board.Explain(absl::StrCat("dimensions={", absl::StrJoin(permutation, ","), "}"), Ink::kViolet, absl::StrCat(absl::StrJoin(words, "; "), "."));
  GridSpec operand = board.SpecOf(x), out = board.SpecOf(result);
  operand.axes = from;
  out.axes = to;
  // Elements keep the colour of their place in the operand's first dimension of more than one.
  int by = -1;
  for (int d = x.shape.rank(); d-- > 0;) {
    if (x.shape.dim(d) > 1) by = d;
  }
  if (by >= 0 && x.shape.ElementCount() <= kMostTinted) {
    int by_result = 0;
    for (int d = 0; d < static_cast<int>(permutation.size()); ++d) {
      if (permutation[d] == by) by_result = d;
    }
    for (auto& [spec, d] : {std::pair<GridSpec*, int>(&operand, by), std::pair<GridSpec*, int>(&out, by_result)}) {
      spec->cell = [inner = std::move(spec->cell), d = d](absl::Span<const int64_t> index) {
        GridCell cell = inner(index);
        cell.tint = Paint(GroupInk(static_cast<int>(index[d] % kGroupInks)), 0.18f);
        return cell;
      };
    }
  }
  board.Row({std::move(operand), std::string("->"), std::move(out)});
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
