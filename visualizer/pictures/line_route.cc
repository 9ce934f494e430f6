#include "visualizer/pictures/line_route.h"

#include <algorithm>
#include <cmath>
#include <optional>
#include <queue>
#include <set>

namespace hloscope {
namespace {

constexpr float kAside = 6;      // from what a way leads along
constexpr float kClear = 4;      // at the sides of words
constexpr float kBend = 30;      // a corner costs as much as so long a way
constexpr float kThroughCells = 5;  // a grid that it does not join is gone round, unless that is so many times as long
constexpr float kCorner = 5;

bool Within(float x, float low, float high) { return x > low && x < high; }

// A line from a to b, level or upright, and a box without its edges.
bool Enters(Place a, Place b, const Box& box) {
  return std::max(a.x, b.x) > box.x + 0.5f && std::min(a.x, b.x) < box.right() - 0.5f && std::max(a.y, b.y) > box.y + 0.5f && std::min(a.y, b.y) < box.bottom() - 0.5f;
}

// The title, and the numbers of rows and columns beside the cells.
Box LabelsOfColumns(const Grid& grid) {
  const Box body = grid.body(), head = grid.head();
  return {body.x, head.bottom(), grid.right() - body.x, body.y - head.bottom()};
}
Box LabelsOfRows(const Grid& grid) {
  const Box body = grid.body();
  const float room = grid.before() + kClear;
  return {body.x - room, body.y, room, body.height};
}

class Search {
 public:
  Search(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words) : from_(from), to_(to), words_(words.begin(), words.end()) {
    grids_ = {from.grid, to.grid};
    grids_.insert(grids_.end(), others.begin(), others.end());
    for (const Grid* grid : grids_) {
      const Box head = grid->head(), foot = grid->foot();
      words_.push_back({head.x - kClear, head.y, head.width + 2 * kClear, head.height});
      if (foot.width > 0) words_.push_back({foot.x - kClear, foot.y, foot.width + 2 * kClear, foot.height});
      // The letters of dimensions, in the corner, that of the rows a little below the first line.
      const Box rows = LabelsOfRows(*grid), columns = LabelsOfColumns(*grid);
      const float left = std::min(rows.x, grid->head().x) - 2;
      words_.push_back({left, columns.y, rows.right() - left, columns.height + 5});
    }
    Lines();
  }

  std::vector<Place> Find() {
    struct Try {
      float whole, done;
      int at, before;
      bool operator<(const Try& other) const { return whole > other.whole; }
    };
    const int nx = static_cast<int>(xs_.size()), ny = static_cast<int>(ys_.size());
    // A place and the direction one came from: right, down, left, up.
    const auto number = [&](int x, int y, int way) { return (y * nx + x) * 4 + way; };
    const auto place = [&](int at) { return Place{xs_[static_cast<size_t>(at / 4 % nx)], ys_[static_cast<size_t>(at / 4 / nx)]}; };
    std::vector<int> before(static_cast<size_t>(nx) * static_cast<size_t>(ny) * 4, -2);
    std::priority_queue<Try> open;
    const Place goal = to_.cell.middle();
    const auto left = [&](Place p) { return std::abs(p.x - goal.x) + std::abs(p.y - goal.y) - (to_.cell.width + to_.cell.height) / 2; };
    for (int x = 0; x < nx; ++x) {
      for (int y = 0; y < ny; ++y) {
        for (int way = 0; way < 4; ++way) {
          const Place p{xs_[static_cast<size_t>(x)], ys_[static_cast<size_t>(y)]};
          if (Leads(from_.cell, p, way, true)) open.push({left(p), 0, number(x, y, way), -1});
        }
      }
    }
    while (!open.empty()) {
      const Try next = open.top();
      open.pop();
      if (before[static_cast<size_t>(next.at)] != -2) continue;
      before[static_cast<size_t>(next.at)] = next.before;
      const Place p = place(next.at);
      const int way = next.at % 4;
      if (next.before >= 0 && Leads(to_.cell, p, way, false)) {
        std::vector<Place> corners;
        for (int k = next.at; k >= 0; k = before[static_cast<size_t>(k)]) corners.push_back(place(k));
        std::reverse(corners.begin(), corners.end());
        return Drawn(corners);
      }
      for (int turn = 0; turn < 4; ++turn) {
        if (turn == (way + 2) % 4 || (next.before < 0 && turn != way)) continue;
        const int x = next.at / 4 % nx + kX[turn], y = next.at / 4 / nx + kY[turn];
        if (x < 0 || y < 0 || x >= nx || y >= ny) continue;
        const Place q{xs_[static_cast<size_t>(x)], ys_[static_cast<size_t>(y)]};
        const std::optional<float> cost = Cost(p, q);
        if (!cost) continue;
        const float done = next.done + *cost + (turn == way ? 0 : kBend);
        open.push({done + left(q), done, number(x, y, turn), next.at});
      }
    }
    return {};
  }

