// Drawings as PNG and PDF files.
#include "visualizer/canvas/paged.h"

#include <cairo.h>

#include <cstdio>
#include <fstream>

#include "gmock/gmock.h"
#include "gtest/gtest.h"

namespace hloscope {
namespace {

using ::testing::HasSubstr;
using ::testing::StartsWith;

// The pixels of a PNG file, as 0xRRGGBB.
struct Pixels {
  explicit Pixels(std::string bytes) : rest(std::move(bytes)) {
    cairo_surface_t* surface = cairo_image_surface_create_from_png_stream(
        [](void* from, unsigned char* data, unsigned int size) {
          auto& rest = *static_cast<std::string*>(from);
          if (rest.size() < size) return CAIRO_STATUS_READ_ERROR;
          rest.copy(reinterpret_cast<char*>(data), size);
          rest.erase(0, size);
          return CAIRO_STATUS_SUCCESS;
        },
        &rest);
    width = cairo_image_surface_get_width(surface);
    height = cairo_image_surface_get_height(surface);
    for (int y = 0; y < height; ++y) {
      const auto* row = reinterpret_cast<const uint32_t*>(cairo_image_surface_get_data(surface) + static_cast<ptrdiff_t>(y) * cairo_image_surface_get_stride(surface));
      for (int x = 0; x < width; ++x) all.push_back(row[x] & 0xffffff);
    }
    cairo_surface_destroy(surface);
  }
  uint32_t At(int x, int y) const { return all[static_cast<size_t>(y) * width + x]; }
  std::string rest;
  int width = 0, height = 0;
  std::vector<uint32_t> all;
};

TEST(Png, LinesAreCrispAndNeighboursShareThem) {
  Drawing d;
  d.AddBox({10, 10, 20, 20}, {}, Paint::Exact(0xff0000));
  d.AddBox({30, 10, 20, 20}, {}, Paint::Exact(0xff0000));
  d.SetSize(60, 40);
  for (const float scale : {1.0f, 2.0f, 1.5f, 1.25f}) {
    const absl::StatusOr<std::string> png = PngBytes(d, {.scale = scale});
    ASSERT_TRUE(png.ok());
    const Pixels pixels(*png);
    ASSERT_EQ(pixels.width, static_cast<int>(60 * scale));
    const int y = static_cast<int>(20 * scale);
    int red = 0, other = 0;
    for (int x = 0; x < pixels.width; ++x) {
      red += pixels.At(x, y) == 0xff0000;
      other += pixels.At(x, y) != 0xff0000 && pixels.At(x, y) != 0xffffff;
    }
    // Three edges; at 1.5 a line is not a whole number of pixels wide.
    if (scale != 1.5f && scale != 1.25f) {
      EXPECT_EQ(red, 3 * static_cast<int>(scale));
      EXPECT_EQ(other, 0);
    } else {
      EXPECT_LE(other, 6) << scale;
    }
  }
}

TEST(Png, DrawsTextWhereItWasMeasured) {
  Drawing d;
  d.AddText({0, 20}, "0000000000", {20, Face::kMono});
  EXPECT_NEAR(d.width(), 120, 0.01);
  const Pixels pixels(*PngBytes(d, {.scheme = PaletteScheme::kDark}));
  EXPECT_EQ(pixels.width, 120);
  int last = 0;
  for (int x = 0; x < pixels.width; ++x) {
    for (int y = 0; y < pixels.height; ++y) {
      if (pixels.At(x, y) != ColorOf(Ink::kPanel, PaletteScheme::kDark)) last = x;
    }
  }
  EXPECT_GT(last, 112);
}

TEST(Png, ImagesAndClipsKeepToTheirPlaces) {
  Drawing d;
  d.BeginClip({0, 0, 5, 10});
  d.AddImage({{0, 0, 10, 10}, 2, 1, {0xff0000ffu, 0xff00ff00u}});
  d.EndClip();
  d.SetSize(10, 10);
  const Pixels pixels(*PngBytes(d));
  EXPECT_EQ(pixels.At(4, 5), 0xff0000u);
  EXPECT_EQ(pixels.At(5, 5), 0xffffffu);
}

TEST(Png, SaysWhenItIsTooLarge) {
  Drawing d;
  d.SetSize(40000, 10);
  EXPECT_THAT(PngBytes(d).status().message(), HasSubstr("40000 by 10 pixels"));
  EXPECT_TRUE(PngBytes(d, {.scale = 0.5f}).ok());
}

TEST(Pdf, IsOnePageWithItsTitle) {
  Drawing d;
  d.title = "Layout of x";
  d.AddText({0, 20}, "a ≤ b", {13, Face::kUi});
  const absl::StatusOr<std::string> pdf = PdfBytes(d);
  ASSERT_TRUE(pdf.ok());
  EXPECT_THAT(*pdf, StartsWith("%PDF-"));
  EXPECT_THAT(*pdf, HasSubstr("Layout of x"));
  EXPECT_THAT(*pdf, HasSubstr("/Count 1"));
}

TEST(Files, AreChosenByTheirEnding) {
  Drawing d;
  d.AddBox({0, 0, 10, 10}, Ink::kTeal);
  const std::string folder = ::testing::TempDir();
  for (const char* ending : {".svg", ".png", ".pdf"}) EXPECT_TRUE(WriteDrawing(folder + "/drawing" + ending, d).ok());
  EXPECT_THAT(WriteDrawing(folder + "/drawing.gif", d).message(), HasSubstr("ends in .svg, .png or .pdf"));
  EXPECT_EQ(WriteDrawing(folder + "/no/such/folder/drawing.svg", d).code(), absl::StatusCode::kUnavailable);
}

}  // namespace
}  // namespace hloscope
