// A value in one line, for lists: its shape, its range and its first numbers. Made on the engine's thread, drawn anywhere.
#ifndef HLOSCOPE_VISUALIZER_PANELS_VALUE_NOTE_H_
#define HLOSCOPE_VISUALIZER_PANELS_VALUE_NOTE_H_

#include <cstdint>
#include <string>

#include "absl/strings/string_view.h"
#include "core/debug/known_values.h"
#include "core/debug/session_state.h"
#include "imgui.h"

namespace hloscope {

struct ValueNote {
  std::string shape;
  std::string text;   // the first numbers
  std::string range;  // "-14.2 .. 0"; of one element empty
  std::string error;  // there is no value, and why
  int64_t nan = 0, inf = 0;
  std::string trouble_text;  // of one array: "2 NaN, 1 -inf"
  std::string by_hand;       // "from %x[0], set by hand", of an expression a line for each value that it reads; empty: it has nothing to do with what was set
  bool partial = false;      // not yet looked through whole: ask again
  bool trouble() const { return nan > 0 || inf > 0; }
};

ValueNote NoteOf(const Value& value);
ValueNote NoteOf(Session::State& s, const std::string& expression);
// Of an instruction of the selected frame. What would have to be made first and is large is left alone;
// what is held and large is looked through until the time is up.
ValueNote NoteOf(Session::State& s, int depth, const Instruction& instruction, KnowUntil until);

// "2 NaN, 1 inf".
std::string TroubleText(const ValueNote& note);

// Program text within `width`, with an ellipsis: names blue, shapes teal, NaN and infinities pink, the rest in `color`.
float DrawCode(ImVec2 at, float width, ImU32 color, ImFont* font, absl::string_view text, bool* cut = nullptr);
// The bytes from `begin` to `end` of a text, coloured as in the whole. Names that are drawn are named for tests: "link:%x".
void DrawCodePart(ImVec2 at, ImU32 color, ImFont* font, absl::string_view text, size_t begin, size_t end);
// The %name around a byte of `text`; empty: none.
absl::string_view NameAround(absl::string_view text, size_t at);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_VALUE_NOTE_H_
