// What is seen before a program is open: recent files, samples, and the ways to begin. And the dialog that opens files.
#include "visualizer/shell/shell.h"
#include "visualizer/widgets/controls.h"

namespace hloscope {

void Shell::DrawWelcome(ImVec2 min, ImVec2 max) {
  ImGui::SetCursorScreenPos(min);
  ImGui::BeginChild("welcome", {max.x - min.x, max.y - min.y});
  ui::TagScope scope("welcome");
  ui::EmptyHint(ui::Icon::kOpen, "Open an HLO or StableHLO program.", "File > Open (Ctrl+O), or drop a file on the window.");
  ImGui::EndChild();
}

void Shell::DrawOpenDialog() {}

void Shell::Drop(const std::vector<std::string>& paths) {
  if (!paths.empty()) Run("window open " + paths.front());
}

}  // namespace hloscope
