#include "visualizer/widgets/controls.h"

#include <GLFW/glfw3.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "absl/strings/str_cat.h"
#include "imgui_internal.h"
#include "imgui_stdlib.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/widgets/first_field.h"
#include "visualizer/widgets/letters.h"
#include "visualizer/widgets/row_keys.h"
#include "visualizer/widgets/steady.h"

namespace hloscope::ui {
namespace {

bool wanted_frame = false;

// The number of bytes of the UTF-8 letter that begins here.
size_t LetterSize(unsigned char c) { return c < 0x80 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4; }

float CenterY(float height, ImFont* font) { return std::floor((height - font->FontSize) / 2); }

// What fits, with an ellipsis; empty where not even that does.
std::string CutTo(float width, ImFont* font, absl::string_view text) {
  const float dots = Measure(font, "\u2026").x;
  size_t end = 0;
  float x = 0;
  while (end < text.size()) {
    const size_t size = std::min(LetterSize(static_cast<unsigned char>(text[end])), text.size() - end);
    const float letter = Measure(font, text.substr(end, size)).x;
    if (x + letter + dots > width) break;
    x += letter;
    end += size;
  }
  return width < dots ? "" : absl::StrCat(text.substr(0, end), "\u2026");
}

}  // namespace

// ImGui takes a null end for a text that a zero ends: an empty view must not get there.
ImVec2 Measure(ImFont* font, absl::string_view text) {
  if (text.empty()) return {0, font->FontSize};
  std::string kept;
  text = Spelled(font, text, kept);
  return font->CalcTextSizeA(font->FontSize, FLT_MAX, 0, text.data(), text.data() + text.size());
}

void AddText(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 color, absl::string_view text, const ImVec4* clip, float wrap) {
  if (text.empty()) return;
  std::string kept;
  text = Spelled(font, text, kept);
  list->AddText(font, font->FontSize, at, color, text.data(), text.data() + text.size(), wrap, clip);
}

void DrawText(ImVec2 at, ImU32 color, ImFont* font, absl::string_view text) {
  if (text.empty()) return;
  AddText(ImGui::GetWindowDrawList(), font, {std::floor(at.x), std::floor(at.y)}, color, text);
  if (TheSteady().on) NoteText(text, at, {at.x + Measure(font, text).x, at.y + font->FontSize});
}

float DrawTextIn(ImVec2 at, float width, ImU32 color, ImFont* font, absl::string_view text, bool* cut) {
  if (cut != nullptr) *cut = false;
  const float whole = Measure(font, text).x;
  if (whole <= width + 0.5f) {
    DrawText(at, color, font, text);
    return whole;
  }
  if (cut != nullptr) *cut = true;
  const std::string shown = CutTo(width, font, text);
  DrawText(at, color, font, shown);
  return Measure(font, shown).x;
}

float DrawNameIn(ImVec2 at, float width, ImU32 color, ImFont* font, absl::string_view name, bool* cut) {
  if (Measure(font, name).x <= width + 0.5f) return DrawTextIn(at, width, color, font, name, cut);
  const size_t end = BeginOfNameEnd(name);
  const std::string head = CutTo(width - Measure(font, name.substr(end)).x, font, name.substr(0, end));
  if (head.empty()) return DrawTextIn(at, width, color, font, name, cut);
  if (cut != nullptr) *cut = true;
  const std::string shown = absl::StrCat(head, name.substr(end));
  DrawText(at, color, font, shown);
  return Measure(font, shown).x;
}

void Text(absl::string_view text, ImU32 color, ImFont* font) {
  if (text.empty()) text = absl::string_view("", 0);
  if (font != nullptr) ImGui::PushFont(font);
  ImGui::PushStyleColor(ImGuiCol_Text, color != 0 ? color : Colors().text);
  std::string kept;
  const absl::string_view spelled = Spelled(ImGui::GetFont(), text, kept);
  ImGui::TextUnformatted(spelled.data(), spelled.data() + spelled.size());
  NoteText(text, ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
  ImGui::PopStyleColor();
  if (font != nullptr) ImGui::PopFont();
}

void TextWrapped(absl::string_view text, ImU32 color, ImFont* font) {
  ImGui::PushTextWrapPos(0);
  Text(text, color, font);
  ImGui::PopTextWrapPos();
}

void TextCut(absl::string_view text, ImU32 color, ImFont* font, float width) {
  if (font == nullptr) font = Type().ui;
  if (width <= 0) width = ImGui::GetContentRegionAvail().x;
  const ImVec2 at = ImGui::GetCursorScreenPos();
  bool cut = false;
  const float drawn = DrawTextIn(at, width, color != 0 ? color : Colors().text, font, text, &cut);
  ImGui::Dummy({std::max(1.0f, drawn), font->FontSize});
  if (cut) Tooltip(text);
}

void Tooltip(absl::string_view text) {
  if (text.empty() || !ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) || GImGui->HoveredIdTimer < 0.35f) {
    if (!text.empty() && ImGui::IsItemHovered(ImGuiHoveredFlags_AllowWhenDisabled) && GImGui->HoveredIdTimer < 0.5f && ImGui::GetItemID() != 0) WantFrame();
    // Items without an identity (texts) have no timer.
    if (text.empty() || ImGui::GetItemID() != 0 || !ImGui::IsItemHovered()) return;
  }
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {Px(8), Px(6)});
  // Of several in one frame the last says it: what is said of an item after its own text was cut is meant instead.
  ImGui::BeginTooltipEx(ImGuiTooltipFlags_OverridePreviousTooltip, ImGuiWindowFlags_None);
  ImGui::PushTextWrapPos(Px(480));
  Text(text, Colors().text, Type().ui);
  ImGui::PopTextWrapPos();
  ImGui::EndTooltip();
  ImGui::PopStyleVar();
  TagFact("tooltip", text);
}

