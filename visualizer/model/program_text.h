// A program's text written anew: evenly printed, with the comments of the text that it was read from. Not for reading (core/text).
#ifndef HLOSCOPE_VISUALIZER_MODEL_PROGRAM_TEXT_H_
#define HLOSCOPE_VISUALIZER_MODEL_PROGRAM_TEXT_H_

#include <string>

#include "absl/strings/string_view.h"
#include "core/ir/module.h"

namespace hloscope {

// `text`: what `module` was read from. Lines of comments stay before what they stood before, and at the ends of their lines.
std::string FormattedText(const Module& module, absl::string_view text);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PROGRAM_TEXT_H_
