// How everything looks: the palette, dark and light, with one meaning for each colour, and the type. Set once a frame by the shell.
// Colours say: amber = here and now (the stop), red = breakpoint, blue = selection and links, teal = shapes, pink = numeric trouble,
// green = fine, violet = attributes. Always beside a shape or a label, for eyes that see fewer colours.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_THEME_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_THEME_H_

#include <cstdint>

#include "imgui.h"

namespace hloscope::ui {

enum class Scheme : uint8_t { kDark, kLight };

struct Palette {
  ImU32 window, panel, raised, sunken;      // background of the window, of panels, of buttons and cards, of text fields and code
  ImU32 border, hover, active;              // lines; a row or button under the mouse; one that is pressed or on
  ImU32 text, dim, faint;                   // text in three strengths
  ImU32 amber, red, blue, teal, pink, green, violet, orange;
  ImU32 amber_fill, red_fill, blue_fill, pink_fill, green_fill;  // behind text
  ImU32 shadow;
};

// One of Inter, one of JetBrains Mono, in the sizes that are used. Sizes are at scale 1.
struct Fonts {
  ImFont* ui = nullptr;      // Inter 13
  ImFont* strong = nullptr;  // Inter semibold 13
  ImFont* small = nullptr;   // Inter 11
  ImFont* title = nullptr;   // Inter semibold 17
  ImFont* mono = nullptr;    // JetBrains Mono 13
  ImFont* mono_strong = nullptr;
  ImFont* mono_small = nullptr;  // 11
};

struct Look {
  Scheme scheme = Scheme::kDark;
  Palette color;
  Fonts font;
  float scale = 1;
  bool motion = true;
  // Sizes in pixels of the screen, from those at scale 1; whole.
  float px(float at_scale_1) const;
};

// Of the window that is being drawn.
Look& TheLook();
inline const Palette& Colors() { return TheLook().color; }
inline const Fonts& Type() { return TheLook().font; }
inline float Px(float at_scale_1) { return TheLook().px(at_scale_1); }

// Takes the colours of a scheme and gives them to ImGui, with its sizes.
void Apply(Scheme scheme, float scale);
// Loads the fonts into ImGui's atlas at this scale; before the first frame, and again after the scale changed (the texture then must be
// made anew). Where a font is not installed, ImGui's own serves, and `missing` names it.
void LoadFonts(float scale, const char** missing);

// `color` with its alpha times `strength` (0 to 1).
ImU32 Fade(ImU32 color, float strength);
// Between two colours.
ImU32 Mix(ImU32 a, ImU32 b, float t);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_THEME_H_
