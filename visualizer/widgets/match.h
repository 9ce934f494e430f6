// Finding letters in names, without regard to case.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_MATCH_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_MATCH_H_

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/string_view.h"

namespace hloscope::ui {

inline bool ContainsLetters(absl::string_view text, absl::string_view letters) {
  return std::search(text.begin(), text.end(), letters.begin(), letters.end(),
                     [](char a, char b) { return absl::ascii_tolower(a) == absl::ascii_tolower(b); }) != text.end() || letters.empty();
}

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_MATCH_H_
