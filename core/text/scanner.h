// Bytes of HLO text, walked once from front to back: white space and comments, names, numbers, strings, balanced brackets.
// Every reader of the room works on one Scanner; none of them tokenizes ahead. Not for meaning: it knows no shape and no instruction.
#ifndef HLOSCOPE_CORE_TEXT_SCANNER_H_
#define HLOSCOPE_CORE_TEXT_SCANNER_H_

#include <array>
#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/base/diagnostic.h"
#include "core/base/source.h"

namespace hloscope {

// What keeps hostile input cheap. The defaults are what ReadHloText uses; tests make them small.
struct TextLimits {
  int64_t max_bytes = INT32_MAX - 64;  // places are 32-bit offsets
  int max_errors = 1000;               // then reading stops
  int max_depth = 100;                 // of nested tuples
};

namespace char_class {
// kBracket: what a balanced skip looks at; kShape: what can stand inside a shape's brackets.
inline constexpr uint8_t kSpace = 1, kName = 2, kDigit = 4, kAlpha = 8, kBracket = 16, kShape = 32;
constexpr std::array<uint8_t, 256> MakeTable() {
  std::array<uint8_t, 256> t{};
  for (const char c : {',', '<', '=', '?', ':', '*', '#', '-', '+', '/', '[', ']', '(', ')', '{', '}', '.'}) t[static_cast<uint8_t>(c)] = kShape;
  for (int c = 0; c < 256; ++c) {
    bool digit = c >= '0' && c <= '9';
    bool alpha = (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
    if (digit) t[c] |= kDigit | kName | kShape;
    if (alpha) t[c] |= kAlpha | kName | kShape;
    if (c == '.' || c == '-' || c == '$' || c == '@' || c == '~' || c >= 0x80) t[c] |= kName;
    if (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v') t[c] |= kSpace | kShape;
    if (c == '{' || c == '}' || c == '(' || c == ')' || c == '[' || c == ']' || c == '"' || c == '/' || c == 0) t[c] |= kBracket;
  }
  return t;
}
inline constexpr std::array<uint8_t, 256> kTable = MakeTable();
}  // namespace char_class

inline bool IsClass(char c, uint8_t mask) { return char_class::kTable[static_cast<uint8_t>(c)] & mask; }

class Scanner {
 public:
  // `text` must be followed by a zero byte (SourceText's is).
  Scanner(absl::string_view text, DiagnosticSink& sink, const TextLimits& limits)
      : p(text.data()), begin_(text.data()), end_(text.data() + text.size()), sink_(sink), limits_(limits) {}

  const char* p;  // the next byte; *end() is a zero byte, so looking one ahead is always allowed

  const char* begin() const { return begin_; }
  const char* end() const { return end_; }
  bool AtEnd() const { return p >= end_; }
  int32_t Offset(const char* at) const { return static_cast<int32_t>(at - begin_); }
  SourceRange Range(const char* from, const char* to) const { return {Offset(from), Offset(to)}; }
  SourceRange Range(absl::string_view view) const { return Range(view.data(), view.data() + view.size()); }
  const TextLimits& limits() const { return limits_; }

  void SkipSpace() {
    if (!IsClass(*p, char_class::kSpace) && *p != '/') return;
    SkipSpaceSlow();
  }
  // Skips space; then takes `c` if it is next.
  bool Take(char c) {
    SkipSpace();
    if (*p != c || AtEnd()) return false;
    ++p;
    return true;
  }
  // Skips space; takes `c` or reports that it was expected. `after`: what it should follow, for the message.
  bool Expect(char c, absl::string_view after);

  // A name without its %, or empty when there is none here. "quoted names" are given without their quotes. Does not skip space.
  absl::string_view Name();
  // Only letters, digits and underscores.
  absl::string_view Word();
  // [-]digits. Reports overflow (text.integer-range) and absence (text.expected-integer).
  bool Integer(int64_t* value, absl::string_view what);
  // At a quote, double or single: the text between the quotes, escapes untouched.
  bool Quoted(absl::string_view* inside);
  // At an opening bracket of any kind: goes behind its closing one, minding strings and comments. `quiet`: do not report.
  bool SkipBalanced(bool quiet = false);
  // A value of unknown form up to the comma, white space outside brackets or closing bracket that ends it.
  bool Raw(absl::string_view* raw, bool quiet = false);

  // Reports and returns false, so that readers can `return s.Error(...)`.
  bool Error(SourceRange range, absl::string_view label, std::string message, std::string hint = "");
  void Warning(SourceRange range, absl::string_view label, std::string message, std::string hint = "");
  // The place of whatever stands at p: a name, or one character.
  SourceRange Here() const;
  // The place of what is missing at p: `Here`, or the end of the line before where p stands on a later one.
  SourceRange Missing() const;
  // What stands at p, for "found ...": quoted, or "the end of the text".
  std::string Found() const;
  // The same for what is missing: "the end of the line" where p stands on a later one.
  std::string FoundInstead() const;
  bool stopped() const { return stopped_; }
  // Counts bytes that were walked ahead or in vain. Far beyond the length of the text, reading stops: total work stays linear.
  void Charge(int64_t bytes);

 private:
  void SkipSpaceSlow();

  const char* begin_;
  const char* end_;
  DiagnosticSink& sink_;
  TextLimits limits_;
  int errors_ = 0;
  int64_t charged_ = 0;
  bool stopped_ = false;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_SCANNER_H_
