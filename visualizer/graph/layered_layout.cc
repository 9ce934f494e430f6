// The fast layered layout: layers by longest way, order within them by the middle of the neighbours, places by pulling towards neighbours.
#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "visualizer/graph/level.h"

namespace hloscope {
namespace {

constexpr float kAcross = 20, kBetween = 44;
constexpr int kMostPlaces = 6000;  // boxes and bends
constexpr int kMostInRow = 14;     // boxes without arrows that stand side by side

struct Place {
  int rank = 0;
  float width = 8, height = 0, x = 0;  // x: of the centre
  std::vector<int> up, down;
};

// Boxes without any arrow do not belong to a layer: they stand in rows of their own below.
std::vector<char> Lone(const LevelGraph& graph) {
  std::vector<char> lone(graph.boxes.size(), 1);
  for (const LevelGraph::Arrow& a : graph.arrows) lone[a.from] = lone[a.to] = 0;
  return lone;
}

float Middle(const std::vector<int>& of, const std::vector<Place>& places) {
  float sum = 0;
  for (const int k : of) sum += places[k].x;
  return sum / static_cast<float>(of.size());
}

// Puts a row's places near where they want to be, in their order, without overlap.
void Settle(const std::vector<int>& row, const std::vector<float>& wanted, std::vector<Place>& places) {
  // Blocks that stand together at the mean of what their members want.
  struct Block {
    size_t begin, end;
    float at, sum;  // of the first member; sum of wishes for it
  };
  std::vector<Block> blocks;
  std::vector<float> shift(row.size(), 0);
  for (size_t k = 1; k < row.size(); ++k) shift[k] = shift[k - 1] + (places[row[k - 1]].width + places[row[k]].width) / 2 + kAcross;
  for (size_t k = 0; k < row.size(); ++k) {
    Block block{k, k + 1, wanted[k] - shift[k], wanted[k] - shift[k]};
    while (!blocks.empty() && blocks.back().at > block.at) {
      block.begin = blocks.back().begin;
      block.sum += blocks.back().sum;
      block.at = block.sum / static_cast<float>(block.end - block.begin);
      blocks.pop_back();
    }
    blocks.push_back(block);
  }
  for (const Block& block : blocks) {
    for (size_t k = block.begin; k < block.end; ++k) places[row[k]].x = block.at + shift[k];
  }
}

}  // namespace

std::vector<int> Ranks(const LevelGraph& graph) {
  const int n = static_cast<int>(graph.boxes.size());
  // Arrows against the order are turned round, so there are no circles and the order is topological.
  std::vector<std::vector<int>> down(n), up(n);
  for (const LevelGraph::Arrow& a : graph.arrows) {
    down[std::min(a.from, a.to)].push_back(std::max(a.from, a.to));
    up[std::max(a.from, a.to)].push_back(std::min(a.from, a.to));
  }
  std::vector<int> rank(n, 0);
  for (int k = 0; k < n; ++k) {
    for (const int to : down[k]) rank[to] = std::max(rank[to], rank[k] + 1);
  }
  for (int k = n - 1; k >= 0; --k) {
    if (!up[k].empty() || down[k].empty()) continue;
    int first = std::numeric_limits<int>::max();
    for (const int to : down[k]) first = std::min(first, rank[to]);
    rank[k] = std::max(rank[k], first - 1);
  }
  return rank;
}

int64_t EstimatedCost(const LevelGraph& graph) {
  const std::vector<int> rank = Ranks(graph);
  int64_t cost = static_cast<int64_t>(graph.boxes.size());
  for (const LevelGraph::Arrow& a : graph.arrows) cost += std::max(1, std::abs(rank[a.from] - rank[a.to]));
  return cost;
}

LevelLayout LayOutLayered(const LevelGraph& graph) {
  const int n = static_cast<int>(graph.boxes.size());
  LevelLayout out;
  out.boxes.resize(n);
  out.curves.resize(graph.arrows.size());
  if (n == 0) return out;
  const std::vector<int> rank = Ranks(graph);
  const std::vector<char> lone = Lone(graph);
  std::vector<Place> places(n);
  int ranks = 0;
  for (int k = 0; k < n; ++k) {
    places[k] = {rank[k], graph.boxes[k].width, graph.boxes[k].height, 0, {}, {}};
    if (!lone[k]) ranks = std::max(ranks, rank[k] + 1);
  }
  // Bends where an arrow passes a layer, while there are not too many.
  std::vector<std::vector<int>> bends(graph.arrows.size());
  const auto join = [&](int above, int below) {
    places[above].down.push_back(below);
    places[below].up.push_back(above);
  };
  const bool bent = EstimatedCost(graph) <= kMostPlaces;
  for (size_t e = 0; e < graph.arrows.size(); ++e) {
    int above = graph.arrows[e].from, below = graph.arrows[e].to;
    if (places[above].rank > places[below].rank) std::swap(above, below);
    int last = above;
    if (bent) {
      for (int r = places[above].rank + 1; r < places[below].rank; ++r) {
        Place bend;
        bend.rank = r;
        places.push_back(bend);
        bends[e].push_back(static_cast<int>(places.size()) - 1);
        join(last, bends[e].back());
        last = bends[e].back();
      }
    }
    if (places[last].rank != places[below].rank) join(last, below);
  }
  std::vector<std::vector<int>> rows(ranks);
  for (size_t k = 0; k < places.size(); ++k) {
    if (static_cast<int>(k) >= n || !lone[k]) rows[places[k].rank].push_back(static_cast<int>(k));
  }
  // Order, then places; downward and upward in turn.
  for (std::vector<int>& row : rows) {
    std::vector<float> wanted(row.size(), 0);
    Settle(row, wanted, places);
  }
  for (int sweep = 0; sweep < 8; ++sweep) {
    const bool downward = sweep % 2 == 0;
    for (int step = 0; step < ranks; ++step) {
      std::vector<int>& row = rows[downward ? step : ranks - 1 - step];
      std::vector<std::pair<float, int>> keyed;
      for (const int k : row) {
        const std::vector<int>& near = downward ? places[k].up : places[k].down;
        keyed.push_back({near.empty() ? places[k].x : Middle(near, places), k});
      }
      if (sweep < 6) std::stable_sort(keyed.begin(), keyed.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
      std::vector<float> wanted;
      for (size_t k = 0; k < row.size(); ++k) {
        row[k] = keyed[k].second;
        wanted.push_back(keyed[k].first);
      }
      Settle(row, wanted, places);
    }
  }
  // Layers from the top.
  std::vector<float> top(ranks + 1, 0);
  for (int r = 0; r < ranks; ++r) {
    float height = 0;
    for (const int k : rows[r]) height = std::max(height, places[k].height);
    top[r + 1] = top[r] + height + kBetween;
  }
  float left = std::numeric_limits<float>::max(), right = -left;
  for (const std::vector<int>& row : rows) {
    for (const int k : row) {
      left = std::min(left, places[k].x - places[k].width / 2);
      right = std::max(right, places[k].x + places[k].width / 2);
    }
  }
  if (ranks == 0) left = right = 0;
  const auto height_of = [&](int r) { return top[r + 1] - top[r] - kBetween; };
  for (int k = 0; k < n; ++k) {
    if (!lone[k]) out.boxes[k] = {places[k].x - places[k].width / 2 - left, top[rank[k]] + (height_of(rank[k]) - places[k].height) / 2};
  }
  float bottom = ranks > 0 ? top[ranks] - kBetween : 0;
  out.width = right - left;
  // The lone ones, in rows.
  float x = 0, y = ranks > 0 ? bottom + kBetween : 0, row_height = 0;
  int in_row = 0;
  const int per_row = std::clamp(static_cast<int>(std::ceil(std::sqrt(static_cast<double>(std::count(lone.begin(), lone.end(), 1)) * 0.6))), 3, kMostInRow);
  for (int k = 0; k < n; ++k) {
    if (!lone[k]) continue;
    if (in_row == per_row) {
      x = 0;
      y += row_height + kAcross;
      row_height = 0;
      in_row = 0;
    }
    out.boxes[k] = {x, y};
    x += graph.boxes[k].width + kAcross;
    out.width = std::max(out.width, x - kAcross);
    row_height = std::max(row_height, graph.boxes[k].height);
    bottom = std::max(bottom, y + row_height);
    ++in_row;
  }
  out.height = bottom;
  for (size_t e = 0; e < graph.arrows.size(); ++e) {
    const int from = graph.arrows[e].from, to = graph.arrows[e].to;
    const bool turned = places[from].rank > places[to].rank;
    const int above = turned ? to : from, below = turned ? from : to;
    std::vector<Point> via = {{places[above].x - left, out.boxes[above].y + graph.boxes[above].height}};
    for (const int bend : bends[e]) {
      const int r = places[bend].rank;
      via.push_back({places[bend].x - left, top[r]});
      via.push_back({places[bend].x - left, top[r] + height_of(r)});
    }
    via.push_back({places[below].x - left, out.boxes[below].y});
    std::vector<Point>& curve = out.curves[e];
    curve.push_back(via[0]);
    for (size_t k = 0; k + 1 < via.size(); ++k) {
      const float d = std::max(8.0f, (via[k + 1].y - via[k].y) * 0.5f);
      curve.push_back({via[k].x, via[k].y + d});
      curve.push_back({via[k + 1].x, via[k + 1].y - d});
      curve.push_back(via[k + 1]);
    }
    if (turned) std::reverse(curve.begin(), curve.end());
  }
  return out;
}

}  // namespace hloscope