void Gap(float height) { ImGui::Dummy({1, std::max(0.0f, Px(height) - ImGui::GetStyle().ItemSpacing.y)}); }

bool Button(absl::string_view name, absl::string_view label, Icon icon, ButtonKind kind, absl::string_view tip, bool enabled) {
  const Palette& c = Colors();
  ImFont* font = Type().ui;
  const float height = Px(28), icon_size = Px(14), pad = Px(label.empty() ? 7 : 10);
  const float text_width = label.empty() ? 0 : Measure(font, label).x;
  const float between = icon != Icon::kNone && !label.empty() ? Px(6) : 0;
  const ImVec2 size = {pad * 2 + text_width + between + (icon != Icon::kNone ? icon_size : 0), height};
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::BeginDisabled(!enabled);
  const std::string id(name);
  const bool clicked = ImGui::InvisibleButton(id.c_str(), size);
  ImGui::EndDisabled();
  const bool hovered = enabled && ImGui::IsItemHovered(), held = hovered && ImGui::IsMouseDown(0);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end = {at.x + size.x, at.y + size.y};
  ImU32 fill = 0, ink = c.text;
  switch (kind) {
    case ButtonKind::kPlain: fill = held ? c.active : hovered ? c.hover : c.raised; break;
    case ButtonKind::kPrimary:
      fill = held ? Mix(c.green_fill, c.green, 0.3f) : hovered ? Mix(c.green_fill, c.green, 0.15f) : c.green_fill;
      ink = TheLook().scheme == Scheme::kDark ? c.green : c.text;
      break;
    case ButtonKind::kQuiet: fill = held ? c.active : hovered ? c.hover : 0; ink = hovered ? c.text : c.dim; break;
    case ButtonKind::kLink: fill = hovered ? c.hover : c.raised; ink = c.blue; break;
  }
  if (!enabled) ink = Fade(ink, 0.4f);
  if (fill != 0) list->AddRectFilled(at, end, enabled ? fill : Fade(fill, 0.6f), Px(4));
  float x = at.x + pad;
  if (icon != Icon::kNone) {
    DrawIcon(list, icon, {x, at.y + std::floor((height - icon_size) / 2)}, icon_size, ink);
    x += icon_size + between;
  }
  if (!label.empty()) DrawText({x, at.y + CenterY(height, font)}, ink, font, label);
  if (enabled) Tag(name, at, end);
  Tooltip(tip);
  return clicked && enabled;
}

