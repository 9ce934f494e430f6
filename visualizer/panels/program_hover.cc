// What opens over the program's text: the card of what the mouse rests on, completions, and menus.
#include <algorithm>
#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/source_view.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "visualizer/model/instruction_facts.h"
#include "visualizer/model/line_results.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {
namespace {

constexpr double kRest = 0.35;  // seconds before a card opens

const char* KindText(CompletionItem::Kind kind) {
  switch (kind) {
    case CompletionItem::kOpcode: return "op";
    case CompletionItem::kShape: return "shape";
    case CompletionItem::kInstruction: return "value";
    case CompletionItem::kComputation: return "computation";
    case CompletionItem::kAttribute: return "attribute";
    case CompletionItem::kWord: return "";
  }
  return "";
}

ImU32 KindColor(CompletionItem::Kind kind) {
  const ui::Palette& c = ui::Colors();
  switch (kind) {
    case CompletionItem::kOpcode: return c.blue;
    case CompletionItem::kShape: return c.teal;
    case CompletionItem::kAttribute: return c.violet;
    default: return c.text;
  }
}

// A tooltip's frame in the house's look.
class Card {
 public:
  Card() {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(10)});
    ImGui::BeginTooltip();
  }
  ~Card() {
    ImGui::EndTooltip();
    ImGui::PopStyleVar();
  }
};

void CardRow(absl::string_view key, absl::string_view value, ImU32 color, ImFont* font, bool wrap = false) {
  const float x = ImGui::GetCursorPosX();
  ui::Text(key, ui::Colors().dim);
  ImGui::SameLine();
  ImGui::SetCursorPosX(x + ui::Px(68));
  ImGui::PushTextWrapPos(wrap ? x + ui::Px(520) : -1);
  std::string shown(value.substr(0, 400));
  if (value.size() > 400) shown += "\u2026";
  if (!wrap && shown.size() > 64) shown = absl::StrCat(shown.substr(0, 63), "\u2026");
  ui::Text(shown, color, font);
  ImGui::PopTextWrapPos();
}

}  // namespace

