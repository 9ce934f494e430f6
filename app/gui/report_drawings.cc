// Drawings of a report: the graph round the stop, and the pictures of what its operation means, with the values that are known there.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "app/cli/report.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "visualizer/canvas/svg.h"
#include "visualizer/export/graph_choice.h"
#include "visualizer/export/graph_drawing.h"
#include "visualizer/graph/walk.h"
#include "visualizer/pictures/picture.h"

namespace hloscope::cli {
namespace {

constexpr size_t kMostAround = 40;   // instructions
constexpr size_t kMostPictures = 3;

std::string Svg(const Drawing& drawing) { return WriteSvg(drawing, {.background = false, .hints = true, .variables = true}); }

void AddGraph(Session::State& s, const Instruction& at, int hops, const std::string& who, Report* report) {
  // The module outlives the report's making.
  const std::shared_ptr<const Hierarchy> hierarchy = Hierarchy::Make(*s.module, nullptr);
  SceneWish wish;
  wish.hierarchy = hierarchy;
  MeasureLetters(&wish);
  wish.only = Neighbourhood(*hierarchy, at, hops, kMostAround);
  SceneMaker maker;
  const std::shared_ptr<const Scene> scene = maker.Make(wish);
  const SceneTints tints = PaintScene(*scene, GraphColour::kClass, {});
  GraphDrawingOptions options;
  options.here = &at;
  report->pictures.push_back({absl::StrCat(who, "The graph around %", at.name), absl::StrCat(Count(hops, "hop"), " before and after, ", Count(static_cast<int64_t>(wish.only.size()), "instruction")), Svg(DrawGraph(*scene, tints, options))});
}

// What is known of the instruction where the program stands; empty values elsewhere.
PictureData DataOf(Session::State& s, const Instruction& at) {
  PictureData data;
  data.instruction = &at;
  data.operands.resize(at.operands.size());
  if (!s.visible()) return data;
  const std::vector<Frame>& frames = s.machine->frames();
  for (int depth = static_cast<int>(frames.size()) - 1; depth >= 0; --depth) {
    if (frames[depth].computation != at.parent) continue;
    for (size_t k = 0; k < at.operands.size(); ++k) {
      absl::StatusOr<Value> value = s.machine->ValueAhead(depth, at.operands[k]->index);
      if (value.ok()) data.operands[k] = *std::move(value);
    }
    absl::StatusOr<Value> result = s.machine->ValueAhead(depth, at.index);
    if (result.ok()) data.result = *std::move(result);
    break;
  }
  return data;
}

void AddPictures(Session::State& s, const Instruction& at, const std::string& who, Report* report) {
  const std::vector<const PictureRow*> rows = PicturesFor(at);
  if (rows.empty()) return;
  const PictureData data = DataOf(s, at);
  for (size_t k = 0; k < std::min(rows.size(), kMostPictures); ++k) {
    const absl::StatusOr<MadePicture> made = rows[k]->draw(data, {});
    if (!made.ok()) continue;
    report->pictures.push_back({absl::StrCat(who, rows[k]->title, " of %", at.name), rows[k]->help, Svg(made->drawing)});
  }
}

}  // namespace

void AddDrawings(Session::State& s, const Instruction& at, int hops, const std::string& who, Report* report) {
  report->dark_colors = SvgColors(PaletteScheme::kDark);
  report->light_colors = SvgColors(PaletteScheme::kLight);
  AddGraph(s, at, hops, who, report);
  AddPictures(s, at, who, report);
}

}  // namespace hloscope::cli
