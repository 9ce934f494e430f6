// An array of any rank as grids of cells: rows and columns, one grid for each slice of the other dimensions, letters and indices along the
// edges, numbers in the cells where they fit and heat colours where they do not. Of an array too large for its room a window is drawn, with
// marks that scroll it; every cell can be reached. Not for what belongs together (relation.h): the grid is told each cell's look.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_GRID_H_
#define HLOSCOPE_VISUALIZER_PICTURES_GRID_H_

#include <functional>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/types/span.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/pictures/heat.h"
#include "visualizer/pictures/scene.h"

namespace hloscope {

// What a cell is in the picture's story.
enum class CellMark : uint8_t {
  kNone,
  kDone,       // earlier steps were here
  kFocus,      // what the picture is about (the window, the slice), without being selected
  kRelated,    // belongs to the selected one: its value counts
  kIndex,      // decides which
  kPredicate,  // decides whether
  kNow,        // the step that is shown
  kSelected,
};
enum class CellState : uint8_t {
  kElement,
  kPadding,  // hatched, with the padding's value if it has one
  kHole,     // between the elements of a dilated array
  kSkipped,  // crossed out: nothing is made of it
  kPartly,   // of a window that reaches out: something is made of what lies inside
  kClamped,  // not where it was asked for
  kAbsent,   // nothing is drawn
  kUnused,   // there, but not looked at
};

struct GridCell {
  Cell cell;
  CellState state = CellState::kElement;
  CellMark mark = CellMark::kNone;
  Paint tint;                    // of a group
  std::optional<Scalar> value;   // written as there is room for it
  std::string text;              // what is written instead of it
  std::optional<double> number;  // for its heat; none: it has no value, or is no number
  std::string hint;
  bool is_nan = false;

  void Take(const Scalar& s);  // its value, and the number of that
  void Empty();                // neither value nor text: not made yet
};

// Elements that carry the colour of where they come from; of more of them the colours of numbers say it better.
inline constexpr int64_t kMostTinted = 160;

struct GridAxis {
  std::string letter;  // "m"; "" none
  Paint paint = Ink::kTeal;
};

inline constexpr absl::string_view kBetween = "·";

struct GridSpec {
  int array = 0;                   // names its window
  std::string title;               // "%lhs"
  std::string type;                // "f32"
  std::vector<int64_t> dims;
  int64_t told_first = -1;         // the first dimension as the title says it, where cells are left out along it; -1: as it is
  std::vector<GridAxis> axes;      // one a dimension; empty: the customary letters
  int rows = -1, columns = -1;     // dimensions; -1 both: chosen
  bool numbers = true;             // show numbers where they fit
  bool only_numbers = false;       // rather fewer cells than no numbers
  std::function<GridCell(absl::Span<const int64_t> index)> cell;
  // What stands beside an index along an edge, where it is not the index; kBetween where it has no name (padding, a hole).
  std::function<std::string(int dim, int64_t i)> label;
  // How many indices of each dimension have a name of their own, where others have none; empty: all.
  std::vector<int64_t> named;
  // An element that should be seen, unless somebody scrolled.
  std::optional<std::vector<int64_t>> focus;
  // Of a window that begins at the focus, its last element: it should be seen as well, where there is room for all of it.
  std::optional<std::vector<int64_t>> focus_last;
  // No more of each dimension than this, so that others show the same part; empty: as much as there is room for.
  std::vector<int64_t> at_most;
  std::string note;                // under the title, faint
  bool head_under = false;         // the title and what scrolls it stand below the cells: from above lines come to those
  bool tagged = false;             // labels will stand on the corners of cells: room for them under the columns' numbers
  // Grids with the same number have one scale of colours: their values were only moved. Nothing: a scale of its own.
  std::vector<int> scales;
  bool scales_over = false;        // beside the title, if there is room, and not under the cells: from those lines go down
  int scale_dim = -1;              // each index along it has a scale, and its entry of `scales`; -1: all have the same
};

// The customary letters of an array's dimensions: y x, z y x, p z y x.
std::vector<GridAxis> CustomaryAxes(int rank);

class Grid {
 public:
  // Takes at most the room, if that is enough for the smallest window.
  Grid(GridSpec spec, const PictureSelection& selection, float width, float height);

