#include "visualizer/panels/builder_form.h"

#include <algorithm>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/ops/op.h"
#include "core/text/hlo_text.h"
#include "imgui.h"
#include "imgui_internal.h"
#include "visualizer/model/build_command.h"
#include "visualizer/panels/builder_grid.h"
#include "visualizer/panels/chips.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/first_field.h"

namespace hloscope {
namespace {

constexpr float kLeastFields = 120;
constexpr float kRoundValues = 4;  // that the operand's field and its values do not touch the edges
constexpr char kParameter[] = "parameter", kConstant[] = "constant";

const OpDef* DefOf(const std::string& opcode) {
  const std::optional<Opcode> found = OpcodeFromName(opcode);
  return found.has_value() ? &Def(*found) : nullptr;
}

// A label in its column, and the cursor behind it.
void Label(absl::string_view text, ImU32 color, float width, absl::string_view tip = "") {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  bool cut = false;
  ui::DrawTextIn({at.x, at.y + ui::Px(5)}, width - ui::Px(6), color, ui::Type().ui, text, &cut);
  ImGui::Dummy({width, ui::Px(24)});
  if (cut || !tip.empty()) ui::Tooltip(cut ? absl::StrCat(text, tip.empty() ? "" : ": ", tip) : std::string(tip));
  ImGui::SameLine(0, 0);
}

float LabelWidth() { return std::min(ui::Px(150), ImGui::GetContentRegionAvail().x * 0.4f); }

}  // namespace

void BuilderForm::Open(const std::string& opcode) {
  *this = BuilderForm();
  if (!OpcodeFromName(opcode).has_value()) return;
  draft_.opcode = opcode;
  suggest_ = opened_ = true;
  if (const OpDef* def = DefOf(opcode)) {
    draft_.operands.resize(std::max(0, def->min_operands));
    armed = def->max_operands != 0 && opcode != kConstant && opcode != kParameter ? 0 : -1;
    if (draft_.operands.empty() && armed == 0) draft_.operands.resize(1);
  }
  if (opcode == kParameter || opcode == kConstant) {
    draft_.operands.clear();
    draft_.shape = "f32[2,2]";
    if (opcode == kConstant) draft_.literal = "{{0, 0}, {0, 0}}";
  }
}

void BuilderForm::OpenFor(const Reading& reading, const Instruction& instruction) {
  *this = BuilderForm();
  draft_ = original_ = build::DraftOf(reading, instruction);
  name = draft_.name;
  adopted_ = build::ToText(original_, false);
}

void BuilderForm::Close() { *this = BuilderForm(); }

void BuilderForm::Connect(const std::string& value) {
  if (armed < 0) return;
  if (armed >= static_cast<int>(draft_.operands.size())) draft_.operands.resize(armed + 1);
  ImGui::ClearActiveID();  // the field has the keyboard, and would write its own text back
  draft_.operands[armed] = value;
  armed = -1;
  for (size_t k = 0; k < draft_.operands.size(); ++k) {
    if (draft_.operands[k].empty()) {
      armed = static_cast<int>(k);
      break;
    }
  }
}

int BuilderForm::FirstRank(const BuilderScene& scene) const {
  const Instruction* first = scene.home != nullptr && !draft_.operands.empty() ? scene.home->FindInstruction(draft_.operands[0]) : nullptr;
  return first != nullptr && first->shape.IsArray() ? first->shape.rank() : 1;
}

// What follows from the operands is proposed when all of them are values, and anew when they become others: a name that is still being typed may
// be another one's. What was written over a proposal stays.
void BuilderForm::Propose(const BuilderScene& scene, const Computation& home) {
  if (!suggest_ || draft_.opcode == kConstant || draft_.opcode == kParameter) return;
  std::string about;
  for (const std::string& operand : draft_.operands) {
    const Instruction* found = home.FindInstruction(operand);
    if (found == nullptr && !absl::StrContains(operand, "(")) return;
    absl::StrAppend(&about, operand, " ", found != nullptr ? found->shape.ToString() : "", "\n");
  }
  if (about == proposed_for_) return;
  proposed_for_ = about;
  for (const auto& [attribute, value] : proposed_.attributes) {
    if (const std::string* said = draft_.Find(attribute); said != nullptr && *said == value) draft_.Set(attribute, "");
  }
  if (draft_.shape == proposed_.shape) draft_.shape.clear();
  const build::Draft own = draft_;
  build::Suggest(scene.reading, home, &draft_);
  proposed_ = {};
  for (const auto& [attribute, value] : draft_.attributes) {
    if (own.Find(attribute) == nullptr) proposed_.Set(attribute, value);
  }
  if (own.shape.empty()) proposed_.shape = draft_.shape;
}

// Asks shape inference, when the form has changed.
void BuilderForm::Judge(const BuilderScene& scene, const Instruction* self) {
  static const Computation& nothing = *new Computation();
  const Computation& home = scene.home != nullptr ? *scene.home : nothing;
  if (self == nullptr) Propose(scene, home);
  const std::string about = absl::StrCat(scene.reading.version, "|", self != nullptr ? self->name : "", "|", build::ToText(draft_, false));
  if (about == judged_) return;
  judged_ = about;
  build::Draft draft = draft_;
  if (draft.Fills()) {
    if (absl::EndsWith(draft.literal, ".npy")) {
      const absl::StatusOr<std::string> literal = build::LiteralFromFile(draft.literal, &draft.shape);
      if (literal.ok()) draft.literal = *literal;
    } else if (const absl::StatusOr<Shape> shape = ParseShape(draft.shape); shape.ok()) {
      const absl::StatusOr<std::string> literal = build::MadeUpLiteral(*shape, draft.literal);
      if (literal.ok()) draft.literal = *literal;
    }
  }
  const bool shape_kept = self != nullptr && draft.shape == original_.shape;
  if (shape_kept && draft.opcode != kConstant && draft.opcode != kParameter) {
    draft.shape.clear();
    verdict_ = build::Check(scene.reading, home, draft, self);
    if (!verdict_.shape_needed) return;
    draft.shape = original_.shape;
  }
  verdict_ = build::Check(scene.reading, home, draft, self);
}

void BuilderForm::DrawTitle() const {
  const OpDef* def = DefOf(draft_.opcode);
  ui::TextCut(draft_.opcode, 0, ui::Type().title);
  ui::TagFact("operation", draft_.opcode);
  if (def == nullptr) return;
  if (together_) {
    ui::TextCut(def->summary, ui::Colors().dim);
    // With the whole summary, should that be cut.
    ui::Tooltip(absl::StrCat(def->summary, "\n", def->formula, "\nRequires: ", def->requirements));
    return;
  }
  ui::TextWrapped(def->summary, ui::Colors().dim);
  if (!def->not_executed.empty()) ui::TextWrapped(def->not_executed, ui::Colors().amber, ui::Type().small);
  if (def->formula.empty()) return;
  ui::Gap(4);
  const float width = ImGui::GetContentRegionAvail().x, inner = width - ui::Px(20);
  ImFont* font = ui::Type().mono;
  const ImVec2 size = font->CalcTextSizeA(font->FontSize, FLT_MAX, inner, def->formula.data(), def->formula.data() + def->formula.size());
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(at, {at.x + width, at.y + size.y + ui::Px(14)}, ui::Colors().sunken, ui::Px(4));
  ui::AddText(list, font, {at.x + ui::Px(10), at.y + ui::Px(7)}, ui::Colors().text, def->formula, nullptr, inner);
  ImGui::Dummy({width, size.y + ui::Px(14)});
  ui::Tooltip(absl::StrCat("Requires: ", def->requirements));
  ui::Gap(2);
}

void BuilderForm::DrawOperands(BuilderScene& scene, const Instruction* self) {
  if (armed < 0) armed_before_ = -1;
  const OpDef* def = DefOf(draft_.opcode);
  if (def == nullptr || def->max_operands == 0 || draft_.opcode == kParameter || draft_.opcode == kConstant) return;
  ui::Heading("operands");
  const ui::Palette& c = ui::Colors();
  int take_out = -1;
  for (int k = 0; k < static_cast<int>(draft_.operands.size()); ++k) {
    ImGui::PushID(k);
    std::string& operand = draft_.operands[k];
    const Instruction* found = scene.home != nullptr ? scene.home->FindInstruction(absl::StripPrefix(operand, "%")) : nullptr;
    const auto wrong = std::find_if(verdict_.findings.begin(), verdict_.findings.end(), [k](const build::Finding& f) { return f.operand == k; });
    const bool bad = wrong != verdict_.findings.end() && !operand.empty();
    Label(absl::StrCat(k), bad ? c.red : armed == k ? c.blue : c.dim, ui::Px(22));
    const float room = ImGui::GetContentRegionAvail().x;
    const std::string shape = found != nullptr ? found->shape.ToString(false) : "";
    const bool removable = k >= def->min_operands;
    const float shape_width = std::clamp(ui::Measure(ui::Type().mono_small, shape).x + ui::Px(10), ui::Px(70), room * 0.45f) + (removable ? ui::Px(26) : 0);
    if (to_field_ == k) ui::FocusNext(/*select_all=*/true);
    if (to_field_ == k) to_field_ = -1;
    bool entered = false;
    ui::Field(absl::StrCat("operand:", k), &operand, armed == k ? "choose a value" : "not connected", (room - shape_width) / ui::TheLook().scale, &entered, true);
    const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
    if (ImGui::IsItemActivated()) armed = k;
    const bool typing = ImGui::IsItemActive();
    if (typing && absl::StartsWith(operand, "%")) operand.erase(0, 1);
    if (bad) ImGui::GetWindowDrawList()->AddRect(min, max, c.red, ui::Px(4));
    // It waits for a click in another panel, say, which has the keyboard then: fainter than where one types.
    if (armed == k && !typing) ImGui::GetWindowDrawList()->AddRect(min, max, ui::Fade(c.blue, 0.5f), ui::Px(4));
    if (bad && !typing) ui::Tooltip(wrong->message);
    if (found != nullptr && ImGui::IsItemHovered() && scene.context.now.module != nullptr) {
      const Computation* same = scene.context.now.module->FindComputation(scene.home->name);
      if (same != nullptr) scene.context.selection.hover_next = same->FindInstruction(found->name);
    }
    ui::DrawTextIn({max.x + ui::Px(8), min.y + ui::Px(6)}, shape_width - ui::Px(10) - (removable ? ui::Px(26) : 0), bad ? c.red : c.teal, ui::Type().mono_small, shape);
    ui::TagFact(absl::StrCat("operand:", k), operand);
    if (removable) {
      ImGui::SameLine();
      ImGui::SetCursorScreenPos({min.x + room - ui::Px(24), min.y});
      if (ui::IconButton(absl::StrCat("operand-out:", k), ui::Icon::kClose, "takes this operand out")) take_out = k;
    }
    if (armed == k) {
      const Offers offers = OffersFor(scene, self, k);
      if (entered) Take(k, offers);
      else DrawValues(scene, offers, k, min.y);
    }
    ImGui::PopID();
  }
  if (take_out >= 0) {
    draft_.operands.erase(draft_.operands.begin() + take_out);
    armed = -1;
  }
  if (def->max_operands < 0 || static_cast<int>(draft_.operands.size()) < def->max_operands) {
    if (ui::Button("operand-more", "operand", ui::Icon::kPlus, ui::ButtonKind::kQuiet, "one operand more")) {
      armed = static_cast<int>(draft_.operands.size());
      draft_.operands.emplace_back();
    }
  }
}

// What the operand can read: of what was typed first the one that is called so, then those that begin so; the latest first.
BuilderForm::Offers BuilderForm::OffersFor(const BuilderScene& scene, const Instruction* self, int slot) {
  constexpr size_t kMost = 60;
  const std::string& typed = draft_.operands[slot];
  // What stood there when it was armed is no filter.
  if (armed_before_ != slot) {
    armed_text_ = typed;
    reveal_ = 3;  // frames, in which the fields find their height
  }
  armed_before_ = slot;
  Offers offers = {.filtered = !typed.empty() && typed != armed_text_};
  if (scene.home == nullptr) return offers;
  std::vector<const Instruction*> ranked[3];
  const std::vector<Instruction*>& schedule = scene.home->schedule;
  for (size_t k = schedule.size(); k-- > 0 && (offers.filtered || ranked[0].size() < kMost);) {
    const Instruction* i = schedule[k];
    if (self != nullptr && (i == self || i->index >= self->index)) continue;
    if (offers.filtered && !absl::StrContains(i->name, typed)) continue;
    const int rank = !offers.filtered || i->name == typed ? 0 : absl::StartsWith(i->name, typed) ? 1 : 2;
    if (ranked[rank].size() < kMost) ranked[rank].push_back(i);
  }
  for (const std::vector<const Instruction*>& some : ranked) {
    for (const Instruction* i : some) {
      if (offers.values.size() < kMost) offers.values.push_back(i);
    }
  }
  return offers;
}

// Enter in the field: the first one that is offered for what was typed, and the keyboard goes on to the next field that is empty.
void BuilderForm::Take(int slot, const Offers& offers) {
  const std::string typed = draft_.operands[slot];
  to_field_ = slot;
  if (typed.empty() || (offers.filtered && offers.values.empty() && !absl::StrContains(typed, "("))) return;
  Connect(offers.filtered && !offers.values.empty() ? std::string(offers.values.front()->name) : typed);
  to_field_ = armed;
}

// The values that the armed operand can read; so few at once that its field, whose upper border is at `field_top`, is seen with them.
void BuilderForm::DrawValues(BuilderScene& scene, const Offers& offers, int slot, float field_top) {
  if (scene.home == nullptr || scene.home->instructions.empty()) {
    ui::TextWrapped("There is no value yet: add a parameter or a constant first.", ui::Colors().faint, ui::Type().small);
    return;
  }
  const std::string typed = draft_.operands[slot];
  const std::vector<const Instruction*>& shown = offers.values;
  ui::TextCut(shown.empty() ? "no value before it has this name" : "click a value here, or an instruction in another panel", ui::Colors().faint, ui::Type().small);
  if (shown.empty()) return;
  const float room = ImGui::GetWindowHeight() - (ImGui::GetCursorScreenPos().y - field_top) - ui::Px(8 + 2 * kRoundValues);
  const float rows = std::clamp(std::floor(room / ui::Px(22)), 1.0f, ImGui::GetWindowHeight() > ui::Px(420) ? 6.0f : 4.0f);
  const float height = ui::Px(22) * std::min(static_cast<float>(shown.size()), rows) + ui::Px(8);
  ImGui::PushStyleColor(ImGuiCol_ChildBg, ui::Colors().sunken);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(4), ui::Px(4)});
  ImGui::BeginChild("values", {0, height}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  for (const Instruction* i : shown) {
    const std::string value(i->name);
    const ui::RowState row = ui::Row(absl::StrCat("value:", value), 22, offers.filtered ? i == shown.front() : value == typed);
    const std::string shape = i->shape.ToString(false);
    const float room = row.max.x - row.min.x - ui::Px(16), y = row.min.y + ui::Px(3);
    const float wide = std::min(room * 0.5f, ui::Measure(ui::Type().mono_small, shape).x);
    ui::DrawNameIn({row.min.x + ui::Px(8), y}, room - wide - ui::Px(8), ui::Colors().text, ui::Type().mono, value);
    ui::DrawTextIn({row.max.x - ui::Px(8) - wide, y + ui::Px(1)}, wide, ui::Colors().teal, ui::Type().mono_small, shape);
    if (row.hovered && scene.context.now.module != nullptr) {
      const Computation* same = scene.context.now.module->FindComputation(scene.home->name);
      if (same != nullptr) scene.context.selection.hover_next = same->FindInstruction(value);
    }
    if (!row.clicked) continue;
    Connect(value);
    to_field_ = armed;
  }
  ImGui::EndChild();
  ImGui::PopStyleVar();
  ImGui::PopStyleColor();
  if (reveal_ > 0) {
    --reveal_;
    ui::WantFrame();
    if (ImGui::GetItemRectMax().y > ImGui::GetWindowPos().y + ImGui::GetWindowHeight()) ImGui::SetScrollHereY(1);
  }
}

