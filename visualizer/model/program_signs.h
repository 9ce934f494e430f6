// Whether a text could be meant as a program at all. What a program with mistakes is, and what is wrong with it, is the readers' to say.
#ifndef HLOSCOPE_VISUALIZER_MODEL_PROGRAM_SIGNS_H_
#define HLOSCOPE_VISUALIZER_MODEL_PROGRAM_SIGNS_H_

#include "absl/strings/string_view.h"

namespace hloscope {

// It has a word of the languages' frame (HloModule, ENTRY, func.func, stablehlo.add), a shape (f32[4], tensor<4xf32>), or nothing at all
// yet.
bool HasSignOfProgram(absl::string_view text);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PROGRAM_SIGNS_H_
