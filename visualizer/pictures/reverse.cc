// Reverse: elements change their order along some dimensions.
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsReverse(const Instruction& instruction) { return instruction.opcode == Opcode::kReverse ? 50 : 0; }

absl::StatusOr<MadePicture> DrawReverse(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &result = scene.result();
  std::vector<GridAxis> axes = CustomaryAxes(x.shape.rank());
  board.Headline();
  for (int64_t d : scene.instruction().Ints(AttrId::kDimensions)) {
    axes[d].paint = Ink::kViolet;
    board.Explain(axes[d].letter, Ink::kViolet, tr("is reversed: element $0 comes from $1 - $2.", axes[d].letter, x.shape.dim(static_cast<int>(d)) - 1, axes[d].letter));
  }
  if (scene.instruction().Ints(AttrId::kDimensions).empty()) board.Say(tr("No dimension is reversed: the result is the operand."));
  GridSpec from = board.SpecOf(x), to = board.SpecOf(result);
  from.axes = to.axes = axes;
  // The colour goes with the element: it shows which way it went.
  const auto tinted = [](GridSpec& spec, std::function<int64_t(absl::Span<const int64_t>)> group) {
    spec.cell = [inner = std::move(spec.cell), group = std::move(group)](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      cell.tint = Paint(GroupInk(static_cast<int>(group(index) % kGroupInks)), 0.2f);
      return cell;
    };
  };
  if (const auto reversed = scene.instruction().Ints(AttrId::kDimensions); !reversed.empty() && x.shape.ElementCount() <= kMostTinted) {
    const int d = static_cast<int>(reversed.back());
    tinted(from, [d](absl::Span<const int64_t> index) { return index[d]; });
    tinted(to, [d, n = x.shape.dim(d)](absl::Span<const int64_t> index) { return n - 1 - index[d]; });
  }
  board.Row({std::move(from), std::string("->"), std::move(to)});
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
