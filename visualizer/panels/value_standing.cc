// The value panel, of values that are not there: of frames that have ended, of what has not been executed, of what failed.
#include "visualizer/panels/value_panel.h"

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/strip.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "visualizer/panels/chips.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

void ValuePanel::DrawMoment(PanelContext& context, const Standing& standing) {
  ui::Badge(moment_, ui::Colors().blue);
  const ImVec2 at = ImGui::GetItemRectMin();
  float x = ImGui::GetItemRectMax().x + ui::Px(6);
  absl::string_view rest = moment_;
  int64_t iteration = -1;
  const bool steps = TakeWord(rest) == "iteration" && absl::SimpleAtoi(TakeWord(rest), &iteration) && absl::StartsWith(rest, "in ");
  const auto step = [&](const char* name, ui::Icon icon, const char* tip, int64_t to, bool enabled) {
    ImGui::SetCursorScreenPos({x, at.y - ui::Px(3)});
    if (ui::IconButton(name, icon, tip, false, enabled)) context.run(absl::StrCat("window value moment iteration ", to, " ", rest));
    x += ui::Px(24);
  };
  if (steps) {
    step("earlier", ui::Icon::kBack, "The iteration before", iteration - 1, iteration > 0);
    step("later", ui::Icon::kContinue, "The iteration after", iteration + 1, standing.iterations < 0 || iteration + 1 < standing.iterations);
    x += ui::Px(6);
  }
  ImGui::SetCursorScreenPos({x, at.y + ui::Px(2)});
  if (ui::Link("now", standing.there ? "Back to now" : "Close", ui::Type().small)) context.run("window value moment now");
  ImGui::SetCursorScreenPos({ImGui::GetWindowPos().x + ui::Px(padding()), at.y + ui::Px(26)});
}

void ValuePanel::DrawEnded(PanelContext& context, const Standing& standing) {
  const float width = std::min(ImGui::GetContentRegionAvail().x, ui::Px(420));
  if (standing.loop != nullptr) {
    const int64_t last = std::max<int64_t>(0, standing.iterations - 1);
    const std::string loop = CommandName(context.now, *standing.loop);
    if (ui::Link("then", absl::StrCat("Look at it in iteration ", last, " of ", loop, standing.iterations > 0 ? absl::StrCat(", the last of ", standing.iterations) : ""))) {
      context.run(absl::StrCat("window value moment iteration ", last, " in ", loop));
    }
  } else if (ui::Link("then", absl::StrCat("Look at it in the call of ", standing.of->parent->name))) {
    context.run("window value moment run 1");
  }
  ui::Tooltip("The program goes there, and comes back to where it stands");
  ui::Gap(6);
  bool entered = false;
  ui::Field("moment", &typed_moment_, "another moment: iteration 3, call 2", width / ui::TheLook().scale, &entered, true);
  if (entered && !typed_moment_.empty()) context.run(absl::StrCat("window value moment ", typed_moment_));
}

bool ValuePanel::DrawStanding(PanelContext& context, const Standing& standing, const std::string& moment) {
  const ui::Palette& c = ui::Colors();
  const Instruction* target = standing.of;
  const bool failed = standing.why == "failed here";
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::DrawIcon(ImGui::GetWindowDrawList(), failed ? ui::Icon::kError : ui::Icon::kClock, {at.x, at.y + ui::Px(2)}, ui::Px(14), failed ? c.red : c.amber);
  ImGui::SetCursorScreenPos({at.x + ui::Px(20), at.y});
  const bool can_look = standing.why == "not executed yet";
  const float link = can_look ? ui::Measure(ui::Type().small, "Look ahead").x + ui::Px(12) : 0;
  ui::TextCut(absl::StrCat(ShownName(*target), ": ", standing.why, failed || target->operands.empty() || standing.ended ? "" : ". Its operands:"), c.dim, nullptr,
              std::max(ui::Px(60), ImGui::GetContentRegionAvail().x - link));
  if (can_look) {
    ImGui::SameLine(0, ui::Px(12));
    ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui::Px(1));
    if (ui::Link("ahead", "Look ahead", ui::Type().small)) ahead_key_ = absl::StrCat(moment, reinterpret_cast<uintptr_t>(target));
    ui::Tooltip("Computes its value for looking only: the program stays where it is");
  }
  if (failed) {
    ui::Gap(2);
    ui::TextWrapped(context.now.error, c.text);
    ui::TagFact("failure", context.now.error);
  }
  ui::Gap(4);
  if (standing.ended) {
    DrawEnded(context, standing);
    return false;
  }
  ui::Gap(4);
  bool any = false;
  auto [chosen, added] = operand_.try_emplace(target, -1);
  for (size_t k = 0; k < target->operands.size(); ++k) {
    if (!standing.operands_there[k]) continue;
    any = true;
    // The largest one, until another is chosen.
    if (added && (chosen->second < 0 || target->operands[k]->shape.ByteSize() > target->operands[chosen->second]->shape.ByteSize())) chosen->second = static_cast<int>(k);
  }
  if (!any) operand_.erase(chosen);
  Flow flow;
  const size_t most = std::min<size_t>(target->operands.size(), 12);
  for (size_t k = 0; k < most; ++k) {
    const Instruction* operand = target->operands[k];
    const std::string called = NameInText(*operand);
    flow.Next(ChipWidth(called));
    ImGui::PushID(static_cast<int>(k));
    const bool there = standing.operands_there[k];
    if (Chip(absl::StrCat("operand:", k), called, any && chosen->second == static_cast<int>(k), absl::StrCat("%", called, "  ", ShapeText(operand->shape), there ? "" : ": no value yet"))) {
      if (there) chosen->second = static_cast<int>(k);
      else context.select(operand, {});
    }
    if (ImGui::IsItemHovered()) context.selection.hover_next = operand;
    ImGui::PopID();
  }
  if (most > 0) ui::Gap(6);
  if (!any || chosen->second < 0 || !standing.operands_there[chosen->second]) {
    ui::EmptyHint(ui::Icon::kClock, absl::StrCat(ShownName(*target), " has no value here: ", standing.why, "."), standing.why == "the program is not running" ? "F5 runs the program, F10 starts it at its first instruction." : failed ? "What is amended in the text is taken up by the next run." : "Run on until it is computed: break there, then Next (F10).");
    return false;
  }
  name_ = {target->operands[chosen->second], 0};
  return true;
}

void ValuePanel::Waiting(const std::string& text) {
  const ImVec2 at = ImGui::GetCursorScreenPos();
  ui::Spinner(16);
  ui::DrawTextIn({at.x + ui::Px(24), at.y}, std::max(0.0f, ImGui::GetContentRegionAvail().x - ui::Px(24)), ui::Colors().dim, ui::Type().ui, text);
  ui::TagFact("waiting", text);
}

}  // namespace hloscope
