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

// Of an exchange that some have come to: who has, and who is missing, and where that stands; of the members of a group, or of all that pairs name.
void SayWhoHasCome(Board& board, const DeviceGroups& g, absl::Span<const Device> members);

// The errors with which devices stand at it.
void SayFaults(Board& board);

// The colours of devices, by replica * partitions + partition: GroupInk of it, or -1 for none. No two have the same: of more devices than there are
// colours, those have one whose numbers are drawn.
using DeviceInks = std::vector<int>;
// Each has its own where they are few enough; else none.
DeviceInks InksOfFew(const DeviceGroups& g);

// The devices as boxes in their colours; gives back where they are.
class DeviceBoxes {
 public:
  DeviceBoxes(Board& board, const DeviceGroups& g, float width, const DeviceInks& inks, bool outsiders_get_zeros, bool numbers_of_replicas,
              bool numbers);
  const Box* Of(const Device& d) const {
    for (const auto& [device, box] : boxes_) {
      if (device == d) return &box;
    }
    return nullptr;
  }
  float gap() const { return gap_; }  // between two, across and down

 private:
  float size_ = 0, gap_ = 0;
  int64_t columns_ = 1;
  std::vector<std::pair<Device, Box>> boxes_;
};

// All devices as boxes, with the pairs as arrows from box to box: over the boxes to the right, below them to the left, past others between them.
void DrawPairs(Board& board, const DeviceGroups& g, float width, const DeviceInks& inks);
// The step shows this pair, and the box is one of its two.
bool InPair(const DeviceGroups& g, int step, const Cell& cell);
// What belongs to a device that was clicked: those it has a pair with, or the others of its group. False: none was.
bool RelateDevices(Board& board, const DeviceGroups& g, const std::vector<Device>& members);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_DEVICES_H_
