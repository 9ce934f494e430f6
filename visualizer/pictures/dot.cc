// Dot: which dimensions run in step (batch), are summed away (contracting) or stay (free), each with its letter and colour; the row and the
// column of an element, their products and the running sum.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/fold_story.h"

namespace hloscope {
namespace {

struct DotAxes {
  std::vector<GridAxis> lhs, rhs, result;
  std::vector<std::string> batch, contracting, lhs_free, rhs_free;  // letters
  int lhs_k = -1, rhs_k = -1;                                       // the last contracting dimensions
};

// Letters b c .. for batch, k l .. for contracting, m p .. and n q .. for free dimensions.
DotAxes AxesOf(const Instruction& i) {
  DotAxes axes;
  const int l = i.operands[0]->shape.rank(), r = i.operands[1]->shape.rank();
  axes.lhs.resize(l);
  axes.rhs.resize(r);
  const auto letter = [](absl::string_view letters, size_t n) { return n < letters.size() ? std::string(1, letters[n]) : absl::StrCat(letters.substr(0, 1), n); };
  const auto lb = i.Ints(AttrId::kLhsBatchDims), rb = i.Ints(AttrId::kRhsBatchDims), lc = i.Ints(AttrId::kLhsContractingDims), rc = i.Ints(AttrId::kRhsContractingDims);
  for (size_t n = 0; n < lb.size(); ++n) {
    const GridAxis axis{letter("bcde", n), GroupInk(0)};
    axes.lhs[lb[n]] = axes.rhs[rb[n]] = axis;
    axes.result.push_back(axis);
    axes.batch.push_back(axis.letter);
  }
  for (size_t n = 0; n < lc.size(); ++n) {
    axes.lhs[lc[n]] = axes.rhs[rc[n]] = {letter("klhg", n), GroupInk(1)};
    axes.contracting.push_back(axes.lhs[lc[n]].letter);
    axes.lhs_k = static_cast<int>(lc[n]);
    axes.rhs_k = static_cast<int>(rc[n]);
  }
  size_t n = 0;
  for (GridAxis& axis : axes.lhs) {
    if (!axis.letter.empty()) continue;
    axis = {letter("mpst", n++), GroupInk(2)};
    axes.result.push_back(axis);
    axes.lhs_free.push_back(axis.letter);
  }
  n = 0;
  for (GridAxis& axis : axes.rhs) {
    if (!axis.letter.empty()) continue;
    axis = {letter("nquv", n++), GroupInk(3)};
    axes.result.push_back(axis);
    axes.rhs_free.push_back(axis.letter);
  }
  return axes;
}

// Rows and columns of an operand: a free and the contracting dimension where it has them.
void ChooseSides(const std::vector<GridAxis>& axes, int k, GridSpec* spec) {
  int free = -1;
  for (int d = 0; d < static_cast<int>(axes.size()); ++d) {
    if (d != k && spec->dims[d] != 1) free = d;
  }
  if (axes.size() < 3 || k < 0 || free < 0) return;
  spec->rows = std::min(free, k);
  spec->columns = std::max(free, k);
}

}  // namespace

int SuitsDot(const Instruction& instruction) { return instruction.opcode == Opcode::kDot ? 50 : 0; }

absl::StatusOr<MadePicture> DrawDot(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const PictureArray& result = scene.result();
  const DotAxes axes = AxesOf(scene.instruction());
  board.set_focus_word(tr("its row and column"));
  board.Headline();
  const bool own_order = !axes.contracting.empty() && AddsInItsOwnOrder(scene);
  if (!axes.contracting.empty()) {
    board.Explain(absl::StrJoin(axes.contracting, ", "), GroupInk(1),
                  own_order ? tr("contracting: summed over, by a library in an order of its own; gone in the result.")
                            : tr("contracting: summed over, in the order in which they are written; gone in the result."));
  }
  if (!axes.batch.empty()) board.Explain(absl::StrJoin(axes.batch, ", "), GroupInk(0), tr("batch: run in step on both sides; first in the result."));
  if (!axes.lhs_free.empty()) board.Explain(absl::StrJoin(axes.lhs_free, ", "), GroupInk(2), axes.batch.empty() ? tr("free on the left: first in the result.") : tr("free on the left: then these."));
  if (!axes.rhs_free.empty()) board.Explain(absl::StrJoin(axes.rhs_free, ", "), GroupInk(3), tr("free on the right: last in the result."));

  // The element whose sum is told: the selected one; with a step the first.
  std::optional<std::vector<int64_t>> subject;
  if (board.result_cell() != nullptr) subject = board.result_cell()->index;
  if (!subject && selection.pinned && selection.pinned->array == kResultArray && scene.Has(*selection.pinned)) subject = selection.pinned->index;
  if (!subject && result.shape.ElementCount() > 0) subject.emplace(result.shape.rank(), 0);
  std::optional<FoldStory> story;
  if (subject) story = TellFold(scene, board.relation(), 0, *subject);
  if (story) board.set_steps(static_cast<int>(story->terms.size()));
  const int step = board.step();
  Related of_subject;
  if (step >= 0 && subject) of_subject = board.relation().Reads(0, *subject);
  board.set_marks([&](const Cell& cell) {
    if (step < 0 || !story) return CellMark::kNone;
    if (cell.array == kResultArray) return cell.index == *subject ? CellMark::kNow : CellMark::kNone;
    const auto reads = [&](int t) {
      const auto& cells = story->terms[t].reads;
      return std::find(cells.begin(), cells.end(), cell) != cells.end();
    };
    if (reads(step)) return CellMark::kNow;
    return of_subject.RoleOf(cell) ? CellMark::kFocus : CellMark::kNone;
  });
  GridSpec lhs = board.SpecOf(scene.operand(0)), rhs = board.SpecOf(scene.operand(1)), out = board.SpecOf(result);
  lhs.axes = axes.lhs;
  rhs.axes = axes.rhs;
  out.axes = axes.result;
  ChooseSides(axes.lhs, axes.lhs_k, &lhs);
  ChooseSides(axes.rhs, axes.rhs_k, &rhs);
  if (step >= 0 && story) {
    for (const Cell& cell : story->terms[step].reads) (cell.array == 0 ? lhs : rhs).focus = cell.index;
    out.focus = subject;
  }
  board.Row({std::move(lhs), std::string("."), std::move(rhs), std::string("->"), std::move(out)});
  if (story && (step >= 0 || board.result_cell() != nullptr)) {
    const auto of_side = [&scene](int side) {
      return [&scene, side](const FoldTerm& term) -> std::optional<Scalar> {
        for (const Cell& cell : term.reads) {
          if (cell.array == side) return scene.operand(side).At(cell.index);
        }
        return std::nullopt;
      };
    };
    GridSpec strip = FoldStrip(*story, kOwnArray,
                               {{tr("left"), of_side(0)},
                                {tr("right"), of_side(1)},
                                {tr("product"), [](const FoldTerm& t) { return t.value; }},
                                RunningRow(tr, *story)},
                               step, [](const FoldTerm& t) { return absl::StrJoin(t.at, ","); });
    strip.title = tr("$0 term by term", scene.NameOf({kResultArray, *subject}));
    if (story->total > static_cast<int64_t>(story->terms.size())) strip.note = tr("the first $0 of $1 terms", story->terms.size(), story->total);
    if (own_order) board.Say(OwnOrderText(tr));
    board.Row({std::move(strip)}, 150);
    if (step >= 0) {
      const FoldTerm& term = story->terms[step];
      std::vector<std::string> names;
      for (const Cell& cell : term.reads) names.push_back(scene.NameOf(cell));
      board.set_step_text(absl::StrCat(
          tr("Term $0 of $1: $2", step + 1, story->total, absl::StrJoin(names, " * ")),
          term.value ? absl::StrCat(" = ", ToText(*term.value)) : "",
          term.running
              ? absl::StrCat("; ", own_order ? tr("in this order the $0 so far is $1", tr(FoldWord(story->op)), ToText(*term.running))
                                             : tr("the $0 so far is $1", tr(FoldWord(story->op)), ToText(*term.running)))
              : "",
          "."));
    }
  }
  std::vector<std::string> letters;
  for (const GridAxis& axis : axes.result) letters.push_back(axis.letter);
  board.Formula(letters, axes.contracting);
  return board.Finish();
}

}  // namespace hloscope
