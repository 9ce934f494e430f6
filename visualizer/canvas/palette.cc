#include "visualizer/canvas/palette.h"

#include <array>

namespace hloscope {
namespace {

struct Row {
  Ink ink;
  uint32_t dark, light;
};

// The groups were chosen so that each two of them are at least 20 apart in CIELAB, also as protanopes, deuteranopes and tritanopes see
// them (tests/canvas holds them to it).
constexpr Row kRows[] = {
    {Ink::kNone, 0x000000, 0x000000},   {Ink::kExact, 0x000000, 0x000000},
    {Ink::kWindow, 0x14161b, 0xe9ebf0}, {Ink::kPanel, 0x1b1e25, 0xffffff},
    {Ink::kRaised, 0x262a33, 0xeff1f5}, {Ink::kSunken, 0x15171c, 0xf5f6f9},
    {Ink::kBorder, 0x2c313b, 0xd5d9e1}, {Ink::kHover, 0x2b303b, 0xe8ecf3},
    {Ink::kActive, 0x343b49, 0xd9e0ec}, {Ink::kText, 0xdfe2e9, 0x1d2129},
    {Ink::kDim, 0x989fae, 0x565e6c},    {Ink::kFaint, 0x6b7280, 0x868e9c},
    {Ink::kAmber, 0xf5bf4f, 0xa86500},  {Ink::kRed, 0xff5f57, 0xcf2f28},
    {Ink::kBlue, 0x5ea9ff, 0x1763c6},   {Ink::kTeal, 0x4fd1bd, 0x00796b},
    {Ink::kPink, 0xff78cf, 0xb8198a},   {Ink::kGreen, 0x5fd38d, 0x1b7f45},
    {Ink::kViolet, 0xb48cff, 0x6a3fc4}, {Ink::kOrange, 0xf79a5c, 0xb4560f},
    {Ink::kGroup0, 0x68dae6, 0x2f5b63}, {Ink::kGroup1, 0xeea695, 0x713622},
    {Ink::kGroup2, 0x875ee8, 0x6036be}, {Ink::kGroup3, 0xd5c93e, 0x807824},
    {Ink::kGroup4, 0xbf537b, 0xc88aaa}, {Ink::kGroup5, 0x3b9b4a, 0x83b070},
    {Ink::kGroup6, 0x879bee, 0x6694f1}, {Ink::kGroup7, 0xa25ea7, 0x6b3086},
};

constexpr bool InOrder() {
  int i = 0;
  for (const Row& row : kRows) {
    if (static_cast<int>(row.ink) != i++) return false;
  }
  return i == static_cast<int>(Ink::kGroup7) + 1;
}
static_assert(InOrder(), "a row an ink, in the order of the inks");

}  // namespace

uint32_t ColorOf(Ink ink, PaletteScheme scheme) {
  const Row& row = kRows[static_cast<int>(ink)];
  return scheme == PaletteScheme::kDark ? row.dark : row.light;
}

}  // namespace hloscope
