// Where boxes stand and arrows run: everything in one layout (nested.h) where that does not take long, else a level at a time, each laid out by
// itself (level.h), with arrows that cross the edges of boxes put together from pieces.
#include <algorithm>
#include <cmath>
#include <deque>
#include <map>

#include "visualizer/graph/scene_making.h"

namespace hloscope {
namespace {

constexpr int64_t kMostLabelledCost = 1600, kMostCost = 3600;  // of what is laid out at once: about a second
constexpr size_t kAllLabelled = 48;    // arrows; of more only those are labelled whose boxes do not say what leaves them
constexpr size_t kMostKnown = 400;     // layouts that are remembered
constexpr float kEntry = 12;           // below a title, for arrows that come in

class ScenePlacer {
 public:
  ScenePlacer(const SceneWish& wish, const std::atomic<bool>* stop, KnownLayouts* known, Scene* scene) : wish_(wish), stop_(stop), known_(*known), scene_(scene) {}

  bool Place() {
    if (scene_->boxes.empty()) return true;
    if (!AtOnce()) ByLevel();
    if (stopped()) return false;
    LeadRound(scene_);
    for (SceneArrow& arrow : scene_->arrows) Bound(arrow);
    if (scene_->arrows.size() > wish_.most_arrows) {
      // Too many to be told apart: the thickest are drawn, the others where somebody points at them.
      std::stable_sort(scene_->arrows.begin(), scene_->arrows.end(), [](const SceneArrow& a, const SceneArrow& b) { return a.bytes > b.bytes; });
      for (size_t e = wish_.most_arrows; e < scene_->arrows.size(); ++e) scene_->arrows[e].minor = true;
    }
    return true;
  }

 private:
  bool stopped() const { return stop_ != nullptr && stop_->load(std::memory_order_relaxed); }

  // -- All at once --
  bool AtOnce() {
    std::vector<SceneBox>& boxes = scene_->boxes;
    NestedGraph graph;
    graph.pad = kScenePad;
    graph.label_height = kLabelHeight;
    // The outermost box is the picture itself.
    for (size_t k = 1; k < boxes.size(); ++k) {
      const SceneBox& box = boxes[k];
      graph.boxes.push_back({box.parent - 1, box.expanded, box.expanded ? TitleWidth(wish_, box) : box.width, box.expanded ? kSceneTitle : box.height});
    }
    std::vector<int> laid;  // of the arrows that are, in the scene
    std::vector<LevelGraph::Arrow> thin;
    for (size_t e = 0; e < scene_->arrows.size(); ++e) {
      const SceneArrow& arrow = scene_->arrows[e];
      if (arrow.minor || arrow.from == 0 || arrow.to == 0 || IsAround(arrow.from, arrow.to) || IsAround(arrow.to, arrow.from)) continue;
      laid.push_back(static_cast<int>(e));
      thin.push_back({arrow.from - 1, arrow.to - 1, 1, IsNeeded(wish_, *scene_, arrow)});
    }
    const std::vector<int> kept = ThinOut(graph.boxes.size(), &thin);
    std::vector<int> arrows;
    for (size_t e = 0; e < kept.size(); ++e) {
      if (kept[e] >= 0) arrows.push_back(laid[e]);
    }
    for (const int e : arrows) {
      const SceneArrow& arrow = scene_->arrows[e];
      const bool together = boxes[arrow.from].parent == boxes[arrow.to].parent, labelled = WantsLabel(*scene_, arrow, arrows.size() <= kAllLabelled);
      graph.arrows.push_back({arrow.from - 1, arrow.to - 1, together ? 2 : 1, labelled ? LabelWidth(wish_, arrow) : 0});
    }
    if (EstimatedCost(graph) > kMostLabelledCost) {
      for (NestedGraph::Arrow& arrow : graph.arrows) arrow.label = 0;
      if (EstimatedCost(graph) > kMostCost) return false;
    }
    const uint64_t key = HashOf(graph);
    auto found = known_.nested.find(key);
    if (found == known_.nested.end() || found->second.boxes.size() != graph.boxes.size() || found->second.curves.size() != graph.arrows.size()) {
      NestedLayout made;
      if (!LayOutNested(graph, &made)) return false;
      if (known_.nested.size() > kMostKnown) known_.nested.clear();
      found = known_.nested.insert_or_assign(key, std::move(made)).first;
    }
    const NestedLayout& layout = found->second;
    for (size_t k = 1; k < boxes.size(); ++k) {
      boxes[k].x = layout.boxes[k - 1].x;
      boxes[k].y = layout.boxes[k - 1].y;
      boxes[k].width = layout.sizes[k - 1].width;
      boxes[k].height = layout.sizes[k - 1].height;
    }
    scene_->at_once = true;
    scene_->width = boxes[0].width = layout.width;
    scene_->height = boxes[0].height = layout.height;
    for (size_t e = 0; e < kept.size(); ++e) scene_->arrows[laid[e]].minor = kept[e] < 0;
    for (size_t a = 0; a < arrows.size(); ++a) {
      SceneArrow& arrow = scene_->arrows[arrows[a]];
      arrow.curve = layout.curves[a];
      arrow.labelled = graph.arrows[a].label > 0 && layout.labels[a].x >= 0;
      arrow.label_at = layout.labels[a];
    }
    for (SceneArrow& arrow : scene_->arrows) {
      if (arrow.curve.empty()) Bend(arrow, {}, {});
    }
    return true;
  }

