// The devices of a collective or a transfer: what its attributes say about their groups, and the devices as boxes with the pairs that send.
// What the arrays of collectives are cut into is in collective_blocks.h.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_DEVICES_H_
#define HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_DEVICES_H_

#include <string>
#include <utility>
#include <vector>

#include "core/ops/device_groups.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

constexpr int kDevices = kOwnArray;  // the array of cells that the boxes are

std::string NameOf(const Captions& tr, const DeviceGroups& g, const Device& d);
std::string ShortNameOf(const DeviceGroups& g, const Device& d);

// What the attributes say, and what is wrong with them.
void ExplainGroups(Board& board, const Instruction& i, const DeviceGroups& g);

// Of an exchange that some have come to: who has, and who is missing; of the members of a group, or of all that pairs name.
void SayWhoHasCome(Board& board, const DeviceGroups& g, absl::Span<const Device> members);

// The devices as boxes, those that are told in their colours; gives back where they are.
class DeviceBoxes {
 public:
  DeviceBoxes(Board& board, const DeviceGroups& g, float width, const std::vector<Device>& told, bool outsiders_get_zeros,
              bool numbers_of_replicas, bool numbers);
  const Box* Of(const Device& d) const {
    for (const auto& [device, box] : boxes_) {
      if (device == d) return &box;
    }
    return nullptr;
  }

 private:
  float size_ = 0;
  int64_t columns_ = 1;
  std::vector<std::pair<Device, Box>> boxes_;
};

// All devices as boxes, with the pairs as arrows from box to box: over the boxes to the right, below them to the left.
void DrawPairs(Board& board, const DeviceGroups& g, float width);
// The step shows this pair, and the box is one of its two.
bool InPair(const DeviceGroups& g, int step, const Cell& cell);
// What belongs to a device that was clicked: those it has a pair with, or the others of its group. False: none was.
bool RelateDevices(Board& board, const DeviceGroups& g, const std::vector<Device>& members);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_DEVICES_H_
