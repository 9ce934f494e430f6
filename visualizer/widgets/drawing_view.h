// A drawing (canvas/drawing.h) in a panel: crisp at every scale, with what the mouse finds in it.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_DRAWING_VIEW_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_DRAWING_VIEW_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "imgui.h"
#include "visualizer/canvas/drawing.h"
#include "visualizer/widgets/raster.h"

namespace hloscope::ui {

struct DrawingEvents {
  const Spot* hovered = nullptr;   // of the drawing that is shown; null: none, or something is being dragged
  const Spot* clicked = nullptr;
  bool clicked_empty = false;      // beside all spots
  // What becomes of the options: the action of what was clicked, or of what was dropped. "axis=1;step=0".
  std::string action;
  bool dragging = false;
  const Roll* roll = nullptr;      // under the mouse, else the first; null: nothing scrolls
};

class DrawingView {
 public:
  // At the cursor, in its own size times `zoom`. Kept alive while it is shown.
  DrawingEvents Show(absl::string_view name, std::shared_ptr<const Drawing> drawing, float zoom = 1);
  // Behind Show, in the window that it stands in: scrolls as little as brings cells into sight that look otherwise than in the drawing before,
  // and what is said beside them where there is room for both; or one cell.
  void ScrollToChange() const;
  void ScrollToCell(const Cell& cell) const;

 private:
  void ScrollTo(const Box& box) const;
  bool HasRoom(const Box& box) const;
  std::shared_ptr<const Drawing> before_;
  ImVec2 at_;        // where it was shown
  float scale_ = 1;  // how large
  std::string Wheel(Place place) const;
  std::shared_ptr<const Drawing> shown_;
  std::map<size_t, std::unique_ptr<Raster>> images_;  // by item
  std::string carried_;                               // by the mouse, with its kind
  Box carried_box_;
  ImVec2 carried_from_;
  Box rested_{-1, -1};
  double rested_since_ = 0;
  bool moved_ = false;
};

// Onto a list, its upper left corner at a place; images only with `images`.
void DrawDrawing(ImDrawList* list, const Drawing& drawing, ImVec2 at, float scale, std::map<size_t, std::unique_ptr<Raster>>* images);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_DRAWING_VIEW_H_
