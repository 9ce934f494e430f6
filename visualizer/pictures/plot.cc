#include "visualizer/pictures/plot.h"

#include <algorithm>
#include <cmath>

#include "core/literal/place_in_range.h"
#include "visualizer/pictures/heat.h"

namespace hloscope {

void DrawPlot(Drawing* drawing, const Captions& tr, Box box, const std::vector<PlotLine>& lines, PlotKind kind, int64_t now) {
  drawing->AddBox(box, Ink::kSunken, Ink::kBorder, 2);
  double low = 0, high = 0;
  bool any = false;
  size_t count = 0;
  for (const PlotLine& line : lines) {
    count = std::max(count, line.y.size());
    for (double y : line.y) {
      if (!std::isfinite(y)) continue;
      low = any ? std::min(low, y) : y;
      high = any ? std::max(high, y) : y;
      any = true;
    }
  }
  if (!any || count == 0) {
    drawing->AddTextIn(box, tr("no finite numbers"), {11, Face::kUi, Ink::kDim, Align::kCenter});
    return;
  }
  if (kind != PlotKind::kCurve) low = std::min(low, 0.0), high = std::max(high, 0.0);
  const auto number = [](double x) { return ShortText(Scalar::Float(ElementType::kF64, x)); };
  const float label = std::max(TextWidth(number(low), Face::kUi, 9), TextWidth(number(high), Face::kUi, 9)) + 8;
  bool named = false;
  for (const PlotLine& line : lines) named = named || !line.name.empty();
  // Names stand above the lines.
  const float pad = 6, top = box.y + (named ? 18 : pad), bottom = box.bottom() - pad, left = box.x + label, width = std::max(10.0f, box.width - label - pad);
  const auto at = [&](double y) { return high > low ? bottom - static_cast<float>(PlaceInRange(y, low, high)) * (bottom - top) : (top + bottom) / 2; };
  // A gap is as wide as it takes to be seen, however narrow the places are.
  constexpr float kGap = 22;
  std::vector<size_t> gaps;
  for (const PlotLine& line : lines) gaps.insert(gaps.end(), line.gaps.begin(), line.gaps.end());
  const float rest = width - kGap * static_cast<float>(gaps.size());
  const float step = kind == PlotKind::kCurve ? (count > 1 ? rest / static_cast<float>(count - 1) : 0) : rest / static_cast<float>(count);
  const auto across = [&](size_t k) {
    float x = left + (kind == PlotKind::kCurve ? static_cast<float>(k) * step : (static_cast<float>(k) + 0.5f) * step);
    for (const size_t gap : gaps) x += k > gap ? kGap : k == gap ? kGap / 2 : 0;
    return x;
  };
  for (const size_t gap : gaps) {
    drawing->AddHatchedBox({across(gap) - kGap / 2, top, kGap, bottom - top}, Paint(Ink::kSunken), Paint(Ink::kFaint, 0.5f));
    drawing->AddTextIn({across(gap) - kGap / 2, top, kGap, bottom - top}, "…", {12, Face::kStrong, Ink::kDim, Align::kCenter});
  }
  drawing->AddText({box.x + label - 4, top + 7}, number(high), {9, Face::kUi, Ink::kDim, Align::kRight});
  if (high > low) drawing->AddText({box.x + label - 4, bottom}, number(low), {9, Face::kUi, Ink::kDim, Align::kRight});
  if (low < 0 && high > 0) drawing->AddLine({left, at(0)}, {left + width, at(0)}, {Paint(Ink::kDim, 0.5f), 1, LineKind::kDotted});
  if (now >= 0 && now < static_cast<int64_t>(count)) drawing->AddLine({across(now), top}, {across(now), bottom}, {Ink::kAmber, 1.5f});
  float name_at = box.right() - 6;
  for (const PlotLine& line : lines) {
    std::vector<Place> run;
    const auto end_run = [&] {
      if (run.size() > 1) drawing->AddPath(run, {line.paint, 1.5f});
      if (run.size() == 1) drawing->AddBox({run[0].x - 2, run[0].y - 2, 4, 4}, line.paint);
      run.clear();
    };
    // More numbers than pixels: the extremes of each pixel.
    const size_t each = std::max<size_t>(1, count / 2000);
    for (size_t k = 0; k < line.y.size(); k += each) {
      if (std::find(line.gaps.begin(), line.gaps.end(), k) != line.gaps.end()) {
        end_run();
        continue;
      }
      double y = line.y[k];
      for (size_t e = k + 1; e < std::min(k + each, line.y.size()); ++e) y = std::abs(line.y[e]) > std::abs(y) ? line.y[e] : y;
      const float x = across(k);
      if (!std::isfinite(y)) {
        end_run();
        drawing->AddBox({x - 2, std::isnan(y) || y < 0 ? bottom - 4 : top, 4, 4}, Ink::kPink);
        continue;
      }
      if (kind == PlotKind::kCurve) {
        run.push_back({x, at(y)});
      } else if (kind == PlotKind::kBars) {
        const float w = std::max(1.0f, step - (step > 4 ? 1.0f : 0));
        drawing->AddBox({x - w / 2, std::min(at(y), at(0)), w, std::abs(at(y) - at(0))}, Paint(line.paint.ink, 0.8f));
      } else {
        drawing->AddLine({x, at(0)}, {x, at(y)}, {line.paint, 1.5f});
        if (step > 6) drawing->AddBox({x - 2, at(y) - 2, 4, 4}, line.paint, Paint(), 2);
      }
    }
    end_run();
    if (line.name.empty()) continue;
    drawing->AddText({name_at, box.y + 12}, line.name, {10, Face::kStrong, line.paint, Align::kRight});
    name_at -= TextWidth(line.name, Face::kStrong, 10) + 10;
  }
}

void AddHeat(GridSpec* spec, const PictureArray& array) {
  constexpr int64_t kMost = 4096;  // enough to know the range
  HeatScale scale;
  const int64_t n = array.shape.ElementCount();
  std::vector<int64_t> index(array.shape.rank());
  for (int64_t e = 0; e < n; e += std::max<int64_t>(1, n / kMost)) {
    DelinearizeIndex(array.shape.dimensions(), e, absl::MakeSpan(index));
    const GridCell cell = spec->cell(index);
    if (cell.number && cell.state == CellState::kElement) scale.Take(*cell.number);
  }
  if (scale.empty()) return;
  spec->cell = [scale, inner = std::move(spec->cell)](absl::Span<const int64_t> at) {
    GridCell cell = inner(at);
    if (cell.number && cell.state == CellState::kElement && cell.tint.none()) {
      cell.tint = Paint::Exact(scale.ColorOf(*cell.number));
    }
    return cell;
  };
}

}  // namespace hloscope
