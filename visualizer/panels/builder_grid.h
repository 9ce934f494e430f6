// Windows, paddings and slices as a table: a row for each dimension. Text in, text out.
#ifndef HLOSCOPE_VISUALIZER_PANELS_BUILDER_GRID_H_
#define HLOSCOPE_VISUALIZER_PANELS_BUILDER_GRID_H_

#include <string>

#include "core/ir/attributes.h"

namespace hloscope {

// Draws the fields; `rank`: rows where the text has none yet. True when the value was changed.
bool DrawAttributeGrid(AttrKind kind, std::string* value, int rank);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_BUILDER_GRID_H_