 private:
  static constexpr int kX[] = {1, 0, -1, 0}, kY[] = {0, 1, 0, -1};

  // Where ways may run.
  void Lines() {
    std::set<float> xs, ys;
    for (const Box& cell : {from_.cell, to_.cell}) {
      for (const float x : {cell.x, cell.right()}) xs.insert(x);
      for (const float y : {cell.y, cell.bottom()}) ys.insert(y);
    }
    for (const Box& box : words_) {
      for (const float x : {box.x - kAside, box.right() + kAside}) xs.insert(x);
      for (const float y : {box.y - kAside, box.bottom() + kAside}) ys.insert(y);
    }
    for (const Grid* grid : grids_) {
      for (const float x : {LabelsOfRows(*grid).x - kAside, grid->right() + kAside}) xs.insert(x);
      ys.insert(grid->body().bottom() + kAside);
    }
    const std::vector<float> all_x(xs.begin(), xs.end()), all_y(ys.begin(), ys.end());
    for (const Grid* grid : grids_) {
      for (const float x : all_x) {
        if (Within(x, grid->body().x - 40, grid->right() + 40)) xs.insert(grid->ColumnLineNear(x));
      }
      for (const float y : all_y) {
        if (Within(y, grid->body().y - 40, grid->body().bottom() + 40)) ys.insert(grid->RowLineNear(y));
      }
    }
    const auto apart = [](const std::set<float>& of) {
      std::vector<float> out;
      for (const float x : of) {
        if (out.empty() || x - out.back() > 0.5f) out.push_back(x);
      }
      return out;
    };
    xs_ = apart(xs);
    ys_ = apart(ys);
  }

  // Whether a way in that direction leaves the cell (or comes to it) by the corner where it is, along the line through it.
  static bool Leads(const Box& cell, Place p, int way, bool out) {
    const auto at = [](float a, float b) { return std::abs(a - b) < 1; };
    if (!(at(p.x, cell.x) || at(p.x, cell.right())) || !(at(p.y, cell.y) || at(p.y, cell.bottom()))) return false;
    const int sign = out ? 1 : -1;
    return (kX[way] * sign > 0 && at(p.x, cell.right())) || (kX[way] * sign < 0 && at(p.x, cell.x)) || (kY[way] * sign > 0 && at(p.y, cell.bottom())) || (kY[way] * sign < 0 && at(p.y, cell.y));
  }

  // What a piece costs; nothing: it runs through something.
  std::optional<float> Cost(Place a, Place b) const {
    for (const Box& word : words_) {
      if (Enters(a, b, word)) return std::nullopt;
    }
    const bool level = std::abs(a.y - b.y) < 0.01f;
    float cost = std::abs(a.x - b.x) + std::abs(a.y - b.y);
    for (const Grid* grid : grids_) {
      // Upright between the columns' numbers, level between those of rows; between cells both.
      const Box body = grid->body(), whole = {body.x, body.y, grid->right() - body.x, body.height};
      const bool on_line = level ? std::abs(grid->RowLineNear(a.y) - a.y) < 1 : std::abs(grid->ColumnLineNear(a.x) - a.x) < 1;
      if (Enters(a, b, LabelsOfColumns(*grid)) && (level || !on_line)) return std::nullopt;
      if (Enters(a, b, LabelsOfRows(*grid)) && (!level || !on_line)) return std::nullopt;
      if (!Enters(a, b, whole)) continue;
      if (!on_line) return std::nullopt;
      if (grid != from_.grid && grid != to_.grid) cost *= kThroughCells;
    }
    return cost;
  }

  static Place Towards(Place from, Place to, float by) {
    const float x = to.x - from.x, y = to.y - from.y, length = std::max(0.01f, std::hypot(x, y));
    return {from.x + x / length * by, from.y + y / length * by};
  }

