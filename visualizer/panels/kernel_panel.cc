// The texts of the selected instruction's kernel: LLVM IR and assembly.
#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/kernel_texts.h"
#include "core/debug/session_state.h"
#include "core/ir/written_names.h"
#include "imgui.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/steady.h"

namespace hloscope {
namespace {

// A long text by lines, with line numbers; scrolls both ways.
class TextLines {
 public:
  // True where it is another one than before.
  bool Set(const std::string& text) {
    if (text == given_) return false;
    given_ = text;
    text_.clear();
    size_t column = 0;
    for (const char c : text) {
      const size_t cells = c == '\t' ? 8 - column % 8 : 1;  // as assemblers align their operands
      text_.append(cells, c == '\t' ? ' ' : c);
      column = c == '\n' ? 0 : column + cells;
    }
    lines_ = absl::StrSplit(text_, '\n');
    while (!lines_.empty() && lines_.back().empty()) lines_.pop_back();
    size_t longest = 0;
    for (const absl::string_view line : lines_) longest = std::max(longest, line.size());
    letters_ = longest;
    return true;
  }
  size_t size() const { return lines_.size(); }
  // Begins there when it is drawn next.
  void ScrollTo(int line) { scroll_to_ = line; }
  // The first line that begins so; -1: none.
  int Find(absl::string_view begin) const {
    const auto it = std::find_if(lines_.begin(), lines_.end(), [begin](absl::string_view line) { return absl::StartsWith(line, begin); });
    return it == lines_.end() ? -1 : static_cast<int>(it - lines_.begin());
  }
  template <typename ColorOf>
  void Draw(const char* name, ColorOf color_of) {
    const ui::Palette& c = ui::Colors();
    ImFont* font = ui::Type().mono_small;
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImGui::ColorConvertU32ToFloat4(c.sunken));
    ImGui::BeginChild(name, {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    const float height = ui::Px(17), gutter = ui::Measure(font, absl::StrCat(lines_.size())).x + ui::Px(20), letter = ui::Measure(font, "0").x;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    if (scroll_to_ >= 0) ImGui::SetScrollY(height * static_cast<float>(std::exchange(scroll_to_, -1)));
    const auto first = static_cast<size_t>(ImGui::GetScrollY() / height + 0.5f);
    ui::TagFact("first", first < lines_.size() ? lines_[first] : "");
    ImGuiListClipper clipper;
    clipper.Begin(static_cast<int>(lines_.size()), height);
    while (clipper.Step()) {
      for (int k = clipper.DisplayStart; k < clipper.DisplayEnd; ++k) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        const std::string number = absl::StrCat(k + 1);
        ui::DrawText({at.x + gutter - ui::Px(12) - ui::Measure(font, number).x, at.y + ui::Px(2)}, c.faint, font, number);
        ui::DrawText({at.x + gutter, at.y + ui::Px(2)}, color_of(lines_[k]), font, lines_[k]);
        ImGui::Dummy({gutter + letter * static_cast<float>(letters_) + ui::Px(12), height});
      }
    }
    ImGui::PopStyleVar();
    ImGui::EndChild();
    ImGui::PopStyleColor();
    ui::Tag(name);
  }

 private:
  std::string given_, text_;
  std::vector<absl::string_view> lines_;
  size_t letters_ = 0;
  int scroll_to_ = -1;
};

// A text of the selected instruction's kernel.
class KernelPanel : public Panel {
 public:
  KernelPanel(std::string artifact, std::string what, std::string otherwise) : artifact_(std::move(artifact)), what_(std::move(what)), otherwise_(std::move(otherwise)) {}
  void Draw(PanelContext& context) override {
    const Instruction* of = context.selection.instruction;
    if (of == nullptr) {
      ui::EmptyHint(ui::Icon::kConsole, what_, "Select an instruction in the program or the graph.");
      return;
    }
    const std::shared_ptr<const KernelTexts> texts = texts_.Get(context.engine, absl::StrCat(context.now.program_generation, ",", reinterpret_cast<uintptr_t>(of)),
                                                                [of](Session::State& s) -> absl::StatusOr<KernelTexts> { return TextsOfKernel(s, *of); });
    if (texts_.fresh() && texts == nullptr) {
      ui::EmptyHint(ui::Icon::kConsole, absl::StrCat(absl::StripSuffix(texts_.status().message(), "."), "."), "Select one that computes: a sum, a product, a fusion.");
      return;
    }
    if (texts == nullptr || texts->of != of) {
      ui::Spinner(16);
      return;
    }
    const ui::Palette& c = ui::Colors();
    ui::TextCut(texts->region, c.dim);
    ui::TagFact("region", texts->region);
    const Artifact* found = nullptr;
    for (const Artifact& artifact : texts->artifacts) {
      if (artifact.name == artifact_) found = &artifact;
      if (artifact.name == "kernel") {
        ui::Gap(2);
        ui::TextCut(artifact.text, c.faint, ui::Type().small);
      }
    }
    // What there is instead, where the kernel is no compiled code.
    if (found == nullptr) {
      for (const Artifact& artifact : texts->artifacts) {
        if (artifact.name == otherwise_) found = &artifact;
      }
      if (found != nullptr) {
        ui::Gap(2);
        ui::TextCut(absl::StrCat("no ", artifact_, " here; this is its ", found->name), c.amber, ui::Type().small);
      }
    }
    ui::Gap(8);
    if (found == nullptr) {
      ui::TagFact("lines", "0");
      ui::EmptyHint(ui::Icon::kConsole, absl::StrCat(ShownName(*of), " runs without compiled code of its own."), "Select one that computes: a sum, a product, a fusion.");
      return;
    }
    // It is compiled for the machine's own processor.
    const ImVec2 at = ImGui::GetCursorScreenPos(), room = ImGui::GetContentRegionAvail();
    ui::Varies(at, {at.x + room.x, at.y + room.y});
    // They begin with what a linker wants to know and tables of constants; what is done begins at the function.
    if (lines_.Set(found->text)) lines_.ScrollTo(std::max({0, lines_.Find("kernel:"), lines_.Find("define ")}));
    ui::TagFact("lines", absl::StrCat(lines_.size()));
    ui::TagFact("shows", found->name);
    lines_.Draw("code", [&](absl::string_view line) {
      absl::string_view rest = line;
      while (!rest.empty() && (rest.front() == ' ' || rest.front() == '\t')) rest.remove_prefix(1);
      if (absl::StartsWith(rest, ";") || absl::StartsWith(rest, "#") || absl::StartsWith(rest, ".")) return c.faint;
      if (!rest.empty() && rest.back() == ':') return c.violet;
      if (absl::StartsWith(rest, "define") || absl::StartsWith(rest, "declare")) return c.blue;
      return c.text;
    });
  }

 private:
  std::string artifact_, what_, otherwise_;
  Live<KernelTexts> texts_;
  TextLines lines_;
};

}  // namespace

std::unique_ptr<Panel> MakeLlvmPanel() {
  return std::make_unique<KernelPanel>("LLVM IR", "What the backend compiles the selected instruction to, before it is machine code.", "element program");
}
std::unique_ptr<Panel> MakeAssemblyPanel() { return std::make_unique<KernelPanel>("assembly", "The machine code of the selected instruction's kernel.", "element program"); }

}  // namespace hloscope
