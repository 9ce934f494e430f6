// Two dimensions of an array as a grid of cells, for pictures of values of any rank and size: where a cell stands for many elements it
// keeps their least, greatest and mean number and counts what is not finite. Colours are color_scale.h.
#ifndef HLOSCOPE_CORE_DEBUG_PLANE_H_
#define HLOSCOPE_CORE_DEBUG_PLANE_H_

#include <cstdint>
#include <optional>
#include <vector>

#include "absl/strings/string_view.h"
#include "core/literal/value.h"

namespace hloscope {

// Which dimensions lie down and across, and where the others stand.
struct PlaneAxes {
  int rows = -1, columns = -1;  // -1: none, a single row or column
  std::vector<int64_t> at;      // one a dimension; those of rows and columns do not count
  friend bool operator==(const PlaneAxes&, const PlaneAxes&) = default;
};
// The last dimension across and the one before it down; of a vector only across.
PlaneAxes StandardAxes(const Shape& array);
// The same with every number brought into the shape's bounds.
PlaneAxes FitAxes(const Shape& array, PlaneAxes axes);
int64_t PlaneRows(const Shape& array, const PlaneAxes& axes);
int64_t PlaneColumns(const Shape& array, const PlaneAxes& axes);
std::vector<int64_t> PlaneIndex(const PlaneAxes& axes, int64_t row, int64_t column);

// A part of the plane, in elements, and how many of them a cell stands for. Cells at the far edges may stand for fewer.
struct PlaneWindow {
  int64_t row = 0, rows = 0, column = 0, columns = 0;
  int64_t row_step = 1, column_step = 1;
  int64_t cell_rows() const { return (rows + row_step - 1) / row_step; }
  int64_t cell_columns() const { return (columns + column_step - 1) / column_step; }
  friend bool operator==(const PlaneWindow&, const PlaneWindow&) = default;
};
// The whole plane with steps that are powers of two, so that there are at most so many cells.
PlaneWindow WholePlane(const Shape& array, const PlaneAxes& axes, int64_t most_rows, int64_t most_columns);

struct PlaneCell {
  double low = 0, high = 0, mean = 0;  // of the finite ones
  int32_t finite = 0, nan = 0, plus_inf = 0, minus_inf = 0;
};

// What stands for a complex number where one number is drawn, ranged or averaged.
enum class ComplexPart : uint8_t { kMagnitude, kReal, kImaginary, kAngle };
// "|z|", "re", "im", "angle"; the first for what words choose it: "abs", "re", "im", "angle".
const char* SignOf(ComplexPart part);
std::optional<ComplexPart> ParseComplexPart(absl::string_view word);
// A dense array of real numbers of the same dimensions: f32 of c64, f64 of c128. Angles are in radians, from -pi to pi.
Value PartOfComplex(const Value& array, ComplexPart part);

enum class PlaneOf : uint8_t {
  kValue,       // complex numbers: their magnitude
  kDifference,  // from the other value; complex numbers: its magnitude
  kUlp,         // how far from the other value in its last places; whole numbers: the difference's size
};

struct Plane {
  PlaneAxes axes;
  PlaneWindow window;
  std::vector<PlaneCell> cells;  // row-major
  double low = 0, high = 0;      // of all finite elements looked at
  int64_t finite = 0, nan = 0, inf = 0;
  bool sampled = false;          // not every element was looked at
  const PlaneCell& at(int64_t row, int64_t column) const { return cells[row * window.cell_columns() + column]; }
};
// `array` is dense; `other` too, with the same dimensions. The window lies within the plane.
Plane MakePlane(const Value& array, const PlaneAxes& axes, const PlaneWindow& window, PlaneOf of = PlaneOf::kValue, const Value* other = nullptr);

// `count` numbers from a row-major position on, `stride` apart. `array` is dense.
void ReadNumbers(const Value& array, int64_t first, int64_t stride, int64_t count, double* out);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PLANE_H_