  // -- A level at a time --
  struct Level {
    int box = 0;
    std::vector<int> children;
    LevelGraph graph;
    std::map<std::pair<int, int>, int> arrow;  // between children (by place), index into graph.arrows
    LevelLayout own;
    std::vector<int> kept;  // of the arrows as they were: the number now, or -1
  };
  // Where an arrow runs: in which level, between which of its children.
  struct Route {
    int level = -1, from = 0, to = 0, arrow = -1;
  };

  const LevelLayout& LayOutLevel(const LevelGraph& graph) {
    const uint64_t key = HashOf(graph);
    const auto it = known_.levels.find(key);
    if (it != known_.levels.end() && it->second.boxes.size() == graph.boxes.size() && it->second.curves.size() == graph.arrows.size()) return it->second;
    if (known_.levels.size() > kMostKnown) known_.levels.clear();
    return known_.levels[key] = LayOut(graph);
  }

  void ByLevel() {
    std::vector<SceneBox>& boxes = scene_->boxes;
    std::vector<int> level_of(boxes.size(), -1), place(boxes.size(), 0);
    for (size_t k = 0; k < boxes.size(); ++k) {
      if (boxes[k].expanded) {
        level_of[k] = static_cast<int>(levels_.size());
        levels_.push_back({});
        levels_.back().box = static_cast<int>(k);
      }
      if (boxes[k].parent >= 0) {
        Level& level = levels_[level_of[boxes[k].parent]];
        place[k] = static_cast<int>(level.children.size());
        level.children.push_back(static_cast<int>(k));
      }
    }
    std::vector<Route> routes(scene_->arrows.size());
    for (size_t e = 0; e < scene_->arrows.size(); ++e) {
      int a = scene_->arrows[e].from, b = scene_->arrows[e].to;
      while (boxes[a].depth > boxes[b].depth) a = boxes[a].parent;
      while (boxes[b].depth > boxes[a].depth) b = boxes[b].parent;
      while (a != b && boxes[a].parent != boxes[b].parent) {
        a = boxes[a].parent;
        b = boxes[b].parent;
      }
      if (scene_->arrows[e].minor || a == b) continue;  // drawn straight when it is: one of very many, or from a box to what is inside it
      Level& level = levels_[level_of[boxes[a].parent]];
      const auto [it, fresh] = level.arrow.try_emplace({place[a], place[b]}, static_cast<int>(level.graph.arrows.size()));
      if (fresh) {
        level.graph.arrows.push_back({place[a], place[b], 0});
      }
      ++level.graph.arrows[it->second].weight;
      level.graph.arrows[it->second].needed |= IsNeeded(wish_, *scene_, scene_->arrows[e]);
      routes[e] = {level_of[boxes[a].parent], a, b, it->second};
    }
    for (Level& level : levels_) level.kept = ThinOut(level.children.size(), &level.graph.arrows);
    // The innermost first: their sizes are the outer ones' boxes.
    for (int k = static_cast<int>(levels_.size()) - 1; k >= 0; --k) {
      if (stopped()) return;
      Level& level = levels_[k];
      for (const int child : level.children) level.graph.boxes.push_back({boxes[child].width, boxes[child].height});
      level.own = LayOutLevel(level.graph);
      SceneBox& box = boxes[level.box];
      const bool bare = box.parent < 0;
      box.width = std::max(level.own.width + (bare ? 0 : 2 * kScenePad), bare ? 0.0f : TitleWidth(wish_, box));
      box.height = level.own.height + (bare ? 0 : kSceneTitle + kEntry + kScenePad);
    }
    scene_->width = boxes[0].width;
    scene_->height = boxes[0].height;
    std::vector<Point> origin(levels_.size());
    for (size_t k = 0; k < levels_.size(); ++k) {
      const Level& level = levels_[k];
      const SceneBox& box = boxes[level.box];
      const bool bare = box.parent < 0;
      origin[k] = {box.x + (box.width - level.own.width) / 2, box.y + (bare ? 0 : kSceneTitle + kEntry)};
      for (size_t c = 0; c < level.children.size(); ++c) {
        boxes[level.children[c]].x = origin[k].x + level.own.boxes[c].x;
        boxes[level.children[c]].y = origin[k].y + level.own.boxes[c].y;
      }
    }
    for (size_t e = 0; e < scene_->arrows.size(); ++e) Bend(scene_->arrows[e], routes[e], origin);
  }

