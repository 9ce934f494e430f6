// While: what the loop carried, iteration by iteration: a row or a slice for each, and curves of what is a single number.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/plot.h"

namespace hloscope {
namespace {

constexpr size_t kMostLeaves = 24;

// One leaf of what is carried, in every iteration that is known.
struct Carried {
  int leaf = 0;
  std::string name;              // "[1]"
  Shape shape;
  std::vector<PictureArray> at;  // by iteration; last the result
  bool changes = true;
};

bool IsReal(ElementType type) { return !IsComplex(type); }
double NumberOf(const Scalar& s) { return IsFloat(s.type) ? s.re : IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i); }

std::vector<Carried> CarriedOf(const PictureData& data) {
  std::vector<Carried> leaves;
  const Shape& shape = data.instruction->shape;
  for (int leaf = 0; leaf < LeafCountOf(shape); ++leaf) {
    Carried c;
    c.leaf = leaf;
    if (!LeafShape(shape, leaf).IsArray()) continue;
    c.name = absl::StrCat("%", data.instruction->name, LeafPathText(shape, leaf));
    c.changes = false;
    for (const Value& value : data.iterations) {
      const Value& of_leaf = LeafOf(value, leaf);
      if (!of_leaf.has_value()) break;
      c.at.emplace_back(kOwnArray + leaf, c.name, of_leaf.shape(), of_leaf);
      if (c.at.size() > 1 && !c.changes) {
        const Value& before = c.at[0].value();
        c.changes = before.buffer() != of_leaf.buffer() && (!Shape::Compatible(before.shape(), of_leaf.shape()) || !Value::BitEqual(before, of_leaf));
      }
    }
    if (c.at.empty()) continue;
    c.shape = c.at[0].shape;
    leaves.push_back(std::move(c));
  }
  return leaves;
}

GridSpec SpecOf(const Carried& c, const Board& board, int step) {
  GridSpec spec;
  spec.array = kOwnArray + c.leaf;
  spec.title = c.name;
  spec.type = std::string(Name(c.shape.element_type()));
  const int64_t times = static_cast<int64_t>(c.at.size());
  spec.dims = {times};
  spec.dims.insert(spec.dims.end(), c.shape.dimensions().begin(), c.shape.dimensions().end());
  spec.axes = CustomaryAxes(c.shape.rank());
  spec.axes.insert(spec.axes.begin(), {"t", Ink::kAmber});
  spec.label = [times, &board](int dim, int64_t i) { return dim == 0 && i == times - 1 ? board.captions()("end") : absl::StrCat(i); };
  spec.focus = board.FocusOf(spec.array);
  if (step >= 0) {
    spec.focus.emplace(spec.dims.size(), 0);
    (*spec.focus)[0] = std::min<int64_t>(step, times - 1);
  }
  spec.cell = [&c, &board, step, times, id = spec.array](absl::Span<const int64_t> index) {
    const int64_t t = index[0];
    GridCell cell = CellOf(c.at[t], index.subspan(1), nullptr, board.captions());
    cell.cell = {id, {index.begin(), index.end()}};
    cell.hint = absl::StrCat(t == times - 1 ? board.captions()("the result") : board.captions()("at the start of iteration $0", t), "\n", c.name, IndexText(index.subspan(1)), cell.text.empty() ? "" : absl::StrCat(" = ", cell.text));
    cell.mark = board.MarkOf(cell.cell);
    if (step >= 0 && t == step) cell.mark = std::max(cell.mark, CellMark::kNow);
    if (step >= 0 && t < step) cell.mark = std::max(cell.mark, CellMark::kDone);
    return cell;
  };
  return spec;
}

}  // namespace

int SuitsWhile(const Instruction& instruction) { return instruction.Called(AttrId::kBody) != nullptr && instruction.Called(AttrId::kCondition) != nullptr ? 60 : 0; }

