#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <system_error>
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <nlohmann/json.hpp>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/source_view.h"
#include "core/debug/travel.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/program_text.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/panels/program_syntax.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

std::string FileName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

}  // namespace

std::string ProgramPanel::Title(const PanelContext& context) const {
  if (context.document.name().empty()) return "";
  return absl::StrCat(context.document.unsaved() ? "\u25cf " : "", FileName(context.document.name()));
}

void ProgramPanel::Save(nlohmann::json& to) const {
  if (document_name_.empty()) return;
  to["program"] = document_name_;
  to["line"] = caret_line_;
  std::vector<std::string> folded;
  for (const std::string& header : folded_) {
    if (folded.size() < 500 && header.size() < 1000) folded.push_back(header);
  }
  to["folded"] = folded;
}

void ProgramPanel::Load(const nlohmann::json& from) {
  if (!from.is_object()) return;
  if (from.contains("program") && from["program"].is_string()) kept_name_ = from["program"].get<std::string>();
  if (from.contains("line") && from["line"].is_number_integer()) kept_line_ = std::max(0, from["line"].get<int>());
  if (!from.contains("folded") || !from["folded"].is_array()) return;
  for (const auto& header : from["folded"]) {
    if (header.is_string()) folded_.insert(header.get<std::string>());
  }
}

// -- Rows and folding --

const FoldRegion* ProgramPanel::FoldAt(int line) const {
  const auto it = fold_at_.find(line);
  return it != fold_at_.end() ? it->second : nullptr;
}

int ProgramPanel::RowOf(int line) const {
  if (rows_.empty()) return line;
  const auto it = std::upper_bound(rows_.begin(), rows_.end(), line);
  return std::max(0, static_cast<int>(it - rows_.begin()) - 1);
}

void ProgramPanel::UpdateRows(const Document& document) {
  if (!folds_changed_ && rows_generation_ == document.version()) return;
  rows_generation_ = document.version();
  folds_changed_ = false;
  fold_at_.clear();
  for (const FoldRegion& region : index_.folds()) fold_at_[region.first] = &region;
  const int lines = document.line_count();
  int64_t longest = 0;
  for (int k = 0; k < lines; ++k) {
    const int64_t end = k + 1 < lines ? document.line_begin(k + 1) : static_cast<int64_t>(document.text().size());
    longest = std::max(longest, end - document.line_begin(k));
  }
  longest_ = static_cast<int>(std::min<int64_t>(longest, 20000));
  rows_.clear();
  if (folded_.empty()) return;
  bool any = false;
  rows_.reserve(lines);
  for (int k = 0; k < lines; ++k) {
    rows_.push_back(k);
    const auto it = fold_at_.find(k);
    if (it == fold_at_.end() || folded_.count(std::string(document.line(k))) == 0) continue;
    any = true;
    k = it->second->last;
  }
  if (!any) rows_.clear();
}

void ProgramPanel::ToggleFold(const Document& document, int line) {
  const std::string header(document.line(line));
  if (folded_.erase(header) == 0) folded_.insert(header);
  folds_changed_ = true;
  UpdateRows(document);
}

void ProgramPanel::Unfold(const Document& document, int line) {
  if (rows_.empty()) return;
  for (const FoldRegion& region : index_.folds()) {
    if (region.first < line && line <= region.last && folded_.erase(std::string(document.line(region.first))) > 0) folds_changed_ = true;
  }
  UpdateRows(document);
}

void ProgramPanel::ScrollTo(int line, bool middle) {
  scroll_to_line_ = line;
  scroll_to_middle_ = middle;
}

// -- Going places --

void ProgramPanel::Reveal(PanelContext& context, const Instruction* running) {
  const int line = index_.LineOf(context.document, running);
  if (line < 0) return;
  Unfold(context.document, line);
  ScrollTo(line, false);
  reveal_cell_ = 0;
}

