// The row on top: menu, run and go back, what the program does now, and the way to all commands.
#include <algorithm>
#include <cfloat>
#include <cmath>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"
#include "core/ir/written_names.h"
#include "imgui_internal.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr absl::string_view kSearch = "Search or run a command", kSearchKeys = "Ctrl+Shift+P";

struct Tool {
  const char* id;
  ui::Icon icon;
  const char* label;
};
constexpr Tool kForward[] = {{"continue", ui::Icon::kContinue, "Continue"}, {"next", ui::Icon::kNext, "Next"}, {"step", ui::Icon::kStep, "Step"}, {"finish", ui::Icon::kFinish, "Finish"}};
constexpr Tool kBack[] = {{"back", ui::Icon::kBack, ""}, {"back-next", ui::Icon::kBackNext, ""}, {"back-step", ui::Icon::kBackStep, ""}, {"back-finish", ui::Icon::kBackFinish, ""}};

float LabelWidth(const char* label) { return ui::Measure(ui::Type().ui, label).x; }

// What of the row there is room for. It goes by the window's width alone: nothing moves while a program runs and stops.
struct RowParts {
  bool back = false, labels = false, menus = false, name = false, keys = false;
  float search = 0;  // width of the way to all commands
};
RowParts PartsFor(float width) {
  RowParts parts;
  const float icon = ui::Px(32);
  float menus = -(LabelWidth("Menu") + ui::Px(20)), labels = 0;
  for (const char* menu : MenuNames()) menus += LabelWidth(menu) + ui::Px(20);
  for (const Tool& tool : kForward) labels += LabelWidth(tool.label) + ui::Px(6);
  const float run = LabelWidth("Continue") + ui::Px(6);
  const float words = LabelWidth("Commands") + ui::Px(40), whole = ui::Measure(ui::Type().ui, kSearch).x + ui::Px(40), keys = ui::Measure(ui::Type().small, kSearchKeys).x + ui::Px(14);
  // What the program does has room before all but the icons.
  parts.search = ui::Px(34);
  float left = width - ui::Px(12 + 8 + 4 + 4 + 12 + 12 + 12) - (LabelWidth("Menu") + ui::Px(20)) - 6 * icon - run - parts.search - ui::Px(width >= ui::Px(1000) ? 300 : 170);
  const auto take = [&left](float more) {
    if (left < more) return false;
    left -= more;
    return true;
  };
  parts.back = take(4 * icon);
  if (take(words - parts.search)) parts.search = words;
  parts.labels = parts.back && take(labels - run);
  if (parts.labels && take(whole - parts.search)) parts.search = whole;
  if (parts.search == whole && take(keys)) {
    parts.keys = true;
    parts.search += keys;
  }
  parts.menus = parts.keys && take(menus);
  parts.name = parts.search >= words && take(ui::Measure(ui::Type().strong, "hloscope").x + ui::Px(12));
  return parts;
}

std::string Tip(const Action& action, const std::string& command) {
  return absl::StrCat(action.label, *action.keys != 0 ? absl::StrCat("   ", action.keys) : "", command.empty() ? "" : absl::StrCat("\n", command));
}

// "0.4 ms", "3.2 s".
std::string Duration(double ms) {
  if (ms < 0.1) return "below 0.1 ms";
  return ms < 1000 ? absl::StrFormat("%.*f ms", ms < 10 ? 1 : 0, ms) : absl::StrFormat("%.1f s", ms / 1000);
}

}  // namespace

