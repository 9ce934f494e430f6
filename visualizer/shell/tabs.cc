// Drawing the panels in their places: splits whose borders can be dragged, tabs that can be moved, closed and dropped elsewhere.
#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/first_field.h"
#include "visualizer/widgets/row_keys.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr float kLeastOfLongTab = 150;

// Where there is no room for all, the widest leave some to the others, until all are there or they are as narrow as `least`.
void NarrowTheWidest(float room, float least, std::vector<float>* widths) {
  std::vector<float> ascending = *widths;
  std::sort(ascending.begin(), ascending.end());
  float most = room;
  for (size_t k = 0; k < ascending.size(); ++k) {
    most = room / static_cast<float>(ascending.size() - k);  // what is left, shared by those that are at least as wide
    if (ascending[k] > most) break;
    room -= ascending[k];
  }
  for (float& w : *widths) w = std::min(w, std::max(most, least));
}

// The panel that stands for a side of a border.
std::string FrontOf(const LayoutNode& node) { return node.leaf() ? node.active : FrontOf(*node.first); }

bool Inside(ImVec2 p, ImVec2 min, ImVec2 max) { return p.x >= min.x && p.x < max.x && p.y >= min.y && p.y < max.y; }

}  // namespace

void Shell::DrawNode(LayoutNode& node, ImVec2 min, ImVec2 max, const std::string& name) {
  if (node.leaf()) return DrawLeaf(node, min, max, name);
  const float gap = ui::Px(8);
  // Where there is no height for two places, but width, they stand side by side.
  const bool beside = node.stacked && max.y - min.y - gap < 2 * ui::Px(kLeastPlaceHeight) && max.x - min.x - gap >= 2 * ui::Px(kBesidePlaceWidth);
  const bool stacked = node.stacked && !beside;
  node.beside = beside;
  float& ratio = node.share();
  const float whole = (stacked ? max.y - min.y : max.x - min.x) - gap;
  const float least = ui::Px(stacked ? kLeastPlaceHeight : kLeastPlaceWidth);
  if (whole < 2 * least) return DrawMerged(node, min, max, name);
  // Each gets what its places need where there is room for that; else at least so much that one of them can be seen.
  const LayoutSize a = NeededSize(*node.first, 8), b = NeededSize(*node.second, 8);
  float least_first = ui::Px(stacked ? a.height : a.width), least_second = ui::Px(stacked ? b.height : b.width);
  if (beside || least_first + least_second > whole) least_first = least_second = least;
  // Where the program would be a few lines only, what is below it becomes one place, or two side by side.
  const std::vector<std::string> above = TabsOf(*node.first);
  if (stacked && !node.second->leaf() && std::find(above.begin(), above.end(), "program") != above.end() && whole - least_second < ui::Px(kProgramHeight)) {
    least_second = least;
    least_first = std::max(least, std::min(ui::Px(kProgramHeight), whole - least));
  }
  const float first = std::floor(std::clamp(whole * ratio, least_first, std::max(least_first, whole - least_second)));
  ImVec2 end = max, begin = min, bar_min = min, bar_max = max;
  if (stacked) {
    end.y = bar_min.y = min.y + first;
    begin.y = bar_max.y = min.y + first + gap;
  } else {
    end.x = bar_min.x = min.x + first;
    begin.x = bar_max.x = min.x + first + gap;
  }
  ImGui::SetCursorScreenPos(bar_min);
  ImGui::InvisibleButton(absl::StrCat("split ", name).c_str(), {std::max(1.0f, bar_max.x - bar_min.x), std::max(1.0f, bar_max.y - bar_min.y)});
  ui::Tag(absl::StrCat("split:", name));
  if (ImGui::IsItemHovered() || ImGui::IsItemActive()) {
    ImGui::SetMouseCursor(stacked ? ImGuiMouseCursor_ResizeNS : ImGuiMouseCursor_ResizeEW);
    const float middle = std::floor(gap / 2);
    const ImVec2 a = stacked ? ImVec2{bar_min.x, bar_min.y + middle} : ImVec2{bar_min.x + middle, bar_min.y};
    const ImVec2 b = stacked ? ImVec2{bar_max.x, bar_min.y + middle} : ImVec2{bar_min.x + middle, bar_max.y};
    ImGui::GetWindowDrawList()->AddLine(a, b, ui::Colors().blue, ui::Px(2));
  }
  if (ImGui::IsItemActive()) {
    const ImVec2 delta = ImGui::GetIO().MouseDelta;
    const float moved = stacked ? delta.y : delta.x;
    if (moved != 0 && whole > 0) {
      ratio = std::clamp((first + moved) / whole, 0.05f, 0.95f);
      border_moved_ = true;
    }
  }
  if (ImGui::IsItemDeactivated() && std::exchange(border_moved_, false)) {
    Run(absl::StrFormat("window border %s %s %.1f%%", FrontOf(*node.first), FrontOf(*node.second), 100 * first / whole));
  }
  if (ui::TheTags().on) ui::TagFact(absl::StrCat("split:", name, "/share"), absl::StrFormat("%.0f%%", 100 * first / whole));
  DrawNode(*node.first, min, end, name + "a");
  DrawNode(*node.second, begin, max, name + "b");
}

