// Sort and top-k: the permutation, as lines from the places before to the places after.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <deque>
#include <map>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ir/written_names.h"
#include "core/ops/comparator.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

constexpr int64_t kMostPlaces = 1 << 15;
constexpr size_t kMostRows = 8;

struct Sorting {
  int dim = 0;
  bool top = false;                  // only the first k places, with their places as a second result
  std::vector<bool> keys;            // by operand: the comparator looks at it
  std::vector<int64_t> slice;        // the index of the elements that are shown; `dim` is free
  int64_t before = 0, after = 0;     // places
  std::vector<int64_t> source;       // by place after: the place before; -1: not known
  std::vector<int64_t> target;       // by place before; -1: none
};

// Equal where the elements are.
std::string BitsOf(const Scalar& s) {
  double re = std::isnan(s.re) ? std::copysign(std::nan(""), s.re) : s.re;
  std::string bits(sizeof s.i + 2 * sizeof re, '\0');
  std::memcpy(bits.data(), &s.i, sizeof s.i);
  std::memcpy(bits.data() + sizeof s.i, &re, sizeof re);
  std::memcpy(bits.data() + sizeof s.i + sizeof re, &s.im, sizeof s.im);
  return bits;
}

bool IsUsed(const Computation& c, int64_t parameter) {
  if (parameter >= static_cast<int64_t>(c.parameters.size())) return false;
  for (const Instruction* i : c.instructions) {
    if (std::find(i->operands.begin(), i->operands.end(), c.parameters[parameter]) != i->operands.end()) return true;
  }
  return false;
}

Sorting SortingOf(const PictureScene& scene, const Cell* cell) {
  const Instruction& i = scene.instruction();
  Sorting s;
  const PictureArray& first = scene.operand(0);
  s.top = i.Has(AttrId::kK);
  const auto dims = i.Ints(AttrId::kDimensions);
  s.dim = s.top || dims.empty() ? first.shape.rank() - 1 : static_cast<int>(dims[0]);
  const Computation* comparator = i.Called(AttrId::kToApply);
  for (size_t k = 0; k < scene.operands().size(); ++k) {
    s.keys.push_back(comparator == nullptr || IsUsed(*comparator, 2 * static_cast<int64_t>(k)) || IsUsed(*comparator, 2 * static_cast<int64_t>(k) + 1));
  }
  s.before = first.shape.dim(s.dim);
  s.after = scene.result().shape.dim(s.dim);
  s.slice.assign(first.shape.rank(), 0);
  if (cell != nullptr && scene.Has(*cell)) s.slice = cell->index;
  s.slice[s.dim] = 0;
  s.source.assign(s.after, -1);
  s.target.assign(s.before, -1);
  if (s.before > kMostPlaces) return s;
  const auto at = [&](const PictureArray& array, int64_t place) {
    std::vector<int64_t> index = s.slice;
    index[s.dim] = place;
    return array.At(index);
  };
  if (s.top) {
    for (int64_t p = 0; p < s.after; ++p) {
      if (const std::optional<Scalar> from = at(scene.result(1), p); from && from->i >= 0 && from->i < s.before) s.source[p] = from->i;
    }
  } else {
    // Elements that are equal in all operands are told apart by nothing: they keep their order.
    std::map<std::string, std::deque<int64_t>> places;
    const auto bits = [&](const std::vector<PictureArray>& side, int64_t p) {
      std::string all;
      for (const PictureArray& array : side) {
        const std::optional<Scalar> x = at(array, p);
        if (!x) return std::string();
        all += BitsOf(*x);
      }
      return all;
    };
    for (int64_t p = 0; p < s.before; ++p) places[bits(scene.operands(), p)].push_back(p);
    for (int64_t p = 0; p < s.after; ++p) {
      const std::string wanted = bits(scene.results(), p);
      const auto found = places.find(wanted);
      if (wanted.empty() || found == places.end() || found->second.empty()) continue;
      s.source[p] = found->second.front();
      found->second.pop_front();
    }
  }
  for (int64_t p = 0; p < s.after; ++p) {
    if (s.source[p] >= 0) s.target[s.source[p]] = p;
  }
  return s;
}

