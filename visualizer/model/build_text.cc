#include "visualizer/model/build_text.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/text/attribute_text.h"

namespace hloscope::build {
namespace {

bool IsNameByte(char c) { return absl::ascii_isalnum(c) || c == '_' || c == '.' || c == '-' || c == '$' || c == ':' || c == '/' || static_cast<unsigned char>(c) >= 0x80; }

}  // namespace

void TextWalk::SkipBlanks() {
  while (!AtEnd()) {
    const char c = text_[at_];
    if (absl::ascii_isspace(c)) {
      ++at_;
    } else if (absl::StartsWith(text_.substr(at_), "//")) {
      const size_t end = text_.find('\n', at_);
      at_ = end == absl::string_view::npos ? text_.size() : end;
    } else if (absl::StartsWith(text_.substr(at_), "/*")) {
      const size_t end = text_.find("*/", at_ + 2);
      at_ = end == absl::string_view::npos ? text_.size() : end + 2;
    } else {
      return;
    }
  }
}

bool TextWalk::Take(char c) {
  SkipBlanks();
  if (Peek() != c) return false;
  ++at_;
  return true;
}

bool TextWalk::TakeWord(absl::string_view word) {
  SkipBlanks();
  const absl::string_view rest = text_.substr(std::min<size_t>(at_, text_.size()));
  if (!absl::StartsWith(rest, word) || (rest.size() > word.size() && IsNameByte(rest[word.size()]))) return false;
  at_ += static_cast<int64_t>(word.size());
  return true;
}

void TextWalk::SkipBalanced() {
  int depth = 0;
  while (!AtEnd()) {
    const char c = text_[at_];
    if (c == '"') {
      for (++at_; !AtEnd() && text_[at_] != '"'; ++at_) {
        if (text_[at_] == '\\') ++at_;
      }
      ++at_;
      continue;
    }
    if (c == '/' && (absl::StartsWith(text_.substr(at_), "//") || absl::StartsWith(text_.substr(at_), "/*"))) {
      SkipBlanks();
      continue;
    }
    ++at_;
    if (c == '(' || c == '[' || c == '{') ++depth;
    if ((c == ')' || c == ']' || c == '}') && --depth <= 0) return;
  }
}

SourceRange TextWalk::Name() {
  SkipBlanks();
  const int64_t begin = at_;
  if (Peek() == '%') ++at_;
  if (Peek() == '"') {
    for (++at_; !AtEnd() && text_[at_] != '"'; ++at_) {
      if (text_[at_] == '\\') ++at_;
    }
    ++at_;
    at_ = std::min<int64_t>(at_, text_.size());
  } else {
    while (!AtEnd() && IsNameByte(text_[at_])) ++at_;
  }
  return {static_cast<int32_t>(begin), static_cast<int32_t>(at_)};
}

SourceRange TextWalk::ShapeText() {
  SkipBlanks();
  const int64_t begin = at_;
  if (Peek() == '(') {
    SkipBalanced();
    return {static_cast<int32_t>(begin), static_cast<int32_t>(at_)};
  }
  while (!AtEnd() && absl::ascii_isalnum(text_[at_])) ++at_;
  if (Peek() != '[' || at_ == begin) {
    at_ = begin;
    return {};
  }
  SkipBalanced();
  if (Peek() == '{') SkipBalanced();
  return {static_cast<int32_t>(begin), static_cast<int32_t>(at_)};
}

InstructionParts TakeApart(absl::string_view text, int64_t begin) {
  InstructionParts parts;
  TextWalk walk(text, begin);
  const auto mark = [](int64_t a, int64_t b) { return SourceRange{static_cast<int32_t>(a), static_cast<int32_t>(b)}; };
  parts.root = walk.TakeWord("ROOT");
  parts.name = walk.Name();
  parts.end = walk.at();
  if (!walk.Take('=')) return parts;
  parts.shape = walk.ShapeText();
  parts.opcode = walk.Name();
  parts.end = walk.at();
  walk.SkipBlanks();
  if (walk.Peek() != '(') return parts;
  const int64_t open = walk.at();
  walk.SkipBalanced();
  parts.end = walk.at();
  parts.arguments = mark(open + 1, std::max(open + 1, walk.at() - 1));
  // The arguments between commas.
  TextWalk inner(text, open + 1);
  while (true) {
    inner.SkipBlanks();
    const int64_t first = inner.at();
    int64_t last = first;
    while (inner.at() < parts.arguments.end && inner.Peek() != ',') {
      if (inner.Peek() == '(' || inner.Peek() == '[' || inner.Peek() == '{' || inner.Peek() == '"') {
        inner.SkipBalanced();
      } else {
        inner.Go(inner.at() + 1);
      }
      if (!absl::ascii_isspace(text[inner.at() - 1])) last = inner.at();
    }
    if (last > first) parts.operands.push_back(mark(first, last));
    if (inner.at() >= parts.arguments.end) break;
    inner.Go(inner.at() + 1);
  }
  while (true) {
    const int64_t comma = walk.at();
    walk.Go(comma);
    if (!walk.Take(',')) break;
    AttributeParts attribute;
    attribute.name = walk.Name();
    if (attribute.name.begin == attribute.name.end || !walk.Take('=')) break;
    walk.SkipBlanks();
    const int64_t first = walk.at();
    // A value ends at a comma outside brackets, or where the line does.
    while (!walk.AtEnd()) {
      const char c = walk.Peek();
      if (c == '(' || c == '[' || c == '{' || c == '"') {
        walk.SkipBalanced();
      } else if (c == ',' || absl::ascii_isspace(c) || c == '}' || c == ')' || absl::StartsWith(text.substr(walk.at()), "//")) {
        break;
      } else {
        walk.Go(walk.at() + 1);
      }
    }
    attribute.value = mark(first, walk.at());
    attribute.whole = mark(comma, walk.at());
    parts.attributes.push_back(attribute);
    parts.end = walk.at();
  }
  return parts;
}

std::string BareName(absl::string_view written) {
  TextWalk walk(written, 0);
  walk.ShapeText();
  const SourceRange name = walk.Name();
  walk.SkipBlanks();
  if (!walk.AtEnd() || name.begin == name.end) return std::string(written);
  absl::string_view bare = TextOf(written, name);
  if (!bare.empty() && bare.front() == '%') bare.remove_prefix(1);
  if (bare.size() >= 2 && bare.front() == '"' && bare.back() == '"') bare = bare.substr(1, bare.size() - 2);
  return std::string(bare);
}

std::string WrittenName(absl::string_view name, bool percent) {
  if (absl::StrContains(name, "(")) return std::string(name);
  std::string out;
  AppendName(name, percent, &out);
  return out;
}

void Patches::Join(int64_t* begin, int64_t* end, std::string* text, int64_t* focus) {
  std::stable_sort(pieces_.begin(), pieces_.end(), [](const Piece& a, const Piece& b) { return a.begin < b.begin; });
  *begin = *end = pieces_.empty() ? 0 : pieces_.front().begin;
  text->clear();
  const int64_t target = *focus;
  int64_t moved = 0;
  for (const Piece& piece : pieces_) {
    if (piece.begin < *end) continue;
    text->append(text_.data() + *end, piece.begin - *end);
    text->append(piece.text);
    *end = piece.end;
    if (piece.end <= target && piece.begin < target) moved += static_cast<int64_t>(piece.text.size()) - (piece.end - piece.begin);
  }
  *focus = target + moved;
}

}  // namespace hloscope::build
