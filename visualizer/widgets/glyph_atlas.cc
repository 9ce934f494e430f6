#include "visualizer/widgets/glyph_atlas.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "visualizer/canvas/typeface.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/raster.h"
#include "visualizer/widgets/theme.h"

namespace hloscope::ui {
namespace {

constexpr int kWidth = 1024, kHeight = 1024;
constexpr float kQuarters = 4;

struct AtlasGlyph {
  int x = 0, y = 0, width = 0, height = 0, left = 0, top = 0;
};

class GlyphAtlas {
 public:
  ImTextureID texture() {
    if (texture_ == nullptr && TheRasterDevice().upload) {
      pixels_.assign(static_cast<size_t>(kWidth) * kHeight, 0x00ffffffu);
      texture_ = TheRasterDevice().upload(nullptr, kWidth, kHeight, pixels_.data());
    }
    return texture_;
  }

  // Null: the texture is full; it begins anew in the next frame.
  const AtlasGlyph* Find(Face face, uint32_t c, float pixels, int quarter) {
    const uint64_t key = static_cast<uint64_t>(c) << 32 | static_cast<uint64_t>(std::lround(pixels * 8)) << 8 | static_cast<uint64_t>(face) << 4 | static_cast<uint64_t>(quarter);
    const auto found = glyphs_.find(key);
    if (found != glyphs_.end()) return &found->second;
    const GlyphPixels raster = RasterGlyph(face, c, pixels, static_cast<float>(quarter) / kQuarters);
    AtlasGlyph glyph{0, 0, raster.width, raster.height, raster.left, raster.top};
    if (raster.width > 0) {
      if (next_x_ + raster.width + 1 > kWidth) {
        next_x_ = 0;
        next_y_ += row_;
        row_ = 0;
      }
      if (raster.width > kWidth || next_y_ + raster.height + 1 > kHeight) {
        full_ = true;
        return nullptr;
      }
      glyph.x = next_x_;
      glyph.y = next_y_;
      next_x_ += raster.width + 1;
      row_ = std::max(row_, raster.height + 1);
      for (int y = 0; y < raster.height; ++y) {
        for (int x = 0; x < raster.width; ++x) {
          // A little stronger than its coverage, as the window's own text.
          const auto alpha = std::min<uint32_t>(255, static_cast<uint32_t>(raster.coverage[static_cast<size_t>(y) * raster.width + x] * 1.15f));
          pixels_[static_cast<size_t>(glyph.y + y) * kWidth + glyph.x + x] = alpha << 24 | 0xffffffu;
        }
      }
      changed_ = true;
    }
    return &glyphs_.emplace(key, glyph).first->second;
  }

  void Upload() {
    if (changed_ && texture_ != nullptr) texture_ = TheRasterDevice().upload(texture_, kWidth, kHeight, pixels_.data());
    changed_ = false;
    if (!full_) return;
    full_ = false;
    glyphs_.clear();
    std::fill(pixels_.begin(), pixels_.end(), 0x00ffffffu);
    next_x_ = next_y_ = row_ = 0;
    WantFrame();
  }

 private:
  ImTextureID texture_ = nullptr;
  std::vector<uint32_t> pixels_;
  absl::flat_hash_map<uint64_t, AtlasGlyph> glyphs_;
  int next_x_ = 0, next_y_ = 0, row_ = 0;
  bool changed_ = false, full_ = false;
};

GlyphAtlas& TheAtlas() {
  static GlyphAtlas& atlas = *new GlyphAtlas;
  return atlas;
}

}  // namespace

void DrawGlyphs(ImDrawList* list, float left, float baseline, float pixels, Face face, ImU32 color, absl::string_view text) {
  GlyphAtlas& atlas = TheAtlas();
  const ImTextureID texture = atlas.texture();
  if (texture == nullptr) {
    ImFont* font = face == Face::kMono || face == Face::kMonoStrong ? Type().mono : Type().ui;
    if (font != nullptr) list->AddText(font, pixels * 1.2f, {left, baseline - TextAscent(face, pixels)}, color, text.data(), text.data() + text.size());
    return;
  }
  const float y = std::round(baseline);
  list->PushTextureID(texture);
  while (!text.empty()) {
    const uint32_t c = TakeCharacter(text);
    const float whole = std::floor(left + 0.125f);
    const int quarter = std::clamp(static_cast<int>((left - whole) * kQuarters + 0.5f), 0, 3);
    left += Advance(face, c) * pixels;
    const AtlasGlyph* glyph = atlas.Find(face, c, pixels, quarter);
    if (glyph == nullptr || glyph->width == 0) continue;
    const float x0 = whole + static_cast<float>(glyph->left), y0 = y - static_cast<float>(glyph->top);
    list->PrimReserve(6, 4);
    list->PrimRectUV({x0, y0}, {x0 + static_cast<float>(glyph->width), y0 + static_cast<float>(glyph->height)}, {static_cast<float>(glyph->x) / kWidth, static_cast<float>(glyph->y) / kHeight},
                     {static_cast<float>(glyph->x + glyph->width) / kWidth, static_cast<float>(glyph->y + glyph->height) / kHeight}, color);
  }
  list->PopTextureID();
}

void UploadGlyphs() { TheAtlas().Upload(); }

}  // namespace hloscope::ui