void BuilderForm::DrawAttributes(BuilderScene& scene) {
  const OpDef* def = DefOf(draft_.opcode);
  if (def == nullptr || def->attributes.empty()) return;
  ui::Heading("attributes");
  int hidden = 0;
  for (const AttrSpec& spec : def->attributes) {
    const AttrInfo& info = Info(spec.id);
    const bool said = draft_.Find(info.name) != nullptr;
    if (!spec.required && !said && !all_attributes_ && def->attributes.size() > 4 && !absl::StrContains(info.name, "contracting") && !absl::StrContains(info.name, "batch_dims")) {
      ++hidden;
      continue;
    }
    DrawAttribute(scene, info, spec.required);
  }
  // What the text says beyond the table.
  for (const auto& [name, value] : std::vector<std::pair<std::string, std::string>>(draft_.attributes)) {
    const AttrId id = AttrIdFromName(name);
    if (id == AttrId::kUnknown) continue;
    if (std::none_of(def->attributes.begin(), def->attributes.end(), [id](const AttrSpec& s) { return s.id == id; })) DrawAttribute(scene, Info(id), false);
  }
  if (hidden > 0 || all_attributes_) {
    if (ui::Button("attributes-all", all_attributes_ ? "fewer" : absl::StrCat(hidden, " more that may be said"), all_attributes_ ? ui::Icon::kMinus : ui::Icon::kPlus, ui::ButtonKind::kQuiet)) all_attributes_ = !all_attributes_;
  }
}