bool IconButton(absl::string_view name, Icon icon, absl::string_view tip, bool on, bool enabled) {
  const Palette& c = Colors();
  const float side = Px(24), icon_size = Px(14);
  const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + side, at.y + side};
  ImGui::BeginDisabled(!enabled);
  const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {side, side});
  ImGui::EndDisabled();
  const bool hovered = enabled && ImGui::IsItemHovered();
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (on || hovered) list->AddRectFilled(at, end, on ? c.blue_fill : c.hover, Px(4));
  const float inset = std::floor((side - icon_size) / 2);
  const ImU32 ink = on ? c.blue : hovered ? c.text : c.dim;
  DrawIcon(list, icon, {at.x + inset, at.y + inset}, icon_size, enabled ? ink : Fade(ink, 0.4f));
  if (enabled) Tag(name, at, end);
  Tooltip(tip);
  return clicked && enabled;
}

bool Link(absl::string_view name, absl::string_view text, ImFont* font) {
  if (font == nullptr) font = Type().ui;
  const ImVec2 size = Measure(font, text), at = ImGui::GetCursorScreenPos();
  const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {std::max(1.0f, size.x), size.y});
  DrawText(at, Colors().blue, font, text);
  if (ImGui::IsItemHovered()) {
    ImGui::GetWindowDrawList()->AddLine({at.x, at.y + size.y}, {at.x + size.x, at.y + size.y}, Colors().blue, 1);
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
  }
  Tag(name);
  return clicked;
}

bool Toggle(absl::string_view name, absl::string_view label, bool* on, absl::string_view tip) {
  const Palette& c = Colors();
  ImFont* font = Type().ui;
  const float side = Px(16), height = Px(24);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float width = side + Px(6) + Measure(font, label).x;
  const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {width, height});
  if (clicked) *on = !*on;
  const float top = at.y + std::floor((height - side) / 2);
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({at.x, top}, {at.x + side, top + side}, *on ? c.blue : c.sunken, Px(3));
  if (!*on) list->AddRect({at.x, top}, {at.x + side, top + side}, ImGui::IsItemHovered() ? c.dim : c.border, Px(3));
  if (*on) DrawIcon(list, Icon::kCheck, {at.x + Px(2), top + Px(2)}, side - Px(4), c.panel);
  DrawText({at.x + side + Px(6), at.y + CenterY(height, font)}, ImGui::IsItemHovered() ? c.text : c.dim, font, label);
  Tag(name);
  Tooltip(tip);
  return clicked;
}

bool Segments(absl::string_view name, const std::vector<std::string>& labels, int* chosen) {
  const Palette& c = Colors();
  ImFont* font = Type().ui;
  const float height = Px(24);
  bool changed = false;
  ImGui::PushID(std::string(name).c_str());
  TagScope scope(name);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (int k = 0; k < static_cast<int>(labels.size()); ++k) {
    if (k > 0) ImGui::SameLine();
    const float width = Measure(font, labels[k]).x + Px(16);
    const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + width, at.y + height};
    if (ImGui::InvisibleButton(labels[k].c_str(), {width, height}) && *chosen != k) {
      *chosen = k;
      changed = true;
    }
    const bool on = *chosen == k;
    list->AddRectFilled(at, end, on ? c.active : ImGui::IsItemHovered() ? c.hover : c.raised, Px(4),
                        k == 0 ? ImDrawFlags_RoundCornersLeft : k + 1 == static_cast<int>(labels.size()) ? ImDrawFlags_RoundCornersRight : ImDrawFlags_RoundCornersNone);
    DrawText({at.x + Px(8), at.y + CenterY(height, font)}, on ? c.text : c.dim, font, labels[k]);
    Tag(labels[k]);
  }
  ImGui::PopStyleVar();
  ImGui::PopID();
  return changed;
}

