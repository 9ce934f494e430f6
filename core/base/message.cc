#include "core/base/message.h"

#include "absl/strings/ascii.h"

namespace hloscope {

std::string FillPlaceholders(absl::string_view text, absl::Span<const std::string> arguments) {
  std::string filled;
  for (size_t k = 0; k < text.size(); ++k) {
    const bool placeholder = text[k] == '$' && k + 1 < text.size() && absl::ascii_isdigit(static_cast<unsigned char>(text[k + 1]));
    const size_t number = placeholder ? static_cast<size_t>(text[k + 1] - '0') : arguments.size();
    if (number < arguments.size()) {
      filled += arguments[number];
      ++k;
    } else {
      filled += text[k];
    }
  }
  return filled;
}

}  // namespace hloscope