void ProgramPanel::HoverCard(PanelContext& context, const Symbol& symbol) {
  const ui::Palette& c = ui::Colors();
  const auto& type = ui::Type();
  Card card;
  if (symbol.computation != nullptr) {
    const Computation& computation = *symbol.computation;
    ui::Text(computation.name, c.text, type.mono_strong);
    ImGui::SameLine();
    ui::Text(computation.is_entry ? "entry computation" : "computation", c.dim);
    CardRow("holds", absl::StrCat(computation.instructions.size(), computation.instructions.size() == 1 ? " instruction" : " instructions"), c.text, type.ui);
    std::string parameters;
    for (const Instruction* p : computation.parameters) {
      if (p != nullptr) absl::StrAppend(&parameters, parameters.empty() ? "" : ", ", p->shape.ToString(false));
    }
    if (!parameters.empty()) CardRow("takes", parameters, c.teal, type.mono);
    if (computation.root != nullptr) CardRow("returns", computation.root->shape.ToString(false), c.teal, type.mono);
    ui::TagFact("card", computation.name);
    return;
  }
  const Instruction& instruction = *symbol.instruction;
  const Instruction* running = index_->Running(&instruction);
  const int64_t begin = index_->NameRangeOf(instruction).begin;
  const std::string line = begin >= 0 ? std::string(context.document.line(context.document.LineAt(begin))) : "";
  const Instruction& written = OperationWritten(line, instruction);
  const OpDef& def = Def(written);
  ui::Text(NameInText(instruction), c.text, type.mono_strong);
  ImGui::SameLine();
  ui::Text(absl::StrCat(&written == &instruction ? "" : "result of ", Name(written.opcode)), c.blue, type.mono);
  if (!def.summary.empty()) {
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + ui::Px(520));
    std::string summary;
    for (const char letter : def.summary) {
      if (letter != '`') summary += letter;
    }
    ui::Text(summary, c.dim);
    ImGui::PopTextWrapPos();
  }
  ui::Gap(6);
  CardRow("shape", instruction.shape.ToString(false), c.teal, type.mono);
  if (instruction.shape.IsArray()) {
    const Layout* layout = instruction.shape.layout();
    std::string text = "row-major";
    if (layout != nullptr) {
      const std::string with = instruction.shape.ToString(true), without = instruction.shape.ToString(false);
      text = with.size() > without.size() ? with.substr(without.size()) : "row-major";
      if (!instruction.shape.has_dynamic_dimension() && instruction.shape.IsStoredDense() && text != "row-major") absl::StrAppend(&text, "  row-major");
    }
    CardRow("layout", text, c.text, type.mono);
  }
  // With the operands' names, as the inspector says it; of a text that does not run only what the operation is in general.
  if (running != nullptr && (running != formula_of_ || formula_program_ != context.now.program_generation)) {
    formula_of_ = running;
    formula_program_ = context.now.program_generation;
    formula_ = &written == &instruction ? ShownFormula(*running).value_or("") : "";
  }
  const std::string formula = running != nullptr && !formula_.empty() ? formula_ : std::string(def.formula);
  if (!formula.empty()) CardRow("formula", formula, c.text, type.mono, true);
  ui::TagFact("card/formula", formula);
  const std::vector<PythonFrame> frames = instruction.parent->module != nullptr ? instruction.parent->module->PythonFrames(instruction) : std::vector<PythonFrame>();
  if (!frames.empty()) CardRow("source", absl::StrCat(frames[0].file, ":", frames[0].line), c.text, type.ui);
  if (!instruction.metadata.op_name.empty()) CardRow("scope", instruction.metadata.op_name, c.text, type.ui);
  std::string fact = absl::StrCat(NameInText(instruction), " ", instruction.shape.ToString(false));
  if (running != nullptr && !index_->Ran(&instruction)) {
    CardRow("value", "none: the text was changed since it ran", c.dim, type.ui);
  } else if (running != nullptr) {
    const LineValue* value = nullptr;
    const auto it = values_.find(running);
    if (it != values_.end() && !it->second.text.empty()) value = &it->second;
    std::shared_ptr<const LineValues> asked;
    if (value == nullptr && it == values_.end()) {
      asked = hover_value_.Get(context.engine, absl::StrCat(context.now.moment_generation, ":", reinterpret_cast<uintptr_t>(running)),
                               [running](Session::State& s) -> absl::StatusOr<LineValues> { return LookAtLines(s, {running}, 0.2); });
      if (hover_value_.fresh() && asked != nullptr && !asked->values.empty() && !asked->values[0].second.text.empty()) value = &asked->values[0].second;
    }
    if (value != nullptr && index_->Stale(&instruction)) {
      CardRow("value", absl::StrCat("was ", value->text), c.dim, type.mono);
      CardRow("", "what it is computed from was changed since it ran", c.dim, type.ui);
      absl::StrAppend(&fact, " was ", value->text);
    } else if (value != nullptr) {
      const bool trouble = value->nan || value->inf;
      CardRow("value", value->text, trouble ? c.pink : c.text, type.mono);
      if (!value->detail.empty() && value->detail != value->text) CardRow("", value->detail, c.dim, type.ui, true);
      if (!value->by_hand.empty()) CardRow("", value->by_hand, c.dim, type.ui, true);
      if (value->iteration >= 0) CardRow("", absl::StrCat("iteration ", value->iteration), c.dim, type.ui);
      if (!value->bins.empty()) {
        const ImVec2 at = ImGui::GetCursorScreenPos();
        ui::DrawSpark({at.x + ui::Px(68), at.y + ui::Px(2)}, {at.x + ui::Px(68 + 160), at.y + ui::Px(30)}, value->bins, ui::Fade(trouble ? c.pink : c.blue, 0.7f));
        ImGui::Dummy({ui::Px(230), ui::Px(32)});
      }
      absl::StrAppend(&fact, " = ", value->text, value->by_hand.empty() ? "" : ", ", value->by_hand);
    }
  }
  ui::TagFact("card", fact);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ui::Tag("card/open", at, {at.x + size.x, at.y + size.y});
}

void ProgramPanel::ResultsCard(const LineParts& parts) const {
  constexpr size_t kShown = 8;
  const ui::Palette& c = ui::Colors();
  const auto& type = ui::Type();
  Card card;
  const std::string names(absl::StripAsciiWhitespace(parts.text.substr(0, parts.text.find('='))));
  ui::Text(names.substr(0, 64), c.text, type.mono_strong);
  ImGui::SameLine();
  ui::Text(absl::StrCat(parts.results.size(), " results"), c.dim);
  ui::Gap(6);
  std::string fact = names;
  for (size_t k = 0; k < parts.results.size() && k < kShown; ++k) {
    const LineResult& result = parts.results[k];
    const std::string shape = result.instruction->shape.ToString(false);
    if (k > 0) ui::Gap(4);
    CardRow(result.label, shape, c.teal, type.mono);
    absl::StrAppend(&fact, " ", result.label, " ", shape);
    const auto it = values_.find(result.instruction);
    if (it == values_.end() || it->second.text.empty()) continue;
    const LineValue& value = it->second;
    if (parts.stale) {
      CardRow("", absl::StrCat("was ", value.text), c.dim, type.mono);
      absl::StrAppend(&fact, " was ", value.text);
      continue;
    }
    CardRow("", value.text, value.nan || value.inf ? c.pink : c.text, type.mono);
    if (!value.detail.empty() && value.detail != value.text) CardRow("", value.detail, c.dim, type.ui, true);
    if (!value.by_hand.empty()) CardRow("", value.by_hand, c.dim, type.ui, true);
    absl::StrAppend(&fact, " = ", value.text);
  }
  if (parts.results.size() > kShown) CardRow("", absl::StrCat("and ", parts.results.size() - kShown, " more"), c.dim, type.ui);
  ui::TagFact("card", fact);
  const ImVec2 at = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  ui::Tag("card/open", at, {at.x + size.x, at.y + size.y});
}

