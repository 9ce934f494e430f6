// Every level of a program's graph, each laid out by itself with everything in it closed: for pages that open and close levels without
// Graphviz. Levels that are alike are laid out once. Not for what is open (scene.h).
#ifndef HLOSCOPE_VISUALIZER_EXPORT_LEVELS_H_
#define HLOSCOPE_VISUALIZER_EXPORT_LEVELS_H_

#include <cstdint>
#include <vector>

#include "visualizer/graph/scene.h"

namespace hloscope {

// A node's children as boxes and arrows, in the order of GraphNode::children.
struct GraphLevel {
  LevelGraph graph;           // all arrows, also those without a curve
  std::vector<char> minor;    // of each arrow: one of very many, or where longer ways lead too; drawn only when somebody points at its ends
  LevelLayout layout;         // its curves are empty where there is none; those of minor ones lead round boxes
};

struct GraphLevels {
  std::vector<GraphLevel> levels;  // different ones
  std::vector<int> of_node;        // of each node of the hierarchy; -1: it has no children
  bool hurried = false;            // time ran out, and the rest was laid out the fast way
};

// `boxes`: of each node (MakeSceneBox). After `seconds` of processor time levels are laid out the fast way.
GraphLevels MakeLevels(const Hierarchy& hierarchy, const std::vector<SceneBox>& boxes, double seconds);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_LEVELS_H_
