#include "core/debug/expression_moment.h"

#include "absl/strings/ascii.h"
#include "absl/strings/strip.h"
#include "core/debug/expression_functions.h"

namespace hloscope::expression {
namespace {

// The length of the moment with which `text` begins: words up to an operator. A % with a name behind it is part of that, as - within one is.
size_t MomentLength(absl::string_view text) {
  size_t length = 0;
  for (size_t at = 0; at < text.size();) {
    if (absl::ascii_isspace(text[at])) {
      ++at;
      continue;
    }
    const char c = text[at];
    const bool operation = absl::string_view("<>=!&|()*+/~,-]}").find(c) != absl::string_view::npos;
    if (operation || (c == '%' && (at + 1 == text.size() || !IsNameChar(text[at + 1])))) break;
    size_t end = at;
    while (end < text.size() && !absl::ascii_isspace(text[end]) && absl::string_view("<>=!&|()*+/~").find(text[end]) == absl::string_view::npos) ++end;
    const absl::string_view word = text.substr(at, end - at);
    if (length > 0 && (word == "and" || word == "or")) break;
    if (word.back() == ',') return end - 1;  // of a complex number
    length = at = end;
  }
  return length;
}

}  // namespace

namespace {

bool Compares(absl::string_view expression) {
  int depth = 0;
  for (size_t at = 0; at < expression.size(); ++at) {
    const char c = expression[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (depth > 0) continue;
    if (absl::string_view("<>=!&|").find(c) != absl::string_view::npos) return true;
    if (!IsNameChar(c)) continue;
    size_t end = at;
    while (end < expression.size() && IsNameChar(expression[end])) ++end;
    const absl::string_view word = expression.substr(at, end - at);
    if ((at == 0 || expression[at - 1] != '%') && (word == "and" || word == "or" || word == "not")) return true;
    at = end - 1;
  }
  return false;
}

}  // namespace

std::optional<OfMoment> FirstMoment(absl::string_view text) {
  int depth = 0;
  for (size_t at = 0; at < text.size() && depth >= 0; ++at) {
    const char c = text[at];
    if (c == '(' || c == '[' || c == '{') ++depth;
    if (c == ')' || c == ']' || c == '}') --depth;
    if (c == ',' && depth == 0) break;
    const bool alone = at > 0 && at + 1 < text.size() && absl::ascii_isspace(text[at - 1]) && absl::ascii_isspace(text[at + 1]);
    if (c != '@' || depth != 0 || !alone) continue;
    const size_t length = MomentLength(text.substr(at + 1));
    OfMoment found{absl::StripAsciiWhitespace(text.substr(0, at)), absl::StripAsciiWhitespace(text.substr(at + 1, length)), at + 1 + length, false, false};
    if (found.expression.empty() || found.moment.empty()) return std::nullopt;
    const absl::string_view behind = absl::StripLeadingAsciiWhitespace(text.substr(found.length));
    found.is_all = behind.empty() || behind[0] == ')' || behind[0] == ',';
    found.compares = Compares(found.expression);
    return found;
  }
  return std::nullopt;
}

}  // namespace hloscope::expression
