// What the reader says of a line, beside it: problems underlined, their message at the end of the line, and the whole of it under the line
// that is typed in. Never over what is typed.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr double kPause = 0.45;     // seconds without typing, before a message comes to the line that is typed in
constexpr float kLeastNote = 64;    // pixels at scale 1: in less a message says nothing
constexpr float kCardWidth = 460;

ImU32 InkOf(Severity severity) {
  const ui::Palette& c = ui::Colors();
  return severity == Severity::kError ? c.red : severity == Severity::kWarning ? c.amber : c.faint;
}

}  // namespace

void ProgramPanel::DrawSquiggles(PanelContext& context) {
  if (index_->problems().empty() || lines_.empty()) return;
  const Document& document = context.document;
  ImDrawList* list = ImGui::GetWindowDrawList();
  const int64_t first = lines_.front().begin, last = lines_.back().begin + static_cast<int64_t>(lines_.back().text.size());
  int drawn = 0;
  for (const ProgramIndex::Problem& problem : index_->problems()) {
    if (!problem.range.valid() || problem.range.begin > last || problem.range.end < first) continue;
    if (++drawn > 200) break;
    const ImU32 color = InkOf(problem.diagnostic.severity);
    // Its first line.
    const int line = document.LineAt(problem.range.begin);
    const int row = RowOf(line);
    if (row < geometry_.first || row >= geometry_.last) continue;
    const float x0 = XOf(document, problem.range.begin);
    const int64_t line_end = document.line_begin(line) + static_cast<int64_t>(document.line(line).size());
    const float x1 = std::min(geometry_.max.x, std::max(x0 + geometry_.cell, XOf(document, std::min<int64_t>(problem.range.end, line_end))));
    const float y = geometry_.Y(row) + geometry_.line - ui::Px(4);
    const float step = ui::Px(3);
    bool up = false;
    list->PathClear();
    for (float x = std::max(x0, geometry_.min.x); x <= x1; x += step) {
      list->PathLineTo({x, y + (up ? 0 : ui::Px(2))});
      up = !up;
    }
    list->PathStroke(color, 0, ui::Px(1.3f));
    ui::Tag(absl::StrCat("problem:", line + 1), {x0, geometry_.Y(row)}, {x1, geometry_.Y(row) + geometry_.line});
  }
}

// Its worst problem, the first of them; null: none that is told beside the line.
const ProgramIndex::Problem* ProgramPanel::ProblemOf(const Document& document, int line, int* count) const {
  const int64_t begin = document.line_begin(line), end = begin + static_cast<int64_t>(document.line(line).size());
  const std::vector<ProgramIndex::Problem>& problems = index_->problems();
  auto it = std::lower_bound(problems.begin(), problems.end(), begin, [](const ProgramIndex::Problem& p, int64_t at) { return p.range.begin < at; });
  const ProgramIndex::Problem* worst = nullptr;
  *count = 0;
  if (failure_.range.valid() && failure_.range.begin >= begin && failure_.range.begin <= end) {
    *count = 1;
    worst = &failure_;
  }
  for (; it != problems.end() && it->range.begin <= end; ++it) {
    if (!it->range.valid()) continue;
    // What a text that runs is warned of stands in Problems.
    if (it->diagnostic.severity != Severity::kError && !document.changed()) continue;
    ++*count;
    if (worst == nullptr || it->diagnostic.severity < worst->diagnostic.severity) worst = &*it;
  }
  return worst;
}

void ProgramPanel::FindFailure(const PanelContext& context) {
  failure_ = {};
  const Instruction* at = context.now.phase == Phase::kError ? context.now.here() : nullptr;
  const Instruction* shown = at != nullptr ? index_->Shown(at) : nullptr;
  if (shown == nullptr) return;
  failure_.range = index_->RangeOf(*shown);
  failure_.diagnostic.severity = Severity::kError;
  absl::string_view message = context.now.error;
  absl::ConsumePrefix(&message, absl::StrCat("%", at->name, ": "));  // which the line says
  failure_.diagnostic.message = std::string(message);
}

