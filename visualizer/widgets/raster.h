// Pixels that are drawn at once, as a picture: for heat maps of many cells. The window that owns the graphics device says how (device).
#ifndef HLOSCOPE_VISUALIZER_WIDGETS_RASTER_H_
#define HLOSCOPE_VISUALIZER_WIDGETS_RASTER_H_

#include <cstdint>
#include <functional>
#include <vector>

#include "imgui.h"

namespace hloscope::ui {

struct RasterDevice {
  // Pixels as 0xAABBGGRR. `old` (null: none) is given up or used again. Drawn without smoothing.
  std::function<ImTextureID(ImTextureID old, int width, int height, const uint32_t* pixels)> upload;
  std::function<void(ImTextureID)> release;
};
RasterDevice& TheRasterDevice();

class Raster {
 public:
  Raster() = default;
  ~Raster();
  Raster(const Raster&) = delete;
  Raster& operator=(const Raster&) = delete;
  void Set(int width, int height, std::vector<uint32_t> pixels);
  bool empty() const { return width_ == 0 || height_ == 0; }
  // The part from uv0 to uv1 (0 to 1) in a rectangle. Without a device cell by cell.
  void Draw(ImDrawList* list, ImVec2 min, ImVec2 max, ImVec2 uv0 = {0, 0}, ImVec2 uv1 = {1, 1}) const;

 private:
  int width_ = 0, height_ = 0;
  std::vector<uint32_t> pixels_;
  ImTextureID texture_ = nullptr;
};

}  // namespace hloscope::ui

#endif  // HLOSCOPE_VISUALIZER_WIDGETS_RASTER_H_
