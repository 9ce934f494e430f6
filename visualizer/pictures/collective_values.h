// What each device of a run brought to a collective and got, or sent and received, as grids of numbers in the colours of where they came
// from. Not for who exchanges with whom where there is no run of several (collective.cc, send_receive.cc).
#ifndef HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_VALUES_H_
#define HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_VALUES_H_

#include <string>
#include <vector>

#include "core/ops/device_groups.h"
#include "visualizer/pictures/board.h"

namespace hloscope {

enum class Exchange : uint8_t { kNone, kGather, kReduce, kReduceScatter, kAllToAll, kBroadcast, kPermute, kRagged, kTransfer, kId };

// Who is drawn, and how they exchange.
struct DeviceRows {
  Exchange exchange = Exchange::kNone;
  int64_t dim = -1;                        // that is gathered or cut; -1: none
  std::vector<Device> members;             // in the order of the group; of pairs all devices, those that are drawn first
  int first = 0;                           // of the members that are drawn
  std::vector<std::string> names;          // "replica 1", of those that are drawn; of transfers of all
  std::vector<std::pair<int, int>> sends;  // of pairs: from which member to which
  std::vector<int> inks;                   // of pairs and transfers: the colour of each member, -1: none; else its place is that, if it is drawn
  std::string around;                      // of pairs, where not all devices are drawn: the one whose exchanges are
  std::vector<int> roots;                  // of a broadcast: who sends each array; -1: not known
  int outsiders = 0;                       // so many at the end of `names` are in no group and get zeros
};
// Of a ragged all-to-all: so many entries of its vectors tell of each member of the group.
int64_t EntriesOfMember(const Instruction& instruction, size_t members);
// A device in no group gets zeros; else nothing says what it gets.
bool OutsidersGetZeros(const Instruction& instruction);
// Of a collective-broadcast, by array: the member of a group that sends; -1: a value that is not there yet says it.
std::vector<int> RootsOf(const Instruction& instruction, const PictureData& data);

// Of transfers each that the data has; else nothing where the data has no devices. Gives back the selected element of the operand or result
// among them, if one is selected.
std::optional<Cell> DrawDeviceValues(Board& board, const DeviceRows& rows);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_VALUES_H_
