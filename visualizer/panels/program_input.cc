// The mouse and the keys in the program's text.
#include <algorithm>
#include <cmath>

#include "absl/algorithm/container.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "core/text/mlir/mlir.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/panels/program_syntax.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {

int ProgramPanel::LineAtY(const Document& document, float y) const {
  const int row = static_cast<int>(std::floor((static_cast<double>(y) - geometry_.min.y + geometry_.scroll_y) / geometry_.line));
  if (row < 0) return 0;
  return row >= row_count(document) ? -1 : LineOfRow(row);
}

int64_t ProgramPanel::OffsetAt(const Document& document, ImVec2 mouse) const {
  const int line = LineAtY(document, mouse.y);
  if (line < 0) return static_cast<int64_t>(document.text().size());
  return document.line_begin(line) + cells_.ByteAtCell(document, line, std::max(0, static_cast<int>(geometry_.CellsAt(mouse.x) + 0.5)));
}

void ProgramPanel::HandleMouse(PanelContext& context) {
  const Document& document = context.document;
  const ImGuiIO& io = ImGui::GetIO();
  const ImVec2 mouse = io.MousePos;
  const int64_t before_hover = hover_offset_;
  hover_offset_ = -1;
  hover_line_ = -1;
  if (document.empty()) return;
  if (text_hovered_ && (!ImGui::IsItemActive() || ImGui::IsItemClicked(0) || ImGui::IsItemClicked(1))) {
    hover_line_ = LineAtY(document, mouse.y);
    if (hover_line_ >= 0 && geometry_.CellsAt(mouse.x) >= 0 && mouse.x > geometry_.min.x + geometry_.gutter) {
      const absl::string_view text = document.line(hover_line_);
      const int byte = cells_.ByteAtCell(document, hover_line_, static_cast<int>(geometry_.CellsAt(mouse.x)));
      if (byte < static_cast<int>(text.size())) hover_offset_ = document.line_begin(hover_line_) + byte;
      ImGui::SetMouseCursor(ImGuiMouseCursor_TextInput);
    }
  }
  if (hover_offset_ >= 0) {
    const SourceRange word = WordAt(document, hover_offset_);
    if (word.begin != hover_range_.begin || word.end != hover_range_.end || before_hover < 0) {
      hover_range_ = word;
      hover_since_ = ImGui::GetTime();
    }
  } else {
    hover_range_ = {};
  }
  const Symbol symbol = hover_offset_ >= 0 ? index_->SymbolAt(document, hover_offset_) : Symbol();
  if (hover_line_ >= 0) {
    const Instruction* hovered = symbol.instruction;
    if (hovered == nullptr && hover_offset_ >= 0) hovered = index_->At(hover_offset_);
    if (hovered == nullptr) {
      const std::vector<const Instruction*> on_line = index_->Beginning(
          document.line_begin(hover_line_), document.line_begin(hover_line_) + static_cast<int64_t>(document.line(hover_line_).size()) + 1);
      if (on_line.size() == 1) hovered = on_line[0];
    }
    if (const Instruction* running = index_->Running(hovered)) context.selection.hover_next = running;
  }
  // Links.
  if (symbol && io.KeyCtrl) {
    ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
    const float y = geometry_.Y(RowOf(document.LineAt(symbol.range.begin))) + geometry_.line - ui::Px(3);
    ImGui::GetWindowDrawList()->AddLine({XOf(document, symbol.range.begin), y}, {XOf(document, symbol.range.end), y}, ui::Colors().blue);
  }
  const bool in_gutter = mouse.x < geometry_.min.x + geometry_.gutter - ui::Px(22);
  const bool in_fold = !in_gutter && mouse.x < geometry_.min.x + geometry_.gutter;
  if (ImGui::IsItemClicked(0)) {
    offering_ = false;
    const int line = LineAtY(document, mouse.y);
    if (line >= 0 && mouse.x < geometry_.min.x + ui::Px(24)) {
      for (const LineParts& parts : lines_) {
        if (parts.line != line) continue;
        for (const Instruction* running : parts.running) {
          if (running == nullptr) continue;
          ToggleBreakpoint(context, running);
          break;
        }
        break;
      }
    } else if (line >= 0 && in_gutter) {
      editor_.SelectLine(document, line);
      SelectAtCaret(context, /*clicked=*/true);
    } else if (line >= 0 && in_fold && FoldAt(line) != nullptr) {
      ToggleFold(document, line);
    } else {
      const int64_t offset = OffsetAt(document, mouse);
      if (io.KeyCtrl && hover_offset_ >= 0) {
        GoToDefinition(context, hover_offset_);
      } else if (ImGui::IsMouseDoubleClicked(0)) {
        editor_.SelectWord(document, hover_offset_ >= 0 ? hover_offset_ : offset);
      } else {
        // A click on what is folded opens it.
        const FoldRegion* fold = line >= 0 ? FoldAt(line) : nullptr;
        const std::string header(line >= 0 ? document.line(line) : "");
        if (fold != nullptr && folded_.count(header) > 0 && geometry_.CellsAt(mouse.x) > static_cast<double>(header.size()))
          ToggleFold(document, line);
        editor_.Place(document, offset, io.KeyShift);
        dragging_ = true;
        SelectAtCaret(context, /*clicked=*/true);
      }
    }
  }
  if (dragging_) {
    if (!ImGui::IsMouseDown(0)) {
      dragging_ = false;
    } else if (ImGui::IsMouseDragging(0, ui::Px(3))) {
      editor_.Place(document, OffsetAt(document, mouse), true);
      // Beyond the edge it goes on.
      const auto over = [](float at, float low, float high) { return at < low ? at - low : at > high ? at - high : 0; };
      const float down = over(mouse.y, geometry_.min.y, geometry_.max.y),
                  across = over(mouse.x, geometry_.min.x + geometry_.gutter, geometry_.max.x);
      if (down != 0) ImGui::SetScrollY(std::clamp(ImGui::GetScrollY() + down * 0.5f, 0.0f, ImGui::GetScrollMaxY()));
      if (across != 0) ImGui::SetScrollX(std::clamp(ImGui::GetScrollX() + across * 0.5f, 0.0f, ImGui::GetScrollMaxX()));
      if (down != 0 || across != 0) ui::WantFrame();
    }
  }
  if (ImGui::IsItemClicked(1)) {
    menu_line_ = LineAtY(document, mouse.y);
    menu_offset_ = OffsetAt(document, mouse);
    menu_instruction_ = nullptr;
    for (const LineParts& parts : lines_) {
      if (parts.line != menu_line_) continue;
      for (const Instruction* running : parts.running) {
        if (menu_instruction_ == nullptr) menu_instruction_ = running;
      }
    }
    menu_condition_.clear();
    if (menu_instruction_ != nullptr) {
      if (const StopRow* stop = StopAt(context.now, menu_instruction_)) menu_condition_ = stop->condition;
    }
    ImGui::OpenPopup(mouse.x < geometry_.min.x + geometry_.gutter ? "gutter menu" : "text menu");
    if (mouse.x >= geometry_.min.x + geometry_.gutter && !editor_.has_selection()) editor_.Place(document, menu_offset_, false);
  }
}