  float width() const { return width_; }
  float height() const { return height_; }
  float title_width() const;  // may be more than the grid's
  const GridSpec& spec() const { return spec_; }
  // `at`: its upper left corner.
  void Draw(Place at, Drawing* drawing);
  // Of a cell that is visible; once drawn.
  std::optional<Box> BoxOf(absl::Span<const int64_t> index) const;
  // The visible parts of a box of cells (inclusive), one for each slice; once drawn.
  std::vector<Box> BoxesOf(absl::Span<const int64_t> low, absl::Span<const int64_t> high) const;
  Box body() const { return body_; }  // all cells, once drawn
  Box head() const { return head_; }  // the title, and what stands under it, once drawn
  Box foot() const { return foot_; }  // the scales of its colours, once drawn; empty: it has none
  float right() const { return body_.right() + (Shortened(spec_.columns) ? kStrip : 0); }  // of the cells and the strip that scrolls them, once drawn
  float before() const;  // so much of what lies before the cells has numbers of rows, or the strip that scrolls; once drawn
  // The lines between cells next to a place, where no number stands: across the grid, and down it; once drawn.
  float RowLineNear(float y) const;
  float ColumnLineNear(float x) const;
  bool has_numbers() const { return text_mode_; }
  // Integers of it have not all their digits, for want of room.
  bool rounded() const { return text_mode_ && long_integers_ && !style_.whole; }
  // The numbers whose colours are seen, by GridSpec::scales, and scales instead of those.
  const std::vector<HeatScale>& heat() const { return heat_; }
  void set_heat(size_t k, const HeatScale& heat) { heat_[k] = heat; }
  std::vector<int64_t> counts() const;  // how much of each dimension is seen
  float room_width() const { return room_width_; }
  int64_t first(int dim) const { return views_[dim].first; }  // the first index that is seen

 private:
  struct View {
    int64_t first = 0, count = 0;
  };
  // How numbers are written: with which digits, how large, and how large a cell that makes.
  struct Writing {
    NumberStyle style;
    float size, margin, height;
  };
  std::vector<GridCell> Sample(const PictureSelection& selection);
  float WidestOf(const std::vector<GridCell>& cells, const NumberStyle& style, float size) const;
  void Choose(const std::vector<GridCell>& cells, float room_width, float room_height);
  bool ChooseText(const std::vector<GridCell>& cells, float room_width, float room_height);
  void ChooseNumbers(const std::vector<GridCell>& cells, float over, float room_width, float room_height);
  void FitNumbers();
  void ShareSlices(float room_width, float room_height);
  void ChooseWindow(const PictureSelection& selection);
  bool Fits(float cell_width, float cell_height, float room_width, float room_height, int64_t* across) const;
  float SliceWidth(float cell_width, int64_t columns) const;
  float SliceHeight(float cell_height, int64_t rows) const;
  int64_t Told(size_t dim) const { return dim == 0 && spec_.told_first >= 0 ? spec_.told_first : spec_.dims[dim]; }
  int64_t Extent(int dim) const { return dim < 0 ? 1 : spec_.dims[dim]; }
  bool Shortened(int dim) const { return dim >= 0 && views_[dim].count < spec_.dims[dim]; }
  std::vector<int64_t> IndexAt(absl::Span<const int64_t> slice, int64_t row, int64_t column) const;
  std::string ScrollAction(int dim, int64_t first) const;
  void DrawHead(Place at, Drawing* drawing) const;
  // What is seen of each shortened dimension and what scrolls it, in lines of a width; returns their height. Null: only measured.
  float ScrollLines(Place at, float width, Drawing* drawing, float* used = nullptr) const;
  void PutScalesOver();
  std::string SeenText(int dim) const;  // "6-13"
  int64_t WantedOf(int dim) const;      // of the window at the focus
  void DrawSlice(absl::Span<const int64_t> slice, Place at, Drawing* drawing);
  void DrawCell(const GridCell& cell, Box box, Drawing* drawing) const;
  void DrawEdges(Place at, Drawing* drawing) const;
  float DrawScales(Place at, Drawing* drawing) const;  // to where they reach
  size_t ScaleOf(absl::Span<const int64_t> index) const { return spec_.scale_dim < 0 ? 0 : static_cast<size_t>(index[static_cast<size_t>(spec_.scale_dim)]); }
  std::string LabelOf(int dim, int64_t i) const;
  std::vector<std::string> TicksOf(int dim) const;  // what stands along its edge, one for each index that is seen; empty: nothing
  // "[0,:,:]".
  std::string SliceTitle(absl::Span<const int64_t> slice) const;
  float ScaleNumbersWidth() const;
  std::vector<std::pair<const char*, uint32_t>> ColoursOfTheirOwn() const;  // that are seen, of what has no place on the scale
  int64_t SlicesSeen() const;
  // Slices that are seen, with their number in the order in which they are drawn, until the function says false.
  void EachSlice(const std::function<bool(const std::vector<int64_t>&, int64_t)>& f) const;
  // Cells that are seen, likewise.
  void EachCell(const std::function<bool(const std::vector<int64_t>&, const GridCell&)>& f) const;
  void LookAtColours();

