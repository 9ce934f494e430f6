// What most pictures have in common: the instruction as a headline, sentences, grids side by side with signs between them, arrows between
// cells that belong together, the formula of the selected element, and a legend of the marks that occur. A picture says what stands where.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_BOARD_H_
#define HLOSCOPE_VISUALIZER_PICTURES_BOARD_H_

#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/statusor.h"
#include "visualizer/pictures/grid.h"
#include "visualizer/pictures/relation.h"

namespace hloscope {

class Board {
 public:
  static absl::StatusOr<Board> Make(const PictureData& data, const PictureSelection& selection);

  const PictureScene& scene() const { return *scene_; }
  const Relation& relation() const { return *relation_; }
  const Related& related() const { return related_; }
  const PictureSelection& selection() const { return *selection_; }
  const Captions& captions() const { return selection_->captions; }  // what the picture says, in its language
  const Cell* cell() const { return selection_->cell(); }  // what is selected; null: nothing
  // The selected element of a result; null where another cell is selected.
  const Cell* result_cell() const;
  Drawing& drawing() { return made_.drawing; }

  // Marks beside those of the selection and its related cells; the stronger one is drawn.
  void set_marks(std::function<CellMark(const Cell&)> marks) { marks_ = std::move(marks); }
  CellMark MarkOf(const Cell& cell) const;
  // What CellMark::kFocus says in this picture, for the legend.
  void set_focus_word(std::string word) { focus_word_ = std::move(word); }
  // For pictures with cells of their own: what belongs to the selected one instead of what the relation says.
  void set_related(Related related) { related_ = std::move(related); }
  // Arrays with the same number have one scale of colours. Those of operations that only move elements have it by themselves.
  void set_scale(int array, int scale) { scales_[array] = scale; }
  // A grid of an operand or result, marked, its window where the selection or what belongs to it is.
  GridSpec SpecOf(const PictureArray& array) const;
  // Where a grid's window should be, for grids that pictures make themselves. `other_id`: of the operand that it stands for.
  std::optional<std::vector<int64_t>> FocusOf(int array) const;

  // ---- From top to bottom ----
  void Headline(std::vector<std::string> operands = {});              // the instruction; with other names than those of its operands
  void Summary();                                                     // what its operation does, in one line
  void Say(absl::string_view sentence, Paint paint = Ink::kDim);      // broken into lines
  void Explain(absl::string_view name, Paint paint, absl::string_view sentence);  // "padding" in its colour, and what it says here
  // A grid, or a sign between two ("->": an arrow; "": a gap).
  struct Piece {
    bool is_grid = false;
    GridSpec grid;
    std::string sign;
    Piece(GridSpec grid) : is_grid(true), grid(std::move(grid)) {}     // NOLINT: a grid is a piece
    Piece(std::string sign) : sign(std::move(sign)) {}                 // NOLINT
  };
  void Row(std::vector<Piece> pieces, float height = 380);
  // One below the other, `gap` apart, with the same scales of colours.
  void Rows(std::vector<std::vector<Piece>> rows, float height, float gap = 0);
  // The formula of the selected element with its indices and numbers; without selection that of every element.
  // `letters`: of the result's dimensions; `summed`: of what is summed over.
  void Formula(const std::vector<std::string>& letters = {}, const std::vector<std::string>& summed = {});
  void Note();  // how far what belongs to the selected cell is known; Formula says it too
  void Code(absl::string_view line, Paint paint = Ink::kText);        // in the formula's type
  // The same with a name before it, behind which all its lines stand, `indent` from the margin.
  void CodeAfter(absl::string_view name, float indent, absl::string_view line);
  void Arrow(const Cell& from, const Cell& to, Paint paint = Ink::kBlue);  // where both are visible
  // From what the selected element reads to it, and to what reads it; only where they are few.
  void RelationArrows(size_t most = 3);
  void Skip(float height) { y_ += height; }
  float y() const { return y_; }
  const Grid* GridOfArray(int array) const;  // that is drawn

  // Of pictures with an order.
  void set_steps(int steps) { made_.steps = steps; }
  void set_groups(int groups) { made_.groups = groups; }
  int step() const;  // that is shown, brought into range; -1: all of it
  void set_step_text(std::string text) { made_.step_text = std::move(text); }
  // The legend names it, as it names what grids show.
  void Saw(CellState state) { seen_->insert({CellMark::kNone, state}); }

  MadePicture Finish();

 private:
  Board() = default;
  struct Line {
    std::vector<std::unique_ptr<Grid>> grids;  // null: the sign in its place
    std::vector<std::string> signs;
  };
  // `at_most`: grids in a line; 0: as many as there is room for.
  std::vector<Line> LinesOf(const std::vector<Piece>& pieces, float height, int at_most = 0) const;
  void ShowSameParts(std::vector<Line>* lines, float height) const;
  void DrawLine(Line line);
  void Legend();
  std::unique_ptr<PictureScene> scene_;
  std::unique_ptr<Relation> relation_;
  const PictureSelection* selection_ = nullptr;
  Related related_;
  std::function<CellMark(const Cell&)> marks_;
  std::shared_ptr<std::set<std::pair<CellMark, CellState>>> seen_ = std::make_shared<std::set<std::pair<CellMark, CellState>>>();
  std::string focus_word_;  // "": the usual one
  std::string TextOf(const Scalar& s) const { return signs_of_nan_ ? SignedText(s) : ToText(s); }
  bool signs_of_nan_ = false;
  std::map<int, int> scales_;  // by array
  std::vector<std::unique_ptr<Grid>> grids_;
  std::vector<Box> words_;     // signs between grids
  MadePicture made_;
  float y_ = 12;
  float width_ = 900;
};

// What stands between the brackets of an instruction without operands: the number of a parameter, a constant's scalar.
std::string InsideOf(const Instruction& instruction);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_BOARD_H_
