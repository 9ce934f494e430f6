#include "visualizer/graph/level.h"

#include <algorithm>
#include <cmath>

namespace hloscope {
namespace {

// Beyond this Graphviz would take longer than one waits; measured on levels of real programs.
constexpr int64_t kMostCost = 1100;
constexpr float kAcross = 20, kBetween = 44;

// Rows of boxes that nothing leads to or from, below what is there.
void PutRows(const LevelGraph& graph, const std::vector<int>& lone, LevelLayout& out) {
  float area = 0, widest = out.width;
  for (const int k : lone) {
    area += (graph.boxes[k].width + kAcross) * (graph.boxes[k].height + kAcross);
    widest = std::max(widest, graph.boxes[k].width);
  }
  const float row = std::max(widest, std::sqrt(area * 1.8f));
  float x = 0, y = out.height > 0 ? out.height + kBetween : 0, height = 0;
  for (const int k : lone) {
    const LevelGraph::Box& box = graph.boxes[k];
    if (x > 0 && x + box.width > row) {
      x = 0;
      y += height + kAcross;
      height = 0;
    }
    out.boxes[k] = {x, y};
    out.width = std::max(out.width, x + box.width);
    x += box.width + kAcross;
    height = std::max(height, box.height);
    out.height = std::max(out.height, y + height);
  }
}

}  // namespace

LevelLayout LayOut(const LevelGraph& graph) {
  LevelGraph joined;
  std::vector<int> place(graph.boxes.size(), -1), lone, original;
  std::vector<char> has_arrow(graph.boxes.size(), 0);
  for (const LevelGraph::Arrow& a : graph.arrows) has_arrow[a.from] = has_arrow[a.to] = 1;
  for (size_t k = 0; k < graph.boxes.size(); ++k) {
    if (!has_arrow[k]) {
      lone.push_back(static_cast<int>(k));
      continue;
    }
    place[k] = static_cast<int>(joined.boxes.size());
    joined.boxes.push_back(graph.boxes[k]);
    original.push_back(static_cast<int>(k));
  }
  for (const LevelGraph::Arrow& a : graph.arrows) joined.arrows.push_back({place[a.from], place[a.to], a.weight});
  LevelLayout made = joined.boxes.empty() ? LevelLayout() : EstimatedCost(joined) > kMostCost ? LayOutLayered(joined) : LayOutGraphviz(joined);
  LevelLayout out;
  out.width = made.width;
  out.height = made.height;
  out.curves = std::move(made.curves);
  out.boxes.resize(graph.boxes.size());
  for (size_t k = 0; k < original.size(); ++k) out.boxes[original[k]] = made.boxes[k];
  PutRows(graph, lone, out);
  return out;
}

}  // namespace hloscope
