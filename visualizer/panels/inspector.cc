// The inspector: what an instruction is, from its definition, its place in the program and what was measured of it.
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
#include "core/ir/written_names.h"
#include "imgui.h"
#include "visualizer/model/instruction_facts.h"
#include "visualizer/model/live.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/steady.h"
#include "visualizer/widgets/wrapped.h"

namespace hloscope {
namespace {

std::string MomentKey(const Snapshot& now, const Instruction* of) {
  return absl::StrCat(now.program_generation, ",", now.moment_generation, ",", now.generation, ",", reinterpret_cast<uintptr_t>(of));
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
    const std::string name = ShownName(*f.of), kind = f.kind.empty() ? "" : absl::StrCat(" \u00b7 ", f.kind);
    bool cut = false;
    // Where there is no room for the kind, too, a long name takes all there is, and leaves its middle out.
    const auto draw_rest = [&](ImVec2 place, float most) {
      const float used = ui::DrawNameIn(place, most, c.dim, ui::Type().ui, name, &cut);
      const bool fits = used + ui::Measure(ui::Type().ui, kind).x <= most;
      if (fits && !kind.empty()) ui::DrawTextIn({place.x + used, place.y}, most - used, c.dim, ui::Type().ui, kind);
      cut = cut || !fits;
    };
    const float left = room - width - ui::Px(8), drop = ui::Type().title->FontSize - ui::Type().ui->FontSize - ui::Px(1);
    if (left > ui::Px(60)) {
      draw_rest({at.x + width + ui::Px(8), at.y + drop}, left);
    } else {
      ImGui::Dummy({room, ui::Type().title->FontSize});
      draw_rest(ImGui::GetCursorScreenPos(), room);
    }
    ImGui::Dummy({room, left > ui::Px(60) ? ui::Type().title->FontSize : ui::Type().ui->FontSize});
    if (cut) ui::Tooltip(absl::StrCat(name, kind));
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
    // With a scroll bar, which stands at the border, as without one: else the one would make the other needless, and so on.
    const float left = ImGui::GetCursorScreenPos().x, right = left + room - 2 * pad - ui::Px(2);
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
        // A comma begins no line.
        if (k > 0) text.Glued(" ", c.faint);
        const absl::string_view written = WrittenName(*list[k]);
        const std::string shown = written.empty() ? std::string(list[k]->name) : absl::StrCat("%", written);
        if (text.Add(shown, c.blue, absl::StrCat(key, ":", list[k]->name), nullptr, k + 1 < list.size() ? "," : "", c.faint)) context.select(list[k], {});
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
    Plain("value", f.by_hand, 0, ui::Type().ui);
    if (!f.operands.empty()) Links(context, "operands", f.operands, "");
    std::string also = f.more_users > 0 ? absl::StrCat("and ", f.more_users, " more") : "";
    for (const Computation* of : f.result_of) absl::StrAppend(&also, also.empty() ? "" : ", ", "the result of ", of->name);
    Links(context, "users", f.users, f.users.empty() && also.empty() ? "nothing" : also);
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

}  // namespace

std::unique_ptr<Panel> MakeInspectorPanel() { return std::make_unique<InspectorPanel>(); }

}  // namespace hloscope
