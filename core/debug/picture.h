// Pictures of values as PNG files. Which colours: color_scale.h.
#ifndef HLOSCOPE_CORE_DEBUG_PICTURE_H_
#define HLOSCOPE_CORE_DEBUG_PICTURE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/debug/color_scale.h"
#include "core/debug/plane.h"

namespace hloscope {

// Pixels as 0xAABBGGRR, row by row.
struct Picture {
  int width = 0, height = 0;
  std::vector<uint32_t> pixels;
};

struct PictureOptions {
  bool log = false, gray = false, diverging = false;
  bool rgb = false;   // the last dimension (or the first, where only that has 3 or 4) are channels
  int most = 2048;    // pixels along an edge; of larger arrays a pixel stands for several elements
  int least = 256;    // smaller ones are magnified a whole number of times to this size, or nearly
};
// Of a dense array: its last two dimensions, at 0 of the others.
absl::StatusOr<Picture> DrawValue(const Value& array, const PictureOptions& options);

// Which dimension of an array holds the channels of an image: the last or the third from the end where it has 1, 3 or 4; -1: none.
int ChannelDimension(const Shape& array);
// The range that an image's numbers are shown in: 0 to 255 of whole numbers, 0 to 1 where all are within, else what there is.
void ImageRange(ElementType type, double* low, double* high);

std::string EncodePng(const Picture& picture);
absl::Status WritePng(const std::string& path, const Picture& picture);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_PICTURE_H_