bool Combo(absl::string_view name, const std::vector<std::string>& labels, int* chosen, float width) {
  bool changed = false;
  const std::string id = absl::StrCat("##", name);
  const float wide = width > 0 ? Px(width) : Px(140), height = ImGui::GetFrameHeight(), chevron = Px(14);
  ImGui::SetNextItemWidth(wide);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, Colors().raised);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = ImGui::GetFont();
  const bool open = ImGui::BeginCombo(id.c_str(), "", ImGuiComboFlags_NoArrowButton);
  ImGui::PopStyleColor();
  // The text and the arrow of our own: the text must not run under the arrow. While it is open, the current window is the list's.
  if (*chosen >= 0 && *chosen < static_cast<int>(labels.size())) {
    const float room = wide - Px(8) * 2 - chevron;
    const std::string shown = Measure(font, labels[*chosen]).x <= room ? labels[*chosen] : CutTo(room, font, labels[*chosen]);
    AddText(list, font, {at.x + Px(8), at.y + CenterY(height, font)}, Colors().text, shown);
  }
  DrawIcon(list, Icon::kChevronDown, {at.x + wide - Px(6) - chevron, at.y + std::floor((height - chevron) / 2)}, chevron, Colors().dim);
  if (!open) Tag(name);
  if (open) {
    TagScope scope(name);
    for (int k = 0; k < static_cast<int>(labels.size()); ++k) {
      NoteLetters(ImGui::GetFont(), labels[k]);
      if (ImGui::Selectable(labels[k].c_str(), k == *chosen)) {
        changed = *chosen != k;
        *chosen = k;
      }
      if (k == *chosen) ImGui::SetItemDefaultFocus();  // keys move from there
      Tag(labels[k]);
    }
    ImGui::EndCombo();
  }
  return changed;
}

float WholeRows(float row, float below) {
  const float height = Px(row);
  return std::max(height, std::floor((ImGui::GetContentRegionAvail().y - Px(below)) / height) * height);
}

namespace {

bool select_next = false;   // asked for the next field
ImGuiID selecting = 0;      // the field that it is asked for, until that has the keyboard

// Of a field that is to be selected when it takes the keyboard, also where it has it already.
ImGuiInputTextFlags SelectionOf(ImGuiID id) {
  if (std::exchange(select_next, false)) {
    selecting = id;
    ImGuiInputTextState* state = ImGui::GetInputTextState(id);
    if (state != nullptr && ImGui::GetActiveID() == id) state->SelectAll();
  }
  if (selecting != id) return 0;
  if (ImGui::GetActiveID() == id) selecting = 0;
  return ImGuiInputTextFlags_AutoSelectAll;
}

}  // namespace

