#include "visualizer/graph/level.h"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "visualizer/graph/mix.h"

namespace hloscope {
namespace {

// Beyond this Graphviz would take longer than one waits; measured on levels of real programs.
constexpr int64_t kMostCost = 1100;
constexpr float kAcross = 20, kBetween = 44;

// Parts that no arrow joins, and where each is to stand.
struct Part {
  std::vector<int> boxes;   // numbers in the whole
  std::vector<int> arrows;
  LevelLayout layout;
};

LevelLayout LayOutPart(const LevelGraph& graph, const Part& part) {
  LevelGraph own;
  std::vector<int> place(graph.boxes.size(), -1);
  for (const int k : part.boxes) {
    place[k] = static_cast<int>(own.boxes.size());
    own.boxes.push_back(graph.boxes[k]);
  }
  if (own.boxes.size() == 1) {
    LevelLayout alone;
    alone.boxes = {{0, 0}};
    alone.width = own.boxes[0].width;
    alone.height = own.boxes[0].height;
    return alone;
  }
  for (const int e : part.arrows) own.arrows.push_back({place[graph.arrows[e].from], place[graph.arrows[e].to], graph.arrows[e].weight});
  return EstimatedCost(own) > kMostCost ? LayOutLayered(own) : LayOutGraphviz(own);
}

// In program order; those of a single box last.
std::vector<Part> PartsOf(const LevelGraph& graph) {
  const int n = static_cast<int>(graph.boxes.size());
  std::vector<int> head(n);
  std::iota(head.begin(), head.end(), 0);
  const auto find = [&](int k) {
    while (head[k] != k) k = head[k] = head[head[k]];
    return k;
  };
  for (const LevelGraph::Arrow& a : graph.arrows) {
    const int from = find(a.from), to = find(a.to);
    head[std::max(from, to)] = std::min(from, to);
  }
  std::vector<int> number(n, -1);
  std::vector<Part> parts;
  for (int k = 0; k < n; ++k) {
    const int first = find(k);
    if (number[first] < 0) {
      number[first] = static_cast<int>(parts.size());
      parts.emplace_back();
    }
    parts[number[first]].boxes.push_back(k);
  }
  for (size_t e = 0; e < graph.arrows.size(); ++e) parts[number[find(graph.arrows[e].from)]].arrows.push_back(static_cast<int>(e));
  std::stable_partition(parts.begin(), parts.end(), [](const Part& part) { return part.boxes.size() > 1; });
  return parts;
}

}  // namespace

LevelLayout LayOut(const LevelGraph& graph) {
  std::vector<Part> parts = PartsOf(graph);
  LevelLayout out;
  out.boxes.resize(graph.boxes.size());
  out.curves.resize(graph.arrows.size());
  float area = 0, widest = 0;
  for (Part& part : parts) {
    part.layout = LayOutPart(graph, part);
    area += (part.layout.width + kAcross) * (part.layout.height + kAcross);
    widest = std::max(widest, part.layout.width);
  }
  // Side by side in rows, about as wide as high in all.
  const float row = std::max(widest, std::sqrt(area * 1.6f));
  float x = 0, y = 0, height = 0;
  bool single = false;
  for (const Part& part : parts) {
    const LevelLayout& own = part.layout;
    const bool first_single = part.boxes.size() == 1 && !single && &part != &parts[0];
    if (x > 0 && (x + own.width > row || first_single)) {
      x = 0;
      y += height + (first_single ? kBetween : kAcross);
      height = 0;
    }
    single = part.boxes.size() == 1;
    for (size_t k = 0; k < part.boxes.size(); ++k) out.boxes[part.boxes[k]] = {own.boxes[k].x + x, own.boxes[k].y + y};
    for (size_t e = 0; e < part.arrows.size(); ++e) {
      std::vector<Point>& curve = out.curves[part.arrows[e]];
      curve = own.curves[e];
      for (Point& p : curve) p = {p.x + x, p.y + y};
    }
    out.width = std::max(out.width, x + own.width);
    x += own.width + kAcross * 1.5f;
    height = std::max(height, own.height);
    out.height = std::max(out.height, y + height);
  }
  return out;
}

uint64_t HashOf(const LevelGraph& graph) {
  uint64_t h = graph.boxes.size();
  for (const LevelGraph::Box& box : graph.boxes) h = MixBits(h, BitsOf(box.width) << 32 | BitsOf(box.height));
  for (const LevelGraph::Arrow& a : graph.arrows) h = MixBits(MixBits(h, static_cast<uint64_t>(a.from) << 32 | static_cast<uint64_t>(a.to)), static_cast<uint64_t>(a.weight));
  return h;
}

}  // namespace hloscope
