#include "visualizer/model/line_ends.h"

#include "absl/strings/str_replace.h"

namespace hloscope {

absl::string_view LineEndOf(absl::string_view text) {
  const size_t end = text.find('\n');
  return end != absl::string_view::npos && end > 0 && text[end - 1] == '\r' ? "\r\n" : "\n";
}

std::string WithLineEnds(absl::string_view added, absl::string_view line_end) {
  return absl::StrReplaceAll(added, {{"\r\n", line_end}, {"\n", line_end}});
}

}  // namespace hloscope
