#include "visualizer/canvas/shapes.h"

#include <algorithm>
#include <cmath>

namespace hloscope {

float Snap(float x, float line_width, float scale) {
  const int pixels = line_width <= 0 ? 0 : std::max(1, static_cast<int>(std::lround(line_width * scale)));
  // A hair more, so that x = 0.5 and sums of tenths go the same way everywhere.
  return pixels % 2 == 1 ? (std::floor(x * scale + 0.001f) + 0.5f) / scale : std::floor(x * scale + 0.501f) / scale;
}

Box SnapBox(const Box& box, float line_width, float scale) {
  const float x = Snap(box.x, line_width, scale), y = Snap(box.y, line_width, scale);
  return {x, y, Snap(box.right(), line_width, scale) - x, Snap(box.bottom(), line_width, scale) - y};
}

std::vector<Place> SnapLine(const DrawnLine& line, float scale) {
  std::vector<Place> points = line.points;
  if (points.size() != 2 || line.closed) return points;
  if (points[0].x == points[1].x) points[0].x = points[1].x = Snap(points[0].x, line.style.width, scale);
  if (points[0].y == points[1].y) points[0].y = points[1].y = Snap(points[0].y, line.style.width, scale);
  return points;
}

std::vector<Place> Flatten(const DrawnLine& line, float scale) {
  if (!line.curve) return line.points;
  std::vector<Place> out = {line.points[0]};
  for (size_t i = 0; i + 3 < line.points.size(); i += 3) {
    const Place &a = line.points[i], &b = line.points[i + 1], &c = line.points[i + 2], &d = line.points[i + 3];
    const float length = std::hypot(b.x - a.x, b.y - a.y) + std::hypot(c.x - b.x, c.y - b.y) + std::hypot(d.x - c.x, d.y - c.y);
    const int pieces = std::clamp(static_cast<int>(length * scale / 6), 4, 64);
    for (int k = 1; k <= pieces; ++k) {
      const float t = static_cast<float>(k) / static_cast<float>(pieces), u = 1 - t;
      out.push_back({u * u * u * a.x + 3 * u * u * t * b.x + 3 * u * t * t * c.x + t * t * t * d.x, u * u * u * a.y + 3 * u * u * t * b.y + 3 * u * t * t * c.y + t * t * t * d.y});
    }
  }
  return out;
}

std::optional<ArrowHead> HeadOf(const std::vector<Place>& points, float line_width) {
  const Place tip = points.back();
  for (auto from = points.rbegin() + 1; from != points.rend(); ++from) {
    const float dx = tip.x - from->x, dy = tip.y - from->y, length = std::hypot(dx, dy);
    if (length < 0.5f) continue;
    const float ux = dx / length, uy = dy / length;
    const float size = 5 + 1.5f * line_width, half = size * 0.45f;
    const Place back = {tip.x - ux * size, tip.y - uy * size};
    return ArrowHead{tip, {back.x - uy * half, back.y + ux * half}, {back.x + uy * half, back.y - ux * half}, {tip.x - ux * size * 0.8f, tip.y - uy * size * 0.8f}};
  }
  return std::nullopt;
}

}  // namespace hloscope
