// Caret, selection and what keys do to the text: on a Document, so that undo is shared. Knows no drawing, no keys and no programs.
#ifndef HLOSCOPE_VISUALIZER_PANELS_PROGRAM_EDITOR_H_
#define HLOSCOPE_VISUALIZER_PANELS_PROGRAM_EDITOR_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/model/document.h"

namespace hloscope {

enum class CaretMove : uint8_t { kLeft, kRight, kWordLeft, kWordRight, kHome, kEnd, kUp, kDown, kTop, kBottom };

class ProgramEditor {
 public:
  int64_t caret() const { return caret_; }
  int64_t selection_begin() const { return caret_ < anchor_ ? caret_ : anchor_; }
  int64_t selection_end() const { return caret_ < anchor_ ? anchor_ : caret_; }
  bool has_selection() const { return caret_ != anchor_; }
  std::string Selected(const Document& document) const;

  void Place(const Document& document, int64_t offset, bool extend);
  void Select(const Document& document, int64_t begin, int64_t end);
  void SelectWord(const Document& document, int64_t offset);
  void SelectLine(const Document& document, int line);
  void SelectAll(const Document& document);
  // `lines`: of kUp and kDown.
  void Move(const Document& document, CaretMove how, bool extend, int lines = 1);
  // The text became another one (undo, reset, the builder): places that are gone are clamped.
  void Clamp(const Document& document);

  // -- Changes --
  void Insert(Document& document, absl::string_view text, absl::string_view join = "");
  void Type(Document& document, absl::string_view letter);      // closes brackets; what it closed itself is typed over
  void InsertCall(Document& document, absl::string_view name);  // "name()", and the caret within; `(` typed next is that one
  void NewLine(Document& document);                          // with the indentation of the line, more behind `{`
  void Backspace(Document& document, bool word);
  void Delete(Document& document, bool word);
  void Indent(Document& document, bool less);
  void ToggleComment(Document& document);
  void MoveLines(Document& document, bool down);
  void DuplicateLines(Document& document);
  void Undo(Document& document);
  void Redo(Document& document);
  // Replaces the whole text as one step, and keeps the caret on its line.
  void ReplaceAll(Document& document, absl::string_view text);
  void Replace(Document& document, int64_t begin, int64_t end, absl::string_view text, int64_t caret_after, absl::string_view join = "");

 private:
  int64_t Next(const Document& document, int64_t at) const;      // letter
  int64_t Previous(const Document& document, int64_t at) const;
  int64_t NextWord(const Document& document, int64_t at) const;
  int64_t PreviousWord(const Document& document, int64_t at) const;
  void SelectedLines(const Document& document, int* first, int* last) const;
  // Typing the closing bracket that stands at the caret steps over it: the editor put it there, or no other one is missing.
  bool TypesOver(const Document& document, char closing) const;

  int64_t caret_ = 0, anchor_ = 0;
  int cell_ = -1;  // column that Up and Down keep; -1: the caret's
  // Where closing brackets stand that the editor has put there and nobody has typed yet; of one version of the text.
  std::vector<int64_t> closings_;
  uint64_t closings_version_ = 0;
  int64_t opened_ = -1;  // where the caret stands behind a `(` that the editor has just put there; -1: something else came after
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_PROGRAM_EDITOR_H_
