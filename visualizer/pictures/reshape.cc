// Reshape: the elements in row-major order stay, their indices change. The order is drawn as a strip between operand and result.
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

// Does memory hold the elements row by row, whatever sizes the run gives to dynamic dimensions?
bool IsRowMajor(const Shape& shape) {
  return shape.has_dynamic_dimension() && shape.layout() != nullptr ? shape.layout()->IsPlainRowMajor() : shape.IsStoredDense();
}

}  // namespace

int SuitsReshape(const Instruction& instruction) {
  if (instruction.opcode == Opcode::kReshape || instruction.opcode == Opcode::kDynamicReshape) return 50;
  // A bitcast that only changes dimensions is one.
  if (instruction.opcode != Opcode::kBitcast || instruction.operands.empty() || !instruction.operands[0]->shape.IsArray() || !instruction.shape.IsArray()) return 0;
  return instruction.operands[0]->shape.element_type() == instruction.shape.element_type() && IsRowMajor(instruction.operands[0]->shape) && IsRowMajor(instruction.shape) ? 50 : 0;
}

absl::StatusOr<MadePicture> DrawReshape(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &result = scene.result();
  constexpr int kStrip = kOwnArray;
  const bool tints = x.shape.ElementCount() <= kMostTinted;
  board.Headline();
  board.Say(tr("Read row by row, last dimension first, operand and result are one and the same list; nothing moves in that order."));
  if (tints) board.Say(tr("Colours are the operand's rows."));
  // What a selected cell is in the list; -1: none.
  int64_t linear = -1;
  if (const Cell* cell = board.cell()) {
    if (cell->array == kStrip && cell->index.size() == 1 && cell->index[0] >= 0 && cell->index[0] < x.shape.ElementCount()) {
      linear = cell->index[0];
      Related related;
      related.Add(x, linear, LoadRole::kValue);
      related.Add(result, linear, LoadRole::kValue);
      board.set_related(std::move(related));
    } else if (scene.Has(*cell) && (cell->array == x.id || cell->array == result.id)) {
      linear = LinearIndex(scene.Find(cell->array)->shape.dimensions(), cell->index);
    }
  }
  const int64_t row = x.shape.rank() == 0 ? 1 : std::max<int64_t>(x.shape.dim(x.shape.rank() - 1), 1);
  const auto tint = [row, tints](int64_t at) { return !tints ? Paint() : Paint(GroupInk(static_cast<int>(at / row % kGroupInks)), 0.2f); };
  const auto tinted = [&](const PictureArray& array) {
    GridSpec spec = board.SpecOf(array);
    spec.cell = [&tr, inner = std::move(spec.cell), tint, shape = array.shape](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      const int64_t at = LinearIndex(shape.dimensions(), index);
      cell.tint = tint(at);
      absl::StrAppend(&cell.hint, "\n", tr("number $0 in the list", at));
      return cell;
    };
    return spec;
  };
  board.Row({tinted(x), std::string("->"), tinted(result)}, 300);
  GridSpec strip;
  strip.array = kStrip;
  strip.title = tr("in row-major order");
  strip.dims = {x.shape.ElementCount()};
  strip.axes = {{"", Ink::kTeal}};
  strip.scales = board.SpecOf(result).scales;
  if (linear >= 0 && (board.cell()->array != kStrip || selection.pinned == *board.cell())) strip.focus = {linear};
  strip.cell = [&, tint](absl::Span<const int64_t> index) {
    std::vector<int64_t> of_x(x.shape.rank());
    DelinearizeIndex(x.shape.dimensions(), index[0], absl::MakeSpan(of_x));
    GridCell cell = CellOf(x, of_x, nullptr, tr);
    std::vector<int64_t> of_result(result.shape.rank());
    if (index[0] < result.shape.ElementCount()) DelinearizeIndex(result.shape.dimensions(), index[0], absl::MakeSpan(of_result));
    cell.hint = tr("number $0: $1 and $2", index[0], absl::StrCat(x.name, IndexText(of_x)), absl::StrCat(result.name, IndexText(of_result)));
    cell.cell = {kStrip, {index[0]}};
    cell.mark = board.MarkOf(cell.cell);
    if (cell.mark == CellMark::kNone && index[0] == linear) cell.mark = CellMark::kRelated;
    cell.tint = tint(index[0]);
    return cell;
  };
  board.Row({std::move(strip)}, 80);
  if (board.cell() != nullptr && board.cell()->array != kStrip) board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