void ProgramPanel::KeepCaretSeen(const Document& document) {
  Unfold(document, document.LineAt(editor_.caret()));
  ScrollTo(document.LineAt(editor_.caret()), false);
  // In pixels of the whole line, which may be longer than a float counts in ones.
  const double x = CellAt(document, editor_.caret()) * static_cast<double>(geometry_.cell), margin = 8.0 * geometry_.cell;
  const double room = geometry_.text_right - geometry_.min.x - geometry_.gutter - geometry_.cell;
  if (room <= ui::Px(40)) return;
  if (x < geometry_.scroll_x + geometry_.cell) {
    ImGui::SetScrollX(x < room - margin ? 0 : static_cast<float>(x - margin));
  } else if (x > geometry_.scroll_x + room) {
    ImGui::SetScrollX(static_cast<float>(x - room + margin));
  }
}

void ProgramPanel::AfterEdit(PanelContext& context) {
  index_->Update(context.now, context.document);
  folds_changed_ = true;
  UpdateRows(context.document);
  iteration_ = -1;
  KeepCaretSeen(context.document);
}

void ProgramPanel::UpdateCompletion(PanelContext& context, bool asked) {
  const Document& document = context.document;
  const int64_t caret = editor_.caret();
  const int line = document.LineAt(caret);
  const absl::string_view before = document.line(line).substr(0, static_cast<size_t>(caret - document.line_begin(line)));
  if (before.size() > 4000) {
    offering_ = false;
    return;
  }
  const Computation* home = index_->ComputationAt(document.line_begin(line));
  if (home == nullptr) {
    // The line is new: the computation around it holds a line above.
    for (int k = line - 1; k >= 0 && k > line - 50 && home == nullptr; --k) home = index_->ComputationAt(document.line_begin(k));
  }
  if (mlir::LooksLikeMlir(document.text())) {
    // Names are those of the function that is typed in: from its head on.
    const absl::string_view all(document.text());
    const size_t at = all.substr(0, static_cast<size_t>(document.line_begin(line))).rfind("func");
    const size_t from = at == absl::string_view::npos ? 0 : at;
    const size_t most = 1 << 20;
    offered_ = CompleteStableHlo(before, all.substr(from, std::min(most, static_cast<size_t>(document.line_begin(line)) - from)), asked);
  } else {
    // What stands above the line: its operands are there.
    const Instruction* above = nullptr;
    for (int k = line - 1; k >= 0 && k > line - 50 && above == nullptr; --k) {
      const int64_t begin = document.line_begin(k);
      for (const Instruction* i : index_->Beginning(begin, begin + static_cast<int64_t>(document.line(k).size()) + 1)) {
        if (i->parent == home) above = i;
      }
    }
    offered_ = Complete(before, index_->module(), home, above, asked);
  }
  offered_at_ = 0;
  offering_ = !offered_.items.empty();
}

