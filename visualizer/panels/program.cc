#include <algorithm>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <system_error>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/text/hlo_text.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/rename_stablehlo.h"
#include "visualizer/panels/program_panel.h"
#include "visualizer/panels/program_syntax.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

std::string ProgramPanel::FileName(absl::string_view path) {
  const size_t slash = path.rfind('/');
  return std::string(slash == absl::string_view::npos ? path : path.substr(slash + 1));
}

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
  for (const FoldRegion& region : index_->folds()) fold_at_[region.first] = &region;
  const int lines = document.line_count();
  // In bytes: no fewer than cells, but for tabs.
  constexpr int kLong = 400;
  std::vector<int> of_length(kLong + 1);
  int64_t longest = 0;
  for (int k = 0; k < lines; ++k) {
    const int64_t end = k + 1 < lines ? document.line_begin(k + 1) : static_cast<int64_t>(document.text().size());
    const int64_t length = end - document.line_begin(k);
    longest = std::max(longest, length);
    ++of_length[std::min<int64_t>(kLong, length)];
  }
  longest_ = static_cast<int>(longest);
  usual_length_ = 0;
  for (int seen = of_length[0]; seen * 10 < lines * 9 && usual_length_ < kLong;) seen += of_length[++usual_length_];
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
  for (const FoldRegion& region : index_->folds()) {
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
  const int line = index_->LineOf(context.document, running);
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
  reveal_cell_ = CellAt(context.document, begin);
  SelectAtCaret(context);
}

void ProgramPanel::GoBack(PanelContext& context) {
  if (history_.empty()) return;
  const int64_t to = history_.back();
  history_.pop_back();
  GoTo(context, to, to, false);
}

void ProgramPanel::SelectAtCaret(PanelContext& context, bool clicked) {
  const Document& document = context.document;
  const int64_t at = editor_.selection_begin();
  const int line = document.LineAt(at);
  const int64_t begin = document.line_begin(line);
  const std::vector<const Instruction*> on_line = index_->Beginning(begin, begin + static_cast<int64_t>(document.line(line).size()) + 1);
  const Instruction* chosen = on_line.empty() ? nullptr : on_line.front();
  for (const Instruction* shown : on_line) {
    const SourceRange range = index_->RangeOf(*shown);
    if (range.valid() && range.begin <= at) chosen = shown;
  }
  // Of several results of one line, and of a function's arguments, the one that is named there.
  if (const Symbol symbol = index_->SymbolAt(document, at); symbol.definition && symbol.instruction != nullptr) chosen = symbol.instruction;
  const Instruction* running = index_->Running(chosen);
  const bool again = running == context.selection.instruction;
  if (running == nullptr || (again && !clicked)) return;
  context.select_in(running, again ? context.selection.leaf : -1, again ? context.selection.element : std::vector<int64_t>());
  context.selection.chosen = clicked;
  own_selection_ = context.selection.generation;
}

void ProgramPanel::GoToDefinition(PanelContext& context, int64_t offset) {
  const std::string& text = context.document.text();
  if (!build::IsHloText(text)) {
    const SourceRange word = StableHloNameAt(text, offset);
    if (!word.valid()) return;
    const SourceRange made = StableHloDefinition(text, word);
    if (!made.valid()) return;
    if (made.begin == word.begin) return ShowUses(context, offset);
    return GoTo(context, made.begin, made.end);
  }
  const Symbol symbol = index_->SymbolAt(context.document, offset);
  if (!symbol) return;
  const SourceRange range =
      symbol.instruction != nullptr ? index_->NameRangeOf(*symbol.instruction) : index_->Newer(symbol.computation->name_range);
  if (!range.valid()) return;
  if (symbol.definition) return ShowUses(context, offset);
  GoTo(context, range.begin, range.end);
}

void ProgramPanel::ShowUses(PanelContext& context, int64_t offset) {
  const Symbol symbol = index_->SymbolAt(context.document, offset);
  // StableHLO's regions read what is around them, of which the program that is made of the text has copies there, or is handed it: by the words.
  const std::string& text = context.document.text();
  SourceRange word;
  if (!build::IsHloText(text)) {
    word = StableHloNameAt(text, offset);
    if (!word.valid() && symbol.instruction != nullptr) word = StableHloNameAt(text, index_->RangeOf(*symbol.instruction).begin);
  }
  if (!word.valid() && !symbol) return;
  if (word.valid()) {
    matches_ = StableHloUses(text, word);
    uses_of_ = text.substr(word.begin + 1, word.end - word.begin - 1);
  } else {
    matches_ = index_->UsesOf(symbol);
    uses_of_ = std::string(symbol.instruction != nullptr ? symbol.instruction->name : symbol.computation->name);
  }
  // The definition stays the first.
  if (matches_.size() > 1) std::sort(matches_.begin(), matches_.end(), [](const SourceRange& a, const SourceRange& b) { return a.begin < b.begin; });
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
    context.run(absl::StrCat("break ", StopPlace(context.now, *running)));
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
  // An earlier iteration is looked at from where the program stands: elsewhere the values are those of the new place.
  if (now.mark != values_mark_) {
    values_mark_ = now.mark;
    iteration_ = -1;
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
    for (const LineResult& result : parts.results) {
      if (fresh_values_.contains(result.instruction)) continue;
      wanted_values_.push_back(result.instruction);
      mix = (mix ^ reinterpret_cast<uintptr_t>(result.instruction)) * 1099511628211u;
    }
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
  index_ = &context.index;
  index_->Update(context.now, document);
  if (index_generation_ != index_->generation()) {
    index_generation_ = index_->generation();
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
  const ImVec2 room = ImGui::GetContentRegionAvail();
  // In a very low place the text goes before what stands below it.
  const float footer = room.y >= ui::Px(36 + 3 * 22) ? ui::Px(36) : 0;
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {0, 0});
  ImGui::BeginChild("body", {room.x, std::max(ui::Px(40), room.y - footer)}, false, ImGuiWindowFlags_NoScrollbar | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(2);
  DrawText(context);
  ImGui::EndChild();
  if (footer > 0) DrawFooter(context, footer);
}

std::unique_ptr<Panel> MakeProgramPanel() { return std::make_unique<ProgramPanel>(); }

}  // namespace hloscope
