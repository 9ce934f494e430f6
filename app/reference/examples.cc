#include "app/reference/examples.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_replace.h"
#include "core/ir/opcode.h"
#include "core/literal/format.h"
#include "core/text/hlo_text.h"

namespace hloscope {

const std::vector<Example>& Examples() {
  static const auto& all = *new std::vector<Example>([] {
    std::vector<Example> examples;
    for (auto* part : {ElementwiseExamples, MovementExamples, NumericExamples, ControlExamples}) {
      for (const Example& example : part()) examples.push_back(example);
    }
    std::stable_sort(examples.begin(), examples.end(),
                     [](const Example& a, const Example& b) { return OpcodeFromName(a.operation) < OpcodeFromName(b.operation); });
    return examples;
  }());
  return all;
}

const Example* FindExample(absl::string_view operation) {
  for (const Example& example : Examples()) {
    if (example.operation == operation) return &example;
  }
  return nullptr;
}

absl::StatusOr<std::unique_ptr<Module>> BuildExample(const Example& example) {
  hlo::Builder b(absl::StrReplaceAll(example.operation, {{"-", "_"}}));
  const hlo::Op root = example.build(&b);
  return b.Build(root);
}

std::string ResultText(const Value& value) {
  FormatOptions format;
  format.digits = 5;
  return absl::StrCat(value.shape().ToString(false), " ", FormatValue(value, format));
}

std::string SampleText(const Example& example) {
  const absl::StatusOr<std::unique_ptr<Module>> module = BuildExample(example);
  if (!module.ok()) return std::string(module.status().message());
  std::string text = absl::StrCat("// ", example.operation, ": ", example.note, "\n");
  if (example.result[0] != 0) absl::StrAppend(&text, "// Result: ", absl::StrReplaceAll(example.result, {{"\n", "\n//         "}}), "\n");
  if (example.needs[0] != 0) absl::StrAppend(&text, "// ", example.needs, "\n");
  absl::StrAppend(&text, PrintHloText(**module));
  while (text.size() > 1 && text[text.size() - 2] == '\n') text.pop_back();
  return text;
}

}  // namespace hloscope
