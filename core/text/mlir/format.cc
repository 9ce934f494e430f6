#include "core/text/mlir/format.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/text/mlir/scanner.h"

namespace hloscope::mlir {
namespace {

struct Comment {
  std::string text;
  bool own_line = false, blank_line = false;  // it stands on a line of its own; one without anything is before it
};

// A word as it is written; tensor<...>, dense<...> and #dialect.name<...> are one. What stood before it: comments, and whether lines ended.
struct Word {
  TokenKind kind = TokenKind::kEnd;
  char punctuation = 0;
  std::string text;
  bool spaced = false, new_line = false, blank_line = false;
  std::vector<Comment> comments;
};

// The comments and line ends between two words.
void ReadGap(absl::string_view gap, Word* word) {
  word->spaced = !gap.empty();
  bool own_line = false;
  int ends = 0;
  for (size_t k = 0; k < gap.size(); ++k) {
    if (gap[k] == '\n') {
      own_line = word->new_line = true;
      ++ends;
    } else if (gap[k] == '/') {
      const size_t end = std::min(gap.find('\n', k), gap.size());
      word->comments.push_back({std::string(absl::StripTrailingAsciiWhitespace(gap.substr(k, end - k))), own_line, ends > 1});
      k = end - 1;
      ends = 0;
    }
  }
  word->blank_line = ends > 1;
}

// Behind the bracket that closes the one at `open`; strings and arrows in it close nothing.
int32_t BehindAngle(absl::string_view text, int32_t open) {
  int depth = 0;
  for (size_t k = static_cast<size_t>(open); k < text.size(); ++k) {
    if (text[k] == '"') {
      for (++k; k < text.size() && text[k] != '"'; ++k) k += text[k] == '\\';
    } else if (text[k] == '<') {
      ++depth;
    } else if (text[k] == '>' && text[k - 1] != '-' && --depth == 0) {
      return static_cast<int32_t>(k) + 1;
    }
  }
  return static_cast<int32_t>(text.size());
}

std::vector<Word> WordsOf(absl::string_view text) {
  std::vector<Word> words;
  Scanner scanner(text, 0, static_cast<int32_t>(text.size()));
  for (int32_t last = 0;;) {
    Token token = scanner.Next();
    Word word{token.kind, token.punctuation, "", false, false, false, {}};
    const int32_t begin = token.kind == TokenKind::kEnd ? static_cast<int32_t>(text.size()) : token.begin;
    ReadGap(text.substr(static_cast<size_t>(last), static_cast<size_t>(begin - last)), &word);
    const bool named = token.kind == TokenKind::kIdentifier || token.kind == TokenKind::kHash || token.kind == TokenKind::kBang;
    if (named && scanner.At(token.end) == '<') {
      token.end = BehindAngle(text, token.end);
      scanner.Seek(token.end);
    }
    if (token.kind != TokenKind::kEnd) word.text = std::string(text.substr(static_cast<size_t>(begin), static_cast<size_t>(token.end - begin)));
    words.push_back(std::move(word));
    if (token.kind == TokenKind::kEnd) return words;
    last = token.end;
  }
}

class Formatter {
 public:
  explicit Formatter(std::vector<Word> words) : words_(std::move(words)) {}

  std::string Write() {
    for (at_ = 0; at_ < words_.size(); ++at_) Put();
    while (absl::EndsWith(out_, "\n\n")) out_.pop_back();
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
    return std::move(out_);
  }

 private:
  // What is open: ( [ < and the braces of attributes and of regions.
  struct Open {
    char sign = 0;
    bool region = false;
    size_t line = 0;     // of braces: how far the line is set in that opens them
    bool lines = false;  // of attributes: each has a line of its own, as it is written
  };

  const Word& word() const { return words_[at_]; }
  const Word& After(size_t by) const { return words_[std::min(at_ + by, words_.size() - 1)]; }
  bool Is(const Word& w, char sign) const { return w.kind == TokenKind::kPunctuation && w.punctuation == sign; }
  bool InRegion() const { return open_.empty() || open_.back().region; }
  // How far operations are set in here.
  size_t Inner() const {
    const auto region = std::find_if(open_.rbegin(), open_.rend(), [](const Open& o) { return o.region; });
    return region == open_.rend() ? 0 : region->line + 2;
  }

  // A brace begins a region where an operation, a block or nothing that is an attribute follows.
  bool OpensRegion() const {
    const Word &next = After(1), &then = After(2);
    if (next.kind == TokenKind::kValue || next.kind == TokenKind::kBlock) return true;
    if (Is(next, '}')) return next.new_line;
    if (next.kind != TokenKind::kIdentifier && next.kind != TokenKind::kString) return false;
    return !Is(then, '=') && !Is(then, ',') && !Is(then, '}');
  }

  // An operation begins here: its results, or its name where it has none.
  bool BeginsOperation() const {
    if (!InRegion() || at_ == 0) return at_ == 0;
    const Word& before = words_[at_ - 1];
    if (Is(before, '{') || block_ended_) return true;
    if (in_block_) return false;
    if (Is(before, '=') || Is(before, ',') || Is(before, ':') || before.kind == TokenKind::kArrow || before.text == "applies") return false;
    if (word().kind == TokenKind::kHash) return Is(After(1), '=');
    if (word().kind == TokenKind::kBlock) return !absl::EndsWith(before.text, "br") && !absl::EndsWith(before.text, "cond_br");
    if (word().kind == TokenKind::kString) return word().new_line && Is(After(1), '(');
    if (word().kind == TokenKind::kValue) {
      // "%a =", "%a:2 =", "%a, %b =".
      for (size_t k = 1;; ++k) {
        if (Is(After(k), '=')) return true;
        if (!Is(After(k), ':') && !Is(After(k), ',') && After(k).kind != TokenKind::kInteger && After(k).kind != TokenKind::kValue) return false;
      }
    }
    if (word().kind != TokenKind::kIdentifier) return false;
    for (const absl::string_view dialect : {"stablehlo.", "func.", "chlo.", "check.", "mhlo.", "vhlo.", "interpreter.", "sdy.", "mpmd."}) {
      if (absl::StartsWith(word().text, dialect)) return true;
    }
    return word().text == "module" || word().text == "return";
  }

