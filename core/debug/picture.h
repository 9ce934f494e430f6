// Pictures of values as PNG files. Which colours: color_scale.h.
#ifndef HLOSCOPE_CORE_DEBUG_PICTURE_H_
#define HLOSCOPE_CORE_DEBUG_PICTURE_H_

#include <cstdint>
#include <optional>
#include <string>
#include <utility>
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
  std::optional<std::pair<double, double>> sizes;  // from which to which its logarithmic scale goes
};

struct PictureOptions {
  bool log = false, gray = false, diverging = false, sequential = false;
  bool dark = false;       // a diverging scale's middle is dark
  bool transpose = false;  // the last dimension down, the one before it across
  ComplexPart part = ComplexPart::kMagnitude;
  // What a pixel of several elements shows.
  enum Shows : uint8_t { kMean, kLeast, kGreatest } shows = kMean;
  // Of the scale, where it is not that of what is drawn. `floor`: sizes below are drawn as this one on a logarithmic scale; 0: the least
  // size of the whole array that is not zero, as in the window.
  std::optional<std::pair<double, double>> range;
  double floor = 0;
  bool rgb = false;   // the last dimension (or the first, where only that has 3 or 4) are channels
  int most = 2048;    // pixels along an edge; of larger arrays a pixel stands for several elements, as many down as across
  int least = 256;    // smaller ones are magnified a whole number of times to this size, or nearly; no edge is made smaller for the other's sake
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
