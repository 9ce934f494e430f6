#include "visualizer/pictures/grid.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"

namespace hloscope {
namespace {

constexpr float kTitleHeight = 20, kNoteHeight = 16, kScrollHeight = 18, kScaleHeight = 18, kSliceHead = 15, kSliceGap = 14, kStrip = 12;
constexpr float kNumberSize = 12, kLabelSize = 10;
constexpr int64_t kMostRows = 24, kMostColumns = 40, kMostSlices = 48;
constexpr int64_t kFewNumbers = 12;
constexpr size_t kMostDigits = 11;

int64_t Product(const std::vector<int64_t>& dims, const std::vector<int>& of) {
  int64_t n = 1;
  for (int d : of) n = std::min<int64_t>(n * std::max<int64_t>(dims[d], 0), int64_t{1} << 40);
  return n;
}

}  // namespace

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
  cell.hint = absl::StrCat(array.id >= kResultArray && array.id < kOwnArray ? tr("result") : tr("operand"), " ", array.name, IndexText(index));
  if (const std::optional<Scalar> s = array.At(index)) {
    // Of few integers all digits.
    cell.text = IsInteger(s->type) && array.shape.ElementCount() <= kFewNumbers ? ToText(*s) : ShortText(*s);
    if (cell.text.size() > kMostDigits) cell.text = ShortText(*s);
    cell.number = HeatOf(*s);
    cell.is_nan = s->IsNaN();
    absl::StrAppend(&cell.hint, " = ", ToText(*s));
  }
  if (mark) cell.mark = mark(cell.cell);
  return cell;
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

Grid::Grid(GridSpec spec, const PictureSelection& selection, float width, float height) : spec_(std::move(spec)), tr_(selection.captions), live_(selection.live) {
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
  if (rank >= 1) label_height_ = 13;
  if (spec_.rows >= 0) {
    // Labels may be words: the widest of the first ones and the last.
    float widest = 0;
    const int64_t last = std::max<int64_t>(Extent(spec_.rows) - 1, 0);
    for (int64_t i = 0; i <= last; i = i + 1 < kMostRows || i == last ? i + 1 : last) widest = std::max(widest, TextWidth(LabelOf(spec_.rows, i), Face::kUi, kLabelSize));
    label_width_ = std::max(22.0f, widest + 8);
  } else if (rank >= 1) {
    label_width_ = 14;
  }
  ChooseWindow(selection);  // where to sample the numbers
  if (!empty_) Choose(width, height);
  ChooseWindow(selection);
  bool shortened = false;
  for (int d = 0; d < rank; ++d) shortened = shortened || Shortened(d);
  head_height_ = kTitleHeight + (spec_.note.empty() ? 0 : kNoteHeight);
  if (empty_) {
    width_ = 110;
    height_ = head_height_ + 34;
  } else {
    const int64_t rows = spec_.rows < 0 ? 1 : views_[spec_.rows].count, columns = spec_.columns < 0 ? 1 : views_[spec_.columns].count;
    int64_t slices = 1;
    for (int d : outer_) slices *= views_[d].count;
    across_ = std::min(across_, slices);
    const int64_t down = (slices + across_ - 1) / across_;
    width_ = static_cast<float>(across_) * SliceWidth(cell_width_, columns) + static_cast<float>(across_ - 1) * kSliceGap;
    if (shortened) width_ = std::max(width_, std::min(width, 190.0f));
    scroll_height_ = shortened ? ScrollLines({}, width_, nullptr) : 0;
    height_ = head_height_ + scroll_height_ + static_cast<float>(down) * SliceHeight(cell_height_, rows) + static_cast<float>(down - 1) * kSliceGap + (text_mode_ ? 0 : kScaleHeight);
  }
  float head = TextWidth(spec_.title, Face::kMonoStrong, 13) + 8 + TextWidth(spec_.type, Face::kMono, 12) + 14;
  for (int d = 0; d < rank; ++d) head += TextWidth(absl::StrCat(spec_.axes[d].letter, ":", Told(d), ", "), Face::kMono, 12);
  width_ = std::max({width_, std::min(head, std::max(width, 120.0f)), spec_.note.empty() ? 0 : TextWidth(spec_.note, Face::kUi, 11)});
}

std::string Grid::LabelOf(int dim, int64_t i) const { return spec_.label ? spec_.label(dim, i) : absl::StrCat(i); }

float Grid::SliceWidth(float cell_width, int64_t columns) const {
  return label_width_ + static_cast<float>(columns) * cell_width + (spec_.columns >= 0 && columns < Extent(spec_.columns) ? 2 * kStrip : 0);
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

void Grid::Choose(float room_width, float room_height) {
  const int64_t rows = Extent(spec_.rows), columns = Extent(spec_.columns), slices = Product(spec_.dims, outer_);
  // How wide numbers are, from some that will be seen.
  float widest = 0;
  {
    std::vector<int64_t> slice;
    for (int d : outer_) slice.push_back(views_[d].first);
    const int64_t r0 = spec_.rows < 0 ? 0 : views_[spec_.rows].first, c0 = spec_.columns < 0 ? 0 : views_[spec_.columns].first;
    for (int64_t r = r0; r < std::min(rows, r0 + 12); ++r) {
      for (int64_t c = c0; c < std::min(columns, c0 + 16); ++c) {
        widest = std::max(widest, TextWidth(spec_.cell(IndexAt(slice, r, c)).text, Face::kMono, kNumberSize));
      }
    }
  }
  const float text_width = std::clamp(widest + 12, 26.0f, 84.0f), tight = std::clamp(widest + 6, 22.0f, 72.0f);
  across_ = 1;
  if (spec_.numbers) {
    text_mode_ = true;
    for (const auto& [w, h] : {std::pair(text_width, 23.0f), std::pair(tight, 18.0f)}) {
      cell_width_ = w;
      cell_height_ = h;
      if (Fits(w, h, room_width, room_height, &across_)) return;
    }
    // Small slices of which there are many.
    if (rows * columns <= 40 && SliceWidth(text_width, columns) <= room_width && SliceHeight(22, rows) <= room_height) {
      cell_width_ = text_width;
      cell_height_ = 22;
      ShareSlices(room_width, room_height);
      return;
    }
    if (spec_.only_numbers) {
      ChooseNumbers(text_width, room_width, room_height);
      return;
    }
  }
  text_mode_ = false;
  for (const float size : {18.0f, 14.0f, 11.0f, 9.0f}) {
    cell_width_ = cell_height_ = size;
    if (Fits(size, size, room_width, room_height, &across_)) return;
  }
  // Whole slices, of which not all are seen.
  if (slices > 1 && rows <= 2 * kMostRows && columns <= 2 * kMostColumns) {
    for (const float size : {13.0f, 11.0f, 9.0f}) {
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

// Text in every cell, however few there are.
void Grid::ChooseNumbers(float text_width, float room_width, float room_height) {
  cell_width_ = text_width;
  cell_height_ = 20;
  if (spec_.columns >= 0) {
    const int64_t columns = Extent(spec_.columns);
    const float narrow = (room_width - label_width_) / static_cast<float>(columns);
    if (narrow < text_width && narrow >= 36) cell_width_ = narrow;
    const int64_t fit = static_cast<int64_t>((room_width - label_width_ - (cell_width_ == narrow ? -1 : 2 * kStrip)) / cell_width_);
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
  for (size_t k = outer_.size(); k-- > 0;) {
    views_[outer_[k]].count = std::clamp<int64_t>(left, 1, std::max<int64_t>(spec_.dims[outer_[k]], 1));
    left /= views_[outer_[k]].count;
  }
  if (outer_.size() > 1) across_ = std::min(across_, views_[outer_.back()].count);
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
    view.first = std::clamp<int64_t>(at, 0, std::max<int64_t>(spec_.dims[d] - view.count, 0));
  }
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
  return TextWidth(spec_.title, Face::kMonoStrong, 13) + (type.empty() ? 0 : 8 + TextWidth(absl::StrCat(type, "]"), Face::kMono, 12));
}

void Grid::DrawHead(Place at, Drawing* drawing) const {
  float x = at.x;
  const float y = at.y + 13;
  drawing->AddText({x, y}, spec_.title, {13, Face::kMonoStrong});
  x += TextWidth(spec_.title, Face::kMonoStrong, 13) + 8;
  const auto add = [&](absl::string_view text, Paint paint) {
    drawing->AddText({x, y}, text, {12, Face::kMono, paint});
    x += TextWidth(text, Face::kMono, 12);
  };
  if (!spec_.type.empty()) {
    add(absl::StrCat(spec_.type, "["), Ink::kTeal);
    for (size_t d = 0; d < spec_.dims.size(); ++d) {
      if (d > 0) add(",", Ink::kDim);
      if (!spec_.axes[d].letter.empty()) add(absl::StrCat(spec_.axes[d].letter, ":"), spec_.axes[d].paint);
      add(absl::StrCat(Told(d)), Ink::kTeal);
    }
    add("]", Ink::kTeal);
  }
  if (!spec_.note.empty()) drawing->AddText({at.x, at.y + kTitleHeight + 11}, spec_.note, {11, Face::kUi, Ink::kDim});
}

float Grid::ScrollLines(Place at, float width, Drawing* drawing) const {
  float x = 0, y = 0;
  for (int d = 0; d < static_cast<int>(spec_.dims.size()); ++d) {
    if (!Shortened(d)) continue;
    const View& view = views_[d];
    const int64_t last = view.first + view.count - 1;
    // The widest that it can be, so that scrolling moves nothing.
    const std::string widest = tr_("$0 $1 of $2", spec_.axes[d].letter, view.count > 1 ? absl::StrCat(Told(d), "-", Told(d)) : absl::StrCat(Told(d)), Told(d));
    const float text_width = TextWidth(widest, Face::kUi, 11) + 4;
    const float buttons_width = live_ ? 56 : 0;
    if (x > 0 && x + text_width + buttons_width > width) {
      x = 0;
      y += kScrollHeight - 2;
    }
    if (drawing != nullptr) {
      const bool told = d == 0 && spec_.told_first >= 0;
      const auto name = [&](int64_t i) { return told ? LabelOf(0, i) : absl::StrCat(i); };
      const std::string text = tr_("$0 $1 of $2", spec_.axes[d].letter, view.count > 1 ? absl::StrCat(name(view.first), "-", name(last)) : name(view.first), Told(d));
      drawing->AddText({at.x + x, at.y + y + 12}, text, {11, Face::kUi, Ink::kDim});
      const struct {
        const char* text;
        int64_t first;
        const char* hint;
      } buttons[] = {{"«", 0, HLO_CAPTION("to the beginning")}, {"‹", view.first - view.count, HLO_CAPTION("back")}, {"›", view.first + view.count, HLO_CAPTION("on")}, {"»", spec_.dims[d], HLO_CAPTION("to the end")}};
      float left = at.x + x + text_width;
      for (const auto& button : buttons) {
        if (!live_) break;
        const bool can = button.first < view.first ? view.first > 0 : last + 1 < spec_.dims[d];
        const Box box{left, at.y + y, 14, 16};
        drawing->AddTextIn(box, button.text, {13, Face::kStrong, can ? Ink::kBlue : Ink::kFaint, Align::kCenter});
        if (can) drawing->AddSpot({box, false, {}, tr_("dimension $0: $1", d, tr_(button.hint)), ScrollAction(d, button.first), "", ""});
        left += 14;
      }
    }
    x += text_width + buttons_width + 10;
  }
  return y + kScrollHeight;
}

void Grid::DrawCell(const GridCell& cell, Box box, Drawing* drawing) const {
  const Box inner{box.x + 0.5f, box.y + 0.5f, box.width - 1, box.height - 1};
  switch (cell.state) {
    case CellState::kAbsent: return;
    case CellState::kHole: drawing->AddHatchedBox(inner, Paint(Ink::kSunken), Paint(Ink::kBorder, 0.6f)); break;
    case CellState::kUnused:
    case CellState::kPadding: drawing->AddHatchedBox(inner, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.6f)); break;
    case CellState::kElement:
    case CellState::kSkipped:
    case CellState::kPartly:
    case CellState::kClamped:
      if (text_mode_) drawing->AddBox(inner, Paint(Ink::kRaised), Paint(Ink::kBorder));
      break;
  }
  if (!cell.tint.none() && text_mode_) drawing->AddBox(inner, cell.tint);
  if (!cell.tint.none() && !text_mode_ && cell.tint.ink != Ink::kExact) drawing->AddBox({box.x, box.bottom() - 3, box.width, 3}, Paint(cell.tint.ink, 1));
  Paint fill, line;
  float width = 1;
  switch (cell.mark) {
    case CellMark::kNone: break;
    case CellMark::kDone: fill = Paint(Ink::kText, 0.08f); break;
    case CellMark::kFocus: fill = Paint(Ink::kTeal, 0.14f), line = Paint(Ink::kTeal, 0.8f); break;
    case CellMark::kRelated: fill = Paint(Ink::kBlue, 0.30f), line = Ink::kBlue, width = 1.5f; break;
    case CellMark::kIndex: fill = Paint(Ink::kViolet, 0.30f), line = Ink::kViolet, width = 1.5f; break;
    case CellMark::kPredicate: fill = Paint(Ink::kOrange, 0.28f), line = Ink::kOrange, width = 1.5f; break;
    case CellMark::kNow: fill = Paint(Ink::kAmber, 0.34f), line = Ink::kAmber, width = 2; break;
    case CellMark::kSelected: fill = Paint(Ink::kBlue, 0.62f), line = Ink::kText, width = 2; break;
  }
  if (!text_mode_ && cell.state == CellState::kElement) {
    fill = Paint();
    if (cell.mark == CellMark::kDone) fill = Paint(Ink::kWindow, 0.45f);
    if (cell.mark == CellMark::kSelected) line = Ink::kAmber, width = 3;
    if (cell.mark == CellMark::kRelated) line = Ink::kText, width = 1.5f;
  }
  if (!fill.none() || !line.none()) drawing->AddBox({inner.x + 0.5f, inner.y + 0.5f, inner.width - 1, inner.height - 1}, fill, line, 0, width);
  // Shapes beside the colours: a corner for indices, a bar for predicates.
  if (cell.mark == CellMark::kIndex) {
    const float s = std::min(6.0f, box.width / 2);
    drawing->AddPolygon({{inner.x, inner.y}, {inner.x + s, inner.y}, {inner.x, inner.y + s}}, Ink::kViolet);
  } else if (cell.mark == CellMark::kPredicate) {
    drawing->AddBox({inner.x, inner.y, inner.width, 2}, Ink::kOrange);
  }
  if (cell.state == CellState::kSkipped) {
    drawing->AddLine({inner.x + 2, inner.y + 2}, {inner.right() - 2, inner.bottom() - 2}, {Paint(Ink::kPink, 0.8f)});
    drawing->AddLine({inner.x + 2, inner.bottom() - 2}, {inner.right() - 2, inner.y + 2}, {Paint(Ink::kPink, 0.8f)});
  } else if (cell.state == CellState::kClamped || cell.state == CellState::kPartly) {
    drawing->AddPath({{inner.x, inner.y}, {inner.right(), inner.y}, {inner.right(), inner.bottom()}, {inner.x, inner.bottom()}, {inner.x, inner.y}},
                     {cell.state == CellState::kClamped ? Ink::kOrange : Ink::kPink, 1.5f, LineKind::kDashed});
  }
  if (text_mode_ && !cell.text.empty()) {
    const bool faint = cell.state == CellState::kPadding || cell.state == CellState::kUnused || cell.state == CellState::kHole || cell.state == CellState::kSkipped;
    Paint paint = faint ? Ink::kDim : Ink::kText;
    if ((cell.is_nan || cell.text == "inf" || cell.text == "-inf") && cell.mark != CellMark::kSelected) paint = Ink::kPink;
    if (cell.tint.ink == Ink::kExact) paint = Paint::Exact(TextOn(cell.tint.rgb));  // a number's own colour, the same in dark and light
    drawing->AddTextIn({inner.x + 1, inner.y, inner.width - 2, inner.height}, cell.text, {kNumberSize, Face::kMono, paint, Align::kCenter});
  }
}

void Grid::DrawSlice(absl::Span<const int64_t> slice, Place at, Drawing* drawing) {
  const View rows = spec_.rows < 0 ? View{0, 1} : views_[spec_.rows], columns = spec_.columns < 0 ? View{0, 1} : views_[spec_.columns];
  const bool more_rows = Shortened(spec_.rows), more_columns = Shortened(spec_.columns);
  float y = at.y;
  if (!outer_.empty()) {
    std::vector<std::string> parts(spec_.dims.size(), ":");
    for (size_t k = 0; k < outer_.size(); ++k) parts[outer_[k]] = LabelOf(outer_[k], slice[k]);
    drawing->AddText({at.x + label_width_, y + 11}, absl::StrCat("[", absl::StrJoin(parts, ","), "]"), {11, Face::kMono, Ink::kDim});
    y += kSliceHead;
  }
  const Box cells{at.x + label_width_ + (more_columns ? kStrip : 0), y + label_height_ + (more_rows ? kStrip : 0), static_cast<float>(columns.count) * cell_width_,
                  static_cast<float>(rows.count) * cell_height_};
  placed_.push_back({{slice.begin(), slice.end()}, cells});
  // Letters in the corner, indices along the edges; of small cells only some.
  if (spec_.columns >= 0) {
    const GridAxis& axis = spec_.axes[spec_.columns];
    drawing->AddText({at.x + label_width_ - 3, y + 10}, axis.letter, {kLabelSize, Face::kStrong, axis.paint, Align::kRight});
    float free_from = cells.x - 100;
    for (int64_t c = 0; c < columns.count; ++c) {
      const std::string label = LabelOf(spec_.columns, columns.first + c);
      const float w = TextWidth(label, Face::kUi, kLabelSize), middle = cells.x + (static_cast<float>(c) + 0.5f) * cell_width_;
      const bool last = c + 1 == columns.count;
      if (middle - w / 2 < free_from || (!text_mode_ && !last && c % 5 != 0)) continue;
      drawing->AddText({middle, y + 10}, label, {kLabelSize, Face::kUi, Ink::kDim, Align::kCenter});
      free_from = middle + w / 2 + 3;
    }
  }
  if (spec_.rows >= 0) {
    const GridAxis& axis = spec_.axes[spec_.rows];
    drawing->AddText({at.x, y + label_height_ + 2}, axis.letter, {kLabelSize, Face::kStrong, axis.paint});
    float free_from = cells.y - 100;
    for (int64_t r = 0; r < rows.count; ++r) {
      const float middle = cells.y + (static_cast<float>(r) + 0.5f) * cell_height_;
      if (middle - 5 < free_from || (!text_mode_ && r + 1 != rows.count && r % 5 != 0)) continue;
      drawing->AddText({at.x + label_width_ - 4, middle + 3.5f}, LabelOf(spec_.rows, rows.first + r), {kLabelSize, Face::kUi, Ink::kDim, Align::kRight});
      free_from = middle + 6;
    }
  }
  std::vector<GridCell> looks;
  for (int64_t r = 0; r < rows.count; ++r) {
    for (int64_t c = 0; c < columns.count; ++c) looks.push_back(spec_.cell(IndexAt(slice, rows.first + r, columns.first + c)));
  }
  if (!text_mode_) {
    drawing->AddBox(cells, Paint(Ink::kSunken), Paint(Ink::kBorder));
    // Cells with gaps between them; where they are many or tiny, one image.
    const bool single = looks.size() <= 700 && cell_width_ > 9;
    DrawnImage image;
    image.box = cells;
    image.width = static_cast<int>(columns.count);
    image.height = static_cast<int>(rows.count);
    for (size_t k = 0; k < looks.size(); ++k) {
      const GridCell& look = looks[k];
      const bool drawn = (look.number || look.is_nan) && look.state != CellState::kAbsent;
      const uint32_t rgb = look.is_nan ? kNanHeat : look.number ? heat_.ColorOf(*look.number) : 0;
      image.pixels.push_back(drawn ? 0xff000000u | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16 : 0);
      const int64_t r = static_cast<int64_t>(k) / columns.count, c = static_cast<int64_t>(k) % columns.count;
      if (single && drawn) {
        drawing->AddBox({cells.x + static_cast<float>(c) * cell_width_ + 0.5f, cells.y + static_cast<float>(r) * cell_height_ + 0.5f, cell_width_ - 1, cell_height_ - 1}, Paint::Exact(rgb));
      }
    }
    if (!single) drawing->AddImage(std::move(image));
  }
  // What stands out is drawn last, so that its edge is whole.
  for (const bool marked : {false, true}) {
    for (int64_t r = 0; r < rows.count; ++r) {
      for (int64_t c = 0; c < columns.count; ++c) {
        const GridCell& look = looks[r * columns.count + c];
        if ((look.mark > CellMark::kDone) != marked) continue;
        const Box box{cells.x + static_cast<float>(c) * cell_width_, cells.y + static_cast<float>(r) * cell_height_, cell_width_, cell_height_};
        DrawCell(look, box, drawing);
        if (look.state != CellState::kAbsent) drawing->AddSpot({box, true, look.cell, look.hint, "", "", ""});
      }
    }
  }
  DrawEdges({cells.x, cells.y}, drawing);
}

// The rest that is not seen, on each side where there is some.
void Grid::DrawEdges(Place at, Drawing* drawing) const {
  for (const int d : {spec_.columns, spec_.rows}) {
    if (!Shortened(d)) continue;
    const View& view = views_[d];
    const float w = static_cast<float>(spec_.columns < 0 ? 1 : views_[spec_.columns].count) * cell_width_;
    const float h = static_cast<float>(spec_.rows < 0 ? 1 : views_[spec_.rows].count) * cell_height_;
    const bool across = d == spec_.columns;
    const auto strip = [&](Box box, int64_t hidden, int64_t first) {
      if (hidden <= 0) return;
      drawing->AddHatchedBox(box, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.35f));
      drawing->AddTextIn(box, "…", {11, Face::kStrong, Ink::kDim, Align::kCenter});
      drawing->AddSpot({box, false, {}, absl::StrCat(tr_("$0 more along dimension $1", hidden, d), live_ ? "\n" : "", !live_ ? "" : across ? tr_("Shift with the wheel, or with PageUp and PageDown") : tr_("The wheel, or PageUp and PageDown")), ScrollAction(d, first), "", ""});
    };
    const Box before = across ? Box{at.x - kStrip, at.y, kStrip - 1, h} : Box{at.x, at.y - kStrip, w, kStrip - 1};
    const Box after = across ? Box{at.x + w + 1, at.y, kStrip - 1, h} : Box{at.x, at.y + h + 1, w, kStrip - 1};
    strip(before, view.first, view.first - view.count);
    strip(after, spec_.dims[d] - view.first - view.count, view.first + view.count);
  }
}

// Which number a colour is: from the smallest that is seen to the largest.
void Grid::DrawScale(Place at, Drawing* drawing) const {
  constexpr int kSteps = 24;
  constexpr float kStep = 4, kHigh = 8;
  const float base = at.y + kScaleHeight - 3;
  float x = at.x;
  const auto say = [&](absl::string_view text) {
    drawing->AddText({x, base}, text, {kLabelSize, Face::kUi, Ink::kDim});
    x += TextWidth(text, Face::kUi, kLabelSize) + 4;
  };
  const auto number = [](double v) { return ShortText(Scalar::Float(ElementType::kF64, v)); };
  if (!heat_.empty()) {
    const double top = std::max(-heat_.low(), heat_.high()), low = heat_.diverging() ? -top : heat_.low(), high = heat_.diverging() ? top : heat_.high();
    const int steps = high > low ? kSteps : 2;
    if (high > low) say(number(low));
    for (int k = 0; k < steps; ++k) drawing->AddBox({x + static_cast<float>(k) * kStep, base - kHigh, kStep, kHigh}, Paint::Exact(heat_.ColorOf(low + (high - low) * (k + 0.5) / steps)));
    x += static_cast<float>(steps) * kStep + 4;
    say(number(high));
  }
  if (any_nan_) {
    drawing->AddBox({x + 4, base - kHigh, kHigh, kHigh}, Paint::Exact(kNanHeat));
    x += kHigh + 8;
    say("nan");
  }
}

void Grid::Draw(Place at, Drawing* drawing) {
  placed_.clear();
  DrawHead(at, drawing);
  float y = at.y + head_height_;
  if (empty_) {
    const Box box{at.x, y, 100, 26};
    drawing->AddHatchedBox(box, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.4f));
    drawing->AddTextIn(box, tr_("no elements"), {11, Face::kUi, Ink::kDim, Align::kCenter});
    body_ = box;
    return;
  }
  if (scroll_height_ > 0) ScrollLines({at.x, y}, width_, drawing);
  y += scroll_height_;
  const int64_t rows = spec_.rows < 0 ? 1 : views_[spec_.rows].count, columns = spec_.columns < 0 ? 1 : views_[spec_.columns].count;
  int64_t slices = 1;
  for (int d : outer_) slices *= views_[d].count;
  const float w = SliceWidth(cell_width_, columns) + kSliceGap, h = SliceHeight(cell_height_, rows) + kSliceGap;
  const auto each_slice = [&](const auto& f) {
    std::vector<int64_t> slice;
    for (int d : outer_) slice.push_back(views_[d].first);
    for (int64_t s = 0; s < slices; ++s) {
      f(slice, s);
      for (size_t k = outer_.size(); k-- > 0;) {
        if (++slice[k] < views_[outer_[k]].first + views_[outer_[k]].count) break;
        slice[k] = views_[outer_[k]].first;
      }
    }
  };
  if (!text_mode_) {  // one scale for all slices
    heat_ = HeatScale();
    any_nan_ = false;
    const int64_t r0 = spec_.rows < 0 ? 0 : views_[spec_.rows].first, c0 = spec_.columns < 0 ? 0 : views_[spec_.columns].first;
    each_slice([&](const std::vector<int64_t>& slice, int64_t) {
      for (int64_t k = 0; k < rows * columns; ++k) {
        const GridCell cell = spec_.cell(IndexAt(slice, r0 + k / columns, c0 + k % columns));
        if (cell.number) heat_.Take(*cell.number);
        any_nan_ = any_nan_ || cell.is_nan;
      }
    });
  }
  each_slice([&](const std::vector<int64_t>& slice, int64_t s) { DrawSlice(slice, {at.x + static_cast<float>(s % across_) * w, y + static_cast<float>(s / across_) * h}, drawing); });
  if (!text_mode_) DrawScale({at.x + label_width_, at.y + height_ - kScaleHeight}, drawing);
  if (scroll_height_ > 0) {
    Roll roll{.box = {at.x, at.y, width_, height_}, .option = absl::StrCat("window:", spec_.array)};
    for (const View& view : views_) {
      roll.first.push_back(view.first);
      roll.count.push_back(view.count);
    }
    roll.size = spec_.dims;
    // The wheel goes down the rows; where all are seen, through the slices.
    std::vector<int> hidden;
    for (const int d : outer_) {
      if (Shortened(d)) hidden.insert(hidden.begin(), d);
    }
    roll.down = Shortened(spec_.rows) ? spec_.rows : !hidden.empty() ? hidden.front() : -1;
    roll.across = Shortened(spec_.columns) ? spec_.columns : -1;
    if (roll.across < 0) {
      for (const int d : hidden) roll.across = d != roll.down && roll.across < 0 ? d : roll.across;
    }
    drawing->AddRoll(std::move(roll));
  }
  body_ = placed_.front().cells;
  for (const Placed& p : placed_) {
    const float right = std::max(body_.right(), p.cells.right()), bottom = std::max(body_.bottom(), p.cells.bottom());
    body_ = {std::min(body_.x, p.cells.x), std::min(body_.y, p.cells.y), 0, 0};
    body_.width = right - body_.x;
    body_.height = bottom - body_.y;
  }
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