void ProgramPanel::GoTo(PanelContext& context, int64_t begin, int64_t end, bool remember) {
  if (remember) {
    history_.push_back(editor_.caret());
    if (history_.size() > 200) history_.erase(history_.begin());
  }
  editor_.Select(context.document, begin, end);
  const int line = context.document.LineAt(begin);
  Unfold(context.document, line);
  ScrollTo(line, false);
  reveal_cell_ = CellsTo(context.document.line(line), static_cast<int>(begin - context.document.line_begin(line)));
  SelectAtCaret(context);
}

void ProgramPanel::GoBack(PanelContext& context) {
  if (history_.empty()) return;
  const int64_t to = history_.back();
  history_.pop_back();
  GoTo(context, to, to, false);
}

void ProgramPanel::SelectAtCaret(PanelContext& context) {
  const Document& document = context.document;
  const int64_t at = editor_.selection_begin();
  const int line = document.LineAt(at);
  const int64_t begin = document.line_begin(line);
  const std::vector<const Instruction*> on_line = index_.Beginning(begin, begin + static_cast<int64_t>(document.line(line).size()) + 1);
  const Instruction* chosen = on_line.empty() ? nullptr : on_line.front();
  for (const Instruction* shown : on_line) {
    const SourceRange range = index_.RangeOf(*shown);
    if (range.valid() && range.begin <= at) chosen = shown;
  }
  const Instruction* running = index_.Running(chosen);
  if (running == nullptr || running == context.selection.instruction) return;
  context.select(running, {});
  own_selection_ = context.selection.generation;
}

void ProgramPanel::GoToDefinition(PanelContext& context, int64_t offset) {
  const Symbol symbol = index_.SymbolAt(context.document, offset);
  if (!symbol) return;
  const SourceRange range = symbol.instruction != nullptr ? index_.NameRangeOf(*symbol.instruction) : index_.Newer(symbol.computation->name_range);
  if (!range.valid()) return;
  if (symbol.definition) return ShowUses(context, offset);
  GoTo(context, range.begin, range.end);
}

void ProgramPanel::ShowUses(PanelContext& context, int64_t offset) {
  const Symbol symbol = index_.SymbolAt(context.document, offset);
  if (!symbol) return;
  matches_ = index_.UsesOf(symbol);
  // The definition stays the first.
  if (matches_.size() > 1) std::sort(matches_.begin(), matches_.end(), [](const SourceRange& a, const SourceRange& b) { return a.begin < b.begin; });
  uses_of_ = std::string(symbol.instruction != nullptr ? symbol.instruction->name : symbol.computation->name);
  find_open_ = false;
  matches_version_ = context.document.version();
  match_at_ = 0;
  for (size_t k = 0; k < matches_.size(); ++k) {
    if (offset >= matches_[k].begin && offset <= matches_[k].end) match_at_ = static_cast<int>(k);
  }
}

// -- Stops --

const StopRow* ProgramPanel::StopAt(const Snapshot& now, const Instruction* running) const {
  for (const StopRow& stop : now.stops) {
    if (stop.kind != StopRow::kBreak && stop.kind != StopRow::kLog) continue;
    if (std::find(stop.at.begin(), stop.at.end(), running) != stop.at.end()) return &stop;
  }
  return nullptr;
}

void ProgramPanel::ToggleBreakpoint(PanelContext& context, const Instruction* running) {
  if (const StopRow* stop = StopAt(context.now, running)) {
    context.run(absl::StrCat("delete ", stop->number));
  } else {
    context.run(absl::StrCat("break ", absl::StripPrefix(CommandName(context.now, *running), "%")));
  }
}

// -- Values beside the lines --

