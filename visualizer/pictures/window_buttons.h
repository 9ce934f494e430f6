// Of many things a part is seen: buttons that move it. For live pictures of what has an order.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_WINDOW_BUTTONS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_WINDOW_BUTTONS_H_

#include <cstdint>

#include "absl/strings/string_view.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/pictures/captions.h"

namespace hloscope {

// `shown` of `count` are seen, from `first` on; a button sets the picture's option to another first.
void DrawWindowButtons(Place at, int64_t first, int64_t shown, int64_t count, absl::string_view option, const Captions& tr, Drawing* drawing);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_WINDOW_BUTTONS_H_
