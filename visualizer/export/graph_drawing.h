// A scene of the graph as a Drawing: cards, what is expanded round them, arrows with what flows there, a heading and what the colours mean.
// For SVG, PNG and PDF files and for reports. Not for the window, which draws what is in view (panels/graph_view.h).
#ifndef HLOSCOPE_VISUALIZER_EXPORT_GRAPH_DRAWING_H_
#define HLOSCOPE_VISUALIZER_EXPORT_GRAPH_DRAWING_H_

#include <string>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/graph/scene.h"
#include "visualizer/graph/tint.h"

namespace hloscope {

struct GraphDrawingOptions {
  std::string heading;  // "attention"; empty: neither heading nor legend
  std::string subject;  // beside it, quieter: "main, 148 instructions"
  const Instruction* here = nullptr;  // where the program stands, or what was asked for
  absl::flat_hash_set<const Instruction*> marked;
  // Of a way: only these arrows between marked ones are on it; empty: all of them.
  absl::flat_hash_set<std::pair<const Instruction*, const Instruction*>> hops;
};
Drawing DrawGraph(const Scene& scene, const SceneTints& tints, const GraphDrawingOptions& options);

// Widths of letters as drawings measure them, for scenes that are to be drawn.
void MeasureLetters(SceneWish* wish);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_EXPORT_GRAPH_DRAWING_H_
