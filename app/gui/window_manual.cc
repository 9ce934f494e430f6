// The window's part of the manual, from its tables.
#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "app/cli/verb.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/panel_commands.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/window_commands.h"

namespace hloscope::cli {
namespace {

std::string Code(absl::string_view text) { return text.empty() ? "" : absl::StrCat("`", TableCell(text), "`"); }

}  // namespace

std::string WindowManual() {
  std::string text = "\n## The window\n\n`hloscope FILE` opens it. Whatever it does is a command, which the console shows.\n\n### Panels\n\n| panel | shows | key |\n| --- | --- | --- |\n";
  for (const PanelRow& row : PanelRows()) absl::StrAppend(&text, "| ", row.title, " (", Code(row.id), ") | ", TableCell(row.help), " | ", Code(row.keys), " |\n");
  absl::StrAppend(&text, "\n### Actions\n\n| action | menu | key | command |\n| --- | --- | --- | --- |\n");
  for (const Action& action : Actions()) {
    absl::StrAppend(&text, "| ", TableCell(action.label), " | ", action.menu, " | ", Code(action.keys), " | ", Code(absl::StrReplaceAll(action.command, {{" ... ", " "}, {"|", " or "}})), " |\n");
  }
  absl::StrAppend(&text, "\nMenus open with Alt and their first letter; arrows, Enter and Escape move in them.\n\n### Keys of a panel, while it has the keyboard\n\n| panel | key | does |\n| --- | --- | --- |\n");
  for (const PanelKey& key : PanelKeys()) absl::StrAppend(&text, "| ", PanelTitle(key), " | ", Code(key.keys), " | ", TableCell(key.what), " |\n");
  absl::StrAppend(&text, "\n### Commands of the window\n\n| command | does |\n| --- | --- |\n");
  for (const WindowCommandRow& row : WindowCommandRows()) {
    absl::StrAppend(&text, "| ", Code(absl::StrCat("window ", row.name, *row.synopsis != 0 ? " " : "", row.synopsis)), " | ", TableCell(row.help), " |\n");
  }
  absl::StrAppend(&text, "\n### Commands of the panels\n\n| command | does |\n| --- | --- |\n");
  for (const PanelCommandRow& row : PanelCommandRows()) {
    absl::StrAppend(&text, "| ", Code(UsageOf(row)), " | ", TableCell(row.help), " |\n");
  }
  return text;
}

}  // namespace hloscope::cli
