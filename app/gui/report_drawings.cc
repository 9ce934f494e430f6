// Drawings of a report: the graph round the stop, and the pictures of what its operation means, with the values that are known there.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "app/cli/report.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "visualizer/canvas/svg.h"
#include "visualizer/export/graph_choice.h"
#include "visualizer/export/graph_drawing.h"
#include "visualizer/graph/walk.h"
#include "visualizer/model/picture_data.h"
#include "visualizer/model/picture_view.h"
#include "visualizer/pictures/picture.h"

namespace hloscope::cli {
namespace {

constexpr size_t kMostAround = 40;   // instructions
constexpr size_t kMostPictures = 3;

std::string Svg(const Drawing& drawing) { return WriteSvg(drawing, {.background = false, .hints = true, .variables = true}); }

// The calls of the moment that lead to an instruction; none where the program does not stand in its computation.
SeenIn CallsAround(const Session::State& s, const Instruction& at) {
  if (!s.visible()) return {};
  SeenIn calls;
  for (const Frame& frame : s.machine->frames()) {
    if (frame.caller != nullptr) calls[frame.computation] = frame.caller;
    if (frame.computation == at.parent) return calls;
  }
  return {};
}

// Where the instruction's box is, as a part of the width.
std::optional<double> MiddleOf(const Scene& scene, const Instruction& at) {
  for (const SceneBox& box : scene.boxes) {
    if (box.instruction == &at && scene.width > 0) return (box.x + box.width / 2) / scene.width;
  }
  return std::nullopt;
}

void AddGraph(Session::State& s, const Instruction& at, int hops, const std::string& who, Report* report) {
  // The module outlives the report's making.
  const std::shared_ptr<const Hierarchy> hierarchy = Hierarchy::Make(*s.module, nullptr);
  SceneWish wish;
  wish.hierarchy = hierarchy;
  MeasureLetters(&wish);
  Neighbours near = Neighbourhood(*hierarchy, at, hops, kMostAround, CallsAround(s, at));
  wish.only = std::move(near.found);
  wish.seen_in = std::move(near.seen_in);
  SceneMaker maker;
  const std::shared_ptr<const Scene> scene = maker.Make(wish);
  const SceneTints tints = PaintScene(*scene, GraphColour::kClass, {});
  const bool hidden = std::any_of(scene->arrows.begin(), scene->arrows.end(), [](const SceneArrow& arrow) { return arrow.minor; });
  GraphDrawingOptions options;
  options.here = &at;
  report->pictures.push_back({absl::StrCat(who, "The graph around ", ShownName(at)), absl::StrCat(Count(hops, "hop"), " before and after, ", Count(static_cast<int64_t>(wish.only.size()), "instruction"), hidden ? "; +N \u2193: N more arrows, not drawn" : ""), Svg(DrawGraph(*scene, tints, options)), MiddleOf(*scene, at)});
}

// The best ones; the general index map and the card only where there is nothing better, for they say the same again.
std::vector<const PictureRow*> Chosen(const Instruction& at) {
  std::vector<const PictureRow*> rows = PicturesFor(at);
  for (size_t k = rows.size(); k-- > 1;) {
    const absl::string_view id = rows[k]->id;
    if (id == "index-map" || id == "operation" || (id == "pointwise" && rows[0]->id == absl::string_view("broadcast"))) rows.erase(rows.begin() + static_cast<ptrdiff_t>(k));
  }
  rows.resize(std::min(rows.size(), kMostPictures));
  return rows;
}

void AddPictures(Session::State& s, const Instruction& at, const std::optional<ReportedElement>& element, const std::string& who, Report* report) {
  const std::vector<const PictureRow*> rows = Chosen(at);
  if (rows.empty()) return;
  const std::shared_ptr<const PictureData> data = DataOfPicture(s, at, /*ahead=*/s.visible());
  PictureSelection selection;
  if (element.has_value()) selection.pinned = Cell{kResultArray + std::max(element->output, 0), element->index};
  // A stop is in front of its instruction.
  const bool ahead = s.visible() && s.machine->next_instruction() == &at && data->result.has_value();
  for (size_t k = 0; k < rows.size(); ++k) {
    const absl::StatusOr<MadePicture> made = rows[k]->draw(*data, selection);
    if (!made.ok()) continue;
    report->pictures.push_back({absl::StrCat(who, rows[k]->title, " of ", ShownName(at)), absl::StrCat(rows[k]->help, ahead ? absl::StrCat("; ", ShownName(at), " is not executed yet, its result is computed ahead") : ""), Svg(made->drawing)});
  }
}

}  // namespace

void AddDrawings(Session::State& s, const Instruction& at, const std::optional<ReportedElement>& element, int hops, const std::string& who, Report* report) {
  report->dark_colors = SvgColors(PaletteScheme::kDark);
  report->light_colors = SvgColors(PaletteScheme::kLight);
  AddGraph(s, at, hops, who, report);
  AddPictures(s, at, element, who, report);
}

}  // namespace hloscope::cli