// There is no room for both: all of their panels are tabs of one place, until there is.
void Shell::DrawMerged(LayoutNode& node, ImVec2 min, ImVec2 max, const std::string& name) {
  merged_.emplace_back();
  LayoutNode& one = merged_.back();
  one.tabs = TabsOf(node);
  const auto has = [&](const std::string& id) { return std::find(one.tabs.begin(), one.tabs.end(), id) != one.tabs.end(); };
  if (!has(node.merged_active)) node.merged_active = one.tabs.empty() ? "" : one.tabs.front();
  one.active = node.merged_active;
  DrawLeaf(one, min, max, name);
  if (one.active == node.merged_active) return;
  node.merged_active = one.active;
  if (LayoutNode* real = layout_.LeafOf(one.active)) real->active = one.active;
}

void Shell::DrawLeaf(LayoutNode& leaf, ImVec2 min, ImVec2 max, const std::string& name) {
  const float strip = ui::Px(32);
  if (leaf.tabs.empty()) {
    ImGui::SetCursorScreenPos(min);
    ImGui::BeginChild(name.c_str(), {max.x - min.x, max.y - min.y});
    ui::EmptyHint(ui::Icon::kTable, "All panels are closed.", "View > Standard layout brings them back.");
    ImGui::EndChild();
    return;
  }
  // What is drawn as one place is several: it takes no tabs.
  const bool own = merged_.empty() || &leaf != &merged_.back();
  if (own) drop_places_.push_back({&leaf, min, max});
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ui::Palette& c = ui::Colors();
  list->AddRectFilled(min, max, c.panel, ui::Px(4));
  const std::string active = leaf.active;
  DrawTabs(leaf, min, max.x - min.x);
  list->AddLine({min.x, min.y + strip}, {max.x, min.y + strip}, c.border);
  DrawPanel(active, {min.x, min.y + strip + 1}, max);
  list->AddRect(min, max, focused_panel_ == active ? ui::Mix(c.border, c.blue, 0.35f) : c.border, ui::Px(4));
}

