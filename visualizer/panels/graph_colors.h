// How the graph's boxes are coloured: by class of operation, by type, by time, memory, numeric health or error. What time, health and error
// are is asked from the session (on the engine's thread); the rest is seen from the program.
#ifndef HLOSCOPE_VISUALIZER_PANELS_GRAPH_COLORS_H_
#define HLOSCOPE_VISUALIZER_PANELS_GRAPH_COLORS_H_

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "imgui.h"
#include "visualizer/graph/scene.h"
#include "visualizer/model/live.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

enum class GraphColour : uint8_t { kClass, kType, kTime, kMemory, kHealth, kError };
const std::vector<std::string>& GraphColourNames();  // "class", ...: for commands and the combo
std::optional<GraphColour> ParseGraphColour(absl::string_view name);

// Figures of instructions that only the session knows.
struct GraphFigures {
  absl::flat_hash_map<const Instruction*, double> of;  // seconds; 1 fine, 2 infinite, 3 NaN; ULP
  double total = 0, most = 0;
  std::string missing;  // why there are none
  std::string command;  // that makes them
};

struct GraphTint {
  ImU32 bar = 0;
  std::string note;  // in place of the shape: "1.2 ms  3 %"
};

class GraphColours {
 public:
  // Of each box of the scene, the same until something changes.
  const std::vector<GraphTint>& Tints(Engine& engine, const Snapshot& now, const std::shared_ptr<const Scene>& scene, GraphColour by);
  // What the colours of the last tints mean.
  const std::vector<std::pair<ImU32, std::string>>& Legend() const { return legend_; }
  // Names of boxes whose note begins so, for tests.
  std::string Marked(const Scene& scene, absl::string_view note) const;
  // Null: all is there.
  const GraphFigures* Missing() const { return figures_ != nullptr && !figures_->missing.empty() ? figures_.get() : nullptr; }

 private:
  void Paint(const Scene& scene, GraphColour by);

  Live<GraphFigures> live_[6];
  std::shared_ptr<const GraphFigures> figures_, painted_figures_;
  std::shared_ptr<const Scene> painted_scene_;
  GraphColour painted_by_ = GraphColour::kClass;
  ImU32 painted_text_ = 0;
  std::vector<GraphTint> tints_;
  std::vector<std::pair<ImU32, std::string>> legend_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_GRAPH_COLORS_H_
