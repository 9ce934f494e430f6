// The shortest way along the lines between cells and through the gaps between grids, round every word, number and other grid: for arrows whose plain
// way (arrow_route.h) would run through one of them. Not for what arrows mean.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_LINE_ROUTE_H_
#define HLOSCOPE_VISUALIZER_PICTURES_LINE_ROUTE_H_

#include <vector>

#include "absl/types/span.h"
#include "visualizer/pictures/arrow_route.h"

namespace hloscope {

// Whether the path (3n+1 points of cubic splines) runs through a word, a title, a scale, or across a grid that it does not join.
bool RunsThroughWords(const std::vector<Place>& path, const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words);
// 3n+1 points, from a corner of the one cell to a corner of the other; empty: there is no way.
std::vector<Place> LineRoute(const RouteEnd& from, const RouteEnd& to, absl::Span<const Grid* const> others, absl::Span<const Box> words);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_LINE_ROUTE_H_
