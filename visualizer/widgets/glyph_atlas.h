// Letters of drawings at any size, crisp at every scale: each is drawn once, at whole pixels and a quarter of a pixel to the right, into one
// texture. For the text of pictures (drawing_view.h); the window's own text has ImGui's fonts.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_GLYPH_ATLAS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_GLYPH_ATLAS_H_

#include "absl/strings/string_view.h"
#include "imgui.h"
#include "visualizer/canvas/drawing.h"

namespace hloscope::ui {

// `left` and `baseline` in pixels of the screen; `pixels` an em. Without a device (widgets/raster.h) ImGui's font stands in.
void DrawGlyphs(ImDrawList* list, float left, float baseline, float pixels, Face face, ImU32 color, absl::string_view text);
// Puts what is new onto the device; after the letters of a frame, before it is shown.
void UploadGlyphs();

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_GLYPH_ATLAS_H_
