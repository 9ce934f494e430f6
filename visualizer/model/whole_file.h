// Writing files that are whole at any moment, however the process ends.
#ifndef HLOSCOPE_VISUALIZER_MODEL_WHOLE_FILE_H_
#define HLOSCOPE_VISUALIZER_MODEL_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace hloscope {

// Writes beside the path (whose folder is made where it is missing), then renames.
absl::Status WriteWholeFile(const std::string& path, const std::string& text);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_WHOLE_FILE_H_
