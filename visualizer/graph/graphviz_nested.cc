// Boxes within boxes by Graphviz's dot: what is open is a cluster.
#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <utility>

#include "visualizer/graph/graphviz.h"
#include "visualizer/graph/mix.h"
#include "visualizer/graph/nested.h"

namespace hloscope {
namespace {

constexpr int kAbreast = 6;  // boxes between the same two, side by side
constexpr int kMostRows = 4;

class Nester {
 public:
  explicit Nester(const NestedGraph& graph) : in_(graph), n_(static_cast<int>(graph.boxes.size())), children_(graph.boxes.size()), cluster_(graph.boxes.size(), nullptr), node_(graph.boxes.size(), nullptr) {}

  bool LayOut(NestedLayout* out) {
    g_ = agopen(const_cast<char*>("nested"), Agdirected, nullptr);
    Set(g_, "rankdir", "TB");
    Set(g_, "newrank", "true");   // arrows lead down, also those that leave a cluster and come back into it
    Set(g_, "compound", "true");  // arrows may end at a cluster
    Set(g_, "nodesep", "0.3");
    // Labels stand between the rows, with half as much above and below.
    const bool labelled = std::any_of(in_.arrows.begin(), in_.arrows.end(), [](const NestedGraph::Arrow& a) { return a.label > 0; });
    Set(g_, "ranksep", labelled ? "0.3" : "0.5");
    Set(g_, "splines", "spline");
    Set(g_, "nslimit", "4");
    Set(g_, "nslimit1", "4");
    Set(g_, "mclimit", "0.6");
    AddBoxes();
    AddArrows();
    AddRows();
    bool good = gvLayout(GraphvizContext(), g_, "dot") == 0;
    if (good) {
      good = Read(out);
      gvFreeLayout(GraphvizContext(), g_);
    }
    agclose(g_);
    return good;
  }

 private:
  bool IsCluster(int box) const { return in_.boxes[box].open && !children_[box].empty(); }

  void AddBoxes() {
    for (int k = 0; k < n_; ++k) {
      if (in_.boxes[k].parent >= 0) children_[in_.boxes[k].parent].push_back(k);
    }
    for (int k = 0; k < n_; ++k) {
      const NestedGraph::Box& box = in_.boxes[k];
      Agraph_t* const around = box.parent >= 0 ? cluster_[box.parent] : g_;
      if (IsCluster(k)) {
        cluster_[k] = agsubg(around, const_cast<char*>(("cluster_" + std::to_string(k)).c_str()), 1);
        Set(cluster_[k], "margin", std::to_string(in_.pad));
        // Graphviz adds a little above and below.
        SetRoom(cluster_[k], cluster_[k], box.width, std::max(8.0f, box.height - 8));
        continue;
      }
      node_[k] = agnode(around, const_cast<char*>(std::to_string(k).c_str()), 1);
      Set(node_[k], "shape", "box");
      Set(node_[k], "fixedsize", "true");
      Set(node_[k], "label", "");
      Set(node_[k], "width", Inches(box.width));
      Set(node_[k], "height", Inches(box.height));
    }
  }

  // Graphviz has arrows between nodes only.
  int Leaf(int box, bool last) const {
    while (IsCluster(box)) box = last ? children_[box].back() : children_[box].front();
    return box;
  }

  // Many boxes between the same two, or from nowhere to the same one, would make one long row: in which of a few rows each stands, from 0.
  std::vector<int> Rows() const {
    std::vector<int> in(n_, 0), out(n_, 0), from(n_, -1), to(n_, -1), row(n_, 0);
    for (const NestedGraph::Arrow& a : in_.arrows) {
      ++in[a.to];
      ++out[a.from];
      from[a.to] = a.from;
      to[a.from] = a.to;
    }
    std::map<std::pair<int, int>, std::vector<int>> alike;
    for (int k = 0; k < n_; ++k) {
      if (in[k] <= 1 && out[k] <= 1 && in[k] + out[k] > 0 && !IsCluster(k)) alike[{from[k], to[k]}].push_back(k);
    }
    for (const auto& [ends, boxes] : alike) {
      const int rows = std::min(kMostRows, (static_cast<int>(boxes.size()) + kAbreast - 1) / kAbreast);
      for (size_t k = 0; k < boxes.size(); ++k) row[boxes[k]] = static_cast<int>(k) % rows;
    }
    return row;
  }

