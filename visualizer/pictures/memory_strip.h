// Memory as a strip of numbered cells, in as many rows as it takes; of a long memory a part, which can be moved. For the picture of layouts.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_MEMORY_STRIP_H_
#define HLOSCOPE_VISUALIZER_PICTURES_MEMORY_STRIP_H_

#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "visualizer/pictures/grid.h"

namespace hloscope {

struct StripCell {
  Cell cell;
  bool padding = false;
  CellMark mark = CellMark::kNone;
  Paint tint;
  std::string text, hint;
};

struct StripSpec {
  int number = 0;           // of the strips of one picture; names the option that moves it
  int64_t count = 0;        // places
  int64_t group = 0;        // so many belong together, with a little space before the next; 0: no groups
  int64_t line = 0;         // so many, until a dimension but the most minor goes on: rows begin there where that leaves them about as long
  bool note_below = false;  // which part is seen stands below it: lines come from above
  std::optional<int64_t> focus;  // a place that should be seen, unless somebody moved the strip
  std::function<StripCell(int64_t place)> cell;
};

class MemoryStrip {
 public:
  MemoryStrip(StripSpec spec, const PictureSelection& selection, float width);
  float height() const { return height_; }
  bool one_row() const { return rows_ == 1 && !cut_; }
  void Draw(Place at, Drawing* drawing);
  // Of a place that is seen; once drawn.
  std::optional<Box> BoxOf(int64_t place) const;
  float top() const { return at_.y; }  // of the first row of cells, and below the numbers of the last; once drawn
  float bottom() const;

 private:
  float XOf(int64_t column) const;
  void DrawNote(Place at, Drawing* drawing) const;
  StripSpec spec_;
  const Captions tr_;
  bool live_ = false;  // with buttons that scroll
  int64_t first_ = 0, shown_ = 0, columns_ = 1, rows_ = 1;
  bool cut_ = false;
  float cell_width_ = 34, group_gap_ = 0, height_ = 0;
  Place at_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_MEMORY_STRIP_H_
