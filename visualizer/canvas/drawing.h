// What a picture is made of: rectangles, lines, texts and images with places, in the words of one palette, and the cells that a mouse can
// find in them. The same Drawing is shown in a panel (widgets/drawing_view.h) and written as SVG (svg.h), PNG and PDF (paged.h). Sizes are
// in pixels at scale 1; y grows downward. Knows nothing of programs, values and windows.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_DRAWING_H_
#define HLOSCOPE_VISUALIZER_CANVAS_DRAWING_H_

#include <cmath>
#include <cstdint>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/canvas/palette.h"

namespace hloscope {

struct Place {
  float x = 0, y = 0;
};

struct Box {
  float x = 0, y = 0, width = 0, height = 0;
  float right() const { return x + width; }
  float bottom() const { return y + height; }
  Place middle() const { return {x + width / 2, y + height / 2}; }
  bool Has(Place at) const { return at.x >= x && at.x < right() && at.y >= y && at.y < bottom(); }
};

// A colour by its meaning, or (heat maps) a colour as it is.
struct Paint {
  Ink ink = Ink::kNone;
  float strength = 1;  // of the colour over what lies below, 0 to 1
  uint32_t rgb = 0;    // 0xRRGGBB, with ink == Ink::kExact
  Paint() = default;
  Paint(Ink ink, float strength = 1) : ink(ink), strength(strength) {}  // NOLINT: "Ink::kText" is a paint
  static Paint Exact(uint32_t rgb) {
    Paint p(Ink::kExact);
    p.rgb = rgb;
    return p;
  }
  bool none() const { return ink == Ink::kNone || strength <= 0; }
};

enum class Face : uint8_t { kUi, kStrong, kMono, kMonoStrong };
enum class Align : uint8_t { kLeft, kCenter, kRight };
struct TextStyle {
  float size = 13;  // pixels of the em
  Face face = Face::kUi;
  Paint paint = Ink::kText;
  Align align = Align::kLeft;  // of the text to its x
};

enum class LineKind : uint8_t { kSolid, kDashed, kDotted };
struct LineStyle {
  Paint paint = Ink::kBorder;
  float width = 1;
  LineKind kind = LineKind::kSolid;
  bool arrow = false;  // a head at the end
};

// What the mouse finds at a place, topmost last. Numbers of arrays are the picture's own.
struct Cell {
  int array = 0;
  std::vector<int64_t> index;
  bool operator==(const Cell& other) const { return array == other.array && index == other.index; }
};
struct Spot {
  Box box;
  bool is_cell = false;
  Cell cell;            // of is_cell
  std::string hint;     // shown while the mouse rests here; lines by \n
  std::string action;   // of a click: what the picture's options become, "axis=1" or "axis=1;step=0"; a value of "" forgets one; "" none
  std::string drag;     // what is carried from here, with its kind: "order:0"; "" none
  std::string drop;     // what becomes of the options when something of this kind is dropped here, $ standing for it: "order:move=$>1"; "" none
};

// Where the wheel and the keys of pages scroll an array that is shown in part. The option becomes the first visible index of each dimension.
struct Roll {
  Box box;
  std::string option;                       // "window:0"
  std::vector<int64_t> first, count, size;  // by dimension: first visible index, how many are visible, how many there are
  int down = -1, across = -1;               // dimensions that are scrolled downwards and to the right; -1: none
};
// The action of scrolling a dimension by so many indices; "" where nothing moves.
std::string RollAction(const Roll& roll, int dimension, int64_t by);

// Edges and straight lines are moved by less than a pixel so that they are crisp; the lines of neighbouring boxes fall together.
struct DrawnBox {
  Box box;
  Paint fill, line;
  float line_width = 1, radius = 0;
  bool hatched = false;  // over the fill, in the line's colour: padding, elided
};
struct DrawnLine {
  std::vector<Place> points;  // at least 2; with `curve` 3n+1 points of cubic splines
  LineStyle style;
  bool curve = false;
  bool closed = false;
  Paint fill;  // of closed ones
};
struct DrawnText {
  Place at;  // the baseline
  std::string text;
  TextStyle style;
};
// Pixels 0xAABBGGRR row by row, stretched over the box without smoothing.
struct DrawnImage {
  Box box;
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;
};
// From here on only what lies in the box is seen; an empty box ends the innermost one.
struct DrawnClip {
  Box box;
  bool end = false;
};
using Drawn = std::variant<DrawnBox, DrawnLine, DrawnText, DrawnImage, DrawnClip>;

class Drawing {
 public:
  // ---- Making one ----
  void AddBox(Box box, Paint fill, Paint line = {}, float radius = 0, float line_width = 1);
  void AddHatchedBox(Box box, Paint fill, Paint line, float radius = 0);
  void AddLine(Place from, Place to, LineStyle style = {});
  void AddPath(std::vector<Place> points, LineStyle style, bool curve = false);
  // Convex.
  void AddPolygon(std::vector<Place> points, Paint fill, LineStyle line = {Ink::kNone});
  // `at`: the baseline.
  void AddText(Place at, absl::string_view text, TextStyle style = {});
  // From `at` on; cut with an ellipsis where it is wider.
  void AddCutText(Place at, float width, absl::string_view text, TextStyle style = {});
  // In the middle of the box; cut with an ellipsis where it is too wide, and left out where not even that fits.
  void AddTextIn(Box box, absl::string_view text, TextStyle style = {});
  // Broken at spaces to a width; returns the height. `at`: the upper left corner.
  float AddParagraph(Place at, float width, absl::string_view text, TextStyle style = {});
  void AddImage(DrawnImage image);
  void BeginClip(Box box);
  void EndClip();
  void AddSpot(Spot spot);
  void AddRoll(Roll roll);
  // All of another drawing, moved.
  void Append(const Drawing& other, float dx, float dy);

  // ---- As it is ----
  // Round everything that was drawn, clipped; grows by itself. At least `SetSize`.
  float width() const { return width_; }
  float height() const { return height_; }
  // Whole pixels; what is over them by a rounding error does not count.
  float whole_width() const { return std::ceil(width_ - 0.05f); }
  float whole_height() const { return std::ceil(height_ - 0.05f); }
  void SetSize(float width, float height);  // at least so large
  const std::vector<Drawn>& items() const { return items_; }
  const std::vector<Spot>& spots() const { return spots_; }
  const std::vector<Roll>& rolls() const { return rolls_; }
  const Spot* SpotAt(Place at) const;  // the topmost; null: none
  // What it says of itself where only text can be had, and as the title of SVG and PDF files.
  std::string title, description;

 private:
  void Cover(float right, float bottom);
  std::vector<Drawn> items_;
  std::vector<Spot> spots_;
  std::vector<Roll> rolls_;
  std::vector<Box> clips_;
  float width_ = 0, height_ = 0;
};

// Width of a text in pixels, the same for every side that draws: from the typeface's own advances, without hinting.
float TextWidth(absl::string_view text, Face face, float size);
// Where the end of a name begins that is kept when it is cut: its number and index, or its last letters.
size_t BeginOfNameEnd(absl::string_view name);
// The name, without its middle where it is wider than that.
std::string NameIn(float width, absl::string_view name, Face face, float size);
// Above the baseline and below it.
float TextAscent(Face face, float size);
float TextDescent(Face face, float size);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_DRAWING_H_
