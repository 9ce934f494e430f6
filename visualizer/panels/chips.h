// Small rounded labels that can be pressed, side by side as long as there is room.
#ifndef HLOSCOPE_VISUALIZER_PANELS_CHIPS_H_
#define HLOSCOPE_VISUALIZER_PANELS_CHIPS_H_

#include "absl/strings/string_view.h"
#include "imgui.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

// Things side by side that go on in a new line, below the first of them, where there is no room.
class Flow {
 public:
  explicit Flow(float gap = 6) : gap_(ui::Px(gap)), left_(ImGui::GetCursorScreenPos().x), right_(left_ + ImGui::GetContentRegionAvail().x) {}
  void Next(float width) {
    if (!first_) {
      ImGui::SameLine(0, gap_);
      if (ImGui::GetCursorScreenPos().x + width > right_) {
        ImGui::NewLine();
        ImGui::SetCursorScreenPos({left_, ImGui::GetCursorScreenPos().y});
      }
    }
    first_ = false;
  }

 private:
  float gap_, left_, right_;
  bool first_ = true;
};

// A rounded label that can be pressed; no wider than `most`.
bool Chip(absl::string_view name, absl::string_view label, bool on, absl::string_view tip, ImFont* font = nullptr, float most = 160);
float ChipWidth(absl::string_view label, float most = 160);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_CHIPS_H_
