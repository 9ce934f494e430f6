#include "visualizer/widgets/raster.h"

#include <algorithm>
#include <utility>

namespace hloscope::ui {

RasterDevice& TheRasterDevice() {
  static RasterDevice& device = *new RasterDevice;
  return device;
}

Raster::~Raster() {
  if (texture_ != nullptr && TheRasterDevice().release) TheRasterDevice().release(texture_);
}

void Raster::Set(int width, int height, std::vector<uint32_t> pixels) {
  width_ = width;
  height_ = height;
  pixels_ = std::move(pixels);
  if (!empty() && TheRasterDevice().upload) texture_ = TheRasterDevice().upload(texture_, width, height, pixels_.data());
}

void Raster::Draw(ImDrawList* list, ImVec2 min, ImVec2 max, ImVec2 uv0, ImVec2 uv1) const {
  if (empty()) return;
  if (texture_ != nullptr) {
    list->AddImage(texture_, min, max, uv0, uv1);
    return;
  }
  const float u = (max.x - min.x) / std::max(1e-6f, uv1.x - uv0.x) / static_cast<float>(width_), v = (max.y - min.y) / std::max(1e-6f, uv1.y - uv0.y) / static_cast<float>(height_);
  list->PushClipRect(min, max, true);
  for (int y = 0; y < height_; ++y) {
    for (int x = 0; x < width_;) {
      int end = x + 1;
      const uint32_t pixel = pixels_[static_cast<size_t>(y) * width_ + x];
      while (end < width_ && pixels_[static_cast<size_t>(y) * width_ + end] == pixel) ++end;
      const float left = min.x + (static_cast<float>(x) - uv0.x * static_cast<float>(width_)) * u, top = min.y + (static_cast<float>(y) - uv0.y * static_cast<float>(height_)) * v;
      list->AddRectFilled({left, top}, {left + static_cast<float>(end - x) * u, top + v}, pixel);
      x = end;
    }
  }
  list->PopClipRect();
}

}  // namespace hloscope::ui
