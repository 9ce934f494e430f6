#include "visualizer/pictures/arrow_route.h"

#include <algorithm>
#include <cmath>
#include <optional>

namespace hloscope {
namespace {

// A way along one direction, which is x here; what goes down is turned before and after.
Place Turned(Place p) { return {p.y, p.x}; }
Box Turned(Box b) { return {b.y, b.x, b.height, b.width}; }

class Route {
 public:
  explicit Route(Place begin) : points_{begin} {}
  // Straight on.
  void Line(Place to) {
    const Place from = points_.back();
    if (std::abs(to.x - from.x) < 0.5f && std::abs(to.y - from.y) < 0.5f) return;
    Cubic({from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3}, {to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3}, to);
  }
  // Level at both ends.
  void Bend(Place to) {
    const Place from = points_.back();
    const float by = (to.x - from.x) * 0.45f;
    Cubic({from.x + by, from.y}, {to.x - by, to.y}, to);
  }
  void Cubic(Place a, Place b, Place to) { points_.insert(points_.end(), {a, b, to}); }
  std::vector<Place>& points() { return points_; }

 private:
  std::vector<Place> points_;
};

// From one box of cells to another that stands further along x. `line_near`: of a grid, its line next to a y. `head`: what stands before
// the end's cells and must not be crossed: where it would be, the way leads around it and along the line beside the end's cell.
template <typename LineNear>
std::vector<Place> Along(Box start, Box start_body, Box end, Box end_body, std::optional<Box> head,
                         std::vector<std::pair<Box, const Grid*>> others, const LineNear& line_near) {
  const float way = end.x >= start.x ? 1.0f : -1.0f;
  const auto front = [way](const Box& b) { return way > 0 ? b.right() : b.x; };
  const auto back = [way](const Box& b) { return way > 0 ? b.x : b.right(); };
  const float s = start.middle().y, e = end.middle().y;
  // On the side where the other one is; where they are level, above.
  const bool level = std::abs(s - e) < 2, down = e > s && !level;
  const float leave = down ? start.bottom() : start.y, arrive = down ? end.y : level ? end.y : end.bottom();
  const bool at_edge = std::abs(front(start) - front(start_body)) < 1;
  const float corner = std::min({5.0f, start.height / 3, end.height / 3});
  Route route(at_edge ? Place{front(start), s} : Place{front(start) - way * 2, leave + (down ? -corner : corner)});
  if (!at_edge) {
    const float after = front(start) + way * 9;
    route.Cubic({front(start) + way * 2, leave + (down ? -corner : corner) * 0.4f}, {after - way * 4, leave}, {after, leave});
    route.Line({front(start_body), leave});
  }
  std::sort(others.begin(), others.end(), [way](const auto& a, const auto& b) { return (a.first.x - b.first.x) * way < 0; });
  const float from = front(start_body), to = back(end_body);
  for (const auto& [body, grid] : others) {
    if ((back(body) - from) * way <= 0 || (to - front(body)) * way <= 0) continue;
    const float share = (body.middle().x - from) / std::max(1e-3f, std::abs(to - from)) * way, y = leave + (arrive - leave) * share;
    if (y < body.y - 2 || y > body.bottom() + 2) continue;
    const float line = line_near(*grid, y);
    // Labels of rows stand before the cells.
    route.Bend({back(body) - way * (way > 0 ? 14.0f : 0), line});
    route.Line({front(body), line});
  }
  const Place now = route.points().back();
  const auto at_head = [&head](float low, float high) { return head->y - 2 < high && low < head->bottom() + 2; };
  if (head && way > 0 && at_head(arrive, arrive)) {
    const float beside = std::max(head->bottom(), end_body.bottom()) + 5, line = end.x;
    route.Bend({head->x - 2, beside});
    route.Line({line - 8, beside});
    route.Cubic({line - 3, beside}, {line, beside - 3}, {line, beside - 8});
    route.Line({line, end.bottom() + 3});
    route.Cubic({line, end.bottom() - 2}, {line + corner * 0.4f, end.bottom() - 4}, {line + corner, end.bottom() - corner - 2});
    return std::move(route.points());
  }
  if (head && way > 0 && at_head(std::min(now.y, arrive), std::max(now.y, arrive))) route.Bend({head->x - 2, arrive});
  const float last = back(end) - way * 9;
  const float before = way > 0 ? std::min(last, to - 14) : std::max(last, to);
  if ((before - route.points().back().x) * way > 4) route.Bend({before, arrive});
  route.Line({last, arrive});
  const float inside = end.y == arrive ? corner : -corner;
  route.Cubic({last + way * 5, arrive}, {back(end) - way * 1, arrive + inside * 0.4f}, {back(end) + way * 3, arrive + inside});
  return std::move(route.points());
}

}  // namespace

std::vector<Place> ArrowRoute(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others) {
  const Box a = from.grid->body(), b = to.grid->body();
  const bool beside = b.x >= a.right() - 1 || b.right() <= a.x + 1;
  std::vector<std::pair<Box, const Grid*>> between;
  for (const Grid* grid : others) between.emplace_back(beside ? grid->body() : Turned(grid->body()), grid);
  if (beside)
    return Along(from.cell, a, to.cell, b, std::nullopt, std::move(between), [](const Grid& g, float y) { return g.RowLineNear(y); });
  std::vector<Place> points = Along(Turned(from.cell), Turned(a), Turned(to.cell), Turned(b), Turned(to.grid->head()), std::move(between),
                                    [](const Grid& g, float x) { return g.ColumnLineNear(x); });
  for (Place& p : points) p = Turned(p);
  return points;
}

}  // namespace hloscope
