#include "visualizer/canvas/typeface.h"

#include <ft2build.h>
#include FT_FREETYPE_H
#include FT_OUTLINE_H

#include <array>
#include <cmath>
#include <mutex>

#include "absl/container/flat_hash_map.h"

namespace hloscope {
namespace {

// The faces' own in their order, then those for what neither has, in the order in which they are asked.
constexpr int kOwnFiles = kFaces;
constexpr const char* kFiles[kFontFiles] = {
    "/usr/share/fonts/opentype/inter/Inter-Regular.otf",
    "/usr/share/fonts/opentype/inter/Inter-SemiBold.otf",
    "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Regular.ttf",
    "/usr/share/fonts/truetype/jetbrains-mono/JetBrainsMono-Bold.ttf",
    "/usr/share/fonts/truetype/dejavu/DejaVuSans.ttf",
    "/usr/share/fonts/truetype/droid/DroidSansFallbackFull.ttf",
    "/usr/share/fonts-droid-fallback/truetype/DroidSansFallback.ttf",
    "/usr/share/fonts/truetype/ancient-scripts/Symbola_hint.ttf",
    "/usr/share/fonts/opentype/unifont/unifont.otf",
    "/usr/share/fonts/opentype/unifont/unifont_upper.otf",
};

bool IsMono(Face face) { return face == Face::kMono || face == Face::kMonoStrong; }

// Where no font is installed: about what a sans serif takes.
float EstimatedAdvance(Face face, uint32_t c) {
  if (IsMono(face)) return 0.6f;
  if (c < 0x80) {
    const char letter = static_cast<char>(c);
    if (absl::string_view("iljI|.,:;'!").find(letter) != absl::string_view::npos) return 0.27f;
    if (absl::string_view(" ftr()[]{}/\\\"`-").find(letter) != absl::string_view::npos) return 0.36f;
    if (absl::string_view("mwMW@%").find(letter) != absl::string_view::npos) return 0.88f;
    if (letter >= 'A' && letter <= 'Z') return 0.68f;
    return 0.58f;
  }
  return 0.62f;
}

struct Metrics {
  float ascent = 0.97f, descent = 0.24f, cap = 0.72f;
};

// FreeType's faces may be used by one thread at a time.
class Fonts {
 public:
  Fonts() {
    FT_Init_FreeType(&library_);
    for (int i = 0; i < kOwnFiles; ++i) Open(i);
    for (int f = 0; f < kFaces; ++f) {
      const Face face = static_cast<Face>(f);
      for (uint32_t c = 0; c < kQuick; ++c) quick_[f][c] = FindAdvance(face, c);
      Metrics& m = metrics_[f];
      if (faces_[f] == nullptr) continue;
      const float em = static_cast<float>(faces_[f]->units_per_EM);
      m.ascent = static_cast<float>(faces_[f]->ascender) / em;
      m.descent = -static_cast<float>(faces_[f]->descender) / em;
      if (FT_Load_Char(faces_[f], 'H', FT_LOAD_NO_SCALE) == 0) m.cap = static_cast<float>(faces_[f]->glyph->metrics.horiBearingY) / em;
    }
  }

  GlyphName Find(Face face, uint32_t c) {
    std::lock_guard<std::mutex> lock(mutex_);
    return FindLocked(face, c);
  }

  float AdvanceOf(Face face, uint32_t c) {
    const int f = static_cast<int>(face);
    if (c < kQuick) return quick_[f][c];
    std::lock_guard<std::mutex> lock(mutex_);
    const auto [at, is_new] = advances_.try_emplace(static_cast<uint64_t>(f) << 32 | c, 0.0f);
    if (is_new) at->second = FindAdvance(face, c);
    return at->second;
  }

  bool Foreign(Face face, uint32_t c) {
    const int own = static_cast<int>(face);
    std::lock_guard<std::mutex> lock(mutex_);
    return faces_[own] == nullptr || FT_Get_Char_Index(faces_[own], c) == 0;
  }