bool Field(absl::string_view name, std::string* text, absl::string_view hint, float width, bool* entered, bool mono) {
  const std::string id = absl::StrCat("##", name);
  ImGui::SetNextItemWidth(width > 0 ? Px(width) : width == 0 ? -1 : width);
  if (mono) ImGui::PushFont(Type().mono);
  const float room = ImGui::CalcItemWidth() - 2 * ImGui::GetStyle().FramePadding.x;
  const bool cut = text->empty() && Measure(ImGui::GetFont(), hint).x > room + 0.5f;
  const std::string shown = cut ? CutTo(room, ImGui::GetFont(), hint) : std::string(hint);
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 1);
  const std::string before = *text;
  NoteLetters(ImGui::GetFont(), *text);
  // What was typed was longer than the field: what comes when it is empty again begins at its left.
  if (ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetID(id.c_str())); state != nullptr && text->empty())
    state->ScrollX = 0;
  TakeKeyboardIfFirst();
  const ImGuiInputTextFlags flags = (entered != nullptr ? ImGuiInputTextFlags_EnterReturnsTrue : 0) | SelectionOf(ImGui::GetID(id.c_str()));
  const bool enter = ImGui::InputTextWithHint(id.c_str(), shown.c_str(), text, flags);
  ImGui::PopStyleVar();
  if (mono) ImGui::PopFont();
  if (entered != nullptr) *entered = enter;
  // Of a field that is cut off at the edge of what scrolls, all is seen while one types into it.
  if (ImGui::IsItemActivated()) ImGui::ScrollToItem(ImGuiScrollFlags_KeepVisibleEdgeY);
  if (ImGui::IsItemActive()) ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), Colors().blue, Px(4));
  Tag(name);
  if (cut && !ImGui::IsItemActive()) Tooltip(hint);
  return before != *text;
}

bool SearchField(absl::string_view name, std::string* text, absl::string_view hint, float width, bool* entered) {
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {Px(26), Px(4)});
  const bool changed = Field(name, text, hint, width, entered);
  ImGui::PopStyleVar();
  const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
  DrawIcon(ImGui::GetWindowDrawList(), Icon::kSearch, {min.x + Px(7), min.y + std::floor((max.y - min.y - Px(13)) / 2)}, Px(13), Colors().faint);
  return changed;
}

void FocusNext(bool select_all) {
  ImGui::SetKeyboardFocusHere();
  select_next = select_all;
}

bool KeyboardMoves() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  return g.NavMoveSubmitted && (g.NavMoveFlags & (ImGuiNavMoveFlags_Tabbing | ImGuiNavMoveFlags_FocusApi)) != 0;
}

bool InUntouchedField() {
  const ImGuiInputTextState* state = ImGui::GetInputTextState(ImGui::GetActiveID());
  return state != nullptr && state->CurLenA == 0 && state->GetUndoAvailCount() == 0 && state->GetRedoAvailCount() == 0;
}

namespace {

// Which row the arrows have come to.
struct RowCursor {
  std::string list, at, before;  // `before`: the row that was drawn last
  bool on = false, down = false, up = false, next = false;
  void Move(const RowState& row, int by) const {
    const float height = row.max.y - row.min.y, top = ImGui::GetWindowPos().y, bottom = top + ImGui::GetWindowSize().y;
    if (by > 0 && row.max.y + height > bottom) ImGui::SetScrollY(ImGui::GetScrollY() + height);
    if (by < 0 && row.min.y - height < top) ImGui::SetScrollY(std::max(0.0f, ImGui::GetScrollY() - height));
  }
};
RowCursor cursor;

void TakeRowKeys(const std::string& name, RowState* row) {
  if (!cursor.on) return;
  const std::string before = std::exchange(cursor.before, name);
  if (cursor.next || (cursor.down && cursor.at.empty())) {
    cursor.at = name;
    cursor.next = cursor.down = false;
    WantFrame();
  } else if (cursor.at == name && cursor.down) {
    cursor.next = true;
    cursor.down = false;
    cursor.Move(*row, 1);
    WantFrame();
  } else if (cursor.at == name && cursor.up) {
    cursor.up = false;
    if (!before.empty()) cursor.at = before;
    cursor.Move(*row, -1);
    WantFrame();
  }
  if (row->clicked) cursor.at = name;
  if (cursor.at != name) return;
  row->clicked |= ImGui::IsKeyPressed(GLFW_KEY_ENTER, false);
  ImGui::GetWindowDrawList()->AddRect(row->min, row->max, Colors().blue, Px(3));
}

}  // namespace

