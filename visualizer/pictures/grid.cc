#include "visualizer/pictures/grid.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/str_split.h"

namespace hloscope {
namespace {

constexpr float kLeastColour = 9;  // of a cell that shows a colour
constexpr int64_t kMostRows = 24, kMostColumns = 40, kMostSlices = 48;

int64_t Product(const std::vector<int64_t>& dims, const std::vector<int>& of) {
  int64_t n = 1;
  for (int d : of) n = std::min<int64_t>(n * std::max<int64_t>(dims[d], 0), int64_t{1} << 40);
  return n;
}

}  // namespace

void GridCell::Take(const Scalar& s) {
  value = s;
  number = HeatOf(s);
  is_nan = s.IsNaN();
}

void GridCell::Empty() {
  value.reset();
  text.clear();
  number.reset();
  is_nan = false;
}

std::vector<GridAxis> CustomaryAxes(int rank) {
  static constexpr const char* kLetters[] = {"p", "z", "y", "x"};
  std::vector<GridAxis> axes(rank);
  for (int d = 0; d < rank; ++d) {
    const int from_end = rank - 1 - d;
    axes[d].letter = from_end < 4 ? kLetters[3 - from_end] : absl::StrCat("d", d);
  }
  return axes;
}

GridCell CellOf(const PictureArray& array, absl::Span<const int64_t> index, const std::function<CellMark(const Cell&)>& mark, const Captions& tr) {
  GridCell cell;
  cell.cell = {array.id, std::vector<int64_t>(index.begin(), index.end())};
  cell.hint = absl::StrCat(array.result ? tr("result") : tr("operand"), " ", array.name, IndexText(index));
  if (const std::optional<Scalar> s = array.At(index)) {
    cell.Take(*s);
    absl::StrAppend(&cell.hint, " = ", ToText(*s));
  }
  if (mark) cell.mark = mark(cell.cell);
  return cell;
}

void TellSignOfNan(const PictureArray& array, absl::Span<const int64_t> index, GridCell* cell) {
  const std::optional<Scalar> x = cell->is_nan ? array.At(index) : std::nullopt;
  if (!x || !HasSignedNan(*x)) return;
  cell->text = SignedText(*x);
  cell->hint = absl::StrReplaceAll(cell->hint, {{" = nan", absl::StrCat(" = ", cell->text)}});
}

GridSpec GridOf(const PictureArray& array, std::function<CellMark(const Cell&)> mark, const Captions& tr) {
  GridSpec spec;
  spec.array = array.id;
  spec.title = array.name;
  spec.type = std::string(Name(array.shape.element_type()));
  spec.dims.assign(array.shape.dimensions().begin(), array.shape.dimensions().end());
  if (!array.has_value()) spec.note = tr("no value yet");
  spec.cell = [array, mark = std::move(mark), tr](absl::Span<const int64_t> index) { return CellOf(array, index, mark, tr); };
  return spec;
}

Grid::Grid(GridSpec spec, const PictureSelection& selection, float width, float height) : spec_(std::move(spec)), tr_(selection.captions), live_(selection.live), room_width_(width) {
  const int rank = static_cast<int>(spec_.dims.size());
  if (spec_.axes.empty()) spec_.axes = CustomaryAxes(rank);
  if (spec_.rows < 0 && spec_.columns < 0) {
    // The last two dimensions; of more than two, the last that are more than a single row.
    std::vector<int> of;
    for (int d = rank; d-- > 0 && of.size() < 2;) {
      if (spec_.dims[d] != 1 || rank <= 2) of.push_back(d);
    }
    for (int d = rank; d-- > 0 && of.size() < 2;) {
      if (std::find(of.begin(), of.end(), d) == of.end()) of.push_back(d);
    }
    std::sort(of.begin(), of.end());
    if (!of.empty()) spec_.columns = of.back();
    if (of.size() == 2) spec_.rows = of.front();
  }
  for (int d = 0; d < rank; ++d) {
    if (d != spec_.rows && d != spec_.columns) outer_.push_back(d);
    empty_ = empty_ || spec_.dims[d] <= 0;
    views_.push_back({0, std::max<int64_t>(spec_.dims[d], 0)});
  }
  if (const auto cells = selection.options.find("cells"); cells != selection.options.end()) {
    spec_.numbers = cells->second != "colours";
    spec_.only_numbers = cells->second == "numbers";
  }
  if (rank >= 1) label_height_ = !spec_.tagged ? 13 : rank == 1 ? 32 : 20;
  const auto letter_width = [&](int d) { return d < 0 ? 0 : TextWidth(spec_.axes[d].letter, Face::kStrong, kLabelSize); };
  if (spec_.rows >= 0) {
    // Labels may be words: the widest of the first ones and the last.
    float widest = 0;
    const int64_t last = std::max<int64_t>(Extent(spec_.rows) - 1, 0);
    for (int64_t i = 0; i <= last; i = i + 1 < kMostRows || i == last ? i + 1 : last) widest = std::max(widest, TextWidth(LabelOf(spec_.rows, i), Face::kUi, kLabelSize));
    // Both letters stand in the corner.
    label_width_ = std::max({22.0f, widest + 8, letter_width(spec_.rows) + letter_width(spec_.columns) + 9});
  } else if (rank >= 1) {
    label_width_ = std::max(14.0f, letter_width(spec_.columns) + 6);
  }
  if (!outer_.empty()) {
    std::vector<int64_t> last;
    for (int d : outer_) last.push_back(std::max<int64_t>(spec_.dims[d] - 1, 0));
    for (const std::vector<int64_t>& slice : {last, std::vector<int64_t>(outer_.size(), 0)}) slice_title_width_ = std::max(slice_title_width_, TextWidth(SliceTitle(slice), Face::kMono, 11));
  }
  if (!empty_) Choose(Sample(selection), width, height);
  if (text_mode_ && spec_.tagged && rank == 1) label_height_ = 20;  // names hang over the corners of cells, and stand off small ones
  for (size_t d = 0; d < std::min(spec_.at_most.size(), views_.size()); ++d) views_[d].count = std::min(views_[d].count, spec_.at_most[d]);
  ChooseWindow(selection);
  FitNumbers();
  bool shortened = false;
  for (int d = 0; d < rank; ++d) shortened = shortened || Shortened(d);
  head_height_ = kTitleHeight + (spec_.note.empty() ? 0 : kNoteHeight);
  if (empty_) {
    width_ = 110;
    height_ = head_height_ + 34;
  } else {
    const int64_t rows = spec_.rows < 0 ? 1 : views_[spec_.rows].count, columns = spec_.columns < 0 ? 1 : views_[spec_.columns].count;
    const int64_t slices = SlicesSeen();
    across_ = std::min(across_, slices);
    const int64_t down = (slices + across_ - 1) / across_;
    width_ = static_cast<float>(across_) * SliceWidth(cell_width_, columns) + static_cast<float>(across_ - 1) * kSliceGap;
    if (shortened) width_ = std::max(width_, std::min(width, 190.0f));
    if (!text_mode_) {
      LookAtColours();
      width_ = std::max(width_, label_width_ + ScaleNumbersWidth() + 24);
    }
    scroll_height_ = shortened ? ScrollLines({}, width_, nullptr) : 0;
    height_ = head_height_ + scroll_height_ + static_cast<float>(down) * SliceHeight(cell_height_, rows) + static_cast<float>(down - 1) * kSliceGap + static_cast<float>(heat_.size()) * kScaleHeight;
  }
  // A long name leaves its middle out rather than making the grid wide.
  title_ = spec_.title;
  if (const float over = title_width() - std::max(width_, std::min(width, kLongTitle)); over > 0 && !spec_.type.empty()) {
    title_ = NameIn(std::max(TextWidth(title_, Face::kMonoStrong, 13) - over, kLeastTitle), title_, Face::kMonoStrong, 13);
  }
  if (spec_.scales_over && !heat_.empty()) PutScalesOver();
  float head = TextWidth(title_, Face::kMonoStrong, 13) + 8 + TextWidth(spec_.type, Face::kMono, 12) + 14;
  for (int d = 0; d < rank; ++d) head += TextWidth(absl::StrCat(spec_.axes[d].letter, ":", Told(d), ", "), Face::kMono, 12);
  width_ = std::max({width_, std::min(head, std::max(width, 120.0f)), spec_.note.empty() ? 0 : TextWidth(spec_.note, Face::kUi, 11)});
}

void Grid::PutScalesOver() {
  const float tall = static_cast<float>(heat_.size()) * kScaleHeight;
  float used = title_width();
  if (scroll_height_ > 0) ScrollLines({}, width_, nullptr, &used);
  if (DrawScales({used + 30, 0}, nullptr) > width_) return;
  scales_beside_ = used + 30;
  const float head = std::max(head_height_, tall - scroll_height_);
  height_ += head - head_height_ - tall;
  head_height_ = head;
}

std::vector<int64_t> Grid::counts() const {
  std::vector<int64_t> counts;
  for (const View& view : views_) counts.push_back(view.count);
  return counts;
}

std::string Grid::LabelOf(int dim, int64_t i) const { return spec_.label ? spec_.label(dim, i) : absl::StrCat(i); }

// Of small cells some, and of these only what has a name: the first, every fifth after it and the last.
std::vector<std::string> Grid::TicksOf(int dim) const {
  const View& view = views_[dim];
  std::vector<std::string> ticks;
  std::string last;
  size_t last_at = 0;
  for (int64_t named = 0, k = 0; k < view.count; ++k) {
    std::string label = LabelOf(dim, view.first + k);
    if (!text_mode_ && label == kBetween) {
      label.clear();
    } else if (!text_mode_) {
      last_at = ticks.size();
      last = std::exchange(label, named++ % 5 == 0 ? label : std::string());
    }
    ticks.push_back(std::move(label));
  }
  if (!last.empty()) ticks[last_at] = std::move(last);
  return ticks;
}

float Grid::before() const {
  float widest = 0;
  if (spec_.rows >= 0 && !empty_) {
    for (const std::string& tick : TicksOf(spec_.rows)) widest = std::max(widest, TextWidth(tick, Face::kUi, kLabelSize));
  }
  return widest + 4 + (Shortened(spec_.columns) ? kStrip : 0);
}

float Grid::SliceWidth(float cell_width, int64_t columns) const {
  const float cells = static_cast<float>(columns) * cell_width + (spec_.columns >= 0 && columns < Extent(spec_.columns) ? 2 * kStrip : 0);
  return label_width_ + std::max(cells, slice_title_width_);
}
float Grid::SliceHeight(float cell_height, int64_t rows) const {
  return label_height_ + (outer_.empty() ? 0 : kSliceHead) + static_cast<float>(rows) * cell_height + (spec_.rows >= 0 && rows < Extent(spec_.rows) ? 2 * kStrip : 0);
}

// Whole slices of this size, all of them.
bool Grid::Fits(float cell_width, float cell_height, float room_width, float room_height, int64_t* across) const {
  const int64_t rows = Extent(spec_.rows), columns = Extent(spec_.columns), slices = Product(spec_.dims, outer_);
  if (rows > 4 * kMostRows || columns > 4 * kMostColumns || slices > kMostSlices || rows * columns * slices > 4096) return false;
  const float w = SliceWidth(cell_width, columns), h = SliceHeight(cell_height, rows);
  int64_t fit = static_cast<int64_t>((room_width + kSliceGap) / (w + kSliceGap));
  if (fit < 1) return false;
  // Of several outer dimensions the last one lies across.
  const int64_t last = outer_.empty() ? 1 : spec_.dims[outer_.back()];
  if (outer_.size() > 1 && fit > last) fit = last;
  const int64_t down = (slices + fit - 1) / fit;
  *across = fit;
  return static_cast<float>(down) * (h + kSliceGap) - kSliceGap <= room_height - kTitleHeight;
}

// Cells of those that will be seen; of many some.
std::vector<GridCell> Grid::Sample(const PictureSelection& selection) {
  constexpr size_t kMost = 1024;
  const std::vector<View> whole = views_;
  if (spec_.rows >= 0) views_[spec_.rows].count = std::min(Extent(spec_.rows), kMostRows);
  if (spec_.columns >= 0) views_[spec_.columns].count = std::min(Extent(spec_.columns), kMostColumns);
  ChooseWindow(selection);
  std::vector<GridCell> cells;
  EachCell([&cells](const std::vector<int64_t>&, const GridCell& cell) {
    cells.push_back(cell);
    return cells.size() < kMost;
  });
  views_ = whole;
  return cells;
}

float Grid::WidestOf(const std::vector<GridCell>& cells, const NumberStyle& style, float size) const {
  size_t letters = 0;
  float widest = 0;
  for (const GridCell& cell : cells) {
    if (!cell.text.empty()) {
      widest = std::max(widest, TextWidth(cell.text, Face::kMono, size));
    } else if (cell.value) {
      letters = std::max(letters, NumberText(*cell.value, style).size());
    }
  }
  return std::max(widest, static_cast<float>(letters) * TextWidth("0", Face::kMono, size));
}

// Numbers where all of them fit, or in small slices or rows of which not all are seen. Integers have all their digits where that is possible, if need
// be in smaller type.
bool Grid::ChooseText(const std::vector<GridCell>& cells, float room_width, float room_height) {
  const int64_t rows = Extent(spec_.rows), columns = Extent(spec_.columns);
  // What stands over a column is as wide as it is; indices may be left out, words not.
  float over = 0;
  for (int64_t c = 0; spec_.label && spec_.columns >= 0 && c < std::min(columns, kMostColumns); ++c) over = std::max(over, TextWidth(LabelOf(spec_.columns, c), Face::kUi, kLabelSize) + 8);
  NumberStyle whole;
  whole.whole = true;
  for (const GridCell& cell : cells) {
    if (cell.value && cell.text.empty() && IsInteger(cell.value->type)) long_integers_ = long_integers_ || NumberText(*cell.value, whole) != ShortText(*cell.value);
  }
  constexpr float kRoomy = 12, kTight = 6;
  std::vector<Writing> writings = {{{}, kNumberSize, kRoomy, 23}, {{}, kNumberSize, kTight, 18}};
  if (long_integers_) writings.insert(writings.begin(), {{whole, kNumberSize, kRoomy, 23}, {whole, kNumberSize, kTight, 18}, {whole, 10, kTight, 18}, {whole, 9, kTight, 18}});
  // Numbers have at most ten letters; complex and whole ones are two.
  const auto width_of = [&](const Writing& writing) {
    const float most = writing.style.whole || absl::StartsWith(spec_.type, "c") ? 160 : 84;
    return std::max(over, std::clamp(WidestOf(cells, writing.style, writing.size) + writing.margin, writing.margin == kRoomy ? 26.0f : 22.0f, writing.margin == kRoomy ? most : most - kRoomy));
  };
  const auto choose = [&](const Writing& writing, float width, float height) {
    style_ = writing.style;
    number_size_ = writing.size;
    cell_width_ = width;
    cell_height_ = height;
  };
  for (const Writing& writing : writings) {
    const float width = width_of(writing);
    if (!Fits(width, writing.height, room_width, room_height, &across_)) continue;
    choose(writing, width, writing.height);
    return true;
  }
  // Small slices of which there are many.
  for (const Writing& writing : writings) {
    const float width = width_of(writing);
    if (writing.margin != kRoomy || rows * columns > 40 || SliceWidth(width, columns) > room_width || SliceHeight(22, rows) > room_height) continue;
    choose(writing, width, 22);
    ShareSlices(room_width, room_height);
    return true;
  }
  // Colours that would not show all rows either say less than the numbers of fewer rows.
  const bool tall = rows > 1 && Product(spec_.dims, outer_) == 1 && columns <= kMostColumns && SliceWidth(width_of({{}, kNumberSize, kRoomy, 0}), columns) <= room_width &&
                    SliceHeight(kLeastColour, rows) > room_height - kTitleHeight;
  if (!spec_.only_numbers && !tall) return false;
  ChooseNumbers(cells, over, room_width, room_height);
  return true;
}

void Grid::Choose(const std::vector<GridCell>& cells, float room_width, float room_height) {
  const int64_t rows = Extent(spec_.rows), columns = Extent(spec_.columns), slices = Product(spec_.dims, outer_);
  across_ = 1;
  text_mode_ = spec_.numbers && ChooseText(cells, room_width, room_height);
  if (text_mode_) return;
  for (const float size : {18.0f, 14.0f, 11.0f, kLeastColour}) {
    cell_width_ = cell_height_ = size;
    if (Fits(size, size, room_width, room_height, &across_)) return;
  }
  // Whole slices, of which not all are seen.
  if (slices > 1 && rows <= 2 * kMostRows && columns <= 2 * kMostColumns) {
    for (const float size : {13.0f, 11.0f, kLeastColour}) {
      cell_width_ = cell_height_ = size;
      if (SliceWidth(size, columns) > room_width || SliceHeight(size, rows) > room_height * 0.85f) continue;
      ShareSlices(room_width, room_height);
      return;
    }
  }
  // A window. Of many slices at least two are side by side, where that leaves enough of each.
  const float size = 13;
  cell_width_ = cell_height_ = size;
  const bool several = slices > 1;
  const float width = several ? std::max(room_width / 2 - kSliceGap, std::min(room_width, 160.0f)) : room_width;
  const float height = several ? std::max(room_height / 2 - 2 * kSliceGap, std::min(room_height, 120.0f)) : room_height - kTitleHeight - kScrollHeight;
  if (spec_.columns >= 0) {
    const int64_t fit = static_cast<int64_t>((width - label_width_ - 2 * kStrip) / size);
    views_[spec_.columns].count = std::min(std::clamp<int64_t>(fit, 4, kMostColumns), columns);
  }
  if (spec_.rows >= 0) {
    const int64_t fit = static_cast<int64_t>((height - label_height_ - kSliceHead - 2 * kStrip) / size);
    views_[spec_.rows].count = std::min(std::clamp<int64_t>(fit, 4, kMostRows), rows);
  }
  ShareSlices(room_width, room_height);
}

// Text in every cell, however few there are: in smaller type and with fewer digits where that shows all columns.
void Grid::ChooseNumbers(const std::vector<GridCell>& cells, float over, float room_width, float room_height) {
  constexpr float kLeastCell = 36, kMargin = 4;
  style_.whole = long_integers_;
  cell_width_ = std::max({over, WidestOf(cells, style_, kNumberSize) + 12, 26.0f});
  cell_height_ = 20;
  if (spec_.columns >= 0) {
    const int64_t columns = Extent(spec_.columns);
    const float narrow = (room_width - label_width_) / static_cast<float>(columns);
    bool all = cell_width_ <= narrow;
    for (const int digits : {3, 2}) {
      for (const float size : {kNumberSize, 11.0f, 10.0f, 9.0f, kLeastNumberSize}) {
        if (all || narrow < std::max(kLeastCell, over)) break;
        NumberStyle style = style_;
        style.digits = digits;
        style.letters = static_cast<size_t>((narrow - kMargin) / TextWidth("0", Face::kMono, size));
        if (WidestOf(cells, style, size) > narrow - kMargin) continue;
        all = true;
        style_ = style;
        number_size_ = size;
        cell_width_ = narrow;
      }
    }
    const int64_t fit = static_cast<int64_t>((room_width - label_width_ - (all ? -1 : 2 * kStrip)) / cell_width_);
    views_[spec_.columns].count = std::clamp<int64_t>(fit, 1, columns);
  }
  if (spec_.rows >= 0) {
    const int64_t fit = static_cast<int64_t>((room_height - kTitleHeight - kScrollHeight - label_height_) / cell_height_);
    views_[spec_.rows].count = std::clamp<int64_t>(fit, 1, std::min(kMostRows, Extent(spec_.rows)));
  }
  ShareSlices(room_width, room_height);
}

// As many slices as there is room for, the last dimensions first.
void Grid::ShareSlices(float room_width, float room_height) {
  const float w = SliceWidth(cell_width_, spec_.columns < 0 ? 1 : views_[spec_.columns].count), h = SliceHeight(cell_height_, spec_.rows < 0 ? 1 : views_[spec_.rows].count);
  across_ = std::max<int64_t>(1, static_cast<int64_t>((room_width + kSliceGap) / (w + kSliceGap)));
  const int64_t down = std::max<int64_t>(1, static_cast<int64_t>((room_height - kTitleHeight - kScrollHeight + kSliceGap) / (h + kSliceGap)));
  int64_t left = std::min(across_ * down, kMostSlices);
  // Those of the window that is looked at before all others.
  for (size_t k = outer_.size(); k-- > 0;) {
    views_[outer_[k]].count = std::clamp<int64_t>(WantedOf(outer_[k]), 1, std::max<int64_t>(left, 1));
    left /= views_[outer_[k]].count;
  }
  // What is left goes to the last dimensions; beside a window only so that lines stay lines.
  const bool windowed = std::any_of(outer_.begin(), outer_.end(), [this](int d) { return WantedOf(d) > 1; });
  const auto innermost = std::find_if(outer_.rbegin(), outer_.rend(), [this](int d) { return spec_.dims[d] > 1; });
  if (windowed && innermost != outer_.rend()) {
    View& view = views_[*innermost];
    if (SlicesSeen() / view.count <= down) view.count = std::min(std::max(view.count, across_), spec_.dims[*innermost]);
  }
  for (size_t k = outer_.size(); !windowed && k-- > 0;) {
    views_[outer_[k]].count = std::clamp<int64_t>(left, 1, std::max<int64_t>(spec_.dims[outer_[k]], 1));
    left /= views_[outer_[k]].count;
  }
  // A line ends where the last dimension does that is more than one of them; of what is one alone nothing would stand side by side.
  if (outer_.size() > 1) {
    const auto several = std::find_if(outer_.rbegin(), outer_.rend(), [this](int d) { return views_[d].count > 1; });
    if (several != outer_.rend()) across_ = std::min(across_, views_[*several].count);
  }
}

int64_t Grid::WantedOf(int dim) const {
  const auto d = static_cast<size_t>(dim);
  if (!spec_.focus || !spec_.focus_last || d >= spec_.focus->size() || d >= spec_.focus_last->size()) return 1;
  return std::max<int64_t>(1, std::min((*spec_.focus_last)[d], spec_.dims[d] - 1) - (*spec_.focus)[d] + 1);
}

// Where the views begin: as somebody scrolled, else so that the focus is in them.
void Grid::ChooseWindow(const PictureSelection& selection) {
  std::vector<int64_t> first;
  if (const auto window = selection.windows.find(spec_.array); window != selection.windows.end()) first = window->second.first;
  if (const auto option = selection.options.find(absl::StrCat("window:", spec_.array)); first.empty() && option != selection.options.end()) {
    for (absl::string_view part : absl::StrSplit(absl::string_view(option->second), ',')) {
      int64_t i = 0;
      first.push_back(absl::SimpleAtoi(part, &i) ? i : 0);
    }
  }
  for (size_t d = 0; d < views_.size(); ++d) {
    View& view = views_[d];
    int64_t at = 0;
    if (d < first.size()) {
      at = first[d];
    } else if (spec_.focus && d < spec_.focus->size() && (*spec_.focus)[d] >= view.count - view.count / 4) {
      // In half pages, so that it stands still while the focus goes on by a little.
      const int64_t half = std::max<int64_t>(1, view.count / 2);
      at = (*spec_.focus)[d] / half * half - half / 2;
    }
    if (const int64_t wanted = WantedOf(static_cast<int>(d)); wanted > 1 && d >= first.size()) {
      const int64_t focus = (*spec_.focus)[d];
      at = wanted > view.count ? focus : std::clamp(at, focus + wanted - view.count, focus);
    }
    view.first = std::clamp<int64_t>(at, 0, std::max<int64_t>(spec_.dims[d] - view.count, 0));
  }
}

// What was not among the samples may be longer.
void Grid::FitNumbers() {
  if (empty_ || !text_mode_) return;
  std::vector<GridCell> cells;
  EachCell([&cells](const std::vector<int64_t>&, const GridCell& cell) {
    cells.push_back(cell);
    return true;
  });
  const float room = cell_width_ - kCellBorders, wide = WidestOf(cells, style_, number_size_);
  if (wide > room) number_size_ = std::max(kLeastNumberSize, number_size_ * room / wide);
}

int64_t Grid::SlicesSeen() const {
  int64_t slices = 1;
  for (int d : outer_) slices *= views_[d].count;
  return slices;
}

void Grid::EachSlice(const std::function<bool(const std::vector<int64_t>&, int64_t)>& f) const {
  std::vector<int64_t> slice;
  for (int d : outer_) slice.push_back(views_[d].first);
  const int64_t slices = SlicesSeen();
  for (int64_t s = 0; s < slices && f(slice, s); ++s) {
    for (size_t k = outer_.size(); k-- > 0;) {
      if (++slice[k] < views_[outer_[k]].first + views_[outer_[k]].count) break;
      slice[k] = views_[outer_[k]].first;
    }
  }
}

void Grid::EachCell(const std::function<bool(const std::vector<int64_t>&, const GridCell&)>& f) const {
  const int64_t rows = spec_.rows < 0 ? 1 : views_[spec_.rows].count, columns = spec_.columns < 0 ? 1 : views_[spec_.columns].count;
  const int64_t r0 = spec_.rows < 0 ? 0 : views_[spec_.rows].first, c0 = spec_.columns < 0 ? 0 : views_[spec_.columns].first;
  EachSlice([&](const std::vector<int64_t>& slice, int64_t) {
    for (int64_t k = 0; k < rows * columns; ++k) {
      const std::vector<int64_t> index = IndexAt(slice, r0 + k / columns, c0 + k % columns);
      if (!f(index, spec_.cell(index))) return false;
    }
    return true;
  });
}

// One scale for all slices.
void Grid::LookAtColours() {
  heat_.assign(spec_.scale_dim < 0 ? 1 : static_cast<size_t>(spec_.dims[static_cast<size_t>(spec_.scale_dim)]), HeatScale());
  EachCell([&](const std::vector<int64_t>& index, const GridCell& cell) {
    if (cell.number) heat_[ScaleOf(index)].Take(*cell.number);
    any_plus_inf_ = any_plus_inf_ || (cell.number && std::isinf(*cell.number) && *cell.number > 0);
    any_minus_inf_ = any_minus_inf_ || (cell.number && std::isinf(*cell.number) && *cell.number < 0);
    any_nan_ = any_nan_ || cell.is_nan;
    return true;
  });
}

std::string Grid::SliceTitle(absl::Span<const int64_t> slice) const {
  std::vector<std::string> parts(spec_.dims.size(), ":");
  for (size_t k = 0; k < outer_.size(); ++k) parts[outer_[k]] = LabelOf(outer_[k], slice[k]);
  return absl::StrCat("[", absl::StrJoin(parts, ","), "]");
}

std::vector<int64_t> Grid::IndexAt(absl::Span<const int64_t> slice, int64_t row, int64_t column) const {
  std::vector<int64_t> index(spec_.dims.size());
  for (size_t k = 0; k < outer_.size(); ++k) index[outer_[k]] = slice[k];
  if (spec_.rows >= 0) index[spec_.rows] = row;
  if (spec_.columns >= 0) index[spec_.columns] = column;
  return index;
}

std::string Grid::ScrollAction(int dim, int64_t first) const {
  std::vector<int64_t> firsts;
  for (const View& view : views_) firsts.push_back(view.first);
  firsts[dim] = std::clamp<int64_t>(first, 0, std::max<int64_t>(spec_.dims[dim] - views_[dim].count, 0));
  return absl::StrCat("window:", spec_.array, "=", absl::StrJoin(firsts, ","));
}

float Grid::title_width() const {
  std::string type = spec_.type.empty() ? "" : absl::StrCat(spec_.type, "[");
  for (size_t d = 0; d < spec_.dims.size() && !type.empty(); ++d) absl::StrAppend(&type, d > 0 ? "," : "", spec_.axes[d].letter, spec_.axes[d].letter.empty() ? "" : ":", Told(d));
  return TextWidth(title_, Face::kMonoStrong, 13) + (type.empty() ? 0 : 8 + TextWidth(absl::StrCat(type, "]"), Face::kMono, 12));
}

std::optional<Box> Grid::BoxOf(absl::Span<const int64_t> index) const {
  if (index.size() != spec_.dims.size()) return std::nullopt;
  for (size_t d = 0; d < index.size(); ++d) {
    if (index[d] < views_[d].first || index[d] >= views_[d].first + views_[d].count) return std::nullopt;
  }
  for (const Placed& p : placed_) {
    bool same = true;
    for (size_t k = 0; k < outer_.size(); ++k) same = same && p.slice[k] == index[outer_[k]];
    if (!same) continue;
    const float r = spec_.rows < 0 ? 0 : static_cast<float>(index[spec_.rows] - views_[spec_.rows].first);
    const float c = spec_.columns < 0 ? 0 : static_cast<float>(index[spec_.columns] - views_[spec_.columns].first);
    return Box{p.cells.x + c * cell_width_, p.cells.y + r * cell_height_, cell_width_, cell_height_};
  }
  return std::nullopt;
}

std::vector<Box> Grid::BoxesOf(absl::Span<const int64_t> low, absl::Span<const int64_t> high) const {
  std::vector<Box> boxes;
  if (low.size() != spec_.dims.size() || high.size() != low.size()) return boxes;
  std::vector<int64_t> first(low.begin(), low.end()), last(high.begin(), high.end());
  for (size_t d = 0; d < first.size(); ++d) {
    first[d] = std::max(first[d], views_[d].first);
    last[d] = std::min(last[d], views_[d].first + views_[d].count - 1);
    if (first[d] > last[d]) return boxes;
  }
  for (const Placed& p : placed_) {
    bool inside = true;
    for (size_t k = 0; k < outer_.size(); ++k) inside = inside && p.slice[k] >= first[outer_[k]] && p.slice[k] <= last[outer_[k]];
    if (!inside) continue;
    for (size_t k = 0; k < outer_.size(); ++k) first[outer_[k]] = last[outer_[k]] = p.slice[k];
    const std::optional<Box> begin = BoxOf(first), end = BoxOf(last);
    if (begin && end) boxes.push_back({begin->x, begin->y, end->right() - begin->x, end->bottom() - begin->y});
    for (size_t k = 0; k < outer_.size(); ++k) {
      const int d = outer_[k];
      first[d] = std::max(low[d], views_[d].first);
      last[d] = std::min(high[d], views_[d].first + views_[d].count - 1);
    }
  }
  return boxes;
}

namespace {
// Of equal cells from `begin` on.
float EdgeNear(float at, float begin, float end, float cell) { return cell <= 0 ? at : std::clamp(begin + std::round((at - begin) / cell) * cell, begin, end); }
}  // namespace

float Grid::RowLineNear(float y) const {
  float best = y, least = 1e9f;
  for (const Placed& p : placed_) {
    const float line = EdgeNear(y, p.cells.y, p.cells.bottom(), cell_height_);
    if (std::abs(line - y) < least) least = std::abs(line - y), best = line;
  }
  return best;
}

float Grid::ColumnLineNear(float x) const {
  float best = x, least = 1e9f;
  for (const Placed& p : placed_) {
    const float line = EdgeNear(x, p.cells.x, p.cells.right(), cell_width_);
    if (std::abs(line - x) < least) least = std::abs(line - x), best = line;
  }
  return best;
}

}  // namespace hloscope
