#include "visualizer/panels/panel_commands.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/synopsis.h"
#include "visualizer/graph/tint.h"
#include "visualizer/panels/value_panel.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {

const std::vector<PanelCommandRow>& PanelCommandRows() {
  static const auto& rows = *new std::vector<PanelCommandRow>{
#define X(panel, name, synopsis, help) {panel, name, synopsis, help, false},
#define T(panel, name, synopsis, help) {panel, name, synopsis, help, true},
#include "visualizer/panels/panel_commands.def"
#undef T
#undef X
  };
  return rows;
}

std::vector<absl::string_view> PanelWords(absl::string_view what) {
  std::vector<absl::string_view> words;
  if (what == "COLOUR") {
    words.assign(GraphColourNames().begin(), GraphColourNames().end());
  } else if (what == "PICTURE") {
    for (const PictureRow& row : PictureRows()) words.push_back(row.id);
  } else if (what == "RAMP") {
    words.assign(std::begin(kValueRamps), std::end(kValueRamps));
  } else if (what == "RANGE") {
    words.assign(std::begin(kValueRanges), std::end(kValueRanges));
  } else if (what == "SHOWS") {
    words.assign(std::begin(kValueShows), std::end(kValueShows));
  }
  return words;
}

std::string UsageOf(const PanelCommandRow& row) {
  return absl::StrCat("window ", row.panel, " ", row.name, *row.synopsis != 0 ? " " : "", row.synopsis);
}

const PanelCommandRow* FindPanelCommand(absl::string_view panel, absl::string_view word) {
  for (const PanelCommandRow& row : PanelCommandRows()) {
    if (panel != row.panel) continue;
    const std::vector<absl::string_view> list = PanelWords(row.name);
    if (word == row.name || std::find(list.begin(), list.end(), word) != list.end()) return &row;
  }
  return nullptr;
}

std::string PanelCommandsText(absl::string_view panel) {
  std::vector<std::string> texts;
  for (const PanelCommandRow& row : PanelCommandRows()) {
    if (panel != row.panel) continue;
    for (absl::string_view word : PanelWords(row.name)) texts.emplace_back(word);
    if (IsLiteral(row.name)) texts.push_back(absl::StrCat(row.name, *row.synopsis != 0 ? " " : "", row.synopsis));
  }
  return texts.empty() ? absl::StrCat("the panel ", panel, " has no commands of its own")
                       : absl::StrCat("window ", panel, " takes ", absl::StrJoin(texts, ", "));
}

}  // namespace hloscope
