// Pixels of a drawing as the bytes of a PNG file.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_IMAGE_FILE_H_
#define HLOSCOPE_VISUALIZER_CANVAS_IMAGE_FILE_H_

#include <cstdint>
#include <string>
#include <vector>

#include "visualizer/canvas/drawing.h"

namespace hloscope {

std::string PngOf(const DrawnImage& image);
// As Cairo takes them: 0xAARRGGBB, colours times alpha.
std::vector<uint32_t> CairoPixels(const DrawnImage& image);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_IMAGE_FILE_H_
