// Where the value panel draws numbers: a heat map that zooms, an image of channels, a plot of a vector, a table. Holds where one looks,
// and says what is needed to draw it; knows nothing of the session.
#ifndef HLOSCOPE_VISUALIZER_PANELS_VALUE_CANVAS_H_
#define HLOSCOPE_VISUALIZER_PANELS_VALUE_CANVAS_H_

#include <memory>
#include <string>
#include <vector>

#include "core/debug/color_scale.h"
#include "core/debug/plane.h"
#include "imgui.h"
#include "visualizer/model/value_view.h"
#include "visualizer/widgets/raster.h"

namespace hloscope {

enum class CanvasMode : int { kMap, kTable, kImage };
enum class CellShows : int { kMean, kLow, kHigh };

// Where one looks in a value.
struct CanvasView {
  PlaneAxes axes;
  int channel = -1;              // dimension of an image's channels
  CanvasMode laid_in = CanvasMode::kMap;  // the axes of a vector were chosen for it
  bool fitted = true;            // all of it is seen
  double row = 0, column = 0;    // at the upper left corner, in elements
  double cell_width = 0, cell_height = 0;  // pixels of an element
  double table_row = 0, table_column = 0;
  bool held = false;  // what is selected stays in sight of the table, however wide its columns become; until it is scrolled by hand
};

// What the engine is asked for: depends on the place and the zoom.
struct CanvasWish {
  PlaneWindow window;
  bool texts = false;
  int channels = 1;  // 3: an image
  bool empty() const { return window.rows <= 0 || window.columns <= 0; }
  std::string Key() const;
};
// The answer. Drawn also when it is for another window of the same plane.
struct CanvasData {
  ValueName of;
  PlaneOf what = PlaneOf::kValue;
  bool truth = false;              // of false and true
  ElementType type = ElementType::kF64;  // of the numbers: f64 where they are differences
  std::vector<Plane> planes;       // one, or three
  std::vector<std::string> texts;  // of all elements of the window
};

struct CanvasMarks {
  bool has_selected = false;
  int64_t selected_row = 0, selected_column = 0;
};
// What the mouse does.
struct CanvasEvents {
  bool plotted = false;  // a vector, with bars above its strip
  bool hovered = false, clicked = false;
  int64_t row = 0, column = 0;
};

class ValueCanvas {
 public:
  // Of a plane of so many rows and columns, drawn at this size.
  CanvasWish Wish(CanvasMode mode, CanvasView& view, int64_t rows, int64_t columns, ImVec2 size, const CanvasMarks& marks);
  // At the cursor, this large. `data` null: not there yet.
  CanvasEvents Draw(CanvasMode mode, CanvasView& view, int64_t rows, int64_t columns, ImVec2 size, std::shared_ptr<const CanvasData> data, const ColorScale& scale, CellShows shows,
                    const CanvasMarks& marks);
  // Brings an element of a plane of so many rows into view; in a table it stays there until that is scrolled by hand.
  void Reveal(CanvasMode mode, CanvasView& view, int64_t rows, int64_t row, int64_t column) const;
  double column_width() const { return column_width_; }

 private:
  struct Area {
    ImVec2 min, max;
    float width() const { return max.x - min.x; }
    float height() const { return max.y - min.y; }
  };
  // How much of a table of so many rows has room at this size.
  struct Room {
    double rows = 0, columns = 0;
  };
  float IndexWidth(int64_t rows) const;
  float ColumnWidth(int64_t rows, float width) const;  // of a table as wide as this: at most what one column has room for
  Room TableRoom(int64_t rows, ImVec2 size) const;
  void Fit(CanvasView& view, CanvasMode mode, int64_t rows, int64_t columns, ImVec2 size) const;
  void Clamp(CanvasView& view, int64_t rows, int64_t columns, ImVec2 size) const;
  void Paint(const CanvasData& data, const ColorScale& scale, CellShows shows, bool image);
  void DrawCells(const CanvasView& view, const Area& area, const CanvasData& data, const ColorScale& scale, CellShows shows);
  void DrawPlot(const CanvasView& view, const Area& area, const CanvasData& data, const ColorScale& scale);
  CanvasEvents DrawMap(CanvasMode mode, CanvasView& view, int64_t rows, int64_t columns, const Area& area, const CanvasData* data, const ColorScale& scale, CellShows shows,
                       const CanvasMarks& marks);
  CanvasEvents DrawTable(CanvasView& view, int64_t rows, int64_t columns, const Area& area, const CanvasData* data, const ColorScale& scale, const CanvasMarks& marks);
  void DrawScrollbar(const char* name, bool vertical, Area bar, double* at, double seen, double all);

  ui::Raster raster_;
  std::shared_ptr<const CanvasData> painted_;
  std::string painted_with_;
  double column_width_ = 0;  // of the table, at most what was needed so far for this value
  ValueName widths_of_;
  bool dragging_ = false;
  float dragged_ = 0;
  ImVec2 size_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_VALUE_CANVAS_H_
