// MLIR text written evenly: an operation a line, two spaces for each region that it lies in, one space between words. Nothing else changes: the words,
// their order and the comments are kept.
#ifndef HLOSCOPE_CORE_TEXT_MLIR_FORMAT_H_
#define HLOSCOPE_CORE_TEXT_MLIR_FORMAT_H_

#include <string>

#include "absl/strings/string_view.h"

namespace hloscope::mlir {

std::string FormatText(absl::string_view text);

}  // namespace hloscope::mlir

#endif  // HLOSCOPE_CORE_TEXT_MLIR_FORMAT_H_