void Shell::DrawTabs(LayoutNode& leaf, ImVec2 min, float width) {
  const ui::Palette& c = ui::Colors();
  const float height = ui::Px(32);
  float x = min.x;
  std::string close;
  const PanelContext context = Context();
  // All in full where there is room; else without room for the cross; else what fits, and the others in a menu.
  std::vector<float> widths;
  float total = 0, tight = 0;
  const float cross_room = ui::Px(16), more_width = ui::Px(30);
  std::vector<std::string> titles;
  for (const std::string& id : leaf.tabs) {
    std::string title = PanelOf(id).Title(context);
    if (title.empty()) title = FindPanelRow(id)->title;
    widths.push_back(ui::Measure(ui::Type().ui, title).x + ui::Px(24 + 14));
    titles.push_back(std::move(title));
    total += widths.back();
  }
  std::vector<bool> hidden(leaf.tabs.size(), false);
  // Where there is no room for a cross, a tab's words stay as they are when the mouse comes by; it is closed with the middle button or Ctrl+W.
  const bool crosses = total <= width;
  if (!crosses) {
    for (float& w : widths) w -= cross_room;
    NarrowTheWidest(width, ui::Px(kLeastOfLongTab), &widths);
    for (const float w : widths) tight += w;
  }
  if (tight > width + 1) {
    // The one in front is always there.
    float used = more_width;
    for (size_t k = 0; k < leaf.tabs.size(); ++k) {
      if (leaf.tabs[k] == leaf.active) used += std::min(widths[k], std::max(ui::Px(60), width - more_width));
    }
    bool full = false;
    for (size_t k = 0; k < leaf.tabs.size(); ++k) {
      if (leaf.tabs[k] == leaf.active) continue;
      full = full || used + widths[k] > width;
      hidden[k] = full;
      if (!full) used += widths[k];
    }
  }
  const bool more = std::find(hidden.begin(), hidden.end(), true) != hidden.end();
  for (size_t k = 0; k < leaf.tabs.size(); ++k) {
    if (hidden[k]) continue;
    const std::string id = leaf.tabs[k];
    const float w = std::floor(std::min(widths[k], std::max(ui::Px(40), width - (more ? more_width : 0))));
    const ImVec2 at = {x, min.y}, end = {x + w, min.y + height};
    ImGui::PushID(id.c_str());
    ImGui::SetCursorScreenPos(at);
    ImGui::SetItemAllowOverlap();
    const bool clicked = ImGui::InvisibleButton("tab", {std::max(1.0f, w), height});
    ImGui::SetItemAllowOverlap();
    const bool on = leaf.active == id, hovered = ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenBlockedByActiveItem) || Inside(ImGui::GetIO().MousePos, at, end);
    ui::Tag(absl::StrCat("tab:", id));
    if (ui::TheTags().on) ui::TagFact(absl::StrCat("tab:", id, "/title"), titles[k]);
    drop_tabs_.push_back({id, at, end});
    if (ImGui::IsItemActivated() && !on) {
      Run(absl::StrCat("window panel ", id));
    } else if (clicked && focused_panel_ != id) {
      focused_panel_ = id;
      SaveSettings();
    }
    if (ImGui::IsItemActive() && ImGui::IsMouseDragging(0, ui::Px(8))) dragged_ = id;
    if (ImGui::IsItemClicked(2)) close = id;
    ImDrawList* list = ImGui::GetWindowDrawList();
    // The first one lies in the rounded corner of its place.
    const float round = at.x <= min.x + 1 ? ui::Px(4) : 0;
    const auto fill = [&](ImU32 color) { list->AddRectFilled(at, end, color, round, ImDrawFlags_RoundCornersTopLeft); };
    if (on) {
      fill(ui::Fade(c.raised, 0.6f));
      list->PushClipRect(at, {end.x, at.y + ui::Px(2)}, true);
      fill(c.blue);
      list->PopClipRect();
    } else if (hovered) {
      fill(ui::Fade(c.hover, 0.6f));
    }
    list->AddLine({end.x - 1, at.y + 1}, {end.x - 1, end.y}, c.border);
    bool cut = false;
    ui::DrawNameIn({at.x + ui::Px(12), at.y + std::floor((height - ui::Type().ui->FontSize) / 2)}, w - ui::Px(crosses && hovered ? 32 : 16), on ? c.text : c.dim, ui::Type().ui, titles[k], &cut);
    if (cut) ui::Tooltip(titles[k]);
    if (crosses && hovered) {
      const ImVec2 cross = {end.x - ui::Px(20), at.y + ui::Px(8)};
      ImGui::SetCursorScreenPos(cross);
      if (ImGui::InvisibleButton("close", {ui::Px(16), ui::Px(16)})) close = id;
      ui::Tag(absl::StrCat("close:", id));
      ui::DrawIcon(list, ui::Icon::kClose, {cross.x + ui::Px(2), cross.y + ui::Px(2)}, ui::Px(12), ImGui::IsItemHovered() ? c.text : c.faint);
    }
    ImGui::PopID();
    x += w;
  }
  if (more) {
    const ImVec2 at = {min.x + width - more_width, min.y};
    ImGui::SetCursorScreenPos({at.x + ui::Px(2), at.y + ui::Px(4)});
    ImGui::PushID(leaf.tabs.front().c_str());
    if (ui::IconButton("more-tabs", ui::Icon::kChevronDown, "More panels")) ImGui::OpenPopup("more tabs");
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(8)});
    if (ImGui::BeginPopup("more tabs")) {
      for (size_t k = 0; k < leaf.tabs.size(); ++k) {
        if (!hidden[k]) continue;
        if (ImGui::Selectable(titles[k].c_str())) Run(absl::StrCat("window panel ", leaf.tabs[k]));
        ui::Tag(absl::StrCat("more:", leaf.tabs[k]));
      }
      ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
    ImGui::PopID();
  }
  if (!close.empty()) Run(absl::StrCat("window close ", close));
}

