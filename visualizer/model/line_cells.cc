#include "visualizer/model/line_cells.h"

#include <algorithm>

namespace hloscope {

LineCells::LongLine& LineCells::Of(const Document& document, int line, absl::string_view text) {
  if (of_ != &document || version_ != document.version()) {
    long_lines_.clear();
    of_ = &document;
    version_ = document.version();
  }
  const auto [it, added] = long_lines_.try_emplace(line);
  LongLine& found = it->second;
  if (!added) return found;
  found.marks.push_back({0, 0});
  Mark at;
  for (int next = kStep; next < static_cast<int>(text.size()); next += kStep) {
    // A mark lies before a letter, never within one.
    int byte = next;
    while (byte > at.byte && (static_cast<unsigned char>(text[byte]) & 0xc0) == 0x80) --byte;
    at.cell = CellsFrom(text, at.byte, at.cell, byte);
    at.byte = byte;
    found.marks.push_back(at);
  }
  return found;
}

int LineCells::CellsTo(const Document& document, int line, int byte) {
  const absl::string_view text = document.line(line);
  if (static_cast<int>(text.size()) <= kLong) return hloscope::CellsTo(text, byte);
  const std::vector<Mark>& marks = Of(document, line, text).marks;
  const auto after = std::upper_bound(marks.begin() + 1, marks.end(), byte, [](int b, const Mark& m) { return b < m.byte; });
  const Mark& from = *(after - 1);
  return CellsFrom(text, from.byte, from.cell, byte);
}

int LineCells::ByteAtCell(const Document& document, int line, int cell) {
  const absl::string_view text = document.line(line);
  if (static_cast<int>(text.size()) <= kLong) return hloscope::ByteAtCell(text, cell);
  const std::vector<Mark>& marks = Of(document, line, text).marks;
  const auto after = std::upper_bound(marks.begin() + 1, marks.end(), cell, [](int c, const Mark& m) { return c < m.cell; });
  const Mark& from = *(after - 1);
  return ByteAtCellFrom(text, from.byte, from.cell, cell);
}

absl::Span<const InkRun> LineCells::Runs(const Document& document, int line, int begin, int end) {
  const absl::string_view text = document.line(line);
  if (static_cast<int>(text.size()) <= kLong) {
    constexpr int kBehind = 64;  // what follows may say what a word is
    runs_ = Colour(text, std::min(static_cast<int>(text.size()), end + kBehind));
    return runs_;
  }
  std::vector<InkRun>& all = Of(document, line, text).runs;
  if (all.empty()) all = Colour(text, static_cast<int>(text.size()));
  const auto first = std::lower_bound(all.begin(), all.end(), begin, [](const InkRun& run, int b) { return run.end <= b; });
  const auto last = std::lower_bound(first, all.end(), end, [](const InkRun& run, int e) { return run.begin < e; });
  return absl::MakeConstSpan(all).subspan(static_cast<size_t>(first - all.begin()), static_cast<size_t>(last - first));
}

}  // namespace hloscope
