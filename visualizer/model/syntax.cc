#include "visualizer/model/syntax.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "core/ir/attributes.h"
#include "core/ir/opcode.h"
#include "core/shape/element_type.h"
#include "visualizer/canvas/typeface.h"
#include "visualizer/model/program_index.h"

namespace hloscope {
namespace {

bool IsKeyword(absl::string_view word) {
  for (const char* k : {"HloModule", "ENTRY", "ROOT", "module", "func.func", "func", "return", "stablehlo.return", "private", "public", "true", "false"}) {
    if (word == k) return true;
  }
  return false;
}

class Lexer {
 public:
  Lexer(absl::string_view line, int limit) : line_(line.substr(0, std::min<size_t>(line.size(), limit))) {}

  std::vector<InkRun> Run() {
    while (at_ < size()) {
      const char c = line_[at_];
      if (c == ' ' || c == '\t') {
        ++at_;
      } else if (c == '/' && Next() == '/') {
        Take(size(), SyntaxInk::kComment);
      } else if (c == '/' && Next() == '*') {
        const size_t end = line_.find("*/", at_ + 2);
        Take(end == absl::string_view::npos ? size() : static_cast<int>(end) + 2, SyntaxInk::kComment);
      } else if (c == '"') {
        int end = at_ + 1;
        while (end < size() && line_[end] != '"') end += line_[end] == '\\' ? 2 : 1;
        Take(std::min(end + 1, size()), quiet_ > 0 ? SyntaxInk::kQuiet : SyntaxInk::kString);
      } else if (c == '{') {
        ++braces_;
        if (before_value_ && quiet_name_) quiet_ = quiet_ == 0 ? braces_ : quiet_;
        Take(at_ + 1, Quiet(SyntaxInk::kText));
      } else if (c == '}') {
        Take(at_ + 1, Quiet(SyntaxInk::kText));
        if (quiet_ == braces_) quiet_ = 0;
        if (braces_ > 0) --braces_;
      } else if (c == '%' || c == '@' || (c == '#' && Next() != 0)) {
        Take(WordEnd(at_ + 1), Quiet(SyntaxInk::kName));
      } else if (absl::ascii_isdigit(c) || (c == '-' && absl::ascii_isdigit(Next()))) {
        Take(NumberEnd(), Quiet(SyntaxInk::kNumber));
      } else if (IsNameLetter(c) || c == '!') {
        Word();
      } else {
        if (c == '=') equals_ = true;
        if (c == '=' && at_ > 0 && line_[at_ - 1] == ' ') opcode_seen_ = false;  // another instruction of the line
        Take(at_ + 1, Quiet(SyntaxInk::kText));
        if (c == '=' && !runs_.empty()) before_value_ = true;
      }
      if (c != ' ' && c != '=' && c != '\t') before_value_ = false;
    }
    return std::move(runs_);
  }

 private:
  int size() const { return static_cast<int>(line_.size()); }
  char Next() const { return at_ + 1 < size() ? line_[at_ + 1] : 0; }
  SyntaxInk Quiet(SyntaxInk ink) const { return quiet_ > 0 ? SyntaxInk::kQuiet : ink; }
  int WordEnd(int from) const {
    while (from < size() && IsNameLetter(line_[from])) ++from;
    return from;
  }
  int NumberEnd() const {
    int end = at_ + 1;
    while (end < size() && (absl::ascii_isalnum(line_[end]) || line_[end] == '.' || line_[end] == '_' || ((line_[end] == '-' || line_[end] == '+') && (line_[end - 1] == 'e' || line_[end - 1] == 'E')))) ++end;
    return end;
  }
  void Take(int end, SyntaxInk ink) {
    if (!runs_.empty() && runs_.back().ink == ink && runs_.back().end == at_) {
      runs_.back().end = end;
    } else {
      runs_.push_back({at_, end, ink});
    }
    at_ = end;
  }

  // "[2,3]{1,0:T(8,128)}" after an element type.
  int ShapeEnd(int from) const {
    int end = from;
    if (end < size() && line_[end] == '[') {
      const size_t close = line_.find(']', end);
      end = close == absl::string_view::npos ? size() : static_cast<int>(close) + 1;
      if (end < size() && line_[end] == '{') {
        int depth = 0, k = end;
        for (; k < size(); ++k) {
          if (line_[k] == '{') ++depth;
          if (line_[k] == '}' && --depth == 0) return k + 1;
        }
        return size();
      }
    }
    return end;
  }

