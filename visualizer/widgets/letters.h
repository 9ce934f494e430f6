// Letters that the window's fonts lack, in the window's own text: they come from the fonts of canvas/typeface.h when a text with them is drawn
// first, and are in the next frame's texture. ImGui's letters have 16 bits: what lies beyond (emoji) stands at places of its own, and a text
// is given to ImGui with those (`Spelled`). For drawings see glyph_atlas.h.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_LETTERS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_LETTERS_H_

#include <string>

#include "absl/strings/string_view.h"
#include "imgui.h"
#include "visualizer/canvas/drawing.h"

namespace hloscope::ui {

// `text` as ImGui can draw it in this font; `kept` holds it where it is another one. What the font has not yet is noted.
absl::string_view Spelled(ImFont* font, absl::string_view text, std::string& kept);
// The same for a text that ImGui draws itself (fields, menus).
void NoteLetters(ImFont* font, absl::string_view text);
// Letters were noted since the fonts were loaded: they are to be loaded again (theme.h).
bool LettersWanted();

// For LoadFonts: before the texture is made, for a font that was just added at `size` pixels; and after it was made.
void AddLetters(ImFont* font, Face face, float size);
void PaintLetters();
void ForgetPlaces();  // before fonts are loaded anew

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_LETTERS_H_
