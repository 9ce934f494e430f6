// The graph panel: the canvas, the mouse and keys on it, its menu, the minimap.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/ir/written_names.h"
#include "visualizer/panels/graph_panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr float kMapFrom = 0.2f;  // of a graph seen at once: in less of it the minimap may lie over boxes

std::string TagOf(const SceneBox& box) {
  std::string name = absl::StrCat(box.instruction != nullptr ? "node:" : "scope:", box.name);
  std::replace(name.begin(), name.end(), ' ', '_');
  return name;
}

}  // namespace

void GraphPanel::DrawCanvas(PanelContext& context, ImVec2 min, ImVec2 max) {
  FollowSelection(context);
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImGui::SetCursorScreenPos(min);
  ImGui::InvisibleButton("canvas", {max.x - min.x, max.y - min.y}, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight | ImGuiButtonFlags_MouseButtonMiddle);
  ImGui::SetItemAllowOverlap();
  ui::Tag("canvas");
  const bool over = ImGui::IsItemHovered(), active = ImGui::IsItemActive();
  // The minimap lies over it.
  const bool mapped = MinimapRect(min, max, &map_min_, &map_max_);
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  const bool over_map = mapped && mouse.x >= map_min_.x && mouse.y >= map_min_.y && mouse.x < map_max_.x && mouse.y < map_max_.y;
  Mouse(context, over && !over_map, active);
  Keys(context, over);
  Light(context);
  const std::vector<CardTint>& tints = colours_.Tints(context.engine, context.now, scene_, colour_);
  visible_ = DrawScene(list, camera_, *scene_, tints, lights_);
  if (ui::TheTags().on) NameBoxes();
  if (scene_->boxes.size() <= 1) ui::EmptyHint(ui::Icon::kGraph, "There is nothing to show.", "The program has no instructions.");
  if (mapped) DrawMap(tints, over_map);
  DrawMenu(context);
}

void GraphPanel::Mouse(PanelContext& context, bool over, bool active) {
  const ImGuiIO& io = ImGui::GetIO();
  bool on_chevron = false;
  hovered_ = over && !dragging_ ? BoxAt(camera_, *scene_, io.MousePos, &on_chevron) : -1;
  lights_.arrow = over && !dragging_ && hovered_ < 0 && lit_scene_ == scene_ ? ArrowAt(camera_, *scene_, lights_, io.MousePos) : -1;
  if (over && io.MouseWheel != 0) camera_.Zoom(std::pow(1.15f, io.MouseWheel), io.MousePos);
  if (over && io.MouseWheelH != 0) camera_.Pan({io.MouseWheelH * ui::Px(40), 0});
  if (over && (io.MouseWheel != 0 || io.MouseWheelH != 0)) camera_.KeepInView(scene_->width, scene_->height);
  if (over && (ImGui::IsMouseClicked(0) || ImGui::IsMouseClicked(2))) {
    pressed_ = hovered_;
    pressed_on_chevron_ = on_chevron;
    dragging_ = false;
    pressed_here_ = true;
  }
  if (pressed_here_ && active && (ImGui::IsMouseDragging(0, ui::Px(4)) || ImGui::IsMouseDragging(2, 1))) {
    dragging_ = true;
    camera_.Pan(io.MouseDelta);
    camera_.KeepInView(scene_->width, scene_->height);
    ImGui::SetMouseCursor(ImGuiMouseCursor_ResizeAll);
  }
  if (pressed_here_ && !ImGui::IsMouseDown(0) && !ImGui::IsMouseDown(2)) {
    pressed_here_ = false;
    if (!dragging_ && pressed_ >= 0 && pressed_ < static_cast<int>(scene_->boxes.size())) Clicked(context, pressed_);
    dragging_ = false;
    pressed_ = -1;
  }
  if (over && hovered_ >= 0) {
    const SceneBox& box = scene_->boxes[hovered_];
    if (box.instruction != nullptr) context.selection.hover_next = box.instruction;
    if (!dragging_) HoverText(box, colours_.Tints(context.engine, context.now, scene_, colour_)[static_cast<size_t>(hovered_)].note);
  }
  if (lights_.arrow >= 0) ArrowText(scene_->arrows[static_cast<size_t>(lights_.arrow)]);
  if (over && ImGui::IsMouseClicked(1)) {
    menu_key_ = hovered_ >= 0 ? scene_->boxes[hovered_].key : 0;
    if (hovered_ >= 0 && scene_->boxes[hovered_].instruction != nullptr) Choose(context, *scene_->boxes[hovered_].instruction);
    ImGui::OpenPopup("menu");
  }
}

