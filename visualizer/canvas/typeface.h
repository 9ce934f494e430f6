// The two typefaces as they are in their files: advances without hinting, which every side lays text out by, and glyphs for those that draw
// them themselves. Where a font is not installed, another one or an estimate serves. Any thread may ask.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_TYPEFACE_H_
#define HLOSCOPE_VISUALIZER_CANVAS_TYPEFACE_H_

#include <cstdint>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/canvas/drawing.h"

namespace hloscope {

inline constexpr int kFaces = 4;

// Of Debian's packages fonts-inter and fonts-jetbrains-mono; what neither has comes from fonts-dejavu-core, fonts-droid-fallback (Chinese,
// Japanese, Korean), fonts-symbola (emoji, symbols) and fonts-unifont (all others), each opened when the first of its letters is asked for.
const char* FontPath(Face face);
// What SVG and HTML call it: "Inter, ...".
const char* FontFamily(Face face);

// In parts of the em.
float Advance(Face face, uint32_t character);
float CapHeight(Face face);

// The cells that a character takes where all letters are equally wide: 2 for Chinese, Japanese and Korean ones and emoji, 0 for what is
// put onto the letter before it or is not seen (Unicode's East Asian Width, UAX 11, as terminals take it).
int CellsOf(uint32_t character);
// The typefaces have no glyph of their own for it: another font serves, or the box for what is missing.
bool IsForeign(Face face, uint32_t character);

// The next character of UTF-8 text, which becomes shorter; what is no UTF-8 becomes U+FFFD.
uint32_t TakeCharacter(absl::string_view& text);

// Where a glyph lies in its font's file, and which file that is: for libraries that draw by glyph numbers. -1: an estimated one.
struct GlyphName {
  int font = -1;  // of FontFile()
  uint32_t glyph = 0;
};
GlyphName GlyphOf(Face face, uint32_t character);
const char* FontFile(int font);
inline constexpr int kFontFiles = 10;

// A glyph as coverage, 0 to 255, at `pixels` an em and moved right by a part of a pixel. Empty for spaces and where there is no font.
struct GlyphPixels {
  int left = 0, top = 0;  // of its upper left pixel from the pen's place; `top` upward
  int width = 0, height = 0;
  std::vector<uint8_t> coverage;
};
GlyphPixels RasterGlyph(Face face, uint32_t character, float pixels, float right);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_TYPEFACE_H_
