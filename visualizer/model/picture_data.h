// The values that pictures of instructions draw, gathered from where a session stands. Not for drawing (picture_view.h); what other devices
// have is gathered by device_pictures.h.
#ifndef HLOSCOPE_VISUALIZER_MODEL_PICTURE_DATA_H_
#define HLOSCOPE_VISUALIZER_MODEL_PICTURE_DATA_H_

#include <memory>

#include "core/debug/session.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {

// Values that are not there yet are empty in it. The same data while neither the program nor the question moves.
std::shared_ptr<const PictureData> DataOfPicture(Session::State& s, const Instruction& instruction, bool ahead, int64_t iteration = 0);
// Of the frame that shows it, dense; empty where it is not there.
Value ValueFor(Session::State& s, const Instruction& instruction, bool ahead);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_PICTURE_DATA_H_
