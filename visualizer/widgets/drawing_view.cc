#include "visualizer/widgets/drawing_view.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <set>
#include <string>
#include <tuple>
#include <utility>
#include <variant>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "imgui_internal.h"
#include "visualizer/canvas/palette.h"
#include "visualizer/canvas/shapes.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/glyph_atlas.h"
#include "visualizer/widgets/tags.h"
#include "visualizer/widgets/theme.h"

namespace hloscope::ui {
namespace {

constexpr size_t kMostWaiting = 400;
constexpr double kRest = 0.6;  // seconds

ImU32 ColorOfPaint(const Paint& paint) {
  const uint32_t rgb = paint.ink == Ink::kExact ? paint.rgb : ColorOf(paint.ink, TheLook().scheme == Scheme::kDark ? PaletteScheme::kDark : PaletteScheme::kLight);
  const auto alpha = static_cast<uint32_t>(std::lround(std::clamp(paint.strength, 0.0f, 1.0f) * 255));
  return (rgb >> 16 & 0xff) | (rgb & 0xff00) | (rgb & 0xff) << 16 | alpha << 24;
}

// Texts wait until something else lies over them: a drawing's letters then are a few calls of the device instead of thousands.
class Painter {
 public:
  Painter(ImDrawList* list, ImVec2 at, float scale, std::map<size_t, std::unique_ptr<Raster>>* images)
      : list_(list), at_(at), scale_(scale), images_(images), clip_min_(list->GetClipRectMin()), clip_max_(list->GetClipRectMax()) {}

  void Draw(const Drawing& drawing) {
    for (size_t i = 0; i < drawing.items().size(); ++i) {
      item_ = i;
      std::visit([this](const auto& it) { Put(it); }, drawing.items()[i]);
    }
    FlushTexts();
    for (; open_clips_ > 0; --open_clips_) list_->PopClipRect();
  }

 private:
  ImVec2 At(Place p) const { return {at_.x + p.x * scale_, at_.y + p.y * scale_}; }
  float Thick(float width) const { return std::max(1.0f, width * scale_); }
  bool Seen(ImVec2 min, ImVec2 max) const { return max.x >= clip_min_.x && min.x <= clip_max_.x && max.y >= clip_min_.y && min.y <= clip_max_.y; }

  void Put(const DrawnBox& it) {
    const Box box = SnapBox(it.box, it.line.none() ? 0 : it.line_width, scale_);
    const ImVec2 min = At({box.x, box.y}), max = At({box.right(), box.bottom()});
    if (!Seen(min, max)) return;
    Uncover(min, max);
    const float radius = it.radius * scale_;
    if (!it.fill.none()) list_->AddRectFilled(min, max, ColorOfPaint(it.fill), radius);
    if (it.line.none()) return;
    const ImU32 color = ColorOfPaint(it.line);
    if (it.hatched) {
      list_->PushClipRect(min, max, true);
      const float step = kHatchStep * std::sqrt(2.0f) * scale_, x0 = min.x - at_.x, y0 = min.y - at_.y, x1 = max.x - at_.x, y1 = max.y - at_.y;
      for (float k = std::ceil((x0 + y0) / step) * step; k < x1 + y1; k += step) list_->AddLine({at_.x + k - y0, min.y}, {at_.x + k - y1, max.y}, color, Thick(1));
      list_->PopClipRect();
    }
    // ImGui's own rectangle lies half a pixel inside of its edges.
    const ImVec2 low = {min.x - 0.5f, min.y - 0.5f}, high = {max.x + 0.5f, max.y + 0.5f};
    list_->AddRect(low, high, color, radius, 0, Thick(it.line_width));
  }

