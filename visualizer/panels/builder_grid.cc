#include "visualizer/panels/builder_grid.h"

#include <algorithm>
#include <vector>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "imgui.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

struct Grid {
  std::vector<std::string> columns, tips, otherwise;  // otherwise: what an empty cell means
  std::vector<std::vector<std::string>> rows;
  void Resize(size_t count) {
    while (rows.size() < count) rows.push_back(otherwise);
  }
};

Grid ReadPadding(absl::string_view text) {
  Grid grid = {{"low", "high", "interior"}, {"before the first element", "behind the last element", "between elements"}, {"0", "0", "0"}, {}};
  for (absl::string_view dimension : absl::StrSplit(text, 'x', absl::SkipEmpty())) {
    std::vector<std::string> cells = absl::StrSplit(dimension, '_');
    cells.resize(3, "0");
    grid.rows.push_back(cells);
  }
  return grid;
}
std::string PrintPadding(const Grid& grid) {
  std::vector<std::string> parts;
  for (const auto& row : grid.rows) parts.push_back(absl::StrCat(row[0], "_", row[1], row[2] != "0" ? absl::StrCat("_", row[2]) : ""));
  return absl::StrJoin(parts, "x");
}

Grid ReadSlices(absl::string_view text) {
  Grid grid = {{"start", "limit", "stride"}, {"the first index", "behind the last index", "the step"}, {"0", "1", "1"}, {}};
  size_t at = 0;
  while ((at = text.find('[', at)) != absl::string_view::npos) {
    const size_t end = std::min(text.find(']', at), text.size());
    std::vector<std::string> cells = absl::StrSplit(text.substr(at + 1, end - at - 1), ':');
    while (cells.size() < 3) cells.push_back("1");
    cells.resize(3);
    grid.rows.push_back(cells);
    at = end;
  }
  return grid;
}
std::string PrintSlices(const Grid& grid) {
  std::vector<std::string> parts;
  for (const auto& row : grid.rows) parts.push_back(absl::StrCat("[", row[0], ":", row[1], row[2] != "1" ? absl::StrCat(":", row[2]) : "", "]"));
  return absl::StrCat("{", absl::StrJoin(parts, ", "), "}");
}

Grid ReadWindow(absl::string_view text) {
  Grid grid = {{"size", "stride", "low", "high", "base", "window", "flip"},
               {"of the window", "the step of the window", "padding before", "padding behind", "dilation of the base (lhs_dilate)", "dilation of the window (rhs_dilate)", "1: the window is reversed"},
               {"1", "1", "0", "0", "1", "1", "0"},
               {}};
  absl::ConsumePrefix(&text, "{");
  absl::ConsumeSuffix(&text, "}");
  for (absl::string_view part : absl::StrSplit(text, ' ', absl::SkipEmpty())) {
    const size_t equals = part.find('=');
    if (equals == absl::string_view::npos) continue;
    const absl::string_view key = part.substr(0, equals);
    const std::vector<std::string> list = absl::StrSplit(part.substr(equals + 1), 'x');
    grid.Resize(list.size());
    for (size_t k = 0; k < list.size(); ++k) {
      if (key == "size") grid.rows[k][0] = list[k];
      if (key == "stride") grid.rows[k][1] = list[k];
      if (key == "lhs_dilate") grid.rows[k][4] = list[k];
      if (key == "rhs_dilate") grid.rows[k][5] = list[k];
      if (key == "rhs_reversal") grid.rows[k][6] = list[k];
      if (key != "pad") continue;
      const std::vector<std::string> both = absl::StrSplit(list[k], '_');
      grid.rows[k][2] = both[0];
      grid.rows[k][3] = both.size() > 1 ? both[1] : both[0];
    }
  }
  return grid;
}
std::string PrintWindow(const Grid& grid) {
  const auto column = [&](size_t k) {
    std::vector<std::string> cells;
    for (const auto& row : grid.rows) cells.push_back(row[k]);
    return cells;
  };
  const auto said = [&](size_t k) { return std::any_of(grid.rows.begin(), grid.rows.end(), [&](const auto& row) { return row[k] != grid.otherwise[k]; }); };
  std::string text = absl::StrCat("{size=", absl::StrJoin(column(0), "x"));
  if (said(1)) absl::StrAppend(&text, " stride=", absl::StrJoin(column(1), "x"));
  if (said(2) || said(3)) {
    std::vector<std::string> pads;
    for (const auto& row : grid.rows) pads.push_back(absl::StrCat(row[2], "_", row[3]));
    absl::StrAppend(&text, " pad=", absl::StrJoin(pads, "x"));
  }
  if (said(4)) absl::StrAppend(&text, " lhs_dilate=", absl::StrJoin(column(4), "x"));
  if (said(5)) absl::StrAppend(&text, " rhs_dilate=", absl::StrJoin(column(5), "x"));
  if (said(6)) absl::StrAppend(&text, " rhs_reversal=", absl::StrJoin(column(6), "x"));
  return absl::StrCat(text, "}");
}

}  // namespace

bool DrawAttributeGrid(AttrKind kind, std::string* value, int rank) {
  Grid grid = kind == AttrKind::Window ? ReadWindow(*value) : kind == AttrKind::Padding ? ReadPadding(*value) : ReadSlices(*value);
  if (grid.rows.empty()) grid.Resize(static_cast<size_t>(std::clamp(rank, 1, 16)));
  const float left = ui::Px(22), gap = ui::Px(4);
  const float width = std::min(ui::Px(64), (ImGui::GetContentRegionAvail().x - left) / static_cast<float>(grid.columns.size()) - gap);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  for (size_t k = 0; k < grid.columns.size(); ++k) {
    ui::DrawTextIn({at.x + left + static_cast<float>(k) * (width + gap), at.y}, width, ui::Colors().dim, ui::Type().small, grid.columns[k]);
  }
  ImGui::Dummy({1, ui::Px(14)});
  bool changed = false;
  for (size_t row = 0; row < grid.rows.size(); ++row) {
    ImGui::PushID(static_cast<int>(row));
    const ImVec2 line = ImGui::GetCursorScreenPos();
    ui::DrawText({line.x, line.y + ui::Px(5)}, ui::Colors().faint, ui::Type().mono_small, absl::StrCat(row));
    for (size_t k = 0; k < grid.columns.size(); ++k) {
      ImGui::SetCursorScreenPos({line.x + left + static_cast<float>(k) * (width + gap), line.y});
      if (ui::Field(absl::StrCat("cell:", row, ":", grid.columns[k]), &grid.rows[row][k], grid.otherwise[k], width / ui::TheLook().scale, nullptr, true)) changed = true;
      ui::Tooltip(grid.tips[k]);
    }
    ImGui::PopID();
  }
  if (!changed) return false;
  *value = kind == AttrKind::Window ? PrintWindow(grid) : kind == AttrKind::Padding ? PrintPadding(grid) : PrintSlices(grid);
  return true;
}

}  // namespace hloscope
