// The palette, in one place: what each colour means, and what it is in dark and light. The window's theme takes its colours from here.
#ifndef HLOSCOPE_VISUALIZER_CANVAS_PALETTE_H_
#define HLOSCOPE_VISUALIZER_CANVAS_PALETTE_H_

#include <cstdint>

namespace hloscope {

// One meaning each: amber = here and now, red = breakpoints and errors, blue = selection and links, teal = shapes, pink = numeric trouble,
// green = fine, violet = attributes, orange = what is computed beside it. Always with a shape or a label beside, for eyes that see fewer colours.
enum class Ink : uint8_t {
  kNone, kExact,
  kWindow, kPanel, kRaised, kSunken, kBorder, kHover, kActive,
  kText, kDim, kFaint,
  kAmber, kRed, kBlue, kTeal, kPink, kGreen, kViolet, kOrange,
  // Groups that need telling apart and mean nothing by themselves (batch, offset, contracting dimensions; feature groups; replicas).
  kGroup0, kGroup1, kGroup2, kGroup3, kGroup4, kGroup5, kGroup6, kGroup7,
};
inline constexpr int kGroupInks = 8;
inline Ink GroupInk(int i) { return static_cast<Ink>(static_cast<int>(Ink::kGroup0) + i % kGroupInks); }

enum class PaletteScheme : uint8_t { kDark, kLight };
// 0xRRGGBB. Not of kNone and kExact.
uint32_t ColorOf(Ink ink, PaletteScheme scheme);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_CANVAS_PALETTE_H_
