// The tokens of MLIR text, one at a time. Not for the inside of tensor<2x3xf32> and dense<...>, which their readers take character by
// character.
#ifndef HLOSCOPE_CORE_TEXT_MLIR_SCANNER_H_
#define HLOSCOPE_CORE_TEXT_MLIR_SCANNER_H_

#include <cstdint>

#include "absl/strings/string_view.h"

namespace hloscope::mlir {

enum class TokenKind : uint8_t {
  kEnd,
  kIdentifier,   // stablehlo.add, dense, loc
  kInteger,      // 12, 0x1F
  kFloat,        // 1.5, 2.0e-3
  kString,       // with its quotes
  kValue,        // %a, %0#1
  kBlock,        // ^bb0
  kSymbol,       // @main, @"with space"
  kHash,         // #loc1, #stablehlo.dot
  kBang,         // !stablehlo.token
  kArrow,        // ->
  kEllipsis,     // ...
  kColonColon,   // ::
  kMetaOpen,     // {-#
  kMetaClose,    // #-}
  kPunctuation,  // one character
  kBad,          // an unterminated string or a byte that begins no token
};

struct Token {
  TokenKind kind = TokenKind::kEnd;
  char punctuation = 0;
  bool after_newline = false;  // a line ended between the token before and this one
  int32_t begin = 0, end = 0;
};

inline bool IsDigit(char c) { return c >= '0' && c <= '9'; }
inline bool IsLetter(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); }
inline bool IsHexDigit(char c) { return IsDigit(c) || (c >= 'a' && c <= 'f') || (c >= 'A' && c <= 'F'); }
inline bool IsNameStart(char c) { return IsLetter(c) || c == '_'; }
inline bool IsNameCharacter(char c) { return IsNameStart(c) || IsDigit(c) || c == '$' || c == '.'; }
inline bool IsSpace(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r'; }

class Scanner {
 public:
  // Reads text[begin, end).
  Scanner(absl::string_view text, int32_t begin, int32_t end) : text_(text), pos_(begin), end_(end) {}

  Token Next();
  // Spaces and // comments; true when a line ended among them.
  bool SkipSpace();
  int32_t position() const { return pos_; }
  void Seek(int32_t position) { pos_ = position; }
  int32_t end() const { return end_; }
  void set_end(int32_t end) { end_ = end; }
  char At(int32_t position) const { return position < end_ ? text_[position] : '\0'; }

 private:
  Token Make(TokenKind kind, int32_t begin, int32_t end);
  Token String(int32_t begin, TokenKind kind);
  Token Number(int32_t begin);
  Token Name(int32_t begin, TokenKind kind);

  absl::string_view text_;
  int32_t pos_, end_;
};

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_CORE_TEXT_MLIR_SCANNER_H_
