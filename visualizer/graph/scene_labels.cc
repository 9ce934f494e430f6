// Room for the labels of arrows, where the layout has made none: on the arrow, over no box, title or other label. Where there is none the
// label is left away.
#include <algorithm>
#include <cmath>

#include "visualizer/graph/scene_making.h"

namespace hloscope {
namespace {

constexpr size_t kMostLabelled = 400;  // arrows; labels of more say nothing

struct Area {
  float left, top, right, bottom;
  bool Meets(const Area& other) const { return left < other.right && right > other.left && top < other.bottom && bottom > other.top; }
};

Point OnCurve(const std::vector<Point>& curve, int piece, float t) {
  const Point* p = &curve[static_cast<size_t>(piece) * 3];
  const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
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

void PlaceLabels(const SceneWish& wish, Scene* scene) {
  std::vector<Area> taken;
  for (const SceneBox& box : scene->boxes) {
    if (box.node < 0 || (box.expanded && box.parent < 0)) continue;
    taken.push_back({box.x - 2, box.y - 2, box.x + box.width + 2, box.y + (box.expanded ? kSceneTitle : box.height + 2)});
  }
  const auto free = [&](const Area& area) { return std::none_of(taken.begin(), taken.end(), [&](const Area& other) { return area.Meets(other); }); };
  // The layout may have put one where something else is.
  for (SceneArrow& arrow : scene->arrows) {
    if (!arrow.labelled) continue;
    const float width = LabelWidth(wish, arrow);
    const Area area = {arrow.label_at.x - width / 2, arrow.label_at.y - kLabelHeight / 2, arrow.label_at.x + width / 2, arrow.label_at.y + kLabelHeight / 2};
    arrow.labelled = free(area);
    if (arrow.labelled) taken.push_back(area);
  }
  if (scene->arrows.size() > kMostLabelled) return;
  for (SceneArrow& arrow : scene->arrows) {
    if (arrow.labelled || arrow.minor || arrow.curve.size() < 4 || !WantsLabel(*scene, arrow, false)) continue;
    const int pieces = static_cast<int>(arrow.curve.size() - 1) / 3;
    const float width = LabelWidth(wish, arrow);
    for (int tried = 0; tried < std::min(pieces * 3, 9); ++tried) {
      // From the middle outwards.
      const int piece = std::clamp(pieces / 2 + (tried / 3 % 2 == 0 ? tried / 6 : -(tried / 6 + 1)), 0, pieces - 1);
      const Point at = OnCurve(arrow.curve, piece, tried % 3 == 0 ? 0.5f : tried % 3 == 1 ? 0.3f : 0.75f);
      const Area area = {at.x - width / 2, at.y - kLabelHeight / 2, at.x + width / 2, at.y + kLabelHeight / 2};
      if (!free(area)) continue;
      taken.push_back(area);
      arrow.labelled = true;
      arrow.label_at = at;
      break;
    }
  }
}

}  // namespace hloscope