  void Put(const DrawnLine& it) {
    DrawnLine line = it;
    line.points = SnapLine(it, scale_);
    const std::optional<ArrowHead> head = it.style.arrow ? HeadOf(line.points, it.style.width) : std::nullopt;
    if (head.has_value()) line.points.back() = head->line_end;
    std::vector<ImVec2> points;
    ImVec2 min = {1e9f, 1e9f}, max = {-1e9f, -1e9f};
    for (const Place& p : Flatten(line, scale_)) {
      points.push_back(At(p));
      min = {std::min(min.x, points.back().x), std::min(min.y, points.back().y)};
      max = {std::max(max.x, points.back().x), std::max(max.y, points.back().y)};
    }
    const float edge = Thick(it.style.width) + 8 * scale_;
    min = {min.x - edge, min.y - edge};
    max = {max.x + edge, max.y + edge};
    if (!Seen(min, max)) return;
    Uncover(min, max);
    const int count = static_cast<int>(points.size());
    if (it.closed && !it.fill.none()) list_->AddConvexPolyFilled(points.data(), count, ColorOfPaint(it.fill));
    if (!it.style.paint.none()) {
      const ImU32 color = ColorOfPaint(it.style.paint);
      if (it.style.kind == LineKind::kSolid) list_->AddPolyline(points.data(), count, color, it.closed ? ImDrawFlags_Closed : 0, Thick(it.style.width));
      else Dashes(points, it.style, color);
    }
    if (head.has_value()) list_->AddTriangleFilled(At(head->tip), At(head->left), At(head->right), ColorOfPaint(it.style.paint));
  }

  void Dashes(const std::vector<ImVec2>& points, const LineStyle& style, ImU32 color) {
    const bool dots = style.kind == LineKind::kDotted;
    const float on = (dots ? 0 : 4) * scale_, off = 3 * scale_, thick = Thick(style.width);
    float at = 0;
    for (size_t i = 1; i < points.size(); ++i) {
      const ImVec2 a = points[i - 1], b = points[i];
      const float length = std::hypot(b.x - a.x, b.y - a.y);
      if (length <= 0) continue;
      const auto along = [&](float t) { return ImVec2(a.x + (b.x - a.x) * t / length, a.y + (b.y - a.y) * t / length); };
      float t = 0;
      while (t < length) {
        const float phase = std::fmod(at + t, on + off);
        if (dots) {
          const float next = phase == 0 ? t : t + (on + off - phase);
          if (next >= length) break;
          list_->AddCircleFilled(along(next), thick / 2 + 0.2f, color, 8);
          t = next + 0.01f;
        } else if (phase < on) {
          const float end = std::min(length, t + on - phase);
          list_->AddLine(along(t), along(end), color, thick);
          t = end + 0.001f;
        } else {
          t += on + off - phase + 0.001f;
        }
      }
      at += length;
    }
  }

  void Put(const DrawnText& it) {
    const float width = TextWidth(it.text, it.style.face, it.style.size);
    const float left = it.style.align == Align::kLeft ? it.at.x : it.style.align == Align::kRight ? it.at.x - width : it.at.x - width / 2;
    const ImVec2 min = At({left, it.at.y - TextAscent(it.style.face, it.style.size)}), max = At({left + width, it.at.y + TextDescent(it.style.face, it.style.size)});
    if (!Seen(min, max)) return;
    if (waiting_.size() >= kMostWaiting) FlushTexts();
    waiting_.push_back({&it, At({left, it.at.y}), min, max});
    if (waiting_.size() == 1) {
      low_ = min;
      high_ = max;
    } else {
      low_ = {std::min(low_.x, min.x), std::min(low_.y, min.y)};
      high_ = {std::max(high_.x, max.x), std::max(high_.y, max.y)};
    }
  }

  void Put(const DrawnImage& it) {
    const ImVec2 min = At({it.box.x, it.box.y}), max = At({it.box.right(), it.box.bottom()});
    if (images_ == nullptr || !Seen(min, max)) return;
    Uncover(min, max);
    std::unique_ptr<Raster>& raster = (*images_)[item_];
    if (raster == nullptr) {
      raster = std::make_unique<Raster>();
      raster->Set(it.width, it.height, it.pixels);
    }
    raster->Draw(list_, {std::round(min.x), std::round(min.y)}, {std::round(max.x), std::round(max.y)});
  }

  void Put(const DrawnClip& it) {
    FlushTexts();
    if (it.end) {
      if (open_clips_ == 0) return;
      --open_clips_;
      list_->PopClipRect();
    } else {
      list_->PushClipRect(At({it.box.x, it.box.y}), At({it.box.right(), it.box.bottom()}), true);
      ++open_clips_;
    }
    clip_min_ = list_->GetClipRectMin();
    clip_max_ = list_->GetClipRectMax();
  }

