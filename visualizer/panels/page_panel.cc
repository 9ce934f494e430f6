// The page of the selected instruction's operation.
#include <string>

#include "absl/strings/match.h"
#include "absl/strings/str_split.h"
#include "core/debug/explain.h"
#include "imgui.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/wrapped.h"

namespace hloscope {
namespace {

// The operation's page: headings at the margin, as the console shows it.
class PagePanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    const Instruction* of = context.selection.instruction;
    if (of == nullptr) {
      ui::EmptyHint(ui::Icon::kBook, "The page of the selected instruction's operation: what it computes, takes and requires.", "Select an instruction in the program or the graph.");
      return;
    }
    if (!known_ || opcode_ != of->opcode) {
      known_ = true;
      opcode_ = of->opcode;
      text_ = ExplainOperation(opcode_);
    }
    const ui::Palette& c = ui::Colors();
    ui::TagFact("of", Name(opcode_));
    ImGui::BeginChild("text", {0, 0}, false);
    bool first = true, code = false;
    for (const absl::string_view line : absl::StrSplit(text_, '\n')) {
      if (first) {
        first = false;
        const size_t colon = line.find(": ");
        ui::Text(line.substr(0, colon), c.text, ui::Type().title);
        if (colon != absl::string_view::npos) {
          ui::Gap(6);
          Paragraph(line.substr(colon + 2), c.dim, ui::Type().ui, ui::Type().mono);
        }
        continue;
      }
      if (absl::StartsWith(line, "```")) {
        code = !code;
        continue;
      }
      if (line.empty()) {
        ui::Gap(8);
        continue;
      }
      // "takes:      2 operands": a key and what stands beside it.
      const size_t colon = line.find(": ");
      if (!code && colon != absl::string_view::npos && colon < 16 && line.substr(0, colon).find(' ') == absl::string_view::npos) {
        absl::string_view value = line.substr(colon + 2);
        while (!value.empty() && value.front() == ' ') value.remove_prefix(1);
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const float indent = ui::Px(96), room = ImGui::GetContentRegionAvail().x;
        ui::DrawTextIn({at.x, at.y + ui::Px(2)}, indent - ui::Px(8), c.dim, ui::Type().ui, line.substr(0, colon));
        ImGui::SetCursorScreenPos({at.x + indent, at.y + ui::Px(2)});
        const bool formula = line.substr(0, colon) == "formula";
        Wrapped text(at.x + indent, at.x + room, formula ? ui::Type().mono : ui::Type().ui, ui::Px(19));
        if (formula) text.Add(value, c.teal);
        else text.Prose(value, c.text, ui::Type().mono);
        text.End();
        ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + ui::Px(2)});
        continue;
      }
      if (code) ui::TextWrapped(line, c.teal, ui::Type().mono_small);
      else Paragraph(line, c.text, ui::Type().ui, ui::Type().mono);
    }
    ImGui::EndChild();
  }

 private:
  bool known_ = false;
  Opcode opcode_{};
  std::string text_;
};

}  // namespace

std::unique_ptr<Panel> MakePagePanel() { return std::make_unique<PagePanel>(); }

}  // namespace hloscope
