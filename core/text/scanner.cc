// The byte walker of scanner.h.
#include "core/text/scanner.h"

#include <algorithm>
#include <cstring>

#include "absl/strings/escaping.h"
#include "absl/strings/str_cat.h"

namespace hloscope {

using char_class::kBracket;
using char_class::kDigit;
using char_class::kName;
using char_class::kSpace;

void Scanner::SkipSpaceSlow() {
  while (true) {
    while (IsClass(*p, kSpace)) ++p;
    if (*p != '/') return;
    if (p[1] == '/') {
      const void* newline = std::memchr(p, '\n', end_ - p);
      p = newline ? static_cast<const char*>(newline) : end_;
    } else if (p[1] == '*') {
      const char* open = p;
      absl::string_view rest(p + 2, end_ - p - 2);
      size_t close = rest.find("*/");
      if (close == absl::string_view::npos) {
        p = end_;
        Error(Range(open, open + 2), HLO_LABEL("text.unterminated-comment"), "expected '*/' to end the comment that begins here");
        return;
      }
      p = rest.data() + close + 2;
    } else {
      return;
    }
  }
}

bool Scanner::Expect(char c, absl::string_view after) {
  if (Take(c)) return true;
  return Error(Missing(), HLO_LABEL("text.expected-punctuation"),
               absl::StrCat("expected '", std::string(1, c), "' after ", after, ", found ", FoundInstead()));
}

absl::string_view Scanner::Name() {
  const char* start = p;
  if (*p == '%') ++p;
  if (*p == '"') {
    absl::string_view inside;
    const char* close = p + 1;
    while (close < end_ && *close != '"' && *close != '\n') close += (*close == '\\' && close + 1 < end_) ? 2 : 1;
    if (close < end_ && *close == '"') {
      inside = absl::string_view(p + 1, close - p - 1);
      p = close + 1;
      return inside;
    }
    p = start;
    return {};
  }
  const char* name = p;
  while (true) {
    while (IsClass(*p, kName)) ++p;
    if (*p == ':' && p > name && IsClass(p[1], kName) && p[1] != '-') {
      ++p;
      continue;
    }
    break;
  }
  if (*p == '>' && p > name && p[-1] == '-') --p;
  if (p == name) p = start;
  return absl::string_view(name, p > name ? p - name : 0);
}

absl::string_view Scanner::Word() {
  const char* start = p;
  while (IsClass(*p, char_class::kAlpha | kDigit)) ++p;
  return absl::string_view(start, p - start);
}

bool Scanner::Integer(int64_t* value, absl::string_view what) {
  const char* start = p;
  bool negative = *p == '-';
  const char* q = p + negative;
  if (!IsClass(*q, kDigit)) {
    return Error(Missing(), HLO_LABEL("text.expected-integer"), absl::StrCat("expected an integer for ", what, ", found ", FoundInstead()));
  }
  uint64_t v = 0;
  bool overflow = false;
  const uint64_t limit = negative ? uint64_t{1} << 63 : (uint64_t{1} << 63) - 1;
  for (; IsClass(*q, kDigit); ++q) {
    uint64_t digit = *q - '0';
    if (v > (limit - digit) / 10) overflow = true;
    v = overflow ? limit : v * 10 + digit;
  }
  p = q;
  *value = static_cast<int64_t>(negative ? 0 - v : v);
  if (overflow) {
    return Error(Range(start, p), HLO_LABEL("text.integer-range"), absl::StrCat("expected ", what, " to fit in 64 bits"),
                 "write a value between -9223372036854775808 and 9223372036854775807");
  }
  return true;
}

void Scanner::Charge(int64_t bytes) {
  charged_ += bytes;
  if (charged_ <= 16 * (end_ - begin_) + (1 << 20) || stopped_) return;
  // A text of unclosed brackets would be walked to its end from each of them.
  Error(Here(), HLO_LABEL("text.too-damaged"), "stopped reading: too many brackets or strings are never closed");
  stopped_ = true;
}

bool Scanner::Quoted(absl::string_view* inside) {
  const char* open = p;
  const char* q = p + 1;
  while (true) {
    q = q < end_ ? static_cast<const char*>(std::memchr(q, *open, end_ - q)) : nullptr;
    if (q == nullptr) {
      Charge(end_ - open);
      return Error(Range(open, open + 1), HLO_LABEL("text.unterminated-string"),
                   absl::StrCat("expected ", std::string(1, *open), " to end the string that begins here"));
    }
    const char* b = q;
    while (b > open + 1 && b[-1] == '\\') --b;
    if ((q - b) % 2 == 0) break;
    ++q;
  }
  *inside = absl::string_view(open + 1, q - open - 1);
  p = q + 1;
  return true;
}

bool Scanner::SkipBalanced(bool quiet) {
  const char* open = p;
  int64_t depth = 0;
  while (true) {
    while (!IsClass(*p, kBracket)) ++p;
    char c = *p;
    if (c == '{' || c == '(' || c == '[') {
      ++depth;
    } else if (c == '}' || c == ')' || c == ']') {
      if (--depth == 0) {
        ++p;
        return true;
      }
    } else if (c == '"') {
      const char* q = p + 1;
      while (q < end_ && *q != '"') q += *q == '\\' ? 2 : 1;
      p = q;
    } else if (c == '/' && (p[1] == '*' || p[1] == '/')) {
      absl::string_view rest(p + 2, end_ - p - 2);
      size_t close = p[1] == '*' ? rest.find("*/") : rest.find('\n');
      p = close == absl::string_view::npos ? end_ : rest.data() + close;
    }
    if (p >= end_) {
      p = end_;
      Charge(end_ - open);
      if (quiet) return false;
      const char closing = *open == '{' ? '}' : *open == '(' ? ')' : ']';
      return Error(Range(open, open + 1), HLO_LABEL("text.unclosed-bracket"),
                   absl::StrCat("expected '", std::string(1, closing), "' to close the '", std::string(1, *open), "' that opens here"));
    }
    ++p;
  }
}

bool Scanner::Raw(absl::string_view* raw, bool quiet) {
  SkipSpace();
  const char* start = p;
  while (p < end_) {
    char c = *p;
    if (c == '{' || c == '(' || c == '[') {
      if (!SkipBalanced(quiet)) return false;
    } else if (c == '"' || (c == '\'' && p == start)) {
      const char* open = p;
      const char* q = p + 1;
      while (q < end_ && *q != c) q += *q == '\\' ? 2 : 1;
      if (q >= end_) {
        p = end_;
        Charge(end_ - open);
        if (quiet) return false;
        p = open;
        absl::string_view ignored;
        return Quoted(&ignored);
      }
      p = q + 1;
    } else if (c == ',' || c == '}' || c == ')' || c == ']' || IsClass(c, kSpace) || (c == '/' && (p[1] == '*' || p[1] == '/'))) {
      break;
    } else {
      ++p;
    }
  }
  *raw = absl::string_view(start, p - start);
  if (p == start && !quiet) return Error(Here(), HLO_LABEL("text.expected-value"), absl::StrCat("expected a value, found ", Found()));
  return p != start;
}

bool Scanner::Error(SourceRange range, absl::string_view label, std::string message, std::string hint) {
  if (stopped_) return false;
  sink_.Error(range, label, std::move(message), std::move(hint));
  if (++errors_ >= limits_.max_errors) {
    stopped_ = true;
    sink_.Error(range, HLO_LABEL("text.too-many-errors"), absl::StrCat("stopped reading after ", errors_, " errors"),
                "check that this is HLO text at all");
  }
  return false;
}

void Scanner::Warning(SourceRange range, absl::string_view label, std::string message, std::string hint) {
  if (!stopped_) sink_.Warning(range, label, std::move(message), std::move(hint));
}

SourceRange Scanner::Here() const {
  if (AtEnd()) return Range(end_, end_);
  const char* q = p;
  if (*q == '%') ++q;
  while (IsClass(*q, kName) && q - p < 200) ++q;
  return Range(p, q > p ? q : p + 1);
}

SourceRange Scanner::Missing() const {
  const char* q = p;
  while (q > begin_ && IsClass(q[-1], kSpace)) --q;
  const bool later = q > begin_ && !AtEnd() && std::memchr(q, '\n', p - q) != nullptr;
  return later ? Range(q - 1, q) : Here();
}

std::string Scanner::FoundInstead() const { return Missing().begin < Offset(p) ? "the end of the line" : Found(); }

std::string Scanner::Found() const {
  if (AtEnd()) return "the end of the text";
  SourceRange here = Here();
  absl::string_view text(begin_ + here.begin, std::min(here.end - here.begin, 40));
  if (text == "\n" || text == "\r") return "the end of the line";
  return absl::StrCat("'", absl::Utf8SafeCEscape(text), "'");
}

}  // namespace hloscope
