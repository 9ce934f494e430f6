// How a graph's boxes are coloured: by class of operation, by type, by time, memory, numeric health or error. Colours are inks of the palette
// and mixtures of them, so that windows, drawings and pages show the same. Not for where the figures come from
// (core/debug/instruction_figures.h).
#ifndef HLOSCOPE_VISUALIZER_GRAPH_TINT_H_
#define HLOSCOPE_VISUALIZER_GRAPH_TINT_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/string_view.h"
#include "core/ir/call_tree.h"
#include "visualizer/canvas/palette.h"
#include "visualizer/graph/scene.h"

namespace hloscope {

enum class GraphColour : uint8_t { kClass, kType, kTime, kMemory, kHealth, kError };
const std::vector<std::string>& GraphColourNames();  // "class", ...: for commands and the combo
// "opcode" is "class" too.
std::optional<GraphColour> ParseGraphColour(absl::string_view name);

// An ink, some of another over it, and some of a third over both.
struct TintColor {
  Ink ink = Ink::kFaint, over = Ink::kNone, top = Ink::kNone;
  float over_share = 0, top_share = 0;
  bool operator==(const TintColor& other) const {
    return ink == other.ink && over == other.over && top == other.top && over_share == other.over_share && top_share == other.top_share;
  }
};
uint32_t Rgb(const TintColor& color, PaletteScheme scheme);  // 0xRRGGBB
// `share` of one colour over another.
uint32_t MixRgb(uint32_t below, uint32_t above, float share);

struct GraphTint {
  TintColor bar;
  std::string note;  // in place of the shape: "1.2 ms  3 %"
};
struct TintLegendRow {
  TintColor color;
  std::string text;
};
struct SceneTints {
  std::vector<GraphTint> boxes;  // of each box of the scene
  std::vector<TintLegendRow> legend;
};

// What is known of instructions: seconds; health (1 finite, 2 infinite, 3 NaN) or ULP, by call.
struct TintFigures {
  const absl::flat_hash_map<const Instruction*, double>* seconds = nullptr;
  double total = 0;
  const absl::flat_hash_map<const Instruction*, int64_t>* calls = nullptr;  // of seconds: how often calls ran (InstructionFigures)
  const CallFigures* by_call = nullptr;
  absl::string_view worst_of;  // of errors (InstructionFigures)
};
SceneTints PaintScene(const Scene& scene, GraphColour by, const TintFigures& figures);

// The classes and families by themselves, for who paints boxes that are no scene's.
int ClassOf(const Instruction& instruction);
bool MovesElements(const Instruction& instruction);  // it is of the class that only moves them
int FamilyOf(const Shape& shape);
std::vector<TintLegendRow> ClassLegend();
std::vector<TintLegendRow> FamilyLegend();
// The class that stands for many: what is most of the work.
int ClassOfMany(const std::vector<int64_t>& counts);
TintColor Heat(double share);  // from calm to hot
}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_TINT_H_