void GraphPanel::Choose(PanelContext& context, const Instruction& instruction) {
  clicked_ = &instruction;
  context.select(&instruction, {});
}

void GraphPanel::Clicked(PanelContext& context, int index) {
  const SceneBox& box = scene_->boxes[index];
  const double time = ImGui::GetTime();
  const bool twice = clicked_key_ == box.key && time - clicked_time_ < 0.2 + ImGui::GetIO().MouseDoubleClickTime;
  clicked_key_ = twice ? 0 : box.key;
  clicked_time_ = time;
  if (pressed_on_chevron_ && !twice) return Toggle(context, index);
  if (box.instruction != nullptr && !twice) Choose(context, *box.instruction);
  if (twice && !pressed_on_chevron_) Toggle(context, index);
}

bool GraphPanel::Rests(BoxKey key) {
  if (key != hover_key_) {
    hover_key_ = key;
    hover_since_ = ImGui::GetTime();
  }
  if (ImGui::GetTime() - hover_since_ >= 0.45) return true;
  ui::WantFrame();
  return false;
}

void GraphPanel::ArrowText(const SceneArrow& arrow) {
  if (!Rests(~static_cast<BoxKey>(&arrow - scene_->arrows.data()))) return;
  const ui::Palette& c = ui::Colors();
  const auto name = [&](int box) { return scene_->boxes[box].instruction != nullptr ? ShownName(*scene_->boxes[box].instruction) : scene_->boxes[box].title; };
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(10), ui::Px(8)});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui::Px(460));
  ui::Text(absl::StrCat(name(arrow.from), " \u2192 ", name(arrow.to)), c.text, ui::Type().mono);
  if (arrow.count == 1 && arrow.value != nullptr) ui::Text(absl::StrCat(arrow.value->shape.ToString(false), "  ", BytesText(arrow.bytes)), c.teal, ui::Type().mono_small);
  if (arrow.count > 1) ui::Text(absl::StrCat(arrow.count, " values, ", BytesText(arrow.bytes)), c.teal, ui::Type().mono_small);
  if (arrow.count == 0 && arrow.order_only) ui::Text("No value: the order alone", c.dim, ui::Type().small);
  if (arrow.again) ui::Text("Into the next iteration", c.dim, ui::Type().small);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void GraphPanel::HoverText(const SceneBox& box, absl::string_view note) {
  if (!Rests(box.key)) return;
  const ui::Palette& c = ui::Colors();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(10), ui::Px(8)});
  ImGui::BeginTooltip();
  ImGui::PushTextWrapPos(ui::Px(460));
  if (box.instruction != nullptr) {
    const Instruction& i = *box.instruction;
    ui::Text(ShownName(i), c.text, ui::Type().mono);
    ui::Text(i.shape.ToString(false), c.teal, ui::Type().mono_small);
    std::string operands;
    for (size_t k = 0; k < i.operands.size() && k < 6; ++k) absl::StrAppend(&operands, k > 0 ? ", " : "", i.operands[k] != nullptr ? ShownName(*i.operands[k]) : "%?");
    if (i.operands.size() > 6) absl::StrAppend(&operands, ", \u2026");
    ui::Text(absl::StrCat(Name(i.opcode), "(", operands, ")"), c.dim, ui::Type().mono_small);
    if (const int more = box.more_out + box.more_in; more > 0) ui::Text(absl::StrCat(more, " of its arrows are drawn only while one points at it"), c.faint, ui::Type().small);
    if (!i.metadata.op_name.empty()) ui::Text(i.metadata.op_name, c.faint, ui::Type().small);
  } else {
    ui::Text(box.title, c.text, ui::Type().ui);
    ui::Text(absl::StrCat(scene_->hierarchy->node(box.node).count, " instructions", box.below.empty() ? "" : ": ", box.below), c.dim, ui::Type().small);
  }
  if (!note.empty()) ui::Text(note, c.dim, ui::Type().small);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
}