// Exactly these belong together, where values say which; and what decided about the place.
void Relate(const Sorting& s, Board& board) {
  const PictureScene& scene = board.scene();
  const Cell* cell = board.cell();
  if (cell == nullptr || !scene.Has(*cell)) return;
  const bool of_result = cell->array >= kResultArray;
  const int64_t other = of_result ? s.source[cell->index[s.dim]] : s.target[cell->index[s.dim]];
  const bool known = std::any_of(s.source.begin(), s.source.end(), [](int64_t p) { return p >= 0; });
  if (!known) return;
  Related related;
  related.note = board.captions()("lines are told from the values; all elements of the slice were compared");
  std::vector<int64_t> index = s.slice;
  index[s.dim] = other;
  if (other >= 0) {
    const int own = of_result ? cell->array - kResultArray : cell->array;
    const std::vector<PictureArray>& side = of_result ? scene.operands() : scene.results();
    for (int k = 0; k < static_cast<int>(side.size()); ++k) {
      const bool same = s.top ? (of_result || k == 0) && (own == 0 || of_result) : k == own;
      const bool decides = s.top || (of_result ? s.keys[k] : s.keys[own]);
      if (same || decides) related.AddBox({side[k].id, index, index, same ? LoadRole::kValue : LoadRole::kIndex});
    }
  }
  board.set_related(std::move(related));
}

// Where the elements that move along with the selected one are: in the other arrays of its side at its own place, in those of the other side
// where it came from or went to.
std::optional<std::vector<int64_t>> CompanionFocus(const Board& board, const Sorting& s, const PictureArray& array) {
  const Cell* from = board.cell();
  const std::optional<Cell>& pinned = board.selection().pinned;
  if (from != nullptr && from->array == array.id) from = pinned ? &*pinned : nullptr;  // what is under the mouse stays where it is
  if (from == nullptr || !board.scene().Has(*from)) return std::nullopt;
  std::vector<int64_t> index = from->index;
  const int64_t place = index[s.dim];
  index[s.dim] = 0;
  const std::vector<int64_t>& other = from->array >= kResultArray ? s.source : s.target;
  const bool moves = (from->array >= kResultArray) != (array.id >= kResultArray) && index == s.slice && place < static_cast<int64_t>(other.size()) && other[place] >= 0;
  index[s.dim] = moves ? other[place] : std::min<int64_t>(place, array.shape.dim(s.dim) - 1);
  return index;
}

// Of the line to a place: those to neighbours, as equal elements are, differ.
Ink LineInk(int64_t place) { return GroupInk(static_cast<int>(place % kGroupInks)); }

std::string OrderText(const Captions& tr, const Instruction& i) {
  const Computation* c = i.Called(AttrId::kToApply);
  if (c == nullptr || c->root == nullptr) return "";
  const Instruction& root = *c->root;
  const absl::string_view direction = root.Text(AttrId::kDirection);
  if (direction.size() == 2 && root.operands.size() == 2 && root.operands[0]->parameter_number >= 0 && root.operands[1]->parameter_number >= 0) {
    const bool swapped = root.operands[0]->parameter_number > root.operands[1]->parameter_number;
    const bool less = (direction[0] == 'L') != swapped;
    const int64_t k = root.operands[0]->parameter_number / 2;
    if (k < static_cast<int64_t>(i.operands.size())) return less ? tr("ascending by $0", ShownName(*i.operands[k])) : tr("descending by $0", ShownName(*i.operands[k]));
  }
  return tr("the first of two elements comes first where it gives true");
}

// The comparator with the elements at these places of the slice. Nothing: it cannot be tried.
std::optional<Comparator> Loaded(const PictureScene& scene, const Sorting& s, const Computation& comparator, const std::vector<int64_t>& places) {
  std::vector<ElementType> types;
  std::vector<std::vector<std::byte>> lines;
  std::vector<const std::byte*> data;
  for (const PictureArray& array : scene.operands()) {
    const ElementType type = array.shape.element_type();
    const int64_t size = StorageBytes(type);
    types.push_back(type);
    std::vector<std::byte>& line = lines.emplace_back(places.size() * static_cast<size_t>(size));
    std::vector<int64_t> index = s.slice;
    for (size_t p = 0; p < places.size(); ++p) {
      index[s.dim] = places[p];
      const std::optional<Scalar> x = array.At(index);
      if (!x) return std::nullopt;
      StoreScalar(*x, line.data() + p * static_cast<size_t>(size));
    }
  }
  for (const auto& line : lines) data.push_back(line.data());
  std::optional<Comparator> made = Comparator::Make(comparator, types);
  if (made) made->Load(data, static_cast<int64_t>(places.size()), 1);
  return made;
}

