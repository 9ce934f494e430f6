// The program panel: the text as it is, with what the debugger knows beside it, and edited in place. Drawing is program_view.cc's, the
// mouse and the keys program_input.cc's, cards and menus program_hover.cc's, the bar for searching program_find.cc's, replacing and renaming
// program_replace.cc's, the foot program_footer.cc's, the commands program_commands.cc's, what the reader says of a line program_notes.cc's; program.cc holds them together.
#ifndef HLOSCOPE_VISUALIZER_PANELS_PROGRAM_PANEL_H_
#define HLOSCOPE_VISUALIZER_PANELS_PROGRAM_PANEL_H_

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "imgui.h"
#include "visualizer/model/completion.h"
#include "visualizer/model/line_cells.h"
#include "visualizer/model/line_results.h"
#include "visualizer/model/line_values.h"
#include "visualizer/model/live.h"
#include "visualizer/model/program_index.h"
#include "visualizer/model/program_search.h"
#include "visualizer/panels/field_command.h"
#include "visualizer/panels/panel.h"
#include "visualizer/panels/program_editor.h"

namespace hloscope {

class ProgramPanel : public Panel {
 public:
  void Draw(PanelContext& context) override;
  bool Command(PanelContext& context, absl::string_view args, std::string* error) override;
  std::string Title(const PanelContext& context) const override;
  float padding() const override { return 0; }
  void Save(nlohmann::json& to) const override;
  void Load(const nlohmann::json& from) override;

 private:
  // Where things are in this frame.
  struct Geometry {
    ImVec2 min, max;          // of the text's window
    float line = 0, cell = 0; // height of a line, width of a letter
    float gutter = 0;         // width of marks, numbers and the fold's triangle
    float text_right = 0;     // where letters end
    bool values = false;      // stand beside the lines
    float values_right = 0;   // where they end, but beside long lines
    bool sparks = false;
    double scroll_x = 0, scroll_y = 0;
    int first = 0, last = 0;  // rows that are seen, [first, last)
    // A line may be millions of pixels long: places are taken from the scrolled one before they become a float.
    float X(double cells) const { return static_cast<float>(min.x + gutter + (cells * static_cast<double>(cell) - scroll_x)); }
    double CellsAt(float x) const { return (static_cast<double>(x) - min.x - gutter + scroll_x) / cell; }
    float Y(int row) const { return static_cast<float>(min.y + row * static_cast<double>(line) - scroll_y); }
  };
  // One line that is seen.
  struct LineParts {
    int line = 0, row = 0;
    absl::string_view text;
    int64_t begin = 0;
    std::vector<const Instruction*> shown, running;  // that begin on it
    bool here = false, outer_here = false, selected = false, hovered = false, slice = false;
    const StopRow* stop = nullptr;
    float text_end = 0;  // where its letters end
    std::vector<LineResult> results;        // whose values stand beside it: of what runs, and was computed by what the line says
    bool stale = false;                     // something that it is computed from was edited since
    LineValue value;                        // that stands there; of several all, in short. Without text: none
    float value_left = 0, value_right = 0;  // with its spark
    float letters_right = 0;                // where letters have to end
    bool value_away = false;                // it gives way to the line one types in
    bool dots = false;                      // the line gave way to it
  };

  // -- program.cc --
  void Update(PanelContext& context);
  void UpdateRows(const Document& document);
  void Reveal(PanelContext& context, const Instruction* running);
  void ScrollTo(int line, bool middle);
  void GoTo(PanelContext& context, int64_t begin, int64_t end, bool remember = true);
  void GoToDefinition(PanelContext& context, int64_t offset);
  void ShowUses(PanelContext& context, int64_t offset);
  void GoBack(PanelContext& context);
  void SelectAtCaret(PanelContext& context, bool clicked = false);
  void ToggleBreakpoint(PanelContext& context, const Instruction* running);
  void UpdateValues(PanelContext& context);
  const StopRow* StopAt(const Snapshot& now, const Instruction* running) const;
  int RowOf(int line) const;   // the row of the line, or of the fold that holds it
  int LineOfRow(int row) const { return rows_.empty() ? row : rows_[row]; }
  int row_count(const Document& document) const { return rows_.empty() ? document.line_count() : static_cast<int>(rows_.size()); }
  void Unfold(const Document& document, int line);
  void ToggleFold(const Document& document, int line);
  const FoldRegion* FoldAt(int line) const;
  static std::string FileName(absl::string_view path);