namespace {

bool Near(ImVec2 a, ImVec2 b) { return std::abs(a.x - b.x) + std::abs(a.y - b.y) < ui::Px(3); }

}  // namespace

void ProgramPanel::ShowProblem(const Diagnostic& diagnostic) const {
  Card card;
  ImGui::PushTextWrapPos(ui::Px(520));
  ui::Text(diagnostic.message, ui::Colors().text);
  if (!diagnostic.hint.empty()) ui::Text(diagnostic.hint, ui::Colors().green);
  if (!SuggestedWord(diagnostic.hint).empty()) ui::Text("Ctrl+. with the caret here puts it in", ui::Colors().dim, ui::Type().small);
  ui::Text(diagnostic.label, ui::Colors().faint, ui::Type().small);
  ImGui::PopTextWrapPos();
  ui::TagFact("problem", diagnostic.message);
}

const Diagnostic* ProgramPanel::HoveredProblem(const Document& document) const {
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (!text_hovered_ || dragging_ || ImGui::IsMouseDown(0) || Near(mouse, typed_at_)) return nullptr;
  if (hover_offset_ >= 0) {
    for (const ProgramIndex::Problem& problem : index_->problems()) {
      if (!problem.range.valid() || hover_offset_ < problem.range.begin || hover_offset_ > std::max(problem.range.end, problem.range.begin + 1)) continue;
      if (document.LineAt(problem.range.begin) == hover_line_) return &problem.diagnostic;
    }
  }
  for (const Note& note : notes_) {
    if (mouse.x >= note.min.x && mouse.x < note.max.x && mouse.y >= note.min.y && mouse.y < note.max.y) return &note.problem->diagnostic;
  }
  return nullptr;
}

void ProgramPanel::DrawHover(PanelContext& context) {
  if (!text_hovered_ || dragging_ || ImGui::IsMouseDown(0)) return;
  const Document& document = context.document;
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  // Whoever types looks at the text: a card comes again when the mouse moves.
  if (Near(mouse, typed_at_)) return;
  typed_at_ = {-1e6f, -1e6f};
  // Problems at once.
  if (const Diagnostic* problem = HoveredProblem(document)) return ShowProblem(*problem);
  if (mouse.x < geometry_.min.x + ui::Px(24) && hover_line_ >= 0) {
    for (const LineParts& parts : lines_) {
      if (parts.line != hover_line_ || parts.stop == nullptr) continue;
      const StopRow& stop = *parts.stop;
      Card card;
      ui::Text(absl::StrCat(stop.kind == StopRow::kLog ? "Logpoint " : "Breakpoint ", stop.number, " at ", stop.what), ui::Colors().text);
      if (!stop.condition.empty()) ui::Text(absl::StrCat("if ", stop.condition), ui::Colors().text, ui::Type().mono);
      if (!stop.text.empty()) ui::Text(stop.text, ui::Colors().text, ui::Type().mono);
      ui::Text(absl::StrCat(stop.enabled ? "" : "disabled, ", stop.hits < 0 ? std::string("hits not counted yet") : absl::StrCat("hit ", stop.hits, stop.hits == 1 ? " time" : " times"), ". Right click for more."), ui::Colors().dim);
      return;
    }
  }
  for (const LineParts& parts : lines_) {
    if (parts.line != hover_line_ || !parts.dots || mouse.x < parts.text_end - 2 * geometry_.cell || mouse.x >= parts.value_left) continue;
    Card card;
    ImGui::PushTextWrapPos(ui::Px(620));
    ui::Text(parts.text.substr(std::min(parts.text.size(), parts.text.find_first_not_of(' ')), 2000), ui::Colors().text, ui::Type().mono);
    ImGui::PopTextWrapPos();
    ui::TagFact("whole-line", parts.text.substr(0, 200));
    return;
  }
  if (geometry_.values && hover_line_ >= 0) {
    for (const LineParts& parts : lines_) {
      if (parts.line != hover_line_ || parts.value.text.empty() || parts.value_away) continue;
      if (mouse.x < parts.value_left || mouse.x > parts.value_right) break;
      if (parts.results.size() > 1) return ResultsCard(parts);
      Symbol symbol;
      symbol.instruction = parts.shown.back();
      HoverCard(context, symbol);
      return;
    }
  }
  if (hover_offset_ < 0) return;
  const Symbol symbol = index_->SymbolAt(document, hover_offset_);
  if (!symbol) return;
  const double rested = ImGui::GetTime() - hover_since_;
  if (rested < kRest) {
    ui::WantFrame();
    return;
  }
  const Instruction* running = symbol.definition ? index_->Running(symbol.instruction) : nullptr;
  for (const LineParts& parts : lines_) {
    const bool result = std::any_of(parts.results.begin(), parts.results.end(), [&](const LineResult& r) { return r.instruction == running; });
    if (running != nullptr && result && parts.results.size() > 1) return ResultsCard(parts);
  }
  HoverCard(context, symbol);
}

