// Ways for arrows that no layout has bent, or that would run behind a box: the shortest one round the boxes, bent by Graphviz. Pure.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_WAYS_ROUND_H_
#define HLOSCOPE_VISUALIZER_GRAPH_WAYS_ROUND_H_

#include <cstdint>
#include <vector>

#include "visualizer/graph/level.h"

namespace hloscope {

struct Area {
  float left = 0, top = 0, right = 0, bottom = 0;
  bool Meets(const Area& other) const { return left < other.right && right > other.left && top < other.bottom && bottom > other.top; }
};

// A place on a cubic spline of 3n+1 points: `t` from 0 to 1 in the piece.
Point OnCurve(const std::vector<Point>& curve, int piece, float t);
// Whether some of the curve lies within the area.
bool RunsThrough(const std::vector<Point>& curve, const Area& area);

// Finds ways, until it has looked at so many pairs of lines and boxes in all: what is asked afterwards finds none.
class WaysRound {
 public:
  explicit WaysRound(int64_t most_looks) : left_(most_looks) {}
  bool tired() const { return left_ <= 0; }
  // From the lower edge of a box to the upper edge of another, each where it is told, as a cubic spline of 3n+1 points that runs through none of
  // `round` nor of the two, and stays within an area. Empty: there is no such way, or it was not looked for any more. Only one thread at a time is let in.
  std::vector<Point> Find(Point from, Point to, const Area& from_box, const Area& to_box, const std::vector<Area>& round,
                          const Area& within);

 private:
  std::vector<Point> Shortest(Point from, Point to, const std::vector<Area>& round, const Area& within);
  // The first of the areas that a line comes into; -1: none.
  int InTheWay(Point a, Point b, const std::vector<Area>& round);

  int64_t left_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_WAYS_ROUND_H_
