// References to values in expressions: %x, body:x, %t[1][0, 2:3], with the longest name that is one.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/expression.h"
#include "core/debug/expression_functions.h"
#include "core/debug/instruction_names.h"

namespace hloscope {

namespace {

// The name that `text` would begin with if names could hold spaces; empty: none.
absl::string_view NameWithSpaces(absl::string_view text, size_t from, const ExpressionHost& host) {
  constexpr size_t kLongest = 200;
  for (size_t end = std::min(text.size(), kLongest); end > from; --end) {
    const absl::string_view name = text.substr(0, end);
    if (absl::StrContains(name, ' ') && name.back() != ' ' && host.IsName(name)) return name;
  }
  return "";
}

// The name at the front, without its %.
absl::StatusOr<std::string> TakeName(absl::string_view& text, const ExpressionHost& host) {
  const bool percent = absl::ConsumePrefix(&text, "%");
  if (absl::string_view quoted = text; percent && absl::ConsumePrefix(&quoted, "\"")) {  // as HLO text writes one with a space in it
    const size_t close = quoted.find('"');
    if (close == absl::string_view::npos) return absl::InvalidArgumentError("the closing quote of a name is missing");
    text = quoted.substr(close + 1);
    return std::string(quoted.substr(0, close));
  }
  size_t end = 0;
  if (!percent && !text.empty() && text[0] == '$') ++end;
  while (end < text.size() && expression::IsNameChar(text[end])) ++end;
  if (end == 0) return absl::InvalidArgumentError(absl::StrCat("the name of an instruction is expected", text.empty() ? "" : absl::StrCat(" at '", text.substr(0, 20), "'")));
  // Names may hold - and . : take the longest that is one, so that %x-1 can be a difference.
  size_t length = end;
  while (length > 0 && !host.IsName(text.substr(0, length))) --length;
  if (length > 0 && length < end && (absl::ascii_isalnum(text[length]) || text[length] == '_' || text[length] == '.')) length = 0;
  if (length == 0) {
    if (const absl::string_view meant = NameWithSpaces(text, end, host); !meant.empty()) {
      return absl::InvalidArgumentError(absl::StrCat("there is no instruction '", text.substr(0, end), "'; a name with a space in it stands in quotes: %\"", meant, "\""));
    }
    length = end;  // unknown: the host words the error
  }
  std::string name(text.substr(0, length));
  text.remove_prefix(length);
  return name;
}

}  // namespace

absl::StatusOr<Reference> ParseReference(absl::string_view& text, const ExpressionHost& host) {
  text = absl::StripLeadingAsciiWhitespace(text);
  absl::StatusOr<std::string> name = TakeName(text, host);
  if (!name.ok()) return name.status();
  Reference reference;
  reference.name = *std::move(name);
  if (absl::string_view behind = text; absl::ConsumePrefix(&behind, ":") && !behind.empty()) {  // body:x
    absl::ConsumePrefix(&behind, "%");
    size_t most = 0;
    while (most < behind.size() && expression::IsNameChar(behind[most])) ++most;
    size_t taken = most;
    while (taken > 0 && !host.IsName(absl::StrCat(reference.name, ":", behind.substr(0, taken)))) --taken;
    if (taken == 0) taken = most;
    if (taken > 0) {
      absl::StrAppend(&reference.name, ":", behind.substr(0, taken));
      text = behind.substr(taken);
    }
  }
  while (absl::StartsWith(text, "[")) {
    const size_t close = text.find(']');
    if (close == absl::string_view::npos) return absl::InvalidArgumentError("the closing ] of a subscript is missing");
    reference.subscripts.push_back(text.substr(0, close + 1));
    text.remove_prefix(close + 1);
  }
  if (const absl::string_view computation = TakeIn(text); !computation.empty()) reference.name = absl::StrCat(computation, ":", reference.name);
  return reference;
}

}  // namespace hloscope
