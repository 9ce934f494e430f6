#include "visualizer/canvas/drawing.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "visualizer/canvas/typeface.h"

namespace hloscope {
namespace {

constexpr float kLineHeight = 1.45f;  // of paragraphs, in ems
constexpr char kEllipsis[] = "…";
constexpr float kSlack = 0.01f;  // of sums of widths

Box Common(const Box& a, const Box& b) {
  const float x = std::max(a.x, b.x), y = std::max(a.y, b.y);
  return {x, y, std::max(0.0f, std::min(a.right(), b.right()) - x), std::max(0.0f, std::min(a.bottom(), b.bottom()) - y)};
}

// The longest beginning that fits with an ellipsis behind it; "" where not one letter does.
std::string CutToWidth(absl::string_view text, float width, const TextStyle& style) {
  const float room = width - TextWidth(kEllipsis, style.face, style.size);
  float used = 0;
  absl::string_view rest = text;
  size_t kept = 0;
  while (!rest.empty()) {
    used += Advance(style.face, TakeCharacter(rest)) * style.size;
    if (used > room) break;
    kept = text.size() - rest.size();
  }
  while (kept > 0 && text[kept - 1] == ' ') --kept;
  return kept == 0 ? "" : absl::StrCat(text.substr(0, kept), kEllipsis);
}

}  // namespace

void Drawing::Cover(float right, float bottom) {
  if (!clips_.empty()) {
    right = std::min(right, clips_.back().right());
    bottom = std::min(bottom, clips_.back().bottom());
  }
  width_ = std::max(width_, right);
  height_ = std::max(height_, bottom);
}

void Drawing::SetSize(float width, float height) {
  width_ = std::max(width_, width);
  height_ = std::max(height_, height);
}

void Drawing::AddBox(Box box, Paint fill, Paint line, float radius, float line_width) {
  const float over = line.none() ? 0 : line_width / 2;
  Cover(box.right() + over, box.bottom() + over);
  items_.emplace_back(DrawnBox{box, fill, line, line_width, radius, false});
}

void Drawing::AddHatchedBox(Box box, Paint fill, Paint line, float radius) {
  Cover(box.right() + 0.5f, box.bottom() + 0.5f);
  items_.emplace_back(DrawnBox{box, fill, line, 1, radius, true});
}

void Drawing::AddLine(Place from, Place to, LineStyle style) { AddPath({from, to}, style); }

void Drawing::AddPath(std::vector<Place> points, LineStyle style, bool curve) {
  if (points.size() < 2) return;
  for (const Place& p : points) Cover(p.x + style.width / 2, p.y + style.width / 2);
  items_.emplace_back(DrawnLine{std::move(points), style, curve, false, {}});
}

void Drawing::AddPolygon(std::vector<Place> points, Paint fill, LineStyle line) {
  if (points.size() < 3) return;
  const float over = line.paint.none() ? 0 : line.width / 2;
  for (const Place& p : points) Cover(p.x + over, p.y + over);
  items_.emplace_back(DrawnLine{std::move(points), line, false, true, fill});
}

void Drawing::AddText(Place at, absl::string_view text, TextStyle style) {
  if (text.empty()) return;
  const float width = TextWidth(text, style.face, style.size);
  const float left = style.align == Align::kLeft ? at.x : style.align == Align::kRight ? at.x - width : at.x - width / 2;
  Cover(left + width, at.y + TextDescent(style.face, style.size));
  items_.emplace_back(DrawnText{at, std::string(text), style});
}

void Drawing::AddCutText(Place at, float width, absl::string_view text, TextStyle style) {
  if (TextWidth(text, style.face, style.size) <= width + kSlack) return AddText(at, text, style);
  AddText(at, CutToWidth(text, width, style), style);
}

void Drawing::AddTextIn(Box box, absl::string_view text, TextStyle style) {
  std::string cut;
  if (TextWidth(text, style.face, style.size) > box.width + kSlack) {
    cut = CutToWidth(text, box.width, style);
    text = cut;
  }
  style.align = Align::kCenter;
  AddText({box.x + box.width / 2, box.y + box.height / 2 + CapHeight(style.face) * style.size / 2}, text, style);
}

float Drawing::AddParagraph(Place at, float width, absl::string_view text, TextStyle style) {
  const float step = style.size * kLineHeight;
  float y = at.y;
  const float x = style.align == Align::kLeft ? at.x : style.align == Align::kRight ? at.x + width : at.x + width / 2;
  const auto put = [&](absl::string_view line) {
    AddText({x, y + (step + CapHeight(style.face) * style.size) / 2}, line, style);
    y += step;
  };
  for (absl::string_view part : absl::StrSplit(text, '\n')) {
    std::string line;
    for (absl::string_view word : absl::StrSplit(part, ' ')) {
      std::string longer = line.empty() ? std::string(word) : absl::StrCat(line, " ", word);
      if (!line.empty() && TextWidth(longer, style.face, style.size) > width + kSlack) {
        put(line);
        longer = std::string(word);
      }
      line = std::move(longer);
    }
    put(line);
  }
  Cover(at.x, y);
  return y - at.y;
}

void Drawing::AddImage(DrawnImage image) {
  Cover(image.box.right(), image.box.bottom());
  items_.emplace_back(std::move(image));
}

void Drawing::BeginClip(Box box) {
  items_.emplace_back(DrawnClip{box, false});
  clips_.push_back(clips_.empty() ? box : Common(clips_.back(), box));
}

void Drawing::EndClip() {
  if (clips_.empty()) return;
  items_.emplace_back(DrawnClip{{}, true});
  clips_.pop_back();
}

void Drawing::AddSpot(Spot spot) {
  // What cannot be seen cannot be found.
  if (!clips_.empty()) spot.box = Common(spot.box, clips_.back());
  if (spot.box.width > 0 && spot.box.height > 0) spots_.push_back(std::move(spot));
}

void Drawing::AddRoll(Roll roll) {
  if (!clips_.empty()) roll.box = Common(roll.box, clips_.back());
  if (roll.box.width > 0 && roll.box.height > 0) rolls_.push_back(std::move(roll));
}

std::string RollAction(const Roll& roll, int dimension, int64_t by) {
  if (dimension < 0 || dimension >= static_cast<int>(roll.first.size())) return "";
  std::vector<int64_t> first = roll.first;
  first[dimension] = std::clamp<int64_t>(first[dimension] + by, 0, std::max<int64_t>(roll.size[dimension] - roll.count[dimension], 0));
  return first == roll.first ? "" : absl::StrCat(roll.option, "=", absl::StrJoin(first, ","));
}

void Drawing::Append(const Drawing& other, float dx, float dy) {
  const auto move = [&](Place& p) {
    p.x += dx;
    p.y += dy;
  };
  const auto move_box = [&](Box& b) {
    b.x += dx;
    b.y += dy;
  };
  Cover(other.width_ + dx, other.height_ + dy);
  for (Drawn item : other.items_) {
    if (auto* box = std::get_if<DrawnBox>(&item)) move_box(box->box);
    if (auto* line = std::get_if<DrawnLine>(&item)) std::for_each(line->points.begin(), line->points.end(), move);
    if (auto* text = std::get_if<DrawnText>(&item)) move(text->at);
    if (auto* image = std::get_if<DrawnImage>(&item)) move_box(image->box);
    if (auto* clip = std::get_if<DrawnClip>(&item)) move_box(clip->box);
    items_.push_back(std::move(item));
  }
  for (Spot spot : other.spots_) {
    move_box(spot.box);
    AddSpot(std::move(spot));
  }
  for (Roll roll : other.rolls_) {
    move_box(roll.box);
    AddRoll(std::move(roll));
  }
}

const Spot* Drawing::SpotAt(Place at) const {
  for (auto spot = spots_.rbegin(); spot != spots_.rend(); ++spot) {
    if (spot->box.Has(at)) return &*spot;
  }
  return nullptr;
}

size_t BeginOfNameEnd(absl::string_view name) {
  constexpr size_t kMost = 14, kLetters = 4;
  const size_t index = !name.empty() && name.back() == ']' ? name.rfind('[') : name.size();
  const size_t dot = name.rfind('.', index == absl::string_view::npos || index == 0 ? 0 : index - 1);
  if (dot != absl::string_view::npos && dot > 0 && name.size() - dot <= kMost) return dot;
  if (index != absl::string_view::npos && index < name.size() && name.size() - index <= kMost) return index;
  size_t begin = name.size() - std::min(kLetters, name.size());
  while (begin > 0 && begin < name.size() && (static_cast<unsigned char>(name[begin]) & 0xc0) == 0x80) --begin;
  return begin;
}

std::string NameIn(float width, absl::string_view name, Face face, float size) {
  if (TextWidth(name, face, size) <= width + kSlack) return std::string(name);
  const absl::string_view end = name.substr(BeginOfNameEnd(name));
  const std::string head = CutToWidth(name.substr(0, name.size() - end.size()), width - TextWidth(end, face, size), {size, face});
  return head.empty() ? CutToWidth(name, width, {size, face}) : absl::StrCat(head, end);
}

}  // namespace hloscope