void BuilderForm::DrawAttribute(BuilderScene& scene, const AttrInfo& info, bool required) {
  const ui::Palette& c = ui::Colors();
  const std::string name(info.name);
  ImGui::PushID(name.c_str());
  const std::string* said = draft_.Find(name);
  std::string value = said != nullptr ? *said : "";
  const std::string before = value;
  const auto wrong = std::find_if(verdict_.findings.begin(), verdict_.findings.end(), [&name](const build::Finding& f) { return f.attribute == name; });
  const bool bad = wrong != verdict_.findings.end();
  Label(absl::StrCat(name, required ? " *" : ""), bad ? c.red : said != nullptr || required ? c.violet : c.dim, LabelWidth(), required ? "must be said" : "may be left out");
  const std::string tag = absl::StrCat("attribute:", name);
  std::vector<std::string> choices = build::ChoicesOf(name);
  if (info.kind == AttrKind::Bool) choices = {"true", "false"};
  if (info.kind == AttrKind::Computation && scene.reading.module != nullptr) {
    choices.clear();
    for (const Computation* computation : scene.reading.module->computations) {
      if (computation != scene.home && !computation->is_entry && !computation->name.empty() && choices.size() < 500) choices.emplace_back(computation->name);
    }
  }
  const bool grid = info.kind == AttrKind::Window || info.kind == AttrKind::Padding || info.kind == AttrKind::Slices;
  const float room = ImGui::GetContentRegionAvail().x / ui::TheLook().scale;
  if (info.kind == AttrKind::Bool || info.kind == AttrKind::Computation || !choices.empty()) {
    if (!required) choices.insert(choices.begin(), "(not said)");
    std::string bare(absl::StripPrefix(value, "%"));
    if (!bare.empty() && std::find(choices.begin(), choices.end(), bare) == choices.end()) choices.push_back(bare);
    int chosen = static_cast<int>(std::find(choices.begin(), choices.end(), bare) - choices.begin());
    if (chosen == static_cast<int>(choices.size())) chosen = required ? -1 : 0;
    if (ui::Combo(tag, choices, &chosen, std::max(60.0f, room))) value = !required && chosen == 0 ? "" : choices[chosen];
  } else {
    ui::Field(tag, &value, required ? build::ExampleOf(name) : absl::StrCat("may be left out, as ", build::ExampleOf(name)), room - (grid ? 30 : 0), nullptr, true);
    if (bad) ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), c.red, ui::Px(4));
    if (grid) {
      ImGui::SameLine(0, ui::Px(6));
      if (ui::IconButton(absl::StrCat("grid:", name), ui::Icon::kTable, "as a table, a row for each dimension", grid_open_ == name)) grid_open_ = grid_open_ == name ? "" : name;
    }
  }
  if (bad) ui::Tooltip(wrong->message);
  if (info.kind == AttrKind::Computation) {
    // Ready ones for reducing.
    const Instruction* first = scene.home != nullptr && !draft_.operands.empty() ? scene.home->FindInstruction(draft_.operands[0]) : nullptr;
    const std::string type(first != nullptr && first->shape.IsArray() ? Name(first->shape.element_type()) : "f32");
    ImGui::Dummy({LabelWidth(), 1});
    ImGui::SameLine(0, 0);
    Flow flow(8);
    flow.Next(0);
    ui::Text("new:", c.faint, ui::Type().small);
    for (const char* operation : {"add", "maximum", "minimum", "multiply", "LT", "GT"}) {
      flow.Next(ui::Measure(ui::Type().small, operation).x);
      if (!ui::Link(absl::StrCat("new:", operation), operation, ui::Type().small)) continue;
      const absl::StatusOr<build::TextEdit> made = build::AddComputation(scene.reading, operation, type);
      if (!made.ok()) continue;
      value = made->name;
      scene.context.run(absl::StrCat("window builder computation ", operation, " ", type, " ", made->name));
    }
  }
  if (info.kind == AttrKind::DimLabels) {
    std::string space;
    for (int k = 0; k + 2 < FirstRank(scene); ++k) absl::StrAppend(&space, k);
    ImGui::Dummy({LabelWidth(), 1});
    ImGui::SameLine(0, 0);
    Flow flow(10);
    flow.Next(0);
    if (ui::Link("labels:last", "features last", ui::Type().small)) value = absl::StrCat("b", space, "f_", space, "io->b", space, "f");
    flow.Next(ui::Measure(ui::Type().small, "features first").x);
    if (ui::Link("labels:first", "features first", ui::Type().small)) value = absl::StrCat("bf", space, "_oi", space, "->bf", space);
  }
  if (grid && grid_open_ == name) DrawAttributeGrid(info.kind, &value, info.kind == AttrKind::Window && FirstRank(scene) > 2 && draft_.Find("dim_labels") != nullptr ? FirstRank(scene) - 2 : FirstRank(scene));
  if (value != before) draft_.Set(name, value);
  ui::TagFact(tag, value);
  ImGui::PopID();
}

