// Where letters of a program's lines stand, in cells, and their colours. A line may hold a constant of a million numbers: what was found
// out about a long line is kept until the text changes, so that drawing any part of it costs what that part costs. Not for other texts:
// model/syntax.h has the functions.
#ifndef HLOSCOPE_VISUALIZER_MODEL_LINE_CELLS_H_
#define HLOSCOPE_VISUALIZER_MODEL_LINE_CELLS_H_

#include <cstdint>
#include <map>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "visualizer/model/document.h"
#include "visualizer/model/syntax.h"

namespace hloscope {

class LineCells {
 public:
  // As CellsTo and ByteAtCell of the line's text.
  int CellsTo(const Document& document, int line, int byte);
  int ByteAtCell(const Document& document, int line, int cell);
  // The runs that meet the bytes [begin, end), in order; the first and the last may reach beyond. Valid until the next call.
  absl::Span<const InkRun> Runs(const Document& document, int line, int begin, int end);

 private:
  static constexpr int kLong = 4096;  // bytes: shorter lines are looked at anew each time
  static constexpr int kStep = 1024;  // between two marks

  struct Mark {
    int byte = 0, cell = 0;
  };
  struct LongLine {
    std::vector<Mark> marks;   // the first is {0, 0}
    std::vector<InkRun> runs;  // of the whole line, once they were asked for
  };
  LongLine& Of(const Document& document, int line, absl::string_view text);

  uint64_t version_ = 0;
  const Document* of_ = nullptr;
  std::map<int, LongLine> long_lines_;
  std::vector<InkRun> runs_;  // of a short line
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_LINE_CELLS_H_
