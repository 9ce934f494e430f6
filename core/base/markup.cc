#include "core/base/markup.h"

#include <cstddef>
#include <cstdint>

#include "absl/strings/str_replace.h"

namespace hloscope {
namespace {

constexpr absl::string_view kReplacement = "\xEF\xBF\xBD";

// Bytes of the character that begins a text, by RFC 3629; 0: it is none.
size_t CharacterSize(absl::string_view text) {
  const auto at = [text](size_t k) { return k < text.size() ? static_cast<uint8_t>(text[k]) : uint8_t{0}; };
  const uint8_t first = at(0);
  if (first < 0x80) return 1;
  const size_t size = first >= 0xC2 && first <= 0xDF ? 2 : first >= 0xE0 && first <= 0xEF ? 3 : first >= 0xF0 && first <= 0xF4 ? 4 : 0;
  for (size_t k = 1; k < size; ++k) {
    if ((at(k) & 0xC0) != 0x80) return 0;
  }
  const bool overlong = (first == 0xE0 && at(1) < 0xA0) || (first == 0xF0 && at(1) < 0x90);
  const bool beyond = (first == 0xED && at(1) > 0x9F) || (first == 0xF4 && at(1) > 0x8F);
  return overlong || beyond ? 0 : size;
}

}  // namespace

std::string EscapeMarkup(absl::string_view text) {
  std::string out;
  out.reserve(text.size());
  for (size_t k = 0; k < text.size();) {
    const char c = text[k];
    const size_t size = CharacterSize(text.substr(k));
    switch (c) {
      case '&': out += "&amp;"; break;
      case '<': out += "&lt;"; break;
      case '>': out += "&gt;"; break;
      case '"': out += "&quot;"; break;
      default:
        if (size == 0 || (static_cast<uint8_t>(c) < 0x20 && c != '\n' && c != '\t') || c == 0x7f) {
          out.append(kReplacement.data(), kReplacement.size());
        } else {
          out.append(text.data() + k, size);
        }
    }
    k += size == 0 ? 1 : size;
  }
  return out;
}

std::string EscapeAttribute(absl::string_view text) { return absl::StrReplaceAll(EscapeMarkup(text), {{"\n", "&#10;"}, {"\t", "&#9;"}}); }

}  // namespace hloscope
