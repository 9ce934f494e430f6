// The window's colours of program text; its parts are found in model/syntax.h.
#ifndef HLOSCOPE_VISUALIZER_PANELS_PROGRAM_SYNTAX_H_
#define HLOSCOPE_VISUALIZER_PANELS_PROGRAM_SYNTAX_H_

#include "imgui.h"
#include "visualizer/model/syntax.h"

namespace hloscope {

ImU32 ColorOf(SyntaxInk ink);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_PROGRAM_SYNTAX_H_