  void EndLine() {
    while (!out_.empty() && out_.back() == ' ') out_.pop_back();
    if (!out_.empty() && out_.back() != '\n') out_ += '\n';
  }
  void Indent(size_t spaces) {
    if (!out_.empty() && out_.back() != '\n') return;
    out_.append(spaces, ' ');
    line_ = spaces;
  }

  bool SpaceBefore() const {
    const Word &before = words_[at_ - 1], &now = word();
    if (Is(before, '(') || Is(before, '[') || Is(now, ')') || Is(now, ']') || Is(now, ',')) return false;
    if (Is(now, '=') || Is(before, '=') || Is(before, ',')) return true;
    // "(f32) -> f32", but "[b, f]x[i, o]->[b, f]".
    if (now.kind == TokenKind::kArrow) return now.spaced || !Is(before, ']');
    if (before.kind == TokenKind::kArrow) return now.spaced || !Is(now, '[');
    const bool loose = open_.empty() || open_.back().sign != '(';
    if (Is(now, ':')) {
      return loose && !CountsResults(at_) && !in_block_ && !IsRange(at_);
    }
    if (Is(before, ':')) return !CountsResults(at_ - 1) && !IsRange(at_ - 1) && (loose || now.spaced || now.kind != TokenKind::kInteger);
    if (Is(now, '{')) return !Is(before, '<');
    if (Is(before, '{') || Is(now, '}')) return false;
    return now.spaced;
  }
  // The colon of "[0:4]".
  bool IsRange(size_t at) const { return !open_.empty() && open_.back().sign == '[' && words_[std::min(at + 1, words_.size() - 1)].kind == TokenKind::kInteger; }
  // The colon of "%a:2".
  bool CountsResults(size_t at) const {
    return InRegion() && at > 0 && words_[at - 1].kind == TokenKind::kValue && words_[std::min(at + 1, words_.size() - 1)].kind == TokenKind::kInteger &&
           (Is(words_[std::min(at + 2, words_.size() - 1)], '=') || Is(words_[std::min(at + 2, words_.size() - 1)], ','));
  }

  void PutComments(bool line_ends) {
    for (const auto& [text, own_line, blank_line] : word().comments) {
      if (own_line || out_.empty() || out_.back() == '\n') {
        EndLine();
        if (blank_line) BlankLine();
        Indent(Inner());
      } else {
        while (!out_.empty() && out_.back() == ' ') out_.pop_back();
        out_ += "  ";
      }
      absl::StrAppend(&out_, text, "\n");
    }
    if (line_ends) EndLine();
    if (word().blank_line && (line_ends || !word().comments.empty())) BlankLine();
  }
  void BlankLine() {
    if (!out_.empty() && !absl::EndsWith(out_, "{\n") && !absl::EndsWith(out_, "\n\n")) out_ += '\n';
  }

  void Put() {
    const Word& now = word();
    const bool closes = Is(now, '}') && !open_.empty() && open_.back().region;
    const bool begins = BeginsOperation() && now.kind != TokenKind::kEnd;
    PutComments(begins || closes || now.kind == TokenKind::kEnd || (at_ > 0 && opened_region_));
    if (now.kind == TokenKind::kEnd) return;
    size_t set_in = Inner();
    if (closes) {
      while (absl::EndsWith(out_, "\n\n")) out_.pop_back();
      set_in = open_.back().line;
      open_.pop_back();
    } else if (begins) {
      if (now.kind == TokenKind::kBlock && set_in > 0) set_in -= 2;  // its name stands before its operations
    } else if (!open_.empty() && open_.back().lines) {
      const bool last = Is(now, '}');
      if (last || Is(words_[at_ - 1], '{') || Is(words_[at_ - 1], ',')) EndLine();
      set_in = open_.back().line + (last ? 0 : 2);
    } else if (!opened_region_) {
      if (now.new_line && InRegion()) EndLine();
      set_in += 2;  // an operation goes on
    }
    const bool fresh = out_.empty() || out_.back() == '\n';
    Indent(set_in);
    if (!fresh && SpaceBefore()) out_ += ' ';
    block_ended_ = in_block_ && Is(now, ':') && InRegion();
    in_block_ = (begins && now.kind == TokenKind::kBlock) || (in_block_ && !block_ended_);
    opened_region_ = false;
    out_ += now.text;
    if (Is(now, '(') || Is(now, '[') || Is(now, '<')) open_.push_back({now.punctuation, false});
    if (Is(now, '{')) {
      opened_region_ = OpensRegion();
      open_.push_back({'{', opened_region_, line_, !opened_region_ && After(1).new_line && !Is(After(1), '}')});
    }
    const char pair = Is(now, ')') ? '(' : Is(now, ']') ? '[' : Is(now, '>') ? '<' : Is(now, '}') && !closes ? '{' : 0;
    if (pair != 0 && !open_.empty() && open_.back().sign == pair) open_.pop_back();
  }

  std::vector<Word> words_;
  size_t at_ = 0;
  std::string out_;
  std::vector<Open> open_;
  size_t line_ = 0;  // how far the present line is set in
  bool opened_region_ = false, in_block_ = false, block_ended_ = false;
};

}  // namespace

std::string FormatText(absl::string_view text) { return Formatter(WordsOf(text)).Write(); }

}  // namespace hloscope::mlir