void GraphPanel::Keys(PanelContext& context, bool over) {
  if (!(over || context.focused) || ImGui::GetIO().WantTextInput) return;
  if (ui::Pressed("F") && over) context.run("window graph fit");
  if (ui::Pressed("Shift+F") && over) context.run("window graph fit all");
  if (ui::Pressed("Escape") && !only_.empty()) context.run("window graph whole");
  const Instruction* chosen = context.selection.instruction;
  if (chosen == nullptr || !context.focused) return;
  const int index = BoxOf(context.now, chosen);
  if (ui::Pressed("Enter") && index >= 0) Toggle(context, index);
}

void GraphPanel::NameBoxes() const {
  for (const SceneBox& box : scene_->boxes) {
    if (box.node < 0 || (box.parent < 0 && box.expanded)) continue;
    ImVec2 a, b;
    BoxRect(camera_, box, &a, &b);
    a = {std::max(a.x, camera_.min().x), std::max(a.y, camera_.min().y)};
    b = {std::min(b.x, camera_.max().x), std::min(b.y, camera_.max().y)};
    if (a.x + 2 < b.x && a.y + 2 < b.y) ui::Tag(TagOf(box), a, b);
  }
  for (const SceneArrow& arrow : scene_->arrows) {
    const Point middle = OnCurve(arrow.curve, static_cast<int>(arrow.curve.size() - 1) / 6, 0.5f);
    const ImVec2 at = camera_.ToScreen(middle.x, middle.y);
    if (at.x > camera_.min().x && at.y > camera_.min().y && at.x < camera_.max().x && at.y < camera_.max().y) {
      ui::Tag(absl::StrCat("arrow:", scene_->boxes[arrow.from].name, ":", scene_->boxes[arrow.to].name), {at.x - 1, at.y - 1}, {at.x + 1, at.y + 1});
    }
  }
}

bool GraphPanel::MinimapRect(ImVec2 min, ImVec2 max, ImVec2* a, ImVec2* b) {
  const float width = max.x - min.x, height = max.y - min.y;
  if (width < ui::Px(220) || height < ui::Px(150) || scene_->boxes.size() < 4) return false;
  // Nothing to find one's way in where all is seen.
  const ImVec2 low = camera_.ToScreen(0, 0), high = camera_.ToScreen(scene_->width, scene_->height);
  if (low.x >= min.x && low.y >= min.y && high.x <= max.x && high.y <= max.y) return false;
  const float aspect = std::clamp(scene_->width / std::max(1.0f, scene_->height), 0.45f, 2.4f);
  const float area = std::min(ui::Px(110) * ui::Px(140), width * height * 0.04f);
  const float w = std::sqrt(area * aspect), h = w / aspect;
  const float gap = ui::Px(10);
  const auto corner = [&](int k) {
    *a = {k == 0 || k == 1 ? max.x - gap - w : min.x + gap, k == 0 || k == 3 ? min.y + gap : max.y - gap - h};
    *b = {a->x + w, a->y + h};
  };
  // While something moves it stays where it is.
  if (dragging_ || ImGui::IsMouseDown(0)) return corner(map_corner_), map_shown_;
  const auto covered = [&](int k) {
    corner(k);
    double sum = 0;
    for (size_t n = 0; n < scene_->boxes.size(); ++n) {
      const SceneBox& box = scene_->boxes[n];
      if (box.node < 0 || (box.expanded && box.parent < 0)) continue;
      ImVec2 from, to;
      BoxRect(camera_, box, &from, &to);
      const float across = std::min(to.x, b->x) - std::max(from.x, a->x), down = std::min(to.y, b->y) - std::max(from.y, a->y);
      if (across <= 0 || down <= 0) continue;
      const int index = static_cast<int>(n);
      sum += static_cast<double>(across) * down + (lit_scene_ == scene_ && (index == lights_.stop || index == lights_.selected) ? 1e6 : 0);
    }
    return sum;
  };
  double least = covered(map_corner_ = 0);
  for (int k = 1; k < 4 && least > 0; ++k) {
    if (const double sum = covered(k); sum < least * 0.5) least = sum, map_corner_ = k;
  }
  corner(map_corner_);
  // In a graph that is not much larger than what is seen of it one finds one's way without.
  const float seen = width * height / std::max(1.0f, (high.x - low.x) * (high.y - low.y));
  return map_shown_ = least == 0 || (seen < kMapFrom && least < 1e6);
}

