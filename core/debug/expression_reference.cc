// References to values in expressions: %x, body:x, %t[1][0, 2:3], with the longest name that is one.
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/expression.h"
#include "core/debug/expression_functions.h"
#include "core/debug/instruction_names.h"

namespace hloscope {

absl::StatusOr<Reference> ParseReference(absl::string_view& text, const ExpressionHost& host) {
  text = absl::StripLeadingAsciiWhitespace(text);
  const bool percent = absl::ConsumePrefix(&text, "%");
  size_t end = 0;
  if (!percent && !text.empty() && text[0] == '$') ++end;
  while (end < text.size() && expression::IsNameChar(text[end])) ++end;
  if (end == 0) return absl::InvalidArgumentError(absl::StrCat("the name of an instruction is expected", text.empty() ? "" : absl::StrCat(" at '", text.substr(0, 20), "'")));
  // Names may hold - and . : take the longest that is one, so that %x-1 can be a difference.
  size_t length = end;
  while (length > 0 && !host.IsName(text.substr(0, length))) --length;
  if (length > 0 && length < end && (absl::ascii_isalnum(text[length]) || text[length] == '_' || text[length] == '.')) length = 0;
  if (length == 0) length = end;  // unknown: the host words the error
  Reference reference;
  reference.name = std::string(text.substr(0, length));
  text.remove_prefix(length);
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
