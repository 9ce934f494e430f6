// Colours for the numbers of cells too small for text. The numbers' own colours, the same in dark and light. The window's canvas for whole
// values has a richer one (core/debug/color_scale.h), which pictures cannot see.
#ifndef HLOSCOPE_VISUALIZER_PICTURES_HEAT_H_
#define HLOSCOPE_VISUALIZER_PICTURES_HEAT_H_

#include <cstdint>

#include "core/literal/odd_colors.h"

namespace hloscope {

class HeatScale {
 public:
  void Take(double x);           // a number that will be drawn; infinities do not stretch the scale
  void Take(const HeatScale& other);
  uint32_t ColorOf(double x) const;  // 0xRRGGBB
  bool diverging() const { return low_ < 0 && high_ > 0; }
  double low() const { return low_; }
  double high() const { return high_; }
  bool empty() const { return !any_; }

 private:
  bool any_ = false;
  double low_ = 0, high_ = 0;
};
// What has no place on the scale.
inline constexpr uint32_t kNanHeat = kNanRgb, kPlusInfHeat = kPlusInfRgb, kMinusInfHeat = kMinusInfRgb;

// Black or white, whichever can be read on the colour.
uint32_t TextOn(uint32_t rgb);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PICTURES_HEAT_H_