  void Word() {
    const int end = WordEnd(at_ + 1);
    const absl::string_view word = line_.substr(at_, end - at_);
    const char after = end < size() ? line_[end] : 0;
    if (quiet_ > 0) return Take(end, SyntaxInk::kQuiet);
    if (IsKeyword(word)) return Take(end, SyntaxInk::kKeyword);
    // tensor<2x3xf32> of MLIR.
    if (after == '<' && (word == "tensor" || word == "tuple" || word == "complex")) {
      int depth = 0, k = end;
      for (; k < size(); ++k) {
        if (line_[k] == '<') ++depth;
        if (line_[k] == '>' && --depth == 0) break;
      }
      return Take(std::min(k + 1, size()), SyntaxInk::kShape);
    }
    if (const auto type = ElementTypeFromName(word); type.has_value() && (after == '[' || equals_)) return Take(ShapeEnd(end), SyntaxInk::kShape);
    if (after == '(' && OpcodeFromName(word).has_value() && !opcode_seen_) {
      opcode_seen_ = equals_;
      const bool is_opcode = equals_;
      return Take(end, is_opcode ? SyntaxInk::kOpcode : SyntaxInk::kName);
    }
    if (absl::StartsWith(word, "stablehlo.") || absl::StartsWith(word, "mhlo.") || absl::StartsWith(word, "chlo.")) return Take(end, SyntaxInk::kOpcode);
    const bool quiet_name = word == "metadata" || word == "backend_config" || word == "frontend_attributes" || word == "sharding" ||
                            word == "statistics" || word == "origin";
    // Before any other "=" where an instruction goes on from the line above.
    if (after == '=' && (equals_ || quiet_name || AttrIdFromName(word) != AttrId::kUnknown)) {
      equals_ = true;
      quiet_name_ = quiet_name;
      return Take(end, quiet_name_ ? SyntaxInk::kQuiet : SyntaxInk::kAttribute);
    }
    Take(end, SyntaxInk::kText);
  }

  const absl::string_view line_;
  int at_ = 0, braces_ = 0, quiet_ = 0;
  bool equals_ = false, opcode_seen_ = false, before_value_ = false, quiet_name_ = false;
  std::vector<InkRun> runs_;
};

}  // namespace

std::vector<InkRun> Colour(absl::string_view line, int limit) {
  if (absl::StartsWith(line, "HloModule")) {
    // The header's attributes are long and rarely what one looks for.
    const int size = static_cast<int>(std::min<size_t>(line.size(), limit));
    const size_t comma = line.find(',');
    const int name_end = std::min(comma == absl::string_view::npos ? size : static_cast<int>(comma), size);
    std::vector<InkRun> runs = {{0, std::min(9, size), SyntaxInk::kKeyword}};
    if (name_end > 9) runs.push_back({9, name_end, SyntaxInk::kText});
    if (size > name_end) runs.push_back({name_end, size, SyntaxInk::kQuiet});
    return runs;
  }
  return Lexer(line, limit).Run();
}

int LetterBytes(char first) {
  const auto c = static_cast<unsigned char>(first);
  return c < 0xc0 ? 1 : c < 0xe0 ? 2 : c < 0xf0 ? 3 : 4;
}

namespace {

// The cell behind the letter at byte `k`, which stands at `cell`.
int CellBehind(absl::string_view line, int k, int cell) {
  if (line[k] == '\t') return (cell / 4 + 1) * 4;
  if (static_cast<unsigned char>(line[k]) < 0x80) return cell + 1;
  absl::string_view rest = line.substr(k);
  return cell + CellsOf(TakeCharacter(rest));
}

}  // namespace

int CellsFrom(absl::string_view line, int from_byte, int from_cell, int byte) {
  int cell = from_cell;
  const int end = std::min(byte, static_cast<int>(line.size()));
  for (int k = from_byte; k < end; k += LetterBytes(line[k])) cell = CellBehind(line, k, cell);
  return cell;
}

int ByteAtCellFrom(absl::string_view line, int from_byte, int from_cell, int cell) {
  int at = from_cell, k = from_byte;
  while (k < static_cast<int>(line.size())) {
    const int next = CellBehind(line, k, at);
    if (next > cell) break;
    at = next;
    k += LetterBytes(line[k]);
  }
  return std::min(k, static_cast<int>(line.size()));
}

int CellsTo(absl::string_view line, int byte) { return CellsFrom(line, 0, 0, byte); }
int ByteAtCell(absl::string_view line, int cell) { return ByteAtCellFrom(line, 0, 0, cell); }

}  // namespace hloscope
