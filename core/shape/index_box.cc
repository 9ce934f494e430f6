#include "core/shape/index_box.h"

namespace hloscope {

std::optional<std::pair<IndexBox, IndexBox>> Halves(const IndexBox& box, uint64_t dimensions) {
  int longest = -1;
  int64_t length = 1;
  for (const uint64_t among : {dimensions, ~uint64_t{0}}) {
    for (size_t d = 0; d < box.low.size(); ++d) {
      if (d < 64 && (among >> d & 1) == 0) continue;
      if (box.high[d] - box.low[d] + 1 > length) {
        length = box.high[d] - box.low[d] + 1;
        longest = static_cast<int>(d);
      }
    }
    if (longest >= 0) break;
  }
  if (longest < 0) return std::nullopt;
  IndexBox first = box, second = box;
  first.high[longest] = box.low[longest] + length / 2 - 1;
  second.low[longest] = box.low[longest] + length / 2;
  return std::pair(std::move(first), std::move(second));
}

}  // namespace hloscope
