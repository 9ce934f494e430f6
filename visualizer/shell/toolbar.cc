// The row on top: menu, run and go back, what the program does now, and the way to all commands.
#include <algorithm>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

std::string Tip(const Action& action, const std::string& command) {
  return absl::StrCat(action.label, *action.keys != 0 ? absl::StrCat("   ", action.keys) : "", command.empty() ? "" : absl::StrCat("\n", command));
}

// "0.4 ms", "3.2 s".
std::string Duration(double ms) { return ms < 1000 ? absl::StrFormat(ms < 10 ? "%.1f ms" : "%.0f ms", ms) : absl::StrFormat("%.1f s", ms / 1000); }

}  // namespace

void Shell::DrawToolbar(float height) {
  ui::TagScope scope("toolbar");
  const ui::Palette& c = ui::Colors();
  const ImVec2 origin = ImGui::GetWindowPos();
  const float width = ImGui::GetWindowSize().x, button_y = origin.y + ui::Px(8);
  float x = origin.x + ui::Px(12);
  ui::DrawText({x, origin.y + std::floor((height - ui::Type().strong->FontSize) / 2)}, c.text, ui::Type().strong, "hloscope");
  x += ui::Measure(ui::Type().strong, "hloscope").x + ui::Px(12);
  // Menus.
  for (const char* menu : {"File", "Edit", "Run", "Back", "Stops", "Look", "View", "Help"}) {
    if (width < ui::Px(1180)) break;  // one button for all, below
    ImGui::SetCursorScreenPos({x, button_y});
    if (ui::Button(absl::StrCat("menu:", menu), menu, ui::Icon::kNone, ui::ButtonKind::kQuiet)) {
      ImGui::OpenPopup(menu);
      menu_at_ = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui::Px(4)};
    }
    x = ImGui::GetItemRectMax().x;
  }
  if (width < ui::Px(1180)) {
    ImGui::SetCursorScreenPos({x, button_y});
    if (ui::Button("menu", "Menu", ui::Icon::kNone, ui::ButtonKind::kQuiet)) {
      ImGui::OpenPopup("all menus");
      menu_at_ = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui::Px(4)};
    }
    x = ImGui::GetItemRectMax().x;
  }
  DrawMenu();
  x += ui::Px(8);
  struct Tool {
    const char* id;
    ui::Icon icon;
    const char* label;
  };
  static constexpr Tool kForward[] = {{"continue", ui::Icon::kContinue, "Continue"}, {"next", ui::Icon::kNext, "Next"}, {"step", ui::Icon::kStep, "Step"}, {"finish", ui::Icon::kFinish, "Finish"}};
  static constexpr Tool kBack[] = {{"back", ui::Icon::kBack, ""}, {"back-next", ui::Icon::kBackNext, ""}, {"back-step", ui::Icon::kBackStep, ""}, {"back-finish", ui::Icon::kBackFinish, ""}};
  const Engine::Activity activity = engine_.activity();
  const bool running = !activity.what.empty();
  const bool labels = width >= ui::Px(1400);
  const auto tool = [&](const Tool& t, bool enabled) {
    const Action& action = FindAction(t.id);
    const std::string command = CommandOf(action, *now_);
    ImGui::SetCursorScreenPos({x, button_y});
    const bool primary = absl::string_view(t.id) == "continue";
    const char* label = primary && now_->phase != Phase::kStopped ? "Run" : t.label;
    if (ui::Button(t.id, labels || primary ? label : "", t.icon, primary ? ui::ButtonKind::kPrimary : ui::ButtonKind::kPlain, Tip(action, command), enabled && !command.empty())) Run(command);
    x = ImGui::GetItemRectMax().x + ui::Px(4);
  };
  for (const Tool& t : kBack) tool(t, !running);
  x += ui::Px(4);
  for (const Tool& t : kForward) tool(t, !running);
  x += ui::Px(4);
  tool({"pause", ui::Icon::kPause, ""}, running);
  tool({"restart", ui::Icon::kRestart, ""}, !running);
  x += ui::Px(12);
  // At the right: the way to all commands.
  const float search = std::min(ui::Px(300), width * 0.17f);
  const float right = origin.x + width - ui::Px(12) - search;
  ImGui::SetCursorScreenPos({right, button_y});
  if (ImGui::InvisibleButton("commands", {search, ui::Px(28)})) Run("window palette");
  ui::Tag("commands");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end = {right + search, button_y + ui::Px(28)};
  list->AddRectFilled({right, button_y}, end, ImGui::IsItemHovered() ? c.hover : c.raised, ui::Px(4));
  const float text_y = button_y + std::floor((ui::Px(28) - ui::Type().ui->FontSize) / 2);
  const float keys = ui::Measure(ui::Type().small, "Ctrl+Shift+P").x;
  ui::DrawTextIn({right + ui::Px(10), text_y}, search - keys - ui::Px(28), c.dim, ui::Type().ui, "Search or run a command");
  ui::DrawText({end.x - keys - ui::Px(10), button_y + std::floor((ui::Px(28) - ui::Type().small->FontSize) / 2)}, c.faint, ui::Type().small, "Ctrl+Shift+P");
  // Between: what the program does.
  const float room = right - x - ui::Px(12);
  if (room < ui::Px(40)) return;
  ImGui::SetCursorScreenPos({x, button_y + ui::Px(6)});
  if (running) {
    ui::Spinner(16);
    x += ui::Px(24);
    const std::string text = absl::StrCat(activity.what, activity.seconds > 1 ? absl::StrFormat("  %.0f s", activity.seconds) : "");
    const float drawn = ui::DrawTextIn({x, text_y}, room - ui::Px(110), c.text, ui::Type().ui, text);
    ImGui::SetCursorScreenPos({x + drawn + ui::Px(10), button_y + ui::Px(2)});
    if (activity.seconds > 0.3 && ui::Button("cancel", "Cancel", ui::Icon::kNone, ui::ButtonKind::kPlain, "Stops what runs now")) engine_.Cancel();
    return;
  }
  // In parts: what, where, how long.
  std::string state;
  ImU32 color = c.dim;
  switch (now_->phase) {
    case Phase::kEmpty: return;
    case Phase::kBroken:
      state = "cannot be read: see Problems";
      color = c.red;
      break;
    case Phase::kReady: state = "ready"; break;
    case Phase::kStopped: state = "stopped at "; break;
    case Phase::kFinished:
      state = "finished";
      color = c.green;
      break;
    case Phase::kError:
      state = "error at ";
      color = c.red;
      break;
  }
  float left = room;
  float used = ui::DrawTextIn({x, text_y}, left, color, ui::Type().ui, state);
  x += used;
  left -= used;
  if (now_->here() != nullptr && now_->phase != Phase::kReady && now_->phase != Phase::kFinished) {
    used = ui::DrawTextIn({x, text_y}, left, c.amber, ui::Type().mono, now_->here()->name);
    x += used;
    left -= used;
  }
  if (now_->phase != Phase::kReady && left > ui::Px(30)) {
    std::string more = absl::StrCat("  \u00b7  ", now_->executed, now_->executed == 1 ? " instruction" : " instructions");
    if (now_->command_ms > 0) absl::StrAppend(&more, "  \u00b7  ", Duration(now_->command_ms));
    ui::DrawTextIn({x, text_y}, left, c.dim, ui::Type().ui, more);
  }
}

