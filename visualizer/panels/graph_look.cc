// The graph panel: where one looks, where things are, and what is lit up.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "visualizer/graph/walk.h"
#include "visualizer/panels/graph_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr float kReadable = 0.75f;  // zoom: letters are read without effort
constexpr float kLegibleAlone = 0.5f;  // a neighbourhood or a path that one asked for is seen whole where that can just be read
constexpr float kLegible = 0.64f;  // those that one sees all of may be smaller
constexpr float kMargin = 24;       // round what is fitted

}  // namespace

void GraphPanel::FirstLook() {
  FitAll(false, false);
}

void GraphPanel::FitAll(bool glide, bool whole) {
  if (scene_ == nullptr) return;
  seen_ = whole ? Seen::kAllHoweverSmall : Seen::kAll;
  const float scale = ui::TheLook().scale, margin = ui::Px(2 * kMargin), wide = camera_.max().x - camera_.min().x, high = camera_.max().y - camera_.min().y;
  const float across = (wide - margin) / std::max(1.0f, scene_->width) / scale, down = (high - margin) / std::max(1.0f, scene_->height) / scale;
  if (whole || std::min(across, down) >= (scene_->focused ? kLegibleAlone : kLegible)) return camera_.Fit(0, 0, scene_->width, scene_->height, 1, glide);
  const float zoom = std::clamp(across, kReadable, 1.0f);
  const int index = lit_scene_ != scene_ ? -1 : lights_.selected >= 0 ? lights_.selected : lights_.stop;
  Point at;
  if (index >= 0 && index < static_cast<int>(scene_->boxes.size())) {
    at = MiddleOf(scene_->boxes[index]);
  } else {
    // The middle of what stands at the top.
    double sum = 0;
    int count = 0;
    for (const SceneBox& box : scene_->boxes) {
      if (box.node < 0 || box.expanded || box.y > high / zoom / scale * 0.7f) continue;
      sum += box.x + box.width / 2;
      ++count;
    }
    at.x = count > 0 ? static_cast<float>(sum / count) : scene_->width / 2;
  }
  camera_.Look(WithinScene(at, zoom), zoom, glide);
}

Point GraphPanel::MiddleOf(const SceneBox& box) {
  return {box.x + std::min(box.width, 240.0f) / 2, box.y + std::min(box.height, 60.0f) / 2};
}

Point GraphPanel::WithinScene(Point at, float zoom) const {
  const float unit = zoom * ui::TheLook().scale, half_x = (camera_.max().x - camera_.min().x) / unit / 2, half_y = (camera_.max().y - camera_.min().y) / unit / 2, beyond = kMargin / zoom;
  const auto within = [beyond](float x, float half, float size) { return size + 2 * beyond <= 2 * half ? size / 2 : std::clamp(x, half - beyond, size - half + beyond); };
  return {within(at.x, half_x, scene_->width), within(at.y, half_y, scene_->height)};
}

void GraphPanel::LookAt(int index, bool glide) {
  const SceneBox& box = scene_->boxes[index];
  const GraphCamera there = camera_.Arrived();
  const ImVec2 a = there.ToScreen(box.x, box.y), b = there.ToScreen(box.x + std::min(box.width, 240.0f), box.y + std::min(box.height, 60.0f));
  const float zoom = std::max(there.zoom(), kReadable), margin = ui::Px(8);
  const bool inside = a.x > camera_.min().x + margin && a.y > camera_.min().y + margin && b.x < camera_.max().x - margin && b.y < camera_.max().y - margin;
  if (inside && there.zoom() >= 0.45f) return;
  seen_ = Seen::kPart;
  camera_.Look(WithinScene(MiddleOf(box), zoom), zoom, glide);
}

void GraphPanel::LookAgain() {
  if (camera_.by_hand()) return;
  if (seen_ != Seen::kPart) return FitAll(false, seen_ == Seen::kAllHoweverSmall);
  const int index = lit_scene_ != scene_ ? -1 : lights_.selected >= 0 ? lights_.selected : lights_.stop;
  if (index >= 0 && index < static_cast<int>(scene_->boxes.size())) ShowInside(scene_->boxes[index]);
}

