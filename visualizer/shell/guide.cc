// The guide (F1): how one begins, and the tables of actions, panels and commands with their keys, to read from the top and to search.
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/debug/session.h"
#include "visualizer/panels/panel_commands.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/shell.h"
#include "visualizer/shell/window_commands.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"
#include "visualizer/widgets/match.h"

namespace hloscope {
namespace {

struct Begin {
  const char *keys, *what;
};
constexpr Begin kBegin[] = {
    {"Ctrl+O", "open a program: HLO or StableHLO text, an HloProto, an HloSnapshot. Or drop a file on the window, or take a sample of the welcome page."},
    {"F5", "run it. Inputs that are not given are made; hloscope FILE --input gives them."},
    {"F9", "set a breakpoint at the selected instruction, or click beside its line. F5 stops there; Shift+F5 goes back to the stop before."},
    {"F10  F11", "execute one instruction, or go into the computation that it calls; Shift+F11 runs on to the end of the frame."},
    {"Shift+F10", "back in time by one instruction; Ctrl+Shift+F11 back into computations, Ctrl+F11 to the beginning of the frame."},
    {"Alt+F ...", "open a menu by its underlined letter; the arrows and Enter choose in it."},
    {"click", "select an instruction in any panel: its value, its formula, its picture and its place in the graph are shown in the others."},
    {"Ctrl+Alt+Y", "ask why of the selected element: what it was computed from, back to where a NaN came from."},
    {"Ctrl+Shift+P", "find every command by a few letters; Ctrl+P every instruction."},
    {"Shift+F1", "lessons, with programs that run and exercises that are checked."},
};

}  // namespace

void Shell::DrawGuide(ImVec2 min, ImVec2 max) {
  const ui::Palette& c = ui::Colors();
  ui::TagScope scope("guide");
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddRectFilled(min, max, c.panel, ui::Px(4));
  list->AddRect(min, max, c.border, ui::Px(4));
  ImGui::SetCursorScreenPos(min);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(24), ui::Px(16)});
  ImGui::BeginChild("guide", {max.x - min.x, max.y - min.y}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
  ImGui::PopStyleVar();
  ui::Text("Keys and commands", c.text, ui::Type().title);
  ui::Gap(4);
  if (ui::Button("back", "Back", ui::Icon::kNone, ui::ButtonKind::kPlain, "Escape, F1") || (palette_ == 0 && ui::Pressed("Escape"))) guide_ = false;
  ImGui::SameLine(0, ui::Px(8));
  ImGui::SetCursorPosY(ImGui::GetCursorPosY() + ui::Px(2));  // in the middle of the button beside it
  ui::SearchField("search", &guide_text_, "A word, a key, a command", std::min(320.0f, ImGui::GetContentRegionAvail().x / ui::TheLook().scale));
  ui::Gap(8);
  ImGui::BeginChild("rows", {0, 0}, false);
  const float width = ImGui::GetContentRegionAvail().x - ui::Px(16);
  int shown = 0;
  // What is done, by which key, and what it is called in the console; or a text that takes the room of both.
  const auto row = [&](absl::string_view what, absl::string_view keys, absl::string_view command, absl::string_view help) {
    if (!guide_text_.empty() && !ui::ContainsLetters(absl::StrCat(what, " ", keys, " ", command, " ", help), guide_text_)) return;
    ++shown;
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float first = std::floor(std::min(ui::Px(300), width * 0.36f)), second = std::floor(std::min(ui::Px(150), width * 0.24f));
    bool cut = false;
    ui::DrawTextIn(at, first - ui::Px(12), c.text, help.empty() ? ui::Type().ui : ui::Type().mono, what, &cut);
    ui::DrawTextIn({at.x + first, at.y}, second - ui::Px(8), c.blue, ui::Type().ui, keys);
    const float x = help.empty() || !keys.empty() ? first + second : first;
    bool more = false;
    ui::DrawTextIn({at.x + x, at.y}, width - x, c.dim, help.empty() ? ui::Type().mono : ui::Type().ui, help.empty() ? command : help, &more);
    ImGui::Dummy({width, ui::Px(20)});
    if (cut || more) ui::Tooltip(absl::StrCat(what, "\n", help.empty() ? command : help));
  };
  std::string heading;
  const auto head = [&](const std::string& text) {
    if (guide_text_.empty()) {
      ui::Gap(8);
      ui::Heading(text);
    }
  };
  if (guide_text_.empty()) {
    for (const Begin& begin : kBegin) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float first = ui::Px(110);
      ui::DrawText(at, c.blue, ui::Type().ui, begin.keys);
      ImGui::SetCursorScreenPos({at.x + first, at.y});
      ui::TextWrapped(begin.what, c.text);
    }
  }
  for (const Action& action : Actions()) {
    if (heading != action.menu) {
      heading = action.menu;
      head(absl::StrReplaceAll(heading, {{"/", " \u203a "}}));
    }
    row(action.label, action.keys, absl::StrReplaceAll(action.command, {{" ... ", " "}, {"|", " or "}}), "");
  }
  head("Keys of a panel, while it has the keyboard");
  for (const PanelKey& key : PanelKeys()) row(PanelTitle(key), key.keys, "", key.what);
  head("Menus");
  for (const char* menu : MenuNames()) row(menu, MenuKeys(menu), absl::StrCat("window menu ", menu), "");
  head("Panels");
  for (const PanelRow& panel : PanelRows()) row(panel.title, panel.keys, panel.id, panel.help);
  head("Commands of the console");
  for (const CommandRow& command : Commands()) {
    if (absl::string_view(command.name) != "window") row(absl::StrCat(command.name, *command.abbreviation != 0 ? absl::StrCat(", ", command.abbreviation) : ""), "", command.synopsis, command.help);
  }
  head("Commands of the window");
  for (const WindowCommandRow& command : WindowCommandRows()) row(absl::StrCat("window ", command.name, *command.synopsis != 0 ? " " : "", command.synopsis), "", "", command.help);
  head("Commands of the panels");
  for (const PanelCommandRow& command : PanelCommandRows()) row(UsageOf(command), "", "", command.help);
  if (shown == 0) ui::Text("Nothing has these letters.", c.faint);
  ui::TagFact("rows", absl::StrCat(shown));
  ImGui::EndChild();
  ImGui::EndChild();
}

}  // namespace hloscope