  static constexpr float kTitleHeight = 20, kNoteHeight = 16, kScrollHeight = 18, kScaleHeight = 18, kSliceHead = 15, kSliceGap = 14, kStrip = 12;
  static constexpr float kLongTitle = 340, kLeastTitle = 180;
  static constexpr float kNumberSize = 12, kLeastNumberSize = 8.5f, kLabelSize = 10;
  static constexpr float kCellBorders = 3;  // so much of a cell's width is its borders

  GridSpec spec_;
  std::string title_;                  // as it is drawn: without its middle where that is long
  const Captions tr_;
  bool live_ = false;                  // with buttons that scroll
  bool empty_ = false, text_mode_ = true;
  NumberStyle style_;                  // of all numbers
  float number_size_ = kNumberSize;    // likewise
  bool long_integers_ = false;         // there are some that are rounded where the style is not whole
  std::vector<int> outer_;             // dimensions of the slices
  std::vector<View> views_;            // by dimension
  float cell_width_ = 0, cell_height_ = 0;
  float label_width_ = 0, label_height_ = 0, slice_title_width_ = 0;
  float head_height_ = 0, scroll_height_ = 0, scales_beside_ = 0;  // so far to the right the scales stand beside the title; 0: they do not
  int64_t across_ = 1;                 // slices side by side
  float width_ = 0, height_ = 0;
  float room_width_ = 0;
  struct Placed {
    std::vector<int64_t> slice;
    Box cells;
  };
  std::vector<Placed> placed_;
  std::vector<HeatScale> heat_;  // of all cells that are seen, where they are colours; by the index along GridSpec::scale_dim
  bool any_nan_ = false, any_plus_inf_ = false, any_minus_inf_ = false;
  Box body_, head_, foot_;
};

// Cells of an array's elements. `mark` may be null.
GridSpec GridOf(const PictureArray& array, std::function<CellMark(const Cell&)> mark, const Captions& tr);
// The same for one cell, with its value, its hint and its mark.
GridCell CellOf(const PictureArray& array, absl::Span<const int64_t> index, const std::function<CellMark(const Cell&)>& mark, const Captions& tr);
// With the sign of its NaN, for operations whose result depends on it.
void TellSignOfNan(const PictureArray& array, absl::Span<const int64_t> index, GridCell* cell);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_GRID_H_
