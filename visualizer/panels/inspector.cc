// The inspector: what an instruction is, from its definition, its place in the program and what was measured of it. Beside it the texts of
// its kernel and its operation's page.
#include <algorithm>
#include <map>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "absl/strings/str_format.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "core/debug/explain.h"
#include "core/debug/session_state.h"
#include "core/debug/locations.h"
#include "core/debug/text_util.h"
#include "imgui.h"
#include "visualizer/model/instruction_facts.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/steady.h"

namespace hloscope {
namespace {

std::string MomentKey(const Snapshot& now, const Instruction* of) {
  return absl::StrCat(now.program_generation, ",", now.moment_generation, ",", now.generation, ",", reinterpret_cast<uintptr_t>(of));
}

// Pieces of text one after the other from `left` on, which go on in a new line at `right`. Each may be a link.
class Wrapped {
 public:
  Wrapped(float left, float right, ImFont* font, float line) : left_(left), right_(right), font_(font), line_(line), at_(ImGui::GetCursorScreenPos()) {
    at_.x = left;
    first_y_ = at_.y;
  }
  // Returns clicked. Text that is no link may break at spaces.
  bool Add(absl::string_view text, ImU32 color, absl::string_view link = "", ImFont* font = nullptr) {
    if (font == nullptr) font = font_;
    if (!link.empty()) return AddLink(text, color, link, font);
    while (!text.empty()) {
      const size_t newline = text.find('\n');
      absl::string_view line = text.substr(0, newline);
      while (!line.empty()) {
        size_t end = line.find(' ', 1);
        if (end == absl::string_view::npos) end = line.size();
        absl::string_view word = line.substr(0, end);
        float width = ui::Measure(font, word).x;
        if (at_.x > left_ && at_.x + width > right_) {
          Break();
          while (!word.empty() && word.front() == ' ') word.remove_prefix(1);
          width = ui::Measure(font, word).x;
        }
        Put(word, color, font, width);
        line.remove_prefix(end);
      }
      if (newline == absl::string_view::npos) break;
      Break();
      text.remove_prefix(newline + 1);
    }
    return false;
  }
  // Text of the documentation: what stands between backticks is program text.
  void Prose(absl::string_view text, ImU32 color, ImFont* code) {
    bool inside = false;
    for (const absl::string_view part : absl::StrSplit(text, '`')) {
      if (!part.empty()) Add(part, inside ? ui::Colors().teal : color, "", inside ? code : nullptr);
      inside = !inside;
    }
  }
  // So much must stay together: goes on in a new line where there is no room for it.
  void Keep(float width) {
    if (at_.x > left_ && at_.x + width > right_ && width <= right_ - left_) Break();
  }
  // As it is, no break within.
  void Glued(absl::string_view text, ImU32 color) { Put(text, color, font_, ui::Measure(font_, text).x); }
  void Break() {
    at_.x = left_;
    at_.y += line_;
  }
  // Leaves the cursor below.
  float End() {
    ImGui::SetCursorScreenPos({left_, first_y_});
    const float height = at_.y + line_ - first_y_;
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::Dummy({1, height});
    ImGui::PopStyleVar();
    return height;
  }
  bool hovered() const { return hovered_; }

 private:
  void Put(absl::string_view word, ImU32 color, ImFont* font, float width) {
    // Words that are longer than a line are cut where they must be.
    while (width > right_ - left_ && word.size() > 1) {
      size_t fits = word.size();
      while (fits > 1 && ui::Measure(font, word.substr(0, fits)).x > right_ - at_.x) --fits;
      ui::DrawText(at_, color, font, word.substr(0, fits));
      word.remove_prefix(fits);
      Break();
      width = ui::Measure(font, word).x;
    }
    ui::DrawText(at_, color, font, word);
    at_.x += width;
  }
  bool AddLink(absl::string_view text, ImU32 color, absl::string_view name, ImFont* font) {
    const float whole = ui::Measure(font, text).x;
    if (at_.x > left_ && at_.x + whole > right_) Break();
    const float width = std::min(whole, right_ - left_);
    ImGui::SetCursorScreenPos({at_.x, at_.y - ui::Px(2)});
    ImGui::PushID(serial_++);
    const bool clicked = ImGui::InvisibleButton(std::string(name).c_str(), {std::max(1.0f, width), font->FontSize + ui::Px(4)});
    ImGui::PopID();
    ui::Tag(name);
    hovered_ = ImGui::IsItemHovered();
    if (hovered_) {
      ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      ImGui::GetWindowDrawList()->AddLine({at_.x, at_.y + font->FontSize + 1}, {at_.x + width, at_.y + font->FontSize + 1}, color);
    }
    bool cut = false;
    ui::DrawTextIn(at_, width + 1, color, font, text, &cut);
    if (cut) ui::Tooltip(text);
    at_.x += width;
    return clicked;
  }