void Shell::DrawToolbar(float height) {
  ui::TagScope scope("toolbar");
  const ui::Palette& c = ui::Colors();
  const ImVec2 origin = ImGui::GetWindowPos();
  const float width = ImGui::GetWindowSize().x, button_y = origin.y + ui::Px(8);
  float x = origin.x + ui::Px(12);
  const RowParts parts = PartsFor(width);
  if (parts.name) {
    ui::DrawText({x, origin.y + std::floor((height - ui::Type().strong->FontSize) / 2)}, c.text, ui::Type().strong, "hloscope");
    x += ui::Measure(ui::Type().strong, "hloscope").x + ui::Px(12);
  }
  // Menus.
  const auto open = [&](ImVec2 low, ImVec2 high) {
    ImGui::OpenPopup(std::exchange(menu_wanted_, "").c_str());
    menu_at_ = {low.x, high.y + ui::Px(4)};
  };
  for (const char* menu : MenuNames()) {
    if (!parts.menus) break;  // one button for all, below
    ImGui::SetCursorScreenPos({x, button_y});
    if (ui::Button(absl::StrCat("menu:", menu), menu, ui::Icon::kNone, ui::ButtonKind::kQuiet)) menu_wanted_ = menu;
    const ImVec2 low = ImGui::GetItemRectMin(), high = ImGui::GetItemRectMax();
    if (menu_wanted_ == menu) open(low, high);
    // Its key, with Alt.
    const ImFont* font = ui::Type().ui;
    const float letter = low.x + ui::Px(10), under = std::floor((low.y + high.y + font->FontSize) / 2) - ui::Px(1);
    ImGui::GetWindowDrawList()->AddRectFilled({letter, under}, {letter + ui::Measure(ui::Type().ui, absl::string_view(menu, 1)).x - 1, under + std::max(1.0f, std::floor(ui::Px(1)))}, ImGui::GetIO().KeyAlt ? c.text : ui::Fade(c.faint, 0.8f));
    x = high.x;
  }
  if (!parts.menus) {
    ImGui::SetCursorScreenPos({x, button_y});
    if (ui::Button("menu", "Menu", ui::Icon::kNone, ui::ButtonKind::kQuiet)) {
      ImGui::OpenPopup("all menus");
      menu_at_ = {ImGui::GetItemRectMin().x, ImGui::GetItemRectMax().y + ui::Px(4)};
    }
    if (!menu_wanted_.empty()) open(ImGui::GetItemRectMin(), ImGui::GetItemRectMax());
    x = ImGui::GetItemRectMax().x;
  }
  DrawMenu();
  x += ui::Px(8);
  const Engine::Activity activity = engine_.activity();
  const bool running = !activity.what.empty();
  const auto tool = [&](const Tool& t, bool enabled) {
    const Action& action = FindAction(t.id);
    const std::string command = CommandOf(action, *now_);
    ImGui::SetCursorScreenPos({x, button_y});
    const bool primary = absl::string_view(t.id) == "continue";
    const char* label = primary && now_->phase != Phase::kStopped ? "Run" : t.label;
    if (ui::Button(t.id, parts.labels || primary ? label : "", t.icon, primary ? ui::ButtonKind::kPrimary : ui::ButtonKind::kPlain, Tip(action, command), enabled && !command.empty())) Act(action);
    x = ImGui::GetItemRectMax().x + ui::Px(4);
  };
  for (const Tool& t : kBack) {
    if (parts.back) tool(t, !running);
  }
  x += ui::Px(4);
  const float search = parts.search;
  const float right = origin.x + width - ui::Px(12) - search;
  // As many as there is room for; those that come last are in the menus too.
  const auto fits = [&] { return x + ui::Px(28 + 8) <= right; };
  for (const Tool& t : kForward) {
    if (fits()) tool(t, !running);
  }
  x += ui::Px(4);
  if (fits()) tool({"pause", ui::Icon::kPause, ""}, running);
  if (fits()) tool({"restart", ui::Icon::kRestart, ""}, now_->session != nullptr);
  x += ui::Px(12);
  // At the right: the way to all commands.
  ImGui::SetCursorScreenPos({right, button_y});
  if (ImGui::InvisibleButton("commands", {search, ui::Px(28)})) Run("window palette");
  ui::Tag("commands");
  ImDrawList* list = ImGui::GetWindowDrawList();
  const ImVec2 end = {right + search, button_y + ui::Px(28)};
  list->AddRectFilled({right, button_y}, end, ImGui::IsItemHovered() ? c.hover : c.raised, ui::Px(4));
  const float text_y = button_y + std::floor((ui::Px(28) - ui::Type().ui->FontSize) / 2);
  const float keys = parts.keys ? ui::Measure(ui::Type().small, kSearchKeys).x + ui::Px(8) : 0;
  const float icon = ui::Px(13);
  ui::DrawIcon(list, ui::Icon::kSearch, {right + ui::Px(10), button_y + std::floor((ui::Px(28) - icon) / 2)}, icon, c.faint);
  const float words = search - keys - ui::Px(40);
  if (search > ui::Px(60)) ui::DrawTextIn({right + ui::Px(30), text_y}, words + 1, c.dim, ui::Type().ui, ui::Measure(ui::Type().ui, kSearch).x > words + 1 ? "Commands" : kSearch);
  ui::Tooltip("All commands (Ctrl+Shift+P)");
  if (parts.keys) ui::DrawText({end.x - keys - ui::Px(2), button_y + std::floor((ui::Px(28) - ui::Type().small->FontSize) / 2)}, c.faint, ui::Type().small, kSearchKeys);
  // Between: what the program does.
  const float room = right - x - ui::Px(12);
  if (room < ui::Px(40)) return;
  ImGui::SetCursorScreenPos({x, button_y + ui::Px(6)});
  if (running) {
    ui::Spinner(16);
    x += ui::Px(24);
    DrawRunning({x, text_y}, room - ui::Px(24), button_y, activity);
    return;
  }
  if (!refused_run_.empty() && refused_run_version_ == document_.version()) {
    ui::DrawTextIn({x, text_y}, room, c.red, ui::Type().ui, refused_run_);
    ui::TagFact("refused", refused_run_);
    return;
  }
  // In parts: what, where, how long.
  std::string state;
  ImU32 color = c.dim;
  switch (now_->phase) {
    case Phase::kEmpty: return;
    case Phase::kBroken:
      state = now_->fresh ? "nothing to run yet" : "cannot be read";
      color = now_->fresh ? c.dim : c.red;
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
  if (now_->phase == Phase::kBroken) {
    ImGui::SetCursorScreenPos({x + ui::Px(10), text_y});
    if (left > ui::Px(70) && !now_->fresh && ui::Link("problems", "Problems")) Run("window panel problems");
    return;
  }
  if (now_->here() != nullptr && now_->phase != Phase::kReady && now_->phase != Phase::kFinished) {
    used = ui::DrawTextIn({x, text_y}, left, c.amber, ui::Type().mono, NameInText(*now_->here()));
    x += used;
    left -= used;
  }
  if (now_->phase != Phase::kReady && left > ui::Px(30)) {
    // What has no room as a whole is left away.
    std::vector<std::string> more = {absl::StrCat("  \u00b7  ", GroupedCount(now_->executed), now_->executed == 1 ? " instruction" : " instructions")};
    if (now_->command_ms > 0) more.push_back(absl::StrCat("  \u00b7  ", Duration(now_->command_ms)));
    for (const std::string& part : more) {
      const float width = ui::Measure(ui::Type().ui, part).x;
      if (width > left) break;
      ui::DrawText({x, text_y}, c.dim, ui::Type().ui, part);
      x += width;
      left -= width;
    }
  }
}

// What runs, how much of it is done, and the way to stop it.
void Shell::DrawRunning(ImVec2 at, float room, float button_y, const Engine::Activity& activity) {
  const ui::Palette& c = ui::Colors();
  RunningText run;
  if (!activity.mark.levels.empty() && now_->module != nullptr) {
    if (total_of_ != now_->generation) total_ = TotalOf(*now_->module, now_->trips);
    total_of_ = now_->generation;
    run = TextOfRun(*now_, activity, total_);
  }
  const std::string seconds = activity.seconds > 1 ? absl::StrFormat("%.0f s", activity.seconds) : "";
  const auto joined = [](std::initializer_list<absl::string_view> parts) {
    std::string text;
    for (const absl::string_view part : parts) {
      if (!part.empty()) absl::StrAppend(&text, text.empty() ? "" : "  \u00b7  ", part);
    }
    return text;
  };
  const std::string whole = joined({activity.what, run.share_text, run.loop_text, seconds});
  ui::TagFact("running", whole);
  const float cancel = ui::Measure(ui::Type().ui, "Cancel").x + ui::Px(20) + ui::Px(10);
  const bool can = activity.seconds > 0.3;
  // The button stands before the text: it stays where it is while the text changes.
  ImGui::SetCursorScreenPos({at.x, button_y});
  if (can && ui::Button("cancel", "Cancel", ui::Icon::kNone, ui::ButtonKind::kPlain, "Stops what runs now (F6)")) engine_.Cancel();
  at.x += cancel;
  // As many of its parts as there is room for; the tooltip has all.
  std::string text = whole;
  for (const std::string& shorter : {joined({run.share_text, run.loop_text, seconds}), joined({activity.what, run.share_text, seconds}), joined({run.share_text, seconds}), activity.what}) {
    if (ui::Measure(ui::Type().ui, text).x <= room - cancel) break;
    if (!shorter.empty()) text = shorter;
  }
  bool cut = text != whole, shortened = false;
  const float drawn = ui::DrawTextIn(at, std::max(0.0f, room - cancel), c.text, ui::Type().ui, text, &shortened);
  cut |= shortened;
  ImGui::SetCursorScreenPos({at.x, button_y});
  ImGui::Dummy({std::max(1.0f, drawn), ui::Px(28)});
  if (cut || !run.whole.empty()) ui::Tooltip(absl::StrCat(whole, run.whole.empty() ? "" : absl::StrCat("\n", run.whole)));
  if (run.share >= 0 && drawn > ui::Px(24)) {
    const float y = button_y + ui::Px(26);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({at.x, y}, {at.x + drawn, y + ui::Px(2)}, c.raised, ui::Px(1));
    list->AddRectFilled({at.x, y}, {at.x + drawn * static_cast<float>(run.share), y + ui::Px(2)}, c.green, ui::Px(1));
  }
}

void Shell::OpenMenu(const std::string& name) {
  menu_wanted_ = name;
  // The first row is lit at once.
  ImGui::GetIO().ConfigFlags |= ImGuiConfigFlags_NavEnableKeyboard;
  ImGui::GetCurrentContext()->NavDisableHighlight = false;
  ui::WantFrame();
}

void Shell::DrawMenu() {
  const ImGuiContext& g = *ImGui::GetCurrentContext();
  // Lists and fields of panels have the keys to themselves; ImGui moves in what is open over them: menus, lists to choose from, small forms.
  const ImGuiWindow* over = g.OpenPopupStack.Size > 0 ? g.OpenPopupStack.back().Window : nullptr;
  bool any = !menu_wanted_.empty() || ImGui::IsPopupOpen("all menus") || (over != nullptr && (over->Flags & ImGuiWindowFlags_Modal) == 0);
  bool on_menu_in_menu = false;
  // As high as there is room for; what has none is scrolled to.
  const float room = ImGui::GetMainViewport()->Size.y - ui::Px(44 + 16);
  const auto item = [&](const char* id, absl::string_view label, const char* keys, bool enabled) {
    const bool chosen = ImGui::MenuItem(std::string(label).c_str(), keys, false, enabled);
    ui::Tag(id);
    return chosen;
  };
  const auto begin = [&](absl::string_view label) {
    ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, room});
    const bool open = ImGui::BeginMenu(std::string(label).c_str());
    ui::Tag(label);
    on_menu_in_menu |= open || ImGui::IsItemFocused();
    return open;
  };
  const auto items = [&](const char* menu) {
    ui::TagScope scope(absl::StrCat("menu:", menu));
    // Actions of one menu in it stand together in the table.
    absl::string_view within;
    for (const Action& action : Actions()) {
      absl::string_view inner = action.menu;
      if (inner == menu && item(action.id, action.label, action.keys, !CommandOf(action, *now_).empty())) Act(action);
      if (!absl::ConsumePrefix(&inner, menu) || !absl::ConsumePrefix(&inner, "/") || inner == within) continue;
      within = inner;
      if (!begin(inner)) continue;
      for (const Action& other : Actions()) {
        if (absl::string_view(other.menu) == action.menu && item(other.id, LabelWithin(other, other.menu), other.keys, !CommandOf(other, *now_).empty())) Act(other);
      }
      ImGui::EndMenu();
    }
    if (absl::string_view(menu) != "View") return;
    if (!begin("Panels")) return;
    for (const PanelRow& row : PanelRows()) {
      if (item(row.id, row.title, row.keys, true)) Run(absl::StrCat("window panel ", row.id));
      if (!layout_.IsOpen(row.id) && absl::string_view(row.id) != "timeline") continue;  // the timeline is at the foot where it has no place
      const ImVec2 min = ImGui::GetItemRectMin(), max = ImGui::GetItemRectMax();
      const float side = ui::Px(12);
      ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kCheck, {max.x - side - ui::Px(6), std::floor((min.y + max.y - side) / 2)}, side, ui::Colors().dim);
    }
    ImGui::EndMenu();
  };
  // Rows with air between them where there is room, and keys apart from words.
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui::Px(24), ui::Px(room > ui::Px(640) ? 10 : 6)});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(10)});
  const std::vector<const char*>& menus = MenuNames();
  for (size_t k = 0; k < menus.size(); ++k) {
    if (!ImGui::IsPopupOpen(menus[k])) continue;
    any = true;
    ImGui::SetNextWindowPos(menu_at_);
    ImGui::SetNextWindowSizeConstraints({0, 0}, {FLT_MAX, room});
    const bool innermost = g.OpenPopupStack.Size == 1;
    on_menu_in_menu = false;
    if (!ImGui::BeginPopup(menus[k])) continue;
    if (ui::Pressed("Escape")) ImGui::CloseCurrentPopup();
    items(menus[k]);
    const int beside = !innermost ? 0 : ui::Pressed("Left", true) ? -1 : ui::Pressed("Right", true) && !on_menu_in_menu ? 1 : 0;
    if (beside != 0) {
      ImGui::CloseCurrentPopup();
      OpenMenu(menus[(k + menus.size() + static_cast<size_t>(beside)) % menus.size()]);
    }
    ImGui::EndPopup();
  }
  if (ImGui::IsPopupOpen("all menus")) ImGui::SetNextWindowPos(menu_at_);
  if (ImGui::BeginPopup("all menus")) {
    if (ui::Pressed("Escape")) ImGui::CloseCurrentPopup();
    for (const char* menu : MenuNames()) {
      if (!begin(menu)) continue;
      items(menu);
      ImGui::EndMenu();
    }
    ImGui::EndPopup();
  }
  ImGui::PopStyleVar(2);
  // ImGui chooses with Space; people with Enter.
  if (any && g.NavId != 0 && !g.NavDisableHighlight && !g.IO.WantTextInput && g.OpenPopupStack.Size > 0 && ui::Pressed("Enter")) ImGui::ActivateItem(g.NavId);
  int& flags = ImGui::GetIO().ConfigFlags;
  flags = any ? flags | ImGuiConfigFlags_NavEnableKeyboard : flags & ~ImGuiConfigFlags_NavEnableKeyboard;
}

}  // namespace hloscope