// Whether the comparator orders elements at these places of the slice, among them those with a NaN: none stands before another that stands
// before it, and where one stands before another, each third stands after the one or before the other. Nothing: it cannot be tried.
std::optional<bool> Orders(const PictureScene& scene, const Sorting& s, const Computation& comparator, const std::vector<int64_t>& places) {
  std::optional<Comparator> made = Loaded(scene, s, comparator, places);
  if (!made) return std::nullopt;
  const auto n = static_cast<int64_t>(places.size());
  std::vector<bool> before(static_cast<size_t>(n * n));
  for (int64_t a = 0; a < n; ++a) {
    for (int64_t b = 0; b < n; ++b) before[a * n + b] = made->Less(a, b);
  }
  for (int64_t a = 0; a < n; ++a) {
    for (int64_t c = 0; c < n; ++c) {
      if (!before[a * n + c]) continue;
      if (before[c * n + a]) return false;
      for (int64_t b = 0; b < n; ++b) {
        if (!before[a * n + b] && !before[b * n + c]) return false;
      }
    }
  }
  return true;
}

// Whether the comparator says of elements at these places that they stand before themselves.
bool PutsEqualsBefore(const PictureScene& scene, const Sorting& s) {
  const Computation* comparator = scene.instruction().Called(AttrId::kToApply);
  if (s.top || comparator == nullptr || s.before == 0) return false;
  std::vector<int64_t> places;
  for (int64_t p = 0; p < std::min<int64_t>(s.before, 64); ++p) places.push_back(p);
  std::optional<Comparator> made = Loaded(scene, s, *comparator, places);
  return made && std::any_of(places.begin(), places.end(), [&](int64_t p) { return made->Less(p, p); });
}

// Whether a key in the slice that is shown is a NaN, and the comparator gives no order with it: then nothing says what comes out.
bool HasUnorderedKey(const PictureScene& scene, const Sorting& s) {
  const Instruction& i = scene.instruction();
  const Computation* comparator = i.Called(AttrId::kToApply);
  if (s.top || comparator == nullptr || comparator->root == nullptr || comparator->root->Text(AttrId::kType) == "TOTALORDER") return false;
  constexpr size_t kMostTried = 64, kMostOf = kMostTried / 2;
  std::vector<int64_t> index = s.slice, nans, others;
  std::vector<bool> seen(static_cast<size_t>(std::min(s.before, kMostPlaces)));
  for (size_t k = 0; k < scene.operands().size(); ++k) {
    const PictureArray& keys = scene.operands()[k];
    if (!s.keys[k] || !IsFloat(keys.shape.element_type())) continue;
    for (index[s.dim] = 0; index[s.dim] < std::min(s.before, kMostPlaces); ++index[s.dim]) {
      const std::optional<Scalar> key = keys.At(index);
      if (key && std::isnan(key->re)) seen[index[s.dim]] = true;
    }
  }
  for (int64_t p = 0; p < static_cast<int64_t>(seen.size()); ++p) {
    if (std::vector<int64_t>& of = seen[p] ? nans : others; of.size() < kMostOf) of.push_back(p);
  }
  if (nans.empty()) return false;
  nans.insert(nans.end(), others.begin(), others.end());
  return !Orders(scene, s, *comparator, nans).value_or(false);
}

}  // namespace

int SuitsSort(const Instruction& instruction) {
  const bool named = instruction.opcode == Opcode::kSort || instruction.opcode == Opcode::kTopk;
  return named && !instruction.operands.empty() && instruction.operands[0]->shape.IsArray() && instruction.operands[0]->shape.rank() > 0 ? 60 : 0;
}

