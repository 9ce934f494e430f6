#include "visualizer/panels/graph_view.h"

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/letters.h"

namespace hloscope {
namespace {

constexpr double kGlide = 0.14;      // seconds
constexpr float kLabelsFrom = 0.68f;  // zoom: smaller labels cannot be read
constexpr float kLabelSize = 0.92f;   // of the small letters
constexpr size_t kMostLitLabels = 10;
constexpr int kPieces = 16;           // straight ones of a curve that one may point at

float Scale() { return ui::TheLook().scale; }

bool Apart(ImVec2 min, ImVec2 max, ImVec2 min2, ImVec2 max2) { return max.x < min2.x || min.x > max2.x || max.y < min2.y || min.y > max2.y; }

// Text in another size than the font's own, cut with an ellipsis at `width`; of a name the end stays. Returns what it took.
float TextAt(ImDrawList* list, ImFont* font, float zoom, ImVec2 at, float width, ImU32 color, absl::string_view text, bool name = false) {
  const float size = font->FontSize * zoom;
  if (size < 5 || width < size * 0.4f || text.empty()) return 0;
  std::string kept;
  text = ui::Spelled(font, text, kept);
  const auto measure = [&](absl::string_view t) { return font->CalcTextSizeA(size, FLT_MAX, 0, t.data(), t.data() + t.size()).x; };
  // At zoom 1 letters stand on whole pixels.
  if (zoom > 0.99f && zoom < 1.01f) at = {std::floor(at.x), std::floor(at.y)};
  const float whole = measure(text);
  if (whole <= width + 0.5f) {
    list->AddText(font, size, at, color, text.data(), text.data() + text.size());
    return whole;
  }
  const float dots = measure("\u2026");
  if (dots > width) return 0;
  absl::string_view end = text.substr(name ? BeginOfNameEnd(text) : text.size());  // never null, which ImGui takes for a text that a zero ends
  if (measure(end) + dots >= width) end = end.substr(end.size());
  text.remove_suffix(end.size());
  width -= measure(end);
  size_t keep = static_cast<size_t>(static_cast<float>(text.size()) * std::max(0.0f, width - dots) / whole);
  while (keep > 0 && (measure(text.substr(0, keep)) + dots > width || (static_cast<unsigned char>(text[keep]) & 0xc0) == 0x80)) --keep;
  const std::string cut = absl::StrCat(text.substr(0, keep), "\u2026", end);
  list->AddText(font, size, at, color, cut.c_str());
  return measure(cut);
}

// What the whole text takes.
float WidthAt(ImFont* font, float zoom, absl::string_view text) {
  if (text.empty()) return 0;
  std::string kept;
  text = ui::Spelled(font, text, kept);
  return font->CalcTextSizeA(font->FontSize * zoom, FLT_MAX, 0, text.data(), text.data() + text.size()).x;
}

// Dashes along a straight line, those in view only.
void Dashes(ImDrawList* list, ImVec2 a, ImVec2 b, ImVec2 min, ImVec2 max, ImU32 color) {
  const bool across = a.y == b.y;
  float from = across ? a.x : a.y, to = across ? b.x : b.y;
  const float low = across ? min.x : min.y, high = across ? max.x : max.y, beside = across ? a.y : a.x;
  if (beside < (across ? min.y : min.x) || beside > (across ? max.y : max.x)) return;
  const float dash = ui::Px(5), step = ui::Px(9);
  if (from < low) from += std::floor((low - from) / step) * step;
  to = std::min(to, high);
  for (float at = from; at < to; at += step) {
    const float end = std::min(at + dash, to);
    list->AddLine(across ? ImVec2(at, beside) : ImVec2(beside, at), across ? ImVec2(end, beside) : ImVec2(beside, end), color, 1);
  }
}

void DrawClusterGround(ImDrawList* list, const GraphCamera& camera, const SceneBox& box, bool lit, bool stop) {
  const ui::Palette& c = ui::Colors();
  const ImVec2 a = camera.ToScreen(box.x, box.y), b = camera.ToScreen(box.x + box.width, box.y + box.height);
  if (Apart(a, b, camera.min(), camera.max())) return;
  list->AddRectFilled(a, b, ui::Fade(c.raised, box.depth % 2 == 1 ? 0.22f : 0.3f), std::min(6 * camera.unit(), ui::Px(8)));
  const ImU32 line = stop ? c.amber : lit ? c.blue : ui::Mix(c.border, c.faint, 0.45f);
  const float x0 = std::floor(a.x) + 0.5f, y0 = std::floor(a.y) + 0.5f, x1 = std::floor(b.x) + 0.5f, y1 = std::floor(b.y) + 0.5f;
  Dashes(list, {x0, y0}, {x1, y0}, camera.min(), camera.max(), line);
  Dashes(list, {x0, y1}, {x1, y1}, camera.min(), camera.max(), line);
  Dashes(list, {x0, y0}, {x0, y1}, camera.min(), camera.max(), line);
  Dashes(list, {x1, y0}, {x1, y1}, camera.min(), camera.max(), line);
}

// Over the arrows that come in: on a ground of its own. It stays in view while some of the box's band is.
void DrawClusterTitle(ImDrawList* list, const GraphCamera& camera, const SceneBox& box, const CardTint& tint, bool lit) {
  const ui::Palette& c = ui::Colors();
  const float zoom = camera.zoom(), unit = camera.unit(), icon = 12 * unit;
  const ImVec2 a = camera.ToScreen(box.x, box.y), b = camera.ToScreen(box.x + box.width, box.y + kSceneTitle);
  if (Apart(a, b, camera.min(), camera.max()) || ui::Type().small->FontSize * zoom < 5) return;
  ImVec2 at = {std::max(a.x, camera.min().x) + 10 * unit, a.y + 7 * unit};
  if (b.x - at.x < 40 * unit) at.x = a.x + 10 * unit;
  const auto width_of = [&](const std::string& text) { return WidthAt(ui::Type().mono_small, zoom, text); };
  const float room = b.x - at.x - 25 * unit, title = WidthAt(ui::Type().small, zoom, box.title);
  // Where not both fit, the measure that was asked for. A number is whole or not there.
  std::string beside = absl::StrCat(box.detail, box.detail.empty() || tint.note.empty() ? "" : "  ", tint.note);
  if (!tint.note.empty() && title + 7 * unit + width_of(beside) > room) beside = tint.note;
  const float more = width_of(beside);
  const bool whole = more > 0 && title + 7 * unit + more <= room;
  const float width = 17 * unit + std::min(room, title + (whole ? 7 * unit + more : 0));
  list->AddRectFilled({at.x - 5 * unit, a.y + 4 * unit}, {at.x + width + 5 * unit, b.y - 5 * unit}, ui::Mix(c.panel, c.raised, 0.5f), 4 * unit);
  list->AddRectFilled({at.x - 5 * unit, a.y + 7 * unit}, {at.x - 5 * unit + std::max(1.5f, 3 * unit), b.y - 8 * unit}, tint.bar, 1.5f * unit);
  if (icon >= 4) ui::DrawIcon(list, ui::Icon::kChevronDown, at, icon, lit ? c.blue : c.dim);
  at.x += 17 * unit;
  const float used = TextAt(list, ui::Type().small, zoom, at, room, lit ? c.blue : c.dim, box.title, true);
  if (whole) TextAt(list, ui::Type().mono_small, zoom, {at.x + used + 7 * unit, at.y}, more + unit, c.faint, beside);
}

void DrawCard(ImDrawList* list, const GraphCamera& camera, const SceneBox& box, const CardTint& tint, const GraphLights& lights, int index) {
  const ui::Palette& c = ui::Colors();
  const ImVec2 a = camera.ToScreen(box.x, box.y), b = camera.ToScreen(box.x + box.width, box.y + box.height);
  const float zoom = camera.zoom(), unit = camera.unit(), round = std::min(5 * unit, ui::Px(6)), bar = std::max(2.0f, 4 * unit);
  const bool stop = lights.stop == index, selected = lights.selected == index, hovered = lights.hovered == index, sliced = lights.slice.contains(index);
  const bool found = lights.found.contains(index), on_path = lights.path.contains(index);
  // What is folded away stands behind, as a second card.
  if (box.expandable && box.instruction == nullptr) {
    const float off = 3 * unit;
    list->AddRectFilled({a.x + off, a.y + off}, {b.x + off, b.y + off}, ui::Mix(c.panel, c.raised, 0.7f), round);
    list->AddRect({a.x + off, a.y + off}, {b.x + off, b.y + off}, c.border, round);
  }
  list->AddRectFilled(a, b, hovered ? c.hover : c.raised, round);
  if (stop) list->AddRectFilled(a, b, c.amber_fill, round);
  if (sliced || on_path) list->AddRectFilled(a, b, c.blue_fill, round);
  ImU32 line = ui::Mix(c.border, c.faint, 0.25f);
  float thick = 1;
  if (lights.between.contains(index)) line = ui::Fade(c.blue, 0.45f);
  if (found || sliced || on_path) line = ui::Fade(c.blue, 0.7f);
  if (hovered) line = c.dim;
  if (selected) line = c.blue, thick = ui::Px(2);
  if (stop) line = c.amber, thick = ui::Px(2);
  list->AddRect(a, b, line, round, 0, thick);
  const float inset = thick > 1 ? thick * 0.5f : 0;
  list->AddRectFilled({a.x + inset, a.y + inset}, {a.x + inset + bar, b.y - inset}, tint.bar, std::min(round, bar), ImDrawFlags_RoundCornersLeft);
  if (stop && selected) list->AddRect({a.x - ui::Px(3), a.y - ui::Px(3)}, {b.x + ui::Px(3), b.y + ui::Px(3)}, ui::Fade(c.blue, 0.7f), round + ui::Px(2), 0, 1);
  if (const auto point = lights.breakpoints.find(index); point != lights.breakpoints.end()) {
    const float r = std::max(3.0f, 5 * unit);
    const ImVec2 at = {a.x + bar / 2, a.y};
    list->AddCircleFilled(at, r + 1.5f, c.panel);
    if (point->second) list->AddCircleFilled(at, r, c.red);
    if (!point->second) list->AddCircle(at, r, c.red, 0, 1.5f);
  }
  if (ui::Type().mono_small->FontSize * zoom < 5) return;
  ImVec2 at = {a.x + bar + 9 * unit, a.y + (box.below.empty() ? 5 : 6) * unit};
  float room = b.x - at.x - 8 * unit;
  if (box.expandable) {
    const float icon = 11 * unit;
    ui::DrawIcon(list, ui::Icon::kChevronRight, {b.x - icon - 6 * unit, a.y + 8 * unit}, icon, hovered ? c.text : c.faint);
    room -= 14 * unit;
  }
  // The number of instructions goes before a long title.
  const float counted = box.instruction == nullptr ? WidthAt(ui::Type().mono_small, zoom, box.detail) + 7 * unit : 0;
  const float used = TextAt(list, ui::Type().ui, zoom, at, std::max(room - counted, std::min(room, 60 * unit)), c.text, box.title, true);
  // A note that stands beside the title is whole or not there: the colour says it too, and the tip.
  const bool noted = box.below.empty() && !tint.note.empty() && WidthAt(ui::Type().mono_small, zoom, tint.note) <= room - used - 6 * unit + 0.5f;
  TextAt(list, ui::Type().mono_small, zoom, {at.x + used + 6 * unit, at.y + 2 * unit}, room - used - 6 * unit, c.faint, noted ? tint.note : box.detail, box.instruction != nullptr);
  // Arrows that are drawn only while one points at it.
  if (box.more_out > 2 && zoom > 0.55f) TextAt(list, ui::Type().mono_small, zoom * 0.92f, {a.x + 4 * unit, b.y + 1 * unit}, 80 * unit, hovered || selected ? c.blue : c.faint, absl::StrCat("+", box.more_out, " \u2193"));
  if (box.more_in > 2 && zoom > 0.55f) TextAt(list, ui::Type().mono_small, zoom * 0.92f, {a.x + 4 * unit, a.y - 13 * unit}, 80 * unit, hovered || selected ? c.blue : c.faint, absl::StrCat("+", box.more_in, " \u2193"));
  if (box.below.empty()) return;
  const std::string& below = tint.note.empty() ? box.below : tint.note;
  TextAt(list, ui::Type().mono_small, zoom, {at.x, a.y + 25 * unit}, b.x - at.x - 6 * unit, box.instruction != nullptr && tint.note.empty() ? c.teal : c.dim, below);
}

void DrawArrow(ImDrawList* list, const GraphCamera& camera, const SceneArrow& arrow, ImU32 color, float more) {
  const float unit = camera.unit();
  const float weight = arrow.bytes <= 0 ? 0 : std::clamp(static_cast<float>(std::log2(1.0 + static_cast<double>(arrow.bytes) / 1024) / 9), 0.0f, 2.2f);
  const float thick = std::max(1.0f, (0.9f + weight + more) * std::min(1.3f * Scale(), std::sqrt(unit)));
  ImVec2 from = camera.ToScreen(arrow.curve[0].x, arrow.curve[0].y);
  ImVec2 before = from;
  list->PathClear();
  list->PathLineTo(from);
  for (size_t k = 1; k + 2 < arrow.curve.size(); k += 3) {
    const ImVec2 p1 = camera.ToScreen(arrow.curve[k].x, arrow.curve[k].y), p2 = camera.ToScreen(arrow.curve[k + 1].x, arrow.curve[k + 1].y),
                 p3 = camera.ToScreen(arrow.curve[k + 2].x, arrow.curve[k + 2].y);
    const float reach = std::abs(p3.x - from.x) + std::abs(p3.y - from.y) + std::abs(p2.x - p1.x);
    const int pieces = reach < 12 ? 2 : std::clamp(static_cast<int>(reach / 14), 5, 24);
    // Straight ones need no pieces.
    const bool straight = std::abs(p3.x - from.x) < 1 && std::abs(p1.x - from.x) < 1 && std::abs(p2.x - from.x) < 1;
    list->PathBezierCubicCurveTo(p1, p2, p3, straight ? 1 : pieces);
    before = p2;
    from = p3;
  }
  list->PathStroke(color, 0, thick);
  if (unit < 0.35f) return;
  const float dx = from.x - before.x, dy = from.y - before.y, length = std::sqrt(dx * dx + dy * dy);
  if (length < 0.5f) return;
  const float head = (3.5f + thick) * std::min(1.0f, unit / Scale()) * Scale(), ux = dx / length, uy = dy / length;
  list->AddTriangleFilled(from, {from.x - ux * head * 1.6f - uy * head * 0.7f, from.y - uy * head * 1.6f + ux * head * 0.7f},
                          {from.x - ux * head * 1.6f + uy * head * 0.7f, from.y - uy * head * 1.6f - ux * head * 0.7f}, color);
}

// How wide its label is in the scene.
float LabelWidth(const GraphCamera& camera, const SceneArrow& arrow) { return WidthAt(ui::Type().mono_small, camera.zoom() * kLabelSize, arrow.label) / camera.unit() + 8; }

Area LabelArea(const GraphCamera& camera, const SceneArrow& arrow, Point at) {
  const float width = LabelWidth(camera, arrow);
  return {at.x - width / 2, at.y - kLabelHeight / 2, at.x + width / 2, at.y + kLabelHeight / 2};
}

void DrawLabel(ImDrawList* list, const GraphCamera& camera, const SceneArrow& arrow, Point middle, bool lit) {
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().mono_small;
  const float zoom = camera.zoom() * kLabelSize, width = WidthAt(font, zoom, arrow.label), height = font->FontSize * zoom, pad = 3 * camera.unit();
  const ImVec2 at = camera.ToScreen(middle.x, middle.y), min = {at.x - width / 2, at.y - height / 2}, max = {at.x + width / 2, at.y + height / 2};
  if (Apart(min, max, camera.min(), camera.max())) return;
  list->AddRectFilled({min.x - pad, min.y - 1}, {max.x + pad, max.y + 1}, ui::Fade(c.panel, 0.85f), ui::Px(3));
  list->AddText(font, height, {std::floor(min.x), std::floor(min.y)}, lit ? c.blue : c.faint, arrow.label.c_str());
}

// Of arrows that are lit all labels that have room, also those that are not there else: what the layout has placed, then what finds a place in view
// that nothing covers. What finds none is told where one points at the arrow.
void DrawLitLabels(ImDrawList* list, const GraphCamera& camera, const Scene& scene, const std::vector<const SceneArrow*>& lit, std::vector<Area> taken) {
  const auto draw = [&](const SceneArrow& arrow, Point at) {
    taken.push_back(LabelArea(camera, arrow, at));
    DrawLabel(list, camera, arrow, at, true);
  };
  for (const SceneArrow* arrow : lit) {
    if (arrow->labelled) draw(*arrow, arrow->label_at);
  }
  if (lit.size() > kMostLitLabels) return;
  const Point low = camera.ToScene(camera.min()), high = camera.ToScene(camera.max());
  for (const SceneArrow* arrow : lit) {
    if (arrow->labelled || arrow->label.empty()) continue;
    if (const std::optional<Point> at = RoomForLabel(scene, *arrow, LabelWidth(camera, *arrow), taken, {low.x, low.y, high.x, high.y})) draw(*arrow, *at);
  }
}

}  // namespace

// -- Camera --
float GraphCamera::unit() const { return zoom_ * Scale(); }

ImVec2 GraphCamera::ToScreen(float x, float y) const { return {(min_.x + max_.x) / 2 + (x - at_.x) * unit(), (min_.y + max_.y) / 2 + (y - at_.y) * unit()}; }

Point GraphCamera::ToScene(ImVec2 at) const { return {at_.x + (at.x - (min_.x + max_.x) / 2) / unit(), at_.y + (at.y - (min_.y + max_.y) / 2) / unit()}; }

GraphCamera GraphCamera::Arrived() const {
  GraphCamera there = *this;
  if (gliding_) {
    there.at_ = goal_;
    there.zoom_ = goal_zoom_;
    there.gliding_ = false;
  }
  return there;
}

void GraphCamera::Follow(Point moved) {
  for (Point* p : {&at_, &from_, &goal_}) *p = {p->x + moved.x, p->y + moved.y};
}

void GraphCamera::Pan(ImVec2 pixels) {
  gliding_ = false;
  by_hand_ = true;
  at_.x -= pixels.x / unit();
  at_.y -= pixels.y / unit();
}

void GraphCamera::Zoom(float factor, ImVec2 at) {
  gliding_ = false;
  by_hand_ = true;
  const Point fixed = ToScene(at);
  zoom_ = std::clamp(zoom_ * factor, kLeast, kMost);
  // Near 1 letters are crispest.
  if (std::abs(zoom_ - 1) < 0.04f) zoom_ = 1;
  const Point now = ToScene(at);
  at_.x += fixed.x - now.x;
  at_.y += fixed.y - now.y;
}

void GraphCamera::KeepInView(float width, float height) {
  const auto keep = [](float at, float view, float size) {
    const float least = std::min(size / 2, view / 3);
    return std::clamp(at, least - view / 2, size - least + view / 2);
  };
  at_ = {keep(at_.x, (max_.x - min_.x) / unit(), width), keep(at_.y, (max_.y - min_.y) / unit(), height)};
}

void GraphCamera::Look(Point at, float zoom, bool glide) {
  zoom = std::clamp(zoom, kLeast, kMost);
  by_hand_ = false;
  if (!glide || !ui::TheLook().motion) {
    at_ = at;
    zoom_ = zoom;
    gliding_ = false;
    return;
  }
  gliding_ = true;
  glide_since_ = ImGui::GetTime();
  from_ = at_;
  from_zoom_ = zoom_;
  goal_ = at;
  goal_zoom_ = zoom;
}

void GraphCamera::Fit(float left, float top, float width, float height, float most, bool glide) {
  const float margin = 24;
  const float zoom = std::min({(max_.x - min_.x) / Scale() / (width + 2 * margin), (max_.y - min_.y) / Scale() / (height + 2 * margin), most});
  Look({left + width / 2, top + height / 2}, zoom, glide);
}

void GraphCamera::Frame() {
  if (!gliding_) return;
  float t = static_cast<float>(std::min(1.0, (ImGui::GetTime() - glide_since_) / kGlide));
  if (t >= 1) gliding_ = false;
  t = t * t * (3 - 2 * t);
  at_ = {from_.x + (goal_.x - from_.x) * t, from_.y + (goal_.y - from_.y) * t};
  zoom_ = from_zoom_ + (goal_zoom_ - from_zoom_) * t;
  ui::WantFrame();
}

// -- Drawing --
int DrawScene(ImDrawList* list, const GraphCamera& camera, const Scene& scene, const std::vector<CardTint>& tints, const GraphLights& lights) {
  const ui::Palette& c = ui::Colors();
  const auto each_cluster = [&](const auto& draw) {
    for (size_t k = 0; k < scene.boxes.size(); ++k) {
      const int index = static_cast<int>(k);
      if (scene.boxes[k].expanded && scene.boxes[k].parent >= 0) draw(index, lights.selected == index || lights.hovered == index);
    }
  };
  each_cluster([&](int k, bool lit) { DrawClusterGround(list, camera, scene.boxes[k], lit, lights.stop == k); });
  std::vector<const SceneArrow*> lit, drawn;
  const ImU32 plain = ui::Mix(c.border, c.faint, 0.75f);
  const Point low = camera.ToScene(camera.min()), high = camera.ToScene(camera.max());
  const SceneArrow* hovered = lights.arrow >= 0 && lights.arrow < static_cast<int>(scene.arrows.size()) ? &scene.arrows[static_cast<size_t>(lights.arrow)] : nullptr;
  for (const SceneArrow& arrow : scene.arrows) {
    if (arrow.right < low.x || arrow.left > high.x || arrow.bottom < low.y || arrow.top > high.y) continue;
    const bool on_path = lights.path_arrows.contains(static_cast<int64_t>(arrow.from) << 32 | arrow.to);
    if (on_path || arrow.from == lights.selected || arrow.to == lights.selected || arrow.from == lights.hovered || arrow.to == lights.hovered || &arrow == hovered) {
      lit.push_back(&arrow);
      continue;
    }
    const bool sliced = lights.slice_arrows.contains({arrow.from, arrow.to});
    if (arrow.minor && !sliced) continue;
    drawn.push_back(&arrow);
    DrawArrow(list, camera, arrow, sliced ? ui::Fade(c.blue, 0.7f) : arrow.order_only ? ui::Fade(plain, 0.5f) : plain, sliced ? 0.6f : 0);
  }
  for (const SceneArrow* arrow : lit) DrawArrow(list, camera, *arrow, c.blue, 0.6f);
  std::vector<Area> labels;  // where they stand
  if (camera.zoom() >= kLabelsFrom) {
    for (const SceneArrow* arrow : drawn) {
      if (!arrow->labelled) continue;
      labels.push_back(LabelArea(camera, *arrow, arrow->label_at));
      DrawLabel(list, camera, *arrow, arrow->label_at, false);
    }
  }
  each_cluster([&](int k, bool lit) { DrawClusterTitle(list, camera, scene.boxes[k], tints[k], lit); });
  int seen = 0;
  for (size_t k = 0; k < scene.boxes.size(); ++k) {
    const SceneBox& box = scene.boxes[k];
    if (box.node < 0 || box.expanded || Apart({box.x, box.y}, {box.x + box.width, box.y + box.height}, {low.x, low.y}, {high.x, high.y})) continue;
    DrawCard(list, camera, box, tints[k], lights, static_cast<int>(k));
    ++seen;
  }
  if (camera.zoom() >= 0.5f) DrawLitLabels(list, camera, scene, lit, std::move(labels));
  return seen;
}

void BoxRect(const GraphCamera& camera, const SceneBox& box, ImVec2* min, ImVec2* max) {
  *min = camera.ToScreen(box.x, box.y);
  *max = camera.ToScreen(box.x + box.width, box.y + (box.expanded ? kSceneTitle : box.height));
}

int BoxAt(const GraphCamera& camera, const Scene& scene, ImVec2 at, bool* on_chevron) {
  *on_chevron = false;
  for (int k = static_cast<int>(scene.boxes.size()) - 1; k >= 0; --k) {
    const SceneBox& box = scene.boxes[k];
    if (box.node < 0 || (box.expanded && box.parent < 0)) continue;
    ImVec2 min, max;
    BoxRect(camera, box, &min, &max);
    if (at.x < min.x || at.x >= max.x || at.y < min.y || at.y >= max.y) continue;
    const float unit = camera.unit();
    if (box.expandable) *on_chevron = box.expanded ? at.x < std::max(min.x, camera.min().x) + 28 * unit : at.x > max.x - 22 * unit && at.y < min.y + 24 * unit;
    return k;
  }
  return -1;
}

int ArrowAt(const GraphCamera& camera, const Scene& scene, const GraphLights& lights, ImVec2 at) {
  const Point p = camera.ToScene(at);
  float nearest = ui::Px(4) / camera.unit();
  int found = -1;
  for (size_t k = 0; k < scene.arrows.size(); ++k) {
    const SceneArrow& arrow = scene.arrows[k];
    const auto seen = [&](int box) { return arrow.from == box || arrow.to == box; };
    if (p.x < arrow.left - nearest || p.x > arrow.right + nearest || p.y < arrow.top - nearest || p.y > arrow.bottom + nearest) continue;
    if (arrow.minor && !seen(lights.selected) && static_cast<int>(k) != lights.arrow) continue;  // not drawn
    Point last = arrow.curve[0];
    for (int piece = 0; piece < static_cast<int>(arrow.curve.size() - 1) / 3; ++piece) {
      for (int step = 1; step <= kPieces; ++step) {
        const Point next = OnCurve(arrow.curve, piece, static_cast<float>(step) / kPieces);
        const float dx = next.x - last.x, dy = next.y - last.y, length = dx * dx + dy * dy;
        const float t = length <= 0 ? 0 : std::clamp(((p.x - last.x) * dx + (p.y - last.y) * dy) / length, 0.0f, 1.0f);
        const float away = std::hypot(p.x - last.x - t * dx, p.y - last.y - t * dy);
        if (away < nearest) {
          nearest = away;
          found = static_cast<int>(k);
        }
        last = next;
      }
    }
  }
  return found;
}

namespace {

// How the whole scene lies in the minimap.
void MinimapScale(const Scene& scene, ImVec2 min, ImVec2 max, float* scale, ImVec2* origin) {
  const float pad = ui::Px(5);
  *scale = std::min((max.x - min.x - 2 * pad) / std::max(1.0f, scene.width), (max.y - min.y - 2 * pad) / std::max(1.0f, scene.height));
  *origin = {(min.x + max.x - scene.width * *scale) / 2, (min.y + max.y - scene.height * *scale) / 2};
}

}  // namespace

Point MinimapPoint(const Scene& scene, ImVec2 min, ImVec2 max, ImVec2 at) {
  float scale = 1;
  ImVec2 origin;
  MinimapScale(scene, min, max, &scale, &origin);
  return {(at.x - origin.x) / scale, (at.y - origin.y) / scale};
}

void DrawMinimap(ImDrawList* list, const GraphCamera& camera, const Scene& scene, const std::vector<CardTint>& tints, const GraphLights& lights, ImVec2 min, ImVec2 max) {
  const ui::Palette& c = ui::Colors();
  list->AddRectFilled(min, max, ui::Fade(c.sunken, 0.88f), ui::Px(5));
  list->AddRect(min, max, c.border, ui::Px(5));
  float scale = 1;
  ImVec2 origin;
  MinimapScale(scene, min, max, &scale, &origin);
  const auto place = [&](const SceneBox& box, ImVec2* a, ImVec2* b) {
    *a = {origin.x + box.x * scale, origin.y + box.y * scale};
    *b = {std::max(origin.x + (box.x + box.width) * scale, a->x + 2), std::max(origin.y + (box.y + box.height) * scale, a->y + 1.5f)};
  };
  ImVec2 a, b;
  for (size_t k = 0; k < scene.boxes.size(); ++k) {
    if (scene.boxes[k].node < 0 || (scene.boxes[k].expanded && scene.boxes[k].parent < 0)) continue;
    place(scene.boxes[k], &a, &b);
    list->AddRectFilled(a, b, scene.boxes[k].expanded ? ui::Fade(c.faint, 0.14f) : ui::Fade(tints[k].bar, 0.8f));
  }
  for (const auto& [index, color] : {std::pair(lights.selected, c.blue), std::pair(lights.stop, c.amber)}) {
    if (index < 0 || index >= static_cast<int>(scene.boxes.size())) continue;
    place(scene.boxes[index], &a, &b);
    // What is inside of it stays to be seen.
    if (scene.boxes[index].expanded) list->AddRect({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, color, 0, 0, ui::Px(1.5f));
    else list->AddRectFilled({a.x - 1, a.y - 1}, {b.x + 1, b.y + 1}, color);
  }
  const Point low = camera.ToScene(camera.min()), high = camera.ToScene(camera.max());
  a = {std::clamp(origin.x + low.x * scale, min.x + 1, max.x - 3), std::clamp(origin.y + low.y * scale, min.y + 1, max.y - 3)};
  b = {std::clamp(origin.x + high.x * scale, a.x + 2, max.x - 1), std::clamp(origin.y + high.y * scale, a.y + 2, max.y - 1)};
  list->AddRect(a, b, ui::Fade(c.text, 0.65f), ui::Px(2));
}

}  // namespace hloscope
