// The parts that panels are made of, in the house's look: buttons, fields, texts with an ellipsis, hints, key and value rows.
// Everything that can be used has a name for tests (tags.h). Sizes are at scale 1.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_CONTROLS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_CONTROLS_H_

#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "imgui.h"
#include "visualizer/widgets/icons.h"
#include "visualizer/widgets/tags.h"
#include "visualizer/widgets/theme.h"

namespace hloscope::ui {

// While it lives, text is drawn in this font.
class WithFont {
 public:
  explicit WithFont(ImFont* font) { ImGui::PushFont(font); }
  ~WithFont() { ImGui::PopFont(); }
  WithFont(const WithFont&) = delete;
  WithFont& operator=(const WithFont&) = delete;
};

// -- Text --
ImVec2 Measure(ImFont* font, absl::string_view text);
// At a place of the current draw list; no item.
void DrawText(ImVec2 at, ImU32 color, ImFont* font, absl::string_view text);
// Onto a list of one's own; letters that the font lacks come too (letters.h). `clip`: as ImGui takes it; null: none.
void AddText(ImDrawList* list, ImFont* font, ImVec2 at, ImU32 color, absl::string_view text, const ImVec4* clip = nullptr, float wrap = 0);
// The same within `width`: cut with an ellipsis where it is longer. Returns the width drawn; `cut` says whether.
float DrawTextIn(ImVec2 at, float width, ImU32 color, ImFont* font, absl::string_view text, bool* cut = nullptr);
// The same of a name, perhaps with an index ("conv_general_dilated.54[0,3]"): its end tells it from others, so it is cut before that.
float DrawNameIn(ImVec2 at, float width, ImU32 color, ImFont* font, absl::string_view name, bool* cut = nullptr);
// As items.
void Text(absl::string_view text, ImU32 color = 0, ImFont* font = nullptr);        // one line, 0: Colors().text
void TextWrapped(absl::string_view text, ImU32 color = 0, ImFont* font = nullptr);
// One line that ends in an ellipsis at the panel's edge (or `width` pixels), the whole in a tooltip.
void TextCut(absl::string_view text, ImU32 color = 0, ImFont* font = nullptr, float width = 0);
void Tooltip(absl::string_view text);  // of the last item, when hovered for a moment
void Gap(float height);                // vertical space

// -- Things to press --
enum class ButtonKind : uint8_t { kPlain, kPrimary, kQuiet, kLink };
// `name` is the tag. Label may be empty with an icon; `tip` is shown on hover.
bool Button(absl::string_view name, absl::string_view label, Icon icon = Icon::kNone, ButtonKind kind = ButtonKind::kPlain, absl::string_view tip = "", bool enabled = true);
bool IconButton(absl::string_view name, Icon icon, absl::string_view tip, bool on = false, bool enabled = true);
// Blue text that can be clicked.
bool Link(absl::string_view name, absl::string_view text, ImFont* font = nullptr);
bool Toggle(absl::string_view name, absl::string_view label, bool* on, absl::string_view tip = "");
// One of several: a segmented row.
bool Segments(absl::string_view name, const std::vector<std::string>& labels, int* chosen);
bool Combo(absl::string_view name, const std::vector<std::string>& labels, int* chosen, float width = 0);

// -- Fields --
// True when the text changed. `hint` stands in the empty field. `mono`: of program text. `entered`: Enter was pressed.
bool Field(absl::string_view name, std::string* text, absl::string_view hint, float width = 0, bool* entered = nullptr, bool mono = false);
bool SearchField(absl::string_view name, std::string* text, absl::string_view hint, float width = 0, bool* entered = nullptr);
// The next field takes the keyboard. `select_all`: with all that stands in it selected, so that what is typed takes its place.
void FocusNext(bool select_all = false);
// Between two frames: a field gets the keyboard in the next one, and takes letters only after that.
bool KeyboardMoves();
// The field that has the keyboard is empty and nothing has been typed into it: it has nothing to undo.
bool InUntouchedField();

// -- Rows --
// A row over the panel's width that can be selected: call, then draw over it. Returns clicked; `rect` is its place.
struct RowState {
  bool clicked = false, double_clicked = false, right_clicked = false, hovered = false;
  ImVec2 min, max;
};
RowState Row(absl::string_view name, float height, bool selected = false, ImU32 fill = 0);
// The height of a list in the room that is left, of whole rows of this height (at scale 1): the last one that is seen is not cut. At least one.
// `below`: of what comes after it.
float WholeRows(float row, float below = 0);
// "shape    bf16[1,12]": a dim key and a value in one column each.
void KeyValue(absl::string_view key, absl::string_view value, ImU32 color = 0, ImFont* font = nullptr, float key_width = 92);
void Heading(absl::string_view text);
void Separator();
// A small rounded label.
void Badge(absl::string_view text, ImU32 color);
// What an empty panel says: one line about what it will show, and one about how to get it there.
void EmptyHint(Icon icon, absl::string_view what, absl::string_view how);
// A turning ring; asks for more frames.
void Spinner(float size);
// Something moves: the next frame is wanted without an event.
void WantFrame();
bool TakeWantedFrame();

// A histogram of `bins` as small bars in a rectangle.
void DrawSpark(ImVec2 min, ImVec2 max, const std::vector<float>& bins, ImU32 color);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_CONTROLS_H_
