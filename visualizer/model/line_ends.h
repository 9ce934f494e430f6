// What lines end with in a text: what is written into it ends its lines in the same way, so that a file stays of one kind.
#ifndef HLOSCOPE_VISUALIZER_MODEL_LINE_ENDS_H_
#define HLOSCOPE_VISUALIZER_MODEL_LINE_ENDS_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hloscope {

// As its first line does: "\r\n" or "\n"; "\n" of a text of one line.
absl::string_view LineEndOf(absl::string_view text);
// `added` with all of its lines ending so.
std::string WithLineEnds(absl::string_view added, absl::string_view line_end);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_LINE_ENDS_H_
