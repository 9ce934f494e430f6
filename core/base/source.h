// Where text came from: byte ranges into a source text, and their line and column.
// Not for reading files (see base/file.h) nor for wording problems (see base/diagnostic.h).
#ifndef HLOSCOPE_CORE_BASE_SOURCE_H_
#define HLOSCOPE_CORE_BASE_SOURCE_H_

#include <cstdint>
#include <mutex>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope {

// Half-open range of byte offsets in one SourceText; begin < 0 means "no place".
struct SourceRange {
  int32_t begin = -1;
  int32_t end = -1;
  bool valid() const { return begin >= 0; }
};

struct LineColumn {
  int line = 0;    // 1-based; 0: no place
  int column = 0;  // 1-based, in bytes
};

// An immutable text with a name (a path, "-" or "<memory>"). Owns its bytes: string_views into text() live as long as it does.
class SourceText {
 public:
  SourceText(std::string name, std::string text);
  SourceText(const SourceText&) = delete;
  SourceText& operator=(const SourceText&) = delete;

  const std::string& name() const { return name_; }
  absl::string_view text() const { return text_; }
  // Line and column of a byte offset. The line table is made at the first call (thread-safe).
  LineColumn Locate(int32_t offset) const;
  // The text of 1-based line `line` without its newline; empty when out of range.
  absl::string_view Line(int line) const;
  int line_count() const;

 private:
  const std::vector<int32_t>& LineStarts() const;

  std::string name_;
  std::string text_;
  mutable std::once_flag once_;
  mutable std::vector<int32_t> line_starts_;  // offset of each line's first byte
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_SOURCE_H_
