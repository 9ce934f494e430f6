// The tokens of MLIR text. Every call moves forward by at least one byte, so that a reader's loop over tokens ends.
#include "core/text/mlir/scanner.h"

namespace hloscope::mlir {

Token Scanner::Make(TokenKind kind, int32_t begin, int32_t end) {
  pos_ = end;
  Token token;
  token.kind = kind;
  token.begin = begin;
  token.end = end;
  if (kind == TokenKind::kPunctuation) token.punctuation = text_[begin];
  return token;
}

bool Scanner::SkipSpace() {
  bool newline = false;
  while (pos_ < end_) {
    const char c = text_[pos_];
    if (c == '\n') {
      newline = true;
      ++pos_;
    } else if (c == ' ' || c == '\t' || c == '\r') {
      ++pos_;
    } else if (c == '/' && At(pos_ + 1) == '/') {
      while (pos_ < end_ && text_[pos_] != '\n') ++pos_;
    } else {
      break;
    }
  }
  return newline;
}

// `begin` is where the token begins, which may be before the quote (@"..."); pos_ is at the quote.
Token Scanner::String(int32_t begin, TokenKind kind) {
  int32_t i = pos_ + 1;
  while (i < end_) {
    const char c = text_[i];
    if (c == '"') return Make(kind, begin, i + 1);
    if (c == '\n') break;
    i += c == '\\' && i + 1 < end_ && text_[i + 1] != '\n' ? 2 : 1;
  }
  return Make(TokenKind::kBad, begin, i < end_ ? i : end_);
}

Token Scanner::Number(int32_t begin) {
  int32_t i = begin;
  if (text_[i] == '0' && At(i + 1) == 'x' && IsHexDigit(At(i + 2))) {
    i += 2;
    while (IsHexDigit(At(i))) ++i;
    return Make(TokenKind::kInteger, begin, i);
  }
  while (IsDigit(At(i))) ++i;
  if (At(i) != '.') return Make(TokenKind::kInteger, begin, i);
  ++i;
  while (IsDigit(At(i))) ++i;
  if (At(i) == 'e' || At(i) == 'E') {
    int32_t j = i + 1;
    if (At(j) == '+' || At(j) == '-') ++j;
    if (IsDigit(At(j))) {
      while (IsDigit(At(j))) ++j;
      i = j;
    }
  }
  return Make(TokenKind::kFloat, begin, i);
}

Token Scanner::Name(int32_t begin, TokenKind kind) {
  int32_t i = pos_;
  const bool suffix = kind != TokenKind::kIdentifier;  // names after a sigil may begin with a digit and have dashes
  const bool dashes = suffix && kind != TokenKind::kSymbol;
  while (IsNameCharacter(At(i)) || (dashes && At(i) == '-' && At(i + 1) != '>')) ++i;
  if (suffix && i == pos_) return Make(TokenKind::kBad, begin, begin + 1);
  if (kind == TokenKind::kValue && At(i) == '#' && IsDigit(At(i + 1))) {
    ++i;
    while (IsDigit(At(i))) ++i;
  }
  return Make(kind, begin, i);
}

Token Scanner::Next() {
  const bool newline = SkipSpace();
  const int32_t begin = pos_;
  Token token;
  if (begin >= end_) {
    token = Make(TokenKind::kEnd, end_, end_);
    token.after_newline = newline;
    return token;
  }
  const char c = text_[begin];
  auto sigil = [&](TokenKind kind) {
    pos_ = begin + 1;
    return Name(begin, kind);
  };
  if (IsNameStart(c)) {
    token = Name(begin, TokenKind::kIdentifier);
  } else if (IsDigit(c)) {
    token = Number(begin);
  } else if (c == '"') {
    token = String(begin, TokenKind::kString);
  } else if (c == '%') {
    token = sigil(TokenKind::kValue);
  } else if (c == '^') {
    token = sigil(TokenKind::kBlock);
  } else if (c == '!') {
    token = sigil(TokenKind::kBang);
  } else if (c == '#') {
    token = At(begin + 1) == '-' && At(begin + 2) == '}' ? Make(TokenKind::kMetaClose, begin, begin + 3) : sigil(TokenKind::kHash);
  } else if (c == '@') {
    pos_ = begin + 1;
    token = At(begin + 1) == '"' ? String(begin, TokenKind::kSymbol) : Name(begin, TokenKind::kSymbol);
  } else if (c == '-' && At(begin + 1) == '>') {
    token = Make(TokenKind::kArrow, begin, begin + 2);
  } else if (c == ':' && At(begin + 1) == ':') {
    token = Make(TokenKind::kColonColon, begin, begin + 2);
  } else if (c == '{' && At(begin + 1) == '-' && At(begin + 2) == '#') {
    token = Make(TokenKind::kMetaOpen, begin, begin + 3);
  } else if (c == '.' && At(begin + 1) == '.' && At(begin + 2) == '.') {
    token = Make(TokenKind::kEllipsis, begin, begin + 3);
  } else {
    switch (c) {
      case '(':
      case ')':
      case '[':
      case ']':
      case '{':
      case '}':
      case '<':
      case '>':
      case ',':
      case ':':
      case '=':
      case '-':
      case '+':
      case '*':
      case '?':
      case '/':
      case '|': token = Make(TokenKind::kPunctuation, begin, begin + 1); break;
      default: {
        // All bytes of one character together, so that a message can show it.
        int32_t end = begin + 1;
        while (end < end_ && (static_cast<unsigned char>(text_[end]) & 0xC0) == 0x80) ++end;
        token = Make(TokenKind::kBad, begin, end);
      }
    }
  }
  token.after_newline = newline;
  return token;
}

}  // namespace hloscope::mlir
