// Shapes that every side draws alike: heads of arrows, hatching. For the sides, not for pictures.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_SHAPES_H_
#define HLOSCOPE_VISUALIZER_CANVAS_SHAPES_H_

#include <optional>
#include <vector>

#include "visualizer/canvas/drawing.h"

namespace hloscope {

// An edge of a box, or a straight line across, to pixels of `scale`: a line of that width is crisp there, and neighbours meet. Width 0: the
// edge of what is only filled.
float Snap(float x, float line_width, float scale);
Box SnapBox(const Box& box, float line_width, float scale);
// Its points, snapped where they are the two ends of a line that runs straight across or down.
std::vector<Place> SnapLine(const DrawnLine& line, float scale);
// Curves as polygons that look smooth at `scale`.
std::vector<Place> Flatten(const DrawnLine& line, float scale);

// Between two lines of a hatching, across.
inline constexpr float kHatchStep = 6;

struct ArrowHead {
  Place tip, left, right;
  Place line_end;  // where the line stops, so that it does not stick out of the tip
};
// Nothing where the line has no direction at its end.
std::optional<ArrowHead> HeadOf(const std::vector<Place>& points, float line_width);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_SHAPES_H_
