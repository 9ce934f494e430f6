// Small helpers for words typed and shown in the console. Not for values (core/literal/format.h).
#ifndef HLOSCOPE_CORE_DEBUG_TEXT_UTIL_H_
#define HLOSCOPE_CORE_DEBUG_TEXT_UTIL_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/shape/shape.h"

namespace hloscope {

// "16GiB", "512 MiB", "2G", "1000000" -> bytes. KiB, MiB, GiB, TiB (also K, M, G, T and KB... as powers of 1024 and 1000).
absl::StatusOr<int64_t> ParseByteCount(absl::string_view text);
// "1.5 GiB", "640 B".
std::string FormatByteCount(int64_t bytes);
// At most `width` bytes, with "..." where something was cut; line breaks become spaces.
std::string Cut(absl::string_view text, size_t width);
// A shape for a line of the console, without layouts: a long tuple is cut and says how many elements it has.
std::string ShapeText(const Shape& shape);
// Takes the first word off `text` (white space before and after it too).
absl::string_view TakeWord(absl::string_view& text);
// How something is typed again: after a command as it is, after an option of the program ("--slice") as one word.
std::string AsTyped(absl::string_view command, absl::string_view rest);
// "1 instruction", "3 instructions".
std::string Count(int64_t n, absl::string_view noun);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TEXT_UTIL_H_
