// The arrays of a collective as blocks: which block of whose array goes where, as two columns of boxes with arrows. For the picture of
// collectives; the devices themselves are in collective_devices.h, their numbers in collective_values.h.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_BLOCKS_H_
#define HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_BLOCKS_H_

#include <string>
#include <utility>
#include <vector>

#include "core/ops/device_groups.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/collective_values.h"

namespace hloscope {

constexpr int kMostMembers = 8;                                 // of a group that are drawn
constexpr int kBefore = kOwnArray + 1, kAfter = kOwnArray + 2;  // the arrays of cells that the blocks are: (member, block), of those that are drawn

// A piece of a member's array, before or after.
struct ExchangeBlock {
  int colour = 0;  // of the member that it comes from; -1: zeros; -2: made of all members
  std::string text, hint;
  float wide = 1;                         // in blocks
  std::vector<std::pair<int, int>> from;  // (member, block) before, of those that are drawn
  std::string brief;                      // where there is no room for the text
};
struct Transfer {
  int first = 0;  // member that is drawn
  std::vector<std::string> names;
  std::vector<std::vector<ExchangeBlock>> before, after;
  std::string block;  // what one block is
};

// "f32[2]", without its layout.
std::string Whole(const Captions& tr, const Shape& shape);
// That blocks are cut or put together along; -1: none.
int64_t CutDimension(const Instruction& i);
// What the members of a group send and get, so many from the first.
Transfer TransferOf(const Captions& tr, const Instruction& i, Exchange exchange, const DeviceGroups& g, const std::vector<Device>& members, int first,
                    const PictureData& data);
// Which cells belong to a block of the exchange; true where the selected cell is one.
bool RelateBlocks(const Transfer& t, Board& board);
void DrawTransfer(Board& board, const Transfer& t, float width);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_COLLECTIVE_BLOCKS_H_
