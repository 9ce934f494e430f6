// Replacing what the bar finds, and renaming a name with all its uses. What the text becomes is the model's (program_replace.h,
// build_edit.h).
#include "visualizer/model/program_replace.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "visualizer/model/build_command.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/rename_stablehlo.h"
#include "visualizer/model/run_progress_text.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {

void ProgramPanel::DrawReplaceRow(PanelContext& context, float y, float field, bool narrow) {
  const bool can = !matches_.empty();
  ImGui::SetCursorPos({ui::Px(30), y});
  if (replace_focus_) ui::FocusNext();
  replace_focus_ = false;
  ui::Field("with", &replacement_, query_.kind == SearchKind::kRegex ? "Replace with; $1 is the first (...)" : "Replace with",
            field / ui::TheLook().scale);
  const bool active = ImGui::IsItemActive() || ImGui::IsItemDeactivated();
  if (active && ui::Pressed("Escape")) {
    find_open_ = false;
    focus_text_ = true;
  } else if (active && ui::Pressed("Ctrl+Alt+Enter")) {
    RunReplace(context, false);
  } else if (active && ui::Pressed("Enter", true)) {
    RunReplace(context, true);
    replace_focus_ = true;
  }
  ImGui::SameLine(0, ui::Px(8));
  ImGui::SetCursorPosY(y - ui::Px(1));
  if (ui::Button("one", narrow ? "One" : "Replace", ui::Icon::kNone, ui::ButtonKind::kPlain,
                 "replaces the one that is marked, and goes to the next (Enter)", can))
    RunReplace(context, true);
  ImGui::SameLine(0, ui::Px(4));
  ImGui::SetCursorPosY(y - ui::Px(1));
  if (ui::Button("all", narrow ? "All" : "Replace all", ui::Icon::kNone, ui::ButtonKind::kPlain,
                 "replaces all of them; one step of undo (Ctrl+Alt+Enter)", can))
    RunReplace(context, false);
}

void ProgramPanel::RunReplace(PanelContext& context, bool one) {
  if (matches_.empty()) return;
  context.run(absl::StrCat("window replace ", ToString({AskedQuery(), replacement_, one})));
}

void ProgramPanel::Replace(PanelContext& context, absl::string_view words, std::string* error) {
  Document& document = context.document;
  if (words.empty()) {
    const bool open = find_open_ && !query_.pattern.empty();
    OpenFind(context, "");
    replace_open_ = true;
    // What is looked for first, unless it stands there.
    replace_focus_ = open;
    find_focus_ = find_select_ = !open;
    return;
  }
  const absl::StatusOr<ReplaceOrder> order = ParseReplaceOrder(words);
  if (!order.ok()) {
    *error = std::string(order.status().message());
    return;
  }
  SearchResult searched;
  const bool known =
      found_ != nullptr && search_.version() == document.version() && !search_.busy() && AskedQuery() == order->query && uses_of_.empty();
  if (!known) searched = Search(document.text(), order->query);
  const SearchResult& result = known ? *found_ : searched;
  if (!result.error.empty() || result.places.empty()) {
    *error = !result.error.empty()
                 ? result.error
                 : absl::StrCat("there is no '", order->query.pattern, "'", order->query.match_case ? " in these letters" : "");
    return;
  }
  absl::Span<const SourceRange> places = result.places;
  if (order->one) {
    const auto next = std::lower_bound(places.begin(), places.end(), editor_.selection_begin(),
                                       [](const SourceRange& r, int64_t at) { return r.begin < at; });
    places = places.subspan(next == places.end() ? 0 : static_cast<size_t>(next - places.begin()), 1);
  }
  const Replacement made = ReplacePlaces(document.text(), order->query, places, order->with);
  editor_.Replace(document, made.begin, made.end, made.text, made.begin + static_cast<int64_t>(order->one ? made.text.size() : 0));
  AfterEdit(context);
  if (!order->one) {
    context.engine.AddConsole(ConsoleLine::kNote, absl::StrCat(GroupedCount(places.size()), places.size() == 1 ? " place" : " places",
                                                               " replaced", result.cut ? "; there are more" : ""));
  }
  find_jump_ = find_open_ && order->one;
}

// -- Renaming --

