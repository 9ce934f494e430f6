// ImGui's own field does the editing, with its text invisible; the colours are drawn over it. So undo, selection and the clipboard are ImGui's.
#include "visualizer/panels/lessons_code.h"

#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "imgui.h"
#include "imgui_stdlib.h"
#include "visualizer/panels/program_syntax.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

int TellCaret(ImGuiInputTextCallbackData* data) {
  *static_cast<int*>(data->UserData) = data->CursorPos;
  return 0;
}

// Of a byte of the text.
ImVec2 PlaceOf(absl::string_view text, int byte, ImVec2 origin, float cell, float line) {
  byte = std::clamp(byte, 0, static_cast<int>(text.size()));
  const absl::string_view before = text.substr(0, static_cast<size_t>(byte));
  const auto row = static_cast<float>(std::count(before.begin(), before.end(), '\n'));
  const size_t start = before.rfind('\n') == absl::string_view::npos ? 0 : before.rfind('\n') + 1;
  return {origin.x + cell * static_cast<float>(CellsTo(before.substr(start), static_cast<int>(before.size() - start))), origin.y + row * line};
}

void DrawColours(absl::string_view text, ImVec2 origin, float cell, float line) {
  float y = origin.y;
  for (absl::string_view row : absl::StrSplit(text, '\n')) {
    for (const InkRun& run : Colour(row, 4000)) {
      ui::DrawText({origin.x + cell * static_cast<float>(CellsTo(row, run.begin)), y}, ColorOf(run.ink), ui::Type().mono, row.substr(static_cast<size_t>(run.begin), static_cast<size_t>(run.end - run.begin)));
    }
    y += line;
  }
}

}  // namespace

bool EditCode(absl::string_view name, std::string* text, float width, const CodeField& field) {
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().mono;
  const float cell = ui::Measure(font, "0").x, line = font->FontSize, pad_x = ui::Px(12), pad_y = ui::Px(8);
  size_t rows = 0;
  int longest = 0;
  for (absl::string_view row : absl::StrSplit(*text, '\n')) {
    ++rows;
    longest = std::max(longest, CellsTo(row, static_cast<int>(row.size())));
  }
  // ImGui keeps a line free below the text, and would scroll without it.
  const float inner = std::max(width, cell * static_cast<float>(longest + 1) + 2 * pad_x), lines = line * static_cast<float>(rows), height = lines + pad_y + line + ui::Px(2);
  const bool scrolls = inner > width;
  const ImVec2 outer = ImGui::GetCursorScreenPos();
  const float outer_height = scrolls ? height + ImGui::GetStyle().ScrollbarSize : lines + 2 * pad_y;
  ImGui::GetWindowDrawList()->AddRectFilled(outer, {outer.x + width, outer.y + outer_height}, c.sunken, ui::Px(6));
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild(std::string(name).c_str(), {width, outer_height}, false, ImGuiWindowFlags_NoScrollWithMouse | (scrolls ? ImGuiWindowFlags_HorizontalScrollbar : ImGuiWindowFlags_NoScrollbar));
  ImGui::PopStyleVar();
  const ImVec2 at = ImGui::GetCursorScreenPos(), origin = {at.x + pad_x, at.y + pad_y};
  if (field.mark_begin >= 0) {
    const ImVec2 a = PlaceOf(*text, field.mark_begin, origin, cell, line), b = PlaceOf(*text, field.mark_end, origin, cell, line);
    ImGui::GetWindowDrawList()->AddRectFilled({a.x - ui::Px(2), a.y}, {b.x + ui::Px(2), a.y + line}, c.amber_fill, ui::Px(3));
    ImGui::GetWindowDrawList()->AddRect({a.x - ui::Px(2), a.y}, {b.x + ui::Px(2), a.y + line}, c.amber, ui::Px(3));
  }
  DrawColours(*text, origin, cell, line);
  if (field.problems != nullptr) {
    for (const Diagnostic& d : *field.problems) {
      if (!d.range.valid() || d.severity != Severity::kError) continue;
      const ImVec2 a = PlaceOf(*text, d.range.begin, origin, cell, line);
      ImVec2 b = PlaceOf(*text, d.range.end, origin, cell, line);
      if (b.y != a.y || b.x <= a.x) b = {a.x + cell * 4, a.y};
      for (float x = a.x; x < b.x; x += ui::Px(4)) {
        const bool up = static_cast<int>((x - a.x) / ui::Px(4)) % 2 == 0;
        ImGui::GetWindowDrawList()->AddLine({x, a.y + line - (up ? 0 : ui::Px(2))}, {std::min(x + ui::Px(4), b.x), a.y + line - (up ? ui::Px(2) : 0)}, c.red, ui::Px(1));
      }
    }
  }
  ImGui::PushFont(font);
  ImGui::PushStyleVar(ImGuiStyleVar_FramePadding, {pad_x, pad_y});
  ImGui::PushStyleVar(ImGuiStyleVar_FrameBorderSize, 0);
  ImGui::PushStyleColor(ImGuiCol_FrameBg, 0u);
  ImGui::PushStyleColor(ImGuiCol_Text, 0u);
  int caret = -1;
  const std::string before = *text;
  ImGui::InputTextMultiline("##code", text, {inner, height}, ImGuiInputTextFlags_CallbackAlways | (field.read_only ? ImGuiInputTextFlags_ReadOnly : 0), TellCaret, &caret);
  ImGui::PopStyleColor(2);
  ImGui::PopStyleVar(2);
  ImGui::PopFont();
  const bool active = ImGui::IsItemActive();
  ui::Tag(name, outer, {outer.x + width, outer.y + outer_height});
  if (active && caret >= 0 && !field.read_only && std::fmod(ImGui::GetTime(), 1.2) < 0.8) {
    const ImVec2 place = PlaceOf(*text, caret, origin, cell, line);
    ImGui::GetWindowDrawList()->AddLine(place, {place.x, place.y + line}, c.text, ui::Px(1));
  }
  ImGui::EndChild();
  ImGui::GetWindowDrawList()->AddRect(outer, {outer.x + width, outer.y + outer_height}, active ? c.blue : c.border, ui::Px(6));
  return before != *text;
}

}  // namespace hloscope