  const Metrics& metrics(Face face) const { return metrics_[static_cast<int>(face)]; }

  GlyphPixels Raster(Face face, uint32_t c, float pixels, float right) {
    std::lock_guard<std::mutex> lock(mutex_);
    GlyphPixels out;
    if (c >= 0x200b && c <= 0x2064 && CellsOf(c) == 0) return out;  // what is not seen
    if ((c >= 0xfe00 && c <= 0xfe0f) || (c >= 0x1f3fb && c <= 0x1f3ff) || c >= 0xe0001 || c == 0xfeff) return out;
    const GlyphName name = FindLocked(face, c);
    if (name.font < 0) return out;
    FT_Face font = faces_[name.font];
    if (FT_Set_Char_Size(font, 0, static_cast<FT_F26Dot6>(std::lround(pixels * 64)), 72, 72) != 0) return out;
    if (FT_Load_Glyph(font, name.glyph, FT_LOAD_NO_HINTING | FT_LOAD_NO_BITMAP) != 0 || font->glyph->format != FT_GLYPH_FORMAT_OUTLINE) return out;
    FT_Outline_Translate(&font->glyph->outline, static_cast<FT_Pos>(std::lround(right * 64)), 0);
    if (FT_Render_Glyph(font->glyph, FT_RENDER_MODE_NORMAL) != 0) return out;
    const FT_Bitmap& map = font->glyph->bitmap;
    out.left = font->glyph->bitmap_left;
    out.top = font->glyph->bitmap_top;
    out.width = static_cast<int>(map.width);
    out.height = static_cast<int>(map.rows);
    out.coverage.resize(static_cast<size_t>(out.width) * out.height);
    for (int y = 0; y < out.height; ++y) {
      for (int x = 0; x < out.width; ++x) out.coverage[static_cast<size_t>(y) * out.width + x] = map.buffer[y * map.pitch + x];
    }
    return out;
  }

 private:
  static constexpr uint32_t kQuick = 0x250;

  void Open(int font) {
    opened_[font] = true;
    if (FT_New_Face(library_, kFiles[font], 0, &faces_[font]) != 0) faces_[font] = nullptr;
  }

  GlyphName FindLocked(Face face, uint32_t c) {
    const int own = static_cast<int>(face);
    std::array<int, 2 + kFontFiles - kOwnFiles> order = {own, IsMono(face) ? own - 2 : own + 2};
    for (int i = kOwnFiles; i < kFontFiles; ++i) order[2 + i - kOwnFiles] = i;
    for (const int i : order) {
      if (!opened_[i]) Open(i);
      if (faces_[i] == nullptr) continue;
      if (const uint32_t glyph = FT_Get_Char_Index(faces_[i], c); glyph != 0) return {i, glyph};
    }
    for (const int i : order) {
      if (faces_[i] != nullptr) return {i, 0};  // its box for what is missing
    }
    return {};
  }

  float FindAdvance(Face face, uint32_t c) {
    if (c >= 0x300 && CellsOf(c) == 0) return 0;
    const GlyphName name = FindLocked(face, c);
    if (name.font < 0 || FT_Load_Glyph(faces_[name.font], name.glyph, FT_LOAD_NO_SCALE) != 0) return EstimatedAdvance(face, c);
    return static_cast<float>(faces_[name.font]->glyph->metrics.horiAdvance) / static_cast<float>(faces_[name.font]->units_per_EM);
  }

