// What could stand at a place of a program that is being typed: opcodes, shapes, names of instructions and computations, attributes.
// HLO text; of StableHLO text operations and names (completion_stablehlo.cc). Knows the line and the module as it was read last; nothing of drawing.
#ifndef HLOSCOPE_VISUALIZER_MODEL_COMPLETION_H_
#define HLOSCOPE_VISUALIZER_MODEL_COMPLETION_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

struct CompletionItem {
  enum Kind : uint8_t { kOpcode, kShape, kInstruction, kComputation, kAttribute, kWord };
  Kind kind = kWord;
  std::string text;    // what is put in
  std::string detail;  // "f32[4]", "Elementwise addition"
};

struct Completions {
  int replace = 0;  // letters before the caret that the text takes the place of
  std::vector<CompletionItem> items;
};

// `before`: the line up to the caret. `home`: the computation around it, null unknown; `module` null: what needs none.
// `above`: the last instruction of it before the line, what comes later is no operand; null unknown. `asked`: by a key, so also where nothing has
// been typed yet.
Completions Complete(absl::string_view before, const Module* module, const Computation* home, const Instruction* above, bool asked);

// The same of StableHLO text. `scope`: the function's text before the line.
Completions CompleteStableHlo(absl::string_view before, absl::string_view scope, bool asked);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_COMPLETION_H_
