#include "visualizer/widgets/steady.h"

#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"

namespace hloscope::ui {

Steady& TheSteady() {
  static Steady steady;
  return steady;
}

bool TellsTime(absl::string_view text) {
  static constexpr absl::string_view kUnits[] = {"ms", "us", "ns", "s", "\u00b5s", "GB/s", "GFLOP/s", "TFLOP/s"};
  for (size_t k = 0; k < text.size(); ++k) {
    if (!absl::ascii_isdigit(static_cast<unsigned char>(text[k]))) continue;
    absl::string_view rest = text.substr(k + 1);
    if (!rest.empty() && rest.front() == ' ') rest.remove_prefix(1);
    for (const absl::string_view unit : kUnits) {
      // No letter behind it: "3 steps" is no time, and neither is "s32".
      if (absl::StartsWith(rest, unit) && (rest.size() == unit.size() || !(absl::ascii_isalnum(static_cast<unsigned char>(rest[unit.size()])) || rest[unit.size()] == '_'))) return true;
    }
  }
  return false;
}

void Varies(ImVec2 min, ImVec2 max) {
  if (!TheSteady().on) return;
  const ImVec2 clip_min = ImGui::GetWindowDrawList()->GetClipRectMin(), clip_max = ImGui::GetWindowDrawList()->GetClipRectMax();
  min = {std::max(min.x, clip_min.x), std::max(min.y, clip_min.y)};
  max = {std::min(max.x, clip_max.x), std::min(max.y, clip_max.y)};
  if (max.x > min.x && max.y > min.y) TheSteady().varying.push_back({min, max});
}

void NoteText(absl::string_view text, ImVec2 min, ImVec2 max) {
  if (!TheSteady().on) return;
  // How wide a kernel's vectors are is the processor's.
  if (!TellsTime(text) && !absl::StrContains(text, "/tmp/") && !absl::StrContains(text, " lanes of ")) return;
  // The next one may be a few digits longer.
  Varies(min, {max.x + (max.y - min.y) * 3, max.y});
}

}  // namespace hloscope::ui
