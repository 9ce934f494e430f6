// Keys as tables and people write them: "F5", "Ctrl+Shift+P", "Shift+F11", "Escape", "Up".
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_KEYS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_KEYS_H_

#include <optional>

#include "absl/strings/string_view.h"

namespace hloscope::ui {

struct Chord {
  int key = 0;  // as the window system counts, the index of ImGuiIO::KeysDown
  bool ctrl = false, shift = false, alt = false;
};
std::optional<Chord> ParseChord(absl::string_view text);
// Pressed in this frame, with exactly these modifiers. `repeat`: also when it is held.
bool Pressed(const Chord& chord, bool repeat = false);
bool Pressed(const char* chord, bool repeat = false);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_KEYS_H_
