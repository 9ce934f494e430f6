// The program panel's foot: where one is, the iteration that is looked at, the problems, and what takes up an edit.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/debug/source_view.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

void ProgramPanel::DrawFooter(PanelContext& context, float height) {
  const Document& document = context.document;
  const Snapshot& now = context.now;
  const ui::Palette& c = ui::Colors();
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float top = window.y + size.y - height;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({window.x, top}, {window.x + size.x, top}, c.border);
  ImFont* font = ui::Type().ui;
  const float y = top + std::floor((height - font->FontSize) / 2);
  float right = window.x + size.x - ui::Px(8);
  ui::TagScope scope("footer");
  // What is edited, at the right.
  const bool narrow = size.x < ui::Px(520);
  const auto place_button = [&](float width) {
    right -= width;
    ImGui::SetCursorScreenPos({right, top + ui::Px(4)});
    right -= ui::Px(6);
  };
  // Taking the text up waits for what runs.
  const bool busy = !context.engine.activity().what.empty();
  const std::vector<Engine::Waiting> waiting = context.engine.waiting();
  const bool waits = document.changed() && document.sent() && std::any_of(waiting.begin(), waiting.end(), [](const Engine::Waiting& w) { return absl::StartsWith(w.command, "edit "); });
  if (apply_paused_ && !busy) {
    apply_paused_ = false;
    if (document.changed()) context.run("window program apply");
  }
  ui::TagFact("waits", waits ? "yes" : "no");
  if (waits) {
    const std::string label = "Pause and apply", told = narrow ? "waits" : "applied when the run stops";
    place_button(ui::Measure(font, label).x + ui::Px(10 * 2 + 6 + 14));
    if (ui::Button("pause-apply", label, ui::Icon::kPause, ui::ButtonKind::kPrimary, "interrupts the run, and takes the text up there")) {
      context.run("window pause");
      apply_paused_ = true;
    }
    ui::DrawText({right - ui::Measure(font, told).x, y}, c.amber, font, told);
    right -= ui::Measure(font, told).x + ui::Px(10);
  } else if (document.changed()) {
    const bool current = document.reading_is_current();
    const bool can = current && index_->errors() == 0;
    const std::string label = "Apply";
    place_button(ui::Measure(font, label).x + ui::Px(10 * 2 + 6 + 14));
    if (ui::Button("apply", label, ui::Icon::kContinue, ui::ButtonKind::kPrimary, can ? "the running program goes on from where the change matters (Ctrl+Enter)" : "the text has errors", can)) {
      context.run("window program apply");
      focus_text_ = true;
    }
    if (!narrow) {
      place_button(ui::Px(24));
      if (ui::IconButton("redo", ui::Icon::kRedo, "Redo (Ctrl+Y)", false, document.can_redo())) context.run("window redo"), focus_text_ = true;
      right += ui::Px(6);
      place_button(ui::Px(24));
      if (ui::IconButton("undo", ui::Icon::kUndo, "Undo (Ctrl+Z)", false, document.can_undo())) context.run("window undo"), focus_text_ = true;
      const char* const how = document.unsaved() ? "edited" : "saved, not applied";
      ui::DrawText({right - ui::Measure(font, how).x, y}, c.dim, font, how);
      right -= ui::Measure(font, how).x + ui::Px(10);
      ui::TagFact("how", how);
    }
  }
  const int problems = static_cast<int>(index_->problems().size());
  ui::TagFact("problems", absl::StrCat(index_->errors()));
  ui::TagFact("changed", document.changed() ? "yes" : "no");
  if (problems > 0 && (document.changed() || index_->errors() > 0)) {
    const std::string label = absl::StrCat(problems, narrow ? "" : problems == 1 ? " problem" : " problems");
    const float width = ui::Measure(font, label).x + ui::Px(20);
    right -= width;
    ImGui::SetCursorScreenPos({right, top + ui::Px(6)});
    const bool clicked = ImGui::InvisibleButton("problems", {width, height - ui::Px(12)});
    ui::Tag("problems");
    const ImU32 color = index_->errors() > 0 ? c.red : c.amber;
    ui::DrawIcon(list, ui::Icon::kError, {right, y + ui::Px(2)}, ui::Px(13), color);
    ui::DrawText({right + ui::Px(18), y}, ImGui::IsItemHovered() ? c.text : color, font, label);
    ui::Tooltip("goes to the next problem");
    right -= ui::Px(10);
    if (clicked) {
      const ProgramIndex::Problem* next = nullptr;
      for (const ProgramIndex::Problem& problem : index_->problems()) {
        if (problem.range.valid() && (next == nullptr || (next->range.begin <= editor_.caret() && problem.range.begin > editor_.caret()))) next = &problem;
      }
      if (next != nullptr) {
        GoTo(context, next->range.begin, next->range.begin);
        focus_text_ = true;
      }
    }
  }
  // Where one is, at the left.
  const Instruction* running = context.selection.instruction;
  if (running == nullptr) running = now.here();
  const Instruction* shown = index_->Shown(running);
  if (shown == nullptr) shown = index_->At(editor_.caret());
  std::vector<std::pair<std::string, ImU32>> parts;
  parts.emplace_back(FileName(document.name()), c.dim);
  std::string line;
  if (shown != nullptr) {
    parts.emplace_back(std::string(shown->parent->name), c.dim);
    parts.emplace_back(absl::StrCat(shown->index + 1, " of ", shown->parent->instructions.size()), c.dim);
    if (const FrameRow* frame = now.frame(); frame != nullptr && running != nullptr && frame->computation == running->parent &&
                                             IsLoop(frame->kind)) {
      parts.emplace_back(absl::StrCat("iteration ", iteration_ >= 0 ? iteration_ : frame->iteration), iteration_ >= 0 ? c.blue : c.amber);
    }
    const std::vector<PythonFrame> frames =
        index_->module() != nullptr ? index_->module()->PythonFrames(*shown) : std::vector<PythonFrame>();
    if (!frames.empty()) {
      parts.emplace_back(absl::StrCat(FileName(frames[0].file), ":", frames[0].line), c.dim);
      if (running != nullptr) {
        const auto text = source_line_.Get(context.engine, absl::StrCat(now.program_generation, ":", reinterpret_cast<uintptr_t>(running)), [running](Session::State& s) -> absl::StatusOr<std::string> {
          return s.Extension<SourceView>().TextOf(*s.module, SourceLineOf(*s.module, *running));
        });
        if (source_line_.fresh() && text != nullptr) line = *text;
      }
    }
  } else {
    const int at = document.LineAt(editor_.caret());
    parts.emplace_back(absl::StrCat("line ", at + 1, " of ", document.line_count()), c.dim);
  }
  std::string whole;
  for (const auto& part : parts) absl::StrAppend(&whole, whole.empty() ? "" : " \u00b7 ", part.first);
  if (!line.empty()) absl::StrAppend(&whole, " ", line);
  ui::TagFact("text", whole);
  float x = window.x + ui::Px(12);
  bool cut = false;
  for (size_t k = 0; k < parts.size() && !cut; ++k) {
    const bool iterated = absl::StartsWith(parts[k].first, "iteration ");
    if (iterated && x + ui::Px(150) < right) {
      // Earlier iterations can be looked at: the values beside the lines are theirs.
      const int64_t present = now.frame()->iteration, at = iteration_ >= 0 ? iteration_ : present;
      x += ui::Px(8);
      const auto step = [&](const char* name, ui::Icon icon, const char* tip, int64_t to, bool enabled) {
        ImGui::SetCursorScreenPos({x, top + std::floor((height - ui::Px(24)) / 2)});
        if (ui::IconButton(name, icon, tip, false, enabled)) context.run(absl::StrCat("window program iteration ", to >= present ? "now" : absl::StrCat(to)));
        x += ui::Px(24);
      };
      step("earlier", ui::Icon::kBack, "values of the iteration before", at - 1, at > 0);
      x += ui::DrawTextIn({x + ui::Px(2), y}, right - x, parts[k].second, font, parts[k].first, &cut) + ui::Px(4);
      step("later", ui::Icon::kContinue, "values of the iteration after", at + 1, at < present);
      continue;
    }
    if (k > 0) {
      if (x + ui::Px(30) > right) break;
      ui::DrawText({x + ui::Px(6), y}, c.faint, font, "\u00b7");
      x += ui::Px(16);
    }
    x += ui::DrawTextIn({x, y}, right - x, parts[k].second, font, parts[k].first, &cut);
  }
  if (!line.empty() && !cut) {
    ImFont* mono = ui::Type().mono_small;
    ui::DrawTextIn({x + ui::Px(8), top + std::floor((height - mono->FontSize) / 2)}, right - x - ui::Px(8), c.faint, mono, line, &cut);
  }
  ImGui::SetCursorScreenPos({window.x, top + 1});
  ImGui::Dummy({std::max(1.0f, right - window.x), height - 2});
  ui::Tag("where");
  if (cut) ui::Tooltip(whole);
}

}  // namespace hloscope