void GraphPanel::ShowInside(const SceneBox& box) {
  const GraphCamera there = camera_.Arrived();
  const float unit = there.unit(), margin = ui::Px(14);
  const ImVec2 a = there.ToScreen(box.x, box.y), b = there.ToScreen(box.x + box.width, box.y + box.height);
  const auto shift = [margin](float from, float to, float low, float high) {
    if (to - from > high - low - 2 * margin) return from - (low + margin);
    return from < low + margin ? from - (low + margin) : to > high - margin ? to - (high - margin) : 0.0f;
  };
  const float x = shift(a.x, b.x, camera_.min().x, camera_.max().x), y = shift(a.y, b.y, camera_.min().y, camera_.max().y);
  // Nor is half of the panel left empty.
  const Point middle = there.ToScene({(camera_.min().x + camera_.max().x) / 2, (camera_.min().y + camera_.max().y) / 2});
  const Point to = WithinScene({middle.x + x / unit, middle.y + y / unit}, there.zoom());
  if (std::abs(to.x - middle.x) + std::abs(to.y - middle.y) <= 0.5f) return;
  seen_ = Seen::kPart;
  camera_.Look(to, there.zoom(), true);
}

CallPath GraphPanel::PathOf(const Snapshot& now, const Instruction& instruction) const {
  for (size_t depth = now.frames.size(); depth-- > 0;) {
    if (now.frames[depth].computation != instruction.parent) continue;
    CallPath path;
    for (size_t d = 1; d <= depth; ++d) {
      const FrameRow& frame = now.frames[d];
      if (frame.caller == nullptr) return PathTo(*scene_->hierarchy, *instruction.parent);
      const std::vector<const Computation*> called = Hierarchy::Called(*frame.caller);
      const auto at = std::find(called.begin(), called.end(), frame.computation);
      if (at == called.end()) return PathTo(*scene_->hierarchy, *instruction.parent);
      path.push_back({frame.caller, static_cast<int>(at - called.begin())});
    }
    return path;
  }
  return PathTo(*scene_->hierarchy, *instruction.parent);
}

int GraphPanel::BoxOf(const Snapshot& now, const Instruction* instruction) const {
  if (instruction == nullptr || scene_ == nullptr) return -1;
  return scene_->Find(PathOf(now, *instruction), *instruction);
}

const Instruction* GraphPanel::FindInstruction(const Snapshot& now, absl::string_view name) {
  absl::ConsumePrefix(&name, "%");
  if (now.module == nullptr) return nullptr;
  if (const size_t colon = name.find(':'); colon != absl::string_view::npos) {
    const Computation* computation = now.module->FindComputation(name.substr(0, colon));
    return computation != nullptr ? computation->FindInstruction(name.substr(colon + 1)) : nullptr;
  }
  if (const FrameRow* frame = now.frame()) {
    if (const Instruction* found = frame->computation->FindInstruction(name)) return found;
  }
  if (now.module->entry != nullptr) {
    if (const Instruction* found = now.module->entry->FindInstruction(name)) return found;
  }
  for (const Computation* computation : now.module->computations) {
    if (const Instruction* found = computation->FindInstruction(name)) return found;
  }
  return nullptr;
}

int GraphPanel::BoxNamed(const Snapshot& now, absl::string_view name) const {
  absl::string_view plain = name;
  absl::ConsumePrefix(&plain, "%");
  for (size_t k = 0; k < scene_->boxes.size(); ++k) {
    const SceneBox& box = scene_->boxes[k];
    if (box.node >= 0 && (box.name == plain || box.title == name) && box.parent >= 0) return static_cast<int>(k);
  }
  return -1;
}

std::shared_ptr<const MarkedSlice> GraphPanel::SliceMarks(PanelContext& context) {
  const std::shared_ptr<const SliceParts> parts = context.selection.slice_parts;
  if (parts == nullptr || context.selection.slice.empty()) return nullptr;
  const std::string key = absl::StrCat(reinterpret_cast<uintptr_t>(parts.get()), " ", reinterpret_cast<uintptr_t>(scene_->hierarchy.get()));
  const std::shared_ptr<const MarkedSlice> marks = marks_.Get(context.engine, key, [parts, h = scene_->hierarchy](Session::State&) -> absl::StatusOr<MarkedSlice> { return MarkSlice(*h, *parts); });
  if (!marks_.fresh()) ui::WantFrame();
  return marks_.fresh() ? marks : nullptr;
}