void BuilderForm::DrawLiteral(BuilderScene& scene) {
  if (draft_.opcode != kConstant) return;
  ui::Heading("literal");
  ui::Field("literal", &draft_.literal, "{{1, 2}, {3, 4}}", 0, nullptr, true);
  const auto fill = [&](const char* how) {
    const absl::StatusOr<Shape> shape = ParseShape(draft_.shape);
    if (!shape.ok()) return;
    const absl::StatusOr<std::string> literal = build::MadeUpLiteral(*shape, how);
    if (literal.ok()) draft_.literal = shape->ElementCount() <= 64 ? *literal : how;
  };
  ui::Gap(2);
  bool first = true;
  for (const char* how : {"zeros", "ones", "iota", "random"}) {
    if (!first) ImGui::SameLine(0, ui::Px(12));
    first = false;
    if (ui::Link(absl::StrCat("fill:", how), how)) fill(how);
  }
  bool entered = false;
  ui::Gap(2);
  ui::Field("npy", &npy_, "or a file: values.npy, and Enter", 0, &entered, true);
  if (entered && absl::EndsWith(npy_, ".npy")) {
    draft_.shape.clear();
    const absl::StatusOr<std::string> literal = build::LiteralFromFile(npy_, &draft_.shape);
    draft_.literal = literal.ok() && literal->size() < 2000 ? *literal : npy_;
    if (!literal.ok()) scene.context.engine.AddConsole(ConsoleLine::kError, literal.status().message());
  }
}