  std::mutex mutex_;
  FT_Library library_ = nullptr;
  std::array<FT_Face, kFontFiles> faces_{};
  std::array<bool, kFontFiles> opened_{};
  std::array<Metrics, kFaces> metrics_;
  std::array<std::array<float, kQuick>, kFaces> quick_{};
  absl::flat_hash_map<uint64_t, float> advances_;
};

Fonts& TheFonts() {
  static Fonts& fonts = *new Fonts();
  return fonts;
}

}  // namespace

const char* FontPath(Face face) { return kFiles[static_cast<int>(face)]; }
const char* FontFile(int font) { return kFiles[font]; }

const char* FontFamily(Face face) { return IsMono(face) ? "'JetBrains Mono', 'DejaVu Sans Mono', monospace" : "Inter, 'DejaVu Sans', sans-serif"; }

float Advance(Face face, uint32_t character) { return TheFonts().AdvanceOf(face, character); }
float CapHeight(Face face) { return TheFonts().metrics(face).cap; }
GlyphName GlyphOf(Face face, uint32_t character) { return TheFonts().Find(face, character); }
GlyphPixels RasterGlyph(Face face, uint32_t character, float pixels, float right) { return TheFonts().Raster(face, character, pixels, right); }

bool IsForeign(Face face, uint32_t character) { return TheFonts().Foreign(face, character); }

int CellsOf(uint32_t c) {
  struct Range {
    uint32_t first, last;
  };
  // Combining marks, joiners, selectors of variants.
  static constexpr Range kNone[] = {{0x300, 0x36f}, {0x483, 0x489}, {0x591, 0x5bd}, {0x610, 0x61a}, {0x64b, 0x65f}, {0x1ab0, 0x1aff}, {0x1dc0, 0x1dff}, {0x200b, 0x200f}, {0x202a, 0x202e},
                                    {0x2060, 0x2064}, {0x20d0, 0x20f0}, {0xfe00, 0xfe0f}, {0xfe20, 0xfe2f}, {0xfeff, 0xfeff}, {0x1f3fb, 0x1f3ff}, {0xe0001, 0xe01ef}};
  static constexpr Range kWide[] = {{0x1100, 0x115f}, {0x2e80, 0x303e}, {0x3041, 0x33ff}, {0x3400, 0x4dbf}, {0x4e00, 0x9fff}, {0xa000, 0xa4cf}, {0xa960, 0xa97c}, {0xac00, 0xd7a3}, {0xf900, 0xfaff},
                                    {0xfe30, 0xfe6f}, {0xff00, 0xff60}, {0xffe0, 0xffe6}, {0x1f300, 0x1f64f}, {0x1f680, 0x1f6ff}, {0x1f900, 0x1f9ff}, {0x1fa70, 0x1faff}, {0x20000, 0x3fffd}};
  if (c < 0x300) return 1;
  for (const Range& range : kNone) {
    if (c >= range.first && c <= range.last) return 0;
  }
  for (const Range& range : kWide) {
    if (c >= range.first && c <= range.last) return 2;
  }
  return 1;
}

uint32_t TakeCharacter(absl::string_view& text) {
  const auto first = static_cast<uint8_t>(text[0]);
  const int more = first < 0x80 ? 0 : first < 0xc0 ? -1 : first < 0xe0 ? 1 : first < 0xf0 ? 2 : first < 0xf8 ? 3 : -1;
  if (more < 0 || text.size() <= static_cast<size_t>(more)) {
    text.remove_prefix(1);
    return 0xfffd;
  }
  uint32_t c = more == 0 ? first : first & (0x3fu >> more);
  for (int i = 1; i <= more; ++i) {
    const auto next = static_cast<uint8_t>(text[i]);
    if ((next & 0xc0) != 0x80) {
      text.remove_prefix(1);
      return 0xfffd;
    }
    c = c << 6 | (next & 0x3f);
  }
  text.remove_prefix(static_cast<size_t>(more) + 1);
  return c;
}

float TextWidth(absl::string_view text, Face face, float size) {
  float width = 0;
  while (!text.empty()) width += Advance(face, TakeCharacter(text));
  return width * size;
}

float TextAscent(Face face, float size) { return TheFonts().metrics(face).ascent * size; }
float TextDescent(Face face, float size) { return TheFonts().metrics(face).descent * size; }

}  // namespace hloscope