void ProgramPanel::DrawCompletions(PanelContext& context) {
  if (!offering_ || offered_.items.empty()) return;
  float x = 0, y = 0;
  if (!Seen(context.document, editor_.caret() - offered_.replace, &x, &y)) return;
  const ui::Palette& c = ui::Colors();
  ImFont* font = ui::Type().mono;
  const int count = static_cast<int>(offered_.items.size()), shown = std::min(count, 9);
  const int first = std::clamp(offered_at_ - shown / 2, 0, count - shown);
  const float row = ui::Px(22);
  float width = ui::Px(180), detail = 0;
  for (int k = first; k < first + shown; ++k) {
    width = std::max(width, ui::Measure(font, offered_.items[k].text).x);
    detail = std::max(detail, std::min(ui::Px(320), ui::Measure(ui::Type().small, offered_.items[k].detail.empty() ? KindText(offered_.items[k].kind) : offered_.items[k].detail).x));
  }
  width += detail + ui::Px(36);
  const float height = row * static_cast<float>(shown) + ui::Px(8);
  const ImVec2 screen = ImGui::GetIO().DisplaySize;
  ImVec2 min = {std::floor(x - ui::Px(8)), y + geometry_.line + ui::Px(2)};
  if (min.y + height > screen.y) min.y = y - height - ui::Px(2);
  min.x = std::max(0.0f, std::min(min.x, screen.x - width - ui::Px(4)));
  const ImVec2 max = {min.x + width, min.y + height};
  ImDrawList* list = ImGui::GetForegroundDrawList();
  list->AddRectFilled({min.x + ui::Px(3), min.y + ui::Px(4)}, {max.x + ui::Px(3), max.y + ui::Px(4)}, ui::Fade(c.shadow, 0.5f), ui::Px(6));
  list->AddRectFilled(min, max, c.raised, ui::Px(6));
  list->AddRect(min, max, c.border, ui::Px(6));
  for (int k = first; k < first + shown; ++k) {
    const CompletionItem& item = offered_.items[k];
    const float top = min.y + ui::Px(4) + row * static_cast<float>(k - first);
    if (k == offered_at_) list->AddRectFilled({min.x + ui::Px(4), top}, {max.x - ui::Px(4), top + row}, c.active, ui::Px(4));
    ui::AddText(list, font, {min.x + ui::Px(10), std::floor(top + (row - font->FontSize) / 2)}, KindColor(item.kind), item.text);
    const std::string right = item.detail.empty() ? KindText(item.kind) : item.detail;
    ImFont* small = ui::Type().small;
    const float w = std::min(ui::Px(320), ui::Measure(small, right).x);
    const ImVec4 clip = {max.x - ui::Px(12) - w, top, max.x - ui::Px(10), top + row};
    ui::AddText(list, small, {max.x - ui::Px(12) - w, std::floor(top + (row - small->FontSize) / 2)}, c.dim, right, &clip);
  }
  ui::TagFact("completion", offered_.items[offered_at_].text);
  ui::TagFact("completions", absl::StrCat(count));
  // It can be clicked too.
  if (ui::TheTags().on) ui::TheTags().Add("program/completion", min, {max.x, min.y + ui::Px(4) + row});
  const ImVec2 mouse = ImGui::GetIO().MousePos;
  if (ImGui::IsMouseClicked(0) && mouse.x >= min.x && mouse.x < max.x && mouse.y >= min.y && mouse.y < max.y) {
    offered_at_ = std::clamp(first + static_cast<int>((mouse.y - min.y - ui::Px(4)) / row), 0, count - 1);
    AcceptCompletion(context);
  }
}

