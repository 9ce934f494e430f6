// A sentence for people that can be said in other languages too: its English text with placeholders, and what stands for them.
#ifndef HLOSCOPE_CORE_BASE_MESSAGE_H_
#define HLOSCOPE_CORE_BASE_MESSAGE_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "absl/types/span.h"

namespace hloscope {

// The text with $0, $1, ... filled in; what has no argument stays.
std::string FillPlaceholders(absl::string_view text, absl::Span<const std::string> arguments);

// The English text of a message that pictures show: tests look for it here, and in every language of captions.
#define HLO_MESSAGE(text) text

struct Message {
  absl::string_view text;  // "expected $0 dimension numbers, found $1"; a literal
  std::vector<std::string> arguments;
  std::string ToString() const { return FillPlaceholders(text, arguments); }
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_BASE_MESSAGE_H_
