#include "visualizer/export/chosen_file.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <optional>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/locations.h"
#include "visualizer/export/graph_drawing.h"
#include "visualizer/graph/marked_places.h"

namespace hloscope {
namespace {

constexpr float kMostPixels = 16000;  // along an edge, where no scale was asked for
constexpr int kMostBoxes = 1000;      // of a slice that is drawn
constexpr int kMostMarked = 100000;   // instructions of a slice on a page: all of them

absl::Status WriteText(const std::string& path, const std::string& text) {
  std::ofstream file(path, std::ios::binary);
  file << text;
  file.close();
  return file ? absl::OkStatus() : absl::UnavailableError(absl::StrCat("cannot write ", path, ": ", std::strerror(errno)));
}

}  // namespace

absl::StatusOr<float> WriteChosen(const Scene& scene, const SceneTints& tints, const ChosenGraph& chosen, const std::string& heading, const std::string& path, PageOptions page) {
  GraphDrawingOptions options;
  options.heading = heading;
  options.subject = chosen.subject;
  options.here = chosen.here;
  options.marked.insert(chosen.marked.begin(), chosen.marked.end());
  for (const SceneHop& hop : chosen.wish.hops) options.hops.emplace(hop.from, hop.to);
  const Drawing drawing = DrawGraph(scene, tints, options);
  if (page.scale == 0) page.scale = absl::EndsWith(path, ".png") ? std::min(2.0f, kMostPixels / std::max(drawing.width(), drawing.height())) : 1.0f;
  if (const absl::Status written = WriteDrawing(path, drawing, page); !written.ok()) return written;
  return page.scale;
}

void MarkChosen(const Hierarchy& hierarchy, const GraphChoice& choice, const ChosenGraph& chosen, bool causes, GraphPageInput* input) {
  const SliceParts& slice = choice.slice;
  input->marked = slice.parts.empty() ? PlacesAlong(hierarchy, chosen.marked) : PlacesOf(hierarchy, slice);
  input->hops = chosen.wish.hops;
  // In the direction of the data: causes first. What was asked of is the first of what is found.
  if (causes) std::reverse(input->marked.begin(), input->marked.end());
  const auto is = [&](const MarkedPlace& place) { return place.instruction == chosen.here; };
  const auto asked = causes ? std::find_if(input->marked.rbegin(), input->marked.rend(), is).base() - 1 : std::find_if(input->marked.begin(), input->marked.end(), is);
  input->asked = static_cast<int>(asked - input->marked.begin());
  input->marked_text = chosen.subject;
  if (slice.runs) {
    input->slice = &slice;
    // Marked, not listed.
    MarkedSlice marked = MarkSlice(hierarchy, slice);
    input->marked.insert(input->marked.end(), marked.between.begin(), marked.between.end());
    input->arrows = std::move(marked.arrows);
  }
  input->slice_from_causes = causes;
}

absl::StatusOr<std::string> WriteSliceFile(const SliceFile& file, const std::string& path) {
  const bool page = absl::EndsWith(path, ".html");
  const std::shared_ptr<const Hierarchy> hierarchy = Hierarchy::Make(*file.program, nullptr);
  GraphChoice choice;
  choice.slice = file.slice;
  choice.slice_text = file.what;
  choice.boxes = page ? kMostMarked : kMostBoxes;
  const absl::StatusOr<ChosenGraph> chosen = ChooseGraph(hierarchy, choice);
  if (!chosen.ok()) return chosen.status();
  if (page) {
    GraphPageInput input;
    input.hierarchy = hierarchy;
    input.file = file.program->source != nullptr ? std::string(Basename(file.program->source->name())) : file.program->name;
    input.version = file.version;
    MarkChosen(*hierarchy, choice, *chosen, file.causes, &input);
    const absl::Status written = WriteText(path, WriteGraphPage(input, std::nullopt));
    return written.ok() ? absl::StatusOr<std::string>(chosen->note) : written;
  }
  SceneMaker maker;
  const std::shared_ptr<const Scene> scene = maker.Make(chosen->wish);
  const TintFigures none;
  PageOptions fitting;
  fitting.scale = 0;
  const absl::StatusOr<float> written = WriteChosen(*scene, PaintScene(*scene, GraphColour::kClass, none), *chosen, file.program->name, path, fitting);
  return written.ok() ? absl::StatusOr<std::string>(chosen->note) : written.status();
}

}  // namespace hloscope