void GraphPanel::DrawMap(const std::vector<CardTint>& tints, bool over) {
  ImGui::SetCursorScreenPos(map_min_);
  ImGui::InvisibleButton("minimap", {map_max_.x - map_min_.x, map_max_.y - map_min_.y});
  ui::Tag("minimap");
  if (ImGui::IsItemActive()) {
    seen_ = Seen::kPart;
    camera_.Look(MinimapPoint(*scene_, map_min_, map_max_, ImGui::GetIO().MousePos), camera_.zoom(), false);
    camera_.Pan({});  // by hand
  }
  DrawMinimap(ImGui::GetWindowDrawList(), camera_, *scene_, tints, lights_, map_min_, map_max_);
}

// Of a name that is too long for the menu the middle is left out; the tip has all of it.
bool GraphPanel::Item(absl::string_view label, const char* tag) {
  const float width = ui::Px(210);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const bool chosen = ImGui::Selectable(absl::StrCat("##", tag).c_str(), false, 0, {width, ui::Px(20)});
  ui::Tag(tag);
  bool cut = false;
  ui::DrawNameIn(at, width, ui::Colors().text, ui::Type().ui, label, &cut);
  ui::TagFact(tag, cut ? "cut" : "whole");
  if (cut) ui::Tooltip(label);
  return chosen;
}

void GraphPanel::DrawMenu(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(8)});
  const bool open = ImGui::BeginPopup("menu");
  ImGui::PopStyleVar();
  if (!open) return;
  ui::TagScope scope("menu");
  const auto it = scene_->by_key.find(menu_key_);
  const SceneBox* box = it == scene_->by_key.end() ? nullptr : &scene_->boxes[it->second];
  if (box != nullptr && box->instruction != nullptr) {
    const Instruction& i = *box->instruction;
    const std::string name = CommandName(context.now, i);
    const StopRow* there = nullptr;
    for (const StopRow& stop : context.now.stops) {
      if (stop.kind == StopRow::kBreak && stop.at.size() == 1 && stop.at[0] == &i) there = &stop;
    }
    if (Item(there != nullptr ? "Remove the breakpoint" : "Breakpoint", "breakpoint")) context.run(there != nullptr ? absl::StrCat("delete ", there->number) : absl::StrCat("break ", StopPlace(context.now, i)));
    if (Item("Why", "why")) context.run(absl::StrCat("why ", name));
    if (Item("Explain", "explain")) context.run(absl::StrCat("explain ", name));
    ui::Separator();
    if (Item(absl::StrCat("What lies within ", hops_, hops_ == 1 ? " hop" : " hops"), "around")) context.run(absl::StrCat("window graph hops ", hops_));
    if (Item("Path from here", "path-from")) path_from_ = &i;
    if (path_from_ != nullptr && path_from_ != &i && Item(absl::StrCat("Path from ", ShownName(*path_from_), " to here"), "path-to")) {
      context.run(absl::StrCat("window graph path ", CommandName(context.now, *path_from_), " ", name));
    }
    ui::Separator();
    if (Item("Copy the name", "copy")) ImGui::SetClipboardText(ShownName(i).c_str());
  }
  if (box != nullptr && box->expandable && Item(box->expanded ? "Collapse" : "Expand", "toggle")) Toggle(context, it->second);
  // What a click inside is likely about.
  if (box != nullptr && box->parent >= 0 && scene_->boxes[box->parent].parent >= 0 && Item(absl::StrCat("Collapse ", scene_->boxes[box->parent].title), "collapse-around")) Toggle(context, box->parent);
  if (!only_.empty() && Item("The whole program", "whole")) context.run("window graph whole");
  if (box == nullptr) {
    if (Item("Show all of it", "fit")) context.run("window graph fit");
    if (Item("Collapse everything", "collapse-all")) {
      expanded_ = {KeyOf(0, scene_->hierarchy->NodeOf(*scene_->hierarchy->module().entry))};
      unasked_.clear();
      OrderAnew(context);
    }
  }
  ImGui::EndPopup();
}
}  // namespace hloscope
