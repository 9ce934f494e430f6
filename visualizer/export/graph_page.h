// The graph as one HTML page that needs nothing else: the data, packed, with the page's own script and style (page/). Not for the pages of
// reports (core/debug/report.h).
#ifndef HLOSCOPE_VISUALIZER_EXPORT_GRAPH_PAGE_H_
#define HLOSCOPE_VISUALIZER_EXPORT_GRAPH_PAGE_H_

#include <optional>
#include <string>

#include "visualizer/canvas/palette.h"
#include "visualizer/export/page_data.h"

namespace hloscope {

// `scheme`: none follows the reader's system.
std::string WriteGraphPage(const GraphPageInput& input, std::optional<PaletteScheme> scheme);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_GRAPH_PAGE_H_
