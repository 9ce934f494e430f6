// Prose of several colours and typefaces, with links, that goes on in a new line where there is no room.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_WRAPPED_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_WRAPPED_H_

#include "absl/strings/string_view.h"
#include "imgui.h"

namespace hloscope {

// Pieces of text one after the other from `left` on, which go on in a new line at `right`. Each may be a link.
class Wrapped {
 public:
  Wrapped(float left, float right, ImFont* font, float line);
  // Returns clicked. Text that is no link may break at spaces. `glued` stands right behind a link, in the same line.
  bool Add(absl::string_view text, ImU32 color, absl::string_view link = "", ImFont* font = nullptr, absl::string_view glued = "", ImU32 glued_color = 0);
  // Text of the documentation: what stands between backticks is program text.
  void Prose(absl::string_view text, ImU32 color, ImFont* code);
  // So much must stay together: goes on in a new line where there is no room for it.
  void Keep(float width);
  // As it is, no break within.
  void Glued(absl::string_view text, ImU32 color);
  void Break();
  // Leaves the cursor below; returns the height.
  float End();
  bool hovered() const { return hovered_; }

 private:
  void Put(absl::string_view word, ImU32 color, ImFont* font, float width);
  bool AddLink(absl::string_view text, ImU32 color, absl::string_view name, ImFont* font, float behind);

  float left_, right_;
  ImFont* font_;
  float line_;
  ImVec2 at_;
  float first_y_ = 0;
  bool hovered_ = false;
  int serial_ = 0;
};

// A paragraph over the panel's width.
void Paragraph(absl::string_view text, ImU32 color, ImFont* font, ImFont* code);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_WRAPPED_H_
