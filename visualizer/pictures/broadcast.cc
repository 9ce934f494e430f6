// Broadcast as the specification tells it: the operand; the in-dim step, which gives it the dimensions that it lacks; the degenerate step,
// which stretches dimensions of size 1; the result. Also for implicit ones, which XLA's builder writes as a broadcast (after a reshape that
// drops the dimensions of size 1) before an operation on single elements.
#include <algorithm>
#include <numeric>

#include "absl/strings/ascii.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/ir/written_names.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

int SuitsPointwise(const Instruction& instruction);

namespace {

// One broadcast: its operand (before a reshape that only drops sizes of 1, if there is one) and where that one's dimensions go.
struct Stretch {
  PictureArray source, result;
  std::vector<int> to;  // by dimension of the source: the result's; -1: of size 1 and dropped
  std::vector<int> kept;  // by dimension of the source: that of the HLO broadcast's operand, where a reshape stands between; -1: dropped there
  int stage_id = 0;     // of the in-dim step
  bool has_stage = false;
  std::vector<int64_t> stage_dims;

  // The source's element for an index of the stage or the result.
  std::vector<int64_t> SourceOf(absl::Span<const int64_t> index) const {
    std::vector<int64_t> from(to.size(), 0);
    for (size_t d = 0; d < to.size(); ++d) {
      if (to[d] >= 0 && source.shape.dim(static_cast<int>(d)) != 1) from[d] = index[to[d]];
    }
    return from;
  }
  // The source's element for an index of the reshape between.
  std::vector<int64_t> SourceOfKept(absl::Span<const int64_t> index) const {
    std::vector<int64_t> from(kept.size(), 0);
    for (size_t d = 0; d < kept.size(); ++d) {
      if (kept[d] >= 0 && kept[d] < static_cast<int>(index.size())) from[d] = index[kept[d]];
    }
    return from;
  }
  bool IsStretched(int result_dim) const {
    const auto d = std::find(to.begin(), to.end(), result_dim);
    return d != to.end() && source.shape.dim(static_cast<int>(d - to.begin())) == 1 && result.shape.dim(result_dim) != 1;
  }
  bool IsNew(int result_dim) const { return std::find(to.begin(), to.end(), result_dim) == to.end(); }
  std::vector<int64_t> StageOf(absl::Span<const int64_t> index) const {
    std::vector<int64_t> at(index.begin(), index.end());
    for (size_t d = 0; d < at.size(); ++d) {
      if (stage_dims[d] == 1) at[d] = 0;
    }
    return at;
  }
  // All elements of the result that come from an element of the source, or of the stage.
  Related::Box ResultBox(absl::Span<const int64_t> index, bool of_stage) const {
    Related::Box box{result.id, std::vector<int64_t>(result.shape.rank(), 0), {}, LoadRole::kValue};
    for (int64_t n : result.shape.dimensions()) box.high.push_back(n - 1);
    for (size_t d = 0; d < index.size(); ++d) {
      const int at = of_stage ? static_cast<int>(d) : to[d];
      const int64_t size = of_stage ? stage_dims[d] : source.shape.dim(static_cast<int>(d));
      if (at < 0 || (size == 1 && result.shape.dim(at) != 1)) continue;
      box.low[at] = box.high[at] = index[d];
    }
    return box;
  }
};

// The dimensions of `of` that are left when a reshape drops some of size 1; nullopt where it does something else.
std::optional<std::vector<int>> DroppedOnes(const Shape& of, const Shape& left) {
  std::vector<int> kept;
  int next = 0;
  for (int d = 0; d < of.rank(); ++d) {
    const int more = of.rank() - d, open = left.rank() - next;
    if (next < left.rank() && of.dim(d) == left.dim(next) && !(of.dim(d) == 1 && more > open)) {
      kept.push_back(next++);
    } else if (of.dim(d) == 1) {
      kept.push_back(-1);
    } else {
      return std::nullopt;
    }
  }
  if (next != left.rank()) return std::nullopt;
  return kept;
}

// StableHLO's broadcast is read as two instructions: a reshape that drops the sizes of 1 that are stretched, and what HLO calls a broadcast. Both
// stand where the one is written.
bool IsWrittenAsOne(const Instruction& reshape, const Instruction& broadcast) {
  const Module* module = broadcast.parent == nullptr ? nullptr : broadcast.parent->module;
  const bool known = module != nullptr && module->source != nullptr && broadcast.range.valid() && broadcast.range.end <= static_cast<int64_t>(module->source->text().size());
  return known && reshape.range.begin == broadcast.range.begin && reshape.range.end == broadcast.range.end;
}

// The reshape before a broadcast that together with it stretches sizes of 1: of StableHLO, or one that drops dimensions which the broadcast
// brings back where they were. Null: there is none.
const Instruction* DroppingReshape(const Instruction& broadcast) {
  const Instruction* before = broadcast.operands[0];
  if (before->opcode != Opcode::kReshape || before->operands.size() != 1) return nullptr;
  const Shape& from = before->operands[0]->shape;
  const std::optional<std::vector<int>> kept = DroppedOnes(from, before->shape);
  if (!kept) return nullptr;
  if (IsWrittenAsOne(*before, broadcast)) return before;
  const auto dims = broadcast.Ints(AttrId::kDimensions);
  bool back = from.rank() == broadcast.shape.rank() && from.rank() > before->shape.rank();
  for (int d = 0; d < from.rank() && back; ++d) back = (*kept)[d] >= 0 ? dims[(*kept)[d]] == d : std::find(dims.begin(), dims.end(), d) == dims.end();
  return back ? before : nullptr;
}

// What is broadcast: the first instruction behind broadcasts and reshapes that only drop sizes of 1.
const Instruction& BeforeBroadcasts(const Instruction& instruction) {
  const Instruction* before = &instruction;
  while (before->opcode == Opcode::kBroadcast || (before->opcode == Opcode::kReshape && DroppedOnes(before->operands[0]->shape, before->shape))) before = before->operands[0];
  return *before;
}

// Operands that broadcasts made one shape, and not all in the same way.
bool IsImplicit(const Instruction& instruction) {
  if (SuitsPointwise(instruction) == 0) return false;
  const Instruction& first = *instruction.operands[0];
  return std::any_of(instruction.operands.begin(), instruction.operands.end(), [&](const Instruction* o) {
    if (o->opcode != Opcode::kBroadcast && first.opcode != Opcode::kBroadcast) return false;
    return o->opcode != first.opcode || o->Ints(AttrId::kDimensions) != first.Ints(AttrId::kDimensions) ||
           BeforeBroadcasts(*o).shape.dimensions() != BeforeBroadcasts(first).shape.dimensions();
  });
}

// Where StableHLO's broadcast puts the dimensions of its operand, of which `kept` says those that HLO still knows (-1: dropped). As it is
// written; where it is not, as NumPy has it: each dimension that is open stands as far to the right as those beside it let it.
std::vector<int> WrittenPlaces(const Instruction& broadcast, const Shape& source, const Shape& result, std::vector<int> kept) {
  const absl::string_view all = broadcast.parent->module->source->text();
  const absl::string_view text = all.substr(broadcast.range.begin, broadcast.range.end - broadcast.range.begin);
  for (const absl::string_view name : {"dims", "broadcast_dimensions"}) {
    size_t at = text.find(absl::StrCat(name, " = "));
    if (at == absl::string_view::npos || (at = text.find_first_of("[:", at)) == absl::string_view::npos) continue;
    std::vector<int> places;
    bool fits = true;
    const size_t end = text.find_first_of("]>", at);
    for (absl::string_view part : absl::StrSplit(text.substr(at + 1, end == absl::string_view::npos ? 0 : end - at - 1), ',')) {
      int place = -1;
      fits = fits && absl::SimpleAtoi(absl::StripAsciiWhitespace(part), &place) && place >= 0 && place < result.rank();
      places.push_back(place);
    }
    fits = fits && places.size() == kept.size();
    for (size_t d = 0; fits && d < kept.size(); ++d) fits = kept[d] < 0 || kept[d] == places[d];
    if (fits) return places;
  }
  int next = result.rank();
  for (int d = source.rank(); d-- > 0;) {
    if (kept[d] < 0) {
      int place = next - 1;
      while (place >= 0 && std::find(kept.begin(), kept.end(), place) != kept.end()) --place;
      kept[d] = place;
    }
    next = kept[d];
  }
  return kept;
}

// `value_of`: the broadcast's own result. Where the operand's value is not at hand it is read off that. `look_back`: over all that the builder
// writes for one broadcast, else only over what StableHLO's own one is read as.
Stretch StretchOf(const Instruction& broadcast, const Shape& operand, const Shape& result, const Value& operand_value, const Value& result_value, bool look_back, int operand_id,
                  int result_id, int stage_id) {
  Stretch s;
  std::vector<int> to;
  for (int64_t d : broadcast.Ints(AttrId::kDimensions)) to.push_back(static_cast<int>(d));
  Shape source = operand;
  std::string name = ShownName(*broadcast.operands[0]);
  const Instruction* before = broadcast.operands[0];
  if (const Instruction* made = DroppingReshape(broadcast)) {
    const Shape& from = made->operands[0]->shape;
    s.kept = *DroppedOnes(from, made->shape);
    std::vector<int> places;
    for (int d = 0; d < from.rank(); ++d) places.push_back(s.kept[d] >= 0 ? to[s.kept[d]] : -1);
    for (int d = 0; d < from.rank() && !IsWrittenAsOne(*made, broadcast); ++d) places[d] = d;
    to = IsWrittenAsOne(*made, broadcast) ? WrittenPlaces(broadcast, from, result, std::move(places)) : std::move(places);
    before = made->operands[0];
    source = before->shape;
    name = ShownName(*before);
  }
  // Back over reshapes that only drop sizes of 1 and over earlier broadcasts: that is how the builder writes the steps.
  for (int hops = 0; look_back && hops < 3 && before->operands.size() == 1; ++hops) {
    const Shape& from = before->operands[0]->shape;
    std::vector<int> of_source;
    if (before->opcode == Opcode::kReshape) {
      const auto kept = DroppedOnes(from, before->shape);
      if (!kept) break;
      for (int d = 0; d < from.rank(); ++d) {
        // A dropped dimension stays where it was, if nothing else is there: the degenerate step stretches it.
        const bool free = from.rank() == result.rank() && std::find(to.begin(), to.end(), d) == to.end();
        of_source.push_back((*kept)[d] >= 0 ? to[(*kept)[d]] : free ? d : -1);
      }
    } else if (before->opcode == Opcode::kBroadcast) {
      for (int64_t d : before->Ints(AttrId::kDimensions)) of_source.push_back(to[d]);
    } else {
      break;
    }
    to = std::move(of_source);
    before = before->operands[0];
    source = before->shape;
    name = ShownName(*before);
  }
  s.to = std::move(to);
  s.result = PictureArray(result_id, ShownName(broadcast), result, result_value);
  Value value = operand_value;
  if (value.has_value() && value.shape().dimensions() != source.dimensions()) {  // the same elements in the same order
    const PictureArray dropped(0, "", operand, value);
    value = Value::Allocate(Shape::Array(source.element_type(), source.dimensions()));
    for (int64_t n = 0; n < source.ElementCount(); ++n) {
      if (const std::optional<Scalar> x = dropped.At(n)) StoreScalar(*x, value.mutable_data() + n * StorageBytes(source.element_type()));
    }
  }
  if (!value.has_value() && result_value.has_value() && result.ElementCount() > 0 && source.ElementCount() <= (1 << 20)) {
    value = Value::Allocate(Shape::Array(source.element_type(), source.dimensions()));
    const int64_t bytes = StorageBytes(source.element_type());
    std::vector<int64_t> index(source.rank()), at(result.rank());
    for (int64_t n = 0; n < source.ElementCount(); ++n) {
      DelinearizeIndex(source.dimensions(), n, absl::MakeSpan(index));
      std::fill(at.begin(), at.end(), 0);
      for (size_t d = 0; d < index.size(); ++d) {
        if (s.to[d] >= 0) at[s.to[d]] = index[d];
      }
      if (const std::optional<Scalar> x = s.result.At(at)) StoreScalar(*x, value.mutable_data() + n * bytes);
    }
  }
  s.source = PictureArray(operand_id, name, Shape::Array(source.element_type(), source.dimensions()), std::move(value));
  bool adds = false, stretches = false;
  for (int d = 0; d < result.rank(); ++d) {
    s.stage_dims.push_back(s.IsStretched(d) ? 1 : result.dim(d));
    adds = adds || s.IsNew(d);
    stretches = stretches || s.IsStretched(d);
  }
  s.has_stage = adds && stretches;
  s.stage_id = stage_id;
  return s;
}

// The chain of grids of one broadcast. `visible`: how many of its stages are made so far.
void AddChain(const Stretch& s, Board& board, int visible, std::vector<Board::Piece>* row) {
  const Captions& tr = board.captions();
  std::vector<GridAxis> axes = CustomaryAxes(s.result.shape.rank()), of_source;
  for (int d = 0; d < s.result.shape.rank(); ++d) axes[d].paint = s.IsNew(d) ? Paint(Ink::kViolet) : s.IsStretched(d) ? Paint(Ink::kOrange) : Paint(GroupInk(d));
  for (int to : s.to) of_source.push_back(to >= 0 ? axes[to] : GridAxis{"", Ink::kFaint});
  // The source's elements keep their colours all the way.
  const auto look = [&s, &board, &tr](int id, std::vector<int64_t> index, std::vector<int64_t> source, bool made) {
    GridCell cell = CellOf(s.source, source, nullptr, tr);
    cell.cell = {id, std::move(index)};
    cell.hint = absl::StrCat(tr("$0 comes from $1", IndexText(cell.cell.index), absl::StrCat(s.source.name, IndexText(source))), cell.value ? absl::StrCat(" = ", ToText(*cell.value)) : "");
    cell.mark = board.MarkOf(cell.cell);
    const int64_t linear = LinearIndex(s.source.shape.dimensions(), source);
    if (s.result.shape.ElementCount() <= kMostTinted) cell.tint = Paint(GroupInk(static_cast<int>(linear % kGroupInks)), 0.2f);
    if (!made) {
      cell.Empty();
      cell.tint = Paint();
    }
    return cell;
  };
  GridSpec source;
  source.array = s.source.id;
  source.title = s.source.name;
  source.type = std::string(Name(s.source.shape.element_type()));
  source.dims.assign(s.source.shape.dimensions().begin(), s.source.shape.dimensions().end());
  source.axes = of_source;
  source.note = tr("the operand");
  source.focus = board.FocusOf(source.array);
  source.scales = {s.result.id};
  source.cell = [look, id = s.source.id](absl::Span<const int64_t> index) {
    std::vector<int64_t> at(index.begin(), index.end());
    return look(id, at, at, true);
  };
  row->push_back(std::move(source));
  row->push_back(std::string("->"));
  if (s.has_stage) {
    GridSpec stage;
    stage.array = s.stage_id;
    stage.title = tr("in-dim step");
    stage.type = std::string(Name(s.source.shape.element_type()));
    stage.dims = s.stage_dims;
    stage.axes = axes;
    stage.note = tr("with the dimensions that it lacked");
    stage.focus = board.FocusOf(s.stage_id);
    stage.scales = {s.result.id};
    if (!stage.focus) {
      if (const auto of_result = board.FocusOf(s.result.id)) stage.focus = s.StageOf(*of_result);
    }
    stage.cell = [look, &s, visible](absl::Span<const int64_t> index) { return look(s.stage_id, {index.begin(), index.end()}, s.SourceOf(index), visible > 1); };
    row->push_back(std::move(stage));
    row->push_back(std::string("->"));
  }
  GridSpec result;
  result.array = s.result.id;
  result.title = s.result.name;
  result.type = std::string(Name(s.result.shape.element_type()));
  result.dims.assign(s.result.shape.dimensions().begin(), s.result.shape.dimensions().end());
  result.axes = axes;
  bool stretches = false;
  for (int d = 0; d < s.result.shape.rank(); ++d) stretches = stretches || s.IsStretched(d);
  const bool repeats = s.source.shape.rank() < s.result.shape.rank();
  result.note = s.has_stage || stretches ? tr("degenerate step: sizes of 1 are stretched") : repeats ? tr("in-dim step: repeated along the others") : tr("in-dim step: nothing is repeated");
  result.focus = board.FocusOf(s.result.id);
  result.scales = {s.result.id};
  const bool made = visible > (s.has_stage ? 2 : 1);
  result.cell = [look, &s, made](absl::Span<const int64_t> index) { return look(s.result.id, {index.begin(), index.end()}, s.SourceOf(index), made); };
  row->push_back(std::move(result));
}

std::string NamesOf(const Stretch& s, bool wanted_new) {
  std::vector<std::string> names;
  const std::vector<GridAxis> axes = CustomaryAxes(s.result.shape.rank());
  for (int d = 0; d < s.result.shape.rank(); ++d) {
    if (wanted_new ? s.IsNew(d) : s.IsStretched(d)) names.push_back(axes[d].letter);
  }
  return absl::StrJoin(names, ", ");
}

void ExplainStretch(const Stretch& s, Board& board) {
  const Captions& tr = board.captions();
  const std::vector<GridAxis> axes = CustomaryAxes(s.result.shape.rank());
  std::vector<std::string> words;
  for (size_t d = 0; d < s.to.size(); ++d) {
    if (s.to[d] >= 0) words.push_back(tr("dimension $0 of $1 is $2 ($3)", d, s.source.name, axes[s.to[d]].letter, s.to[d]));
  }
  if (s.to.empty()) words.push_back(tr("$0 is a scalar", s.source.name));
  std::string text = absl::StrCat(absl::StrJoin(words, "; "), ".");
  if (const std::string added = NamesOf(s, true); !added.empty()) absl::StrAppend(&text, " ", tr("In-dim step: it repeats along $0.", added));
  if (const std::string stretched = NamesOf(s, false); !stretched.empty()) absl::StrAppend(&text, " ", tr("Degenerate step: size 1 is stretched along $0.", stretched));
  board.Explain(s.result.name, Ink::kViolet, text);
}

// What belongs to a cell of a source or a step that is no operand or result of the instruction; true where it was one.
bool RelateOwn(const std::vector<Stretch>& stretches, Board& board) {
  const Cell* cell = board.cell();
  if (cell == nullptr) return false;
  for (const Stretch& s : stretches) {
    const bool of_stage = s.has_stage && cell->array == s.stage_id && cell->index.size() == s.stage_dims.size();
    const bool of_source = cell->array == s.source.id && s.source.id >= kOwnArray && static_cast<int>(cell->index.size()) == s.source.shape.rank();
    if (!of_stage && !of_source) continue;
    Related related;
    related.AddBox(s.ResultBox(cell->index, of_stage));
    if (s.result.id < kResultArray) {  // of an operand: on to the result of the operation
      Related::Box box = s.ResultBox(cell->index, of_stage);
      box.array = kResultArray;
      related.AddBox(std::move(box));
    }
    if (of_stage) related.Add(s.source, LinearIndex(s.source.shape.dimensions(), s.SourceOf(cell->index)), LoadRole::kValue);
    board.set_related(std::move(related));
    return true;
  }
  return false;
}

// Sources and steps on the way between the cells that the relation knows.
CellMark OnTheWay(const std::vector<Stretch>& stretches, const Board& board, const Cell& cell) {
  if (board.cell() == nullptr) return CellMark::kNone;
  for (const Stretch& s : stretches) {
    if (cell.array != s.stage_id && !(cell.array == s.source.id && s.source.id >= kOwnArray)) continue;
    const bool of_stage = cell.array == s.stage_id;
    const auto through = [&](const Cell& result) {  // an element of the broadcast's result
      return of_stage ? s.StageOf(result.index) == cell.index : s.SourceOf(result.index) == cell.index;
    };
    const Cell& at = *board.cell();
    if (at.array == s.result.id && at.index.size() == s.stage_dims.size()) return through(at) ? CellMark::kRelated : CellMark::kNone;
    if (at.array == kResultArray && static_cast<int>(at.index.size()) == s.result.shape.rank()) return through({s.result.id, at.index}) ? CellMark::kRelated : CellMark::kNone;
    if (at.array == s.source.id && of_stage) return s.SourceOf(cell.index) == at.index ? CellMark::kRelated : CellMark::kNone;
    if (at.array == s.stage_id && !of_stage) return s.SourceOf(at.index) == cell.index ? CellMark::kRelated : CellMark::kNone;
    if (at.array == OperandArray(0) && !s.kept.empty()) {  // of the reshape between, which is not drawn
      const std::vector<int64_t> source = of_stage ? s.SourceOf(cell.index) : cell.index;
      bool same = true;
      for (size_t d = 0; d < source.size(); ++d) same = same && (s.kept[d] < 0 || (s.kept[d] < static_cast<int>(at.index.size()) && source[d] == at.index[s.kept[d]]));
      return !same ? CellMark::kNone : of_stage ? CellMark::kRelated : CellMark::kSelected;
    }
  }
  return CellMark::kNone;
}

// Of a broadcast whose operand is not that of the program's text, which Board::Formula would name.
void SourceFormula(const Stretch& s, Board& board) {
  const Cell* cell = board.result_cell();
  std::vector<std::string> of_result, of_source;
  const std::vector<GridAxis> axes = CustomaryAxes(s.result.shape.rank());
  for (int d = 0; d < s.result.shape.rank(); ++d) of_result.push_back(cell != nullptr ? absl::StrCat(cell->index[d]) : axes[d].letter);
  for (size_t d = 0; d < s.to.size(); ++d) of_source.push_back(s.to[d] < 0 || s.source.shape.dim(static_cast<int>(d)) == 1 ? "0" : of_result[s.to[d]]);
  const auto element = [](const PictureArray& array, const std::vector<std::string>& index) { return absl::StrCat(array.name, index.empty() ? "" : absl::StrCat("[", absl::StrJoin(index, ","), "]")); };
  board.Skip(4);
  const std::optional<Scalar> x = cell != nullptr ? s.result.At(cell->index) : std::nullopt;
  board.Code(absl::StrCat(element(s.result, of_result), " = ", element(s.source, of_source), x ? absl::StrCat(" = ", ToText(*x)) : ""));
}

absl::StatusOr<MadePicture> DrawExplicit(Board board) {
  const PictureScene& scene = board.scene();
  const Instruction* reshape = DroppingReshape(scene.instruction());
  const bool between = reshape != nullptr, named = between && !IsWrittenAsOne(*reshape, scene.instruction());
  const std::vector<Stretch> stretches = {StretchOf(scene.instruction(), scene.operand(0).shape, scene.result().shape, scene.operand(0).value(), scene.result().value(),
                                                    /*look_back=*/false, between ? kOwnArray + 1 : OperandArray(0), kResultArray, kOwnArray)};
  const Stretch& s = stretches[0];
  const Captions& tr = board.captions();
  board.Headline(named ? std::vector<std::string>() : std::vector<std::string>{s.source.name});
  ExplainStretch(s, board);
  RelateOwn(stretches, board);
  board.set_marks([&](const Cell& cell) { return OnTheWay(stretches, board, cell); });
  board.set_steps(s.has_stage ? 3 : 2);
  const int step = board.step();
  const std::string added = NamesOf(s, true), stretched = NamesOf(s, false);
  if (step >= 0) {
    const bool last = step == (s.has_stage ? 2 : 1);
    board.set_step_text(step == 0 ? tr.Counted(s.source.shape.ElementCount(), "The operand: $0 element.", "The operand: $0 elements.")
                        : !last || !stretched.empty() == false ? tr("In-dim step: the elements repeat along $0.", added.empty() ? tr("nothing new") : added)
                                                               : tr("Degenerate step: the size of 1 is stretched along $0.", stretched));
  }
  std::vector<Board::Piece> row;
  AddChain(s, board, step < 0 ? 3 : step + 1, &row);
  if (named) row[0].grid.note = tr("the operand of $0, which drops its sizes of 1", scene.operand(0).name);
  board.Row(std::move(row));
  board.RelationArrows();
  if (between) SourceFormula(s, board);
  else board.Formula();
  MadePicture picture = board.Finish();
  // An element of the reshape between stands in what it was made from.
  if (const std::optional<Cell>& pinned = board.selection().pinned; between && pinned && pinned->array == OperandArray(0)) picture.selected = Cell{s.source.id, s.SourceOfKept(pinned->index)};
  return picture;
}

// What is not alike about the operands before they are brought to one shape.
std::string WhatDiffers(const Captions& tr, const PictureScene& scene, const std::vector<Stretch>& stretches) {
  std::vector<std::pair<std::vector<int64_t>, std::vector<int>>> begins;  // sizes, and where they go
  for (const PictureArray& operand : scene.operands()) {
    const auto s = std::find_if(stretches.begin(), stretches.end(), [&](const Stretch& stretch) { return stretch.result.id == operand.id; });
    const auto sizes = s != stretches.end() ? s->source.shape.dimensions() : operand.shape.dimensions();
    std::vector<int> places(static_cast<size_t>(operand.shape.rank()));
    std::iota(places.begin(), places.end(), 0);
    begins.emplace_back(std::vector<int64_t>(sizes.begin(), sizes.end()), s != stretches.end() ? s->to : places);
  }
  const auto alike = [&](auto same) { return std::all_of(begins.begin(), begins.end(), same); };
  if (!alike([&](const auto& b) { return b.first == begins[0].first; })) {
    return tr("Operands of different shapes, brought to one shape before the operation takes element after element.");
  }
  if (!alike([&](const auto& b) { return b.second == begins[0].second; })) {
    return tr("Operands whose dimensions are different ones of the result, brought to one shape before the operation takes element after element.");
  }
  return tr("Operands of one shape already: nothing is repeated before the operation takes element after element.");
}

absl::StatusOr<MadePicture> DrawImplicit(Board board) {
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& original = *scene.data().instruction;
  std::vector<Stretch> stretches;
  stretches.reserve(original.operands.size());
  for (size_t k = 0; k < original.operands.size(); ++k) {
    const Instruction& operand = *original.operands[k];
    if (operand.opcode != Opcode::kBroadcast) continue;
    const int own = kOwnArray + 10 * static_cast<int>(k);
    const PictureArray& array = scene.operand(static_cast<int>(k));
    stretches.push_back(StretchOf(operand, operand.operands[0]->shape, array.shape, Value(), array.value(), /*look_back=*/true, own, array.id, own + 1));
  }
  board.Headline();
  board.Say(WhatDiffers(tr, scene, stretches));
  for (const Stretch& s : stretches) ExplainStretch(s, board);
  RelateOwn(stretches, board);
  board.set_marks([&](const Cell& cell) { return OnTheWay(stretches, board, cell); });
  board.set_steps(static_cast<int>(stretches.size()) + 1);
  const int step = board.step();
  for (size_t k = 0; k < stretches.size(); ++k) {
    std::vector<Board::Piece> row;
    AddChain(stretches[k], board, step < 0 || static_cast<int>(k) <= step ? 3 : 1, &row);
    board.Row(std::move(row), 240);
    if (static_cast<int>(k) == step) board.set_step_text(tr("$0 becomes $1.", stretches[k].source.name, stretches[k].result.shape.ToString(false)));
  }
  if (step == static_cast<int>(stretches.size())) board.set_step_text(tr("Then the operation takes the elements at equal places."));
  std::vector<Board::Piece> row;
  for (const PictureArray& operand : scene.operands()) {
    if (!row.empty()) row.push_back(absl::StrCat(absl::string_view(Name(original.opcode))));
    const bool shown = std::any_of(stretches.begin(), stretches.end(), [&](const Stretch& s) { return s.result.id == operand.id; });
    if (shown) {
      row.push_back(absl::StrCat(operand.name));
    } else {
      row.push_back(board.SpecOf(operand));
    }
  }
  row.push_back(std::string("->"));
  row.push_back(board.SpecOf(scene.result()));
  board.Row(std::move(row), 300);
  board.RelationArrows();
  board.Formula();
  return board.Finish();
}

}  // namespace

const Instruction* BroadcastSource(const Instruction& instruction, absl::Span<const int64_t> index, std::vector<int64_t>* of_operand) {
  if (instruction.opcode != Opcode::kBroadcast || instruction.operands.empty()) return nullptr;
  const Instruction* between = DroppingReshape(instruction);
  if (between == nullptr) return nullptr;
  const std::vector<int> kept = *DroppedOnes(between->operands[0]->shape, between->shape);
  of_operand->assign(static_cast<size_t>(between->shape.rank()), 0);
  for (size_t d = 0; d < std::min(kept.size(), index.size()); ++d) {
    if (kept[d] >= 0) (*of_operand)[static_cast<size_t>(kept[d])] = index[d];
  }
  return between->operands[0];
}

int SuitsBroadcast(const Instruction& instruction) { return instruction.opcode == Opcode::kBroadcast ? 50 : IsImplicit(instruction) ? 40 : 0; }

absl::StatusOr<MadePicture> DrawBroadcast(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> board = Board::Make(data, selection);
  if (!board.ok()) return board.status();
  const bool explicit_one = !IsImplicit(*data.instruction);
  return explicit_one ? DrawExplicit(*std::move(board)) : DrawImplicit(*std::move(board));
}

}  // namespace hloscope
