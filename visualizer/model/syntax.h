// The parts of program text that have colours, a line at a time: HLO text and MLIR. Knows letters, nothing of what the program means.
#ifndef HLOSCOPE_VISUALIZER_MODEL_SYNTAX_H_
#define HLOSCOPE_VISUALIZER_MODEL_SYNTAX_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope {

enum class SyntaxInk : uint8_t { kText, kName, kShape, kOpcode, kAttribute, kNumber, kString, kComment, kKeyword, kQuiet };

struct InkRun {
  int begin = 0, end = 0;  // bytes of the line
  SyntaxInk ink = SyntaxInk::kText;
};

// Runs in order, without white space. Looks at the first `limit` bytes.
std::vector<InkRun> Colour(absl::string_view line, int limit);

// Cells of a fixed-width font: a letter takes one, a Chinese, Japanese or Korean one or an emoji two (CellsOf), a tab goes to the next
// multiple of four.
int CellsTo(absl::string_view line, int byte);
int ByteAtCell(absl::string_view line, int cell);
// The same from a byte whose cell is known.
int CellsFrom(absl::string_view line, int from_byte, int from_cell, int byte);
int ByteAtCellFrom(absl::string_view line, int from_byte, int from_cell, int cell);
int LetterBytes(char first);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_SYNTAX_H_