std::string NameMistake(const Computation* home, const std::string& name) {
  if (name.empty()) return "";
  if (const absl::Status named = build::CheckName(name); !named.ok()) return std::string(named.message());
  if (home != nullptr && home->FindInstruction(name) != nullptr) return absl::StrCat(home->name, " has an instruction ", name, " already");
  return "";
}

// Right after the field of the name.
bool DrawNameMistake(const Computation* home, const std::string& name, const std::string& own) {
  const std::string wrong = name == own ? "" : NameMistake(home, name);
  ui::TagFact("name-wrong", wrong);
  if (wrong.empty()) return true;
  ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), ui::Colors().red, ui::Px(4));
  ui::TextCut(wrong, ui::Colors().red, ui::Type().small);
  return false;
}

void BuilderForm::DrawShapeAndName(BuilderScene& scene) {
  ui::Heading("shape and name");
  const bool given = draft_.opcode == kParameter || draft_.opcode == kConstant;
  Label("shape", verdict_.shape_needed || given ? ui::Colors().violet : ui::Colors().dim, LabelWidth(), "of the result; where it follows from the operands it can be left empty");
  ui::Field("shape", &draft_.shape, verdict_.ok ? absl::StrCat("follows: ", verdict_.shape.ToString(false)) : verdict_.shape_needed || given ? "must be written: f32[2,3]" : "follows from the operands", 0, nullptr, true);
  if (verdict_.shape_needed) ImGui::GetWindowDrawList()->AddRect(ImGui::GetItemRectMin(), ImGui::GetItemRectMax(), ui::Colors().amber, ui::Px(4));
  Label("name", ui::Colors().dim, LabelWidth());
  ui::Field("name", &draft_.name, "a free one", 0, nullptr, true);
  DrawNameMistake(scene.home, draft_.name, name);
}

