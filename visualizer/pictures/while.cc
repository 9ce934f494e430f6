// While: what the loop carried, iteration by iteration: a row or a slice for each, and curves of what is a single number.
#include <algorithm>
#include <cmath>
#include <limits>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ir/written_names.h"
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
  std::vector<PictureArray> at;  // as PictureData::iterations
  bool changes = true;
};

// What stands side by side: iterations, one place for those that are left out before or after them, and the result, which is iteration `count`.
struct Times {
  int64_t first = 0, known = 0, count = 0;  // iterations from `first` on are known, `known` of them
  bool before() const { return first > 0; }
  bool after() const { return first + known < count; }
  int64_t places() const { return before() + known + after() + 1; }
  bool IsGap(int64_t place) const { return (before() && place == 0) || (after() && place == places() - 2); }
  // Of a place that is no gap.
  int64_t TimeOf(int64_t place) const { return place == places() - 1 ? count : first + place - before(); }
  // Of PictureData::iterations.
  int64_t EntryOf(int64_t time) const { return time >= count ? known : time - first; }
  int64_t PlaceOf(int64_t time) const { return time >= count ? places() - 1 : std::clamp<int64_t>(time - first, 0, known) + before(); }
};

Times TimesOf(const PictureData& data, int64_t entries) {
  Times times;
  times.first = data.first_iteration;
  times.known = entries - 1;
  times.count = std::max(data.iteration_count, times.first + times.known);
  return times;
}

bool IsReal(ElementType type) { return !IsComplex(type); }
double NumberOf(const Scalar& s) { return IsFloat(s.type) ? s.re : IsUnsigned(s.type) ? static_cast<double>(s.u()) : static_cast<double>(s.i); }

