// Find-and-replace in a program's text, as one step of undo, and how it is said in a command. Not for renaming an instruction with its
// uses, which knows what the text means (build_edit.h).
#ifndef HLOSCOPE_VISUALIZER_MODEL_PROGRAM_REPLACE_H_
#define HLOSCOPE_VISUALIZER_MODEL_PROGRAM_REPLACE_H_

#include <cstdint>
#include <string>

#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "absl/types/span.h"
#include "visualizer/model/program_search.h"

namespace hloscope {

// What is typed before a pattern says what it is a pattern of: re:, op:, shape:, text:. Takes it off.
SearchKind TakeKind(absl::string_view& pattern);

// [/one] [/case] WHAT WITH. Words with spaces stand in quotes, in which \ comes before " and \.
struct ReplaceOrder {
  SearchQuery query;
  std::string with;
  bool one = false;  // the place at the caret or the next; else all of them
};
absl::StatusOr<ReplaceOrder> ParseReplaceOrder(absl::string_view words);
std::string ToString(const ReplaceOrder& order);  // as it is parsed

// Replace [begin, end) of the text with `text`.
struct Replacement {
  int64_t begin = 0, end = 0;
  std::string text;
};
// `places` are some that the search found: ascending, one at least. Of a regular expression, $0 in `with` is what was found, $1 to $9 what
// its parentheses hold, and $$ is a dollar.
Replacement ReplacePlaces(absl::string_view text, const SearchQuery& query, absl::Span<const SourceRange> places, absl::string_view with);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PROGRAM_REPLACE_H_
