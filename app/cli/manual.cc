// hloscope manual: the manual in Markdown, generated from the tables of verbs, commands and operations. Nothing is worded here twice.
#include <cstdio>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "app/cli/arguments.h"
#include "app/cli/verb.h"
#include "core/debug/explain.h"

namespace hloscope::cli {
namespace {

struct Row {
  const char *name, *abbreviation, *synopsis, *help, *group;
};
constexpr Row kCommands[] = {
#define X(name, abbreviation, synopsis, help, group, handler) {name, abbreviation, synopsis, help, group},
#include "core/debug/commands.def"
#undef X
};
constexpr Row kVerbs[] = {
#define X(verb, synopsis, summary) {#verb, "", synopsis, summary, ""},
#include "app/cli/verbs.def"
#undef X
};

// Text inside a table's cell.
std::string Cell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

std::string CommandTable() {
  std::string text;
  absl::string_view group;
  for (const Row& row : kCommands) {
    if (group != row.group) {
      group = row.group;
      absl::StrAppend(&text, "\n### ", group, "\n\n| command | short | does |\n| --- | --- | --- |\n");
    }
    absl::StrAppend(&text, "| `", Cell(absl::StrCat(row.name, row.synopsis[0] ? " " : "", row.synopsis)), "` | ",
                    row.abbreviation[0] ? absl::StrCat("`", row.abbreviation, "`") : "", " | ", Cell(row.help), " |\n");
  }
  return text;
}

std::string VerbTable() {
  std::string text = "\n| verb | does |\n| --- | --- |\n";
  for (const Row& row : kVerbs) {
    absl::StrAppend(&text, "| `hloscope ", Cell(absl::StrCat(row.name, row.synopsis[0] ? " " : "", row.synopsis)), "` | ", Cell(row.help), " |\n");
  }
  return text;
}

}  // namespace

int Run_manual(const std::vector<std::string>& args) {
  CLI::App app("Prints the manual in Markdown: verbs, the console's commands, operations.", "hloscope manual");
  if (const auto status = Parse(app, args)) return *status;
  std::string text = absl::StrCat("# The manual of hloscope\n\n## Verbs\n", VerbTable(), "\nOptions: `hloscope help VERB`.\n\n## The console\n",
                                  CommandTable(), "\n## Operations\n");
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    absl::StrAppend(&text, "\n### ", Name(opcode), "\n\n```\n", ExplainOperation(opcode), "```\n");
  }
  std::cout << text << std::flush;
  return kOk;
}

}  // namespace hloscope::cli