std::vector<Carried> CarriedOf(const PictureData& data) {
  std::vector<Carried> leaves;
  const Shape& shape = data.instruction->shape;
  for (int leaf = 0; leaf < LeafCountOf(shape); ++leaf) {
    Carried c;
    c.leaf = leaf;
    if (!LeafShape(shape, leaf).IsArray()) continue;
    c.name = absl::StrCat(ShownName(*data.instruction), LeafPathText(shape, leaf));
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

// "%w[1] = 5", "%w[2] = {1, 2}"; of many elements only the name.
std::string WithValue(const Carried& c) {
  constexpr int64_t kMost = 8;
  std::vector<std::string> elements;
  for (int64_t n = 0; n < c.shape.ElementCount() && c.shape.ElementCount() <= kMost; ++n) {
    if (const std::optional<Scalar> x = c.at[0].At(n)) elements.push_back(ToText(*x));
  }
  if (elements.empty()) return c.name;
  return absl::StrCat(c.name, " = ", c.shape.rank() == 0 ? elements[0] : absl::StrCat("{", absl::StrJoin(elements, ", "), "}"));
}

// Whether the body gives this leaf of what it gets as it got it.
bool HandsOn(const Instruction& loop, int leaf) {
  const Instruction* root = loop.Called(AttrId::kBody)->root;
  if (root == nullptr || leaf >= LeafCountOf(root->shape)) return false;
  if (root->parameter_number == 0) return true;
  const std::vector<LeafSource> leaves = SourcesOfLeaves(*root);
  const LeafSource source = leaf < static_cast<int>(leaves.size()) ? leaves[static_cast<size_t>(leaf)] : LeafSource{};
  if (source.operand < 0 || source.operand >= static_cast<int>(root->operands.size())) return false;
  const Instruction* from = root->operands[static_cast<size_t>(source.operand)];
  if (from->parameter_number == 0) return source.leaf == leaf;
  if (from->operands.size() != 1 || from->operands[0]->parameter_number != 0) return false;
  const std::vector<LeafSource> before = SourcesOfLeaves(*from);
  return source.leaf < static_cast<int>(before.size()) && before[static_cast<size_t>(source.leaf)].operand == 0 && before[static_cast<size_t>(source.leaf)].leaf == leaf;
}

// Whether the cell is the leaf's: an iteration, and an element in it.
bool IsOf(const Carried& c, const Cell& cell) { return cell.array == kOwnArray + c.leaf && static_cast<int>(cell.index.size()) == c.shape.rank() + 1; }

// What the loop begins with is what its first iteration begins with; what it gives stands at the end.
std::optional<Cell> AsIteration(const std::optional<Cell>& cell, int64_t count) {
  if (!cell.has_value() || (cell->array >= kOwnArray && cell->array < kOperandLeaf)) return cell;
  const bool of_result = cell->array >= kResultArray && cell->array < kOwnArray;
  Cell own{kOwnArray + (of_result ? cell->array - kResultArray : cell->array / kOperandLeaf), {of_result ? count : 0}};
  own.index.insert(own.index.end(), cell->index.begin(), cell->index.end());
  return own;
}

GridSpec SpecOf(const Carried& c, const Times& times, const Board& board, int step) {
  GridSpec spec;
  spec.array = kOwnArray + c.leaf;
  spec.title = c.name;
  spec.type = std::string(Name(c.shape.element_type()));
  spec.dims = {times.places()};
  spec.told_first = times.count + 1;
  spec.dims.insert(spec.dims.end(), c.shape.dimensions().begin(), c.shape.dimensions().end());
  spec.axes = CustomaryAxes(c.shape.rank());
  spec.axes.insert(spec.axes.begin(), {"t", Ink::kAmber});
  spec.label = [times, &board](int dim, int64_t i) { return dim != 0 ? absl::StrCat(i) : times.IsGap(i) ? "…" : times.TimeOf(i) == times.count ? board.captions()("end") : absl::StrCat(times.TimeOf(i)); };
  spec.focus = board.FocusOf(spec.array);
  if (spec.focus && !spec.focus->empty()) (*spec.focus)[0] = times.PlaceOf((*spec.focus)[0]);
  if (step >= 0) {
    spec.focus.emplace(spec.dims.size(), 0);
    (*spec.focus)[0] = times.PlaceOf(step);
  }
  spec.cell = [&c, &board, step, times, id = spec.array](absl::Span<const int64_t> index) {
    if (times.IsGap(index[0])) {
      GridCell gap;
      gap.cell = {id, {}};
      gap.state = CellState::kAbsent;
      return gap;
    }
    const int64_t t = times.TimeOf(index[0]);
    GridCell cell = CellOf(c.at[times.EntryOf(t)], index.subspan(1), nullptr, board.captions());
    cell.cell = {id, {index.begin(), index.end()}};
    cell.cell.index[0] = t;
    cell.hint = absl::StrCat(t == times.count ? board.captions()("the result") : board.captions()("at the start of iteration $0", t), "\n", c.name, IndexText(index.subspan(1)), cell.value ? absl::StrCat(" = ", ToText(*cell.value)) : "");
    cell.mark = board.MarkOf(cell.cell);
    if (step >= 0 && t == step) cell.mark = std::max(cell.mark, CellMark::kNow);
    if (step >= 0 && t < step) cell.mark = std::max(cell.mark, CellMark::kDone);
    return cell;
  };
  return spec;
}

}  // namespace

int SuitsWhile(const Instruction& instruction) { return instruction.Called(AttrId::kBody) != nullptr && instruction.Called(AttrId::kCondition) != nullptr ? 60 : 0; }

absl::StatusOr<MadePicture> DrawWhile(const PictureData& data, const PictureSelection& given) {
  PictureSelection selection = given;
  if (!data.iterations.empty()) {
    const int64_t count = TimesOf(data, static_cast<int64_t>(data.iterations.size())).count;
    selection.pinned = AsIteration(given.pinned, count);
    selection.hovered = AsIteration(given.hovered, count);
  }
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = *data.instruction;
  board.Headline();
  const std::vector<Carried> leaves = CarriedOf(data);
  const int64_t entries = leaves.empty() ? 0 : static_cast<int64_t>(leaves[0].at.size());
  board.Explain(absl::StrCat("condition=", i.Called(AttrId::kCondition)->name), Ink::kViolet, tr("looks at what is carried before each iteration: while it gives true, the body runs."));
  board.Explain(absl::StrCat("body=", i.Called(AttrId::kBody)->name), Ink::kViolet, tr("makes from what is carried what the next iteration gets."));
  if (entries == 0) {
    if (!data.result.has_value()) board.Say(tr("Once the loop has ended, what it carried at the start of each iteration stands here."), Ink::kAmber);
    else board.Say(tr("What the loop carried at the start of each iteration is known while the program stands behind it, in the computation that it is in. Where it comes last there is no such place."), Ink::kAmber);
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
  const Times times = TimesOf(data, entries);
  if (times.before() || times.after()) {
    board.Say(tr("Iterations $0 to $1 of $2, counted from 0; a step to another shows those round it. t is the iteration at whose start it was so; the last column or slice is the result of all.", times.first, times.first + times.known - 1, times.count));
  } else if (data.result.has_value()) {
    board.Say(tr.Counted(times.count, "$0 iteration. t is the iteration at whose start it was so; the last column or slice is the result.", "$0 iterations. t is the iteration at whose start it was so; the last column or slice is the result."));
  }
  // The same element in all iterations.
  if (const Cell* cell = board.cell(); cell != nullptr && std::any_of(leaves.begin(), leaves.end(), [&](const Carried& c) { return IsOf(c, *cell); })) {
    Related related;
    std::vector<int64_t> low = cell->index, high = cell->index;
    low[0] = 0;
    high[0] = cell->index[0] - 1;
    related.AddBox({cell->array, low, high, LoadRole::kValue});
    low[0] = cell->index[0] + 1;
    high[0] = times.count;
    related.AddBox({cell->array, low, high, LoadRole::kValue});
    board.set_related(std::move(related));
  }
  board.set_steps(static_cast<int>(std::min<int64_t>(times.count + 1, std::numeric_limits<int>::max())));
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
  std::vector<const Carried*> same;
  size_t drawn = 0;
  for (const Carried* c : order) {
    if (!c->changes && entries > 1) {
      same.push_back(c);
      continue;
    }
    if (drawn++ >= kMostLeaves) continue;
    board.Row({SpecOf(*c, times, board, step)}, c->shape.rank() == 0 ? 90 : 340);
    // One curve: the number, or the selected element.
    PlotLine line;
    std::vector<int64_t> element;
    const Cell* cell = board.cell();
    if (cell != nullptr && IsOf(*c, *cell)) element.assign(cell->index.begin() + 1, cell->index.end());
    if (entries < 3 || !IsReal(c->shape.element_type()) || static_cast<int>(element.size()) != c->shape.rank()) continue;
    for (int64_t place = 0; place < times.places(); ++place) {
      if (times.IsGap(place)) line.gaps.push_back(line.y.size());
      const std::optional<Scalar> s = times.IsGap(place) ? std::nullopt : c->at[times.EntryOf(times.TimeOf(place))].At(element);
      line.y.push_back(s ? NumberOf(*s) : std::nan(""));
    }
    line.name = absl::StrCat(c->name, IndexText(element));
    DrawPlot(&board.drawing(), tr, {14, board.y() - 4, std::min(420.0f, std::max(selection.width, 320.0f) - 28), 68}, {line}, PlotKind::kCurve, step < 0 ? -1 : times.PlaceOf(step));
    board.Skip(72);
  }
  if (drawn > kMostLeaves) board.Say(tr.Counted(static_cast<int64_t>(drawn - kMostLeaves), "$0 more array is carried.", "$0 more arrays are carried."));
  // Of some iterations only what the body hands on as it is is the same in the others, too.
  std::vector<std::string> always, here;
  for (const Carried* c : same) (!times.before() && !times.after() ? always : HandsOn(i, c->leaf) ? always : here).push_back(WithValue(*c));
  if (!always.empty()) board.Say(tr("The same in every iteration: $0.", absl::StrJoin(always, ", ")));
  if (!here.empty()) board.Say(tr("The same in the iterations that are shown: $0.", absl::StrJoin(here, ", ")));
  if (step >= 0) {
    std::vector<std::string> numbers;
    for (const Carried* c : order) {
      if (c->shape.rank() != 0 || !c->changes || numbers.size() > 5) continue;
      if (const std::optional<Scalar> s = c->at[times.EntryOf(step)].At(int64_t{0})) numbers.push_back(absl::StrCat(c->name, " = ", ToText(*s)));
    }
    board.set_step_text(absl::StrCat(step == times.count ? tr("The result") : tr("At the start of iteration $0", step), numbers.empty() ? "" : ": ", absl::StrJoin(numbers, ", "), "."));
  }
  MadePicture picture = board.Finish();
  picture.selected = selection.pinned;
  return picture;
}

}  // namespace hloscope
