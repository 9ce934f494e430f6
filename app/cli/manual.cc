// hloscope manual: the manual in Markdown, generated from the tables of verbs, commands and operations. Nothing is worded here twice.
#include <cstdio>
#include <fstream>
#include <iostream>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "app/cli/arguments.h"
#include "app/cli/verb.h"
#include "app/reference/examples.h"
#include "app/reference/pages.h"
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

constexpr char kText[] = R"(
## The text of programs

What XLA prints, with one extension: padding, as a part of a layout. `f32[2,3]{0,1:PAD(3,5)=zero}` is a 2x3 array that lies in memory as a
3x5 one, column after column. The value of the padding is `zero`, `one`, `lowest`, `highest` or `unknown`; without `=` it is unknown. (`P(` is
XLA's own, for the physical shape of dynamic arrays.)

| part | means |
| --- | --- |
| `{0,1}` | the dimensions from the one that changes fastest in memory to the slowest |
| `PAD(3,5)=zero` | the sizes that the dimensions are padded to, and what with |
| `T(8,128)(2,1)` | tiles of the most minor dimensions, then tiles of these; `*` joins a dimension to the next minor one |
| `E(4)` | bits that an element takes; below 8 the first element is in the low bits of a byte |
| `S(1)` | the memory space: kept, without effect here |

Values are held in memory as their layout says; `info memory %x` shows the bytes. What a program computes does not depend on layouts, except
through `bitcast`, which takes the memory as it lies.
)";

std::string CommandTable() {
  std::string text;
  absl::string_view group;
  for (const Row& row : kCommands) {
    if (group != row.group) {
      group = row.group;
      absl::StrAppend(&text, "\n### ", group, "\n\n| command | short | does |\n| --- | --- | --- |\n");
    }
    absl::StrAppend(&text, "| `", TableCell(absl::StrCat(row.name, row.synopsis[0] ? " " : "", row.synopsis)), "` | ",
                    row.abbreviation[0] ? absl::StrCat("`", row.abbreviation, "`") : "", " | ", TableCell(row.help), " |\n");
  }
  return text;
}

std::string VerbTable() {
  std::string text = "\n| verb | does |\n| --- | --- |\n";
  for (const Row& row : kVerbs) {
    absl::StrAppend(&text, "| `hloscope ", TableCell(absl::StrCat(row.name, row.synopsis[0] ? " " : "", row.synopsis)), "` | ", TableCell(row.help), " |\n");
  }
  return text;
}

int WriteSamples(const std::string& folder) {
  const std::pair<const char*, std::vector<Example>> parts[] = {{"ops", Examples()}, {"spec", SpecificationExamples()}};
  for (const auto& [part, examples] : parts) {
    for (const Example& example : examples) {
      const std::string path = absl::StrCat(folder, "/", part, "/", example.operation, ".hlo");
      std::ofstream out(path);
      out << SampleText(example);
      if (!out.flush()) return UsageError(absl::StrCat("cannot write ", path));
    }
  }
  return kOk;
}

}  // namespace

std::string TableCell(absl::string_view text) { return absl::StrReplaceAll(text, {{"|", "\\|"}}); }

int Run_manual(const std::vector<std::string>& args) {
  OptionParser app("Prints the manual in Markdown: verbs, the console's commands, operations.", "hloscope manual");
  bool operations = false;
  std::string samples;
  app.add_flag("--operations", operations, "the reference of the operations alone: requirements, formulas, examples with their results");
  app.add_option("--samples", samples, "write the examples of the operations and of the specification below this folder instead, as ops/NAME.hlo and spec/NAME.hlo");
  if (const auto status = app.Parse(args)) return *status;
  if (!samples.empty()) return WriteSamples(samples);
  if (operations) {
    std::cout << OperationsManual() << std::flush;
    return kOk;
  }
  std::string text = absl::StrCat("# The manual of hloscope\n\n## Verbs\n", VerbTable(), "\nOptions: `hloscope help VERB`.\n\n## The console\n",
                                  CommandTable(), WindowManual(), kText, "\n## Operations\n");
  for (int i = 0; i < kOpcodeCount; ++i) {
    const Opcode opcode = static_cast<Opcode>(i);
    absl::StrAppend(&text, "\n### ", Name(opcode), "\n\n```\n", ExplainOperation(opcode), "```\n");
  }
  std::cout << text << std::flush;
  return kOk;
}

}  // namespace hloscope::cli
