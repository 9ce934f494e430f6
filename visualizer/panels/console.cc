// The console: the lines, and a field for commands with history and completion.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "imgui.h"
#include "imgui_stdlib.h"
#include "core/debug/session_state.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

class ConsolePanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    const float field_height = ui::Px(30);
    ImGui::BeginChild("lines", {0, -field_height - ui::Px(4)}, false);
    DrawLines(context);
    ImGui::EndChild();
    DrawField(context);
  }
  float padding() const override { return 8; }

 private:
  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    if (!absl::ConsumePrefix(&args, "type ")) return false;
    line_ = absl::StrCat(args, " ");
    refocus_ = true;
    return true;
  }

  void DrawLines(PanelContext& context) {
    const std::vector<ConsoleLine>& lines = context.console;
    if (lines.empty()) {
      ui::EmptyHint(ui::Icon::kConsole, "Commands and their answers; what the mouse does is written here as the command it is.", "Type help and press Enter.");
      return;
    }
    const float height = ui::Px(20);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(lines.size()), height);
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) DrawLine(lines[k], height);
    }
    ImGui::PopStyleVar();
    if (lines.size() != seen_) {
      seen_ = lines.size();
      ImGui::SetScrollHereY(1);
    }
    ui::TagFact("last", lines.back().text);
  }

  static void DrawLine(const ConsoleLine& line, float height) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    float x = at.x;
    const float y = at.y + (height - font->FontSize) / 2;
    ImU32 color = c.dim;
    switch (line.kind) {
      case ConsoleLine::kCommand:
        ui::DrawText({x, y}, c.faint, font, "(hlo) ");
        x += ui::Measure(font, "(hlo) ").x;
        color = c.text;
        break;
      case ConsoleLine::kError: color = c.red; break;
      case ConsoleLine::kNote: color = c.blue; break;
      case ConsoleLine::kOutput:
        if (absl::StartsWith(line.text, "Breakpoint ") || absl::StartsWith(line.text, "Watch ")) color = c.amber;
        if (absl::StartsWith(line.text, "Catch ")) color = c.pink;
        break;
    }
    ui::DrawText({x, y}, color, font, line.text);
    ImGui::Dummy({x - at.x + ui::Measure(font, line.text).x, height});
    if (ImGui::IsItemClicked(1)) ImGui::SetClipboardText(line.text.c_str());
  }

  static int OnEdit(ImGuiInputTextCallbackData* data) {
    auto& self = *static_cast<ConsolePanel*>(data->UserData);
    const auto replace = [data](const std::string& text) {
      data->DeleteChars(0, data->BufTextLen);
      data->InsertChars(0, text.c_str());
    };
    if (data->EventFlag == ImGuiInputTextFlags_CallbackHistory) {
      if (self.history_.empty()) return 0;
      if (data->EventKey == ImGuiKey_UpArrow) {
        self.at_history_ = self.at_history_ < 0 ? static_cast<int>(self.history_.size()) - 1 : std::max(0, self.at_history_ - 1);
      } else {
        if (self.at_history_ < 0) return 0;
        ++self.at_history_;
      }
      if (self.at_history_ >= static_cast<int>(self.history_.size())) {
        self.at_history_ = -1;
        replace("");
      } else {
        replace(self.history_[self.at_history_]);
      }
    } else if (data->EventFlag == ImGuiInputTextFlags_CallbackCompletion && self.offered_ != nullptr && !self.offered_->empty()) {
      // As far as all that are offered agree; the whole where there is one.
      const absl::string_view line(data->Buf, data->BufTextLen);
      std::string common = self.offered_->front();
      for (const std::string& other : *self.offered_) {
        size_t n = 0;
        while (n < common.size() && n < other.size() && common[n] == other[n]) ++n;
        common.resize(n);
      }
      size_t start = line.rfind(' ');
      start = start == absl::string_view::npos ? 0 : start + 1;
      if (self.offered_->size() == 1) common += ' ';
      if (absl::StartsWith(common, line.substr(start))) {
        data->DeleteChars(static_cast<int>(start), data->BufTextLen - static_cast<int>(start));
        data->InsertChars(static_cast<int>(start), common.c_str());
      }
    }
    return 0;
  }

  void DrawField(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float prompt = ui::Measure(font, "(hlo) ").x;
    ui::DrawText({at.x, at.y + ui::Px(4)}, c.blue, font, "(hlo) ");
    ImGui::SetCursorScreenPos({at.x + prompt, at.y});
    ImGui::PushFont(font);
    ImGui::SetNextItemWidth(-1);
    if (refocus_) ImGui::SetKeyboardFocusHere();
    refocus_ = false;
    ImGui::PushStyleColor(ImGuiCol_FrameBg, ImGui::ColorConvertU32ToFloat4(c.sunken));
    const bool entered = ImGui::InputText("##command", &line_, ImGuiInputTextFlags_EnterReturnsTrue | ImGuiInputTextFlags_CallbackHistory | ImGuiInputTextFlags_CallbackCompletion, OnEdit, this);
    ImGui::PopStyleColor();
    ImGui::PopFont();
    ui::Tag("field");
    const bool active = ImGui::IsItemActive();
    const ImVec2 field = ImGui::GetItemRectMin();
    if (active && !line_.empty()) {
      offered_ = completions_.Get(context.engine, line_, [line = line_](Session::State& s) -> absl::StatusOr<std::vector<std::string>> { return s.session->Complete(line); });
      if (completions_.fresh() && offered_ != nullptr) DrawCompletions(field);
    } else {
      offered_ = nullptr;
    }
    if (entered) {
      std::string command(absl::StripAsciiWhitespace(line_));
      if (!command.empty() && (history_.empty() || history_.back() != command)) history_.push_back(command);
      at_history_ = -1;
      line_.clear();
      refocus_ = true;
      context.run(command);
    }
  }

  void DrawCompletions(ImVec2 field) const {
    const size_t shown = std::min<size_t>(offered_->size(), 8);
    if (shown == 0 || (offered_->size() == 1 && absl::EndsWith(line_, offered_->front()))) return;
    const float height = ui::Px(20);
    float width = ui::Px(160);
    for (size_t k = 0; k < shown; ++k) width = std::max(width, ui::Measure(ui::Type().mono, (*offered_)[k]).x + ui::Px(24));
    const float total = height * static_cast<float>(shown + (offered_->size() > shown ? 1 : 0)) + ui::Px(8);
    const ImVec2 min = {field.x, field.y - total - ui::Px(4)}, max = {field.x + width, field.y - ui::Px(4)};
    ImDrawList* list = ImGui::GetForegroundDrawList();
    const ui::Palette& c = ui::Colors();
    list->AddRectFilled(min, max, c.raised, ui::Px(6));
    list->AddRect(min, max, c.border, ui::Px(6));
    ImFont* font = ui::Type().mono;
    for (size_t k = 0; k < shown; ++k) {
      list->AddText(font, font->FontSize, {min.x + ui::Px(8), min.y + ui::Px(4) + height * static_cast<float>(k)}, k == 0 ? c.text : c.dim, (*offered_)[k].c_str());
    }
    if (offered_->size() > shown) {
      const std::string more = absl::StrCat(offered_->size() - shown, " more");
      list->AddText(ui::Type().small, ui::Type().small->FontSize, {min.x + ui::Px(8), max.y - height}, c.faint, more.c_str());
    }
  }

  std::string line_;
  std::vector<std::string> history_;
  int at_history_ = -1;
  size_t seen_ = 0;
  bool refocus_ = false;
  Live<std::vector<std::string>> completions_;
  std::shared_ptr<const std::vector<std::string>> offered_;
};

}  // namespace

std::unique_ptr<Panel> MakeConsolePanel() { return std::make_unique<ConsolePanel>(); }

}  // namespace hloscope