void ProgramPanel::OpenRename(PanelContext& context, std::string* error) {
  const Document& document = context.document;
  int64_t at = editor_.caret();
  if (!build::IsHloText(document.text())) {
    const SourceRange word = StableHloNameAt(document.text(), at);
    if (!word.valid()) {
      *error = "put the caret on the name of a value (%x) or a function (@f)";
      return;
    }
    return OpenRenameBox(document, word.begin, document.text().substr(word.begin + 1, word.end - word.begin - 1));
  }
  if (!index_->SymbolAt(document, at)) {
    // What is selected in all panels is meant where the caret is at nothing.
    const Instruction* shown = index_->Shown(context.selection.instruction);
    const SourceRange range = shown != nullptr ? index_->NameRangeOf(*shown) : SourceRange();
    if (!range.valid()) {
      *error = "put the caret on the name of an instruction or a computation";
      return;
    }
    GoTo(context, range.begin, range.begin);
    at = range.begin;
  }
  const Symbol symbol = index_->SymbolAt(document, at);
  OpenRenameBox(document, symbol.range.begin,
                std::string(symbol.instruction != nullptr ? symbol.instruction->name : symbol.computation->name));
}

void ProgramPanel::OpenRenameBox(const Document& document, int64_t at, const std::string& name) {
  rename_at_ = at;
  rename_of_ = rename_to_ = name;
  rename_send_ = FieldCommand();
  rename_opened_ = true;
  ScrollTo(document.LineAt(at), false);
}

// `words`: [%x] NAME, or [@f] NAME.
void ProgramPanel::RenameStableHlo(PanelContext& context, absl::string_view words, std::string* error) {
  Document& document = context.document;
  const std::string& text = document.text();
  const size_t space = words.find(' ');
  absl::string_view name = absl::StripAsciiWhitespace(space == absl::string_view::npos ? words : words.substr(space));
  SourceRange word = StableHloNameAt(text, editor_.caret());
  if (space != absl::string_view::npos) {
    const std::string old(words.substr(0, space));
    word = {};
    for (size_t at = text.find(old); at != std::string::npos && !word.valid(); at = text.find(old, at + 1)) {
      const SourceRange found = StableHloNameAt(text, static_cast<int64_t>(at) + 1);
      if (found.valid() && text.substr(found.begin, found.end - found.begin) == old) word = found;
    }
    if (!word.valid()) *error = absl::StrCat("nothing is called ", old, "; write a value as %x, a function as @f");
  } else if (!word.valid()) {
    *error = "put the caret on the name of a value (%x) or a function (@f), or say which: rename %x NAME";
  }
  if (!error->empty()) return;
  if (const absl::Status named = CheckStableHloName(text, word, name); !named.ok()) {
    *error = std::string(named.message());
    return;
  }
  if (name[0] == text[word.begin]) name.remove_prefix(1);
  const std::vector<SourceRange> uses = StableHloUses(text, word);
  const std::string whole = absl::StrCat(text.substr(word.begin, 1), name);
  const int64_t caret = editor_.caret(), grown = static_cast<int64_t>(whole.size()) - (word.end - word.begin);
  // The caret stays at its word, else at its letter.
  const bool here = caret >= word.begin && caret <= word.end;
  const int64_t before =
      std::count_if(uses.begin(), uses.end(), [&](SourceRange use) { return here ? use.begin < word.begin : use.end <= caret; });
  const Replacement made = ReplacePlaces(text, SearchQuery(), uses, whole);
  editor_.Replace(document, made.begin, made.end, made.text, made.begin);
  editor_.Place(document, (here ? word.begin + 1 : caret) + before * grown, false);
  AfterEdit(context);
}

