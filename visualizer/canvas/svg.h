// A drawing as an SVG file: small, readable, with text as text. Also the part of an HTML page.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_SVG_H_
#define HLOSCOPE_VISUALIZER_CANVAS_SVG_H_

#include <string>

#include "visualizer/canvas/drawing.h"

namespace hloscope {

struct SvgOptions {
  PaletteScheme scheme = PaletteScheme::kLight;
  float scale = 1;         // of the size that the file asks for
  bool background = true;  // the panel's colour behind
  bool hints = true;       // what spots say, as tooltips
  // Colours as CSS variables of the page round it (--hls-text, --hls-panel, ...), so that one drawing serves both schemes. SvgColors() sets
  // them. For a part of an HTML page only.
  bool variables = false;
};
std::string WriteSvg(const Drawing& drawing, const SvgOptions& options = {});

// "--hls-text: #dfe2e9; ...": for a rule of a page that has SVGs with variables.
std::string SvgColors(PaletteScheme scheme);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_SVG_H_