  void AddArrows() {
    const std::vector<int> row = Rows();
    std::vector<int> in(n_, 0);
    for (const NestedGraph::Arrow& a : in_.arrows) ++in[a.to];
    for (size_t e = 0; e < in_.arrows.size(); ++e) {
      const NestedGraph::Arrow& a = in_.arrows[e];
      Agedge_t* const edge = agedge(g_, node_[Leaf(a.from, true)], node_[Leaf(a.to, false)], const_cast<char*>(std::to_string(e).c_str()), 1);
      edges_.push_back(edge);
      Set(edge, "arrowhead", "none");
      if (IsCluster(a.from)) Set(edge, "ltail", agnameof(cluster_[a.from]));
      if (IsCluster(a.to)) Set(edge, "lhead", agnameof(cluster_[a.to]));
      if (a.weight > 1) Set(edge, "weight", std::to_string(std::min(a.weight, 8)));
      if (a.label > 0) SetRoom(g_, edge, a.label, in_.label_height);
      // Down to its row from above; of what has nothing above, up from below.
      const int longer = row[a.to] > 0 ? row[a.to] : in[a.from] == 0 ? row[a.from] : 0;
      if (longer > 0) Set(edge, "minlen", std::to_string(1 + longer));
    }
  }

  // Boxes that no arrow joins would stand in one long row.
  void AddRows() {
    std::vector<char> joined(n_, 0);
    for (const NestedGraph::Arrow& a : in_.arrows) joined[Leaf(a.from, true)] = joined[Leaf(a.to, false)] = joined[a.from] = joined[a.to] = 1;
    std::vector<std::vector<int>> lone(n_ + 1);
    for (int k = 0; k < n_; ++k) {
      if (!joined[k] && !IsCluster(k)) lone[in_.boxes[k].parent + 1].push_back(k);
    }
    for (const std::vector<int>& those : lone) {
      const int across = std::clamp(static_cast<int>(std::ceil(std::sqrt(static_cast<double>(those.size()) * 0.6))), 3, 14);
      for (size_t k = static_cast<size_t>(across); k < those.size(); ++k) {
        Agedge_t* const edge = agedge(g_, node_[those[k - static_cast<size_t>(across)]], node_[those[k]], nullptr, 1);
        Set(edge, "style", "invis");
      }
    }
  }

  bool Read(NestedLayout* out) const {
    const boxf whole = GD_bb(g_);
    out->width = static_cast<float>(whole.UR.x - whole.LL.x);
    out->height = static_cast<float>(whole.UR.y - whole.LL.y);
    for (int k = 0; k < n_; ++k) {
      if (cluster_[k] != nullptr) {
        const boxf box = GD_bb(cluster_[k]);
        out->boxes.push_back(PlaceIn(g_, {box.LL.x, box.UR.y}));
        out->sizes.push_back({static_cast<float>(box.UR.x - box.LL.x), static_cast<float>(box.UR.y - box.LL.y)});
        if (out->sizes.back().width <= 0 || out->sizes.back().height <= 0) return false;
      } else {
        const Point center = PlaceIn(g_, ND_coord(node_[k]));
        out->boxes.push_back({center.x - in_.boxes[k].width / 2, center.y - in_.boxes[k].height / 2});
        out->sizes.push_back({in_.boxes[k].width, in_.boxes[k].height});
      }
    }
    for (size_t e = 0; e < edges_.size(); ++e) {
      out->curves.push_back(CurveOf(g_, edges_[e]));
      if (out->curves.back().empty()) return false;
      const textlabel_t* label = ED_label(edges_[e]);
      out->labels.push_back(label != nullptr && label->set ? PlaceIn(g_, label->pos) : Point{-1, -1});
    }
    return true;
  }

  const NestedGraph& in_;
  const int n_;
  Agraph_t* g_ = nullptr;
  std::vector<std::vector<int>> children_;
  std::vector<Agraph_t*> cluster_;
  std::vector<Agnode_t*> node_;
  std::vector<Agedge_t*> edges_;
};

}  // namespace

bool LayOutNested(const NestedGraph& graph, NestedLayout* out) {
  *out = {};
  if (graph.boxes.empty()) return true;
  std::lock_guard<std::mutex> lock(GraphvizDoor());
  return Nester(graph).LayOut(out);
}

int64_t EstimatedCost(const NestedGraph& graph) {
  LevelGraph flat;
  bool labelled = false;
  flat.boxes.resize(graph.boxes.size());
  for (const NestedGraph::Arrow& a : graph.arrows) {
    flat.arrows.push_back({a.from, a.to, 1});
    labelled = labelled || a.label > 0;
  }
  return EstimatedCost(flat) * (labelled ? 2 : 1);
}

uint64_t HashOf(const NestedGraph& graph) {
  uint64_t h = MixBits(graph.boxes.size(), BitsOf(graph.pad) << 32 | BitsOf(graph.label_height));
  for (const NestedGraph::Box& box : graph.boxes) {
    h = MixBits(h, BitsOf(box.width) << 32 | BitsOf(box.height));
    h = MixBits(h, static_cast<uint64_t>(box.parent + 1) << 1 | static_cast<uint64_t>(box.open));
  }
  for (const NestedGraph::Arrow& a : graph.arrows) {
    h = MixBits(h, static_cast<uint64_t>(a.from) << 32 | static_cast<uint64_t>(a.to));
    h = MixBits(h, static_cast<uint64_t>(a.weight) << 32 | BitsOf(a.label));
  }
  return h;
}

}  // namespace hloscope