void ProgramPanel::Rename(PanelContext& context, absl::string_view words, std::string* error) {
  Document& document = context.document;
  if (words.empty()) return OpenRename(context, error);
  if (!build::IsHloText(document.text())) return RenameStableHlo(context, words, error);
  const std::shared_ptr<const Reading> reading = document.FreshReading();
  if (reading == nullptr || reading->module == nullptr) {
    *error = "the text is still being read; try again in a moment";
    return;
  }
  const size_t space = words.find(' ');
  const absl::string_view name = absl::StripAsciiWhitespace(space == absl::string_view::npos ? words : words.substr(space));
  Symbol symbol = index_->SymbolAt(document, editor_.caret());
  if (!symbol && space == absl::string_view::npos) {  // what is selected in all panels
    symbol.instruction = index_->Shown(context.selection.instruction);
    if (symbol) symbol.range = index_->NameRangeOf(*symbol.instruction);
  }
  const Instruction* of = nullptr;
  const Computation* computation = nullptr;
  if (space != absl::string_view::npos) {
    const absl::string_view old = words.substr(0, space);
    if (!absl::StartsWith(old, "%")) {  // two words may have been meant as a name
      *error = absl::StrCat("'", words, "' is no name; window rename %", words, " renames ", old);
      return;
    }
    const Computation* home =
        reading->module->FindComputation(context.now.frame() != nullptr ? context.now.frame()->computation->name : "");
    of = build::FindIn(*reading, home, old);
    if (of == nullptr) computation = reading->module->FindComputation(absl::StripPrefix(old, "%"));
    if (of == nullptr && computation == nullptr) *error = absl::StrCat("nothing is called ", old);
  } else if (symbol) {
    computation =
        reading->module->FindComputation(symbol.instruction != nullptr ? symbol.instruction->parent->name : symbol.computation->name);
    if (symbol.instruction != nullptr && computation != nullptr) of = computation->FindInstruction(symbol.instruction->name);
    if (of == nullptr && (symbol.instruction != nullptr || computation == nullptr)) *error = "the text has changed meanwhile; try again";
  } else {
    *error = "put the caret on the name of an instruction or a computation, or say which: rename %x NAME";
  }
  if (!error->empty()) return;
  const absl::StatusOr<build::TextEdit> edit =
      of != nullptr ? build::Rename(*reading, *of, name) : build::RenameComputation(*reading, *computation, name);
  if (!edit.ok()) {
    *error = std::string(edit.status().message());
    return;
  }
  // The caret stays at its word, as many letters on as the uses before it have grown; else in its line.
  const int line = document.LineAt(editor_.caret());
  const int64_t column = editor_.caret() - document.line_begin(line);
  const absl::string_view old = of != nullptr ? of->name : computation->name;
  const bool here = symbol && (symbol.instruction != nullptr ? of != nullptr && symbol.instruction->name == of->name
                                                             : of == nullptr && symbol.computation->name == computation->name);
  int64_t caret = -1;
  if (here) {
    const std::vector<SourceRange> uses = index_->UsesOf(symbol);
    const int64_t before = std::count_if(uses.begin(), uses.end(), [&](const SourceRange& use) { return use.begin < symbol.range.begin; });
    caret = symbol.range.begin + before * (static_cast<int64_t>(name.size()) - static_cast<int64_t>(old.size()));
  }
  editor_.Replace(document, edit->begin, edit->end, edit->text, edit->cursor);
  if (caret < 0)
    caret = document.line_begin(std::min(line, document.line_count() - 1)) +
            std::min<int64_t>(column, static_cast<int64_t>(document.line(line).size()));
  editor_.Place(document, caret, false);
  AfterEdit(context);
}

void ProgramPanel::DrawRename(PanelContext& context) {
  if (rename_opened_) ImGui::OpenPopup("rename");
  float x = 0, y = 0;
  if (rename_at_ >= 0 && Seen(context.document, rename_at_, &x, &y))
    ImGui::SetNextWindowPos({std::max(x, geometry_.min.x + ui::Px(8)), y + geometry_.line});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(8), ui::Px(8)});
  if (ImGui::BeginPopup("rename")) {
    ui::TagScope scope("rename");
    if (rename_opened_) ui::FocusNext();
    rename_opened_ = false;
    bool entered = false;
    rename_send_.GiveKeyboard();
    ui::Field("name", &rename_to_, "the new name", 260, &entered, true);
    const std::string name(absl::StripAsciiWhitespace(rename_to_));
    bool done = entered && name == rename_of_;
    if (entered && !done && !name.empty()) {
      // What is no name is not sent: in a command a second word would mean something else.
      const std::string& text = context.document.text();
      const absl::Status named =
          build::IsHloText(text) ? build::CheckName(name) : CheckStableHloName(text, StableHloNameAt(text, rename_at_), name);
      if (!named.ok()) {
        rename_send_.Refuse(named.message(), rename_to_);
      } else {
        editor_.Place(context.document, rename_at_, false);
        rename_send_.Send(context, absl::StrCat("window rename ", name), rename_to_);
      }
    }
    done |= rename_send_.Done(context, rename_to_);
    if (done) {
      ImGui::CloseCurrentPopup();
      focus_text_ = true;
    }
    if (rename_send_.error().empty()) {
      ui::Text(absl::StrCat("Enter renames ", rename_of_, " everywhere"), ui::Colors().faint, ui::Type().small);
    } else {
      rename_send_.DrawError();
    }
    if (ui::Pressed("Escape")) {
      ImGui::CloseCurrentPopup();
      focus_text_ = true;
    }
    ImGui::EndPopup();
  } else {
    focus_text_ |= rename_at_ >= 0;
    rename_at_ = -1;
  }
  ImGui::PopStyleVar();
}

}  // namespace hloscope
