// The colours of what has no place on a scale of numbers, the same in every picture of values: pink is NaN, magenta and purple are the
// infinities. Not for scales (core/debug/color_scale.h, visualizer/pictures/heat.h).
#ifndef HLOSCOPE_CORE_LITERAL_ODD_COLORS_H_
#define HLOSCOPE_CORE_LITERAL_ODD_COLORS_H_

#include <cstdint>

namespace hloscope {

// 0xRRGGBB.
inline constexpr uint32_t kNanRgb = 0xff78cf, kPlusInfRgb = 0xe03ab4, kMinusInfRgb = 0xa02a8c;

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_ODD_COLORS_H_
