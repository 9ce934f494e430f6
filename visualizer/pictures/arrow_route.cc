#include "visualizer/pictures/arrow_route.h"

#include <algorithm>
#include <cmath>
#include <optional>

#include "visualizer/pictures/line_route.h"

namespace hloscope {
namespace {

constexpr float kLabels = 14;  // before cells, at least

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

// From one box of cells to another that stands further along x. `line_near`: of a grid, its line next to a y. `labels`: so much before
// the end's cells has labels, between which it goes level. `head`: what stands before the end's cells and must not be crossed: where it would
// be, the way leads around it and along the line beside the end's cell.
template <typename LineNear>
std::vector<Place> Along(Box start, Box start_body, Box end, Box end_body, float labels, std::optional<Box> head,
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
    route.Bend({back(body) - way * (way > 0 ? std::max(kLabels, grid->before() + 2) : 0), line});
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
  const float before = way > 0 ? std::min(last, to - std::max(kLabels, labels)) : std::max(last, to);
  if ((before - route.points().back().x) * way > 4) route.Bend({before, arrive});
  route.Line({last, arrive});
  const float inside = end.y == arrive ? corner : -corner;
  route.Cubic({last + way * 5, arrive}, {back(end) - way * 1, arrive + inside * 0.4f}, {back(end) + way * 3, arrive + inside});
  return std::move(route.points());
}

bool Meet(float low, float high, float other_low, float other_high) { return low < other_high && other_low < high; }

// Sideways out of the one grid, down beside what stands there, over the title of the other one, and in from its right: titles, numbers of rows and scales
// stand on the other sides.
class Around {
 public:
  Around(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others) : a_(*from.grid), b_(*to.grid), start_(from.cell), end_(to.cell), others_(others) {}

  std::vector<Place> Way() {
    over_ = b_.head().y;
    for (const Grid* grid : others_) {
      if (Meet(grid->head().y, grid->body().bottom(), b_.head().y, b_.body().bottom())) over_ = std::min(over_, grid->head().y);
    }
    over_ -= 4;
    float down = std::max(a_.right(), a_.foot().right()) + 7;
    for (const Grid* grid : others_) {
      if (grid->head().y > a_.body().bottom() && grid->body().bottom() < over_) down = std::max(down, std::max(grid->right(), grid->foot().right()) + 7);
    }
    // Where something stands on that side, on the other one.
    if (Taken(down)) down = std::min(a_.head().x, a_.body().x) - 5;
    const float in = std::max(b_.right() + 8, end_.right() + 16);
    const bool rightwards = down > start_.middle().x;
    const float edge = rightwards ? start_.right() : start_.x, leave = start_.bottom(), arrive = end_.y, inset = std::min({5.0f, start_.height / 3, end_.height / 3});
    const float side = rightwards ? 1.0f : -1.0f;
    const bool at_edge = rightwards && std::abs(edge - a_.body().right()) < 1;  // on the other side the number of its row stands beside it
    Route route(at_edge ? Place{edge, start_.middle().y} : Place{edge - side * 2, leave - inset});
    if (!at_edge) route.Cubic({edge + side * 2, leave - inset * 0.4f}, {edge + side * 5, leave}, {edge + side * 9, leave});
    const float last = end_.right() + 9;
    Rounded(route, {{down, route.points().back().y}, {down, over_}, {in, over_}, {in, arrive}, {last, arrive}});
    route.Cubic({last - 5, arrive}, {end_.right() + 1, arrive + inset * 0.4f}, {end_.right() - 3, arrive + inset});
    return std::move(route.points());
  }

