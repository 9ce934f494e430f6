// How a grid is drawn: head, lines that scroll, cells, edges, the scale of colours. What is seen and how large is chosen in grid.cc.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/literal/place_in_range.h"
#include "visualizer/pictures/grid.h"

namespace hloscope {
void Grid::DrawHead(Place at, Drawing* drawing) const {
  float x = at.x;
  const float y = at.y + 13;
  drawing->AddText({x, y}, title_, {13, Face::kMonoStrong});
  const float title = TextWidth(title_, Face::kMonoStrong, 13);
  if (title_ != spec_.title) drawing->AddSpot({{x, at.y, title, kTitleHeight}, false, {}, spec_.title, "", "", ""});
  x += title + 8;
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

// Which indices along the dimension are seen, by their names where some have none.
std::string Grid::SeenText(int dim) const {
  const auto d = static_cast<size_t>(dim);
  const View& view = views_[d];
  if (d < spec_.named.size()) {
    int64_t first = view.first, last = view.first + view.count - 1;
    while (first < last && LabelOf(dim, first) == kBetween) ++first;
    while (last > first && LabelOf(dim, last) == kBetween) --last;
    const std::string begin = LabelOf(dim, first), end = LabelOf(dim, last);
    return begin == end ? begin : absl::StrCat(begin, "-", end);
  }
  const bool told = d == 0 && spec_.told_first >= 0;
  const auto name = [&](int64_t i) { return told ? LabelOf(0, i) : absl::StrCat(i); };
  return view.count > 1 ? absl::StrCat(name(view.first), "-", name(view.first + view.count - 1)) : name(view.first);
}

float Grid::ScrollLines(Place at, float width, Drawing* drawing, float* used) const {
  float x = 0, y = 0;
  for (int d = 0; d < static_cast<int>(spec_.dims.size()); ++d) {
    if (!Shortened(d)) continue;
    const View& view = views_[d];
    const int64_t last = view.first + view.count - 1;
    // The widest that it can be, so that scrolling moves nothing.
    const auto say = [&](const std::string& seen, int64_t whole) {
      return spec_.axes[d].letter.empty() ? tr_("$0 of $1", seen, whole) : tr_("$0 $1 of $2", spec_.axes[d].letter, seen, whole);
    };
    const std::string widest = say(view.count > 1 ? absl::StrCat(Told(d), "-", Told(d)) : absl::StrCat(Told(d)), Told(d));
    const float text_width = TextWidth(widest, Face::kUi, 11) + 4;
    const float buttons_width = live_ ? 56 : 0;
    if (x > 0 && x + text_width + buttons_width > width) {
      x = 0;
      y += kScrollHeight - 2;
    }
    if (drawing != nullptr) {
      const std::string text = say(SeenText(d), static_cast<size_t>(d) < spec_.named.size() ? spec_.named[static_cast<size_t>(d)] : Told(d));
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
    if (used != nullptr) *used = std::max(*used, x - 10);
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
  if (text_mode_ && (!cell.text.empty() || cell.value)) {
    const bool faint = cell.state == CellState::kPadding || cell.state == CellState::kUnused || cell.state == CellState::kHole || cell.state == CellState::kSkipped;
    Paint paint = faint ? Ink::kDim : Ink::kText;
    if ((cell.is_nan || (cell.number && std::isinf(*cell.number))) && cell.mark != CellMark::kSelected) paint = Ink::kPink;
    if (cell.tint.ink == Ink::kExact) paint = Paint::Exact(TextOn(cell.tint.rgb));  // a number's own colour, the same in dark and light
    // With fewer digits rather than cut: a number without its end is another number.
    const float room = box.width - kCellBorders;
    const auto letters = static_cast<size_t>((room + 0.5f) / TextWidth("0", Face::kMono, number_size_));
    const std::string text = !cell.text.empty() ? cell.text : NumberTextIn(*cell.value, style_, letters);
    drawing->AddTextIn({inner.x + 1, inner.y, room, inner.height}, text, {number_size_, Face::kMono, paint, Align::kCenter});
  }
}

void Grid::DrawSlice(absl::Span<const int64_t> slice, Place at, Drawing* drawing) {
  const View rows = spec_.rows < 0 ? View{0, 1} : views_[spec_.rows], columns = spec_.columns < 0 ? View{0, 1} : views_[spec_.columns];
  const bool more_rows = Shortened(spec_.rows), more_columns = Shortened(spec_.columns);
  float y = at.y;
  if (!outer_.empty()) {
    drawing->AddText({at.x + label_width_, y + 11}, SliceTitle(slice), {11, Face::kMono, Ink::kDim});
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
    const std::vector<std::string> ticks = TicksOf(spec_.columns);
    for (size_t c = 0; c < ticks.size(); ++c) {
      const float w = TextWidth(ticks[c], Face::kUi, kLabelSize), middle = cells.x + (static_cast<float>(c) + 0.5f) * cell_width_;
      if (ticks[c].empty() || middle - w / 2 < free_from) continue;
      drawing->AddText({middle, y + 10}, ticks[c], {kLabelSize, Face::kUi, Ink::kDim, Align::kCenter});
      free_from = middle + w / 2 + 3;
    }
  }
  if (spec_.rows >= 0) {
    const GridAxis& axis = spec_.axes[spec_.rows];
    drawing->AddText({at.x, y + (spec_.tagged ? 12 : label_height_ + 2)}, axis.letter, {kLabelSize, Face::kStrong, axis.paint});
    float free_from = cells.y - 100;
    const std::vector<std::string> ticks = TicksOf(spec_.rows);
    for (size_t r = 0; r < ticks.size(); ++r) {
      const float middle = cells.y + (static_cast<float>(r) + 0.5f) * cell_height_;
      if (ticks[r].empty() || middle - 5 < free_from) continue;
      drawing->AddText({at.x + label_width_ - 4, middle + 3.5f}, ticks[r], {kLabelSize, Face::kUi, Ink::kDim, Align::kRight});
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
      const int64_t r = static_cast<int64_t>(k) / columns.count, c = static_cast<int64_t>(k) % columns.count;
      const std::vector<int64_t> index = IndexAt(slice, rows.first + r, columns.first + c);
      const bool drawn = (look.number || look.is_nan) && look.state != CellState::kAbsent;
      const uint32_t rgb = look.is_nan ? kNanHeat : look.number ? heat_[ScaleOf(index)].ColorOf(*look.number) : 0;
      image.pixels.push_back(drawn ? 0xff000000u | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16 : 0);
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

namespace {

std::string ScaleNumber(double v) { return ShortText(Scalar::Float(ElementType::kF64, v)); }
// From the smallest number that is seen to the largest; where there are both signs, to both sides of 0.
std::pair<double, double> EndsOf(const HeatScale& heat) {
  const double top = std::max(-heat.low(), heat.high());
  return heat.diverging() ? std::pair(-top, top) : std::pair(heat.low(), heat.high());
}
constexpr float kScaleGap = 4, kNanBox = 8;

}  // namespace

std::vector<std::pair<const char*, uint32_t>> Grid::ColoursOfTheirOwn() const {
  std::vector<std::pair<const char*, uint32_t>> colours;
  if (any_minus_inf_) colours.emplace_back("-inf", kMinusInfHeat);
  if (any_plus_inf_) colours.emplace_back("inf", kPlusInfHeat);
  if (any_nan_) colours.emplace_back("nan", kNanHeat);
  return colours;
}

float Grid::ScaleNumbersWidth() const {
  float widest = 0, names = 0;
  const auto width = [](absl::string_view text) { return TextWidth(text, Face::kUi, kLabelSize) + kScaleGap; };
  for (size_t k = 0; k < heat_.size(); ++k) {
    if (spec_.scale_dim >= 0) names = std::max(names, width(LabelOf(spec_.scale_dim, static_cast<int64_t>(k))) + kScaleGap);
    if (heat_[k].empty()) continue;
    const auto [low, high] = EndsOf(heat_[k]);
    widest = std::max(widest, (high > low ? width(ScaleNumber(low)) : 0) + width(ScaleNumber(high)) + kScaleGap);
  }
  for (const auto& [name, colour] : ColoursOfTheirOwn()) widest += width(name) + kNanBox + 2 * kScaleGap;
  return names + widest;
}

// Which number a colour is.
float Grid::DrawScales(Place at, Drawing* drawing) const {
  constexpr int kSteps = 24;
  const float step = std::clamp((width_ - label_width_ - ScaleNumbersWidth()) / kSteps, 1.0f, 4.0f);
  float right = at.x;
  for (size_t k = 0; k < heat_.size(); ++k) {
    const HeatScale& heat = heat_[k];
    const float base = at.y + static_cast<float>(k + 1) * kScaleHeight - 3;
    float x = at.x;
    const auto say = [&](absl::string_view text) {
      if (drawing != nullptr) drawing->AddText({x, base}, text, {kLabelSize, Face::kUi, Ink::kDim});
      x += TextWidth(text, Face::kUi, kLabelSize) + kScaleGap;
    };
    if (spec_.scale_dim >= 0) {
      say(LabelOf(spec_.scale_dim, static_cast<int64_t>(k)));
      x += kScaleGap;
    }
    if (!heat.empty()) {
      const auto [low, high] = EndsOf(heat);
      const int steps = high > low ? kSteps : 2;
      if (high > low) say(ScaleNumber(low));
      for (int n = 0; n < steps && drawing != nullptr; ++n) drawing->AddBox({x + static_cast<float>(n) * step, base - kNanBox, step, kNanBox}, Paint::Exact(heat.ColorOf(NumberInRange(low, high, n + 0.5, steps))));
      x += static_cast<float>(steps) * step + kScaleGap;
      say(ScaleNumber(high));
    }
    right = std::max(right, x);
    if (k + 1 < heat_.size()) continue;
    for (const auto& [name, colour] : ColoursOfTheirOwn()) {
      x += kScaleGap;
      if (drawing != nullptr) drawing->AddBox({x, base - kNanBox, kNanBox, kNanBox}, Paint::Exact(colour));
      x += kNanBox + kScaleGap;
      say(name);
    }
    right = std::max(right, x);
  }
  return right;
}

void Grid::Draw(Place at, Drawing* drawing) {
  placed_.clear();
  const float head = spec_.head_under && !empty_ ? at.y + height_ - head_height_ - scroll_height_ : at.y;
  DrawHead({at.x, head}, drawing);
  head_ = {at.x, head, title_width(), head_height_};
  if (!spec_.note.empty()) head_.width = std::max(head_.width, TextWidth(spec_.note, Face::kUi, 11));
  float y = at.y + head_height_;
  if (empty_) {
    const Box box{at.x, y, 100, 26};
    drawing->AddHatchedBox(box, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.4f));
    drawing->AddTextIn(box, tr_("no elements"), {11, Face::kUi, Ink::kDim, Align::kCenter});
    body_ = box;
    return;
  }
  if (scroll_height_ > 0) {
    ScrollLines({at.x, head + head_height_}, width_, drawing);
    head_.width = std::max(head_.width, width_);
    head_.height += scroll_height_;
  }
  y = spec_.head_under ? at.y : y + scroll_height_;
  const int64_t rows = spec_.rows < 0 ? 1 : views_[spec_.rows].count, columns = spec_.columns < 0 ? 1 : views_[spec_.columns].count;
  const float w = SliceWidth(cell_width_, columns) + kSliceGap, h = SliceHeight(cell_height_, rows) + kSliceGap;
  EachSlice([&](const std::vector<int64_t>& slice, int64_t s) {
    DrawSlice(slice, {at.x + static_cast<float>(s % across_) * w, y + static_cast<float>(s / across_) * h}, drawing);
    return true;
  });
  foot_ = {};
  if (!text_mode_ && !heat_.empty()) {
    const float tall = static_cast<float>(heat_.size()) * kScaleHeight;
    const float under = spec_.head_under ? head_height_ + scroll_height_ : 0;
    const Place scales = scales_beside_ > 0 ? Place{at.x + scales_beside_, head} : Place{at.x + label_width_, at.y + height_ - tall - under};
    const float right = DrawScales(scales, drawing);
    if (scales_beside_ <= 0) foot_ = {scales.x, scales.y, right - scales.x, tall};
  }
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

}  // namespace hloscope