void GraphPanel::LightSlice(PanelContext& context, const MarkedSlice* marked) {
  if (marked != nullptr) {
    MarkedBoxes found = FindMarked(*scene_, *marked);
    lights_.slice = std::move(found.parts);
    lights_.between = std::move(found.between);
    lights_.slice_arrows = std::move(found.arrows);
    return;
  }
  if (context.selection.slice_parts != nullptr) return;  // being found
  for (const Instruction* i : context.selection.slice) {
    if (const int box = BoxOf(context.now, i); box >= 0 && !scene_->boxes[box].expanded) lights_.slice.insert(box);
  }
  for (const SceneArrow& arrow : scene_->arrows) {
    if (lights_.slice.contains(arrow.from) && lights_.slice.contains(arrow.to)) lights_.slice_arrows.insert({arrow.from, arrow.to});
  }
}

void GraphPanel::Light(PanelContext& context) {
  const Snapshot& now = context.now;
  const Selection& selection = context.selection;
  size_t slice = selection.slice.size();
  for (const Instruction* i : selection.slice) slice = slice * 31 + reinterpret_cast<uintptr_t>(i);
  const std::shared_ptr<const MarkedSlice> marks = SliceMarks(context);
  const bool same = lit_scene_ == scene_ && lit_marks_ == marks && lit_generation_ == now.generation && lit_selection_ == selection.generation && lit_slice_ == slice;
  lights_.hovered = hovered_ >= 0 ? hovered_ : selection.hovered != nullptr ? BoxOf(now, selection.hovered) : -1;
  if (same) return;
  const int hovered = lights_.hovered, arrow = lights_.arrow;
  lights_ = GraphLights();
  lights_.hovered = hovered;
  lights_.arrow = arrow;
  lit_scene_ = scene_;
  lit_generation_ = now.generation;
  lit_selection_ = selection.generation;
  lit_slice_ = slice;
  lit_marks_ = marks;
  lights_.stop = BoxOf(now, now.here());
  lights_.selected = BoxOf(now, selection.instruction);
  LightSlice(context, marks.get());
  for (size_t k = 0; k < matches_.size() && k < 4000; ++k) {
    if (const int box = BoxOf(now, matches_[k]); box >= 0 && !scene_->boxes[box].expanded) lights_.found.insert(box);
  }
  for (const StopRow& stop : now.stops) {
    for (const Instruction* i : stop.at) {
      if (const int box = BoxOf(now, i); box >= 0) lights_.breakpoints[box] = lights_.breakpoints[box] || stop.enabled;
    }
  }
  for (const Instruction* i : path_) {
    if (const int box = BoxOf(now, i); box >= 0) lights_.path.insert(box);
  }
  for (const SceneHop& hop : HopsOf(*scene_->hierarchy, path_)) {
    const int from = BoxOf(now, hop.from), to = BoxOf(now, hop.to);
    if (from >= 0 && to >= 0) lights_.path_arrows.insert(static_cast<int64_t>(from) << 32 | to);
  }
}

void GraphPanel::FollowSelection(PanelContext& context) {
  const Selection& selection = context.selection;
  // A stop at the same instruction, reached by other calls, is no other selection.
  std::vector<const Instruction*> callers;
  for (const FrameRow& frame : context.now.frames) callers.push_back(frame.caller);
  const bool elsewhere = callers != seen_callers_;
  seen_callers_ = std::move(callers);
  if (selection.generation == seen_selection_) {
    if (elsewhere && follow_ && context.now.here() != nullptr && selection.instruction == context.now.here()) Reveal(context, *context.now.here(), true);
    return;
  }
  const bool first = seen_selection_ == ~uint64_t{0};
  seen_selection_ = selection.generation;
  const Instruction* chosen = selection.instruction;
  const Instruction* here = context.now.here();
  if (first && chosen == nullptr) chosen = here;
  if (chosen == nullptr || chosen == clicked_) {
    clicked_ = nullptr;
    return;
  }
  clicked_ = nullptr;
  if (chosen == here && !follow_) return;
  Reveal(context, *chosen, true);
}
}  // namespace hloscope