  // What lies in this rectangle is drawn before it is covered.
  void Uncover(ImVec2 min, ImVec2 max) {
    const auto apart = [&](ImVec2 low, ImVec2 high) { return high.x <= min.x || low.x >= max.x || high.y <= min.y || low.y >= max.y; };
    if (waiting_.empty() || apart(low_, high_)) return;
    // Grids are drawn row by row: the last texts are the near ones.
    for (auto text = waiting_.rbegin(); text != waiting_.rend(); ++text) {
      if (!apart(text->min, text->max)) return FlushTexts();
    }
  }

  void FlushTexts() {
    for (const Waiting& text : waiting_) {
      const TextStyle& style = text.text->style;
      DrawGlyphs(list_, text.at.x, text.at.y, style.size * scale_, style.face, ColorOfPaint(style.paint), text.text->text);
    }
    waiting_.clear();
  }

  struct Waiting {
    const DrawnText* text;
    ImVec2 at, min, max;
  };
  ImDrawList* list_;
  ImVec2 at_;
  float scale_;
  std::map<size_t, std::unique_ptr<Raster>>* images_;
  ImVec2 clip_min_, clip_max_, low_, high_;
  std::vector<Waiting> waiting_;
  size_t item_ = 0;
  int open_clips_ = 0;
};

absl::string_view KindOf(absl::string_view text) { return text.substr(0, text.find(':')); }
absl::string_view RestOf(absl::string_view text) {
  const size_t colon = text.find(':');
  return colon == absl::string_view::npos ? absl::string_view() : text.substr(colon + 1);
}

// Boxes and texts as they can be compared.
using Shown = std::tuple<float, float, float, float, std::string>;
std::string TextOf(const Paint& paint) { return absl::StrCat(static_cast<int>(paint.ink), ",", paint.strength, ",", paint.rgb); }
std::optional<Shown> ShownOf(const Drawn& item) {
  if (const auto* box = std::get_if<DrawnBox>(&item)) {
    return Shown(box->box.x, box->box.y, box->box.width, box->box.height, absl::StrCat(TextOf(box->fill), ";", TextOf(box->line), ";", box->line_width, ";", box->hatched));
  }
  if (const auto* text = std::get_if<DrawnText>(&item)) return Shown(text->at.x, text->at.y, 0, 0, absl::StrCat(text->text, ";", TextOf(text->style.paint)));
  return std::nullopt;
}

void Unite(const Box& box, std::optional<Box>* all) {
  if (!all->has_value()) {
    *all = box;
    return;
  }
  const float x = std::min((*all)->x, box.x), y = std::min((*all)->y, box.y);
  *all = Box{x, y, std::max((*all)->right(), box.right()) - x, std::max((*all)->bottom(), box.bottom()) - y};
}

// How far a window scrolls that sees [from, to], so that it sees [low, high]; of what is larger the beginning.
float Beyond(float low, float high, float from, float to) {
  if (high - low > to - from || low < from) return low - from;
  return std::max(0.0f, high - to);
}

constexpr float kAbove = 36, kBelow = 8;  // what stands over cells (a title, indices), and a little air

}  // namespace

void DrawDrawing(ImDrawList* list, const Drawing& drawing, ImVec2 at, float scale, std::map<size_t, std::unique_ptr<Raster>>* images) {
  Painter(list, {std::round(at.x), std::round(at.y)}, scale, images).Draw(drawing);
  UploadGlyphs();
}

// The array under the mouse; where that is at its end, or there is none, what the drawing stands in.
std::string DrawingView::Wheel(Place place) const {
  const ImGuiIO& io = ImGui::GetIO();
  const bool turned = io.KeyShift && io.MouseWheelH == 0;
  const float down = turned ? 0 : io.MouseWheel, across = turned ? io.MouseWheel : io.MouseWheelH;
  if (down == 0 && across == 0) return "";
  for (const Roll& roll : shown_->rolls()) {
    if (!roll.box.Has(place)) continue;
    const int only = roll.down >= 0 ? roll.down : roll.across;  // an array of one row
    const int d = down != 0 ? only : roll.across;
    if (d < 0) continue;
    const int64_t some = std::max<int64_t>(1, roll.count[d] / 4);
    if (std::string action = RollAction(roll, d, (down != 0 ? down : across) > 0 ? -some : some); !action.empty()) return action;
  }
  if (down != 0) ImGui::SetScrollY(ImGui::GetScrollY() - down * 5 * ImGui::GetTextLineHeight());
  if (across != 0) ImGui::SetScrollX(ImGui::GetScrollX() - across * 2 * ImGui::GetTextLineHeight());
  return "";
}

bool DrawingView::HasRoom(const Box& box) const { return box.height * scale_ <= ImGui::GetCurrentWindow()->InnerRect.GetHeight(); }

void DrawingView::ScrollTo(const Box& box) const {
  const ImRect seen = ImGui::GetCurrentWindow()->InnerRect;
  const Box airy{box.x, std::max(0.0f, box.y - kAbove), box.width, box.height + kAbove + kBelow};
  const Box& wanted = HasRoom(box) && !HasRoom(airy) ? box : airy;
  const float down = Beyond(at_.y + wanted.y * scale_, at_.y + wanted.bottom() * scale_, seen.Min.y, seen.Max.y);
  const float across = Beyond(at_.x + wanted.x * scale_, at_.x + wanted.right() * scale_, seen.Min.x, seen.Max.x);
  if (down != 0) ImGui::SetScrollY(std::max(0.0f, ImGui::GetScrollY() + down));
  if (across != 0 && ImGui::GetScrollMaxX() > 0) ImGui::SetScrollX(std::max(0.0f, ImGui::GetScrollX() + across));
  if (down != 0 || across != 0) WantFrame();
}

void DrawingView::ScrollToChange() const {
  if (shown_ == nullptr || before_ == nullptr) return;
  std::set<Shown> old;
  for (const Drawn& item : before_->items()) {
    if (std::optional<Shown> shown = ShownOf(item)) old.insert(*std::move(shown));
  }
  const auto of_cell = [&](const Box& box) {
    return std::any_of(shown_->spots().begin(), shown_->spots().end(), [&](const Spot& spot) { return spot.is_cell && (spot.box.Has(box.middle()) || box.Has(spot.box.middle())); });
  };
  std::optional<Box> cells, texts;
  for (const Drawn& item : shown_->items()) {
    const std::optional<Shown> shown = ShownOf(item);
    if (!shown.has_value() || old.contains(*shown)) continue;
    if (const auto* box = std::get_if<DrawnBox>(&item)) {
      if (of_cell(box->box)) Unite(box->box, &cells);
    } else if (const auto* text = std::get_if<DrawnText>(&item); !of_cell({text->at.x, text->at.y - 1, 2, 2})) {
      Unite({text->at.x, text->at.y - TextAscent(text->style.face, text->style.size), 1, TextAscent(text->style.face, text->style.size) + TextDescent(text->style.face, text->style.size)}, &texts);
    }
  }
  if (!cells.has_value()) return;
  std::optional<Box> both = cells;
  if (texts.has_value()) Unite({cells->x, texts->y, cells->width, texts->height}, &both);
  ScrollTo(HasRoom(*both) ? *both : *cells);
}

void DrawingView::ScrollToCell(const Cell& cell) const {
  if (shown_ == nullptr) return;
  for (const Spot& spot : shown_->spots()) {
    if (spot.is_cell && spot.cell == cell) return ScrollTo(spot.box);
  }
}

DrawingEvents DrawingView::Show(absl::string_view name, std::shared_ptr<const Drawing> drawing, float zoom) {
  DrawingEvents events;
  if (drawing == nullptr) return events;
  if (shown_ != drawing) {
    images_.clear();
    before_ = std::exchange(shown_, std::move(drawing));
  }
  const float scale = TheLook().scale * zoom;
  const ImVec2 cursor = ImGui::GetCursorScreenPos();
  const ImVec2 at = {std::round(cursor.x), std::round(cursor.y)};
  const ImVec2 size = {std::max(1.0f, std::ceil(shown_->whole_width() * scale)), std::max(1.0f, std::ceil(shown_->whole_height() * scale))};
  at_ = at;
  scale_ = scale;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool pressed = ImGui::InvisibleButton(std::string(name).c_str(), size);
  Tag(name);
  const bool over = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem);
  const bool wheel_is_ours = over && !shown_->rolls().empty();
  if (wheel_is_ours) ImGui::SetItemUsingMouseWheel();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const Place place = {(mouse.x - at.x) / scale, (mouse.y - at.y) / scale};
  const Spot* spot = over ? shown_->SpotAt(place) : nullptr;
  const auto screen = [&](const Box& box) { return std::pair<ImVec2, ImVec2>({at.x + box.x * scale, at.y + box.y * scale}, {at.x + box.right() * scale, at.y + box.bottom() * scale}); };

