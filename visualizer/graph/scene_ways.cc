// Arrows that a layout has not bent (one of very many, a longer way, out of an open box and into another) may run behind boxes: those are led
// round them.
#include <algorithm>

#include "visualizer/graph/scene_making.h"

namespace hloscope {
namespace {

constexpr int64_t kMostLooks = 24'000'000;  // of lines at boxes, in all: about a tenth of a second
constexpr float kGrazed = 2;                // a line that comes no further in runs along a box, not behind it
constexpr float kBeyond = 16;

Area AreaOf(const SceneBox& box) { return {box.x, box.y, box.x + box.width, box.y + box.height}; }

class Leader {
 public:
  explicit Leader(Scene* scene) : scene_(*scene), boxes_(scene->boxes), inside_(boxes_.size()), ways_(kMostLooks) {
    for (size_t k = 0; k < boxes_.size(); ++k) {
      if (boxes_[k].parent >= 0) inside_[boxes_[k].parent].push_back(static_cast<int>(k));
    }
  }

  void Lead() {
    int64_t looks = kMostLooks;
    for (const bool minor : {false, true}) {
      for (SceneArrow& arrow : scene_.arrows) {
        if (arrow.minor != minor || arrow.curve.size() < 4) continue;
        if ((looks -= static_cast<int64_t>(boxes_.size())) < 0 || ways_.tired()) return;
        if (RunsBehind(arrow)) Lead(arrow);
      }
    }
  }

 private:
  bool RunsBehind(const SceneArrow& arrow) const {
    for (size_t k = 1; k < boxes_.size(); ++k) {
      const SceneBox& box = boxes_[k];
      const int index = static_cast<int>(k);
      if (box.expanded || index == arrow.from || index == arrow.to) continue;
      if (RunsThrough(arrow.curve, {box.x + kGrazed, box.y + kGrazed, box.x + box.width - kGrazed, box.y + box.height - kGrazed})) return true;
    }
    return false;
  }

  bool IsAround(int outer, int inner) const {
    while (inner >= 0 && inner != outer) inner = boxes_[inner].parent;
    return inner == outer;
  }

  // What stands beside the box and beside all that it lies in, up to what the other end lies in too.
  void AddBeside(int box, int other, std::vector<int>* out) const {
    for (int at = box; at >= 0 && !IsAround(at, other) && boxes_[at].parent >= 0; at = boxes_[at].parent) {
      for (const int beside : inside_[boxes_[at].parent]) {
        if (beside != at && !IsAround(beside, other)) out->push_back(beside);
      }
    }
  }

  void Lead(SceneArrow& arrow) {
    std::vector<int> beside;
    AddBeside(arrow.from, arrow.to, &beside);
    AddBeside(arrow.to, arrow.from, &beside);
    std::sort(beside.begin(), beside.end());
    beside.erase(std::unique(beside.begin(), beside.end()), beside.end());
    std::vector<Area> round;
    for (const int k : beside) round.push_back(AreaOf(boxes_[k]));
    // An end at a box that lies round the other end is at the inner side of its edge.
    const Point from = arrow.curve.front(), to = arrow.curve.back();
    const Area from_box = IsAround(arrow.from, arrow.to) ? Area{from.x, from.y, from.x, from.y} : AreaOf(boxes_[arrow.from]);
    const Area to_box = IsAround(arrow.to, arrow.from) ? Area{to.x, to.y, to.x, to.y} : AreaOf(boxes_[arrow.to]);
    const Point below = IsAround(arrow.from, arrow.to) ? from : Point{std::clamp(from.x, from_box.left + 4, from_box.right - 4), from_box.bottom};
    const Point above = IsAround(arrow.to, arrow.from) ? to : Point{std::clamp(to.x, to_box.left + 4, to_box.right - 4), to_box.top};
    int both = arrow.from;
    while (!IsAround(both, arrow.to)) both = boxes_[both].parent;
    const Area inside = AreaOf(boxes_[both]);
    const float beyond = both == 0 ? kBeyond : 0;  // of the picture itself
    std::vector<Point> way = ways_.Find(below, above, from_box, to_box, round, {inside.left - beyond, inside.top - beyond, inside.right + beyond, inside.bottom + beyond});
    if (way.empty()) return;
    arrow.curve = std::move(way);
    arrow.labelled = false;  // where the layout had room for its label it does not run any more
  }

  Scene& scene_;
  const std::vector<SceneBox>& boxes_;
  std::vector<std::vector<int>> inside_;
  WaysRound ways_;
};

}  // namespace

void LeadRound(Scene* scene) { Leader(scene).Lead(); }

}  // namespace hloscope
