// What is wrong: the reader's diagnostics of the text as it is edited, and the error that stopped the program. A click goes to the place.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

class ProblemsPanel : public Panel {
 public:
  float padding() const override { return 8; }

  std::string Title(const PanelContext& context) const override {
    const size_t count = Problems(context)->size() + (context.now.phase == Phase::kError ? 1 : 0);
    return count == 0 ? "" : absl::StrCat("Problems ", count);
  }

  void Draw(PanelContext& context) override {
    const std::shared_ptr<const std::vector<Diagnostic>> kept = Problems(context);
    const std::vector<Diagnostic>& problems = *kept;
    const bool failed = context.now.phase == Phase::kError;
    ui::TagFact("count", absl::StrCat(problems.size() + (failed ? 1 : 0)));
    if (problems.empty() && !failed) {
      DrawNone(context);
      return;
    }
    if (failed) DrawError(context);
    // One row is as high as another, so that a thousand of them cost no more than what is seen.
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(problems.size()), ui::Px(kRow));
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) DrawProblem(context, problems[k], k);
    }
    ImGui::PopStyleVar();
  }

 private:
  static constexpr float kRow = 40;

  static void DrawNone(const PanelContext& context) {
    const std::shared_ptr<const Reading> reading = context.document.reading();
    if (context.document.empty()) return ui::EmptyHint(ui::Icon::kCheck, "What the reader finds in a program, and the error that stops one.", "Open a program with Ctrl+O.");
    ui::TagFact("state", reading == nullptr ? "" : reading->ok ? "well formed" : "nothing yet");
    if (reading == nullptr || reading->ok) return ui::EmptyHint(ui::Icon::kCheck, "No problems: the program is well formed.", "");
    ui::EmptyHint(ui::Icon::kInfo, "No problems yet: the program has no instructions.", "Add operations in the Builder, or type them.");
  }

  // Kept alive by who looks at them: a new reading may take their place at any time.
  static std::shared_ptr<const std::vector<Diagnostic>> Problems(const PanelContext& context) {
    const std::shared_ptr<const Reading> reading = context.now.unreadable ? nullptr : context.document.reading();
    if (reading != nullptr) return {reading, &reading->problems};
    return {std::shared_ptr<void>(), &context.now.problems};
  }
  static std::shared_ptr<const SourceText> Source(const PanelContext& context) {
    const std::shared_ptr<const Reading> reading = context.document.reading();
    return reading != nullptr ? reading->source : context.now.source;
  }

  static void Sign(ui::Icon icon, ImVec2 at, ImU32 color) { ui::DrawIcon(ImGui::GetWindowDrawList(), icon, at, ui::Px(14), color); }

  // The whole of what was said, however many lines that takes: the panel scrolls.
  void DrawError(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const Snapshot& now = context.now;
    const Instruction* at = now.here();
    const std::string where = at != nullptr ? absl::StrCat("the program stopped at ", ShownName(*at), " in ", at->parent->name) : "the program stopped";
    const float width = std::max(ImGui::GetContentRegionAvail().x - ui::Px(44), 50.0f);
    const float height = ui::Type().ui->CalcTextSizeA(ui::Type().ui->FontSize, FLT_MAX, width, now.error.data(), now.error.data() + now.error.size()).y;
    const ui::RowState row = ui::Row("error", height / ui::TheLook().scale + 28, at != nullptr && context.selection.instruction == at, c.red_fill);
    Sign(ui::Icon::kError, {row.min.x + ui::Px(8), row.min.y + ui::Px(5)}, c.red);
    const float x = row.min.x + ui::Px(32);
    ImGui::PushClipRect(row.min, row.max, true);
    ui::AddText(ImGui::GetWindowDrawList(), ui::Type().ui, {x, row.min.y + ui::Px(4)}, c.text, now.error, nullptr, width);
    ui::DrawTextIn({x, row.max.y - ui::Px(19)}, width, c.dim, ui::Type().small, where);
    ImGui::PopClipRect();
    ui::TagFact("error", now.error);
    if (row.hovered) context.selection.hover_next = at;
    if (row.clicked && at != nullptr) context.select(at, {});
  }

  void DrawProblem(PanelContext& context, const Diagnostic& problem, int k) {
    const ui::Palette& c = ui::Colors();
    ImGui::PushID(k);
    const std::string tag = absl::StrCat("row:", k);
    const ui::RowState row = ui::Row(tag, kRow);
    ImGui::PopID();
    const bool error = problem.severity == Severity::kError;
    Sign(error ? ui::Icon::kError : problem.severity == Severity::kWarning ? ui::Icon::kWarning : ui::Icon::kInfo, {row.min.x + ui::Px(8), row.min.y + ui::Px(4)},
         error ? c.red : problem.severity == Severity::kWarning ? c.orange : c.dim);
    const std::shared_ptr<const SourceText> source = Source(context);
    const LineColumn place = problem.range.valid() && source != nullptr ? source->Locate(problem.range.begin) : LineColumn();
    const std::string where = place.line > 0 ? absl::StrCat("line ", place.line, ":", place.column) : "";
    const float x = row.min.x + ui::Px(32), where_width = ui::Measure(ui::Type().mono_small, where).x;
    const float right = row.max.x - ui::Px(8), y = row.min.y + ui::Px(3);
    bool cut = false, hint_cut = false;
    ui::DrawTextIn({x, y}, right - x - where_width - ui::Px(12), c.text, ui::Type().ui, problem.message, &cut);
    ui::DrawText({right - where_width, y + ui::Px(1)}, c.blue, ui::Type().mono_small, where);
    const float y2 = row.min.y + ui::Px(21);
    float x2 = x;
    if (!problem.hint.empty()) x2 += ui::DrawTextIn({x, y2}, right - x, c.green, ui::Type().small, absl::StrCat("help: ", problem.hint), &hint_cut) + ui::Px(12);
    if (right - x2 > ui::Px(60)) ui::DrawTextIn({x2, y2}, right - x2, c.faint, ui::Type().mono_small, problem.label);
    if ((cut || hint_cut) && row.hovered) {
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(6)});
      ImGui::BeginTooltip();
      ImGui::PushTextWrapPos(ui::Px(560));
      ui::Text(problem.message);
      if (!problem.hint.empty()) ui::Text(absl::StrCat("help: ", problem.hint), c.green);
      ImGui::PopTextWrapPos();
      ImGui::EndTooltip();
      ImGui::PopStyleVar();
      ui::TagFact("tooltip", absl::StrCat(problem.message, " help: ", problem.hint));
    }
    ui::TagFact(absl::StrCat(tag, "/text"), absl::StrCat(where, " ", problem.message));
    if (!row.clicked || place.line == 0) return;
    context.run(absl::StrCat("window program goto ", place.line));
    if (const Instruction* at = InstructionAt(context, problem.range.begin)) context.select(at, {});
  }

  // Of what the session runs, where that is the text that was read.
  static const Instruction* InstructionAt(const PanelContext& context, int32_t offset) {
    if (context.now.module == nullptr || context.now.source == nullptr || context.document.changed()) return nullptr;
    for (const Computation* computation : context.now.module->computations) {
      for (const Instruction* i : computation->instructions) {
        if (i->range.begin <= offset && offset < i->range.end) return i;
      }
    }
    return nullptr;
  }
};

}  // namespace

std::unique_ptr<Panel> MakeProblemsPanel() { return std::make_unique<ProblemsPanel>(); }

}  // namespace hloscope