absl::StatusOr<MadePicture> DrawSort(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Instruction& i = scene.instruction();
  const Sorting s = SortingOf(scene, board.cell());
  const std::vector<GridAxis> axes = CustomaryAxes(scene.operand(0).shape.rank());
  board.set_focus_word(tr("the slice that is told below"));
  board.Headline();
  if (s.top) {
    const bool largest = i.Bool(AttrId::kLargest, true);
    board.Explain(absl::StrCat("k=", i.Int(AttrId::kK)), Ink::kViolet, largest ? tr("the $0 largest of each slice along $1, largest first, and where they were; of equals the one that came first.", s.after, axes[s.dim].letter) : tr("the $0 smallest of each slice along $1, smallest first, and where they were; of equals the one that came first.", s.after, axes[s.dim].letter));
  } else {
    board.Explain(absl::StrCat("dimensions={", s.dim, "}"), Ink::kViolet, tr("each slice along $0 is sorted for itself.", axes[s.dim].letter));
    if (const Computation* c = i.Called(AttrId::kToApply)) board.Explain(absl::StrCat("to_apply=", c->name), Ink::kViolet, absl::StrCat(OrderText(tr, i), "."));
    const bool before = PutsEqualsBefore(scene, s);
    board.Explain(i.Bool(AttrId::kIsStable) ? "is_stable=true" : "is_stable=false", before ? Ink::kPink : Ink::kViolet,
                  before ? tr("the comparator gives true for equals: that is no order, and which of them comes first is open.") : i.Bool(AttrId::kIsStable) ? tr("equals stay in their order.") : tr("the order of equals is open."));
  }
  const bool unordered = HasUnorderedKey(scene, s);
  if (unordered) board.Explain("nan", Ink::kPink, tr("neither smaller nor larger than any number: with a NaN among the keys the comparison is no order, and the result need not be sorted."));
  Relate(s, board);
  // An operand's elements are those of the result; the places that top-k has as a second result are of their own.
  for (int k = 0; k < static_cast<int>(s.top ? 1 : scene.operands().size()); ++k) {
    board.set_scale(OperandArray(k), k);
    board.set_scale(kResultArray + k, k);
  }
  board.set_steps(static_cast<int>(std::min<int64_t>(s.after, 1024)));
  const int step = board.step();
  board.set_marks([&](const Cell& cell) {
    if (step < 0 || !scene.Has(cell)) return CellMark::kNone;
    std::vector<int64_t> index = cell.index;
    const int64_t place = index[s.dim];
    index[s.dim] = 0;
    if (index != s.slice) return CellMark::kNone;
    return place == (cell.array >= kResultArray ? step : s.source[step]) ? CellMark::kNow : CellMark::kNone;
  });
  if (scene.operand(0).shape.rank() > 1) {
    const auto whole = [&](const PictureArray& array) {
      GridSpec spec = board.SpecOf(array);
      spec.axes = axes;
      spec.axes[s.dim].paint = Ink::kViolet;
      if (!spec.focus) spec.focus = CompanionFocus(board, s, array);
      spec.cell = [inner = std::move(spec.cell), &s](absl::Span<const int64_t> index) {
        GridCell cell = inner(index);
        bool inside = true;
        for (size_t d = 0; d < index.size(); ++d) inside = inside && (static_cast<int>(d) == s.dim || index[d] == s.slice[d]);
        if (inside) cell.mark = std::max(cell.mark, CellMark::kFocus);
        return cell;
      };
      return spec;
    };
    std::vector<Board::Piece> row;
    for (size_t k = 0; k < std::min<size_t>(scene.operands().size(), 3); ++k) {
      if (k > 0) row.push_back(std::string());
      row.push_back(whole(scene.operands()[k]));
    }
    row.push_back(std::string("->"));
    for (size_t k = 0; k < std::min<size_t>(scene.results().size(), 3); ++k) {
      if (k > 0) row.push_back(std::string());
      row.push_back(whole(scene.results()[k]));
    }
    board.Row(std::move(row), 200);
  }
  // One slice: a row for each operand, and one for each result.
  const auto strip = [&](bool after) {
    const std::vector<PictureArray>& side = after ? scene.results() : scene.operands();
    GridSpec spec;
    spec.array = kOwnArray + (after ? 1 : 0);
    std::vector<std::string> parts;
    for (int d = 0; d < static_cast<int>(s.slice.size()); ++d) parts.push_back(d == s.dim ? ":" : absl::StrCat(s.slice[d]));
    spec.title = absl::StrCat(after ? tr("after") : tr("before"), s.slice.size() > 1 ? absl::StrCat(" [", absl::StrJoin(parts, ","), "]") : "");
    spec.dims = {static_cast<int64_t>(std::min(side.size(), kMostRows)), after ? s.after : s.before};
    spec.axes = {{"", Ink::kDim}, axes[s.dim]};
    spec.rows = 0;
    spec.columns = 1;
    spec.scales_over = !after;
    spec.head_under = after;
    spec.scale_dim = 0;  // keys and what goes with them are different things
    for (int k = 0; k < static_cast<int>(spec.dims[0]); ++k) spec.scales.push_back(after && s.top && k > 0 ? kResultArray : k);
    spec.label = [&tr, &side, &s, after](int dim, int64_t k) { return dim == 1 ? absl::StrCat(k) : !after && s.keys[k] && side.size() > 1 ? tr("$0 (key)", side[k].name) : side[k].name; };
    if (step >= 0) spec.focus = {0, after ? step : std::max<int64_t>(s.source[step], 0)};
    for (const PictureArray& array : side) {
      if (const auto focus = board.FocusOf(array.id); focus && step < 0) spec.focus = {0, (*focus)[s.dim]};
    }
    spec.cell = [&, after](absl::Span<const int64_t> index) {
      std::vector<int64_t> at = s.slice;
      at[s.dim] = index[1];
      GridCell cell = CellOf(side[index[0]], at, [&board](const Cell& c) { return board.MarkOf(c); }, tr);
      TellSignOfNan(side[index[0]], at, &cell);
      const int64_t source = after ? s.source[index[1]] : index[1];
      const int64_t target = after ? index[1] : s.target[source];
      if (source >= 0 && target >= 0) cell.tint = Paint(LineInk(target), 0.26f);
      if (after && source >= 0) absl::StrAppend(&cell.hint, "\n", tr("from place $0", source));
      if (!after) absl::StrAppend(&cell.hint, s.target[source] >= 0 ? absl::StrCat("\n", tr("goes to place $0", s.target[source])) : s.top && s.after > 0 && s.source[0] >= 0 ? absl::StrCat("\n", tr("not among them")) : "");
      if (after && step >= 0 && index[1] > step) {
        cell.Empty();
        cell.tint = Paint();
      }
      return cell;
    };
    return spec;
  };
  // Between them are the lines.
  std::vector<std::vector<Board::Piece>> strips(2);
  strips[0].push_back(strip(false));
  strips[1].push_back(strip(true));
  board.Rows(std::move(strips), 160, 50);
  const Grid *from = board.GridOfArray(kOwnArray), *to = board.GridOfArray(kOwnArray + 1);
  int64_t moved = 0, unknown = 0;
  for (int64_t p = 0; p < s.after; ++p) {
    unknown += s.source[p] < 0;
    moved += s.source[p] >= 0 && s.source[p] != p;
    if (s.source[p] < 0 || from == nullptr || to == nullptr || (step >= 0 && p > step)) continue;
    const int64_t last = from->spec().dims[0] - 1;
    const std::optional<Box> a = from->BoxOf({last, s.source[p]}), b = to->BoxOf({0, p});
    if (!a || !b) continue;
    std::vector<int64_t> index = s.slice;
    index[s.dim] = p;
    bool lit = step >= 0 && p == step;
    if (const Cell* cell = board.cell(); cell != nullptr && scene.Has(*cell)) lit = lit || cell->index[s.dim] == (cell->array >= kResultArray ? p : s.source[p]);
    const bool quiet = !lit && (step >= 0 || board.cell() != nullptr);
    const Paint paint = lit ? Paint(step >= 0 && p == step ? Ink::kAmber : Ink::kBlue) : Paint(LineInk(p), quiet ? 0.35f : 0.9f);
    const Place start{a->middle().x, a->bottom()}, end{b->middle().x, b->y - 14};
    const float bend = (end.y - start.y) * 0.45f;
    board.drawing().AddPath({start, {start.x, start.y + bend}, {end.x, end.y - bend}, end}, {paint, lit ? 2.4f : 1.3f, LineKind::kSolid, lit}, true);
  }
  if (unknown < s.after && from != nullptr && !from->has_numbers()) board.Say(tr("The strip at the foot of a cell has the colour of its line."));
  if (scene.operands().size() > kMostRows) board.Say(tr.Counted(static_cast<int64_t>(scene.operands().size() - kMostRows), "$0 more operand moves along.", "$0 more operands move along."));
  if (s.before > kMostPlaces) {
    board.Say(tr("There are too many places for lines."));
  } else if (unknown == s.after && s.after > 0) {
    board.Say(tr("Where elements go is not known before they are sorted."));
  } else if (s.top) {
    board.Say(tr("$0 of $1 are taken.", s.after - unknown, s.before));
  } else {
    board.Say(moved == 0 ? unordered ? tr("Nothing moved.") : tr("Nothing moved: it was sorted.") : tr("$0 of $1 elements moved.", moved, s.after));
  }
  if (step >= 0 && s.after > 0) {
    std::vector<int64_t> index = s.slice;
    index[s.dim] = step;
    const std::optional<Scalar> x = scene.result().At(index);
    board.set_step_text(s.source[step] >= 0 ? tr("Place $0 comes from place $1.", absl::StrCat(step, x ? absl::StrCat(": ", SignedText(*x)) : ""), s.source[step]) : tr("Place $0.", absl::StrCat(step, x ? absl::StrCat(": ", SignedText(*x)) : "")));
  }
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