// Lines of the verdict that are shown: the icon's colour says how bad.
std::vector<BuilderForm::Line> BuilderForm::VerdictLines() const {
  const ui::Palette& c = ui::Colors();
  if (verdict_.ok) return {{ui::Icon::kCheck, c.green, absl::StrCat("gives ", verdict_.shape.ToString(false)), ""}};
  const bool open = std::any_of(draft_.operands.begin(), draft_.operands.end(), [](const std::string& o) { return o.empty(); });
  std::vector<Line> lines;
  for (const build::Finding& finding : verdict_.findings) {
    if (open && finding.operand < 0) continue;
    const bool mild = open || verdict_.shape_needed || finding.severity != Severity::kError;
    lines.push_back({mild ? ui::Icon::kInfo : ui::Icon::kError, mild ? c.dim : c.red, finding.message, finding.hint});
    if (lines.size() == 3 || open) break;
  }
  if (lines.empty()) lines.push_back({ui::Icon::kInfo, c.dim, "not complete yet", ""});
  return lines;
}

// What is said of the form, and what can be done with it, stay in view at the panel's end while the fields scroll.
float BuilderForm::FooterHeight() const { return ui::Px(19) * static_cast<float>(VerdictLines().size()) + ui::Px(58); }

// As high as they are, or as there is room.
void BuilderForm::BeginFields() {
  const float room = ImGui::GetContentRegionAvail().y - FooterHeight();
  // Where little room is left for them, what is said scrolls with them.
  together_ = room < ui::Px(kLeastFields);
  if (together_) {
    ImGui::BeginChild("fields", {0, 0}, false);
    return;
  }
  ImGui::BeginChild("fields", {0, std::max(ui::Px(40), fields_height_ > 0 ? std::min(room, fields_height_) : room)}, false);
}
void BuilderForm::EndForm() {
  if (!together_) return;
  ui::Gap(4);
  ImGui::EndChild();
}
void BuilderForm::EndFields() {
  if (together_) return;
  const float height = ImGui::GetCursorPosY() + ui::Px(4);
  if (height != fields_height_) ui::WantFrame();
  fields_height_ = height;
  ImGui::EndChild();
}