void ProgramPanel::UpdateValues(PanelContext& context) {
  const Snapshot& now = context.now;
  if (now.program_generation != values_program_) {
    values_program_ = now.program_generation;
    values_.clear();
    fresh_values_.clear();
    values_moment_ = 0;
    iteration_ = -1;
    merged_values_ = nullptr;
  }
  if (now.phase != Phase::kStopped && now.phase != Phase::kFinished && now.phase != Phase::kError) {
    values_.clear();
    fresh_values_.clear();
    return;
  }
  if (now.moment_generation != values_moment_) {
    values_moment_ = now.moment_generation;
    fresh_values_.clear();
    values_round_ = 0;
  }
  wanted_values_.clear();
  uint64_t mix = 1469598103934665603u;
  for (const LineParts& parts : lines_) {
    if (parts.running.empty()) continue;
    const Instruction* running = parts.running.back();
    if (running == nullptr || fresh_values_.contains(running)) continue;
    wanted_values_.push_back(running);
    mix = (mix ^ reinterpret_cast<uintptr_t>(running)) * 1099511628211u;
  }
  if (wanted_values_.empty()) return;
  const std::string moment = iteration_ >= 0 && iteration_of_ != nullptr ? absl::StrCat("iteration ", iteration_) : "";
  const std::string key = absl::StrCat(now.moment_generation, ":", mix, ":", values_round_, ":", moment);
  const Computation* of = iteration_of_;
  const std::shared_ptr<const LineValues> answer = live_values_.Get(context.engine, key, [wanted = wanted_values_, moment, of](Session::State& s) -> absl::StatusOr<LineValues> {
    if (moment.empty()) return LookAtLines(s, wanted, 0.05);
    return LookAtIteration(s, wanted, *of, moment);
  });
  if (!live_values_.fresh() || answer == nullptr || answer == merged_values_) return;
  merged_values_ = answer;
  for (const auto& [instruction, value] : answer->values) {
    if (value.text.empty()) {
      values_.erase(instruction);
    } else {
      values_[instruction] = value;
    }
    if (!value.partial) fresh_values_.insert(instruction);
  }
  if (answer->more) {
    ++values_round_;
    ui::WantFrame();
  }
}

// -- The whole --

void ProgramPanel::Update(PanelContext& context) {
  const Document& document = context.document;
  const uint64_t before = index_.generation();
  index_.Update(context.now, document);
  if (index_.generation() != before) {
    folds_changed_ = true;
    editor_.Clamp(document);
    if (!uses_of_.empty() && matches_version_ != document.version()) uses_of_.clear();
    // An edit was taken up: what is selected in all panels is what one was at.
    if (context.now.program_generation != selected_program_) {
      const bool edited = selected_program_ != 0 && document.name() == document_name_;
      selected_program_ = context.now.program_generation;
      if (edited && context.selection.instruction == nullptr && context.now.here() == nullptr) SelectAtCaret(context);
    }
  }
  if (document.name() != document_name_) {
    document_name_ = document.name();
    history_.clear();
    // The last session may have named it from another folder.
    std::error_code error;
    const bool same = document.name() == kept_name_ || (!kept_name_.empty() && std::filesystem::weakly_canonical(document.name(), error) == std::filesystem::weakly_canonical(kept_name_, error));
    const bool kept = same && kept_line_ < document.line_count();
    if (!kept) folded_.clear();
    editor_.Place(document, kept ? document.line_begin(kept_line_) : 0, false);
    ScrollTo(kept ? kept_line_ : 0, kept);
    kept_name_.clear();
  }
  UpdateRows(document);
  caret_line_ = document.LineAt(editor_.caret());
  if (context.selection.reveal && context.selection.instruction != nullptr && context.selection.generation != own_selection_) Reveal(context, context.selection.instruction);
}