bool RowRemoved(absl::string_view name) { return cursor.on && cursor.at == name && ImGui::IsKeyPressed(GLFW_KEY_DELETE, false); }

void RowsHaveKeyboard(const char* list) {
  const ImGuiIO& io = ImGui::GetIO();
  cursor.on = list != nullptr && !io.WantTextInput && !io.KeyCtrl && !io.KeyAlt && !io.KeyShift;
  cursor.before.clear();
  if (list == nullptr) return;
  if (cursor.list != list) {
    cursor.list = list;
    cursor.at.clear();
    cursor.next = false;
  }
  cursor.down = cursor.on && ImGui::IsKeyPressed(GLFW_KEY_DOWN, true);
  cursor.up = cursor.on && ImGui::IsKeyPressed(GLFW_KEY_UP, true);
}

RowState Row(absl::string_view name, float height, bool selected, ImU32 fill) {
  RowState row;
  const Palette& c = Colors();
  const float h = Px(height), width = std::max(1.0f, ImGui::GetContentRegionAvail().x);
  row.min = ImGui::GetCursorScreenPos();
  row.max = {row.min.x + width, row.min.y + h};
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  row.clicked = ImGui::InvisibleButton(std::string(name).c_str(), {width, h}, ImGuiButtonFlags_MouseButtonLeft);
  ImGui::PopStyleVar();
  row.hovered = ImGui::IsItemHovered();
  row.double_clicked = row.hovered && ImGui::IsMouseDoubleClicked(0);
  row.right_clicked = row.hovered && ImGui::IsMouseClicked(1);
  ImDrawList* list = ImGui::GetWindowDrawList();
  if (fill != 0) list->AddRectFilled(row.min, row.max, fill, Px(3));
  if (selected) list->AddRectFilled(row.min, row.max, c.blue_fill, Px(3));
  if (row.hovered && !selected) list->AddRectFilled(row.min, row.max, Fade(c.hover, 0.8f), Px(3));
  Tag(name, row.min, row.max);
  TakeRowKeys(std::string(name), &row);
  return row;
}

void KeyValue(absl::string_view key, absl::string_view value, ImU32 color, ImFont* font, float key_width) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float height = Px(22);
  if (font == nullptr) font = Type().ui;
  DrawTextIn({at.x, at.y + CenterY(height, Type().ui)}, Px(key_width) - Px(8), Colors().dim, Type().ui, key);
  bool cut = false;
  const float room = ImGui::GetContentRegionAvail().x - Px(key_width);
  DrawTextIn({at.x + Px(key_width), at.y + CenterY(height, font)}, room, color != 0 ? color : Colors().text, font, value, &cut);
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Dummy({std::max(1.0f, ImGui::GetContentRegionAvail().x), height});
  ImGui::PopStyleVar();
  if (cut) Tooltip(value);
}

void Heading(absl::string_view text) {
  Gap(6);
  Text(text, Colors().dim, Type().small);
  Gap(2);
}

void Separator() {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x, at.y + Px(4)}, {at.x + ImGui::GetContentRegionAvail().x, at.y + Px(4)}, Colors().border);
  ImGui::Dummy({1, Px(9)});
}

void Badge(absl::string_view text, ImU32 color) {
  ImFont* font = Type().small;
  const ImVec2 size = Measure(font, text), at = ImGui::GetCursorScreenPos();
  const float height = Px(18), width = size.x + Px(10);
  ImGui::GetWindowDrawList()->AddRectFilled(at, {at.x + width, at.y + height}, Fade(color, 0.2f), Px(9));
  DrawText({at.x + Px(5), at.y + CenterY(height, font)}, color, font, text);
  ImGui::Dummy({width, height});
}

