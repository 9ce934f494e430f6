// Reduce: which dimensions are folded away, what a result element is folded from, and in which order. Sixteen interleaved lanes that are
// joined pairwise are drawn as such: the order is part of what the operation means here.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/reducer.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/fold_story.h"

namespace hloscope {

int SuitsReduce(const Instruction& instruction) { return instruction.opcode == Opcode::kReduce ? 50 : 0; }

absl::StatusOr<MadePicture> DrawReduce(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  const int n = static_cast<int>(i.operands.size()) / 2;  // arrays, and as many initial values
  const Shape& shape = scene.operand(0).shape;
  std::vector<bool> folded(shape.rank(), false);
  for (int64_t d : i.Ints(AttrId::kDimensions)) folded[d] = true;
  std::vector<GridAxis> axes = CustomaryAxes(shape.rank()), kept_axes;
  std::vector<std::string> gone, kept;
  for (int d = 0; d < shape.rank(); ++d) {
    axes[d].paint = folded[d] ? Paint(Ink::kOrange) : Paint(GroupInk(static_cast<int>(kept.size())));
    (folded[d] ? gone : kept).push_back(axes[d].letter);
    if (!folded[d]) kept_axes.push_back(axes[d]);
  }
  board.set_focus_word(tr("folded"));
  board.Headline();
  // The element that is told: the selected one, else the first.
  std::optional<Cell> subject;
  if (board.result_cell() != nullptr) {
    subject = *board.result_cell();
  } else if (selection.pinned && selection.pinned->array >= kResultArray && selection.pinned->array < kOwnArray && scene.Has(*selection.pinned)) {
    subject = *selection.pinned;
  } else if (scene.result().shape.ElementCount() > 0) {
    subject = Cell{kResultArray, std::vector<int64_t>(scene.result().shape.rank(), 0)};
  }
  std::optional<FoldStory> story;
  if (subject) story = TellFold(scene, board.relation(), subject->array - kResultArray, subject->index);
  const Computation* reducer = i.Called(AttrId::kToApply);
  if (story && !story->single_op && reducer != nullptr) {
    RunReducer(scene, *reducer, n, [&](const FoldTerm& term) -> std::optional<std::vector<int64_t>> {
      std::vector<int64_t> index(shape.rank(), 0);
      size_t next_kept = 0, next_folded = 0;
      for (int d = 0; d < shape.rank(); ++d) {
        if (!folded[d]) index[d] = subject->index[next_kept++];
        else if (shape.dim(d) != 1 && next_folded < term.at.size()) index[d] = term.at[next_folded++];
      }
      return index;
    }, &*story);
  }
  if (!gone.empty()) {
    // Lanes begin with their first terms, and get the initial value at the end.
    const bool in_line = story && !story->lanes;
    const std::string how = reducer == nullptr ? in_line ? tr("folded away; from the initial value on, the accumulator on the left.") : tr("folded away.")
                            : in_line          ? tr("folded away with $0; from the initial value on, the accumulator on the left.", reducer->name)
                                               : tr("folded away with $0.", reducer->name);
    board.Explain(absl::StrJoin(gone, ", "), Ink::kOrange, how);
  }
  if (gone.empty()) board.Say(tr("No dimension is folded: each element is combined with the initial value."));
  if (!kept.empty()) board.Explain(absl::StrJoin(kept, ", "), GroupInk(0), tr("kept: one result for each."));
  if (story && story->total > 1) {
    board.Say(story->lanes ? tr("Order: the innermost folded index modulo 16 says the lane; each lane runs row-major, then lanes are joined pairwise, then the initial value.")
                           : tr("Order: row-major over the folded dimensions, one after the other."));
    board.set_steps(static_cast<int>(story->terms.size()));
  }
  const int step = board.step();
  Related of_subject;
  if (step >= 0 && subject) of_subject = board.relation().Reads(subject->array - kResultArray, subject->index);
  board.set_marks([&](const Cell& cell) {
    if (step < 0 || !story) return CellMark::kNone;
    if (cell == *subject) return CellMark::kNow;
    if (!of_subject.RoleOf(cell)) return CellMark::kNone;
    if (cell.array >= n) return CellMark::kFocus;
    for (int t = 0; t <= step; ++t) {
      const auto& reads = story->terms[t].reads;
      if (std::find(reads.begin(), reads.end(), cell) != reads.end()) return t == step ? CellMark::kNow : CellMark::kDone;
    }
    return CellMark::kFocus;
  });
  std::vector<Board::Piece> row;
  for (const PictureArray& operand : scene.operands()) {
    GridSpec spec = board.SpecOf(operand);
    if (operand.id < n) {
      spec.axes = axes;
      if (step >= 0 && story) {
        for (const Cell& cell : story->terms[step].reads) {
          if (cell.array == operand.id) spec.focus = cell.index;
        }
      }
      // Lanes have their colours.
      if (story && story->lanes) {
        int inner = -1;
        for (int d = 0; d < shape.rank(); ++d) {
          if (folded[d] && shape.dim(d) != 1) inner = d;
        }
        spec.cell = [inner_cell = std::move(spec.cell), inner](absl::Span<const int64_t> index) {
          GridCell cell = inner_cell(index);
          if (inner >= 0) cell.tint = Paint(GroupInk(static_cast<int>(index[inner] % 16)), 0.18f);
          return cell;
        };
      }
    }
    if (!row.empty()) row.push_back(std::string());
    row.push_back(std::move(spec));
  }
  row.push_back(std::string("->"));
  for (const PictureArray& result : scene.results()) {
    GridSpec spec = board.SpecOf(result);
    spec.axes = kept_axes;
    if (step >= 0 && subject && result.id == subject->array) spec.focus = subject->index;
    if (result.id != kResultArray) row.push_back(std::string());
    row.push_back(std::move(spec));
  }
  board.Row(std::move(row), 320);
  if (const Grid* grid = board.GridOfArray(OperandArray(0)); story && story->lanes && grid != nullptr) {
    board.Say(grid->has_numbers() ? tr("A cell has the colour of its lane; lanes l and l + 8 share one.")
                                  : tr("The strip at the foot of a cell has the colour of its lane; lanes l and l + 8 share one."));
  }
  if (story && story->total > 0 && subject && (step >= 0 || board.result_cell() != nullptr)) {
    std::vector<FoldRow> rows;
    for (int k = 0; k < n; ++k) {
      rows.push_back({n == 1 ? tr("term") : tr("term of $0", scene.operand(k).name), [&scene, k](const FoldTerm& t) -> std::optional<Scalar> {
                        for (const Cell& cell : t.reads) {
                          if (cell.array == k) return scene.operand(k).At(cell.index);
                        }
                        return std::nullopt;
                      }});
    }
    if (story->single_op) rows.push_back(RunningRow(tr, *story));
    for (int k = 0; k < n && !story->single_op && !story->terms.empty() && !story->terms[0].parts.empty(); ++k) {
      rows.push_back({scene.results().size() > static_cast<size_t>(k) ? tr("$0 so far", scene.results()[k].name) : tr("so far"), [k](const FoldTerm& t) -> std::optional<Scalar> {
                        return static_cast<size_t>(k) < t.parts.size() ? std::optional<Scalar>(t.parts[k]) : std::nullopt;
                      }});
    }
    GridSpec strip = FoldStrip(*story, kOwnArray, std::move(rows), step, [](const FoldTerm& t) { return absl::StrJoin(t.at, ","); });
    strip.title = tr("$0 term by term", scene.NameOf(*subject));
    if (story->total > static_cast<int64_t>(story->terms.size())) strip.note = tr("the first $0 of $1 terms", story->terms.size(), story->total);
    if (story->init) strip.note = absl::StrCat(strip.note.empty() ? "" : strip.note + "; ", story->lanes ? tr("from $0 at the end", ToText(*story->init)) : tr("from $0 on", ToText(*story->init)));
    board.Row({std::move(strip)}, n == 1 ? 130 : 200);
    if (!story->joins.empty() && step < 0) {
      board.Row({FoldJoins(tr, *story, kOwnArray + 1)}, 180);
      board.Say(JoinsText(tr));
    }
    if (step >= 0) {
      const FoldTerm& term = story->terms[step];
      std::vector<std::string> names;
      for (const Cell& cell : term.reads) names.push_back(scene.NameOf(cell));
      std::vector<std::string> parts;
      for (const Scalar& part : term.parts) parts.push_back(ToText(part));
      board.set_step_text(absl::StrCat(tr("Term $0 of $1: $2", step + 1, story->total, tr.And(names)),
                                       !term.running ? "" : absl::StrCat("; ", story->lanes ? tr("the $0 of lane $1 so far is $2", tr(FoldWord(story->op)), term.at.back() % 16, ToText(*term.running)) : tr("the $0 so far is $1", tr(FoldWord(story->op)), ToText(*term.running))),
                                       parts.empty() ? "" : absl::StrCat("; ", tr("so far $0", tr.And(parts))), "."));
    }
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
