#include "visualizer/pictures/memory_strip.h"

#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "visualizer/pictures/window_buttons.h"

namespace hloscope {
namespace {

constexpr float kCell = 26, kNumber = 15, kRowGap = 5, kHead = 20;
constexpr int64_t kMostRows = 6;
constexpr float kTextSize = 11, kPlaceSize = 9.5f;

std::string OptionOf(int number) { return absl::StrCat("memory:", number); }

}  // namespace

MemoryStrip::MemoryStrip(StripSpec spec, const PictureSelection& selection, float width) : spec_(std::move(spec)), tr_(selection.captions), live_(selection.live) {
  // As wide as the numbers need that are looked at, or those of the beginning.
  float widest = 0;
  const int64_t begin = std::clamp<int64_t>(spec_.focus.value_or(0) - 32, 0, std::max<int64_t>(spec_.count - 64, 0));
  for (int64_t place = begin; place < std::min<int64_t>(spec_.count, begin + 64); ++place) widest = std::max(widest, TextWidth(spec_.cell(place).text, Face::kMono, kTextSize));
  // ... and the place numbers under them.
  const float places = TextWidth(absl::StrCat(std::max<int64_t>(spec_.count - 1, 0)), Face::kMono, kPlaceSize) + 5;
  cell_width_ = std::clamp(std::max(widest + 9, places), 28.0f, 84.0f);
  group_gap_ = spec_.group > 1 && spec_.group < spec_.count ? 8 : 0;
  columns_ = std::max<int64_t>(1, static_cast<int64_t>(width / cell_width_));
  if (group_gap_ > 0) {
    // Whole groups in a row, where one fits.
    const float group = cell_width_ * static_cast<float>(spec_.group) + group_gap_;
    const auto fit = static_cast<int64_t>((width + group_gap_) / group);
    if (fit >= 1) columns_ = fit * spec_.group;
    else group_gap_ = 0;
  }
  if (const int64_t whole = spec_.line > 1 ? columns_ / spec_.line * spec_.line : 0;
      group_gap_ == 0 && whole * 4 >= columns_ * 3 && spec_.count > columns_)
    columns_ = whole;
  columns_ = std::min(columns_, std::max<int64_t>(spec_.count, 1));
  rows_ = (spec_.count + columns_ - 1) / columns_;
  cut_ = rows_ > kMostRows;
  rows_ = std::clamp<int64_t>(rows_, 1, kMostRows);
  shown_ = std::min(spec_.count, rows_ * columns_);
  int64_t wanted = 0;
  if (const auto moved = selection.options.find(OptionOf(spec_.number)); moved != selection.options.end() && absl::SimpleAtoi(moved->second, &wanted)) {
    first_ = wanted;
  } else if (spec_.focus.has_value() && *spec_.focus >= shown_) {
    first_ = *spec_.focus - shown_ / 2;
  }
  first_ = std::clamp<int64_t>(first_ / columns_ * columns_, 0, std::max<int64_t>(0, (spec_.count - shown_ + columns_ - 1) / columns_ * columns_));
  height_ = (cut_ ? kHead : 0) + static_cast<float>(rows_) * (kCell + kNumber) + static_cast<float>(rows_ - 1) * kRowGap;
}

float MemoryStrip::XOf(int64_t column) const {
  return at_.x + static_cast<float>(column) * cell_width_ + (group_gap_ > 0 ? static_cast<float>(column / spec_.group) * group_gap_ : 0);
}

std::optional<Box> MemoryStrip::BoxOf(int64_t place) const {
  if (place < first_ || place >= std::min(first_ + shown_, spec_.count)) return std::nullopt;
  const int64_t k = place - first_;
  return Box{XOf(k % columns_), at_.y + static_cast<float>(k / columns_) * (kCell + kNumber + kRowGap), cell_width_, kCell};
}

float MemoryStrip::bottom() const { return at_.y + static_cast<float>(rows_) * (kCell + kNumber) + static_cast<float>(rows_ - 1) * kRowGap; }

// Which part of a long memory is seen, and buttons that move it.
void MemoryStrip::DrawNote(Place at, Drawing* drawing) const {
  const int64_t last = std::min(first_ + shown_, spec_.count) - 1;
  const std::string text = tr_("places $0 to $1 of $2", first_, last, spec_.count);
  drawing->AddText({at.x, at.y + 12}, text, {11, Face::kUi, Ink::kDim});
  const float x = at.x + TextWidth(text, Face::kUi, 11) + 8;
  if (live_) DrawWindowButtons({x, at.y}, first_, last + 1 - first_, spec_.count, OptionOf(spec_.number), tr_, drawing);
}

void MemoryStrip::Draw(Place at, Drawing* drawing) {
  at_ = at;
  if (cut_) {
    DrawNote(spec_.note_below ? Place{at.x, at.y + height_ - kHead + 4} : at, drawing);
    if (!spec_.note_below) at_.y += kHead;
    drawing->AddRoll({.box = {at.x, at_.y, static_cast<float>(columns_) * cell_width_, height_ - kHead},
                      .option = OptionOf(spec_.number),
                      .first = {first_},
                      .count = {shown_},
                      .size = {spec_.count},
                      .down = 0});
  }
  const int64_t end = std::min(first_ + shown_, spec_.count);
  // What stands out is drawn last, so that its edge is whole.
  for (const bool marked : {false, true}) {
    for (int64_t place = first_; place < end; ++place) {
      const StripCell cell = spec_.cell(place);
      if ((cell.mark > CellMark::kDone) != marked) continue;
      const Box box = *BoxOf(place);
      if (cell.padding) drawing->AddHatchedBox(box, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.6f));
      else drawing->AddBox(box, cell.tint.none() ? Paint(Ink::kRaised) : cell.tint, Paint(Ink::kBorder));
      Paint fill, line;
      float width = 1;
      if (cell.mark == CellMark::kDone) fill = Paint(Ink::kText, 0.10f);
      if (cell.mark == CellMark::kNow) fill = Paint(Ink::kAmber, 0.34f), line = Ink::kAmber, width = 2;
      if (cell.mark == CellMark::kSelected) fill = Paint(Ink::kBlue, 0.5f), line = Ink::kBlue, width = 2;
      if (!fill.none()) drawing->AddBox(box, fill, line, 0, width);
      drawing->AddTextIn({box.x + 2, box.y, box.width - 4, box.height}, cell.text, {kTextSize, cell.mark == CellMark::kSelected ? Face::kMonoStrong : Face::kMono, cell.padding ? Ink::kDim : Ink::kText});
      const bool hot = cell.mark == CellMark::kSelected || cell.mark == CellMark::kNow;
      const Paint number = cell.mark == CellMark::kNow ? Ink::kAmber : hot ? Ink::kBlue : Ink::kFaint;
      drawing->AddText({box.x + box.width / 2, box.bottom() + 11}, absl::StrCat(place), {kPlaceSize, hot ? Face::kMonoStrong : Face::kMono, number, Align::kCenter});
      drawing->AddSpot({.box = {box.x, box.y, box.width, kCell + kNumber}, .is_cell = true, .cell = cell.cell, .hint = cell.hint});
    }
  }
}

}  // namespace hloscope
