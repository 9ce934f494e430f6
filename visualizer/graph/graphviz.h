// What both layouts by Graphviz (graphviz_layout.cc, graphviz_nested.cc) need of it. Nothing else includes Graphviz.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_GRAPHVIZ_H_
#define HLOSCOPE_VISUALIZER_GRAPH_GRAPHVIZ_H_

#include <graphviz/gvc.h>
#include <graphviz/pathplan.h>

#include <mutex>
#include <string>
#include <vector>

#include "visualizer/graph/level.h"

namespace hloscope {

// The library is not made for threads: one at a time is let in.
std::mutex& GraphvizDoor();
GVC_t* GraphvizContext();
void Set(void* object, const char* name, const std::string& value);
// "0.61": a length in pixels as Graphviz takes it.
std::string Inches(float pixels);
// A label of this size without any text: room for what is drawn there afterwards.
void SetRoom(Agraph_t* graph, void* object, float width, float height);
// Where Graphviz put something, with y downward and the drawing's corner at 0, 0.
Point PlaceIn(Agraph_t* graph, pointf at);
// A cubic spline of 3n+1 points from the tail to the head; empty: there is none.
std::vector<Point> CurveOf(Agraph_t* graph, Agedge_t* edge);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_GRAPHVIZ_H_
