#include "visualizer/model/program_signs.h"

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/shape/element_type.h"
#include "visualizer/model/program_index.h"

namespace hloscope {

bool HasSignOfProgram(absl::string_view text) {
  if (absl::StripAsciiWhitespace(text).empty()) return true;
  for (absl::string_view word = NextWord(text, 0); !word.empty();) {
    const size_t end = static_cast<size_t>(word.data() - text.data()) + word.size();
    const char next = end < text.size() ? text[end] : '\0';
    if (word == "HloModule" || word == "ENTRY" || word == "ROOT") return true;
    for (const absl::string_view dialect : {"stablehlo.", "mhlo.", "chlo.", "vhlo.", "func.", "builtin."}) {
      if (absl::StartsWith(word, dialect)) return true;
    }
    if (next == '[' && ElementTypeFromName(word).has_value()) return true;
    if (next == '<' && word == "tensor") return true;
    word = NextWord(text, end);
  }
  return false;
}

}  // namespace hloscope
