#include "visualizer/pictures/board.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "visualizer/pictures/arrow_route.h"

namespace hloscope {
namespace {

constexpr float kMargin = 14, kLeastMargin = 8;
constexpr float kSignLine = 26;  // a line of signs alone
constexpr size_t kMostListed = 4096;

}  // namespace

namespace {

// Orders of all bit patterns put NaNs of one sign before all numbers, those of the other behind them.
bool DependsOnSignsOfNans(const Instruction& i) { return i.opcode == Opcode::kSort || (i.opcode == Opcode::kCompare && i.Text(AttrId::kType) == "TOTALORDER"); }

}  // namespace

std::string InsideOf(const Instruction& i) {
  if (i.parameter_number >= 0) return absl::StrCat(i.parameter_number);
  if (i.literal == nullptr) return "";
  const Shape& shape = i.shape;
  if (!i.literal->value.has_value() || !shape.IsArray() || shape.rank() > 0) return "{...}";
  const std::optional<Scalar> s = PictureArray(0, "", shape, i.literal->value).At(int64_t{0});
  return s.has_value() ? ToText(*s) : "";
}

absl::StatusOr<Board> Board::Make(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<PictureScene> scene = PictureScene::Make(data, selection.captions);
  if (!scene.ok()) return scene.status();
  Board board;
  board.scene_ = std::make_unique<PictureScene>(*std::move(scene));
  board.signs_of_nan_ = DependsOnSignsOfNans(*data.instruction);
  board.relation_ = std::make_unique<Relation>(*board.scene_);
  board.selection_ = &selection;
  board.width_ = std::max(selection.width, 320.0f) - 2 * kMargin;
  if (selection.cell() != nullptr) board.related_ = board.relation_->Of(*selection.cell());
  board.made_.drawing.title = ShownName(*data.instruction);
  for (size_t leaf = 0; leaf < board.scene_->results().size(); ++leaf) {
    for (const int operand : board.relation_->MovedTo(static_cast<int>(leaf))) {
      board.scales_[kResultArray + static_cast<int>(leaf)] = board.scales_.emplace(OperandArray(operand), static_cast<int>(leaf)).first->second;
    }
  }
  return board;
}

const Cell* Board::result_cell() const {
  const Cell* c = cell();
  return c != nullptr && c->array >= kResultArray && c->array < kOwnArray && scene_->Has(*c) ? c : nullptr;
}

CellMark Board::MarkOf(const Cell& c) const {
  CellMark mark = CellMark::kNone;
  if (cell() != nullptr && c == *cell()) {
    mark = CellMark::kSelected;
  } else if (const std::optional<LoadRole> role = related_.RoleOf(c)) {
    mark = *role == LoadRole::kIndex ? CellMark::kIndex : *role == LoadRole::kPredicate ? CellMark::kPredicate : CellMark::kRelated;
  }
  if (marks_) mark = std::max(mark, marks_(c));
  return mark;
}

// Under the mouse nothing may move: what is hovered decides where the windows of other arrays are, and never that of its own.
std::optional<std::vector<int64_t>> Board::FocusOf(int array) const {
  if (cell() == nullptr) return std::nullopt;
  const std::optional<Cell>& pinned = selection_->pinned;
  if (pinned && pinned->array == array && (scene_->Has(*pinned) || scene_->Find(array) == nullptr)) return pinned->index;
  if (cell()->array != array) {
    if (auto first = related_.FirstOf(array)) return first;
  }
  return pinned && selection_->hovered ? relation_->Of(*pinned).FirstOf(array) : std::nullopt;
}

GridSpec Board::SpecOf(const PictureArray& array) const {
  GridSpec spec = GridOf(array, [this](const Cell& c) { return MarkOf(c); }, captions());
  spec.focus = FocusOf(array.id);
  if (signs_of_nan_) {
    spec.cell = [array, inner = std::move(spec.cell)](absl::Span<const int64_t> index) {
      GridCell cell = inner(index);
      TellSignOfNan(array, index, &cell);
      return cell;
    };
  }
  if (const auto scale = scales_.find(array.id); scale != scales_.end()) spec.scales = {scale->second};
  return spec;
}

void Board::Headline(std::vector<std::string> operands) {
  const Instruction& i = *scene_->data().instruction;
  if (operands.empty()) operands = scene_->OperandNames();
  if (operands.size() > 8) {
    const size_t more = operands.size() - 7;
    operands.resize(7);
    operands.push_back(captions()("and $0 more", more));
  }
  if (operands.empty()) operands = {InsideOf(i)};
  std::string type = i.shape.ToString(false);
  if (type.size() > 60) type = absl::StrCat(absl::string_view(type).substr(0, 57), "...");
  const std::string text = absl::StrCat(ShownName(i), " = ", type, " ", absl::string_view(Name(i.opcode)), "(", absl::StrJoin(operands, ", "), ")");
  made_.drawing.title = text;
  y_ += made_.drawing.AddParagraph({kMargin, y_}, width_, text, {14, Face::kMonoStrong}) + 4;
}

void Board::Say(absl::string_view sentence, Paint paint) {
  if (sentence.empty()) return;
  y_ += made_.drawing.AddParagraph({kMargin, y_}, width_, sentence, {12, Face::kUi, paint}) + 4;
}

void Board::Summary() { Say(absl::StrReplaceAll(captions()(Def(scene_->instruction()).summary), {{"`", ""}})); }

void Board::Explain(absl::string_view name, Paint paint, absl::string_view sentence) {
  made_.drawing.AddBox({kMargin, y_ + 2, 10, 10}, Paint(paint.ink, 0.5f), paint, 2);
  float indent = 16 + TextWidth(name, Face::kMonoStrong, 12) + 8;
  if (indent > width_ - 160) {  // no room beside it
    y_ += made_.drawing.AddParagraph({kMargin + 16, y_}, width_ - 16, name, {12, Face::kMonoStrong, paint}) + 2;
    indent = 16;
    if (sentence.empty()) return;
  } else {
    made_.drawing.AddText({kMargin + 16, y_ + 11}, name, {12, Face::kMonoStrong, paint});
  }
  y_ += std::max(15.0f, made_.drawing.AddParagraph({kMargin + indent, y_}, width_ - indent, sentence, {12, Face::kUi, Ink::kDim})) + 3;
}

void Board::CodeAfter(absl::string_view name, float indent, absl::string_view line) {
  made_.drawing.AddParagraph({kMargin, y_}, width_, name, {12, Face::kMono, Ink::kText});
  y_ += made_.drawing.AddParagraph({kMargin + indent, y_}, width_ - indent, line, {12, Face::kMono, Ink::kText}) + 2;
}

void Board::Code(absl::string_view line, Paint paint) {
  std::string text(line.substr(0, 1200));
  if (text.size() < line.size()) text += " …";
  // A loop's lines are indented.
  const size_t blanks = std::min(text.find_first_not_of(' '), text.size());
  const float indent = static_cast<float>(blanks) * TextWidth("0", Face::kMono, 12);
  y_ += made_.drawing.AddParagraph({kMargin + indent, y_}, width_ - indent, absl::string_view(text).substr(blanks), {12, Face::kMono, paint}) + 2;
}

namespace {

float SignWidth(const std::string& sign) { return sign.empty() ? 10.0f : TextWidth(sign, Face::kStrong, 16) + 28; }

}  // namespace

void Board::Row(std::vector<Piece> pieces, float height) {
  std::vector<std::vector<Piece>> rows;
  rows.push_back(std::move(pieces));
  Rows(std::move(rows), height);
}

void Board::Rows(std::vector<std::vector<Piece>> rows, float height, float gap) {
  std::vector<std::vector<Line>> lines;
  std::map<int, HeatScale> scales;
  for (std::vector<Piece>& pieces : rows) {
    // Seen by the legend.
    for (Piece& piece : pieces) {
      if (!piece.is_grid) continue;
      piece.grid.cell = [seen = seen_, cell = std::move(piece.grid.cell)](absl::Span<const int64_t> index) {
        GridCell look = cell(index);
        seen->insert({look.mark, look.state});
        return look;
      };
    }
    lines.push_back(LinesOf(pieces, height));
  }
  // What is below in one row is so in all: they are compared with each other.
  const auto widest = [](const std::vector<Line>& row) {
    int64_t most = 0;
    for (const Line& line : row) most = std::max<int64_t>(most, std::count_if(line.grids.begin(), line.grids.end(), [](const auto& grid) { return grid != nullptr; }));
    return static_cast<int>(most);
  };
  int least = lines.empty() ? 0 : widest(lines.front());
  for (const std::vector<Line>& row : lines) least = std::min(least, widest(row));
  for (size_t k = 0; k < rows.size(); ++k) {
    if (rows[k].size() == rows.front().size() && widest(lines[k]) > least) lines[k] = LinesOf(rows[k], height, least);
    ShowSameParts(&lines[k], height);
    for (const Line& line : lines[k]) {
      for (const auto& grid : line.grids) {
        for (size_t k = 0; grid != nullptr && k < std::min(grid->spec().scales.size(), grid->heat().size()); ++k) scales[grid->spec().scales[k]].Take(grid->heat()[k]);
      }
    }
  }
  for (std::vector<Line>& row : lines) {
    y_ += 6 + (&row == &lines.front() ? 0 : gap);
    for (Line& line : row) {
      for (const auto& grid : line.grids) {
        for (size_t k = 0; grid != nullptr && k < std::min(grid->spec().scales.size(), grid->heat().size()); ++k) grid->set_heat(k, scales[grid->spec().scales[k]]);
      }
      DrawLine(std::move(line));
    }
  }
}

// Lines of pieces that go side by side with a decent width each; then what one does not need goes to the others. Where numbers of a small
// array would not be seen for that or lose digits, or titles would meet, fewer go side by side.
std::vector<Board::Line> Board::LinesOf(const std::vector<Piece>& pieces, float height, int at_most) const {
  constexpr float kDecent = 170, kSmall = 180;
  std::vector<Line> lines;
  size_t begin = 0;
  int most = at_most;  // grids that the line may have, fewer after it was too crowded with more
  while (begin < pieces.size()) {
    if (!pieces[begin].is_grid && pieces[begin].sign.empty()) {  // a gap is between two
      ++begin;
      continue;
    }
    size_t end = begin;
    float signs = 0;
    int grids = 0;
    std::vector<std::unique_ptr<Grid>> line;
    while (end < pieces.size()) {
      const GridSpec* spec = pieces[end].is_grid ? &pieces[end].grid : nullptr;
      if (spec != nullptr && most > 0 && grids == most) break;
      if (spec != nullptr && grids > 0 && (static_cast<float>(grids + 1) * kDecent + signs > width_)) {
        float small = signs;  // unless they are all small
        for (const auto& g : line) small += g == nullptr ? 0 : g->width();
        Grid next(*spec, *selection_, width_, height);
        if (small + next.width() > width_) break;
      }
      if (spec == nullptr) {
        signs += SignWidth(pieces[end].sign);
        line.push_back(nullptr);
      } else {
        ++grids;
        line.push_back(std::make_unique<Grid>(*spec, *selection_, width_, height));
      }
      ++end;
    }
    // What an arrow leads to stays behind it: where not all of that fits here, the arrow begins the next line.
    if (end < pieces.size() && pieces[end].is_grid) {
      size_t arrow = end - 1;
      while (arrow > begin && (pieces[arrow].is_grid || pieces[arrow].sign != "->")) --arrow;
      for (; arrow > begin && end > arrow; line.pop_back()) {
        --end;
        if (pieces[end].is_grid) --grids;
        else signs -= SignWidth(pieces[end].sign);
      }
    }
    // A sign between two lines begins the second.
    while (end < pieces.size() && end > begin + 1 && !pieces[end - 1].is_grid) {
      --end;
      signs -= SignWidth(pieces[end].sign);
      line.pop_back();
    }
    // All at their best size; shared out where that is too wide.
    const auto wide = [&line, &signs] {
      float w = signs;
      for (const auto& g : line) w += g == nullptr ? 0 : g->width();
      return w;
    };
    bool crowded = false;
    if (wide() > width_) {
      const float room = width_ - signs;
      std::vector<size_t> large;
      float left = room;
      for (size_t k = 0; k < line.size(); ++k) {
        if (line[k] == nullptr) continue;
        if (line[k]->width() <= room / static_cast<float>(grids)) {
          left -= line[k]->width();
        } else {
          large.push_back(k);
        }
      }
      for (size_t n = 0; n < large.size(); ++n) {
        const float share = left / static_cast<float>(large.size() - n);
        auto& g = line[large[n]];
        const bool seen = g->has_numbers() && g->height() <= kSmall, exact = seen && !g->rounded();
        g = std::make_unique<Grid>(pieces[begin + large[n]].grid, *selection_, share, height);
        crowded = crowded || (seen && !g->has_numbers()) || (exact && g->rounded());
        left -= g->width();
      }
      crowded = crowded || wide() > width_ + 1;
    }
    float x = 0;
    for (size_t k = 0; k < line.size(); ++k) {
      const bool last = k + 1 == line.size();
      const float gap = last ? width_ - x : line[k + 1] == nullptr ? SignWidth(pieces[begin + k + 1].sign) - 6 : -6;
      if (line[k] == nullptr) {
        x += SignWidth(pieces[begin + k].sign);
        continue;
      }
      crowded = crowded || line[k]->title_width() > (last ? gap : line[k]->width() + gap);
      x += line[k]->width();
    }
    if (crowded && grids > 1) {
      most = grids - 1;
      continue;
    }
    most = at_most;
    if (crowded && signs > 0 && !line.back()->has_numbers() && Grid(pieces[end - 1].grid, *selection_, width_, height).has_numbers()) {  // for want of the sign's width
      lines.push_back({});
      for (; !pieces[begin].is_grid; ++begin) {
        lines.back().grids.push_back(nullptr);
        lines.back().signs.push_back(pieces[begin].sign);
      }
      continue;
    }
    lines.push_back({});
    lines.back().grids = std::move(line);
    for (size_t k = begin; k < end; ++k) lines.back().signs.push_back(pieces[k].is_grid ? "" : pieces[k].sign);
    begin = end;
  }
  return lines;
}

// Of arrays of one size the same part is seen, as much as there is room for in each.
void Board::ShowSameParts(std::vector<Line>* lines, float height) const {
  std::map<std::vector<int64_t>, std::vector<int64_t>> least;  // that is seen of each dimension, by the array's dimensions
  for (const Line& line : *lines) {
    for (const auto& grid : line.grids) {
      if (grid == nullptr) continue;
      const std::vector<int64_t> counts = grid->counts();
      std::vector<int64_t>& all = least.emplace(grid->spec().dims, counts).first->second;
      for (size_t d = 0; d < counts.size(); ++d) all[d] = std::min(all[d], counts[d]);
    }
  }
  for (Line& line : *lines) {
    for (auto& grid : line.grids) {
      if (grid == nullptr || grid->counts() == least[grid->spec().dims]) continue;
      GridSpec spec = grid->spec();
      spec.at_most = least[spec.dims];
      grid = std::make_unique<Grid>(std::move(spec), *selection_, grid->room_width(), height);
    }
  }
}

void Board::DrawLine(Line line) {
  float tall = 0, x = kMargin;
  for (const auto& g : line.grids) tall = std::max(tall, g == nullptr ? 0 : g->height());
  const bool alone = tall == 0;  // signs, which lead down
  if (alone) tall = kSignLine;
  for (size_t k = 0; k < line.grids.size(); ++k) {
    std::unique_ptr<Grid>& grid = line.grids[k];
    if (grid == nullptr) {
      const std::string& sign = line.signs[k];
      const float w = SignWidth(sign);
      if (sign == "->" && alone) {
        made_.drawing.AddLine({x + w / 2, y_ + 4}, {x + w / 2, y_ + tall}, {Ink::kDim, 1.5f, LineKind::kSolid, true});
      } else if (sign == "->") {
        const float y = y_ + tall / 2 + 8;
        made_.drawing.AddLine({x + 8, y}, {x + w - 8, y}, {Ink::kDim, 1.5f, LineKind::kSolid, true});
      } else {
        made_.drawing.AddText({x + w / 2, y_ + tall / 2 + 12}, sign, {16, Face::kStrong, Ink::kDim, Align::kCenter});
        if (!sign.empty()) words_.push_back({x + 4, y_ + tall / 2 - 4, w - 8, 20});
      }
      x += w;
      continue;
    }
    grid->Draw({x, y_ + (tall - grid->height()) / 2}, &made_.drawing);
    x += grid->width();
    grids_.push_back(std::move(grid));
  }
  y_ += tall + 12;
}

const Grid* Board::GridOfArray(int array) const {
  for (const auto& grid : grids_) {
    if (grid->spec().array == array) return grid.get();
  }
  return nullptr;
}

void Board::Arrow(const Cell& from, const Cell& to, Paint paint) {
  const Grid* a = GridOfArray(from.array);
  const Grid* b = GridOfArray(to.array);
  if (a == nullptr || b == nullptr) return;
  const std::optional<Box> start = a->BoxOf(from.index), end = b->BoxOf(to.index);
  if (!start || !end) return;
  std::vector<const Grid*> others;
  for (const auto& grid : grids_) {
    if (grid.get() != a && grid.get() != b) others.push_back(grid.get());
  }
  made_.drawing.AddPath(ArrowRoute({a, *start}, {b, *end}, others, words_), {Paint(paint.ink, 0.75f), 1.3f, LineKind::kSolid, true}, true);
}

void Board::RelationArrows(size_t most) {
  if (cell() == nullptr || related_.total() > static_cast<int64_t>(most)) return;
  const bool of_result = result_cell() != nullptr;
  for (const Cell& other : related_.List(most)) {
    const LoadRole role = related_.RoleOf(other).value_or(LoadRole::kValue);
    const Paint paint = role == LoadRole::kIndex ? Ink::kViolet : role == LoadRole::kPredicate ? Ink::kOrange : Ink::kBlue;
    if (of_result) {
      Arrow(other, *cell(), paint);
    } else {
      Arrow(*cell(), other, paint);
    }
  }
}

namespace {

constexpr absl::string_view kPrintedLetters = "ijklmnpqrs";  // core/element/print.cc
constexpr size_t kFirstSummed = 2;                           // likewise, where all indices of the result are numbers
constexpr size_t kLongestFormula = 360;                      // more to read than a picture should have; `explain` prints it

// The formula with an array's own letters for indices instead of those that are `printed`, in the order in which these stand there; as it
// is where there are more of one or the other.
std::string WithLetters(const std::string& formula, absl::string_view printed, const std::vector<std::string>& letters) {
  if (letters.empty() || letters.size() > printed.size()) return formula;
  std::string text;
  size_t used = 0;
  for (size_t k = 0; k < formula.size();) {
    const auto is_word = [&](size_t at) { return at < formula.size() && (absl::ascii_isalnum(static_cast<unsigned char>(formula[at])) || formula[at] == '_' || formula[at] == '.' || formula[at] == '%' || formula[at] == '-'); };
    size_t end = k;
    while (is_word(end)) ++end;
    const size_t letter = end == k + 1 ? printed.find(formula[k]) : absl::string_view::npos;
    if (letter != absl::string_view::npos) {
      if (letter >= letters.size()) return formula;
      used = std::max(used, letter + 1);
      text += letters[letter];
    } else {
      text.append(formula, k, std::max(end, k + 1) - k);
    }
    k = std::max(end, k + 1);
  }
  return used == letters.size() ? text : formula;
}

}  // namespace

void Board::Formula(const std::vector<std::string>& letters, const std::vector<std::string>& summed) {
  const Captions& tr = captions();
  y_ += 4;
  if (const Cell* selected = result_cell()) {
    const int leaf = selected->array - kResultArray;
    const PictureArray& result = scene_->result(leaf);
    std::string value;
    if (const std::optional<Scalar> s = result.At(selected->index)) value = absl::StrCat(" = ", TextOf(*s));
    std::string formula = WithLetters(relation_->Formula(leaf, selected->index, false), kPrintedLetters.substr(kFirstSummed), summed);
    if (formula.size() > kLongestFormula) formula.clear();
    if (!formula.empty()) {
      const std::string numbers =
          WithLetters(relation_->Formula(leaf, selected->index, true), kPrintedLetters.substr(kFirstSummed), summed);
      const bool told = absl::StrCat(" = ", numbers) == value;  // the number itself
      Code(absl::StrCat(scene_->NameOf(*selected), " = ", formula, numbers == formula && !told ? value : ""));
      if (numbers != formula) Code(absl::StrCat("= ", numbers, told ? "" : value), Ink::kDim);
    } else {
      Code(absl::StrCat(scene_->NameOf(*selected), value));
    }
    if ((formula.empty() || related_.total() > 3) && (related_.exact || related_.total() > 0))
      Say(tr.Counted(related_.total(), "It reads $0 element.", "It reads $0 elements."));
  } else if (cell() != nullptr && scene_->Has(*cell())) {
    std::string value;
    if (const std::optional<Scalar> s = scene_->Find(cell()->array)->At(cell()->index)) value = absl::StrCat(" = ", TextOf(*s));
    Code(absl::StrCat(scene_->NameOf(*cell()), value));
    const int64_t n = related_.total();
    if (n > 0 || related_.exact) Say(n == 0 ? tr("No element of the result reads it.") : tr.Counted(n, "One element of the result reads it.", "$0 elements of the result read it."));
  } else {
    std::vector<std::string> all = letters;
    all.insert(all.end(), summed.begin(), summed.end());
    // What is summed over has letters from k on, also where the result has fewer dimensions.
    const std::string printed = absl::StrCat(kPrintedLetters.substr(0, letters.size()), kPrintedLetters.substr(std::min(kPrintedLetters.size(), std::max(kFirstSummed, letters.size()))));
    std::string general = WithLetters(relation_->GeneralFormula(), printed, all);
    if (general.size() > kLongestFormula) general.clear();
    int lines = 0;
    for (absl::string_view line : absl::StrSplit(general, '\n', absl::SkipEmpty())) {
      if (++lines > 6) break;
      Code(line);
    }
    const std::string bounds = lines == 1 ? WithLetters(relation_->BoundsFormula(), printed, all) : "";
    if (!bounds.empty() && bounds.size() <= kLongestFormula) {
      Say(tr("That is with the sizes of this run; with the bounds as they are written:"), Ink::kDim);
      Code(bounds, Ink::kDim);
    }
  }
  Note();
}

void Board::Note() {
  if (cell() == nullptr || related_.note.empty()) return;
  std::string note = related_.exact ? absl::StrCat(related_.note, ".") : captions()("Not exact: $0.", related_.note);
  note[0] = absl::ascii_toupper(static_cast<unsigned char>(note[0]));
  Say(note, Ink::kOrange);
}

int Board::step() const {
  if (selection_->step < 0 || made_.steps <= 0) return -1;
  return std::min(selection_->step, made_.steps - 1);
}

// Only the marks that occur.
void Board::Legend() {
  const Captions& tr = captions();
  struct Entry {
    CellMark mark;
    CellState state;
    Paint fill, line;
    std::string text;
  };
  const bool of_result = result_cell() != nullptr, own = cell() != nullptr && !scene_->Has(*cell());
  const Entry entries[] = {
      {CellMark::kSelected, CellState::kElement, Paint(Ink::kBlue, 0.62f), Ink::kText, tr("selected")},
      {CellMark::kRelated, CellState::kElement, Paint(Ink::kBlue, 0.3f), Ink::kBlue, of_result ? tr("read") : own ? tr("belongs to it") : tr("reads it")},
      {CellMark::kIndex, CellState::kElement, Paint(Ink::kViolet, 0.3f), Ink::kViolet, of_result ? tr("says which") : tr("is placed by it")},
      {CellMark::kPredicate, CellState::kElement, Paint(Ink::kOrange, 0.28f), Ink::kOrange, of_result ? tr("decides") : tr("is decided by it")},
      {CellMark::kFocus, CellState::kElement, Paint(Ink::kTeal, 0.14f), Paint(Ink::kTeal, 0.8f), focus_word_.empty() ? tr("looked at") : focus_word_},
      {CellMark::kNow, CellState::kElement, Paint(Ink::kAmber, 0.34f), Ink::kAmber, tr("this step")},
      {CellMark::kDone, CellState::kElement, Paint(Ink::kText, 0.08f), Ink::kBorder, tr("earlier steps")},
      {CellMark::kNone, CellState::kPadding, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.6f), tr("padding")},
      {CellMark::kNone, CellState::kUnused, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.6f), tr("not looked at")},
      {CellMark::kNone, CellState::kHole, Paint(Ink::kSunken), Paint(Ink::kBorder, 0.6f), tr("hole between elements")},
      {CellMark::kNone, CellState::kSkipped, Paint(Ink::kRaised), Ink::kPink, tr("left out")},
      {CellMark::kNone, CellState::kPartly, Paint(Ink::kRaised), Ink::kPink, tr("partly left out")},
      {CellMark::kNone, CellState::kClamped, Paint(Ink::kRaised), Ink::kOrange, tr("clamped")},
  };
  // Over colours marks are frames.
  bool with_text = false, with_heat = false;
  for (const auto& grid : grids_) (grid->has_numbers() ? with_text : with_heat) = true;
  float x = kMargin;
  bool any = false;
  for (const Entry& e : entries) {
    bool seen = false;
    for (const auto& [mark, state] : *seen_) seen = seen || (e.mark != CellMark::kNone ? mark == e.mark : state == e.state);
    if (!seen) continue;
    if (!any) y_ += 6;
    any = true;
    const bool framed = with_heat && (e.mark == CellMark::kSelected || e.mark == CellMark::kRelated), twice = framed && with_text;
    const float w = TextWidth(e.text, Face::kUi, 11) + 30 + (twice ? 15.0f : 0);
    if (x + w > width_ + kMargin) {
      x = kMargin;
      y_ += 16;
    }
    const Box box{x, y_, 11, 11};
    if (framed) {
      const bool selected = e.mark == CellMark::kSelected;
      if (twice) made_.drawing.AddBox(box, e.fill, e.line);
      made_.drawing.AddBox({twice ? x + 15 : x, y_, 11, 11}, Ink::kSunken, selected ? Paint(Ink::kAmber) : Paint(Ink::kText), 0, selected ? 3.0f : 1.5f);
    } else if (e.state == CellState::kPadding || e.state == CellState::kUnused || e.state == CellState::kHole) {
      made_.drawing.AddHatchedBox(box, e.fill, e.line);
    } else {
      made_.drawing.AddBox(box, e.fill, e.line);
    }
    if (e.state == CellState::kSkipped) {  // crossed out, as its cells are
      made_.drawing.AddLine({box.x + 1, box.y + 1}, {box.right() - 1, box.bottom() - 1}, {e.line});
      made_.drawing.AddLine({box.x + 1, box.bottom() - 1}, {box.right() - 1, box.y + 1}, {e.line});
    }
    made_.drawing.AddText({x + (twice ? 31.0f : 16.0f), y_ + 9.5f}, e.text, {11, Face::kUi, Ink::kDim});
    x += w;
  }
  if (any) y_ += 16;
}

MadePicture Board::Finish() {
  if (!made_.step_text.empty() && step() >= 0) Say(made_.step_text, Ink::kAmber);
  Legend();
  if (scene_->unseen_operands > 0) Say(captions().Counted(scene_->unseen_operands, "$0 operand beyond the first is not drawn.", "$0 operands beyond the first are not drawn."));
  made_.related = related_.List(kMostListed);
  made_.related_total = related_.total();
  made_.drawing.description = made_.step_text;
  // A name may be wider than the room: with a margin beside it, too.
  const float wide = made_.drawing.width();
  made_.drawing.SetSize(std::max(std::min(selection_->width, std::max(320.0f, wide + kMargin)), wide > 0 ? wide + kLeastMargin : 0), y_ + 8);
  return std::move(made_);
}

}  // namespace hloscope