 private:
  bool Taken(float x) const {
    return std::any_of(others_.begin(), others_.end(), [&](const Grid* grid) {
      const float low = grid->head().x - 2, high = std::max(grid->right(), grid->foot().right()) + 2, top = grid->head().y, bottom = std::max(grid->body().bottom(), grid->foot().bottom());
      return (Meet(top, bottom, start_.y, start_.bottom()) && Meet(low, high, a_.body().right(), x)) || (Meet(low, high, x - 1, x + 1) && Meet(top, bottom, start_.bottom(), over_));
    });
  }
  // Straight from each of these to the next, round their corners.
  static void Rounded(Route& route, const std::vector<Place>& by) {
    for (size_t k = 0; k + 1 < by.size(); ++k) {
      const Place corner = by[k];
      const auto towards = [&corner](Place p) {
        const float x = p.x - corner.x, y = p.y - corner.y, length = std::max(0.01f, std::sqrt(x * x + y * y)), share = std::min(5.0f, length / 2) / length;
        return Place{corner.x + x * share, corner.y + y * share};
      };
      const Place before = towards(route.points().back()), after = towards(by[k + 1]);
      route.Line(before);
      route.Cubic({(before.x + 2 * corner.x) / 3, (before.y + 2 * corner.y) / 3}, {(after.x + 2 * corner.x) / 3, (after.y + 2 * corner.y) / 3}, after);
    }
    route.Line(by.back());
  }

  const Grid &a_, &b_;
  const Box start_, end_;
  const absl::Span<const Grid* const> others_;
  float over_ = 0;
};

// Without a look at what is written there; nothing: it would lead far around.
std::optional<std::vector<Place>> PlainRoute(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others) {
  const Box a = from.grid->body(), b = to.grid->body();
  const bool beside = b.x >= a.right() - 1 || b.right() <= a.x + 1;
  const bool below = to.grid->head().y >= a.bottom() - 1;
  const auto on_scale = [&from](float x) { return from.grid->foot().width > 0 && x > from.grid->foot().x - 4 && x < from.grid->foot().right() + 4; };
  constexpr float kRoomToBend = 40;  // beside the other one's title
  const bool narrow = beside && to.grid->head().x < from.grid->right() + kRoomToBend;
  if (below && (narrow || (!beside && (on_scale(from.cell.x) || on_scale(from.cell.right()))))) return std::nullopt;
  std::vector<std::pair<Box, const Grid*>> between;
  for (const Grid* grid : others) between.emplace_back(beside ? grid->body() : Turned(grid->body()), grid);
  if (beside)
    return Along(from.cell, a, to.cell, b, to.grid->before() + 2, std::nullopt, std::move(between), [](const Grid& g, float y) { return g.RowLineNear(y); });
  std::vector<Place> points = Along(Turned(from.cell), Turned(a), Turned(to.cell), Turned(b), 0, Turned(to.grid->head()), std::move(between),
                                    [](const Grid& g, float x) { return g.ColumnLineNear(x); });
  for (Place& p : points) p = Turned(p);
  return points;
}

}  // namespace

namespace {

constexpr float kDetour = 1.5f, kSomeWay = 100;  // so many times as long as straight on, and so much more: that is far around

float LengthOf(const std::vector<Place>& path) {
  float length = 0;
  for (size_t k = 0; k + 3 < path.size(); k += 3) length += std::hypot(path[k + 3].x - path[k].x, path[k + 3].y - path[k].y);
  return length;
}

}  // namespace

std::vector<Place> ArrowRoute(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words) {
  std::optional<std::vector<Place>> plain = PlainRoute(from, to, others);
  const bool good = plain && !RunsThroughWords(*plain, from, to, others, words);
  const Place a = from.cell.middle(), b = to.cell.middle();
  if (good && LengthOf(*plain) < kDetour * (std::abs(a.x - b.x) + std::abs(a.y - b.y)) + kSomeWay) return *std::move(plain);
  std::vector<Place> lines = LineRoute(from, to, others, words);
  if (!lines.empty() && (!good || LengthOf(lines) < LengthOf(*plain))) return lines;
  return plain ? *std::move(plain) : Around(from, to, others).Way();
}

}  // namespace hloscope
