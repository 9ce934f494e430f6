#include "visualizer/widgets/wrapped.h"

#include <algorithm>
#include <string>

#include "absl/strings/str_split.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

Wrapped::Wrapped(float left, float right, ImFont* font, float line) : left_(left), right_(right), font_(font), line_(line), at_(ImGui::GetCursorScreenPos()) {
  at_.x = left;
  first_y_ = at_.y;
}

bool Wrapped::Add(absl::string_view text, ImU32 color, absl::string_view link, ImFont* font, absl::string_view glued, ImU32 glued_color) {
  if (font == nullptr) font = font_;
  if (!link.empty()) {
    const float behind = glued.empty() ? 0 : ui::Measure(font, glued).x;
    const bool clicked = AddLink(text, color, link, font, behind);
    if (!glued.empty()) {
      ui::DrawText(at_, glued_color, font, glued);
      at_.x += behind;
    }
    return clicked;
  }
  while (!text.empty()) {
    const size_t newline = text.find('\n');
    absl::string_view line = text.substr(0, newline);
    while (!line.empty()) {
      size_t end = line.find(' ', 1);
      if (end == absl::string_view::npos) end = line.size();
      absl::string_view word = line.substr(0, end);
      float width = ui::Measure(font, word).x;
      if (at_.x > left_ && at_.x + width > right_) {
        Break();
        while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
        width = ui::Measure(font, word).x;
      }
      Put(word, color, font, width);
      line.remove_prefix(end);
    }
    if (newline == absl::string_view::npos) break;
    Break();
    text.remove_prefix(newline + 1);
  }
  return false;
}

void Wrapped::Prose(absl::string_view text, ImU32 color, ImFont* code) {
  bool inside = false;
  for (const absl::string_view part : absl::StrSplit(text, '`')) {
    if (!part.empty()) Add(part, inside ? ui::Colors().teal : color, "", inside ? code : nullptr);
    inside = !inside;
  }
}

void Wrapped::Keep(float width) {
  if (at_.x > left_ && at_.x + width > right_ && width <= right_ - left_) Break();
}

void Wrapped::Glued(absl::string_view text, ImU32 color) {
  const float width = ui::Measure(font_, text).x;
  // What Keep could not keep together, as it is longer than a line.
  if (at_.x > left_ && at_.x + width > right_ && width <= right_ - left_ && text != " ") Break();
  Put(text, color, font_, width);
}

void Wrapped::Break() {
  at_.x = left_;
  at_.y += line_;
}

float Wrapped::End() {
  ImGui::SetCursorScreenPos({left_, first_y_});
  const float height = at_.y + line_ - first_y_;
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::Dummy({1, height});
  ImGui::PopStyleVar();
  return height;
}

void Wrapped::Put(absl::string_view word, ImU32 color, ImFont* font, float width) {
  // Words that are longer than a line are cut where they must be.
  while (width > right_ - left_ && word.size() > 1) {
    size_t fits = word.size();
    while (fits > 1 && ui::Measure(font, word.substr(0, fits)).x > right_ - at_.x) --fits;
    ui::DrawText(at_, color, font, word.substr(0, fits));
    word.remove_prefix(fits);
    Break();
    width = ui::Measure(font, word).x;
  }
  ui::DrawText(at_, color, font, word);
  at_.x += width;
}

bool Wrapped::AddLink(absl::string_view text, ImU32 color, absl::string_view name, ImFont* font, float behind) {
  const float whole = ui::Measure(font, text).x;
  if (at_.x > left_ && at_.x + whole + behind > right_) Break();
  const float width = std::min(whole, right_ - left_ - behind);
  ImGui::SetCursorScreenPos({at_.x, at_.y - ui::Px(2)});
  ImGui::PushID(serial_++);
  const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {std::max(1.0f, width), font->FontSize + ui::Px(4)});
  ImGui::PopID();
  ui::Tag(name);
  hovered_ = ImGui::IsItemHovered();
  if (hovered_) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    ImGui::GetWindowDrawList()->AddLine({at_.x, at_.y + font->FontSize + 1}, {at_.x + width, at_.y + font->FontSize + 1}, color);
  }
  bool cut = false;
  const float drawn = ui::DrawNameIn(at_, width + 1, color, font, text, &cut);
  if (cut) ui::Tooltip(text);
  at_.x += cut ? drawn : width;
  return clicked;
}

void Paragraph(absl::string_view text, ImU32 color, ImFont* font, ImFont* code) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Wrapped wrapped(at.x, at.x + ImGui::GetContentRegionAvail().x, font, font->FontSize + ui::Px(5));
  wrapped.Prose(text, color, code);
  wrapped.End();
}

}  // namespace hloscope
