#include "visualizer/graph/ways_round.h"

#include <algorithm>
#include <cmath>
#include <queue>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "visualizer/graph/graphviz.h"

namespace hloscope {
namespace {

constexpr float kClear = 7;   // between a box and the corners of a way
constexpr float kTouch = 0.4f;  // of that the bent way keeps at least
constexpr float kRounding = 1.4f;  // and corners that are cut off so far from it
constexpr float kStraightOn = 1.25f;  // a way that leads on straight is preferred to one that may be shorter by as much: it is found sooner
constexpr int kSamples = 16;  // of a piece of a curve

Area Grown(const Area& a, float by) { return {a.left - by, a.top - by, a.right + by, a.bottom + by}; }

float Distance(Point a, Point b) { return std::hypot(a.x - b.x, a.y - b.y); }

// How far along a line, from 0 to 1, it comes into the area; more than 1: it does not, or runs along an edge only.
float EntryOf(Point a, Point b, const Area& area) {
  constexpr float kEdge = 0.05f, kNever = 2;
  const float low[2] = {area.left + kEdge, area.top + kEdge}, high[2] = {area.right - kEdge, area.bottom - kEdge}, from[2] = {a.x, a.y}, way[2] = {b.x - a.x, b.y - a.y};
  float first = 0, last = 1;
  for (int axis = 0; axis < 2; ++axis) {
    if (std::abs(way[axis]) < 1e-6f) {
      if (from[axis] <= low[axis] || from[axis] >= high[axis]) return kNever;
      continue;
    }
    float in = (low[axis] - from[axis]) / way[axis], out = (high[axis] - from[axis]) / way[axis];
    if (in > out) std::swap(in, out);
    first = std::max(first, in);
    last = std::min(last, out);
    if (first >= last) return kNever;
  }
  return first;
}

// The edges of boxes that Graphviz keeps the curve out of.
void AddEdges(const Area& a, std::vector<Pedge_t>* edges) {
  const Ppoint_t corners[4] = {{a.left, a.top}, {a.right, a.top}, {a.right, a.bottom}, {a.left, a.bottom}};
  for (int k = 0; k < 4; ++k) edges->push_back({corners[k], corners[(k + 1) % 4]});
}

// Straight pieces with round corners.
std::vector<Point> Rounded(const std::vector<Point>& way, float radius) {
  std::vector<Point> curve = {way[0]};
  const auto between = [](Point a, Point b, float t) { return Point{a.x + (b.x - a.x) * t, a.y + (b.y - a.y) * t}; };
  const auto line_to = [&](Point to) {
    const Point from = curve.back();
    curve.insert(curve.end(), {between(from, to, 1.0f / 3), between(from, to, 2.0f / 3), to});
  };
  for (size_t k = 1; k + 1 < way.size(); ++k) {
    const float before = Distance(way[k], way[k - 1]), after = Distance(way[k], way[k + 1]), cut = std::min({radius, before / 2, after / 2});
    if (cut < 0.5f) continue;
    line_to(between(way[k], way[k - 1], cut / before));
    const Point from = curve.back(), to = between(way[k], way[k + 1], cut / after);
    curve.insert(curve.end(), {between(from, way[k], 2.0f / 3), between(to, way[k], 2.0f / 3), to});
  }
  line_to(way.back());
  return curve;
}

// By Graphviz; empty: it could not.
std::vector<Point> Bent(const std::vector<Point>& way, std::vector<Pedge_t> edges) {
  std::lock_guard<std::mutex> lock(GraphvizDoor());
  std::vector<Ppoint_t> points;
  for (const Point& p : way) points.push_back({p.x, p.y});
  Pvector_t slopes[2] = {{0, 1}, {0, 1}};
  Ppolyline_t out{nullptr, 0};
  if (Proutespline(edges.data(), static_cast<int>(edges.size()), {points.data(), static_cast<int>(points.size())}, slopes, &out) != 0 || out.pn < 4 || out.pn % 3 != 1) return {};
  std::vector<Point> curve;
  for (int k = 0; k < out.pn; ++k) curve.push_back({static_cast<float>(out.ps[k].x), static_cast<float>(out.ps[k].y)});  // Graphviz keeps `ps`
  return curve;
}

}  // namespace

Point OnCurve(const std::vector<Point>& curve, int piece, float t) {
  const Point* p = &curve[static_cast<size_t>(piece) * 3];
  const float u = 1 - t, a = u * u * u, b = 3 * u * u * t, c = 3 * u * t * t, d = t * t * t;
  return {a * p[0].x + b * p[1].x + c * p[2].x + d * p[3].x, a * p[0].y + b * p[1].y + c * p[2].y + d * p[3].y};
}

bool RunsThrough(const std::vector<Point>& curve, const Area& area) {
  for (int piece = 0; piece < static_cast<int>(curve.size() - 1) / 3; ++piece) {
    const Point* p = &curve[static_cast<size_t>(piece) * 3];
    const auto [left, right] = std::minmax({p[0].x, p[1].x, p[2].x, p[3].x});
    const auto [top, bottom] = std::minmax({p[0].y, p[1].y, p[2].y, p[3].y});
    if (!area.Meets({left - 1, top - 1, right + 1, bottom + 1})) continue;
    Point last = p[0];
    for (int k = 1; k <= kSamples; ++k) {
      const Point next = OnCurve(curve, piece, static_cast<float>(k) / kSamples);
      if (EntryOf(last, next, area) <= 1) return true;
      last = next;
    }
  }
  return false;
}

int WaysRound::InTheWay(Point a, Point b, const std::vector<Area>& round) {
  left_ -= static_cast<int64_t>(round.size());
  int found = -1;
  float nearest = 1;
  for (size_t k = 0; k < round.size(); ++k) {
    const float entry = EntryOf(a, b, round[k]);
    if (entry > nearest) continue;
    nearest = entry;
    found = static_cast<int>(k);
  }
  return found;
}

// A*, straight on to the end from each place; where a box is in the way, to its corners first. Whether one comes to a corner is looked at only when
// that way is the shortest that is left.
std::vector<Point> WaysRound::Shortest(Point from, Point to, const std::vector<Area>& round, const Area& within) {
  const auto place = [&](int at) {
    if (at < 2) return at == 0 ? from : to;
    const Area& a = round[static_cast<size_t>(at - 2) / 4];
    const int corner = (at - 2) % 4;
    return Point{corner % 2 == 0 ? a.left : a.right, corner < 2 ? a.top : a.bottom};
  };
  struct Try {
    float whole, done;  // lengths: of the way at best, and so far
    int at, before;
    bool operator<(const Try& other) const { return whole > other.whole; }
  };
  std::vector<int> before(2 + 4 * round.size(), -2);
  absl::flat_hash_set<std::pair<int, int>> tried;
  std::priority_queue<Try> open;
  const auto go = [&](int start, float done, int at) {
    const Point p = place(at);
    if (p.x < within.left || p.x > within.right || p.y < within.top || p.y > within.bottom) return;
    if (before[at] != -2 || !tried.insert({start, at}).second) return;
    const float so_far = done + Distance(place(start), p);
    open.push({so_far + kStraightOn * Distance(p, to), so_far, at, start});
  };
  before[0] = -1;
  go(0, 0, 1);
  while (!open.empty() && left_ > 0) {
    const Try next = open.top();
    open.pop();
    if (before[next.at] != -2) continue;
    const Point start = place(next.before), end = place(next.at);
    if (const int box = InTheWay(start, end, round); box >= 0) {
      for (int corner = 0; corner < 4; ++corner) go(next.before, next.done - Distance(start, end), 2 + 4 * box + corner);
      continue;
    }
    before[next.at] = next.before;
    if (next.at != 1) {
      go(next.at, next.done, 1);
      continue;
    }
    std::vector<Point> way;
    for (int k = 1; k >= 0; k = before[k]) way.push_back(place(k));
    std::reverse(way.begin(), way.end());
    return way;
  }
  return {};
}

std::vector<Point> WaysRound::Find(Point from, Point to, const Area& from_box, const Area& to_box, const std::vector<Area>& round, const Area& within) {
  if (tired()) return {};
  float kept = 0;
  // As far from the boxes as there is room for.
  std::vector<Point> way;
  for (float clear = kClear; way.empty() && clear >= 1; clear /= 2) {
    std::vector<Area> grown = {Grown(from_box, clear), Grown(to_box, clear)};
    for (const Area& a : round) grown.push_back(Grown(a, clear));
    way = Shortest({from.x, from.y + clear}, {to.x, to.y - clear}, grown, within);
    kept = clear;
  }
  if (way.empty()) return {};
  way.insert(way.begin(), from);
  way.push_back(to);
  std::vector<Pedge_t> edges;
  AddEdges(Grown(within, 0.5f), &edges);
  AddEdges(Grown(from_box, -0.5f), &edges);
  AddEdges(Grown(to_box, -0.5f), &edges);
  for (const Area& a : round) AddEdges(Grown(a, kept * kTouch), &edges);
  std::vector<Point> curve = Bent(way, std::move(edges));
  // Where a way runs along many boxes Graphviz lets the curve through some.
  const auto runs_through = [&](const Area& a) { return RunsThrough(curve, Grown(a, -0.5f)); };
  const bool good = !curve.empty() && std::none_of(round.begin(), round.end(), runs_through) && !runs_through(from_box) && !runs_through(to_box);
  return good ? curve : Rounded(way, kept * kRounding);
}

}  // namespace hloscope
