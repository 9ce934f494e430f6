// Icons, drawn as lines and shapes so that they are crisp at every scale.
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_ICONS_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_ICONS_H_

#include <cstdint>

#include "imgui.h"

namespace hloscope::ui {

enum class Icon : uint8_t {
  kNone, kContinue, kPause, kNext, kStep, kFinish, kRestart, kBack, kBackNext, kBackStep, kBackFinish, kSearch, kClose, kPlus, kMinus, kMore,
  kFile, kOpen, kSave, kGraph, kTable, kChart, kConsole, kBreakpoint, kConditional, kWatch, kStack, kWarning, kError, kInfo, kCheck, kClock,
  kMemory, kSun, kMoon, kChevronRight, kChevronDown, kLink, kPin, kCopy, kEdit, kUndo, kRedo, kFit, kHere, kBookmark, kStop, kBook,
};

// In the square of `size` pixels at `at`.
void DrawIcon(ImDrawList* list, Icon icon, ImVec2 at, float size, ImU32 color);

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_ICONS_H_
