// A chosen part of the graph in a file, in the form that its ending names. Not for choosing it (graph_choice.h).
#ifndef HLOSCOPE_VISUALIZER_EXPORT_CHOSEN_FILE_H_
#define HLOSCOPE_VISUALIZER_EXPORT_CHOSEN_FILE_H_

#include <memory>
#include <string>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "visualizer/canvas/paged.h"
#include "visualizer/export/graph_choice.h"
#include "visualizer/export/graph_page.h"
#include "visualizer/graph/tint.h"

namespace hloscope {

// Its scene as a drawing, .svg, .png or .pdf. `page.scale` 0: as large as such a file should be. Gives the scale.
absl::StatusOr<float> WriteChosen(const Scene& scene, const SceneTints& tints, const ChosenGraph& chosen, const std::string& heading, const std::string& path, PageOptions page);
// Marks a way or a slice on a page, and lists it. `causes`: a slice that leads to what was asked for. `choice` outlives the page's input.
void MarkChosen(const Hierarchy& hierarchy, const GraphChoice& choice, const ChosenGraph& chosen, bool causes, GraphPageInput* input);

struct SliceFile {
  const Module* program = nullptr;
  SliceParts slice;
  std::string what;     // "why %y[3]"
  bool causes = false;  // as above
  std::string version;  // of who writes it, for pages
};
// As .svg, .png, .pdf or .html. Gives a note on what it leaves out; empty: nothing.
absl::StatusOr<std::string> WriteSliceFile(const SliceFile& file, const std::string& path);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_CHOSEN_FILE_H_
