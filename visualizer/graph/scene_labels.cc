// Room for the labels of arrows, where the layout has made none: on the arrow, over no box, title or other label. Where there is none the
// label is left away.
#include <algorithm>
#include <cmath>
#include <utility>

#include "visualizer/graph/scene_making.h"

namespace hloscope {
namespace {

constexpr size_t kMostLabelled = 400;  // arrows; labels of more say nothing

constexpr float kStep = 16;      // along an arrow, between places that are tried
constexpr int kMostSteps = 60;
constexpr float kBesideArrow = 5;
constexpr float kLeadsDown = 0.25f, kLeadsAcross = 0.6f;  // as much as across, at least or at most: a slanting arrow does both

// What a box covers: of one that is open its title, and what stands at its edges.
Area Covered(const SceneBox& box) {
  return {box.x - 2, box.y - (box.more_in > 2 ? 13.0f : 2.0f), box.x + box.width + 2, box.y + (box.expanded ? kSceneTitle : box.height + (box.more_out > 2 ? 14.0f : 2.0f))};
}

Area Around(Point at, float width, float height) { return {at.x - width / 2, at.y - height / 2, at.x + width / 2, at.y + height / 2}; }

// Places along the arrow, from its middle outwards.
std::vector<std::pair<int, float>> Along(const std::vector<Point>& curve) {
  const int pieces = static_cast<int>(curve.size() - 1) / 3;
  std::vector<std::pair<int, float>> all, out;
  for (int piece = 0; piece < pieces; ++piece) {
    const Point a = curve[static_cast<size_t>(piece) * 3], b = curve[static_cast<size_t>(piece) * 3 + 3];
    const int steps = std::clamp(static_cast<int>(std::hypot(b.x - a.x, b.y - a.y) / kStep), 3, kMostSteps);
    for (int k = 0; k < steps; ++k) all.push_back({piece, (static_cast<float>(k) + 0.5f) / static_cast<float>(steps)});
  }
  const int middle = static_cast<int>(all.size()) / 2, every = std::max(1, static_cast<int>(all.size()) / kMostSteps);
  for (int away = 0; away <= middle; away += every) {
    if (middle + away < static_cast<int>(all.size())) out.push_back(all[static_cast<size_t>(middle + away)]);
    if (away > 0) out.push_back(all[static_cast<size_t>(middle - away)]);
  }
  return out;
}

}  // namespace

bool WantsLabel(const Scene& scene, const SceneArrow& arrow, bool few) {
  if (arrow.label.empty()) return false;
  if (arrow.again) return true;
  const SceneBox& from = scene.boxes[arrow.from];
  if (from.instruction == nullptr || from.instruction != arrow.value) return true;
  return few && arrow.value->shape.IsArray();
}

float LabelWidth(const SceneWish& wish, const SceneArrow& arrow) { return std::ceil(static_cast<float>(arrow.label.size()) * wish.small_letter * 0.92f) + 8; }

float TitleWidth(const SceneWish& wish, const SceneBox& box) {
  // A run of a computation has no other name than the way to it, by whose end it differs from the next.
  if (box.node < 0) return std::min(760.0f, std::ceil(static_cast<float>(box.title.size()) * wish.small_letter) + 48);
  const size_t counted = box.instruction == nullptr && !wish.spell_counts ? 13 : 0, note = wish.note_letters > 0 ? static_cast<size_t>(wish.note_letters) + 2 : 0;
  return std::min(380.0f, std::ceil(static_cast<float>(box.title.size()) * wish.title_letter + static_cast<float>(box.detail.size() + counted + note) * wish.small_letter) + 48);
}

std::optional<Point> RoomForLabel(const Scene& scene, const SceneArrow& arrow, float width, const std::vector<Area>& taken, const Area& within) {
  if (arrow.curve.size() < 4) return std::nullopt;
  std::vector<Area> near;
  const Area all = {arrow.left - width - 8, arrow.top - 2 * kLabelHeight, arrow.right + width + 8, arrow.bottom + 2 * kLabelHeight};
  for (const SceneBox& box : scene.boxes) {
    if (box.node < 0 || (box.expanded && box.parent < 0)) continue;
    if (const Area covered = Covered(box); covered.Meets(all)) near.push_back(covered);
  }
  for (const Area& other : taken) {
    if (other.Meets(all)) near.push_back(other);
  }
  std::vector<const SceneArrow*> others;
  for (const SceneArrow& other : scene.arrows) {
    if (&other != &arrow && !other.minor && Area{other.left, other.top, other.right, other.bottom}.Meets(all)) others.push_back(&other);
  }
  const Point from = arrow.curve.front(), to = arrow.curve.back();
  for (const auto& [piece, t] : Along(arrow.curve)) {
    const Point at = OnCurve(arrow.curve, piece, t), next = OnCurve(arrow.curve, piece, t + 0.05f);
    const float dx = std::abs(next.x - at.x), dy = std::abs(next.y - at.y);
    // Beside it rather than over it: at the side of one that leads down, above or below one that leads across. Over it only where it is long enough
    // to be seen all the same.
    const float steep = dx > 0 ? dy / dx : 100, aside = width / 2 + kBesideArrow + kLabelHeight / 2 * std::min(1 / std::max(steep, 0.01f), 4.0f);
    const float above = kLabelHeight / 2 + kBesideArrow + std::min(width / 2 * steep, kLabelHeight);
    std::vector<Point> places;
    if (steep > kLeadsDown) places.insert(places.end(), {{at.x + aside, at.y}, {at.x - aside, at.y}});
    if (steep < kLeadsAcross) places.insert(places.end(), {{at.x, at.y - above}, {at.x, at.y + above}});
    if (std::hypot(to.x - from.x, to.y - from.y) > 3 * (steep > 0.6f ? kLabelHeight : width)) places.push_back(at);
    for (const Point& middle : places) {
      const Area area = Around(middle, width, kLabelHeight);
      const bool seen = area.left >= within.left && area.right <= within.right && area.top >= within.top && area.bottom <= within.bottom;
      if (!seen || std::any_of(near.begin(), near.end(), [&](const Area& other) { return area.Meets(other); })) continue;
      if (std::none_of(others.begin(), others.end(), [&](const SceneArrow* other) { return RunsThrough(other->curve, area); })) return middle;
    }
  }
  return std::nullopt;
}

void PlaceLabels(const SceneWish& wish, Scene* scene) {
  std::vector<Area> boxes, taken;
  for (const SceneBox& box : scene->boxes) {
    if (box.node >= 0 && !(box.expanded && box.parent < 0)) boxes.push_back(Covered(box));
  }
  // The layout may have put one where something else is.
  for (SceneArrow& arrow : scene->arrows) {
    if (!arrow.labelled) continue;
    const Area area = Around(arrow.label_at, LabelWidth(wish, arrow), kLabelHeight);
    const auto meets = [&](const Area& other) { return area.Meets(other); };
    arrow.labelled = std::none_of(boxes.begin(), boxes.end(), meets) && std::none_of(taken.begin(), taken.end(), meets);
    if (arrow.labelled) taken.push_back(area);
  }
  if (scene->arrows.size() > kMostLabelled) return;
  for (SceneArrow& arrow : scene->arrows) {
    if (arrow.labelled || arrow.minor || !WantsLabel(*scene, arrow, false)) continue;
    const float width = LabelWidth(wish, arrow);
    const std::optional<Point> at = RoomForLabel(*scene, arrow, width, taken, {0, 0, scene->width, scene->height});
    if (!at.has_value()) continue;
    taken.push_back(Around(*at, width, kLabelHeight));
    arrow.labelled = true;
    arrow.label_at = *at;
  }
}

}  // namespace hloscope