void Shell::DrawMenu() {
  const auto items = [&](const char* menu) {
    ui::TagScope scope(absl::StrCat("menu:", menu));
    for (const Action& action : Actions()) {
      if (absl::string_view(action.menu) != menu) continue;
      const std::string command = CommandOf(action, *now_);
      if (ImGui::MenuItem(action.label, action.keys, false, !command.empty())) Run(command);
      ui::Tag(action.id);
    }
    if (absl::string_view(menu) == "View") {
      ImGui::Separator();
      for (const PanelRow& row : PanelRows()) {
        if (ImGui::MenuItem(row.title, row.keys, layout_.IsOpen(row.id))) Run(absl::StrCat("window panel ", row.id));
        ui::Tag(row.id);
      }
    }
  };
  static constexpr const char* kMenus[] = {"File", "Edit", "Run", "Back", "Stops", "Look", "View", "Help"};
  for (const char* menu : kMenus) {
    if (!ImGui::IsPopupOpen(menu)) continue;
    ImGui::SetNextWindowPos(menu_at_);
    if (!ImGui::BeginPopup(menu)) continue;
    if (ui::Pressed("Escape")) ImGui::CloseCurrentPopup();
    items(menu);
    ImGui::EndPopup();
  }
  if (ImGui::IsPopupOpen("all menus")) ImGui::SetNextWindowPos(menu_at_);
  if (ImGui::BeginPopup("all menus")) {
    if (ui::Pressed("Escape")) ImGui::CloseCurrentPopup();
    for (const char* menu : kMenus) {
      if (ImGui::BeginMenu(menu)) {
        items(menu);
        ImGui::EndMenu();
      }
      ui::Tag(menu);
    }
    ImGui::EndPopup();
  }
}

}  // namespace hloscope