void ProgramPanel::AcceptCompletion(PanelContext& context) {
  if (!offering_ || offered_at_ >= static_cast<int>(offered_.items.size())) return;
  const CompletionItem item = offered_.items[offered_at_];
  offering_ = false;
  Document& document = context.document;
  const int64_t caret = editor_.caret();
  // What closes a bracket of the replaced letters goes with them: the whole shape takes the place of `f32[4,]`.
  const std::string& text = document.text();
  const auto size = static_cast<int64_t>(text.size());
  const absl::string_view replaced =
      absl::string_view(text).substr(static_cast<size_t>(caret - offered_.replace), static_cast<size_t>(offered_.replace));
  int64_t end = caret;
  if (absl::c_count(replaced, '[') > absl::c_count(replaced, ']') && end < size && text[end] == ']') ++end;
  const char next = end < size ? text[end] : '\n';
  editor_.Select(document, caret - offered_.replace, end);
  if (item.kind == CompletionItem::kOpcode && next != '(') {
    editor_.InsertCall(document, item.text);
  } else if (item.kind == CompletionItem::kShape && next != ' ') {
    editor_.Insert(document, absl::StrCat(item.text, " "));
  } else {
    editor_.Insert(document, item.text);
  }
  AfterEdit(context);
  if (item.kind == CompletionItem::kOpcode) UpdateCompletion(context, true);  // its operands are next
}

bool ProgramPanel::HandleCompletionKeys(PanelContext& context) {
  if (!offering_) return false;
  const int count = static_cast<int>(offered_.items.size());
  if (ui::Pressed("Down", true)) {
    offered_at_ = (offered_at_ + 1) % count;
  } else if (ui::Pressed("Up", true)) {
    offered_at_ = (offered_at_ + count - 1) % count;
  } else if (ui::Pressed("Enter") || ui::Pressed("Tab")) {
    AcceptCompletion(context);
  } else if (ui::Pressed("Escape")) {
    offering_ = false;
  } else {
    return false;
  }
  return true;
}

