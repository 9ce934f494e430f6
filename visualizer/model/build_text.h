// The text of one instruction taken apart, and edits in many places put together: what build_edit.cc is made of.
// Knows the notation, not what anything means.
#ifndef HLOSCOPE_VISUALIZER_MODEL_BUILD_TEXT_H_
#define HLOSCOPE_VISUALIZER_MODEL_BUILD_TEXT_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/base/source.h"

namespace hloscope::build {

// Walks over program text: blanks, comments, brackets, names.
class TextWalk {
 public:
  TextWalk(absl::string_view text, int64_t at) : text_(text), at_(at) {}
  int64_t at() const { return at_; }
  bool AtEnd() const { return at_ >= static_cast<int64_t>(text_.size()); }
  char Peek() const { return AtEnd() ? '\0' : text_[at_]; }
  void Go(int64_t at) { at_ = at; }
  void SkipBlanks();      // comments too
  bool Take(char c);      // blanks before it are skipped
  bool TakeWord(absl::string_view word);
  void SkipBalanced();    // at an opening bracket: behind its closing one, or the end
  SourceRange Name();     // with % and quotes; empty where there is none
  SourceRange ShapeText();  // invalid where no shape stands here

 private:
  absl::string_view text_;
  int64_t at_ = 0;
};

// Where things stand in an instruction's text.
struct AttributeParts {
  SourceRange name, value, whole;  // whole: with the comma before it
};
struct InstructionParts {
  bool root = false;
  SourceRange name;       // with % and quotes
  SourceRange shape;      // invalid: not written
  SourceRange opcode;
  SourceRange arguments;  // between the parentheses
  std::vector<SourceRange> operands;  // texts between commas, without blanks round them; empty for constants and parameters too
  std::vector<AttributeParts> attributes;
  int64_t end = 0;
};
// As far as it can be read from `begin`.
InstructionParts TakeApart(absl::string_view text, int64_t begin);

inline absl::string_view TextOf(absl::string_view text, SourceRange range) {
  return range.valid() && range.end > range.begin ? text.substr(range.begin, range.end - range.begin) : absl::string_view();
}
// A name's text without % and quotes; of "f32[2] %x" x. What is no name (an instruction written in place) stays as it is.
std::string BareName(absl::string_view written);
std::string WrittenName(absl::string_view name, bool percent);

// Replacements in several places, put together as one.
class Patches {
 public:
  explicit Patches(absl::string_view text) : text_(text) {}
  void Replace(int64_t begin, int64_t end, std::string text) { pieces_.push_back({begin, end, std::move(text)}); }
  void Insert(int64_t at, std::string text) { Replace(at, at, std::move(text)); }
  void Remove(int64_t begin, int64_t end) { Replace(begin, end, ""); }
  bool empty() const { return pieces_.empty(); }
  // One replacement over all of them; pieces that overlap an earlier one are left out. `focus`: an offset in the old text, to follow.
  void Join(int64_t* begin, int64_t* end, std::string* text, int64_t* focus);

 private:
  struct Piece {
    int64_t begin, end;
    std::string text;
  };
  absl::string_view text_;
  std::vector<Piece> pieces_;
};

}  // namespace hloscope::build

#endif  // HLOSCOPE_VISUALIZER_MODEL_BUILD_TEXT_H_
