// Words in, words out; see the header.
#include "core/debug/text_util.h"

#include <cmath>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_format.h"
#include "absl/strings/strip.h"

namespace hloscope {

absl::StatusOr<int64_t> ParseByteCount(absl::string_view text) {
  text = absl::StripAsciiWhitespace(text);
  size_t digits = 0;
  while (digits < text.size() && (absl::ascii_isdigit(text[digits]) || text[digits] == '.')) ++digits;
  double number = 0;
  const std::string unit = absl::AsciiStrToLower(absl::StripAsciiWhitespace(text.substr(digits)));
  const absl::Status bad = absl::InvalidArgumentError(absl::StrCat("a size is a number with a unit, as 512MiB or 2GiB, not '", text, "'"));
  if (digits == 0 || !absl::SimpleAtod(text.substr(0, digits), &number)) return bad;
  double factor = 1;
  if (!unit.empty() && unit != "b") {
    const size_t power = std::string("kmgt").find(unit[0]);
    const std::string rest = unit.substr(1);
    if (power == std::string::npos || (rest != "" && rest != "ib" && rest != "b")) return bad;
    factor = std::pow(rest == "b" ? 1000.0 : 1024.0, static_cast<double>(power + 1));
  }
  if (number * factor > 9e18) return bad;
  return static_cast<int64_t>(number * factor);
}

std::string FormatByteCount(int64_t bytes) {
  static constexpr const char* kUnits[] = {"KiB", "MiB", "GiB", "TiB", "PiB", "EiB"};
  if (bytes < 1024 && bytes > -1024) return absl::StrCat(bytes, " B");
  double amount = static_cast<double>(bytes) / 1024;
  int unit = 0;
  while (std::fabs(amount) >= 1024 && unit < 5) {
    amount /= 1024;
    ++unit;
  }
  return absl::StrFormat("%.4g %s", amount, kUnits[unit]);
}

std::string Cut(absl::string_view text, size_t width) {
  std::string line(text.substr(0, width));
  if (text.size() > width) {
    line.resize(width - 3);
    while (!line.empty() && (static_cast<unsigned char>(line.back()) & 0xc0) == 0x80) line.pop_back();  // whole UTF-8 characters only
    if (!line.empty() && static_cast<unsigned char>(line.back()) >= 0xc0) line.pop_back();
    line += "...";
  }
  for (char& c : line) {
    if (c == '\n' || c == '\r' || c == '\t') c = ' ';
  }
  return line;
}

std::string ShapeText(const Shape& shape) {
  constexpr size_t kWidth = 160;
  std::string text = shape.ToString(false);
  if (!shape.IsTuple() || text.size() <= kWidth) return text;
  return absl::StrCat(Cut(text, kWidth), " of ", Count(static_cast<int64_t>(shape.tuple_shapes().size()), "element"));
}

absl::string_view TakeWord(absl::string_view& text) {
  text = absl::StripLeadingAsciiWhitespace(text);
  size_t end = 0;
  while (end < text.size() && !absl::ascii_isspace(text[end])) ++end;
  const absl::string_view word = text.substr(0, end);
  text = absl::StripLeadingAsciiWhitespace(text.substr(end));
  return word;
}

std::string AsTyped(absl::string_view command, absl::string_view rest) {
  return absl::StrCat(command, absl::StartsWith(command, "-") ? absl::StrCat(" '", rest, "'") : absl::StrCat(" ", rest));
}

std::string Count(int64_t n, absl::string_view noun) { return absl::StrCat(n, " ", noun, n == 1 ? "" : "s"); }

}  // namespace hloscope