void Shell::DrawDropTargets() {
  if (dragged_.empty()) return;
  const ui::Palette& c = ui::Colors();
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  ImDrawList* list = ImGui::GetForegroundDrawList();
  LayoutNode* to = nullptr;
  Side side = Side::kCenter;
  std::string beside;  // a tab that it is put next to
  for (const DropPlace& place : drop_places_) {
    if (!Inside(mouse, place.min, place.max)) continue;
    to = place.leaf;
    const float w = place.max.x - place.min.x, h = place.max.y - place.min.y;
    const float fx = (mouse.x - place.min.x) / w, fy = (mouse.y - place.min.y) / h;
    ImVec2 min = place.min, max = place.max;
    if (mouse.y < place.min.y + ui::Px(32)) {
      side = Side::kCenter;
      // Between two tabs of its row.
      for (const DropTab& tab : drop_tabs_) {
        if (!Inside(mouse, tab.min, tab.max)) continue;
        beside = tab.id;
        side = mouse.x < (tab.min.x + tab.max.x) / 2 ? Side::kBefore : Side::kBehind;
        const float x = side == Side::kBefore ? tab.min.x : tab.max.x;
        min = {x - ui::Px(2), tab.min.y};
        max = {x + ui::Px(2), tab.max.y};
      }
    } else if (fx < 0.25f && fx < fy && fx < 1 - fy) {
      side = Side::kLeft;
      max.x = min.x + w / 2;
    } else if (fx > 0.75f && 1 - fx < fy && 1 - fx < 1 - fy) {
      side = Side::kRight;
      min.x = max.x - w / 2;
    } else if (fy < 0.25f) {
      side = Side::kTop;
      max.y = min.y + h / 2;
    } else if (fy > 0.75f) {
      side = Side::kBottom;
      min.y = max.y - h / 2;
    }
    list->AddRectFilled(min, max, c.blue_fill, ui::Px(4));
    list->AddRect(min, max, c.blue, ui::Px(4), 0, ui::Px(2));
    break;
  }
  const char* title = FindPanelRow(dragged_)->title;
  const ImVec2 size = ui::Measure(ui::Type().ui, title);
  list->AddRectFilled({mouse.x + ui::Px(8), mouse.y + ui::Px(8)}, {mouse.x + ui::Px(24) + size.x, mouse.y + ui::Px(16) + size.y}, c.raised, ui::Px(4));
  ui::AddText(list, ui::Type().ui, {mouse.x + ui::Px(16), mouse.y + ui::Px(12)}, c.text, title);
  if (!ImGui::IsMouseDown(0)) {
    // Onto itself it stays.
    const LayoutNode* from = layout_.LeafOf(dragged_);
    const bool stays = to == nullptr || beside == dragged_ || (from == to && (side == Side::kCenter || to->tabs.size() == 1));
    if (!stays) {
      if (beside.empty())
        beside = to->active != dragged_ || to->tabs.size() == 1 ? to->active : to->tabs[to->tabs.front() == dragged_ ? 1 : 0];
      Run(absl::StrCat("window move ", dragged_, " ", kSideWords[static_cast<int>(side)], " ", beside));
    }
    dragged_.clear();
  }
}

void Shell::DrawPanel(const std::string& id, ImVec2 min, ImVec2 max) {
  const PanelRow* row = FindPanelRow(id);
  if (row == nullptr || max.x - min.x < 8 || max.y - min.y < 8) return;
  Panel& panel = PanelOf(id);
  ui::TagScope scope(id);
  ui::Tag("panel", min, max);
  const float pad = ui::Px(panel.padding());
  if (id == "timeline") {
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, ui::Colors().panel, ui::Px(4));
    ImGui::GetWindowDrawList()->AddRect(min, max, focused_panel_ == id ? ui::Mix(ui::Colors().border, ui::Colors().blue, 0.35f) : ui::Colors().border, ui::Px(4));
  }
  ImGui::SetCursorScreenPos(min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {pad, pad});
  ImGui::BeginChild(absl::StrCat("panel ", id).c_str(), {max.x - min.x, max.y - min.y}, false, pad > 0 ? ImGuiWindowFlags_AlwaysUseWindowPadding : ImGuiWindowFlags_None);
  ImGui::PopStyleVar();
  if (ImGui::IsWindowFocused(ImGuiFocusedFlags_ChildWindows)) focused_panel_ = id;
  PanelContext context = Context();
  // Keys are a menu's while one is open.
  const bool popup = ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  context.focused = focused_panel_ == id && !popup;
  // What a key brought to the front has the keyboard: its first field, its text, or its rows.
  bool to_field = false;
  if (keyboard_to_ == id) {
    keyboard_to_.clear();
    to_field = id == "watch" || id == "console" || id == "builder";
    std::string none;
    if (id == "program") panel.Command(context, "focus", &none);  // without a text: the panel
    if (!to_field) ImGui::SetWindowFocus();
  }
  const bool rows = context.focused && palette_ == 0;
  if (rows) ui::RowsHaveKeyboard(id.c_str());
  {
    const ui::FirstFieldTakesKeyboard first(to_field);
    panel.Draw(context);
    if (first.waiting()) ImGui::SetWindowFocus();  // it has no field now
  }
  if (rows) ui::RowsHaveKeyboard(nullptr);
  ImGui::EndChild();
}

}  // namespace hloscope