  // Out of the inside of the one cell, round the corners, and into the other.
  std::vector<Place> Drawn(std::vector<Place> corners) const {
    std::vector<Place> turns = {corners.front()};
    for (size_t k = 1; k + 1 < corners.size(); ++k) {
      const bool straight = (std::abs(corners[k].x - turns.back().x) < 0.01f && std::abs(corners[k].x - corners[k + 1].x) < 0.01f) ||
                            (std::abs(corners[k].y - turns.back().y) < 0.01f && std::abs(corners[k].y - corners[k + 1].y) < 0.01f);
      if (!straight) turns.push_back(corners[k]);
    }
    turns.push_back(corners.back());
    std::vector<Place> out;
    const auto cubic = [&](Place a, Place b, Place to) { out.insert(out.end(), {a, b, to}); };
    const auto line = [&](Place to) {
      const Place from = out.back();
      cubic({from.x + (to.x - from.x) / 3, from.y + (to.y - from.y) / 3}, {to.x - (to.x - from.x) / 3, to.y - (to.y - from.y) / 3}, to);
    };
    const Place first = turns.front(), last = turns.back();
    const float first_length = std::hypot(turns[1].x - first.x, turns[1].y - first.y), last_length = std::hypot(last.x - turns[turns.size() - 2].x, last.y - turns[turns.size() - 2].y);
    const float hook = std::min(9.0f, first_length / 2), unhook = std::min(9.0f, last_length / 2);
    // Beside the line, on the side of the cell.
    const auto inside = [](const Box& cell, Place corner, Place along, float by) {
      const Place middle = cell.middle();
      const bool level = std::abs(along.y - corner.y) < std::abs(along.x - corner.x);
      const float most = std::min(by, (level ? cell.height : cell.width) / 3);
      return level ? Place{corner.x, corner.y + (middle.y > corner.y ? most : -most)} : Place{corner.x + (middle.x > corner.x ? most : -most), corner.y};
    };
    const Place begin = inside(from_.cell, first, turns[1], kCorner), after = Towards(first, turns[1], hook);
    out.push_back(Towards(begin, {begin.x + first.x - turns[1].x, begin.y + first.y - turns[1].y}, 2));
    const Place lean = inside(from_.cell, first, turns[1], kCorner * 0.4f);
    cubic({lean.x + (after.x - first.x) * 0.22f, lean.y + (after.y - first.y) * 0.22f}, Towards(after, first, hook * 0.44f), after);
    for (size_t k = 1; k + 1 < turns.size(); ++k) {
      const Place corner = turns[k], next = turns[k + 1];
      const float cut = std::min({kCorner, std::hypot(out.back().x - corner.x, out.back().y - corner.y) / 2, std::hypot(next.x - corner.x, next.y - corner.y) / 2});
      const Place before = Towards(corner, out.back(), cut), behind = Towards(corner, next, cut);
      line(before);
      cubic({(before.x + 2 * corner.x) / 3, (before.y + 2 * corner.y) / 3}, {(behind.x + 2 * corner.x) / 3, (behind.y + 2 * corner.y) / 3}, behind);
    }
    const Place stop = Towards(last, turns[turns.size() - 2], unhook), end = inside(to_.cell, last, turns[turns.size() - 2], kCorner), bend = inside(to_.cell, last, turns[turns.size() - 2], kCorner * 0.4f);
    line(stop);
    cubic(Towards(stop, last, unhook * 0.56f), Towards(bend, {bend.x + stop.x - last.x, bend.y + stop.y - last.y}, 1), Towards(end, {end.x - stop.x + last.x, end.y - stop.y + last.y}, 3));
    return out;
  }

  const RouteEnd &from_, &to_;
  std::vector<Box> words_;
  std::vector<const Grid*> grids_;
  std::vector<float> xs_, ys_;
};

}  // namespace

bool RunsThroughWords(const std::vector<Place>& path, const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words) {
  std::vector<Box> round(words.begin(), words.end());
  for (const Grid* grid : {from.grid, to.grid}) {
    round.push_back(grid->head());
    if (grid->foot().width > 0) round.push_back(grid->foot());
  }
  // Between two that stand side by side a way may lead through another one, along its lines.
  const Box a = from.grid->body(), b = to.grid->body();
  const bool beside = b.x >= a.right() - 1 || b.right() <= a.x + 1;
  for (const Grid* grid : others) {
    const Box body = grid->body(), head = grid->head(), foot = grid->foot();
    const float left = std::min(body.x - grid->before(), head.x), bottom = foot.width > 0 ? foot.bottom() : body.bottom();
    if (!beside) round.push_back({left, head.y, std::max(grid->right(), head.right()) - left, bottom - head.y});
    if (beside) round.push_back(head);
    if (beside && foot.width > 0) round.push_back(foot);
  }
  for (size_t k = 0; k + 3 < path.size(); k += 3) {
    for (int step = 0; step <= 24; ++step) {
      const float t = static_cast<float>(step) / 24, u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
      const Place p = {a * path[k].x + b * path[k + 1].x + c * path[k + 2].x + d * path[k + 3].x, a * path[k].y + b * path[k + 1].y + c * path[k + 2].y + d * path[k + 3].y};
      for (const Box& box : round) {
        if (Within(p.x, box.x + 1, box.right() - 1) && Within(p.y, box.y + 1, box.bottom() - 1)) return true;
      }
    }
  }
  return false;
}

std::vector<Place> LineRoute(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words) { return Search(from, to, others, words).Find(); }

}  // namespace hloscope
