// Small pictures of arrays. A cell is the mean of the elements that it stands for, unless one of them is NaN or infinite: that is what it
// shows then, however many others there are.
#include <algorithm>
#include <array>
#include <cmath>
#include <map>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "core/debug/report.h"
#include "core/literal/format.h"
#include "core/literal/odd_colors.h"
#include "core/literal/place_in_range.h"
#include "core/literal/statistics.h"

namespace hloscope {
namespace {

constexpr int kCells = 40;        // along an edge, at most
constexpr int kBars = 96;
constexpr int kBins = 32;
constexpr int64_t kMostLooked = int64_t{1} << 23;  // elements; beyond, some are passed over

struct Cell {
  double sum = 0;
  int64_t finite = 0;
  bool nan = false, plus_inf = false, minus_inf = false;
  void Add(double x) {
    nan = nan || std::isnan(x);
    plus_inf = plus_inf || (std::isinf(x) && x > 0);
    minus_inf = minus_inf || (std::isinf(x) && x < 0);
    if (!std::isfinite(x)) return;
    sum += x;
    ++finite;
  }
  double mean() const { return finite > 0 ? sum / static_cast<double>(finite) : 0; }
  // "#rrggbb"; empty: all are numbers.
  std::string OddColor() const {
    return nan || plus_inf || minus_inf ? absl::StrFormat("#%06x", nan ? kNanRgb : plus_inf ? kPlusInfRgb : kMinusInfRgb) : "";
  }
};

using Color = std::array<int, 3>;

Color Mix(const Color& a, const Color& b, double t) {
  Color c;
  for (int k = 0; k < 3; ++k) c[k] = static_cast<int>(std::lround(a[k] + (b[k] - a[k]) * t));
  return c;
}

// Sixteen steps: from pale to dark, or (where both signs are there) blue, pale, red around zero.
constexpr int kSteps = 16;
std::string ColorOf(double x, double low, double high) {
  const bool both = low < 0 && high > 0;
  const double top = both ? std::max(-low, high) : high;
  double t = both ? (x / top + 1) / 2 : high > low ? (x - low) / (high - low) : 0.5;
  t = std::round(std::clamp(t, 0.0, 1.0) * (kSteps - 1)) / (kSteps - 1);
  const Color pale = {240, 238, 230}, blue = {33, 82, 156}, red = {178, 40, 46}, middle = {64, 150, 140}, dark = {24, 42, 84};
  Color c;
  if (both) {
    c = t < 0.5 ? Mix(blue, pale, 2 * t) : Mix(pale, red, 2 * t - 1);
  } else {
    c = t < 0.5 ? Mix(pale, middle, 2 * t) : Mix(middle, dark, 2 * t - 1);
  }
  return absl::StrFormat("#%02x%02x%02x", c[0], c[1], c[2]);
}

// The elements of the last two dimensions, at index 0 of the others, as cells.
struct Grid {
  int64_t rows = 1, columns = 1;       // of the array
  int cell_rows = 1, cell_columns = 1;
  std::vector<Cell> cells;
};

Grid MakeGrid(const Value& array) {
  Grid g;
  const Shape& shape = array.shape();
  g.rows = shape.dim(shape.rank() - 2);
  g.columns = shape.dim(shape.rank() - 1);
  g.cell_rows = static_cast<int>(std::min<int64_t>(kCells, g.rows));
  g.cell_columns = static_cast<int>(std::min<int64_t>(kCells, g.columns));
  g.cells.resize(static_cast<size_t>(g.cell_rows) * g.cell_columns);
  const int64_t step = std::max<int64_t>(1, g.rows * g.columns / kMostLooked);
  for (int64_t i = 0; i < g.rows; ++i) {
    const int64_t cell_row = i * g.cell_rows / g.rows;
    for (int64_t j = step > 1 ? i % step : 0; j < g.columns; j += step) {
      g.cells[cell_row * g.cell_columns + j * g.cell_columns / g.columns].Add(ElementAsDouble(array, i * g.columns + j));
    }
  }
  return g;
}

std::string BarsSvg(const Value& array) {
  const int64_t n = array.shape().dim(0);
  const int bars = static_cast<int>(std::min<int64_t>(kBars, n));
  std::vector<Cell> cells(bars);
  for (int64_t k = 0; k < n; ++k) cells[k * bars / n].Add(ElementAsDouble(array, k));
  double low = 0, high = 0;
  for (const Cell& c : cells) {
    low = std::min(low, c.mean());
    high = std::max(high, c.mean());
  }
  const double span = high > low ? high - low : 1;
  const double width = 240.0 / bars;
  const double zero = 80 * high / span;
  std::string svg = "<svg class=\"bars\" viewBox=\"0 0 240 80\" width=\"240\" height=\"80\" role=\"img\">";
  for (int k = 0; k < bars; ++k) {
    const Cell& c = cells[k];
    const double top = 80 * (high - std::max(c.mean(), 0.0)) / span, height = 80 * std::fabs(c.mean()) / span;
    if (const std::string odd = c.OddColor(); !odd.empty()) {
      absl::StrAppendFormat(&svg, "<rect x=\"%.2f\" y=\"0\" width=\"%.2f\" height=\"80\" fill=\"%s\"/>", k * width, width, odd);
    } else {
      absl::StrAppendFormat(&svg, "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"%.2f\" height=\"%.2f\"/>", k * width, top, std::max(0.5, width - 0.5), std::max(0.5, height));
    }
  }
  absl::StrAppendFormat(&svg, "<line class=\"axis\" x1=\"0\" x2=\"240\" y1=\"%.2f\" y2=\"%.2f\"/></svg>", zero, zero);
  return svg;
}

}  // namespace

std::string HeatMapSvg(const Value& array, std::string* caption) {
  caption->clear();
  const Shape& shape = array.shape();
  if (!shape.IsArray() || shape.rank() == 0 || shape.ElementCount() < 2) return "";
  if (shape.rank() == 1) return BarsSvg(array);
  const Grid grid = MakeGrid(array);
  double low = HUGE_VAL, high = -HUGE_VAL;
  std::map<std::string, std::string> paths;  // by color
  for (const Cell& c : grid.cells) {
    if (c.finite == 0) continue;
    low = std::min(low, c.mean());
    high = std::max(high, c.mean());
  }
  for (int i = 0; i < grid.cell_rows; ++i) {
    for (int j = 0; j < grid.cell_columns; ++j) {
      const Cell& c = grid.cells[static_cast<size_t>(i) * grid.cell_columns + j];
      const std::string odd = c.OddColor(), color = odd.empty() ? ColorOf(c.mean(), low, high) : odd;
      absl::StrAppend(&paths[color], "M", j, " ", i, "h1v1h-1z");
    }
  }
  // Cells keep the array's proportions within reason.
  const double ratio = std::clamp(static_cast<double>(grid.columns) / static_cast<double>(grid.rows), 0.25, 4.0);
  const int width = static_cast<int>(ratio >= 1 ? 240 : std::max(60.0, 240 * ratio)), height = static_cast<int>(ratio >= 1 ? std::max(40.0, 240 / ratio) : 240);
  std::string svg = absl::StrFormat("<svg class=\"heat\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\" preserveAspectRatio=\"none\" shape-rendering=\"crispEdges\" role=\"img\">",
                                    grid.cell_columns, grid.cell_rows, width, height);
  for (const auto& [color, path] : paths) absl::StrAppend(&svg, "<path fill=\"", color, "\" d=\"", path, "\"/>");
  svg += "</svg>";
  std::string where;
  if (shape.rank() > 2) {
    where = "[";
    for (int d = 0; d + 2 < shape.rank(); ++d) where += "0, ";
    where += ":, :]";
  }
  const bool shrunk = grid.cell_rows < grid.rows || grid.cell_columns < grid.columns;
  *caption = absl::StrCat(where, where.empty() || !shrunk ? "" : ", ", shrunk ? absl::StrCat(grid.rows, " x ", grid.columns, " as ", grid.cell_rows, " x ", grid.cell_columns, " means") : "");
  if (low <= high) absl::StrAppend(caption, caption->empty() ? "" : ", ", FormatDouble(low, 4), " to ", FormatDouble(high, 4));
  return svg;
}

std::string HistogramSvg(const Value& array) {
  const Shape& shape = array.shape();
  if (!shape.IsArray() || shape.ElementCount() < 8) return "";
  const Statistics s = Summarize(array);
  if (s.finite == 0 || !(s.max > s.min)) return "";
  std::vector<int64_t> bins(kBins, 0);
  const int64_t count = shape.ElementCount(), step = std::max<int64_t>(1, count / kMostLooked);
  for (int64_t k = 0; k < count; k += step) {
    const double x = ElementAsDouble(array, k);
    if (!std::isfinite(x)) continue;
    ++bins[static_cast<size_t>(BinInRange(x, s.min, s.max, kBins))];
  }
  const double most = static_cast<double>(*std::max_element(bins.begin(), bins.end()));
  std::string svg = "<svg class=\"histogram\" viewBox=\"0 0 240 80\" width=\"240\" height=\"80\" role=\"img\">";
  for (int k = 0; k < kBins; ++k) {
    if (bins[k] == 0) continue;
    const double height = std::max(1.0, 76.0 * static_cast<double>(bins[k]) / most);
    absl::StrAppendFormat(&svg, "<rect class=\"bar\" x=\"%.2f\" y=\"%.2f\" width=\"7\" height=\"%.2f\"><title>%s to %s: %d</title></rect>", k * 7.5, 80 - height, height,
                          FormatDouble(NumberInRange(s.min, s.max, k, kBins), 4), FormatDouble(NumberInRange(s.min, s.max, k + 1, kBins), 4), bins[k] * step);
  }
  return absl::StrCat(svg, "<line class=\"axis\" x1=\"0\" x2=\"240\" y1=\"80\" y2=\"80\"/></svg>");
}

}  // namespace hloscope
