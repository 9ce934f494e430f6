// Which values stand beside a line of a program: of many instructions that of the last; of an operation of StableHLO that has several results
// ("%0:2 = ...", "%a, %b = ...") each of them. Knows texts and modules, nothing of values (line_values.h) and of drawing.
#ifndef HLOSCOPE_VISUALIZER_MODEL_LINE_RESULTS_H_
#define HLOSCOPE_VISUALIZER_MODEL_LINE_RESULTS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

struct LineResult {
  const Instruction* instruction = nullptr;
  std::string label;  // "#0", "%a"; empty: it is the only one
};
// `beginning`: the instructions that begin on the line.
std::vector<LineResult> ResultsOfLine(absl::string_view line, const std::vector<const Instruction*>& beginning);
// What a person wrote on the line that the instruction begins on: the operation, where the line names several results and this is one.
const Instruction& OperationWritten(absl::string_view line, const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_LINE_RESULTS_H_