void ProgramPanel::DrawNotes(PanelContext& context) {
  const Document& document = context.document;
  const double now = ImGui::GetTime();
  if (document.version() != noted_version_) {
    noted_version_ = document.version();
    noted_since_ = now;
  }
  notes_.clear();
  card_line_ = -1;
  FindFailure(context);
  if (index_->problems().empty() && !failure_.range.valid()) return;
  const ui::Palette& c = ui::Colors();
  ImDrawList* list = ImGui::GetWindowDrawList();
  ImFont* font = ui::Type().ui;
  const int caret_line = document.LineAt(editor_.caret());
  if (caret_line != away_line_) card_away_ = 0;
  away_line_ = caret_line;
  for (const LineParts& parts : lines_) {
    int count = 0;
    const ProgramIndex::Problem* problem = ProblemOf(document, parts.line, &count);
    if (problem == nullptr) continue;
    const bool typed_in = has_keyboard_ && parts.line == caret_line;
    if (typed_in && document.changed() && now - noted_since_ < kPause) {
      ui::WantFrame();
      continue;
    }
    const Diagnostic& d = problem->diagnostic;
    const ImU32 ink = InkOf(d.severity);
    const float icon = ui::Px(12), pad = ui::Px(6), x = std::floor(parts.text_end + 2 * geometry_.cell),
                right = parts.letters_right - ui::Px(4);
    std::string head = d.message;
    if (count > 1) absl::StrAppend(&head, "  (", count - 1, " more)");
    const std::string what = d.hint.empty() ? "" : absl::StrCat("\u2192 ", d.hint);
    float width = icon + ui::Px(6) + ui::Measure(font, head).x + (what.empty() ? 0 : ui::Px(10) + ui::Measure(font, what).x);
    const bool fits = x + width + 2 * pad <= right;
    if (typed_in && !fits) card_line_ = parts.line;
    ui::TagFact(absl::StrCat("note:", parts.line + 1), d.message);
    if (right - x < ui::Px(kLeastNote)) continue;
    width = std::min(width, right - x - 2 * pad);
    const ImVec2 min = {x, geometry_.Y(parts.row) + ui::Px(1)}, max = {x + width + 2 * pad, geometry_.Y(parts.row) + geometry_.line - ui::Px(1)};
    list->AddRectFilled(min, max, ui::Fade(d.severity == Severity::kError ? c.red_fill : c.amber_fill, 0.6f), ui::Px(4));
    const float y = std::floor(min.y + (max.y - min.y - font->FontSize) / 2);
    ui::DrawIcon(list, ui::Icon::kError, {x + pad, std::floor(min.y + (max.y - min.y - icon) / 2)}, icon, ink);
    float at = x + pad + icon + ui::Px(6);
    const float end = max.x - pad;
    bool cut = false;
    at += ui::DrawTextIn({at, y}, end - at, ink, font, head, &cut) + ui::Px(10);
    if (!what.empty() && !cut && end - at > ui::Px(40)) ui::DrawTextIn({at, y}, end - at, c.green, font, what);
    ui::Tag(absl::StrCat("note:", parts.line + 1), min, max);
    notes_.push_back({min, max, problem});
  }
}

// Where the note has no room for all of it: under the line that is typed in.
void ProgramPanel::DrawNoteCard(PanelContext& context) {
  if (card_line_ < 0 || offering_ || card_away_ == context.document.version()) return;
  int count = 0;
  const ProgramIndex::Problem* problem = ProblemOf(context.document, card_line_, &count);
  const int row = RowOf(card_line_);
  if (problem != nullptr && HoveredProblem(context.document) == &problem->diagnostic) return;  // the mouse asks for the same
  if (problem == nullptr || row < geometry_.first || row >= geometry_.last) return;
  const Geometry& g = geometry_;
  const ui::Palette& c = ui::Colors();
  const Diagnostic& d = problem->diagnostic;
  ImFont* font = ui::Type().ui;
  const float pad = ui::Px(10), left = g.min.x + g.gutter, room = g.max.x - left - ui::Px(8);
  const float wrap = std::min(ui::Px(kCardWidth), room) - 2 * pad;
  if (wrap < ui::Px(120)) return;
  struct Part {
    std::string text;
    ImU32 ink;
    ImFont* font;
    ImVec2 size;
  };
  std::vector<Part> parts = {{d.message, c.text, font, {}}};
  if (!d.hint.empty()) parts.push_back({d.hint, c.green, font, {}});
  if (!SuggestedWord(d.hint).empty()) parts.push_back({"Ctrl+. puts it in", c.dim, ui::Type().small, {}});
  if (count > 1) parts.push_back({absl::StrCat("and ", count - 1, " more on this line"), c.dim, ui::Type().small, {}});
  ImVec2 size = {0, 0};
  for (Part& part : parts) {
    part.size = part.font->CalcTextSizeA(part.font->FontSize, FLT_MAX, wrap, part.text.data(), part.text.data() + part.text.size());
    size.x = std::max(size.x, part.size.x);
    size.y += part.size.y + ui::Px(3);
  }
  size.x += 2 * pad;
  size.y += 2 * ui::Px(7) - ui::Px(3);
  // Under the line; above it where there is no room below.
  ImVec2 min = {std::clamp(XOf(context.document, problem->range.begin) - pad, left, std::max(left, g.max.x - ui::Px(8) - size.x)), g.Y(row) + g.line + ui::Px(2)};
  if (min.y + size.y > g.max.y) min.y = g.Y(row) - size.y - ui::Px(2);
  if (min.y < g.min.y) return;
  const ImVec2 max = {min.x + size.x, min.y + size.y};
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled({min.x + ui::Px(2), min.y + ui::Px(3)}, {max.x + ui::Px(2), max.y + ui::Px(3)}, ui::Fade(c.shadow, 0.5f), ui::Px(6));
  list->AddRectFilled(min, max, c.raised, ui::Px(6));
  list->AddRect(min, max, ui::Mix(c.border, InkOf(d.severity), 0.5f), ui::Px(6));
  float y = min.y + ui::Px(7);
  for (const Part& part : parts) {
    ui::AddText(list, part.font, {std::floor(min.x + pad), std::floor(y)}, part.ink, part.text, nullptr, wrap);
    y += part.size.y + ui::Px(3);
  }
  ui::Tag("note-card", min, max);
  ui::TagFact("note-card", d.message);
}

}  // namespace hloscope