  // A piece that leaves and arrives straight down, or (where it is known) in the direction of what it goes on from and into.
  static void Append(std::vector<Point>& curve, Point from, Point to, const Point* onward = nullptr) {
    const float d = std::clamp(std::abs(to.y - from.y) * 0.5f, 10.0f, 80.0f);
    const auto along = [d](Point a, Point b) {
      const float x = b.x - a.x, y = b.y - a.y, length = std::max(0.01f, std::sqrt(x * x + y * y));
      return Point{x / length * d, y / length * d};
    };
    const Point out = curve.size() > 1 ? along(curve[curve.size() - 2], curve.back()) : Point{0, d}, in = onward != nullptr ? along(to, *onward) : Point{0, d};
    if (curve.empty()) curve.push_back(from);
    curve.push_back({from.x + out.x, from.y + out.y});
    curve.push_back({to.x - in.x, to.y - in.y});
    curve.push_back(to);
  }

  // From the side of a box that is nearer to a place.
  static void Sideways(std::vector<Point>& curve, const SceneBox& box, Point to) {
    const bool right = to.x > box.x + box.width / 2;
    const Point from = {right ? box.x + box.width : box.x, box.y + box.height / 2};
    const float d = std::clamp(std::abs(to.x - from.x) * 0.6f, 14.0f, 70.0f), down = to.y > from.y ? -1.0f : 1.0f;
    curve = {from, {from.x + (right ? d : -d), from.y}, {to.x, to.y + down * std::clamp(std::abs(to.y - from.y) * 0.5f, 8.0f, 60.0f)}, to};
  }

  bool IsAround(int outer, int inner) const {
    while (inner >= 0 && inner != outer) inner = scene_->boxes[inner].parent;
    return inner == outer;
  }

  void Bend(SceneArrow& arrow, const Route& route, const std::vector<Point>& origin) const {
    const int laid = route.level < 0 ? -1 : levels_[route.level].kept[route.arrow];
    if (route.level >= 0 && laid < 0) arrow.minor = true;
    const SceneBox& from = scene_->boxes[arrow.from];
    const SceneBox& to = scene_->boxes[arrow.to];
    const Point out = {from.x + from.width / 2, from.y + from.height}, in = {to.x + to.width / 2, to.y};
    if (route.level < 0 && (IsAround(arrow.from, arrow.to) || IsAround(arrow.to, arrow.from))) {
      const bool inward = from.depth < to.depth;
      Append(arrow.curve, inward ? Point{in.x, from.y + kSceneTitle * 0.8f} : out, inward ? in : Point{out.x, to.y + to.height});
    } else if (laid >= 0) {
      std::vector<Point> middle = levels_[route.level].own.curves[laid];
      for (Point& p : middle) {
        p.x += origin[route.level].x;
        p.y += origin[route.level].y;
      }
      // Where the way out lies above, or the way in below, the side is taken.
      const bool out_above = middle.size() > 1 && middle.front().y < from.y, in_below = middle.size() > 1 && middle.back().y > to.y + to.height;
      if (route.from != arrow.from && out_above) {
        Sideways(arrow.curve, from, middle.front());
      } else if (route.from != arrow.from && middle.size() > 1) {
        Append(arrow.curve, out, middle.front(), &middle[1]);
      }
      if (arrow.curve.empty()) {
        arrow.curve = middle;
      } else {
        arrow.curve.insert(arrow.curve.end(), middle.begin() + 1, middle.end());
      }
      if (route.to != arrow.to && in_below) {
        std::vector<Point> back;
        Sideways(back, to, middle.back());
        arrow.curve.insert(arrow.curve.end(), back.rbegin() + 1, back.rend());
      } else if (route.to != arrow.to && !middle.empty()) {
        Append(arrow.curve, middle.back(), in);
      }
    }
    if (arrow.curve.empty()) Append(arrow.curve, out, in);
  }

  static void Bound(SceneArrow& arrow) {
    arrow.left = arrow.right = arrow.curve[0].x;
    arrow.top = arrow.bottom = arrow.curve[0].y;
    for (const Point& p : arrow.curve) {
      arrow.left = std::min(arrow.left, p.x);
      arrow.right = std::max(arrow.right, p.x);
      arrow.top = std::min(arrow.top, p.y);
      arrow.bottom = std::max(arrow.bottom, p.y);
    }
  }

  const SceneWish& wish_;
  const std::atomic<bool>* stop_;
  KnownLayouts& known_;
  Scene* scene_;
  std::deque<Level> levels_;
};

}  // namespace

bool PlaceScene(const SceneWish& wish, const std::atomic<bool>* stop, KnownLayouts* known, Scene* scene) { return ScenePlacer(wish, stop, known, scene).Place(); }

}  // namespace hloscope
