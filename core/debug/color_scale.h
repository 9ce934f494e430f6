// Colours for numbers, in pictures of values. Not for the window's own colours.
#ifndef HLOSCOPE_CORE_DEBUG_COLOR_SCALE_H_
#define HLOSCOPE_CORE_DEBUG_COLOR_SCALE_H_

#include <cstdint>

#include "core/debug/plane.h"
#include "core/literal/odd_colors.h"
#include "core/literal/value.h"

namespace hloscope {

enum class ColorRamp : uint8_t {
  kSequential,  // dark blue over green to pale yellow
  kDiverging,   // blue below zero, orange above
  kGray,
};

// 0 at low, 1 at high, which may be as far apart as numbers can be; in the middle where there is no range.
double ShareBetween(double x, double low, double high);

struct ColorScale {
  ColorRamp ramp = ColorRamp::kSequential;
  bool log = false;
  bool dark = false;        // the middle of a diverging scale is dark
  double low = 0, high = 1;
  double least =
      0;  // log: sizes below are drawn as this one (LeastSize of what is drawn); 0: a millionth of the largest. Zero has no logarithm, and a colour of its own

  // How far a number is from zero, -1 to 1: of a logarithmic scale the least size is a fifth away, so that it is told from zero.
  double SignedSizeOf(double x) const;
  // Where a number lies on the scale, 0 to 1. Of a logarithmic scale zero has no place, but in the middle of a diverging one.
  double PlaceOf(double x) const;
  // The other way, for legends.
  double NumberAt(double place) const;
  // As 0xAABBGGRR.
  uint32_t ColorAt(double place) const;
  uint32_t ZeroColor() const;  // of a logarithmic scale: none of its others
  uint32_t ColorOf(double x) const { return log && x == 0 ? ZeroColor() : ColorAt(PlaceOf(x)); }
  // NaN and infinities have colours of their own, however many other elements a cell stands for.
  uint32_t ColorOf(const PlaneCell& cell) const;

 private:
  double LogBottom(double top) const;
};
// As 0xAABBGGRR.
constexpr uint32_t Opaque(uint32_t rgb) { return 0xff000000u | (rgb & 0xff) << 16 | (rgb & 0xff00) | rgb >> 16; }
inline constexpr uint32_t kNanColor = Opaque(kNanRgb), kPlusInfColor = Opaque(kPlusInfRgb), kMinusInfColor = Opaque(kMinusInfRgb);

// The smallest size of a finite element that is not zero, where a logarithmic scale of them begins; 0: there is none.
double LeastSize(const Value& array);

// Fits a scale to the numbers from `low` to `high`: diverging round zero where both signs are there.
ColorScale FitScale(double low, double high);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_COLOR_SCALE_H_
