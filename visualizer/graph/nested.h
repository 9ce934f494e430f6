// Boxes within boxes and arrows between any of them, laid out all at once: arrows that cross the edge of a box find their way round what is
// inside, and labels get room of their own. Better to look at than a level at a time (level.h), and slower: for what is small. Pure.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_NESTED_H_
#define HLOSCOPE_VISUALIZER_GRAPH_NESTED_H_

#include <cstdint>
#include <vector>

#include "visualizer/graph/level.h"

namespace hloscope {

struct NestedGraph {
  struct Box {
    int parent = -1;               // an earlier one; -1: none
    bool open = false;             // has others within: width is the least, height that of the title
    float width = 0, height = 0;
  };
  struct Arrow {
    int from = 0, to = 0;          // neither is within the other
    int weight = 1;
    float label = 0;               // width of its label; 0: none
  };
  std::vector<Box> boxes;          // parents first, else in program order
  std::vector<Arrow> arrows;
  float pad = 14, label_height = 14;
};

struct NestedLayout {
  std::vector<Point> boxes;        // top left corners
  std::vector<LevelGraph::Box> sizes;
  std::vector<std::vector<Point>> curves;
  std::vector<Point> labels;       // middles, of the arrows that have one
  float width = 0, height = 0;
};

// False: Graphviz failed. Only one thread at a time is let in.
bool LayOutNested(const NestedGraph& graph, NestedLayout* out);
// About how much Graphviz has to do.
int64_t EstimatedCost(const NestedGraph& graph);
uint64_t HashOf(const NestedGraph& graph);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_NESTED_H_
