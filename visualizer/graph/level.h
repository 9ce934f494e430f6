// One level of the graph: boxes of given sizes and arrows between them, and where a layout puts them. Pure: the same level gives the same
// layout. Two ways: Graphviz, and a fast layered layout for levels where Graphviz would take too long.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_LEVEL_H_
#define HLOSCOPE_VISUALIZER_GRAPH_LEVEL_H_

#include <cstdint>
#include <utility>
#include <vector>

namespace hloscope {

struct Point {
  float x = 0, y = 0;
};

struct LevelGraph {
  struct Box {
    float width = 0, height = 0;
  };
  struct Arrow {
    int from = 0, to = 0;  // different boxes; no two arrows are alike
    int weight = 1;        // heavier ones are kept straight
    bool needed = false;   // not taken out of a crowded level
  };
  std::vector<Box> boxes;  // in program order: where arrows form a circle, those against the order go up
  std::vector<Arrow> arrows;
};

// Y grows downward; everything lies within (0, 0) and (width, height).
struct LevelLayout {
  std::vector<Point> boxes;               // top left corners
  std::vector<std::vector<Point>> curves;  // of each arrow: a cubic spline of 3n+1 points, from `from` to `to`
  float width = 0, height = 0;
};

// The one that suits, for each part that arrows join; parts stand in rows, lone boxes below the others.
LevelLayout LayOut(const LevelGraph& graph);
LevelLayout LayOutLayered(const LevelGraph& graph);
// Only one thread at a time is let in. Falls back on LayOutLayered where Graphviz fails.
LevelLayout LayOutGraphviz(const LevelGraph& graph);

// Two levels that are alike have the same, and hardly any others.
uint64_t HashOf(const LevelGraph& graph);

// About how much Graphviz has to do: boxes and the places where arrows pass a rank.
int64_t EstimatedCost(const LevelGraph& graph);
// Layers of the boxes: the longest way from the top, and boxes without arrows into them just above the first that they lead to.
std::vector<int> Ranks(const LevelGraph& graph);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_LEVEL_H_
