// One level by Graphviz's dot, and what Graphviz needs in general.
#include <algorithm>
#include <cmath>
#include <string>

#include "visualizer/graph/graphviz.h"

namespace hloscope {
namespace {

constexpr float kTall = 80;  // pixels

bool Read(const LevelGraph& graph, Agraph_t* g, const std::vector<Agnode_t*>& nodes, const std::vector<Agedge_t*>& edges, LevelLayout& out) {
  const boxf box = GD_bb(g);
  out.width = static_cast<float>(box.UR.x - box.LL.x);
  out.height = static_cast<float>(box.UR.y - box.LL.y);
  out.boxes.resize(nodes.size());
  for (size_t k = 0; k < nodes.size(); ++k) {
    const Point center = PlaceIn(g, ND_coord(nodes[k]));
    out.boxes[k] = {center.x - graph.boxes[k].width / 2, center.y - graph.boxes[k].height / 2};
  }
  for (Agedge_t* edge : edges) {
    out.curves.push_back(CurveOf(g, edge));
    if (out.curves.back().empty()) return false;
  }
  return true;
}

}  // namespace

std::mutex& GraphvizDoor() {
  static std::mutex& door = *new std::mutex;
  return door;
}

GVC_t* GraphvizContext() {
  static GVC_t* context = [] {
    agseterr(AGMAX);  // it would write to the terminal
    return gvContext();
  }();
  return context;
}

void Set(void* object, const char* name, const std::string& value) { agsafeset(object, const_cast<char*>(name), const_cast<char*>(value.c_str()), const_cast<char*>("")); }

std::string Inches(float pixels) { return std::to_string(pixels / 72); }

void SetRoom(Agraph_t* graph, void* object, float width, float height) {
  const std::string table = "<TABLE BORDER=\"0\" CELLBORDER=\"0\" CELLPADDING=\"0\" CELLSPACING=\"0\" FIXEDSIZE=\"TRUE\" WIDTH=\"" + std::to_string(static_cast<int>(std::ceil(width))) + "\" HEIGHT=\"" +
                            std::to_string(static_cast<int>(std::ceil(height))) + "\"><TR><TD></TD></TR></TABLE>";
  char* const marked = agstrdup_html(graph, const_cast<char*>(table.c_str()));
  agsafeset(object, const_cast<char*>("label"), marked, const_cast<char*>(""));
  agstrfree(graph, marked);
}

Point PlaceIn(Agraph_t* graph, pointf at) {
  const boxf box = GD_bb(graph);
  return {static_cast<float>(at.x - box.LL.x), static_cast<float>(box.UR.y - at.y)};
}

std::vector<Point> CurveOf(Agraph_t* graph, Agedge_t* edge) {
  std::vector<Point> points;
  const splines* spline = ED_spl(edge);
  if (spline == nullptr || spline->size == 0 || spline->list[0].size < 4) return points;
  const bezier& curve = spline->list[0];
  for (int k = 0; k < curve.size; ++k) points.push_back(PlaceIn(graph, curve.list[k]));
  // dot may give the points from the head to the tail.
  const Point tail = PlaceIn(graph, ND_coord(agtail(edge))), head = PlaceIn(graph, ND_coord(aghead(edge)));
  const auto apart = [](Point a, Point b) { return (a.x - b.x) * (a.x - b.x) + (a.y - b.y) * (a.y - b.y); };
  if (apart(points.front(), tail) + apart(points.back(), head) > apart(points.front(), head) + apart(points.back(), tail)) std::reverse(points.begin(), points.end());
  return points;
}

LevelLayout LayOutGraphviz(const LevelGraph& graph) {
  if (graph.boxes.empty()) return {};
  std::lock_guard<std::mutex> lock(GraphvizDoor());
  Agraph_t* g = agopen(const_cast<char*>("level"), Agdirected, nullptr);
  Set(g, "rankdir", "TB");
  Set(g, "nodesep", "0.27");
  Set(g, "ranksep", "0.58");
  Set(g, "splines", "spline");
  Set(g, "nslimit", "4");
  Set(g, "nslimit1", "4");
  Set(g, "mclimit", "0.5");
  std::vector<Agnode_t*> nodes;
  for (size_t k = 0; k < graph.boxes.size(); ++k) {
    Agnode_t* node = agnode(g, const_cast<char*>(std::to_string(k).c_str()), 1);
    Set(node, "shape", "box");
    Set(node, "fixedsize", "true");
    Set(node, "label", "");
    Set(node, "width", Inches(graph.boxes[k].width));
    Set(node, "height", Inches(graph.boxes[k].height));
    nodes.push_back(node);
  }
  std::vector<Agedge_t*> edges;
  for (size_t e = 0; e < graph.arrows.size(); ++e) {
    Agedge_t* edge = agedge(g, nodes[graph.arrows[e].from], nodes[graph.arrows[e].to], const_cast<char*>(std::to_string(e).c_str()), 1);
    Set(edge, "arrowhead", "none");
    // Arrows of tall boxes begin and end below and above them, not at a side that is nearer to the middle.
    if (graph.boxes[graph.arrows[e].from].height > kTall) Set(edge, "tailport", "s");
    if (graph.boxes[graph.arrows[e].to].height > kTall) Set(edge, "headport", "n");
    if (graph.arrows[e].weight > 1) Set(edge, "weight", std::to_string(std::min(graph.arrows[e].weight, 8)));
    edges.push_back(edge);
  }
  LevelLayout out;
  bool good = gvLayout(GraphvizContext(), g, "dot") == 0;
  if (good) {
    good = Read(graph, g, nodes, edges, out);
    gvFreeLayout(GraphvizContext(), g);
  }
  agclose(g);
  return good ? out : LayOutLayered(graph);
}

}  // namespace hloscope
