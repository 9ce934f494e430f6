// The colours of the graph's boxes (graph/tint.h) in the window: what time, health and error are is asked from the session (on the engine's
// thread), and everything is painted again when something changes.
#ifndef HLOSCOPE_VISUALIZER_PANELS_GRAPH_COLORS_H_
#define HLOSCOPE_VISUALIZER_PANELS_GRAPH_COLORS_H_

#include <memory>
#include <string>
#include <vector>

#include "imgui.h"
#include "core/debug/instruction_figures.h"
#include "visualizer/graph/scene.h"
#include "visualizer/graph/tint.h"
#include "visualizer/model/live.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

struct CardTint {
  ImU32 bar = 0;
  std::string note;  // in place of the shape: "1.2 ms  3 %"
};

class GraphColours {
 public:
  // Of each box of the scene, the same until something changes.
  const std::vector<CardTint>& Tints(Engine& engine, const Snapshot& now, const std::shared_ptr<const Scene>& scene, GraphColour by);
  // What the colours of the last tints mean.
  const std::vector<std::pair<ImU32, std::string>>& Legend() const { return legend_; }
  // Names of boxes whose note begins so, for tests.
  std::string Marked(const Scene& scene, absl::string_view note) const;
  // Null: all is there.
  const InstructionFigures* Missing() const { return figures_ != nullptr && !figures_->missing.empty() ? figures_.get() : nullptr; }

 private:
  Live<InstructionFigures> live_[6];
  std::shared_ptr<const InstructionFigures> figures_, painted_figures_, asked_on_;
  uint64_t round_ = 0;  // of asking on for what is big
  std::shared_ptr<const Scene> painted_scene_;
  GraphColour painted_by_ = GraphColour::kClass;
  ImU32 painted_text_ = 0;
  std::vector<CardTint> tints_;
  std::vector<std::pair<ImU32, std::string>> legend_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_GRAPH_COLORS_H_