void ProgramPanel::HandleLetters(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  if ((io.KeyCtrl && !io.KeyAlt) || io.InputQueueCharacters.empty()) return;
  std::string letter;                                // the last one
  for (const ImWchar c : io.InputQueueCharacters) {  // several, where one types faster than frames are drawn
    if (c < 32 || c == 127) continue;
    letter.clear();
    if (c < 0x80) {
      letter += static_cast<char>(c);
    } else if (c < 0x800) {
      letter += static_cast<char>(0xc0 | (c >> 6));
      letter += static_cast<char>(0x80 | (c & 0x3f));
    } else {
      letter += static_cast<char>(0xe0 | (c >> 12));
      letter += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
      letter += static_cast<char>(0x80 | (c & 0x3f));
    }
    editor_.Type(context.document, letter);
  }
  if (letter.empty()) return;
  AfterEdit(context);
  const char last = letter.back();
  if (IsNameLetter(last) || last == '[' || last == ',') {
    UpdateCompletion(context, false);
  } else if (last == '(' || last == '=' ) {
    UpdateCompletion(context, true);
  } else if (last == ' ') {
    // Behind `, ` and a shape something can be offered at once.
    const int64_t caret = editor_.caret();
    const std::string& text = context.document.text();
    offering_ = false;
    if (caret >= 2 && (text[caret - 2] == ',' || text[caret - 2] == ']')) UpdateCompletion(context, true);
  } else {
    offering_ = false;
  }
}

bool ProgramPanel::MendAtCaret(PanelContext& context) {
  Document& document = context.document;
  const int line = document.LineAt(editor_.caret());
  for (const ProgramIndex::Problem& problem : index_->problems()) {
    std::string word = SuggestedWord(problem.diagnostic.hint);
    if (word.empty() || !problem.range.valid() || document.LineAt(problem.range.begin) != line) continue;
    // What the diagnostic is about, without a sign before it or quotes round it.
    const std::string& text = document.text();
    int64_t end = problem.range.end;
    while (end > problem.range.begin && !IsNameLetter(text[end - 1])) --end;
    SourceRange wrong = WordAt(document, end);
    // A shape stands for all of another.
    if (std::any_of(word.begin() + 1, word.end(), [](char c) { return !IsNameLetter(c); })) wrong = problem.range;
    if (wrong.end <= wrong.begin) continue;
    // %3#1 is one name.
    if (wrong.begin > problem.range.begin && text[wrong.begin - 1] == '#') wrong.begin = WordAt(document, wrong.begin - 1).begin;
    if (word.size() > 1 && wrong.begin > 0 && text[wrong.begin - 1] == word[0] && !IsNameLetter(word[0])) word.erase(0, 1);
    editor_.Select(document, wrong.begin, wrong.end);
    editor_.Insert(document, word);
    return true;
  }
  return false;
}

