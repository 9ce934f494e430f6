#include "visualizer/canvas/image_file.h"

#include <cairo.h>

namespace hloscope {

std::vector<uint32_t> CairoPixels(const DrawnImage& image) {
  std::vector<uint32_t> pixels(image.pixels.size());
  for (size_t i = 0; i < pixels.size(); ++i) {
    const uint32_t p = image.pixels[i], alpha = p >> 24;
    const auto times = [alpha](uint32_t c) { return (c * alpha + 127) / 255; };
    pixels[i] = alpha << 24 | times(p & 0xff) << 16 | times(p >> 8 & 0xff) << 8 | times(p >> 16 & 0xff);
  }
  return pixels;
}

std::string PngOf(const DrawnImage& image) {
  std::vector<uint32_t> pixels = CairoPixels(image);
  std::string out;
  cairo_surface_t* surface = cairo_image_surface_create_for_data(reinterpret_cast<unsigned char*>(pixels.data()), CAIRO_FORMAT_ARGB32, image.width, image.height, image.width * 4);
  cairo_surface_write_to_png_stream(
      surface,
      [](void* to, const unsigned char* data, unsigned int size) {
        static_cast<std::string*>(to)->append(reinterpret_cast<const char*>(data), size);
        return CAIRO_STATUS_SUCCESS;
      },
      &out);
  cairo_surface_destroy(surface);
  return out;
}

}  // namespace hloscope
