// The layout that the picture of layouts looks at: the program's, changed by what somebody tries out, and the rows that say it and change it: type,
// minor_to_major, padding, tiles. Not for where elements lie (layout.cc).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_LAYOUT_CONTROLS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_LAYOUT_CONTROLS_H_

#include <optional>
#include <string>
#include <vector>

#include "core/shape/layout_map.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

// The action that goes back to the program's layout.
inline constexpr char kForgetTriedLayout[] = "minor_to_major=;move=;pad=;pad_value=;tile=";

// The layout that is looked at: the program's, changed by what somebody tries out.
struct TriedLayout {
  Layout layout;
  bool changed = false;
  std::optional<Message> problem;  // the change was not possible
};

class LayoutControls {
 public:
  // `own` is a layout of an array `name` of `type` and `dims` without problems. Board and selection outlive the controls.
  LayoutControls(Board& board, const PictureSelection& selection, std::string name, ElementType type, std::vector<int64_t> dims, const Layout& own);

  const Layout& layout() const { return tried_.layout; }
  const LayoutMap& map() const { return map_; }
  const std::vector<GridAxis>& axes() const { return axes_; }
  int64_t Padded(int d) const { return layout().padded_dimensions.empty() ? dims_[d] : layout().padded_dimensions[d]; }
  // Of dimension d, in places, before tiling.
  int64_t Stride(int d) const;

  void Draw();

 private:
  void DrawType();
  void DrawOrder();
  void DrawDimensions();
  void DrawTiles();
  void Button(float* x, float y, const std::string& text, Paint paint, const std::string& hint, const std::string& action);
  void Stepper(float x, float y, const std::string& less_hint, const std::string& more_hint, bool less, const std::string& less_action, const std::string& more_action);
  std::string OrderAction(const std::vector<int64_t>& order) const;
  std::string PadAction(int d, int by) const;
  std::string StrideText(int d) const;

  Board& board_;
  Drawing& d_;
  const PictureSelection& selection_;
  const Captions& tr_;
  std::string name_;
  ElementType type_;
  std::vector<int64_t> dims_;
  std::vector<GridAxis> axes_;
  TriedLayout tried_;
  LayoutMap map_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_LAYOUT_CONTROLS_H_
