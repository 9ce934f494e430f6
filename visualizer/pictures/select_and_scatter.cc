// Select-and-scatter: each window picks one of its elements, and the source's element for the window goes to that place. Steps go from window
// to window.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/window_view.h"

namespace hloscope {
namespace {

constexpr int64_t kMostUpdates = 1 << 16;  // that are all walked through; of more only those near the selected element

struct Pick {
  std::vector<int64_t> target;  // empty: the window lies on padding alone
  bool hit = false;
};

Pick PickOf(const PictureScene& scene, const Relation& relation, int64_t window, std::vector<TracedLoad>* loads) {
  Pick pick;
  if (relation.tracer() == nullptr) return pick;
  const absl::StatusOr<int64_t> target = relation.tracer()->PushPoint(window, relation.loader(), loads);
  if (!target.ok() || *target < 0) return pick;
  pick.hit = true;
  pick.target.resize(scene.result().shape.rank());
  DelinearizeIndex(scene.result().shape.dimensions(), *target, absl::MakeSpan(pick.target));
  return pick;
}

// What belongs to an element of the result or the operand, where there are too many windows to ask them all: only those that cover it.
Related OfNearbyWindows(const PictureScene& scene, const Relation& relation, const WindowView& view, const Cell& cell) {
  const std::vector<int64_t>& element = cell.index;
  const bool of_result = cell.array == kResultArray;
  const int64_t linear = LinearIndex(scene.result().shape.dimensions(), element);
  Related related;
  const Shape& source = scene.operand(1).shape;
  const std::vector<int64_t> place = view.PlaceOf(element);
  std::vector<int64_t> low, high;
  for (int d = 0; d < source.rank(); ++d) {
    const WindowDimension& w = view.window()[d];
    low.push_back(std::max<int64_t>(0, (place[d] - (w.size - 1) + w.stride - 1) / w.stride));
    high.push_back(std::min<int64_t>(source.dim(d) - 1, place[d] / w.stride));
    if (place[d] < 0 || low[d] > high[d]) return related;
  }
  if (of_result) related.Add(scene.operand(2), 0, LoadRole::kValue);
  std::vector<int64_t> at = low;
  for (int64_t n = 0; n < 4096; ++n) {
    std::vector<TracedLoad> loads;
    const Pick pick = PickOf(scene, relation, LinearIndex(source.dimensions(), at), &loads);
    for (const TracedLoad& l : loads) {
      if (!pick.hit) break;
      if (of_result && pick.target == element) related.Add(scene.operand(l.operand), l.linear, l.role);
      if (!of_result && l.operand == 0 && l.linear == linear) related.Add(scene.result(), LinearIndex(scene.result().shape.dimensions(), pick.target), l.role);
    }
    int d = source.rank() - 1;
    for (; d >= 0; --d) {
      if (++at[d] <= high[d]) break;
      at[d] = low[d];
    }
    if (d < 0) break;
  }
  return related;
}

}  // namespace

int SuitsSelectAndScatter(const Instruction& instruction) { return instruction.opcode == Opcode::kSelectAndScatter ? 50 : 0; }

absl::StatusOr<MadePicture> DrawSelectAndScatter(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray &x = scene.operand(0), &source = scene.operand(1), &result = scene.result();
  Window window = scene.instruction().GetWindow() != nullptr ? *scene.instruction().GetWindow() : Window(x.shape.rank());
  window.resize(x.shape.rank());
  std::vector<int> of_dimension;
  for (int d = 0; d < x.shape.rank(); ++d) of_dimension.push_back(d);
  const WindowView view(x, window, of_dimension);
  const std::vector<GridAxis> axes = CustomaryAxes(x.shape.rank());
  board.set_focus_word(tr("under the window"));
  board.Headline();
  board.Say(tr("Each window of the operand picks one of its elements; the window's element of the source goes to that place of the result, which starts as the initial value everywhere."));
  for (int d = 0; d < x.shape.rank(); ++d) {
    if (const std::string text = view.Describe(tr, d); !text.empty()) board.Explain(axes[d].letter, Ink::kViolet, tr.Counted(source.shape.dim(d), "$1: $0 window.", "$1: $0 windows.", text));
  }
  const int64_t windows = source.shape.ElementCount();
  if (const Cell* cell = board.cell(); cell != nullptr && windows > kMostUpdates && scene.Has(*cell)) {
    if (cell->array == kResultArray || cell->array == x.id) board.set_related(OfNearbyWindows(scene, board.relation(), view, *cell));
    if (cell->array == source.id) {
      Related related;
      const Pick pick = PickOf(scene, board.relation(), LinearIndex(source.shape.dimensions(), cell->index), nullptr);
      if (pick.hit) related.Add(result, LinearIndex(result.shape.dimensions(), pick.target), LoadRole::kValue);
      board.set_related(std::move(related));
    }
  }
  board.set_steps(static_cast<int>(std::min<int64_t>(windows, 1 << 20)));
  const int step = board.step();
  // The window that is shown: of the step, or of the selected element of the source.
  std::optional<std::vector<int64_t>> at;
  if (step >= 0) {
    at.emplace(source.shape.rank());
    DelinearizeIndex(source.shape.dimensions(), step, absl::MakeSpan(*at));
  } else if (board.cell() != nullptr && board.cell()->array == source.id && scene.Has(*board.cell())) {
    at = board.cell()->index;
  }
  Pick pick;
  if (at) pick = PickOf(scene, board.relation(), LinearIndex(source.shape.dimensions(), *at), nullptr);
  board.set_marks([&](const Cell& cell) {
    if (!at) return CellMark::kNone;
    if (cell.array == source.id && step >= 0) {
      const int64_t linear = LinearIndex(source.shape.dimensions(), cell.index);
      return linear == step ? CellMark::kNow : linear < step ? CellMark::kDone : CellMark::kNone;
    }
    const bool picked = pick.hit && cell.index == pick.target;
    return picked && (cell.array == x.id || cell.array == kResultArray) ? CellMark::kNow : CellMark::kNone;
  });
  GridSpec operand = view.Spec(board, kOwnArray, [&](absl::Span<const int64_t> place) { return at && view.Covers(*at, place) ? CellMark::kFocus : CellMark::kNone; });
  GridSpec from = board.SpecOf(source), out = board.SpecOf(result);
  for (GridSpec* spec : {&operand, &from, &out}) view.TurnToWindow(spec);
  if (at) {
    view.Focus(*at, *at, *at, &operand);
    if (step >= 0) from.focus = at;
    if (pick.hit) out.focus = pick.target;
  } else {
    view.FocusElements(&operand);
  }
  board.Row({std::move(operand), std::string(), std::move(from), std::string(), board.SpecOf(scene.operand(2)), std::string("->"), std::move(out)});
  if (at && pick.hit) {
    board.Arrow({source.id, *at}, {kResultArray, pick.target}, Ink::kAmber);
  } else {
    board.RelationArrows();
  }
  if (step >= 0) {
    const std::optional<Scalar> value = pick.hit ? x.At(pick.target) : std::nullopt, update = source.At(*at);
    board.set_step_text(!pick.hit ? tr("Window $0 lies on padding alone: nothing is picked.", IndexText(*at))
                                  : tr("Window $0 picks $1; $2 goes to $3.", IndexText(*at), absl::StrCat(x.name, IndexText(pick.target), value ? absl::StrCat(" = ", ToText(*value)) : ""),
                                       absl::StrCat(source.name, IndexText(*at), update ? absl::StrCat(" = ", ToText(*update)) : ""), absl::StrCat(result.name, IndexText(pick.target))));
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