void ProgramPanel::DrawGutterMenu(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(8)});
  if (ImGui::BeginPopup("gutter menu")) {
    ui::TagScope scope("menu");
    const auto item = [](const char* tag, const char* label) {
      const bool chosen = ImGui::Selectable(label, false, 0, {ui::Px(240), ui::Px(22)});
      ui::Tag(tag);
      return chosen;
    };
    if (menu_instruction_ == nullptr) {
      ui::Text("No instruction of the running program is on this line.", ui::Colors().dim);
    } else {
      const StopRow* stop = StopAt(context.now, menu_instruction_);
      const std::string name = StopPlace(context.now, *menu_instruction_);
      ui::Text(name, ui::Colors().text, ui::Type().mono);
      bool entered = false;
      ui::Field("condition", &menu_condition_, "stop only if, as max(x) > 1", 240, &entered, true);
      if (entered) {
        const std::string condition(absl::StripAsciiWhitespace(menu_condition_));
        if (stop != nullptr) {
          context.run(absl::StrCat("condition ", stop->number, condition.empty() ? "" : " ", condition));
        } else {
          context.run(absl::StrCat("break ", name, condition.empty() ? "" : " if ", condition));
        }
        ImGui::CloseCurrentPopup();
      }
      ui::Gap(4);
      if (stop == nullptr) {
        if (item("break", "Break here")) context.run(absl::StrCat("break ", name));
        if (item("once", "Break here once")) context.run(absl::StrCat("tbreak ", name));
        if (item("log", "Log its value")) context.run(absl::StrCat("logpoint ", name, " ", name, " {%}"));
      } else {
        if (stop->enabled ? item("disable", "Disable") : item("enable", "Enable")) context.run(absl::StrCat(stop->enabled ? "disable " : "enable ", stop->number));
        if (item("delete", "Remove")) context.run(absl::StrCat("delete ", stop->number));
      }
      if (item("until", "Run to here")) context.run(absl::StrCat("until ", name));
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

void ProgramPanel::DrawTextMenu(PanelContext& context) {
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(8)});
  if (ImGui::BeginPopup("text menu")) {
    ui::TagScope scope("menu");
    const auto item = [](const char* tag, const char* label, const char* keys) {
      const float width = ui::Px(260);
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const bool chosen = ImGui::Selectable(label, false, 0, {width, ui::Px(22)});
      ui::Tag(tag);
      const float w = ui::Measure(ui::Type().small, keys).x;
      ui::DrawText({at.x + width - w, at.y + ui::Px(3)}, ui::Colors().faint, ui::Type().small, keys);
      return chosen;
    };
    Document& document = context.document;
    const Symbol symbol = index_->SymbolAt(document, menu_offset_);
    if (symbol) {
      if (item("definition", "Go to definition", "F12")) GoToDefinition(context, menu_offset_);
      if (item("uses", "All uses", "Shift+F12")) ShowUses(context, menu_offset_);
      if (item("rename", "Rename with all uses", "F2")) context.run("window rename");
    }
    const Instruction* running = index_->Running(symbol.instruction);
    if (running == nullptr) running = menu_instruction_;
    if (running != nullptr) {
      const std::string name = CommandName(context.now, *running);
      if (item("print", "Print its value", "")) context.run(absl::StrCat("print ", name));
      if (item("explain", "Explain", "")) context.run(absl::StrCat("explain ", name));
      if (item("watch", "Show at every stop", "")) context.run(absl::StrCat("display ", name));
      if (item("until", "Run to here", "")) context.run(absl::StrCat("until ", absl::StripPrefix(CommandName(context.now, *running), "%")));
      ui::Separator();
    }
    if (item("cut", "Cut", "Ctrl+X") && editor_.has_selection()) {
      ImGui::SetClipboardText(editor_.Selected(document).c_str());
      editor_.Insert(document, "");
      AfterEdit(context);
    }
    if (item("copy", "Copy", "Ctrl+C") && editor_.has_selection()) ImGui::SetClipboardText(editor_.Selected(document).c_str());
    if (item("paste", "Paste", "Ctrl+V")) {
      if (const char* text = ImGui::GetClipboardText()) {
        editor_.Insert(document, text);
        AfterEdit(context);
      }
    }
    ui::Separator();
    if (item("format", "Format", "Ctrl+Shift+I")) context.run("window program format");
    if (document.changed() && item("apply", "Apply to the running program", "Ctrl+Enter")) context.run("window program apply");
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar();
}

}  // namespace hloscope
