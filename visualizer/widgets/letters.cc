#include "visualizer/widgets/letters.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "visualizer/canvas/typeface.h"
#include "visualizer/widgets/controls.h"

namespace hloscope::ui {
namespace {

constexpr uint32_t kFirstPlace = 0xe000, kLastPlace = 0xf8ff;  // Unicode's private use area
constexpr size_t kMostLetters = 8000;                          // of all fonts: the texture has an end

// Of a font: by its place in ImGui's atlas, which stays when fonts are loaded anew.
struct Letter {
  int font = 0;
  uint32_t character = 0;
  template <typename H>
  friend H AbslHashValue(H h, const Letter& l) {
    return H::combine(std::move(h), l.font, l.character);
  }
  friend bool operator==(const Letter&, const Letter&) = default;
};

struct Painted {
  int rect = 0;  // of the atlas
  GlyphPixels pixels;
};

struct Letters {
  absl::flat_hash_set<Letter> noted;
  absl::flat_hash_map<uint32_t, uint32_t> places;  // of characters beyond 16 bits, and of those in the area itself
  std::vector<Painted> painted;
  bool wanted = false;
};

Letters& TheLetters() {
  static Letters& letters = *new Letters;
  return letters;
}

int IndexOf(const ImFont* font) {
  const ImVector<ImFont*>& fonts = ImGui::GetIO().Fonts->Fonts;
  for (int k = 0; k < fonts.Size; ++k) {
    if (fonts[k] == font) return k;
  }
  return -1;
}

bool NeedsPlace(uint32_t c) { return c > 0xffff || (c >= kFirstPlace && c <= kLastPlace); }

uint32_t PlaceOf(uint32_t c) {
  if (!NeedsPlace(c)) return c;
  Letters& letters = TheLetters();
  const uint32_t next = kFirstPlace + static_cast<uint32_t>(letters.places.size());
  if (next > kLastPlace && !letters.places.contains(c)) return 0xfffd;
  return letters.places.try_emplace(c, next).first->second;
}

void Note(ImFont* font, uint32_t c, uint32_t place) {
  if (font->FindGlyphNoFallback(static_cast<ImWchar>(place)) != nullptr) return;
  Letters& letters = TheLetters();
  const int index = IndexOf(font);
  if (index < 0 || letters.noted.size() >= kMostLetters) return;
  if (!letters.noted.insert({index, c}).second) return;
  letters.wanted = true;
  WantFrame();
}

bool Plain(absl::string_view text) {
  return std::none_of(text.begin(), text.end(), [](char c) { return static_cast<unsigned char>(c) >= 0x80; });
}

void AppendUtf8(std::string& to, uint32_t c) {
  to += static_cast<char>(0xe0 | (c >> 12));
  to += static_cast<char>(0x80 | ((c >> 6) & 0x3f));
  to += static_cast<char>(0x80 | (c & 0x3f));
}

}  // namespace

absl::string_view Spelled(ImFont* font, absl::string_view text, std::string& kept) {
  if (font == nullptr || Plain(text)) return text;
  bool another = false;
  std::string spelled;
  for (absl::string_view rest = text; !rest.empty();) {
    const char* begin = rest.data();
    const uint32_t c = TakeCharacter(rest);
    const uint32_t place = PlaceOf(c);
    if (c >= 0x80) Note(font, c, place);
    if (place != c && !another) {
      another = true;
      spelled.assign(text.data(), static_cast<size_t>(begin - text.data()));
    }
    if (!another) continue;
    if (place == c) {
      spelled.append(begin, static_cast<size_t>(rest.data() - begin));
    } else {
      AppendUtf8(spelled, place);
    }
  }
  if (!another) return text;
  kept = std::move(spelled);
  return kept;
}

void NoteLetters(ImFont* font, absl::string_view text) {
  std::string kept;
  Spelled(font, text, kept);
}

bool LettersWanted() { return TheLetters().wanted; }

void ForgetPlaces() {
  TheLetters().painted.clear();
  TheLetters().wanted = false;
}

void AddLetters(ImFont* font, Face face, float size) {
  const int index = IndexOf(font);
  // ImGui's sizes are heights: from the highest to the lowest.
  const float em = size / (TextAscent(face, 1) + TextDescent(face, 1));
  const float ascent = std::floor(TextAscent(face, em) + 1);
  const bool mono = face == Face::kMono || face == Face::kMonoStrong;
  Letters& letters = TheLetters();
  for (const Letter& letter : letters.noted) {
    if (letter.font != index) continue;
    const uint32_t c = letter.character;
    float advance = Advance(face, c) * em, pixels = em, left = 0;
    if (mono) {
      // In its cells: smaller where it would be wider, in the middle where it is narrower.
      const float room = static_cast<float>(CellsOf(c)) * Advance(face, '0') * em;
      if (advance > room && room > 0) {
        pixels *= room / advance;
      } else if (room > 0) {
        left = (room - advance) / 2;
      }
      advance = room;
    }
    GlyphPixels raster = RasterGlyph(face, c, pixels, left - std::floor(left));
    const ImVec2 offset = {std::floor(left) + static_cast<float>(raster.left), ascent - static_cast<float>(raster.top)};
    const int rect = ImGui::GetIO().Fonts->AddCustomRectFontGlyph(font, static_cast<ImWchar>(PlaceOf(c)), std::max(1, raster.width), std::max(1, raster.height), advance, offset);
    letters.painted.push_back({rect, std::move(raster)});
  }
}

void PaintLetters() {
  ImFontAtlas* atlas = ImGui::GetIO().Fonts;
  if (TheLetters().painted.empty()) return;
  unsigned char* alpha = nullptr;
  int width = 0, height = 0;
  atlas->GetTexDataAsAlpha8(&alpha, &width, &height);
  for (const Painted& painted : TheLetters().painted) {
    const ImFontAtlasCustomRect* rect = atlas->GetCustomRectByIndex(painted.rect);
    const GlyphPixels& from = painted.pixels;
    if (rect == nullptr || !rect->IsPacked()) continue;
    for (int y = 0; y < rect->Height; ++y) {
      for (int x = 0; x < rect->Width; ++x) {
        const bool inside = x < from.width && y < from.height;
        const int value = inside ? std::min(255, static_cast<int>(from.coverage[static_cast<size_t>(y) * from.width + x] * 1.1f)) : 0;
        alpha[static_cast<size_t>(rect->Y + y) * width + rect->X + x] = static_cast<unsigned char>(value);
      }
    }
  }
  TheLetters().painted.clear();
}

}  // namespace hloscope::ui
