// What all devices of a run have of an exchange, for its picture. Not for one device's values (picture_data.h).
#ifndef HLOSCOPE_VISUALIZER_MODEL_DEVICE_PICTURES_H_
#define HLOSCOPE_VISUALIZER_MODEL_DEVICE_PICTURES_H_

#include "core/debug/session.h"
#include "visualizer/pictures/picture.h"

namespace hloscope {

// A collective, or one of the operations of a transfer between devices.
bool ExchangesWithOthers(const Instruction& instruction);
// Where each device stands now.
void GatherDevices(Session::State& s, const Instruction& instruction, PictureData& data);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_DEVICE_PICTURES_H_
