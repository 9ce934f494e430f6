// What stands after `window program`, and what takes up an edited text.
#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <fstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/file_words.h"
#include "core/text/mlir/format.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/program_text.h"
#include "visualizer/model/rename_stablehlo.h"
#include "visualizer/panels/program_panel.h"

namespace hloscope {

void ProgramPanel::Apply(PanelContext& context, std::string* error) {
  Document& document = context.document;
  if (document.empty()) {
    *error = "there is no program";
    return;
  }
  if (!document.changed()) {
    *error = "the text is what runs already";
    return;
  }
  if (document.reading_is_current() && index_->errors() > 0) {
    *error = absl::StrCat("the text has ", index_->errors(), index_->errors() == 1 ? " error" : " errors");
    return;
  }
  if (context.now.module == nullptr || context.now.phase == Phase::kBroken) {
    // There was nothing to go on from.
    context.engine.OpenText(document.name(), document.text());
    return;
  }
  // A folder of its own keeps the file's name, which messages show.
  std::string folder = absl::StrCat(std::getenv("TMPDIR") != nullptr ? std::getenv("TMPDIR") : "/tmp", "/hloscope-edit-", std::string(6, 'X'));
  if (mkdtemp(folder.data()) == nullptr) {
    *error = absl::StrCat("cannot make a folder for the edited text in ", folder);
    return;
  }
  const std::string path = absl::StrCat(folder, "/", FileName(document.name()));
  std::ofstream file(path, std::ios::binary);
  file << document.text();
  file.close();
  if (!file) {
    *error = absl::StrCat("cannot write ", path);
    return;
  }
  document.MarkSent();
  context.run(absl::StrCat("edit ", FileWord(path)));
  context.engine.Ask("", [folder, path](Session::State&) {
    unlink(path.c_str());
    rmdir(folder.c_str());
  });
}

void ProgramPanel::Format(PanelContext& context, std::string* error) {
  Document& document = context.document;
  const std::shared_ptr<const Reading> reading = document.reading();
  if (reading == nullptr || reading->version != document.version()) {
    *error = "the text is still being read";
    return;
  }
  if (!reading->ok || reading->module == nullptr) {
    *error = "only a program without errors can be formatted";
    return;
  }
  const std::string text = build::IsHloText(document.text()) ? FormattedText(*reading->module, document.text()) : mlir::FormatText(document.text());
  if (text == document.text()) {
    context.engine.AddConsole(ConsoleLine::kNote, "the text is formatted already");
    return;
  }
  editor_.ReplaceAll(document, text);
  AfterEdit(context);
}

bool ProgramPanel::Command(PanelContext& context, absl::string_view args, std::string* error) {
  args = absl::StripAsciiWhitespace(args);
  const size_t space = args.find(' ');
  const absl::string_view word = args.substr(0, space);
  const absl::string_view rest = space == absl::string_view::npos ? "" : absl::StripAsciiWhitespace(args.substr(space));
  Document& document = context.document;
  if (document.empty()) {
    *error = "there is no program";
    return false;
  }
  if (context.now.unreadable && document.name() == context.now.path) {
    *error = absl::StrCat(document.name(), " cannot be read: there is no text");
    return false;
  }
  Update(context);
  const auto fail = [&](absl::string_view why) {
    *error = std::string(why);
    return false;
  };
  if (word == "find") {
    OpenFind(context, rest);
  } else if (word == "replace") {
    Replace(context, rest, error);
  } else if (word == "rename") {
    Rename(context, rest, error);
  } else if (word == "next" || word == "previous") {
    if (matches_.empty())
      return fail(query_.pattern.empty() ? "nothing is looked for; window find TEXT (Ctrl+F) does"
                                         : absl::StrCat("the text has no ", query_.pattern));
    NextMatch(context, word == "next" ? 1 : -1);
  } else if (word == "undo") {
    if (!document.can_undo()) return fail("there is nothing to undo");
    editor_.Undo(document);
    AfterEdit(context);
  } else if (word == "redo") {
    if (!document.can_redo()) return fail("there is nothing to do again");
    editor_.Redo(document);
    AfterEdit(context);
  } else if (word == "apply") {
    Apply(context, error);
  } else if (word == "format") {
    Format(context, error);
  } else if (word == "goto") {
    int line = 0;
    if (!absl::SimpleAtoi(rest, &line) || line < 1) return fail("window program goto takes the number of a line");
    line = std::min(line, document.line_count()) - 1;
    GoTo(context, document.line_begin(line), document.line_begin(line));
    focus_text_ = true;
  } else if (word == "definition" || word == "uses") {
    int64_t at = editor_.caret();
    if (!rest.empty()) {
      const Instruction* found = nullptr;
      const absl::string_view name = absl::StripPrefix(rest, "%");
      if (index_->module() != nullptr) {
        for (const Computation* computation : index_->module()->computations) {
          if (const Instruction* i = computation->FindInstruction(name); i != nullptr && (found == nullptr || computation->is_entry)) found = i;
        }
      }
      if (found == nullptr) return fail(absl::StrCat("there is no instruction '", rest, "'"));
      SourceRange range = index_->NameRangeOf(*found);
      if (!build::IsHloText(document.text())) {
        // The name of an instruction is there that of its operation.
        const SourceRange written = StableHloNameFrom(document.text(), index_->RangeOf(*found).begin, absl::StrCat("%", name.substr(0, name.find('#'))));
        if (written.valid()) range = written;
      }
      if (!range.valid()) return fail("it has no place in the text");
      if (word == "definition") {
        GoTo(context, range.begin, range.end);
        return true;
      }
      at = range.begin;
    }
    const bool named = !build::IsHloText(document.text()) && StableHloNameAt(document.text(), at).valid();
    if (!named && !index_->SymbolAt(document, at)) return fail("the caret stands at no name of an instruction or a computation");
    if (word == "definition") {
      GoToDefinition(context, at);
    } else {
      ShowUses(context, at);
    }
  } else if (word == "fold" || word == "unfold") {
    if (rest == "all") {
      folded_.clear();
      if (word == "fold") {
        for (const FoldRegion& region : index_->folds()) {
          if (region.depth == 0) folded_.insert(std::string(document.line(region.first)));
        }
      }
    } else {
      int line = 0;
      if (!absl::SimpleAtoi(rest, &line)) return fail("takes all, or the number of the line where a computation begins");
      if (FoldAt(line - 1) == nullptr) return fail(absl::StrCat("nothing begins at line ", line));
      const std::string header(document.line(line - 1));
      if (word == "fold") {
        folded_.insert(header);
      } else {
        folded_.erase(header);
      }
    }
    folds_changed_ = true;
  } else if (word == "iteration") {
    int64_t n = -1;
    if (rest != "now" && (!absl::SimpleAtoi(rest, &n) || n < 0)) return fail("takes the number of an iteration, or now");
    const FrameRow* frame = context.now.frame();
    const Instruction* selected = context.selection.instruction;
    iteration_of_ = selected != nullptr ? selected->parent : frame != nullptr ? frame->computation : nullptr;
    iteration_ = n;
    fresh_values_.clear();
    ++values_round_;
  } else if (word == "mend") {
    if (!MendAtCaret(context)) return fail("the line of the caret has no problem that a quick fix is known for");
  } else if (word == "back") {
    if (history_.empty()) return fail("the caret was nowhere else before");
    GoBack(context);
  } else if (word == "cut" || word == "copy") {
    if (!editor_.has_selection()) editor_.SelectLine(document, document.LineAt(editor_.caret()));
    ImGui::SetClipboardText(editor_.Selected(document).c_str());
    if (word == "cut") {
      editor_.Insert(document, "");
      AfterEdit(context);
    }
  } else if (word == "paste") {
    const char* text = ImGui::GetClipboardText();
    if (text == nullptr || *text == 0) return fail("the clipboard holds no text");
    editor_.Insert(document, text);
    AfterEdit(context);
  } else if (word == "select-all") {
    editor_.SelectAll(document);
  } else if (word == "comment" || word == "duplicate") {
    word == "comment" ? editor_.ToggleComment(document) : editor_.DuplicateLines(document);
    AfterEdit(context);
  } else if (word == "complete") {
    focus_text_ = true;
    UpdateCompletion(context, true);
  } else if (word == "focus") {
    focus_text_ = true;
  } else {
    return false;
  }
  return error->empty();
}

}  // namespace hloscope