void ProgramPanel::HandleKeys(PanelContext& context) {
  const ImGuiIO& io = ImGui::GetIO();
  has_keyboard_ = ImGui::IsWindowFocused() && !io.WantTextInput && !ImGui::IsPopupOpen(nullptr, ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel);
  Document& document = context.document;
  if (!has_keyboard_) {
    offering_ = false;
    return;
  }
  constexpr int kFirstModifier = 340;  // of GLFW's keys: these alone type nothing
  for (int key = 0; key < kFirstModifier; ++key) {
    if (io.KeysDownDuration[key] == 0) typed_at_ = io.MousePos;
  }
  if (!io.InputQueueCharacters.empty()) typed_at_ = io.MousePos;
  if (HandleCompletionKeys(context)) return;
  const uint64_t version = document.version();
  const int64_t caret = editor_.caret();
  const int page = std::max(1, static_cast<int>((geometry_.max.y - geometry_.min.y) / geometry_.line) - 2);
  const auto pressed = [](const char* chord) { return ui::Pressed(chord, true); };
  const auto moves = [&](const char* chord, CaretMove how, int lines = 1) {
    const std::string with_shift = absl::StrCat(absl::StartsWith(chord, "Ctrl+") ? "Ctrl+Shift+" : "Shift+", absl::StartsWith(chord, "Ctrl+") ? chord + 5 : chord);
    if (pressed(chord)) {
      editor_.Move(document, how, false, lines);
    } else if (pressed(with_shift.c_str())) {
      editor_.Move(document, how, true, lines);
    } else {
      return false;
    }
    KeepCaretSeen(document);
    return true;
  };
  bool moved = moves("Left", CaretMove::kLeft) || moves("Right", CaretMove::kRight) || moves("Ctrl+Left", CaretMove::kWordLeft) || moves("Ctrl+Right", CaretMove::kWordRight) ||
               moves("Home", CaretMove::kHome) || moves("End", CaretMove::kEnd) || moves("Ctrl+Home", CaretMove::kTop) || moves("Ctrl+End", CaretMove::kBottom);
  if (!rows_.empty() && !moved) {
    // Over what is folded.
    const auto by_rows = [&](const char* chord, int rows) {
      const std::string with_shift = absl::StrCat("Shift+", chord);
      const bool plain = pressed(chord);
      if (!plain && !pressed(with_shift.c_str())) return false;
      const int line = document.LineAt(editor_.caret());
      const int to = LineOfRow(std::clamp(RowOf(line) + rows, 0, row_count(document) - 1));
      editor_.Move(document, to < line ? CaretMove::kUp : CaretMove::kDown, !plain, std::abs(to - line));
      KeepCaretSeen(document);
      return true;
    };
    moved = by_rows("Up", -1) || by_rows("Down", 1) || by_rows("PageUp", -page) || by_rows("PageDown", page);
  } else if (!moved) {
    moved = moves("Up", CaretMove::kUp) || moves("Down", CaretMove::kDown) || moves("PageUp", CaretMove::kUp, page) || moves("PageDown", CaretMove::kDown, page);
  }
  if (moved) {
    offering_ = false;
    if (editor_.caret() != caret && document.LineAt(editor_.caret()) != document.LineAt(caret)) SelectAtCaret(context);
    return;
  }
  if (pressed("Enter") || pressed("Shift+Enter")) {
    editor_.NewLine(document);
  } else if (pressed("Backspace") || pressed("Shift+Backspace")) {
    editor_.Backspace(document, false);
  } else if (pressed("Ctrl+Backspace")) {
    editor_.Backspace(document, true);
  } else if (pressed("Delete")) {
    editor_.Delete(document, false);
  } else if (pressed("Ctrl+Delete")) {
    editor_.Delete(document, true);
  } else if (pressed("Tab")) {
    editor_.Indent(document, false);
  } else if (pressed("Shift+Tab")) {
    editor_.Indent(document, true);
  } else if (pressed("Alt+Up")) {
    editor_.MoveLines(document, false);
  } else if (pressed("Alt+Down")) {
    editor_.MoveLines(document, true);
  } else if (ui::Pressed("Ctrl+Insert")) {
    context.run("window program copy");
  } else if (ui::Pressed("Shift+Delete")) {
    context.run("window program cut");
  } else if (pressed("Shift+Insert")) {
    context.run("window program paste");
  } else if (ui::Pressed("Ctrl+S")) {
    // The window saves; what runs follows.
    if (document.changed() && index_->errors() == 0) context.run("window program apply");
  } else if (ui::Pressed("Shift+Alt+F")) {
    context.run("window program format");
  } else if (ui::Pressed("Escape")) {
    if (find_open_ || !uses_of_.empty()) {
      find_open_ = false;
      uses_of_.clear();
    } else {
      editor_.Place(document, editor_.caret(), false);
      card_away_ = document.version();
    }
  } else {
    HandleLetters(context);
    return;
  }
  if (document.version() != version) {
    AfterEdit(context);
    if (offering_) UpdateCompletion(context, false);
  }
}

}  // namespace hloscope