void BuilderForm::DrawVerdict() const {
  ui::Separator();
  ui::TagFact("verdict", verdict_.ok ? absl::StrCat("ok ", verdict_.shape.ToString(false)) : verdict_.findings.empty() ? "" : verdict_.findings.front().message);
  for (const Line& line : VerdictLines()) {
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::DrawIcon(ImGui::GetWindowDrawList(), line.icon, {at.x, at.y + ui::Px(1)}, ui::Px(13), line.color);
    bool cut = false;
    const float room = ImGui::GetContentRegionAvail().x - ui::Px(19);
    ui::DrawTextIn({at.x + ui::Px(19), at.y}, room, line.color, ui::Type().ui, line.text, &cut);
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
    ImGui::Dummy({room + ui::Px(19), ui::Px(19)});
    ImGui::PopStyleVar();
    if (cut || !line.hint.empty()) ui::Tooltip(absl::StrCat(line.text, line.hint.empty() ? "" : "\n", line.hint));
  }
  ui::Gap(4);
}

void BuilderForm::DrawAdd(BuilderScene& scene) {
  Judge(scene, nullptr);
  BeginFields();
  DrawTitle();
  if (std::exchange(opened_, false) && (armed >= 0 || draft_.operands.empty())) ui::GiveFirstFieldKeyboard();
  DrawOperands(scene, nullptr);
  // What must be given goes first.
  const bool computes = draft_.opcode != kParameter && draft_.opcode != kConstant;
  if (computes) DrawAttributes(scene);
  DrawLiteral(scene);
  DrawShapeAndName(scene);
  if (!computes) DrawAttributes(scene);
  if (computes) {
    Label("result (ROOT)", ui::Colors().dim, LabelWidth(), "whether it is what the computation gives: as needed, it is where it reads the present result");
    ui::Segments("root", {"as needed", "yes", "no"}, &root_);
  }
  EndFields();
  Judge(scene, nullptr);
  DrawVerdict();
  DrawInsert(scene);
  EndForm();
}

void BuilderForm::DrawInsert(BuilderScene& scene) {
  const bool open = std::any_of(draft_.operands.begin(), draft_.operands.end(), [](const std::string& o) { return o.empty(); });
  const bool named = NameMistake(scene.home, draft_.name).empty();
  const bool ready = named && (draft_.opcode == kParameter || !open);
  if (ui::Button("insert", verdict_.ok ? "Insert" : "Insert as it is", ui::Icon::kPlus, verdict_.ok ? ui::ButtonKind::kPrimary : ui::ButtonKind::kPlain, "writes it into the program", ready)) {
    std::string command;
    if (draft_.opcode == kParameter) {
      command = absl::StrCat("parameter ", draft_.shape, " ", draft_.name);
    } else if (draft_.opcode == kConstant) {
      command = absl::StrCat("constant ", draft_.shape.empty() ? "?" : draft_.shape, " ", draft_.literal, " ", draft_.name);
    } else {
      command = absl::StrCat("add ", build::WordsOf(draft_), root_ == 1 ? " root=yes" : root_ == 2 ? " root=no" : "");
    }
    while (absl::EndsWith(command, " ")) command.pop_back();
    sent = true;
    scene.context.run("window builder " + command);
  }
}

}  // namespace hloscope