  float left_, right_;
  ImFont* font_;
  float line_;
  ImVec2 at_;
  float first_y_ = 0;
  bool hovered_ = false;
  int serial_ = 0;
};

// A paragraph over the panel's width.
void Paragraph(absl::string_view text, ImU32 color, ImFont* font, ImFont* code) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  Wrapped wrapped(at.x, at.x + ImGui::GetContentRegionAvail().x, font, font->FontSize + ui::Px(5));
  wrapped.Prose(text, color, code);
  wrapped.End();
}

class InspectorPanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    const Instruction* of = context.selection.instruction;
    if (of == nullptr) {
      ui::EmptyHint(ui::Icon::kInfo, "The selected instruction: its formula, shapes, operands and users, time, error and source.", "Select an instruction in the program or the graph.");
      return;
    }
    const std::shared_ptr<const InstructionFacts> facts =
        facts_.Get(context.engine, MomentKey(context.now, of), [of](Session::State& s) -> absl::StatusOr<InstructionFacts> { return FactsOfInstruction(s, *of); });
    if (facts != nullptr && facts->of == of && facts_.fresh()) {
      shown_ = facts;
      program_ = context.now.program_generation;
    }
    // While the engine runs or computes a value there is no answer: what the text says needs none.
    if (context.now.module != nullptr && (shown_ == nullptr || shown_->of != of || program_ != context.now.program_generation)) {
      shown_ = std::make_shared<const InstructionFacts>(FactsOfModule(*context.now.module, *of));
      program_ = context.now.program_generation;
    }
    if (shown_ == nullptr) return;
    const InstructionFacts& f = *shown_;
    DrawHead(context, f);
    DrawFormula(context, f);
    // The widest name of an attribute decides, within reason.
    float key = ui::Measure(ui::Type().ui, "operands").x;
    for (const auto& [name, value] : f.attributes) key = std::max(key, ui::Measure(ui::Type().ui, name).x);
    key_width_ = std::min(key + ui::Px(16), std::max(ui::Px(84), ImGui::GetContentRegionAvail().x * 0.42f));
    DrawRows(context, f);
    ui::TagFact("of", of->name);
    ui::TagFact("opcode", f.opcode);
  }

 private:
  static void DrawHead(PanelContext& context, const InstructionFacts& f) {
    const ui::Palette& c = ui::Colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const float width = ui::DrawTextIn(at, room, c.text, ui::Type().title, f.opcode);
    const std::string rest = absl::StrCat("%", f.of->name, f.kind.empty() ? "" : absl::StrCat(" \u00b7 ", f.kind));
    const float left = room - width - ui::Px(8), drop = ui::Type().title->FontSize - ui::Type().ui->FontSize - ui::Px(1);
    if (left > ui::Px(60)) {
      bool cut = false;
      ui::DrawTextIn({at.x + width + ui::Px(8), at.y + drop}, left, c.dim, ui::Type().ui, rest, &cut);
      ImGui::Dummy({room, ui::Type().title->FontSize});
      if (cut) ui::Tooltip(rest);
    } else {
      ImGui::Dummy({room, ui::Type().title->FontSize});
      ui::TextCut(rest, c.dim);
    }
    ui::TagFact("kind", f.kind);
    ui::Gap(8);
    if (!f.summary.empty()) {
      Paragraph(f.summary, c.dim, ui::Type().small, ui::Type().mono_small);
      ui::Gap(8);
    }
  }

  // In a sunken box; operands' names are links. Long ones scroll within it.
  void DrawFormula(PanelContext& context, const InstructionFacts& f) {
    const ui::Palette& c = ui::Colors();
    if (f.formula.empty() && f.no_formula.empty()) return;
    const float room = ImGui::GetContentRegionAvail().x, pad = ui::Px(10);
    const float most = std::max(ui::Px(80), ImGui::GetWindowHeight() * 0.5f);
    const float height = std::clamp(formula_height_ + 2 * pad, ui::Px(36), most);
    ImGui::PushStyleColor(ImGuiCol_ChildBg, ImGui::ColorConvertU32ToFloat4(c.sunken));
    ImGui::PushStyleVar(ImGuiStyleVar_ChildRounding, ui::Px(4));
    ImGui::BeginChild("formula", {room, height}, false);
    const float before = formula_height_;
    ImGui::SetCursorScreenPos({ImGui::GetCursorScreenPos().x + pad, ImGui::GetCursorScreenPos().y + pad});
    const float left = ImGui::GetCursorScreenPos().x, right = left + ImGui::GetContentRegionAvail().x - pad;
    Wrapped text(left, right, f.formula.empty() ? ui::Type().ui : ui::Type().mono, ui::Px(20));
    std::string all;
    // Lines break at spaces only: what stands between two of them stays together.
    ImFont* font = ui::Type().mono;
    const auto width_from = [&](size_t k, size_t at) {
      float width = 0;
      for (; k < f.formula.size(); ++k, at = 0) {
        const absl::string_view rest = absl::string_view(f.formula[k].text).substr(at);
        const size_t end = rest.find_first_of(" \n");
        width += ui::Measure(font, rest.substr(0, end)).x;
        if (end != absl::string_view::npos) break;
      }
      return width;
    };
    bool fresh = true;
    for (size_t k = 0; k < f.formula.size(); ++k) {
      const CodePiece& piece = f.formula[k];
      absl::StrAppend(&all, piece.text);
      if (piece.kind == CodePiece::kName) {
        if (fresh) text.Keep(width_from(k, 0));
        if (text.Add(piece.text, c.blue, absl::StrCat("formula:", piece.text))) context.select(piece.instruction, {});
        if (text.hovered()) context.selection.hover_next = piece.instruction;
        fresh = false;
        continue;
      }
      const ImU32 color = piece.kind == CodePiece::kNumber ? c.violet : piece.kind == CodePiece::kIndex ? c.teal : c.text;
      for (size_t at = 0; at < piece.text.size();) {
        if (piece.text[at] == '\n') {
          text.Break();
          fresh = false;
          ++at;
          continue;
        }
        if (piece.text[at] == ' ') {
          text.Glued(" ", color);
          fresh = true;
          ++at;
          continue;
        }
        if (fresh) text.Keep(width_from(k, at));
        fresh = false;
        const size_t end = std::min(piece.text.find_first_of(" \n", at), piece.text.size());
        text.Glued(absl::string_view(piece.text).substr(at, end - at), color);
        at = end;
      }
    }
    if (f.formula.empty()) text.Add(f.no_formula, c.dim);
    formula_height_ = text.End();
    ImGui::EndChild();
    ImGui::PopStyleVar();
    ImGui::PopStyleColor();
    if (before != formula_height_) ui::WantFrame();
    ui::TagFact("formula", all.empty() ? f.no_formula : all);
    ui::Gap(10);
  }

  // A key, and what the caller draws beside it.
  template <typename DrawValue>
  void Entry(absl::string_view key, DrawValue draw, ImFont* font = nullptr) {
    if (font == nullptr) font = ui::Type().mono;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float room = ImGui::GetContentRegionAvail().x;
    const bool narrow = room < ui::Px(200);
    const float indent = narrow ? ui::Px(8) : key_width_;
    ui::DrawTextIn({at.x, at.y + ui::Px(2)}, narrow ? room : indent - ui::Px(8), ui::Colors().dim, ui::Type().ui, key);
    ImGui::SetCursorScreenPos({at.x + indent, at.y + (narrow ? ui::Px(22) : ui::Px(2))});
    Wrapped text(at.x + indent, at.x + room, font, ui::Px(20));
    draw(text);
    text.End();
    // By the clock, and by the processor (how wide its vectors are).
    if (key == "time" || key == "kernel") ui::Varies({at.x + indent, at.y}, {at.x + room, ImGui::GetCursorScreenPos().y});
    ImGui::SetCursorScreenPos({at.x, ImGui::GetCursorScreenPos().y + ui::Px(1)});
  }
  void Plain(absl::string_view key, absl::string_view value, ImU32 color = 0, ImFont* font = nullptr) {
    if (value.empty()) return;
    Entry(key, [&](Wrapped& text) { text.Add(value, color != 0 ? color : ui::Colors().text); }, font);
    ui::TagFact(key, value);
  }
  void Links(PanelContext& context, absl::string_view key, const std::vector<const Instruction*>& list, absl::string_view after) {
    const ui::Palette& c = ui::Colors();
    Entry(key, [&](Wrapped& text) {
      for (size_t k = 0; k < list.size(); ++k) {
        if (k > 0) text.Add(", ", c.faint);
        if (text.Add(list[k]->name, c.blue, absl::StrCat(key, ":", list[k]->name))) context.select(list[k], {});
        if (text.hovered()) context.selection.hover_next = list[k];
      }
      if (!after.empty()) text.Add(absl::StrCat(list.empty() ? "" : "  ", after), c.faint, "", ui::Type().ui);
    });
    ui::TagFact(key, absl::StrJoin(list, ", ", [](std::string* out, const Instruction* i) { absl::StrAppend(out, i->name); }));
  }

  void DrawRows(PanelContext& context, const InstructionFacts& f) {
    const ui::Palette& c = ui::Colors();
    Entry("shape", [&](Wrapped& text) {
      text.Add(f.shape, c.teal);
      text.Add(absl::StrCat("  ", f.bytes), c.faint, "", ui::Type().ui);
    });
    ui::TagFact("shape", f.shape);
    Plain("layout", f.layout);
    if (!f.operands.empty()) Links(context, "operands", f.operands, "");
    Links(context, "users", f.users,
          f.more_users > 0 ? absl::StrCat("and ", f.more_users, " more") : f.is_root ? absl::StrCat("the result of ", f.of->parent->name) : f.users.empty() ? "nothing" : "");
    for (const Computation* called : f.calls) {
      Entry("calls", [&](Wrapped& text) {
        const Instruction* first = called->schedule.empty() ? nullptr : called->schedule[FirstStop(*called)];
        if (text.Add(called->name, c.blue, absl::StrCat("calls:", called->name)) && first != nullptr) context.select(first, {});
        text.Add(absl::StrCat("  ", Count(static_cast<int64_t>(called->instructions.size()), "instruction")), c.faint, "", ui::Type().ui);
      });
    }
    for (const auto& [name, value] : f.attributes) {
      Entry(name, [&, &value = value](Wrapped& text) { text.Add(value, c.violet); });
      ui::TagFact(name, value);
    }
    if (f.time.empty()) {
      Entry("time", [&](Wrapped& text) {
        if (text.Add("profile a run", c.blue, "profile", ui::Type().ui)) context.run("profile run");
      });
    } else {
      Entry("time", [&](Wrapped& text) {
        text.Add(f.time, c.text);
        text.Add(absl::StrCat("  ", f.time_share), c.faint, "", ui::Type().ui);
      });
      ui::TagFact("time", f.time);
    }
    if (f.error.empty()) {
      Entry("error", [&](Wrapped& text) {
        if (text.Add("measure against f64", c.blue, "shadow", ui::Type().ui)) context.run("shadow");
      });
    } else {
      Entry("error", [&](Wrapped& text) {
        text.Add(f.error, c.text);
        text.Add(absl::StrCat("  ", f.error_against), c.faint, "", ui::Type().ui);
      });
      ui::TagFact("error", f.error);
    }
    Plain("kernel", f.kernel, 0, ui::Type().ui);
    if (!f.fused.empty() && f.fused.size() <= 16) Links(context, "with", f.fused, "");
    Plain("scope", f.scope);
    for (size_t k = 0; k < f.source.size(); ++k) DrawSource(f.source[k], k == 0);
    if (!f.requirements.empty()) {
      Entry("requires", [&](Wrapped& text) {
        for (size_t k = 0; k < f.requirements.size(); ++k) {
          if (k > 0) text.Break();
          text.Add("\u2713 ", c.green);
          text.Prose(f.requirements[k], c.text, ui::Type().mono);
        }
      }, ui::Type().ui);
      ui::TagFact("requires", absl::StrCat(f.requirements.size()));
    }
    Plain("execution", f.not_executed, c.amber, ui::Type().ui);
    for (const auto& [name, value] : f.metadata) Plain(name, value, c.violet);
    ui::Gap(4);
    if (!f.text.empty())
      Entry(
          "text", [&](Wrapped& text) { text.Add(f.text, c.dim); }, ui::Type().mono_small);
    ui::TagFact("text", f.text);
    ui::Gap(12);
  }

  void DrawSource(const SourceFrame& frame, bool first) {
    const ui::Palette& c = ui::Colors();
    const absl::string_view base = Basename(frame.file);
    Entry(first ? "source" : "", [&](Wrapped& text) {
      text.Add(absl::StrCat(base, ":", frame.line), c.text);
      if (!frame.function.empty()) text.Add(absl::StrCat("  ", frame.function), c.faint);
      if (!frame.text.empty()) {
        text.Break();
        text.Add(frame.text, c.dim);
      }
    });
    if (first) ui::TagFact("source", absl::StrCat(base, ":", frame.line));
  }

  Live<InstructionFacts> facts_;
  std::shared_ptr<const InstructionFacts> shown_;
  uint64_t program_ = 0;  // that shown_ is of
  float formula_height_ = 20, key_width_ = 84;
};

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
      ui::EmptyHint(ui::Icon::kConsole, absl::StrCat("%", of->name, " runs without compiled code of its own."), "Select one that computes: a sum, a product, a fusion.");
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

std::unique_ptr<Panel> MakeInspectorPanel() { return std::make_unique<InspectorPanel>(); }
std::unique_ptr<Panel> MakeLlvmPanel() {
  return std::make_unique<KernelPanel>("LLVM IR", "What the backend compiles the selected instruction to, before it is machine code.", "element program");
}
std::unique_ptr<Panel> MakeAssemblyPanel() { return std::make_unique<KernelPanel>("assembly", "The machine code of the selected instruction's kernel.", "element program"); }
std::unique_ptr<Panel> MakePagePanel() { return std::make_unique<PagePanel>(); }

}  // namespace hloscope
