// Drawing of the program's lines: only what is seen.
#include <algorithm>
#include <cmath>
#include <cstring>
#include <utility>

#include "absl/strings/str_cat.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/panels/program_syntax.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr float kValuesWidth = 180, kSparkWidth = 44;
constexpr float kValuesAway = 160;  // from the usual line: farther than this a value is hard to follow

}  // namespace

int ProgramPanel::CellAt(const Document& document, int64_t offset) const {
  const int line = document.LineAt(offset);
  return cells_.CellsTo(document, line, static_cast<int>(offset - document.line_begin(line)));
}

bool ProgramPanel::Seen(const Document& document, int64_t offset, float* x, float* y) const {
  const int row = RowOf(document.LineAt(offset));
  if (row < geometry_.first || row >= geometry_.last) return false;
  *x = XOf(document, offset);
  *y = geometry_.Y(row);
  return true;
}

void ProgramPanel::FindSeenRows(const Document& document) {
  Geometry& g = geometry_;
  const int rows = row_count(document);
  g.first = std::clamp(static_cast<int>(g.scroll_y / g.line), 0, std::max(0, rows - 1));
  g.last = std::min(rows, static_cast<int>((g.scroll_y + g.max.y - g.min.y) / g.line) + 1);
}

void ProgramPanel::DrawText(PanelContext& context) {
  const Document& document = context.document;
  Geometry& g = geometry_;
  ImFont* font = ui::Type().mono;
  const float line_before = std::exchange(g.line, ui::Px(22)), seen_before = g.max.y - g.min.y;
  g.cell = font->GetCharAdvance('0');
  int digits = 3;
  for (int n = document.line_count(); n >= 1000; n /= 10) ++digits;
  g.gutter = ui::Px(24) + g.cell * static_cast<float>(digits) +
             ui::Px(document.line_count() >= 100 ? 28 : 22);  // the signs of a stop lie left of long numbers
  const ImVec2 avail = ImGui::GetContentRegionAvail();
  const int rows = row_count(document);
  const float height = static_cast<float>(rows) * g.line + ui::Px(12);
  // Nothing to scroll to where all letters have room: they are seen when a value gives way. The end of a longer line is seen beside its
  // value.
  const bool running = context.now.phase == Phase::kStopped || context.now.phase == Phase::kFinished || context.now.phase == Phase::kError;
  g.sparks = avail.x > ui::Px(570);
  g.values = running && avail.x > ui::Px(410);
  const float values = ui::Px(kValuesWidth) + (g.sparks ? ui::Px(kSparkWidth) : 0);
  const float letters = g.gutter + static_cast<float>(longest_ + 1) * g.cell;
  const bool fits = letters + ImGui::GetStyle().ScrollbarSize + ui::Px(8) <= avail.x;
  const float width = fits ? 1 : letters + (g.values ? values : 0);
  ImGui::SetNextWindowContentSize({width, std::max(height, 1.0f)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::BeginChild("text", {avail.x, avail.y}, false, ImGuiWindowFlags_HorizontalScrollbar | ImGuiWindowFlags_NoNav);
  ImGui::PopStyleVar();
  if (focus_text_) ImGui::SetWindowFocus();
  focus_text_ = false;
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float bar = ImGui::GetStyle().ScrollbarSize;
  g.min = at;
  g.max = {at.x + size.x - (ImGui::GetScrollMaxY() > 0 ? bar : 0), at.y + size.y - (ImGui::GetScrollMaxX() > 0 ? bar : 0)};
  const float seen = g.max.y - g.min.y;
  if (line_before > 0 && line_before != g.line) {
    // Another scale: the same lines stay in view. Of the frame before: this one's place was held to a text of the new height already.
    ImGui::SetScrollY(std::round(g.scroll_y / line_before * g.line));
    ui::WantFrame();
  }
  // Less room, or larger letters: where the stop's line was in view it stays there.
  if (line_before > 0 && (line_before != g.line || seen < seen_before) && context.now.here() != nullptr) {
    const int line = index_->LineOf(document, context.now.here()), row = line < 0 ? -1 : RowOf(line);
    if (row >= g.first && row < g.last) keep_line_ = line;
  }
  if (line_before == g.line) {
    if (keep_line_ >= 0 && scroll_to_line_ < 0) ScrollTo(keep_line_, false);
    keep_line_ = -1;
  }
  if (scroll_to_line_ >= 0) {
    const int row = RowOf(std::min(scroll_to_line_, document.line_count() - 1));
    const float top = static_cast<float>(row) * g.line, now = ImGui::GetScrollY();
    if (top < now + g.line || top > now + seen - 3 * g.line || scroll_to_middle_) {
      const bool near = !scroll_to_middle_ && top > now - 4 * g.line && top < now + seen + 3 * g.line;
      const float to = near ? (top < now + g.line ? top - g.line : top - seen + 3 * g.line) : top - seen * 0.4f;
      ImGui::SetScrollY(std::clamp(std::round(to), 0.0f, std::max(0.0f, height - seen)));
      ui::WantFrame();
    }
    scroll_to_line_ = -1;
    scroll_to_middle_ = false;
  }
  g.scroll_y = std::round(ImGui::GetScrollY());
  g.scroll_x = std::round(ImGui::GetScrollX());
  const float room = g.max.x - g.min.x;
  g.text_right = g.max.x - ui::Px(8);
  g.values_right =
      std::min(g.max.x - ui::Px(10), g.min.x + g.gutter + static_cast<float>(usual_length_) * g.cell + values + ui::Px(kValuesAway));
  if (reveal_cell_ >= 0) {
    const double x = reveal_cell_ * static_cast<double>(g.cell), view = g.text_right - g.min.x - g.gutter, margin = 10 * g.cell;
    if (x + margin < view) {
      ImGui::SetScrollX(0);
    } else if (x < g.scroll_x || x + margin > g.scroll_x + view) {
      ImGui::SetScrollX(static_cast<float>(std::max(0.0, x - view / 3)));
    }
    reveal_cell_ = -1;
    ui::WantFrame();
  }
  FindSeenRows(document);
  ImGui::SetCursorScreenPos(g.min);
  ImGui::InvisibleButton("letters", {std::max(1.0f, room), std::max(1.0f, seen)}, ImGuiButtonFlags_MouseButtonLeft | ImGuiButtonFlags_MouseButtonRight);
  text_hovered_ = ImGui::IsItemHovered();
  ui::Tag("text", g.min, g.max);
  HandleMouse(context);
  HandleKeys(context);
  FindSeenRows(document);  // what was typed or folded may have left fewer
  Collect(context);
  UpdateValues(context);
  for (LineParts& parts : lines_) PlaceValue(document, parts);
  const ui::Palette& c = ui::Colors();
  for (const LineParts& parts : lines_) DrawBackgrounds(context, parts);
  // Letters do not run under the numbers at the left.
  ImGui::PushClipRect({g.min.x + g.gutter - ui::Px(2), g.min.y}, g.max, true);
  if (find_open_ || !uses_of_.empty()) {
    const int64_t begin = lines_.empty() ? 0 : lines_.front().begin;
    const int64_t end = lines_.empty() ? 0 : lines_.back().begin + static_cast<int64_t>(lines_.back().text.size());
    auto it = std::lower_bound(matches_.begin(), matches_.end(), begin, [](const SourceRange& r, int64_t b) { return r.end < b; });
    for (; it != matches_.end() && it->begin <= end; ++it) {
      const bool current = it - matches_.begin() == match_at_;
      FillRange(document, *it, ui::Fade(c.blue_fill, current ? 1.6f : 1.0f), current ? c.blue : 0);
    }
  }
  if (editor_.has_selection()) FillRange(document, {static_cast<int32_t>(editor_.selection_begin()), static_cast<int32_t>(editor_.selection_end())}, ui::Fade(c.blue_fill, 1.3f), 0);
  for (LineParts& parts : lines_) DrawLetters(context, parts);
  DrawSquiggles(context);
  DrawNotes(context);
  DrawCaret(context);
  ImGui::PopClipRect();
  for (const LineParts& parts : lines_) DrawValue(context, parts);
  for (const LineParts& parts : lines_) DrawGutter(context, parts);
  TagNames(context);
  DrawNoteCard(context);
  DrawHover(context);
  DrawCompletions(context);
  DrawGutterMenu(context);
  DrawTextMenu(context);
  DrawRename(context);
  ImGui::EndChild();
}

void ProgramPanel::Collect(PanelContext& context) {
  const Document& document = context.document;
  const Snapshot& now = context.now;
  const Selection& selection = context.selection;
  lines_.clear();
  const auto& frames = now.frames;
  for (int row = geometry_.first; row < geometry_.last; ++row) {
    LineParts parts;
    parts.row = row;
    parts.line = LineOfRow(row);
    parts.text = document.line(parts.line);
    parts.begin = document.line_begin(parts.line);
    parts.shown = index_->Beginning(parts.begin, parts.begin + static_cast<int64_t>(parts.text.size()) + 1);
    for (const Instruction* shown : parts.shown) {
      const Instruction* running = index_->Running(shown);
      parts.running.push_back(running);
      if (running == nullptr) continue;
      if (running == now.here()) parts.here = true;
      for (size_t k = 0; k + 1 < frames.size(); ++k) parts.outer_here |= frames[k].at == running;
      parts.selected |= running == selection.instruction;
      parts.hovered |= running == selection.hovered;
      parts.slice |= !selection.slice.empty() && std::find(selection.slice.begin(), selection.slice.end(), running) != selection.slice.end();
      if (parts.stop == nullptr) parts.stop = StopAt(now, running);
    }
    for (LineResult& result : ResultsOfLine(parts.text, parts.shown)) {
      if (!index_->Ran(result.instruction)) continue;
      parts.stale |= index_->Stale(result.instruction);
      result.instruction = index_->Running(result.instruction);
      parts.results.push_back(std::move(result));
    }
    lines_.push_back(std::move(parts));
  }
}

void ProgramPanel::FillRange(const Document& document, SourceRange range, ImU32 fill, ImU32 outline) {
  ImDrawList* list = ImGui::GetWindowDrawList();
  for (const LineParts& parts : lines_) {
    const int64_t end = parts.begin + static_cast<int64_t>(parts.text.size());
    if (range.end < parts.begin || range.begin > end) continue;
    const float from = range.begin <= parts.begin ? geometry_.X(0) : XOf(document, range.begin);
    const float to = range.end > end ? geometry_.X(cells_.CellsTo(document, parts.line, static_cast<int>(parts.text.size())) + 1)
                                     : XOf(document, range.end);
    // What is far out of sight is no place for a corner.
    const float x0 = std::max(from, geometry_.min.x - geometry_.line), x1 = std::min(to, geometry_.max.x + geometry_.line);
    if (x1 <= x0) continue;
    const float y = geometry_.Y(parts.row);
    list->AddRectFilled({x0, y + 1}, {x1, y + geometry_.line - 1}, fill, ui::Px(2));
    if (outline != 0) list->AddRect({x0, y + 1}, {x1, y + geometry_.line - 1}, outline, ui::Px(2));
  }
}

void ProgramPanel::DrawBackgrounds(PanelContext& context, const LineParts& parts) {
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  const Geometry& g = geometry_;
  const float y = g.Y(parts.row);
  const ImVec2 min = {g.min.x, y}, max = {g.max.x, y + g.line};
  const bool caret_line = has_keyboard_ && !editor_.has_selection() && context.document.LineAt(editor_.caret()) == parts.line;
  if (caret_line && !parts.here) list->AddRectFilled(min, max, ui::Fade(c.raised, 0.55f));
  if (parts.here) {
    list->AddRectFilled(min, max, c.amber_fill);
  } else if (parts.selected) {
    list->AddRectFilled(min, max, ui::Fade(c.blue_fill, 0.7f));
  } else if (parts.outer_here) {
    list->AddRectFilled(min, max, ui::Fade(c.amber_fill, 0.4f));
  }
  if (parts.hovered && !parts.here) list->AddRectFilled(min, max, ui::Fade(c.hover, 0.6f));
  if (parts.slice) list->AddRectFilled({g.min.x + g.gutter - ui::Px(5), y}, {g.min.x + g.gutter - ui::Px(2), y + g.line}, c.blue);
  // Where several instructions share a line, the one that is meant.
  const bool apart = parts.shown.size() > 1 && parts.shown.front()->range.begin != parts.shown.back()->range.begin;
  if (apart) {
    for (size_t k = 0; k < parts.shown.size(); ++k) {
      const Instruction* running = parts.running[k];
      if (running == nullptr || (running != context.now.here() && running != context.selection.instruction)) continue;
      const SourceRange range = index_->RangeOf(*parts.shown[k]);
      if (!range.valid()) continue;
      const bool here = running == context.now.here();
      FillRange(context.document, range, here ? ui::Fade(c.amber_fill, 1.4f) : c.blue_fill, 0);
    }
  }
}

LineValue ProgramPanel::ValueBeside(const LineParts& parts) const {
  LineValue all;
  for (const LineResult& result : parts.results) {
    const auto it = values_.find(result.instruction);
    if (it == values_.end() || it->second.text.empty()) continue;
    const LineValue& value = it->second;
    if (result.label.empty()) {
      all = value;
      break;
    }
    absl::StrAppend(&all.text, all.text.empty() ? "" : ", ", result.label, " ", value.text);
    all.nan |= value.nan;
    all.inf |= value.inf;
    if (all.by_hand.empty()) all.by_hand = value.by_hand;
    all.partial |= value.partial;
  }
  if (parts.stale && !all.text.empty()) {
    // No trouble of now, and no picture.
    LineValue before;
    before.text = absl::StrCat(kBeforeEdit, all.text);
    return before;
  }
  return all;
}

// Values end in a column, or behind a line that reaches into it. What has no room of a line ends in dots before its value; where the
// caret is in what is hidden, the value gives way.
void ProgramPanel::PlaceValue(const Document& document, LineParts& parts) {
  const Geometry& g = geometry_;
  parts.letters_right = g.text_right;
  parts.value = ValueBeside(parts);
  if (parts.value.text.empty()) return;
  const bool trouble = parts.value.nan || parts.value.inf;
  if (!g.values) {  // the sign alone
    if (trouble) parts.letters_right = g.max.x - ui::Px(24);
    return;
  }
  const float text = std::min(ui::Measure(ui::Type().mono_small, parts.value.text).x, ui::Px(kValuesWidth) - ui::Px(16));
  const float taken = text + (trouble || !parts.value.by_hand.empty() ? ui::Px(18) : 0) + (g.sparks ? ui::Px(kSparkWidth) : 0), gap = ui::Px(14);
  const float end = g.X(cells_.CellsTo(document, parts.line, static_cast<int>(parts.text.size())));
  parts.value_right = std::min(g.max.x - ui::Px(10), std::max(g.values_right, end + gap + taken));
  parts.value_left = parts.value_right - taken;
  parts.letters_right = std::min(g.text_right, parts.value_left - gap);
  const int64_t caret = editor_.caret();
  if (end <= parts.letters_right || document.LineAt(caret) != parts.line) return;
  parts.value_away = XOf(document, caret) > parts.letters_right - 2 * g.cell;
  if (parts.value_away) parts.letters_right = g.text_right;
}

void ProgramPanel::DrawLetters(PanelContext& context, LineParts& parts) {
  const Geometry& g = geometry_;
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = ui::Type().mono;
  const float y = std::floor(g.Y(parts.row) + (g.line - font->FontSize) / 2);
  const float right = parts.letters_right;
  parts.text_end = right;
  const Document& document = context.document;
  const auto size = static_cast<int>(parts.text.size());
  const int cells = cells_.CellsTo(document, parts.line, size);
  const int left_cell = std::max(0, static_cast<int>(g.scroll_x / g.cell));
  // What has no room is scrolled to: letters end at the value beside them.
  const double cells_seen = g.CellsAt(right);
  const bool cut = cells > cells_seen;
  const int right_cell = static_cast<int>(cells_seen) + (cut ? 0 : 1);
  if (right_cell <= left_cell) return;
  // Before a value that has taken the room stand dots.
  const int dots_cell = std::max(left_cell, right_cell - 1);
  const int first = cells_.ByteAtCell(document, parts.line, left_cell);
  const int last = cells_.ByteAtCell(document, parts.line, cut && right < g.text_right ? dots_cell : right_cell);
  for (const InkRun& run : cells_.Runs(document, parts.line, first, last)) {
    const int begin = std::max(run.begin, first), end = std::min({run.end, last, size});
    if (end <= begin) continue;
    const float x = g.X(cells_.CellsTo(document, parts.line, begin));
    ui::AddText(list, font, {std::floor(x), y}, ColorOf(run.ink),
                parts.text.substr(static_cast<size_t>(begin), static_cast<size_t>(end - begin)));
  }
  const float text_end = g.X(cells);
  parts.text_end = cut ? right : text_end;
  if (cut && right < g.text_right && last < size) {
    parts.dots = true;
    parts.text_end = g.X(dots_cell + 1);
    ui::Tag(absl::StrCat("line:", parts.line + 1, "/dots"), {g.X(dots_cell), g.Y(parts.row)}, {parts.text_end, g.Y(parts.row) + g.line});
    ui::AddText(list, font, {std::floor(g.X(dots_cell)), y}, c.faint, "\u2026");
  }
  if (!cut) {
    float x = text_end + g.cell;
    // What the text does not say: shapes that were left out.
    for (const Instruction* shown : parts.shown) {
      if (!shown->shape_omitted || shown->in_error || parts.shown.size() > 1) continue;
      const std::string shape = shown->shape.ToString(false);
      ui::DrawTextIn({x, y}, right - x, ui::Fade(c.teal, 0.6f), font, shape);
      x += ui::Measure(font, shape).x + g.cell;
      parts.text_end = x - g.cell;
    }
    if (const FoldRegion* fold = FoldAt(parts.line); fold != nullptr && folded_.count(std::string(parts.text)) > 0) {
      const std::string label = absl::StrCat(fold->last - fold->first - 1, " lines }");
      const float width = ui::Measure(ui::Type().small, label).x;
      const ImVec2 a = {x, g.Y(parts.row) + ui::Px(3)}, b = {x + width + ui::Px(12), g.Y(parts.row) + g.line - ui::Px(3)};
      list->AddRectFilled(a, b, c.raised, ui::Px(4));
      parts.text_end = b.x;
      ui::DrawText({a.x + ui::Px(6), a.y + (b.y - a.y - ui::Type().small->FontSize) / 2}, c.dim, ui::Type().small, label);
      ui::Tag(absl::StrCat("line:", parts.line + 1, "/folded"), a, b);
    }
  }
}

void ProgramPanel::DrawGutter(PanelContext& context, const LineParts& parts) {
  const Geometry& g = geometry_;
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = ui::Type().mono;
  const float y = g.Y(parts.row), middle = y + std::floor(g.line / 2);
  const float mark = ui::Px(14), mark_x = g.min.x + ui::Px(7);
  const bool can_stop = std::any_of(parts.running.begin(), parts.running.end(), [](const Instruction* i) { return i != nullptr; });
  const ImVec2 mark_at = {mark_x, std::floor(middle - mark / 2)};
  if (parts.stop != nullptr) {
    const ImVec2 center = {mark_x + mark / 2, middle};
    const float radius = ui::Px(5);
    const ImU32 color = parts.stop->kind == StopRow::kLog ? c.violet : c.red;
    if (!parts.stop->enabled) {
      list->AddCircle(center, radius, color, 0, ui::Px(1.5f));
    } else if (!parts.stop->condition.empty() || parts.stop->ignore > 0) {
      ui::DrawIcon(list, ui::Icon::kConditional, mark_at, mark, color);
    } else if (parts.stop->kind == StopRow::kLog) {
      list->AddQuadFilled({center.x, center.y - radius}, {center.x + radius, center.y}, {center.x, center.y + radius}, {center.x - radius, center.y}, color);
    } else {
      list->AddCircleFilled(center, radius, color);
    }
  } else if (can_stop && hover_line_ == parts.line && ImGui::GetIO().MousePos.x < g.min.x + ui::Px(24)) {
    list->AddCircleFilled({mark_x + mark / 2, middle}, ui::Px(5), ui::Fade(c.red, 0.35f));
  }
  if (parts.here) {
    // Beside a breakpoint the arrow is drawn on it, smaller.
    ui::DrawIcon(list, ui::Icon::kHere, parts.stop != nullptr ? ImVec2{mark_at.x + ui::Px(9), mark_at.y + ui::Px(1)} : mark_at, parts.stop != nullptr ? ui::Px(12) : mark, c.amber);
  } else if (parts.outer_here && parts.stop == nullptr) {
    ui::DrawIcon(list, ui::Icon::kHere, mark_at, mark, ui::Fade(c.amber, 0.45f));
  }
  const std::string number = absl::StrCat(parts.line + 1);
  const float number_right = g.min.x + g.gutter - ui::Px(24);
  const bool strong = parts.here || (has_keyboard_ && context.document.LineAt(editor_.caret()) == parts.line);
  ui::DrawText({number_right - g.cell * static_cast<float>(number.size()), y + (g.line - font->FontSize) / 2}, parts.here ? c.amber : strong ? c.dim : ui::Fade(c.faint, 0.8f), font, number);
  if (FoldAt(parts.line) != nullptr) {
    const bool closed = folded_.count(std::string(parts.text)) > 0;
    const ImVec2 at = {g.min.x + g.gutter - ui::Px(20), middle - ui::Px(6)};
    ui::DrawIcon(list, closed ? ui::Icon::kChevronRight : ui::Icon::kChevronDown, at, ui::Px(12), hover_line_ == parts.line ? c.text : c.faint);
    ui::Tag(absl::StrCat("line:", parts.line + 1, "/fold"), {at.x - ui::Px(2), y}, {at.x + ui::Px(14), y + g.line});
  }
  if (ui::TheTags().on) {
    ui::Tag(absl::StrCat("line:", parts.line + 1, "/gutter"), {g.min.x, y}, {g.min.x + ui::Px(24), y + g.line});
    ui::Tag(absl::StrCat("line:", parts.line + 1), {g.min.x + g.gutter, y}, {g.text_right, y + g.line});
  }
}

void ProgramPanel::DrawValue(PanelContext& context, const LineParts& parts) {
  const Geometry& g = geometry_;
  const LineValue& value = parts.value;
  if (value.text.empty()) return;
  if (ui::TheTags().on) {
    for (const LineResult& result : parts.results) {
      const auto it = values_.find(result.instruction);
      if (it == values_.end() || it->second.text.empty()) continue;
      ui::TagFact(absl::StrCat("value:", result.instruction->name),
                  parts.stale ? absl::StrCat(kBeforeEdit, it->second.text)
                              : absl::StrCat(it->second.text, it->second.nan ? " nan!" : "", it->second.inf ? " inf!" : "", it->second.by_hand.empty() ? "" : " by hand"));
    }
    if (parts.results.size() > 1) ui::TagFact(absl::StrCat("values:", parts.line + 1), value.text);
  }
  const ui::Palette& c = ui::Colors();
  const float y = g.Y(parts.row);
  ImDrawList* list = ImGui::GetWindowDrawList();
  const bool trouble = value.nan || value.inf;
  if (parts.value_away) return;
  if (!g.values) {
    if (trouble) ui::DrawIcon(list, ui::Icon::kWarning, {g.max.x - ui::Px(18), y + ui::Px(4)}, ui::Px(13), c.pink);
    return;
  }
  ImFont* font = ui::Type().mono_small;
  float right = parts.value_right;
  const float spark = g.sparks ? ui::Px(kSparkWidth) : 0;
  if (!value.bins.empty() && g.sparks) {
    ui::DrawSpark({right - spark + ui::Px(8), y + ui::Px(5)}, {right, y + g.line - ui::Px(5)}, value.bins, ui::Fade(trouble ? c.pink : c.blue, 0.55f));
  }
  right -= spark;
  const float width = std::min(ui::Measure(font, value.text).x, ui::Px(kValuesWidth) - ui::Px(16));
  ui::DrawTextIn({right - width, y + (g.line - font->FontSize) / 2}, width + 1,
                 trouble                      ? c.pink
                 : parts.here && !parts.stale ? c.dim
                                              : c.faint,
                 font, value.text);
  // A quiet one; trouble goes before it, and the card says both.
  if (trouble) ui::DrawIcon(list, ui::Icon::kWarning, {right - width - ui::Px(18), y + ui::Px(4)}, ui::Px(13), c.pink);
  else if (!value.by_hand.empty()) ui::DrawIcon(list, ui::Icon::kEdit, {right - width - ui::Px(17), y + ui::Px(4)}, ui::Px(12), c.dim);
  ui::Tag(absl::StrCat("line:", parts.line + 1, "/value"), {right - width, y}, {parts.value_right, y + g.line});
}

void ProgramPanel::DrawCaret(PanelContext& context) {
  float x = 0, y = 0;
  if (!Seen(context.document, editor_.caret(), &x, &y)) return;
  const ui::Palette& c = ui::Colors();
  if (has_keyboard_) ImGui::GetWindowDrawList()->AddRectFilled({std::floor(x), y + ui::Px(2)}, {std::floor(x) + std::max(1.0f, ui::Px(1.5f)), y + geometry_.line - ui::Px(2)}, c.text);
}

void ProgramPanel::TagNames(PanelContext& context) {
  if (!ui::TheTags().on) return;
  const int caret_line = context.document.LineAt(editor_.caret());
  ui::TagFact("caret", absl::StrCat(caret_line + 1, ":", editor_.caret() - context.document.line_begin(caret_line) + 1));
  ui::TagFact("line", context.document.line(caret_line));
  ui::TagFact("lines", absl::StrCat(context.document.line_count()));
  ui::TagFact("selection", editor_.has_selection() ? editor_.Selected(context.document).substr(0, 200) : "");
  ui::TagFact("rows", absl::StrCat(row_count(context.document)));
  ui::TagFact("scroll", absl::StrCat(geometry_.scroll_x));
  ui::TagFact("first", absl::StrCat(lines_.empty() ? 0 : lines_.front().line + 1));
  for (const LineParts& parts : lines_) {
    if (parts.stop != nullptr) {
      ui::TagFact(absl::StrCat("stop:", parts.line + 1), !parts.stop->enabled ? "disabled" : !parts.stop->condition.empty() ? absl::StrCat("if ", parts.stop->condition) : parts.stop->kind == StopRow::kLog ? "log" : "break");
    }
    if (parts.here) ui::TagFact("stopped", absl::StrCat(parts.line + 1));
  }
  ImGui::PushClipRect({geometry_.min.x + geometry_.gutter, geometry_.min.y}, geometry_.max, true);
  for (const LineParts& parts : lines_) {
    const float y = geometry_.Y(parts.row);
    for (const Instruction* shown : parts.shown) {
      const auto tag = [&](const std::string& name, SourceRange range) {
        if (!range.valid() || context.document.LineAt(range.begin) != parts.line) return;
        ui::Tag(name, {XOf(context.document, range.begin), y}, {XOf(context.document, range.end), y + geometry_.line});
      };
      tag(absl::StrCat("name:", shown->name), index_->NameRangeOf(*shown));
      for (size_t k = 0; k < shown->operands.size() && k < shown->operand_ranges.size(); ++k) {
        if (shown->operands[k] != nullptr)
          tag(absl::StrCat("use:", shown->name, ":", shown->operands[k]->name), index_->Newer(shown->operand_ranges[k]));
      }
      for (const Attribute& a : shown->attributes) tag(absl::StrCat("attribute:", shown->name, ":", a.name), index_->Newer(a.range));
    }
  }
  ImGui::PopClipRect();
}

}  // namespace hloscope
