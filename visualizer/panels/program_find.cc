// The bar for searching: text, regular expression, opcode, shape; and all uses of a name.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "visualizer/model/program_replace.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"
#include "imgui_internal.h"

namespace hloscope {
void ProgramPanel::OpenFind(PanelContext& context, absl::string_view pattern) {
  find_open_ = true;
  find_focus_ = find_select_ = pattern.empty();
  uses_of_.clear();
  if (pattern.empty()) {
    const std::string selected = editor_.Selected(context.document);
    if (!selected.empty() && selected.size() < 200 && !absl::StrContains(selected, "\n")) query_.pattern = selected;
    return;
  }
  query_.kind = TakeKind(pattern);
  query_.pattern = std::string(pattern);
  if (find_field_ != 0 && ImGui::GetActiveID() == find_field_) ImGui::ClearActiveID();  // it keeps a text of its own while one types
  find_jump_ = true;
}

// A prefix that is typed into the field says what it is a pattern of, as in a command.
SearchQuery ProgramPanel::AskedQuery() const {
  SearchQuery asked = query_;
  if (asked.kind != SearchKind::kText) return asked;
  absl::string_view pattern = query_.pattern;
  asked.kind = TakeKind(pattern);
  asked.pattern = std::string(pattern);
  return asked;
}

void ProgramPanel::UpdateFind(PanelContext& context) {
  if (!uses_of_.empty()) return;
  if (!find_open_ || query_.pattern.empty()) {
    matches_.clear();
    match_at_ = -1;
    found_ = nullptr;
    if (!find_open_) search_.Clear();
    return;
  }
  const SearchQuery asked = AskedQuery();
  if (asked.pattern.empty()) return;
  search_.Ask(context.document.text(), context.document.version(), asked);
  if (search_.busy()) {
    ui::WantFrame();
    return;
  }
  const std::shared_ptr<const SearchResult> result = search_.result();
  if (result == found_ || result == nullptr) return;
  found_ = result;
  matches_ = result->places;
  match_at_ = -1;
  if (matches_.empty()) {
    find_jump_ = false;
    return;
  }
  // The one at the caret or the next.
  const auto it = std::lower_bound(matches_.begin(), matches_.end(), editor_.selection_begin(), [](const SourceRange& r, int64_t at) { return r.begin < at; });
  match_at_ = it == matches_.end() ? 0 : static_cast<int>(it - matches_.begin());
  if (find_jump_) {
    find_jump_ = false;
    GoTo(context, matches_[match_at_].begin, matches_[match_at_].end, false);
  }
}

void ProgramPanel::NextMatch(PanelContext& context, int by) {
  if (matches_.empty()) return;
  const int count = static_cast<int>(matches_.size());
  if (match_at_ < 0) {
    match_at_ = 0;
  } else if (editor_.has_selection() && match_at_ < count && matches_[match_at_].begin == editor_.selection_begin()) {
    match_at_ = (match_at_ + by % count + count) % count;
  } else {
    // The caret went elsewhere: from there.
    const auto it = std::lower_bound(matches_.begin(), matches_.end(), editor_.caret(), [](const SourceRange& r, int64_t at) { return r.begin < at; });
    match_at_ = static_cast<int>(it - matches_.begin()) + (by < 0 ? -1 : 0);
    match_at_ = (match_at_ + count) % count;
  }
  GoTo(context, matches_[match_at_].begin, matches_[match_at_].end, false);
}

void ProgramPanel::DrawFindField(PanelContext& context, float field, bool narrow, bool replacing) {
  // What was looked for before is there to be looked for again, or for something else to be typed in its place.
  if (std::exchange(find_focus_, false)) ui::FocusNext(std::exchange(find_select_, false));
  const char* hints[] = {field < ui::Px(180) ? "Find" : narrow ? "Find, op:dot, shape:\u2026" : "Find text, or op:dot, shape:f32[*,4]", "Regular expression", "Opcode, as dot", "Shape, as f32[*,4]"};
  if (ui::SearchField("field", &query_.pattern, hints[static_cast<int>(query_.kind)], field / ui::TheLook().scale)) find_jump_ = true;
  find_field_ = ImGui::GetItemID();
  const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (active && ui::Pressed("Escape")) {
    find_open_ = false;
    focus_text_ = true;
  } else if (replacing && active && ui::Pressed("Ctrl+Alt+Enter")) {
    RunReplace(context, false);
  } else if (active && (ui::Pressed("Enter", true) || ui::Pressed("Shift+Enter", true))) {
    NextMatch(context, ImGui::GetIO().KeyShift ? -1 : 1);
    find_focus_ = true;
  }
}

void ProgramPanel::DrawFindKinds(float y, bool narrow, bool with_case) {
  static const std::vector<std::string> kKinds = {"Text", "Regex", "Opcode", "Shape"};
  int kind = static_cast<int>(query_.kind);
  ImGui::SetCursorPosY(narrow ? y : y + ui::Px(1));
  if (narrow ? ui::Combo("kind", kKinds, &kind, 84) : ui::Segments("kind", kKinds, &kind)) {
    query_.kind = static_cast<SearchKind>(kind);
    find_jump_ = true;
  }
  if (!with_case || (query_.kind != SearchKind::kText && query_.kind != SearchKind::kRegex)) return;
  ImGui::SameLine(0, ui::Px(8));
  ImGui::SetCursorPosY(y + ui::Px(1));
  if (ui::Toggle("case", "Aa", &query_.match_case, "upper and lower case are different letters")) find_jump_ = true;
}

std::string ProgramPanel::FoundText() const {
  if (!uses_of_.empty()) {
    // The definition is the first of them.
    return matches_.size() <= 1 ? "no use" : absl::StrCat(std::max(0, match_at_) == 0 ? "definition" : absl::StrCat(match_at_), " of ", matches_.size() - 1);
  }
  if (query_.pattern.empty()) return "";
  if (found_ != nullptr && !found_->error.empty()) return found_->error;
  if (search_.busy()) return "\u2026";
  if (matches_.empty()) return "nothing";
  return absl::StrCat(match_at_ + 1, " of ", matches_.size(), found_ != nullptr && found_->cut ? "+" : "");
}

void ProgramPanel::DrawFound(float x, float y, float right) {
  const std::string count = FoundText();
  ui::TagFact("count", count);
  const bool bad = uses_of_.empty() && (count == "nothing" || (found_ != nullptr && !found_->error.empty()));
  const ImVec2 window = ImGui::GetWindowPos(), at = {window.x + x, window.y + y};
  if (right - x <= ui::Px(12)) return;
  bool cut = false;
  ui::DrawTextIn(at, right - x, bad ? ui::Colors().orange : ui::Colors().dim, ui::Type().small, count, &cut);
  if (!cut) return;
  ImGui::SetCursorScreenPos(at);
  ImGui::Dummy({right - x, ui::Type().small->FontSize});
  ui::Tooltip(count);
}

void ProgramPanel::DrawFindButtons(PanelContext& context, float x, float y) {
  ImGui::SetCursorPos({x, y});
  if (ui::IconButton("previous", ui::Icon::kNone, "the one before (Shift+F3)", false, !matches_.empty())) NextMatch(context, -1);
  {
    // The chevron of "next", upside down.
    const ImVec2 min = ImGui::GetItemRectMin();
    const float middle = min.x + ui::Px(12), top = min.y + ui::Px(10), side = ui::Px(4);
    const ImVec2 points[3] = {{middle - side, top + side}, {middle, top}, {middle + side, top + side}};
    ImGui::GetWindowDrawList()->AddPolyline(points, 3, ui::Fade(ui::Colors().dim, matches_.empty() ? 0.4f : 1), 0, ui::Px(1.5f));
  }
  ImGui::SameLine(0, 0);
  if (ui::IconButton("next", ui::Icon::kChevronDown, "the next (F3)", false, !matches_.empty())) NextMatch(context, 1);
  ImGui::SameLine(0, 0);
  if (ui::IconButton("close", ui::Icon::kClose, "closes this bar (Escape)")) {
    find_open_ = false;
    uses_of_.clear();
    focus_text_ = true;
  }
}

// In a wide panel one row; in a narrower one the kinds are a list; in one where that leaves no room for what is typed, the kinds and the count
// have a row of their own.
void ProgramPanel::DrawFindBar(PanelContext& context) {
  UpdateFind(context);
  const bool uses = !uses_of_.empty();
  if (!find_open_ && !uses) return;
  const bool replacing = replace_open_ && !uses;
  const float room = ImGui::GetContentRegionAvail().x, row = ui::Px(32), y = ui::Px(6), count_y = ui::Px(11), buttons = room - ui::Px(24 * 3 + 16);
  const bool narrow = room < ui::Px(620), two_rows = room < ui::Px(400);
  const float height = ui::Px(38) + (two_rows ? uses ? ui::Px(20) : row : 0) + (replacing ? row : 0);
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImGui::GetWindowDrawList()->AddLine({at.x, at.y + height - 1}, {at.x + room, at.y + height - 1}, ui::Colors().border);
  ImGui::BeginChild("find", {room, height - 1}, false, ImGuiWindowFlags_NoScrollbar);
  ui::TagScope scope("find");
  if (uses) {
    const float x = ui::Px(12), right = buttons - ui::Px(14) - (two_rows ? 0 : ui::Measure(ui::Type().small, FoundText()).x);
    const ImVec2 from = {at.x + x, at.y + y + ui::Px(4)};
    float width = ui::DrawTextIn(from, std::max(0.0f, right - x), ui::Colors().dim, ui::Type().ui, "uses of ");
    width += ui::DrawNameIn({from.x + width, from.y}, std::max(0.0f, right - x - width), ui::Colors().text, ui::Type().mono, uses_of_);
    if (two_rows) DrawFound(x, count_y + row - ui::Px(4), room - ui::Px(8));
    else DrawFound(x + width + ui::Px(10), count_y, buttons - ui::Px(4));
  } else {
    ImGui::SetCursorPos({ui::Px(4), y});
    if (ui::IconButton("replacing", replacing ? ui::Icon::kChevronDown : ui::Icon::kChevronRight, replacing ? "only find" : "find and replace (Ctrl+H)")) {
      replace_open_ = !replace_open_;
      (replace_open_ ? replace_focus_ : find_focus_) = true;
    }
    const float left = ui::Px(30), field = std::max(ui::Px(60), two_rows ? buttons - ui::Px(4) - left : room - ui::Px(narrow ? 288 : 492));
    ImGui::SetCursorPos({left, y});
    DrawFindField(context, field, narrow, replacing);
    if (two_rows) ImGui::SetCursorPos({left, y + row});
    else ImGui::SameLine(0, ui::Px(8));
    DrawFindKinds(two_rows ? y + row : y, narrow, !narrow || two_rows);
    ImGui::SameLine(0, ui::Px(10));
    DrawFound(ImGui::GetCursorPosX(), two_rows ? count_y + row : count_y, two_rows ? room - ui::Px(8) : buttons - ui::Px(4));
    if (replacing) DrawReplaceRow(context, y + (two_rows ? 2 * row : row), two_rows ? room - ui::Px(142) : field, narrow);
  }
  DrawFindButtons(context, buttons, y);
  ImGui::EndChild();
}

}  // namespace hloscope
