// The way of an arrow from a cell to another one: along the lines between cells, so that it crosses no number. Not for what arrows mean.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_ARROW_ROUTE_H_
#define HLOSCOPE_VISUALIZER_PICTURES_ARROW_ROUTE_H_

#include <vector>

#include "absl/types/span.h"
#include "visualizer/pictures/grid.h"

namespace hloscope {

struct RouteEnd {
  const Grid* grid = nullptr;  // drawn
  Box cell;
};
// 3n+1 points of cubic splines. `others`: grids that may stand between the two; `words`: what else is written there.
std::vector<Place> ArrowRoute(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words = {});

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_ARROW_ROUTE_H_