  // -- program_footer.cc, program_commands.cc --
  void DrawFooter(PanelContext& context, float height);
  void Apply(PanelContext& context, std::string* error);
  void Format(PanelContext& context, std::string* error);

  // -- program_view.cc --
  void DrawText(PanelContext& context);
  // Which rows the view has (geometry_.first and last).
  void FindSeenRows(const Document& document);
  void Collect(PanelContext& context);
  void DrawBackgrounds(PanelContext& context, const LineParts& parts);
  LineValue ValueBeside(const LineParts& parts) const;  // without text: none
  void PlaceValue(const Document& document, LineParts& parts);
  void DrawLetters(PanelContext& context, LineParts& parts);
  void DrawMarks(PanelContext& context, const LineParts& parts);
  void DrawGutter(PanelContext& context, const LineParts& parts);
  void DrawValue(PanelContext& context, const LineParts& parts);
  void DrawCaret(PanelContext& context);
  void TagNames(PanelContext& context);
  void FillRange(const Document& document, SourceRange range, ImU32 fill, ImU32 outline);
  int CellAt(const Document& document, int64_t offset) const;
  float XOf(const Document& document, int64_t offset) const { return geometry_.X(CellAt(document, offset)); }
  bool Seen(const Document& document, int64_t offset, float* x, float* y) const;

  // -- program_notes.cc --
  void DrawSquiggles(PanelContext& context);
  void DrawNotes(PanelContext& context);
  void DrawNoteCard(PanelContext& context);
  const ProgramIndex::Problem* ProblemOf(const Document& document, int line, int* count) const;
  void FindFailure(const PanelContext& context);

  // -- program_input.cc --
  void HandleMouse(PanelContext& context);
  void HandleKeys(PanelContext& context);
  void HandleLetters(PanelContext& context);
  bool HandleCompletionKeys(PanelContext& context);
  void UpdateCompletion(PanelContext& context, bool asked);
  void AcceptCompletion(PanelContext& context);
  void AfterEdit(PanelContext& context);
  bool MendAtCaret(PanelContext& context);  // takes the word that a diagnostic offers; false: there is none
  void KeepCaretSeen(const Document& document);
  int64_t OffsetAt(const Document& document, ImVec2 mouse) const;
  int LineAtY(const Document& document, float y) const;  // -1: below the last

  // -- program_hover.cc --
  void DrawHover(PanelContext& context);
  const Diagnostic* HoveredProblem(const Document& document) const;  // that the mouse asks for; null: none
  void DrawCompletions(PanelContext& context);
  void DrawGutterMenu(PanelContext& context);
  void DrawTextMenu(PanelContext& context);
  void HoverCard(PanelContext& context, const Symbol& symbol);
  void ResultsCard(const LineParts& parts) const;  // of an operation that has several
  void ShowProblem(const Diagnostic& diagnostic) const;

  // -- program_find.cc --
  void DrawFindBar(PanelContext& context);
  void DrawFindField(PanelContext& context, float field, bool narrow, bool replacing);
  void DrawFindKinds(float y, bool narrow, bool with_case);
  void DrawFound(float x, float y, float right);
  void DrawFindButtons(PanelContext& context, float x, float y);
  std::string FoundText() const;  // "3 of 12", or what is wrong with what is looked for
  void UpdateFind(PanelContext& context);
  void NextMatch(PanelContext& context, int by);
  void OpenFind(PanelContext& context, absl::string_view pattern);
  SearchQuery AskedQuery() const;

  // -- program_replace.cc --
  void DrawReplaceRow(PanelContext& context, float y, float field, bool narrow);
  void RunReplace(PanelContext& context, bool one);  // what the bar says, as a command
  void Replace(PanelContext& context, absl::string_view words, std::string* error);
  void OpenRenameBox(const Document& document, int64_t at, const std::string& name);
  void RenameStableHlo(PanelContext& context, absl::string_view words, std::string* error);
  void OpenRename(PanelContext& context, std::string* error);
  void Rename(PanelContext& context, absl::string_view words, std::string* error);
  void DrawRename(PanelContext& context);