absl::StatusOr<MadePicture> DrawWhile(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = *data.instruction;
  board.Headline();
  const std::vector<Carried> leaves = CarriedOf(data);
  const int64_t times = leaves.empty() ? 0 : static_cast<int64_t>(leaves[0].at.size());
  board.Explain(absl::StrCat("condition=", i.Called(AttrId::kCondition)->name), Ink::kViolet, tr("looks at what is carried before each iteration: while it gives true, the body runs."));
  board.Explain(absl::StrCat("body=", i.Called(AttrId::kBody)->name), Ink::kViolet, tr("makes from what is carried what the next iteration gets."));
  if (times == 0) {
    board.Say(tr("Once the loop has ended, what it carried at the start of each iteration stands here."), Ink::kAmber);
    std::vector<Board::Piece> row;
    for (size_t k = 0; k < std::min(scene.operands().size(), kMostLeaves / 2); ++k) {
      if (k > 0) row.push_back(std::string());
      row.push_back(board.SpecOf(scene.operands()[k]));
    }
    row.push_back(std::string("->"));
    for (size_t k = 0; k < std::min(scene.results().size(), kMostLeaves / 2); ++k) {
      if (k > 0) row.push_back(std::string());
      row.push_back(board.SpecOf(scene.results()[k]));
    }
    board.Row(std::move(row), 200);
    board.Formula();
    return board.Finish();
  }
  if (data.result.has_value()) board.Say(data.iteration_count > times - 1 ? tr("The first $0 of $1 iterations. t is the iteration at whose start it was so; the last column or slice is the result of all.", times - 1, data.iteration_count) : tr.Counted(times - 1, "$0 iteration. t is the iteration at whose start it was so; the last column or slice is the result.", "$0 iterations. t is the iteration at whose start it was so; the last column or slice is the result."));
  // The same element in all iterations.
  if (const Cell* cell = board.cell(); cell != nullptr && std::any_of(leaves.begin(), leaves.end(), [&](const Carried& c) { return cell->array == kOwnArray + c.leaf && static_cast<int>(cell->index.size()) == c.shape.rank() + 1; })) {
    Related related;
    std::vector<int64_t> low = cell->index, high = cell->index;
    low[0] = 0;
    high[0] = cell->index[0] - 1;
    related.AddBox({cell->array, low, high, LoadRole::kValue});
    low[0] = cell->index[0] + 1;
    high[0] = times - 1;
    related.AddBox({cell->array, low, high, LoadRole::kValue});
    board.set_related(std::move(related));
  }
  board.set_steps(static_cast<int>(times));
  const int step = board.step();
  // What changes first, single numbers before arrays.
  std::vector<const Carried*> order;
  for (const bool changes : {true, false}) {
    for (const bool scalar : {true, false}) {
      for (const Carried& c : leaves) {
        if (c.changes == changes && (c.shape.rank() == 0) == scalar) order.push_back(&c);
      }
    }
  }
  std::vector<std::string> same;
  size_t drawn = 0;
  for (const Carried* c : order) {
    if (!c->changes && times > 1) {
      same.push_back(c->name);
      continue;
    }
    if (drawn++ >= kMostLeaves) continue;
    board.Row({SpecOf(*c, board, step)}, c->shape.rank() == 0 ? 90 : 340);
    // One curve: the number, or the selected element.
    PlotLine line;
    std::vector<int64_t> element;
    const Cell* cell = board.cell();
    if (cell != nullptr && cell->array == kOwnArray + c->leaf && static_cast<int>(cell->index.size()) == c->shape.rank() + 1) element.assign(cell->index.begin() + 1, cell->index.end());
    if (times < 3 || !IsReal(c->shape.element_type()) || static_cast<int>(element.size()) != c->shape.rank()) continue;
    for (const PictureArray& at : c->at) {
      const std::optional<Scalar> s = at.At(element);
      line.y.push_back(s ? NumberOf(*s) : std::nan(""));
    }
    line.name = absl::StrCat(c->name, IndexText(element));
    DrawPlot(&board.drawing(), tr, {14, board.y() - 4, std::min(420.0f, std::max(selection.width, 320.0f) - 28), 68}, {line}, PlotKind::kCurve, step);
    board.Skip(72);
  }
  if (drawn > kMostLeaves) board.Say(tr.Counted(static_cast<int64_t>(drawn - kMostLeaves), "$0 more array is carried.", "$0 more arrays are carried."));
  if (!same.empty()) board.Say(tr("The same in every iteration: $0.", absl::StrJoin(same, ", ")));
  if (step >= 0) {
    std::vector<std::string> numbers;
    for (const Carried* c : order) {
      if (c->shape.rank() != 0 || !c->changes || numbers.size() > 5) continue;
      if (const std::optional<Scalar> s = c->at[step].At(int64_t{0})) numbers.push_back(absl::StrCat(c->name, " = ", ToText(*s)));
    }
    board.set_step_text(absl::StrCat(step == times - 1 ? tr("The result") : tr("At the start of iteration $0", step), numbers.empty() ? "" : ": ", absl::StrJoin(numbers, ", "), "."));
  }
  return board.Finish();
}

}  // namespace hloscope
