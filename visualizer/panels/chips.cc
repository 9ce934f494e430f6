#include "visualizer/panels/chips.h"

#include <algorithm>
#include <string>

namespace hloscope {

bool Chip(absl::string_view name, absl::string_view label, bool on, absl::string_view tip, ImFont* font, float most) {
  const ui::Palette& c = ui::Colors();
  if (font == nullptr) font = ui::Type().mono_small;
  const float height = ui::Px(22), width = std::min(ui::Px(most), ui::Measure(font, label).x + ui::Px(14));
  const ImVec2 at = ImGui::GetCursorScreenPos(), end = {at.x + width, at.y + height};
  const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {width, height});
  const bool hovered = ImGui::IsItemHovered();
  ImGui::GetWindowDrawList()->AddRectFilled(at, end, on ? c.blue_fill : hovered ? c.hover : c.raised, ui::Px(4));
  ui::DrawNameIn({at.x + ui::Px(7), at.y + (height - font->FontSize) / 2}, width - ui::Px(13), on ? c.text : hovered ? c.text : c.dim, font, label);
  ui::Tag(name);
  ui::Tooltip(tip);
  return clicked;
}

float ChipWidth(absl::string_view label, float most) { return std::min(ui::Px(most), ui::Measure(ui::Type().mono_small, label).x + ui::Px(14)); }

}  // namespace hloscope
