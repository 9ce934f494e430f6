// Writing files that are whole at any moment, however the process ends.
#ifndef HLOSCOPE_VISUALIZER_MODEL_WHOLE_FILE_H_
#define HLOSCOPE_VISUALIZER_MODEL_WHOLE_FILE_H_

#include <string>

#include "absl/status/status.h"

namespace hloscope {

// A file of our own: writes beside the path (whose folder is made where it is missing), then renames.
absl::Status WriteWholeFile(const std::string& path, const std::string& text);
// A person's file. It stays what it is: a link leads where it led, and who may read and write it stays. Its folder is not made. Errors
// say what was wrong and leave it as it was; but where nothing can be put beside it (a folder without write permission) it is written in place.
absl::Status SaveFile(const std::string& path, const std::string& text);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_WHOLE_FILE_H_
