#include "visualizer/model/program_replace.h"

#include <algorithm>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "visualizer/model/posix_pattern.h"

namespace hloscope {
namespace {

constexpr char kUsage[] =
    "takes what is looked for and what comes in its place, as: replace total sum, replace /case \"f32[4]\" \"f32[8]\", replace "
    "re:x([0-9]+) y$1; /one: only the next place";

absl::string_view PrefixOf(SearchKind kind) {
  switch (kind) {
    case SearchKind::kText: return "text:";
    case SearchKind::kRegex: return "re:";
    case SearchKind::kOpcode: return "op:";
    case SearchKind::kShape: return "shape:";
  }
  return "";
}

// The next word, without its quotes. False: there is none.
bool TakeWord(absl::string_view& rest, std::string* word) {
  rest = absl::StripLeadingAsciiWhitespace(rest);
  word->clear();
  if (rest.empty()) return false;
  bool quoted = false;
  size_t k = 0;
  for (; k < rest.size() && (quoted || !absl::ascii_isspace(rest[k])); ++k) {
    if (rest[k] == '"') {
      quoted = !quoted;
    } else if (quoted && rest[k] == '\\' && k + 1 < rest.size() && (rest[k + 1] == '"' || rest[k + 1] == '\\')) {
      *word += rest[++k];
    } else {
      *word += rest[k];
    }
  }
  rest.remove_prefix(k);
  return true;
}

std::string Quoted(absl::string_view word) {
  const bool plain = !word.empty() && std::none_of(word.begin(), word.end(), [](char c) { return c == '"' || absl::ascii_isspace(c); });
  if (plain) return std::string(word);
  std::string quoted = "\"";
  for (const char c : word) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + '"';
}

std::string Filled(absl::string_view with, absl::string_view text, const PosixPattern::Groups& groups) {
  std::string filled;
  for (size_t k = 0; k < with.size(); ++k) {
    if (with[k] != '$' || k + 1 == with.size()) {
      filled += with[k];
    } else if (const char next = with[k + 1]; absl::ascii_isdigit(next)) {
      const SourceRange group = groups[static_cast<size_t>(next - '0')];
      if (group.valid()) absl::StrAppend(&filled, text.substr(group.begin, group.end - group.begin));
      ++k;
    } else {
      filled += '$';
      if (next == '$') ++k;
    }
  }
  return filled;
}

}  // namespace

SearchKind TakeKind(absl::string_view& pattern) {
  for (const SearchKind kind : {SearchKind::kOpcode, SearchKind::kShape, SearchKind::kRegex, SearchKind::kText}) {
    if (absl::ConsumePrefix(&pattern, PrefixOf(kind))) return kind;
  }
  return SearchKind::kText;
}

absl::StatusOr<ReplaceOrder> ParseReplaceOrder(absl::string_view words) {
  ReplaceOrder order;
  std::string word;
  bool found = TakeWord(words, &word);
  for (; found && (word == "/one" || word == "/case"); found = TakeWord(words, &word)) {
    (word == "/one" ? order.one : order.query.match_case) = true;
  }
  if (!found) return absl::InvalidArgumentError(kUsage);
  absl::string_view pattern = word;
  order.query.kind = TakeKind(pattern);
  order.query.pattern = std::string(pattern);
  if (order.query.pattern.empty()) return absl::InvalidArgumentError("what is looked for is empty");
  if (!TakeWord(words, &order.with)) return absl::InvalidArgumentError(kUsage);
  if (TakeWord(words, &word))
    return absl::InvalidArgumentError(absl::StrCat("'", word, "' is one word too many; words with spaces stand in quotes"));
  return order;
}

std::string ToString(const ReplaceOrder& order) {
  absl::string_view pattern = order.query.pattern;
  absl::string_view rest = pattern;
  const bool prefixed = order.query.kind != SearchKind::kText || TakeKind(rest) != SearchKind::kText || rest.size() != pattern.size() ||
                        pattern == "/one" || pattern == "/case";
  return absl::StrCat(order.one ? "/one " : "", order.query.match_case ? "/case " : "",
                      Quoted(absl::StrCat(prefixed ? PrefixOf(order.query.kind) : "", pattern)), " ", Quoted(order.with));
}

Replacement ReplacePlaces(absl::string_view text, const SearchQuery& query, absl::Span<const SourceRange> places, absl::string_view with) {
  Replacement made;
  made.begin = places.front().begin;
  made.end = places.back().end;
  const bool fills = query.kind == SearchKind::kRegex && with.find('$') != absl::string_view::npos;
  const PosixPattern pattern(fills ? query.pattern : ".", query.match_case);
  int64_t at = made.begin, line_end = -1;
  for (const SourceRange place : places) {
    absl::StrAppend(&made.text, text.substr(at, place.begin - at));
    at = place.end;
    if (!fills) {
      absl::StrAppend(&made.text, with);
      continue;
    }
    if (line_end < place.end) line_end = static_cast<int64_t>(std::min(text.find('\n', place.end), text.size()));
    PosixPattern::Groups groups;
    const bool at_line = place.begin == 0 || text[place.begin - 1] == '\n';
    if (pattern.Find(text, place.begin, line_end, at_line, &groups)) absl::StrAppend(&made.text, Filled(with, text, groups));
  }
  return made;
}

}  // namespace hloscope