  ProgramIndex* index_ = nullptr;  // the shell's, from the first frame or command on
  uint64_t index_generation_ = 0;  // that was taken up
  ProgramEditor editor_;
  Geometry geometry_;
  std::vector<LineParts> lines_;
  mutable LineCells cells_;

  // Rows: line numbers, when something is folded; else empty, and every line is a row.
  std::vector<int> rows_;
  std::set<std::string> folded_;  // headers of folded regions
  std::map<int, const FoldRegion*> fold_at_;
  uint64_t rows_generation_ = 0;
  bool folds_changed_ = true;
  int longest_ = 0;       // bytes of the longest line
  int usual_length_ = 0;  // nine lines of ten are no longer
  std::string document_name_;
  std::string kept_name_;  // of the program that the last session ended with, and where its caret was
  int kept_line_ = 0, caret_line_ = 0;

  // What the panel is to do when it is drawn next.
  int scroll_to_line_ = -1;
  int keep_line_ = -1;      // the stop's, as soon as the text has its new height
  bool scroll_to_middle_ = false;
  int reveal_cell_ = -1;    // of the line that is scrolled to
  bool focus_text_ = false;
  uint64_t own_selection_ = 0;  // the selection that the panel made itself
  std::vector<int64_t> history_;

  // Mouse.
  bool dragging_ = false, text_hovered_ = false, has_keyboard_ = false;
  int64_t hover_offset_ = -1;
  SourceRange hover_range_;
  double hover_since_ = 0;
  ImVec2 typed_at_ = {-1e6f, -1e6f};  // where the mouse lay when a key was pressed: no card opens until it moves
  int hover_line_ = -1;
  int menu_line_ = -1;
  int64_t menu_offset_ = 0;
  const Instruction* menu_instruction_ = nullptr;
  std::string menu_condition_;
  Live<LineValues> hover_value_;
  const Instruction* formula_of_ = nullptr;  // of the program that runs: the card's formula
  uint64_t formula_program_ = 0;
  std::string formula_;

  // What the reader says beside the lines that are seen.
  struct Note {
    ImVec2 min, max;
    const ProgramIndex::Problem* problem;
  };
  std::vector<Note> notes_;
  ProgramIndex::Problem failure_;  // why the program could not go on, at the instruction that it stands at; invalid range: it can
  uint64_t noted_version_ = 0;
  double noted_since_ = 0;     // when the text became that version
  int card_line_ = -1;         // whose note needs a card
  uint64_t card_away_ = 0;     // the version of the text in which Escape put the card away; 0: it did not
  int away_line_ = -1;         // the line of the caret then

  // Values.
  absl::flat_hash_map<const Instruction*, LineValue> values_;
  absl::flat_hash_set<const Instruction*> fresh_values_;
  std::vector<const Instruction*> wanted_values_;
  uint64_t values_moment_ = 0, values_program_ = 0;
  Mark values_mark_;  // where the program stood
  int values_round_ = 0;
  Live<LineValues> live_values_;
  std::shared_ptr<const LineValues> merged_values_;
  int64_t iteration_ = -1;  // that is looked at instead of the present one
  const Computation* iteration_of_ = nullptr;

  // Completion.
  Completions offered_;
  int offered_at_ = 0;
  bool offering_ = false;

  // Search.
  ImGuiID find_field_ = 0;
  bool find_open_ = false, find_focus_ = false, find_select_ = false, find_jump_ = false;
  bool replace_open_ = false, replace_focus_ = false;
  std::string replacement_;
  SearchQuery query_;
  ProgramSearch search_;
  std::shared_ptr<const SearchResult> found_;
  std::vector<SourceRange> matches_;  // in the document as it is
  std::string uses_of_;               // not empty: the matches are its uses
  int match_at_ = -1;
  uint64_t matches_version_ = 0;

  // Renaming: at this place of the text; -1: nothing is being renamed.
  int64_t rename_at_ = -1;
  bool rename_opened_ = false;
  std::string rename_of_, rename_to_;
  FieldCommand rename_send_;

  // What the footer says.
  bool apply_paused_ = false;  // what runs is being interrupted so that the text can be taken up
  Live<std::string> source_line_;
  Live<std::string> printed_;  // the text of a program that came without one
  uint64_t selected_program_ = 0;  // that the selection was made in
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_PROGRAM_PANEL_H_
