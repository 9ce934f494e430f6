// Pictures that are compared with those of another day and another machine: what differs between them though nothing is wrong (times, places of
// files) is noted, and left out of the comparison. Texts are recognised by themselves as they are drawn; a panel that draws something else by the clock
// says so with Varies. Costs nothing while nobody compares.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_STEADY_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_STEADY_H_

#include <vector>

#include "absl/strings/string_view.h"
#include "imgui.h"
#include "visualizer/widgets/tags.h"

namespace hloscope::ui {

struct Steady {
  bool on = false;
  std::vector<TagRect> varying;  // of the present frame, in pixels
};
Steady& TheSteady();

// This rectangle differs from run to run.
void Varies(ImVec2 min, ImVec2 max);
// A text drawn in this rectangle: varies where it tells a time ("3.2 ms", "12 GB/s") or names a place of temporary files.
void NoteText(absl::string_view text, ImVec2 min, ImVec2 max);
bool TellsTime(absl::string_view text);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_STEADY_H_
