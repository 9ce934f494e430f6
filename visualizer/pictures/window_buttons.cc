#include "visualizer/pictures/window_buttons.h"

#include <algorithm>

#include "absl/strings/str_cat.h"

namespace hloscope {

void DrawWindowButtons(Place at, int64_t first, int64_t shown, int64_t count, absl::string_view option, const Captions& tr, Drawing* drawing) {
  const struct {
    const char* text;
    int64_t first;
    const char* hint;
  } buttons[] = {{"«", 0, HLO_CAPTION("to the beginning")},
                 {"‹", first - shown, HLO_CAPTION("back")},
                 {"›", first + shown, HLO_CAPTION("on")},
                 {"»", count, HLO_CAPTION("to the end")}};
  for (const auto& button : buttons) {
    const bool can = button.first < first ? first > 0 : first + shown < count;
    const Box box{at.x, at.y, 16, 16};
    drawing->AddTextIn(box, button.text, {13, Face::kStrong, can ? Ink::kBlue : Ink::kFaint});
    if (can) drawing->AddSpot({.box = box, .hint = tr(button.hint), .action = absl::StrCat(option, "=", std::clamp<int64_t>(button.first, 0, count))});
    at.x += 17;
  }
}

}  // namespace hloscope
