#include "visualizer/export/levels.h"

#include <algorithm>
#include <map>

#include "absl/container/flat_hash_map.h"
#include "core/base/processor_time.h"

namespace hloscope {
namespace {

constexpr int kMostOut = 7, kMostIn = 12;  // arrows of a box that are all drawn
constexpr int64_t kMostLooks = 4'000'000;  // of a level, for ways round boxes: some hundredths of a second
constexpr float kBeyond = 16;

class LevelMaker {
 public:
  LevelMaker(const Hierarchy& h, const std::vector<SceneBox>& boxes) : h_(h), boxes_(boxes), graphs_(static_cast<size_t>(h.size())), depth_(graphs_.size(), 0), place_(graphs_.size(), 0) {}

  GraphLevels Make(double seconds) {
    for (int node = 0; node < h_.size(); ++node) {
      const std::vector<int>& children = h_.node(node).children;
      for (size_t k = 0; k < children.size(); ++k) {
        place_[children[k]] = static_cast<int>(k);
        const SceneBox& box = boxes_[children[k]];
        graphs_[node].boxes.push_back({box.width, box.height});
      }
    }
    for (const Computation* c : h_.module().computations) SetDepth(h_.NodeOf(*c), 0);
    AddArrows();
    const double begin = ProcessorSeconds();
    GraphLevels out;
    out.of_node.assign(static_cast<size_t>(h_.size()), -1);
    absl::flat_hash_map<uint64_t, int> known;
    for (int node = 0; node < h_.size(); ++node) {
      LevelGraph& graph = graphs_[node];
      if (graph.boxes.empty() || (h_.node(node).parent < 0 && h_.node(node).kind != GraphNode::kComputation)) continue;
      const auto [it, fresh] = known.try_emplace(HashOf(graph), static_cast<int>(out.levels.size()));
      out.of_node[node] = it->second;
      if (!fresh) continue;
      const bool hurry = ProcessorSeconds() - begin > seconds;
      out.hurried = out.hurried || hurry;
      out.levels.push_back(LayOutAll(std::move(graph), hurry));
    }
    return out;
  }

 private:
  void SetDepth(int node, int depth) {
    depth_[node] = depth;
    for (const int child : h_.node(node).children) SetDepth(child, depth + 1);
  }

  void AddArrows() {
    for (const Computation* c : h_.module().computations) {
      for (const Instruction* user : c->schedule) {
        for (const Instruction* operand : user->operands) AddArrow(operand, *user);
        for (const Instruction* before : user->control_predecessors) AddArrow(before, *user);
      }
    }
  }

  // In the level that both lie in, between what they lie in there.
  void AddArrow(const Instruction* from, const Instruction& to) {
    if (from == nullptr || from->parent != to.parent || from->index < 0 || from == &to) return;
    int a = h_.NodeOf(*from), b = h_.NodeOf(to);
    while (depth_[a] > depth_[b]) a = h_.node(a).parent;
    while (depth_[b] > depth_[a]) b = h_.node(b).parent;
    while (h_.node(a).parent != h_.node(b).parent) {
      a = h_.node(a).parent;
      b = h_.node(b).parent;
    }
    if (a == b) return;
    LevelGraph& graph = graphs_[h_.node(a).parent];
    const auto [it, fresh] = arrow_.try_emplace({a, b}, static_cast<int>(graph.arrows.size()));
    if (fresh) graph.arrows.push_back({place_[a], place_[b], 0});
    ++graph.arrows[it->second].weight;
  }

  // What leads to very many boxes would cover the picture, and what very many lead to as well (as in scene.cc).
  static GraphLevel LayOutAll(LevelGraph graph, bool hurry) {
    GraphLevel level;
    std::vector<int> out(graph.boxes.size(), 0), in = out;
    std::vector<char> began(graph.boxes.size(), 0);
    for (const LevelGraph::Arrow& a : graph.arrows) {
      ++out[a.from];
      ++in[a.to];
    }
    LevelGraph laid;
    laid.boxes = graph.boxes;
    std::vector<int> number;  // of those laid out, in the whole
    for (size_t e = 0; e < graph.arrows.size(); ++e) {
      const LevelGraph::Arrow& a = graph.arrows[e];
      const bool many_out = out[a.from] > kMostOut && in[a.to] > 1 && began[a.from], many_in = in[a.to] > kMostIn && out[a.from] > 1;
      began[a.from] = 1;
      level.minor.push_back(many_out || many_in);
      if (level.minor.back()) continue;
      laid.arrows.push_back(a);
      number.push_back(static_cast<int>(e));
    }
    const std::vector<int> kept = ThinOut(laid.boxes.size(), &laid.arrows);
    level.layout = hurry ? LayOutLayered(laid) : LayOut(laid);
    std::vector<std::vector<Point>> curves(graph.arrows.size());
    for (size_t e = 0; e < kept.size(); ++e) {
      if (kept[e] < 0) level.minor[number[e]] = 1;
      else curves[number[e]] = std::move(level.layout.curves[kept[e]]);
    }
    level.layout.curves = std::move(curves);
    level.graph = std::move(graph);
    LeadRound(&level);
    return level;
  }

  // Arrows that are not laid out, and run behind boxes where they lead straight.
  static void LeadRound(GraphLevel* level) {
    const LevelGraph& graph = level->graph;
    std::vector<Area> areas;
    for (size_t k = 0; k < graph.boxes.size(); ++k) {
      const Point at = level->layout.boxes[k];
      areas.push_back({at.x, at.y, at.x + graph.boxes[k].width, at.y + graph.boxes[k].height});
    }
    const Area within = {-kBeyond, -kBeyond, level->layout.width + kBeyond, level->layout.height + kBeyond};
    WaysRound ways(kMostLooks);
    for (size_t e = 0; e < graph.arrows.size() && !ways.tired(); ++e) {
      if (!level->layout.curves[e].empty()) continue;
      const int from = graph.arrows[e].from, to = graph.arrows[e].to;
      std::vector<Area> round;
      for (int k = 0; k < static_cast<int>(areas.size()); ++k) {
        if (k != from && k != to) round.push_back(areas[static_cast<size_t>(k)]);
      }
      const Area &a = areas[static_cast<size_t>(from)], &b = areas[static_cast<size_t>(to)];
      level->layout.curves[e] = ways.Find({(a.left + a.right) / 2, a.bottom}, {(b.left + b.right) / 2, b.top}, a, b, round, within);
    }
  }

  const Hierarchy& h_;
  const std::vector<SceneBox>& boxes_;
  std::vector<LevelGraph> graphs_;
  std::vector<int> depth_, place_;
  std::map<std::pair<int, int>, int> arrow_;
};

}  // namespace

GraphLevels MakeLevels(const Hierarchy& hierarchy, const std::vector<SceneBox>& boxes, double seconds) { return LevelMaker(hierarchy, boxes).Make(seconds); }

}  // namespace hloscope