void EmptyHint(Icon icon, absl::string_view what, absl::string_view how) {
  const ImVec2 room = ImGui::GetContentRegionAvail(), at = ImGui::GetCursorScreenPos();
  const float width = std::min(room.x - Px(16), Px(360));
  if (width < Px(60) || room.y < Px(30)) return;
  ImFont* font = Type().ui;
  // Each line is centred by itself.
  const auto lines_of = [&](absl::string_view text) {
    std::vector<absl::string_view> lines;
    while (!text.empty()) {
      const size_t newline = std::min(text.find('\n'), text.size());
      const char* end = font->CalcWordWrapPositionA(1, text.data(), text.data() + newline, width);
      const size_t taken = std::max<size_t>(1, static_cast<size_t>(end - text.data()));
      lines.push_back(text.substr(0, taken));
      text.remove_prefix(taken);
      while (!text.empty() && (text[0] == ' ' || text[0] == '\n')) text.remove_prefix(1);
    }
    return lines;
  };
  const std::vector<absl::string_view> what_lines = lines_of(what), how_lines = lines_of(how);
  // Where it is low the words go before the icon, and what is to be seen before how to get it there.
  const float step = font->FontSize + Px(3), words = step * static_cast<float>(what_lines.size() + how_lines.size()) + Px(4);
  const float icon_size = room.y > std::max(Px(110), words + Px(38)) ? Px(28) : 0, gap = icon_size > 0 ? Px(10) : 0, total = icon_size + gap + words;
  float y = at.y + std::max(0.0f, (room.y - total) * 0.42f);
  if (icon_size > 0) DrawIcon(ImGui::GetWindowDrawList(), icon, {at.x + std::floor((room.x - icon_size) / 2), y}, icon_size, Colors().faint);
  y += icon_size + gap;
  const auto draw = [&](const std::vector<absl::string_view>& lines, ImU32 color) {
    for (const absl::string_view line : lines) {
      DrawText({at.x + (room.x - Measure(font, line).x) / 2, y}, color, font, line);
      y += step;
    }
    if (!lines.empty()) y += Px(4);
  };
  draw(what_lines, Colors().dim);
  if (y + step * static_cast<float>(how_lines.size()) <= at.y + room.y + Px(4)) draw(how_lines, Colors().faint);
}

void Spinner(float size) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  const float side = Px(size), turn = static_cast<float>(std::fmod(ImGui::GetTime() * 5, 6.28318530718));
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->PathArcTo({at.x + side / 2, at.y + side / 2}, side / 2 - Px(1), turn, turn + 4.2f, 24);
  list->PathStroke(Colors().blue, 0, Px(2));
  ImGui::Dummy({side, side});
  WantFrame();
}

void WantFrame() { wanted_frame = true; }
bool TakeWantedFrame() {
  // What has just been opened over the others is measured in its first frame, and seen in the next.
  bool measured = false;
  for (const ImGuiWindow* window : ImGui::GetCurrentContext()->Windows) {
    measured |= window->Active && (window->Flags & ImGuiWindowFlags_Tooltip) != 0 && (window->HiddenFramesCannotSkipItems > 0 || window->HiddenFramesCanSkipItems > 0);
  }
  return std::exchange(wanted_frame, false) || measured;
}

void DrawSpark(ImVec2 min, ImVec2 max, const std::vector<float>& bins, ImU32 color) {
  if (bins.empty()) return;
  const float most = *std::max_element(bins.begin(), bins.end());
  if (most <= 0) return;
  const float step = (max.x - min.x) / static_cast<float>(bins.size());
  for (size_t k = 0; k < bins.size(); ++k) {
    if (bins[k] <= 0) continue;
    const float h = std::max(1.0f, (max.y - min.y) * bins[k] / most);
    ImGui::GetWindowDrawList()->AddRectFilled({min.x + step * static_cast<float>(k), max.y - h}, {min.x + step * static_cast<float>(k + 1) - (step > 3 ? 1.0f : 0.0f), max.y}, color);
  }
}

}  // namespace hloscope::ui
