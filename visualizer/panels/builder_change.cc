// The builder's form for an instruction that is there: changing, renaming, deleting it.
#include "visualizer/panels/builder_form.h"

#include <algorithm>

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

namespace hloscope {

void BuilderForm::DrawChange(BuilderScene& scene, const Instruction& of) {
  // The text was changed elsewhere (or by this form): the form says what it says.
  const build::Draft now = build::DraftOf(scene.reading, of);
  const std::string text = build::ToText(now, false);
  if (text != adopted_) {
    draft_ = original_ = now;
    adopted_ = text;
    armed = -1;
    judged_.clear();
  }
  Judge(scene, &of);
  BeginFields();
  DrawTitle();
  DrawOperands(scene, &of);
  DrawAttributes(scene);
  DrawLiteral(scene);
  DrawShapeAndName(scene);
  DrawUsers(scene, of);
  EndFields();
  Judge(scene, &of);
  DrawVerdict();
  DrawApply(scene, of);
  EndForm();
}

void BuilderForm::DrawApply(BuilderScene& scene, const Instruction& of) {
  const std::string self = CommandNameOf(scene, of);
  const bool differs = !(draft_ == original_);
  if (ui::Button("change", "Change", ui::Icon::kCheck, ui::ButtonKind::kPrimary, "writes it into the program",
                 differs && (draft_.name == name || NameMistake(scene.home, draft_.name).empty()))) {
    build::Draft said = draft_;
    if (said.shape == original_.shape) said.shape.clear();
    if (said.name == original_.name) said.name.clear();
    if (said.literal == original_.literal) said.literal.clear();
    const bool only_name = !said.name.empty() && [&] {
      build::Draft same = draft_;
      same.name = original_.name;
      return same == original_;
    }();
    if (said.Fills()) {
      scene.context.run(absl::StrCat("window builder literal ", self, " ", said.literal));
    } else {
      scene.context.run(only_name ? absl::StrCat("window builder rename ", self, " ", said.name) : absl::StrCat("window builder change ", self, " ", build::WordsOf(said)));
    }
    return;
  }
  if (differs) {
    ImGui::SameLine(0, ui::Px(8));
    if (ui::Button("revert", "As it was", ui::Icon::kUndo, ui::ButtonKind::kQuiet)) draft_ = original_;
  }
  if (verdict_.ok && !Shape::Compatible(verdict_.shape, of.shape)) {
    ImGui::SameLine(0, ui::Px(10));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui::Px(7));
    ui::TextCut(absl::StrCat("was ", of.shape.ToString(false), "; what depends on it follows"), ui::Colors().amber, ui::Type().small);
  }
}

std::string BuilderForm::CommandNameOf(const BuilderScene& scene, const Instruction& of) {
  return absl::StrCat(of.parent->name.empty() || of.parent == scene.reading.module->entry ? "%" : absl::StrCat(of.parent->name, ":"), of.name);
}

void BuilderForm::FindUsers(const BuilderScene& scene, const Instruction& of) {
  const std::string about = absl::StrCat(scene.reading.version, "|", CommandNameOf(scene, of));
  if (users_of_ == about) return;
  users_of_ = about;
  users_.clear();
  for (const Instruction* user : build::UsersOf(of)) users_.emplace_back(user->name);
}

void BuilderForm::DrawUsers(BuilderScene& scene, const Instruction& of) {
  FindUsers(scene, of);
  ui::TagFact("users", absl::StrCat(users_.size()));
  ui::Heading(users_.empty() ? "used by" : absl::StrCat("used by ", users_.size()));
  if (users_.empty()) ui::Text(of.parent->root == &of ? "nothing here: it is the computation's result" : "nothing", ui::Colors().dim);
  size_t shown = 0;
  Flow flow(12);
  for (const std::string& user : users_) {
    flow.Next(ui::Measure(ui::Type().mono, user).x);
    if (ui::Link(absl::StrCat("user:", user), user, ui::Type().mono)) scene.context.run(absl::StrCat("window builder edit ", of.parent->name, ":", user));
    if (++shown == 24) break;
  }
  if (shown < users_.size()) ui::Text(absl::StrCat("and ", users_.size() - shown, " more"), ui::Colors().faint);
}

void BuilderForm::DrawActions(BuilderScene& scene, const Instruction& of) {
  FindUsers(scene, of);
  const std::string self = CommandNameOf(scene, of);
  const bool is_root = of.parent->root == &of;
  if (ui::IconButton("root", ui::Icon::kPin, is_root ? "it is the computation's result" : "make it the computation's result (ROOT)", is_root, !is_root)) {
    scene.context.run(absl::StrCat("window builder root ", self));
  }
  ImGui::SameLine(0, ui::Px(2));
  // What its users could read instead: an operand of the same shape.
  const Instruction* instead = nullptr;
  for (const Instruction* operand : of.operands) {
    if (instead == nullptr && Shape::Compatible(operand->shape, of.shape)) instead = operand;
  }
  std::string tip = "delete it";
  if (!users_.empty()) tip = instead != nullptr ? absl::StrCat("delete it; what uses it reads ", instead->name, " instead") : absl::StrCat("it is still used by ", users_.front(), users_.size() > 1 ? absl::StrCat(" and ", users_.size() - 1, " more") : "");
  if (ui::IconButton("delete", ui::Icon::kClose, tip, false, users_.empty() || instead != nullptr)) {
    scene.context.run(absl::StrCat("window builder delete ", self, users_.empty() ? "" : absl::StrCat(" %", instead->name)));
  }
}

}  // namespace hloscope
