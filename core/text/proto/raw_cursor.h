// A walk over the raw text of an attribute: {devices=[2,2]<=[4] last_tile_dim_replicate}. It never reports: what is not as expected is kept
// as text. Not for reading modules (core/text/scanner.h).
#ifndef HLOSCOPE_CORE_TEXT_PROTO_RAW_CURSOR_H_
#define HLOSCOPE_CORE_TEXT_PROTO_RAW_CURSOR_H_

#include <string>

#include "absl/strings/ascii.h"
#include "absl/strings/escaping.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/string_view.h"
#include "absl/strings/strip.h"

namespace hloscope {

class RawCursor {
 public:
  explicit RawCursor(absl::string_view text) : rest_(text) {}

  bool AtEnd() {
    Skip();
    return rest_.empty();
  }
  char Peek() {
    Skip();
    return rest_.empty() ? '\0' : rest_[0];
  }
  bool Take(absl::string_view token) {
    Skip();
    return absl::ConsumePrefix(&rest_, token);
  }
  // Letters, digits, _ - and .
  absl::string_view Word() {
    Skip();
    size_t n = 0;
    while (n < rest_.size() && (absl::ascii_isalnum(rest_[n]) || rest_[n] == '_' || rest_[n] == '-' || rest_[n] == '.')) ++n;
    return Cut(n);
  }
  template <typename Int>
  bool Integer(Int* value) {
    Skip();
    size_t n = !rest_.empty() && rest_[0] == '-' ? 1 : 0;
    while (n < rest_.size() && absl::ascii_isdigit(rest_[n])) ++n;
    return absl::SimpleAtoi(Cut(n), value);
  }
  bool Number(double* value) {
    Skip();
    size_t n = 0;
    while (n < rest_.size() && (absl::ascii_isalnum(rest_[n]) || rest_[n] == '+' || rest_[n] == '-' || rest_[n] == '.')) ++n;
    return absl::SimpleAtod(Cut(n), value);
  }
  // "text", unescaped.
  bool Quoted(std::string* value) {
    absl::string_view inside;
    return QuotedRaw(&inside) && absl::CUnescape(inside, value);
  }
  bool QuotedRaw(absl::string_view* inside) {
    Skip();
    if (rest_.empty() || rest_[0] != '"') return false;
    size_t n = 1;
    while (n < rest_.size() && rest_[n] != '"') n += rest_[n] == '\\' ? 2 : 1;
    if (n >= rest_.size()) return false;
    *inside = Cut(n + 1).substr(1, n - 1);
    return true;
  }
  // {a,b} with these two brackets; an empty list may have nothing between them.
  template <typename List>
  bool Integers(absl::string_view open, absl::string_view close, List* list) {
    if (!Take(open)) return false;
    if (Take(close)) return true;
    do {
      int64_t value;
      if (!Integer(&value)) return false;
      list->Add(value);
    } while (Take(","));
    return Take(close);
  }
  // The text from an opening brace to its closing one, both included.
  bool Balanced(absl::string_view* text) {
    Skip();
    if (rest_.empty() || rest_[0] != '{') return false;
    int depth = 0;
    for (size_t n = 0; n < rest_.size(); ++n) {
      const char c = rest_[n];
      if (c == '"') {
        for (++n; n < rest_.size() && rest_[n] != '"'; ++n) n += rest_[n] == '\\';
      } else if (c == '{') {
        ++depth;
      } else if (c == '}' && --depth == 0) {
        *text = Cut(n + 1);
        return true;
      }
    }
    return false;
  }

 private:
  void Skip() {
    while (!rest_.empty()) {
      if (absl::ascii_isspace(rest_[0])) {
        rest_.remove_prefix(1);
      } else if (absl::StartsWith(rest_, "/*")) {
        const size_t end = rest_.find("*/", 2);
        rest_.remove_prefix(end == absl::string_view::npos ? rest_.size() : end + 2);
      } else {
        return;
      }
    }
  }
  absl::string_view Cut(size_t n) {
    const absl::string_view cut = rest_.substr(0, n);
    rest_.remove_prefix(cut.size());
    return cut;
  }

  absl::string_view rest_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_TEXT_PROTO_RAW_CURSOR_H_