  for (const Roll& roll : shown_->rolls()) {
    if (events.roll == nullptr || (over && roll.box.Has(place))) events.roll = &roll;
  }
  if (wheel_is_ours) events.action = Wheel(place);

  DrawDrawing(list, *shown_, at, scale, &images_);

  if (TheTags().on) {
    const TagScope scope(name);
    for (const Spot& s : shown_->spots()) {
      const auto [min, max] = screen(s.box);
      if (s.is_cell) Tag(absl::StrCat("cell:", s.cell.array, ":", absl::StrJoin(s.cell.index, ",")), min, max);
      if (!s.action.empty()) Tag(absl::StrCat("action:", s.action), min, max);
      if (!s.drag.empty()) Tag(absl::StrCat("drag:", s.drag), min, max);
      if (!s.drop.empty()) Tag(absl::StrCat("drop:", s.drop), min, max);
    }
  }

  // Carrying.
  if (ImGui::IsItemActivated() && spot != nullptr && !spot->drag.empty()) {
    carried_ = spot->drag;
    carried_box_ = spot->box;
    carried_from_ = mouse;
    moved_ = false;
  }
  if (!carried_.empty()) {
    moved_ |= std::hypot(mouse.x - carried_from_.x, mouse.y - carried_from_.y) > Px(4);
    const Spot* target = nullptr;
    for (const Spot& other : shown_->spots()) {
      if (!other.drop.empty() && KindOf(other.drop) == KindOf(carried_) && other.box.Has(place)) target = &other;
    }
    if (moved_) {
      events.dragging = true;
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      const auto [min, max] = screen(carried_box_);
      const ImVec2 by = {mouse.x - carried_from_.x, mouse.y - carried_from_.y};
      if (target != nullptr) {
        const auto [low, high] = screen(target->box);
        list->AddRectFilled(low, high, Colors().blue_fill, Px(3));
        list->AddRect(low, high, Colors().blue, Px(3), 0, Px(2));
      }
      list->AddRectFilled({min.x + by.x, min.y + by.y}, {max.x + by.x, max.y + by.y}, Fade(Colors().blue, 0.25f), Px(3));
      list->AddRect({min.x + by.x, min.y + by.y}, {max.x + by.x, max.y + by.y}, Colors().blue, Px(3), 0, Px(1));
      WantFrame();
    }
    if (!ImGui::IsMouseDown(ImGuiMouseButton_Left)) {
      if (moved_ && target != nullptr) events.action = absl::StrReplaceAll(RestOf(target->drop), {{"$", RestOf(carried_)}});
      const bool was_moved = moved_;
      carried_.clear();
      if (was_moved) return events;
    }
  }
  if (events.dragging) return events;
  events.hovered = spot;
  if (spot != nullptr && (!spot->action.empty() || !spot->drag.empty())) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  // A hint waits until the mouse rests: pictures light up what it says already.
  const bool same = spot != nullptr && rested_.x == spot->box.x && rested_.y == spot->box.y;
  if (!same) {
    rested_ = spot != nullptr ? spot->box : Box{-1, -1};
    rested_since_ = ImGui::GetTime();
  }
  if (spot != nullptr && !spot->hint.empty()) {
    if (ImGui::GetTime() - rested_since_ > kRest) Tooltip(spot->hint);
    else WantFrame();
  }
  if (pressed) {
    events.clicked = spot;
    events.clicked_empty = spot == nullptr;
    if (spot != nullptr) events.action = spot->action;
  }
  return events;
}

}  // namespace hloscope::ui
