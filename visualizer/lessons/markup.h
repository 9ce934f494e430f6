// Markdown inside a line: `code`, **bold** and [links](target). Not for lines and blocks (reader.cc).
#ifndef HLOSCOPE_VISUALIZER_LESSONS_MARKUP_H_
#define HLOSCOPE_VISUALIZER_LESSONS_MARKUP_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"

namespace hloscope::lessons {

struct Span {
  enum Kind : uint8_t { kPlain, kStrong, kCode, kLink } kind = kPlain;
  std::string text;
  std::string target;  // of a link: "lesson:NAME"
};
using Spans = std::vector<Span>;

// `problem` says what is not closed, or stays empty.
Spans ReadMarkup(absl::string_view text, std::string* problem = nullptr);
// Without marks, but for the quotes round code.
std::string PlainText(const Spans& spans);

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_MARKUP_H_
