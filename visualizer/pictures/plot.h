// Numbers as a small curve, stems or bars, with their range written at the edge. Not for grids of cells (grid.h).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_PLOT_H_
#define HLOSCOPE_VISUALIZER_PICTURES_PLOT_H_

#include <string>
#include <vector>

#include "visualizer/canvas/drawing.h"
#include "visualizer/pictures/grid.h"

namespace hloscope {

enum class PlotKind : uint8_t { kCurve, kStems, kBars };
struct PlotLine {
  std::vector<double> y;   // NaN and infinities are marked, and do not stretch the range
  Paint paint = Ink::kBlue;
  std::string name;        // "" none
  std::vector<size_t> gaps;  // places that stand for several that are left out: curves break there
};
// `now`: the place that is marked; -1: none. Bars begin at 0.
void DrawPlot(Drawing* drawing, const Captions& tr, Box box, const std::vector<PlotLine>& lines, PlotKind kind, int64_t now = -1);

// Colours behind the numbers of a grid, from the lowest to the highest of `number` over an array.
void AddHeat(GridSpec* spec, const PictureArray& array);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_PLOT_H_