void ProgramPanel::Draw(PanelContext& context) {
  if (context.document.empty()) {
    ui::EmptyHint(ui::Icon::kFile, "The program's text, with values beside its lines.", "Open a program with Ctrl+O, or begin a new one with Ctrl+N.");
    return;
  }
  if (context.now.unreadable && context.document.name() == context.now.path) {
    // Nothing of it is text: there is nothing to edit, and what would be typed would not be this program.
    const std::string why = context.now.problems.empty() ? "" : absl::StrCat(context.now.problems[0].message, context.now.problems[0].hint.empty() ? "" : absl::StrCat("; ", context.now.problems[0].hint));
    ui::TagFact("state", "unreadable");
    ui::EmptyHint(ui::Icon::kError, absl::StrCat(FileName(context.now.path), " cannot be read."), why);
    return;
  }
  const bool without_text = context.now.source == nullptr || context.now.source->text().empty();
  if (without_text && context.document.text().empty() && !context.document.can_undo() && context.now.module != nullptr && context.now.session != nullptr) {
    // A program of a binary file: its text is made, and belongs to a file of its own.
    const auto text = printed_.Get(context.engine, absl::StrCat(context.now.program_generation), [](Session::State& s) -> absl::StatusOr<std::string> {
      int64_t elements = 0;
      for (const Computation* computation : s.module->computations) {
        for (const Instruction* i : computation->instructions) elements += i->literal != nullptr ? i->shape.ElementCount() : 0;
      }
      PrintOptions options;
      if (elements > (int64_t{1} << 20)) options.max_literal_elements = 1000;
      return PrintHloText(*s.module, options);
    });
    if (!printed_.fresh() || text == nullptr) {
      ui::EmptyHint(ui::Icon::kFile, "The file holds no text.", "The program is being written as text.");
      return;
    }
    context.document.Reset(absl::StrCat(context.document.name(), ".hlo"), *text);
  }
  Update(context);
  DrawFindBar(context);
  const float footer = ui::Px(36);
  const ImVec2 room = ImGui::GetContentRegionAvail();
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("body", {room.x, std::max(ui::Px(40), room.y - footer)}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  DrawText(context);
  ImGui::EndChild();
  DrawFooter(context, footer);
}

void ProgramPanel::DrawFooter(PanelContext& context, float height) {
  const Document& document = context.document;
  const Snapshot& now = context.now;
  const ui::Palette& c = ui::Colors();
  const ImVec2 window = ImGui::GetWindowPos(), size = ImGui::GetWindowSize();
  const float top = window.y + size.y - height;
  ImDrawList* list = ImGui::GetWindowDrawList();
  list->AddLine({window.x, top}, {window.x + size.x, top}, c.border);
  ImFont* font = ui::Type().ui;
  const float y = top + std::floor((height - font->FontSize) / 2);
  float right = window.x + size.x - ui::Px(8);
  ui::TagScope scope("footer");
  // What is edited, at the right.
  const bool narrow = size.x < ui::Px(520);
  const auto place_button = [&](float width) {
    right -= width;
    ImGui::SetCursorScreenPos({right, top + ui::Px(4)});
    right -= ui::Px(6);
  };
  if (document.changed()) {
    const bool current = document.reading_is_current();
    const bool can = current && index_.errors() == 0;
    const std::string label = "Apply";
    place_button(ui::Measure(font, label).x + ui::Px(10 * 2 + 6 + 14));
    if (ui::Button("apply", label, ui::Icon::kContinue, ui::ButtonKind::kPrimary, can ? "the running program goes on from where the change matters (Ctrl+Enter)" : "the text has errors", can)) {
      context.run("window program apply");
      focus_text_ = true;
    }
    if (!narrow) {
      place_button(ui::Px(24));
      if (ui::IconButton("redo", ui::Icon::kRedo, "Redo (Ctrl+Y)", false, document.can_redo())) context.run("window redo"), focus_text_ = true;
      right += ui::Px(6);
      place_button(ui::Px(24));
      if (ui::IconButton("undo", ui::Icon::kUndo, "Undo (Ctrl+Z)", false, document.can_undo())) context.run("window undo"), focus_text_ = true;
      ui::DrawText({right - ui::Measure(font, "edited").x, y}, c.dim, font, "edited");
      right -= ui::Measure(font, "edited").x + ui::Px(10);
    }
  }
  const int problems = static_cast<int>(index_.problems().size());
  ui::TagFact("problems", absl::StrCat(index_.errors()));
  ui::TagFact("changed", document.changed() ? "yes" : "no");
  if (problems > 0 && (document.changed() || index_.errors() > 0)) {
    const std::string label = absl::StrCat(problems, narrow ? "" : problems == 1 ? " problem" : " problems");
    const float width = ui::Measure(font, label).x + ui::Px(20);
    right -= width;
    ImGui::SetCursorScreenPos({right, top + ui::Px(6)});
    const bool clicked = ImGui::InvisibleButton("problems", {width, height - ui::Px(12)});
    ui::Tag("problems");
    const ImU32 color = index_.errors() > 0 ? c.red : c.amber;
    ui::DrawIcon(list, ui::Icon::kError, {right, y + ui::Px(2)}, ui::Px(13), color);
    ui::DrawText({right + ui::Px(18), y}, ImGui::IsItemHovered() ? c.text : color, font, label);
    ui::Tooltip("goes to the next problem");
    right -= ui::Px(10);
    if (clicked) {
      const ProgramIndex::Problem* next = nullptr;
      for (const ProgramIndex::Problem& problem : index_.problems()) {
        if (problem.range.valid() && (next == nullptr || (next->range.begin <= editor_.caret() && problem.range.begin > editor_.caret()))) next = &problem;
      }
      if (next != nullptr) {
        GoTo(context, next->range.begin, next->range.begin);
        focus_text_ = true;
      }
    }
  }
  // Where one is, at the left.
  const Instruction* running = context.selection.instruction;
  if (running == nullptr) running = now.here();
  const Instruction* shown = index_.Shown(running);
  if (shown == nullptr) shown = index_.At(editor_.caret());
  std::vector<std::pair<std::string, ImU32>> parts;
  parts.emplace_back(FileName(document.name()), c.dim);
  std::string line;
  if (shown != nullptr) {
    parts.emplace_back(std::string(shown->parent->name), c.dim);
    parts.emplace_back(absl::StrCat(shown->index + 1, " of ", shown->parent->instructions.size()), c.dim);
    if (const FrameRow* frame = now.frame(); frame != nullptr && running != nullptr && frame->computation == running->parent &&
                                             (frame->kind == FrameKind::kWhileBody || frame->kind == FrameKind::kWhileCondition)) {
      parts.emplace_back(absl::StrCat("iteration ", iteration_ >= 0 ? iteration_ : frame->iteration), iteration_ >= 0 ? c.blue : c.amber);
    }
    const std::vector<PythonFrame> frames = index_.module() != nullptr ? index_.module()->PythonFrames(*shown) : std::vector<PythonFrame>();
    if (!frames.empty()) {
      parts.emplace_back(absl::StrCat(FileName(frames[0].file), ":", frames[0].line), c.dim);
      if (running != nullptr) {
        const auto text = source_line_.Get(context.engine, absl::StrCat(now.program_generation, ":", reinterpret_cast<uintptr_t>(running)), [running](Session::State& s) -> absl::StatusOr<std::string> {
          return s.Extension<SourceView>().TextOf(*s.module, SourceLineOf(*s.module, *running));
        });
        if (source_line_.fresh() && text != nullptr) line = *text;
      }
    }
  } else {
    const int at = document.LineAt(editor_.caret());
    parts.emplace_back(absl::StrCat("line ", at + 1, " of ", document.line_count()), c.dim);
  }
  std::string whole;
  for (const auto& part : parts) absl::StrAppend(&whole, whole.empty() ? "" : " \u00b7 ", part.first);
  if (!line.empty()) absl::StrAppend(&whole, " ", line);
  ui::TagFact("text", whole);
  float x = window.x + ui::Px(12);
  bool cut = false;
  for (size_t k = 0; k < parts.size() && !cut; ++k) {
    const bool iterated = absl::StartsWith(parts[k].first, "iteration ");
    if (iterated && x + ui::Px(150) < right) {
      // Earlier iterations can be looked at: the values beside the lines are theirs.
      const int64_t present = now.frame()->iteration, at = iteration_ >= 0 ? iteration_ : present;
      x += ui::Px(8);
      const auto step = [&](const char* name, ui::Icon icon, const char* tip, int64_t to, bool enabled) {
        ImGui::SetCursorScreenPos({x, top + std::floor((height - ui::Px(24)) / 2)});
        if (ui::IconButton(name, icon, tip, false, enabled)) context.run(absl::StrCat("window program iteration ", to >= present ? "now" : absl::StrCat(to)));
        x += ui::Px(24);
      };
      step("earlier", ui::Icon::kBack, "values of the iteration before", at - 1, at > 0);
      x += ui::DrawTextIn({x + ui::Px(2), y}, right - x, parts[k].second, font, parts[k].first, &cut) + ui::Px(4);
      step("later", ui::Icon::kContinue, "values of the iteration after", at + 1, at < present);
      continue;
    }
    if (k > 0) {
      if (x + ui::Px(30) > right) break;
      ui::DrawText({x + ui::Px(6), y}, c.faint, font, "\u00b7");
      x += ui::Px(16);
    }
    x += ui::DrawTextIn({x, y}, right - x, parts[k].second, font, parts[k].first, &cut);
  }
  if (!line.empty() && !cut) {
    ImFont* mono = ui::Type().mono_small;
    ui::DrawTextIn({x + ui::Px(8), top + std::floor((height - mono->FontSize) / 2)}, right - x - ui::Px(8), c.faint, mono, line, &cut);
  }
  ImGui::SetCursorScreenPos({window.x, top + 1});
  ImGui::Dummy({std::max(1.0f, right - window.x), height - 2});
  ui::Tag("where");
  if (cut) ui::Tooltip(whole);
}

// -- Commands --

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
  if (document.reading_is_current() && index_.errors() > 0) {
    *error = absl::StrCat("the text has ", index_.errors(), index_.errors() == 1 ? " error" : " errors");
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
  context.run(absl::StrCat("edit ", path));
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
  if (absl::EndsWith(document.name(), ".mlir") || !absl::StrContains(document.text(), "HloModule")) {
    *error = "only HLO text can be formatted";
    return;
  }
  const std::string text = FormattedText(*reading->module, document.text());
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
  } else if (word == "next" || word == "previous") {
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
      if (index_.module() != nullptr) {
        for (const Computation* computation : index_.module()->computations) {
          if (const Instruction* i = computation->FindInstruction(name); i != nullptr && (found == nullptr || computation->is_entry)) found = i;
        }
      }
      if (found == nullptr) return fail(absl::StrCat("there is no instruction '", rest, "'"));
      const SourceRange range = index_.NameRangeOf(*found);
      if (!range.valid()) return fail("it has no place in the text");
      if (word == "definition") {
        GoTo(context, range.begin, range.end);
        return true;
      }
      at = range.begin;
    }
    if (word == "definition") {
      GoToDefinition(context, at);
    } else {
      ShowUses(context, at);
    }
  } else if (word == "fold" || word == "unfold") {
    if (rest == "all") {
      folded_.clear();
      if (word == "fold") {
        for (const FoldRegion& region : index_.folds()) {
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
  } else if (word == "focus") {
    focus_text_ = true;
  } else {
    return fail("window program knows find TEXT (re:, op:, shape: before it), next, previous, undo, redo, apply, format, goto LINE, definition [%x], uses [%x], fold, unfold, iteration N | now");
  }
  return true;
}

std::unique_ptr<Panel> MakeProgramPanel() { return std::make_unique<ProgramPanel>(); }

}  // namespace hloscope
