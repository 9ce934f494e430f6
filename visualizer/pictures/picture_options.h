// The options that pictures have (PictureSelection::options), as somebody types them: what there is, and what each takes. Not for what they do.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_PICTURE_OPTIONS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_PICTURE_OPTIONS_H_

#include <map>
#include <string>

#include "absl/status/status.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {

// Refuses an option that the picture of this instruction does not have, and a value that it does not take, and says what there is. `made`: the
// picture with these options.
absl::Status CheckPictureOptions(const PictureRow& row, const Instruction& instruction, const MadePicture& made, const std::map<std::string, std::string>& options);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_PICTURE_OPTIONS_H_
