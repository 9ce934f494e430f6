// Reduce-window: the window walking over the padded and dilated arrays; steps go from position to position.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/fold_story.h"
#include "visualizer/pictures/window_view.h"

namespace hloscope {

int SuitsReduceWindow(const Instruction& instruction) { return instruction.opcode == Opcode::kReduceWindow ? 50 : 0; }

absl::StatusOr<MadePicture> DrawReduceWindow(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  const int n = static_cast<int>(i.operands.size()) / 2;
  const Shape& shape = scene.operand(0).shape;
  Window window = i.GetWindow() != nullptr ? *i.GetWindow() : Window(shape.rank());
  window.resize(shape.rank());
  std::vector<int> of_dimension;
  for (int d = 0; d < shape.rank(); ++d) of_dimension.push_back(d);
  std::vector<WindowView> views;
  views.reserve(n);
  for (int k = 0; k < n; ++k) views.emplace_back(scene.operand(k), window, of_dimension);
  const std::vector<GridAxis> axes = CustomaryAxes(shape.rank());
  board.set_focus_word(tr("under the window"));
  board.Headline();
  board.Say(tr("Each result element is the fold of what the window covers at its position; padding and holes are passed over."));
  for (int d = 0; d < shape.rank(); ++d) {
    if (const std::string text = views[0].Describe(tr, d); !text.empty()) board.Explain(axes[d].letter, Ink::kViolet, tr.Counted(scene.result().shape.dim(d), "$1: $0 position.", "$1: $0 positions.", text));
  }
  const Shape& positions = scene.result().shape;
  board.set_steps(static_cast<int>(std::min<int64_t>(positions.ElementCount(), 1 << 20)));
  const int step = board.step();
  // The position that is shown: of the step, or of the selected element.
  std::optional<std::vector<int64_t>> at;
  Related of_step;
  if (step >= 0) {
    at.emplace(positions.rank());
    DelinearizeIndex(positions.dimensions(), step, absl::MakeSpan(*at));
    of_step = board.relation().Reads(0, *at);
  } else if (board.result_cell() != nullptr) {
    at = board.result_cell()->index;
  }
  board.set_marks([&](const Cell& cell) {
    if (step < 0) return CellMark::kNone;
    if (cell.array >= kResultArray && cell.array < kOwnArray) {
      const int64_t linear = LinearIndex(positions.dimensions(), cell.index);
      return linear == step ? CellMark::kNow : linear < step ? CellMark::kDone : CellMark::kNone;
    }
    return of_step.RoleOf(cell) ? CellMark::kNow : CellMark::kNone;
  });
  std::vector<Board::Piece> row;
  for (int k = 0; k < n; ++k) {
    GridSpec spec = views[k].Spec(board, kOwnArray + 100 + k, [&, k](absl::Span<const int64_t> place) { return at && views[k].Covers(*at, place) ? CellMark::kFocus : CellMark::kNone; });
    // Where the window is, also where it covers padding and holes alone.
    if (at && (step >= 0 || !spec.focus)) views[k].Focus(*at, *at, *at, &spec);
    views[k].FocusElements(&spec);
    views[k].TurnToWindow(&spec);
    if (k > 0) row.push_back(std::string());
    row.push_back(std::move(spec));
  }
  for (int k = n; k < 2 * n; ++k) {
    row.push_back(std::string());
    row.push_back(board.SpecOf(scene.operand(k)));
  }
  row.push_back(std::string("->"));
  for (const PictureArray& result : scene.results()) {
    if (result.id != kResultArray) row.push_back(std::string());
    row.push_back(board.SpecOf(result));
    if (n > 0) views[0].TurnToWindow(&row.back().grid);
    if (step >= 0) row.back().grid.focus = at;
  }
  board.Row(std::move(row));
  if (at) {
    const bool selected = step < 0 && board.result_cell() != nullptr;
    const int of = selected ? board.result_cell()->array : kResultArray;
    std::optional<FoldStory> story = TellFold(scene, board.relation(), of - kResultArray, *at, 512);
    if (const Computation* reducer = i.Called(AttrId::kToApply); story && !story->single_op && reducer != nullptr) {
      RunReducer(scene, *reducer, n, [&](const FoldTerm& term) {
        std::vector<int64_t> place(shape.rank(), 0);
        size_t next = 0;
        for (int d = 0; d < shape.rank(); ++d) {
          const WindowDimension& w = window[d];
          int64_t k = w.size > 1 && next < term.at.size() ? term.at[next++] : 0;
          if (w.reversal) k = w.size - 1 - k;
          place[d] = (*at)[d] * w.stride + k * w.window_dilation;
        }
        return views[0].ElementAt(place);
      }, &*story);
    }
    if (story && story->total > 1) {
      std::vector<FoldRow> rows;
      for (int k = 0; k < n; ++k) {
        rows.push_back({n == 1 ? tr("term") : tr("term of $0", scene.operand(k).name), [&scene, k](const FoldTerm& t) -> std::optional<Scalar> {
                          for (const Cell& cell : t.reads) {
                            if (cell.array == k && !t.passed_over) return scene.operand(k).At(cell.index);
                          }
                          return std::nullopt;
                        }});
      }
      if (story->single_op) rows.push_back(RunningRow(tr, *story));
      for (int k = 0; k < n && !story->single_op && !story->terms[0].parts.empty(); ++k) {
        rows.push_back({n == 1 ? tr("so far") : tr("$0 so far", scene.results()[k].name), [k](const FoldTerm& t) -> std::optional<Scalar> {
                          return static_cast<size_t>(k) < t.parts.size() ? std::optional<Scalar>(t.parts[k]) : std::nullopt;
                        }});
      }
      GridSpec strip = FoldStrip(*story, kOwnArray, std::move(rows), -1, [](const FoldTerm& t) { return absl::StrJoin(t.at, ","); });
      strip.title = tr("$0 in the window's order", scene.NameOf({of, *at}));
      if (story->init) strip.note = story->lanes ? tr("from $0 at the end; sixteen lanes, by the last index", ToText(*story->init)) : tr("from $0 on", ToText(*story->init));
      board.Row({std::move(strip)}, n == 1 ? 110 : 200);
      if (!story->joins.empty()) {
        board.Row({FoldJoins(tr, *story, kOwnArray + 1)}, 180);
        board.Say(JoinsText(tr));
      }
    }
  }
  if (step >= 0) {
    std::vector<std::string> values;
    for (const PictureArray& result : scene.results()) {
      if (const std::optional<Scalar> s = result.At(*at)) values.push_back(absl::StrCat(result.name, IndexText(*at), " = ", ToText(*s)));
    }
    board.set_step_text(absl::StrCat(tr.Counted(static_cast<int64_t>(of_step.total()), "Position $1: $0 element read", "Position $1: $0 elements read", IndexText(*at)), values.empty() ? "" : "; ", absl::StrJoin(values, ", "), "."));
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
