#include "visualizer/panels/program_editor.h"

#include <algorithm>
#include <utility>
#include <vector>

#include "absl/algorithm/container.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "visualizer/model/line_ends.h"
#include "visualizer/model/program_index.h"
#include "visualizer/panels/program_syntax.h"

namespace hloscope {
namespace {

char Closing(char open) { return open == '(' ? ')' : open == '[' ? ']' : open == '{' ? '}' : 0; }
bool IsClosing(char c) { return c == ')' || c == ']' || c == '}'; }

size_t Indentation(absl::string_view line) {
  size_t n = 0;
  while (n < line.size() && (line[n] == ' ' || line[n] == '\t')) ++n;
  return n;
}

}  // namespace

std::string ProgramEditor::Selected(const Document& document) const { return document.text().substr(selection_begin(), selection_end() - selection_begin()); }

void ProgramEditor::Clamp(const Document& document) {
  const auto size = static_cast<int64_t>(document.text().size());
  caret_ = std::clamp<int64_t>(caret_, 0, size);
  anchor_ = std::clamp<int64_t>(anchor_, 0, size);
}

void ProgramEditor::Place(const Document& document, int64_t offset, bool extend) {
  caret_ = offset;
  opened_ = -1;
  if (!extend) anchor_ = offset;
  cell_ = -1;
  Clamp(document);
}

void ProgramEditor::Select(const Document& document, int64_t begin, int64_t end) {
  anchor_ = begin;
  caret_ = end;
  opened_ = -1;
  cell_ = -1;
  Clamp(document);
}

void ProgramEditor::SelectWord(const Document& document, int64_t offset) {
  const SourceRange word = WordAt(document, offset);
  if (word.end > word.begin) {
    Select(document, word.begin, word.end);
  } else {
    Select(document, offset, Next(document, offset));
  }
}

void ProgramEditor::SelectLine(const Document& document, int line) {
  const int64_t end = line + 1 < document.line_count() ? document.line_begin(line + 1) : static_cast<int64_t>(document.text().size());
  Select(document, document.line_begin(line), end);
}

void ProgramEditor::SelectAll(const Document& document) { Select(document, 0, document.text().size()); }

int64_t ProgramEditor::Next(const Document& document, int64_t at) const {
  const std::string& text = document.text();
  if (at >= static_cast<int64_t>(text.size())) return at;
  return std::min<int64_t>(at + LetterBytes(text[at]), text.size());
}

int64_t ProgramEditor::Previous(const Document& document, int64_t at) const {
  const std::string& text = document.text();
  if (at <= 0) return 0;
  --at;
  while (at > 0 && (static_cast<unsigned char>(text[at]) & 0xc0) == 0x80) --at;
  return at;
}

int64_t ProgramEditor::NextWord(const Document& document, int64_t at) const {
  const std::string& text = document.text();
  const auto size = static_cast<int64_t>(text.size());
  if (at < size && text[at] == '\n') return at + 1;
  if (at < size && IsNameLetter(text[at])) {
    while (at < size && IsNameLetter(text[at])) ++at;
  } else if (at < size && text[at] != '\n' && text[at] != ' ') {
    ++at;
  }
  while (at < size && text[at] == ' ') ++at;
  return at;
}

int64_t ProgramEditor::PreviousWord(const Document& document, int64_t at) const {
  const std::string& text = document.text();
  if (at > 0 && text[at - 1] == '\n') return at - 1;
  while (at > 0 && text[at - 1] == ' ') --at;
  if (at > 0 && IsNameLetter(text[at - 1])) {
    while (at > 0 && IsNameLetter(text[at - 1])) --at;
  } else if (at > 0 && text[at - 1] != '\n') {
    --at;
  }
  return at;
}

void ProgramEditor::Move(const Document& document, CaretMove how, bool extend, int lines) {
  Clamp(document);
  int64_t to = caret_;
  const int line = document.LineAt(caret_);
  const absl::string_view text = document.line(line);
  const int64_t begin = document.line_begin(line);
  bool keep_cell = false;
  switch (how) {
    case CaretMove::kLeft: to = has_selection() && !extend ? selection_begin() : Previous(document, caret_); break;
    case CaretMove::kRight: to = has_selection() && !extend ? selection_end() : Next(document, caret_); break;
    case CaretMove::kWordLeft: to = PreviousWord(document, caret_); break;
    case CaretMove::kWordRight: to = NextWord(document, caret_); break;
    case CaretMove::kHome: {
      const int64_t indented = begin + static_cast<int64_t>(Indentation(text));
      to = caret_ == indented ? begin : indented;
      break;
    }
    case CaretMove::kEnd: to = begin + static_cast<int64_t>(text.size()); break;
    case CaretMove::kTop: to = 0; break;
    case CaretMove::kBottom: to = static_cast<int64_t>(document.text().size()); break;
    case CaretMove::kUp:
    case CaretMove::kDown: {
      if (cell_ < 0) cell_ = CellsTo(text, static_cast<int>(caret_ - begin));
      const int target = how == CaretMove::kUp ? line - lines : line + lines;
      if (target < 0) {
        to = 0;
      } else if (target >= document.line_count()) {
        to = static_cast<int64_t>(document.text().size());
      } else {
        to = document.line_begin(target) + ByteAtCell(document.line(target), cell_);
      }
      keep_cell = true;
      break;
    }
  }
  // "\r\n" is one letter.
  const std::string& all = document.text();
  if (to > 0 && to < static_cast<int64_t>(all.size()) && all[to] == '\n' && all[to - 1] == '\r') to += to > caret_ ? 1 : -1;
  caret_ = to;
  opened_ = -1;
  if (!extend) anchor_ = to;
  if (!keep_cell) cell_ = -1;
}

void ProgramEditor::Replace(Document& document, int64_t begin, int64_t end, absl::string_view text, int64_t caret_after, absl::string_view join) {
  if (closings_version_ != document.version()) closings_.clear();
  document.Replace(begin, end, text, caret_, caret_after, join);
  std::erase_if(closings_, [&](int64_t at) { return at >= begin && at < end; });
  for (int64_t& at : closings_) {
    if (at >= end) at += static_cast<int64_t>(text.size()) - (end - begin);
  }
  closings_version_ = document.version();
  opened_ = -1;
  caret_ = anchor_ = caret_after;
  cell_ = -1;
  Clamp(document);
}

void ProgramEditor::Insert(Document& document, absl::string_view text, absl::string_view join) {
  Clamp(document);
  const int64_t begin = selection_begin();
  const std::string added = WithLineEnds(text, LineEndOf(document.text()));
  Replace(document, begin, selection_end(), added, begin + static_cast<int64_t>(added.size()), join);
}

bool ProgramEditor::TypesOver(const Document& document, char closing) const {
  const std::string& text = document.text();
  if (caret_ >= static_cast<int64_t>(text.size()) || text[caret_] != closing) return false;
  if (closings_version_ == document.version() && absl::c_linear_search(closings_, caret_)) return true;
  // Of the brackets that are open here, all are closed on the rest of the line.
  const int line = document.LineAt(caret_);
  const absl::string_view all = document.line(line);
  const auto column = static_cast<size_t>(caret_ - document.line_begin(line));
  int open = 0, closed = 0, depth = 0;
  for (const char c : all.substr(0, column)) open = Closing(c) == closing ? open + 1 : c == closing ? std::max(0, open - 1) : open;
  for (const char c : all.substr(column)) {
    depth += Closing(c) == closing ? 1 : c == closing ? -1 : 0;
    closed = std::max(closed, -depth);
  }
  return closed >= open;
}

void ProgramEditor::InsertCall(Document& document, absl::string_view name) {
  Insert(document, absl::StrCat(name, "()"));
  caret_ = anchor_ = caret_ - 1;
  closings_.push_back(caret_);
  opened_ = caret_;
}

void ProgramEditor::Type(Document& document, absl::string_view letter) {
  Clamp(document);
  const std::string& text = document.text();
  const auto size = static_cast<int64_t>(text.size());
  const bool opened = std::exchange(opened_, -1) == caret_ && closings_version_ == document.version();
  if (letter == "(" && opened && !has_selection()) return;
  if (letter.size() == 1 && !has_selection()) {
    const char c = letter[0], next = caret_ < size ? text[caret_] : '\n';
    if (IsClosing(c) && TypesOver(document, c)) {
      if (closings_version_ == document.version()) std::erase(closings_, caret_);
      caret_ = anchor_ = caret_ + 1;
      cell_ = -1;
      return;
    }
    const char closing = Closing(c);
    if (closing != 0 && (next == '\n' || next == '\r' || next == ' ' || next == ',' || IsClosing(next))) {
      const std::string both = {c, closing};
      Replace(document, caret_, caret_, both, caret_ + 1, "type");
      closings_.push_back(caret_);
      return;
    }
    if (c == '}') {
      // Closing a computation: to the margin of what it closes.
      const int line = document.LineAt(caret_);
      const absl::string_view before = absl::string_view(text).substr(document.line_begin(line), caret_ - document.line_begin(line));
      if (Indentation(before) == before.size() && before.size() >= 2) {
        Replace(document, caret_ - 2, caret_, "}", caret_ - 1);
        return;
      }
    }
  }
  Insert(document, letter, "type");
}

void ProgramEditor::NewLine(Document& document) {
  Clamp(document);
  const int64_t at = selection_begin();
  const int line = document.LineAt(at);
  const absl::string_view before = absl::string_view(document.text()).substr(document.line_begin(line), at - document.line_begin(line));
  std::string indent(before.substr(0, Indentation(before)));
  const auto last = before.find_last_not_of(" \t");
  const bool opens = last != absl::string_view::npos && before[last] == '{';
  const auto size = static_cast<int64_t>(document.text().size());
  const bool closes = opens && selection_end() < size && document.text()[selection_end()] == '}';
  const absl::string_view line_end = LineEndOf(document.text());
  std::string added = absl::StrCat(line_end, indent, opens ? "  " : "");
  const int64_t caret = at + static_cast<int64_t>(added.size());
  if (closes) absl::StrAppend(&added, line_end, indent);
  Replace(document, at, selection_end(), added, caret);
}

void ProgramEditor::Backspace(Document& document, bool word) {
  Clamp(document);
  if (has_selection()) return Insert(document, "");
  if (caret_ == 0) return;
  int64_t begin = word ? PreviousWord(document, caret_) : Previous(document, caret_);
  int64_t end = caret_;
  const std::string& text = document.text();
  if (!word) {
    const int line = document.LineAt(caret_);
    const absl::string_view before = absl::string_view(text).substr(document.line_begin(line), caret_ - document.line_begin(line));
    if (before.size() >= 2 && before.size() % 2 == 0 && Indentation(before) == before.size() && before.back() == ' ') begin = caret_ - 2;
    if (end < static_cast<int64_t>(text.size()) && Closing(text[begin]) != 0 && text[end] == Closing(text[begin]) && end - begin == 1) ++end;
    if (text[begin] == '\n' && begin > 0 && text[begin - 1] == '\r') --begin;
  }
  Replace(document, begin, end, "", begin);
}

void ProgramEditor::Delete(Document& document, bool word) {
  Clamp(document);
  if (has_selection()) return Insert(document, "");
  int64_t end = word ? NextWord(document, caret_) : Next(document, caret_);
  const std::string& text = document.text();
  if (end < static_cast<int64_t>(text.size()) && end > 0 && text[end - 1] == '\r' && text[end] == '\n') ++end;
  Replace(document, caret_, end, "", caret_);
}

void ProgramEditor::SelectedLines(const Document& document, int* first, int* last) const {
  *first = document.LineAt(selection_begin());
  *last = document.LineAt(selection_end());
  if (*last > *first && document.line_begin(*last) == selection_end()) --*last;
}

void ProgramEditor::Indent(Document& document, bool less) {
  Clamp(document);
  int first = 0, last = 0;
  SelectedLines(document, &first, &last);
  if (first == last && !less && !has_selection()) {
    const int64_t column = caret_ - document.line_begin(first);
    return Insert(document, column % 2 == 0 ? "  " : " ");
  }
  const absl::string_view line_end = LineEndOf(document.text());
  std::string text;
  for (int k = first; k <= last; ++k) {
    absl::string_view line = document.line(k);
    if (less) {
      line.remove_prefix(std::min<size_t>(2, Indentation(line)));
    } else if (!line.empty()) {
      text += "  ";
    }
    absl::StrAppend(&text, line, k < last ? line_end : "");
  }
  const int64_t begin = document.line_begin(first), end = document.line_begin(last) + static_cast<int64_t>(document.line(last).size());
  const bool one = !has_selection();
  const int64_t after = one ? std::max(begin, caret_ + static_cast<int64_t>(text.size()) - (end - begin)) : begin + static_cast<int64_t>(text.size());
  Replace(document, begin, end, text, after);
  if (!one) Select(document, begin, begin + static_cast<int64_t>(text.size()));
}

void ProgramEditor::ToggleComment(Document& document) {
  Clamp(document);
  int first = 0, last = 0;
  SelectedLines(document, &first, &last);
  bool all = true;
  for (int k = first; k <= last; ++k) {
    const absl::string_view line = document.line(k);
    const size_t margin = Indentation(line);
    if (margin < line.size() && !absl::StartsWith(line.substr(margin), "//")) all = false;
  }
  const absl::string_view line_end = LineEndOf(document.text());
  std::string text;
  for (int k = first; k <= last; ++k) {
    const absl::string_view line = document.line(k);
    const size_t margin = Indentation(line);
    absl::string_view rest = line.substr(margin);
    absl::StrAppend(&text, line.substr(0, margin));
    if (all && !rest.empty()) {
      rest.remove_prefix(rest.size() > 2 && rest[2] == ' ' ? 3 : 2);
    } else if (!rest.empty()) {
      text += "// ";
    }
    absl::StrAppend(&text, rest, k < last ? line_end : "");
  }
  const bool one = !has_selection();
  const int64_t begin = document.line_begin(first), end = document.line_begin(last) + static_cast<int64_t>(document.line(last).size());
  const int64_t after = one ? std::max(begin, caret_ + static_cast<int64_t>(text.size()) - (end - begin)) : begin + static_cast<int64_t>(text.size());
  Replace(document, begin, end, text, after);
  if (!one) Select(document, begin, begin + static_cast<int64_t>(text.size()));
}

void ProgramEditor::MoveLines(Document& document, bool down) {
  Clamp(document);
  int first = 0, last = 0;
  SelectedLines(document, &first, &last);
  if (down ? last + 1 >= document.line_count() : first == 0) return;
  const int other = down ? last + 1 : first - 1;
  const absl::string_view line_end = LineEndOf(document.text());
  std::string moved;
  for (int k = first; k <= last; ++k) absl::StrAppend(&moved, k > first ? line_end : "", document.line(k));
  const std::string neighbour(document.line(other));
  const std::string text = down ? absl::StrCat(neighbour, line_end, moved) : absl::StrCat(moved, line_end, neighbour);
  const int top = std::min(first, other), bottom = std::max(last, other);
  const int64_t begin = document.line_begin(top), end = document.line_begin(bottom) + static_cast<int64_t>(document.line(bottom).size());
  const auto over = static_cast<int64_t>(neighbour.size() + line_end.size());
  const int64_t shift = down ? over : -over;
  const int64_t anchor = anchor_ + shift, caret = caret_ + shift;
  Replace(document, begin, end, text, caret);
  Select(document, anchor, caret);
}

void ProgramEditor::DuplicateLines(Document& document) {
  Clamp(document);
  int first = 0, last = 0;
  SelectedLines(document, &first, &last);
  const int64_t begin = document.line_begin(first), end = document.line_begin(last) + static_cast<int64_t>(document.line(last).size());
  const std::string text = absl::StrCat(LineEndOf(document.text()), document.text().substr(begin, end - begin));
  Replace(document, end, end, text, caret_ + static_cast<int64_t>(text.size()));
}

void ProgramEditor::Undo(Document& document) {
  const Document::Cursor cursor = document.Undo();
  if (cursor.moved) caret_ = anchor_ = cursor.at;
  Clamp(document);
}

void ProgramEditor::Redo(Document& document) {
  const Document::Cursor cursor = document.Redo();
  if (cursor.moved) caret_ = anchor_ = cursor.at;
  Clamp(document);
}

void ProgramEditor::ReplaceAll(Document& document, absl::string_view text) {
  Clamp(document);
  const int line = document.LineAt(caret_);
  document.Replace(0, static_cast<int64_t>(document.text().size()), WithLineEnds(text, LineEndOf(document.text())), caret_, 0);
  const int to = std::min(line, document.line_count() - 1);
  caret_ = anchor_ = document.line_begin(to);
  cell_ = -1;
}

}  // namespace hloscope
