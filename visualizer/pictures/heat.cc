#include "visualizer/pictures/heat.h"

#include <algorithm>
#include <cmath>

namespace hloscope {
namespace {

// Even steps in lightness.
constexpr uint32_t kSequential[] = {0x25306b, 0x2b5599, 0x2f82ae, 0x3fb0b0, 0x7fd3a4, 0xc6eaa0, 0xfaf8c4};
constexpr uint32_t kDiverging[] = {0x2f6fc4, 0x6d9fdc, 0xb4cdec, 0xf0eee8, 0xf0c49c, 0xe6985a, 0xc85f1c};

template <int N>
uint32_t Along(const uint32_t (&stops)[N], double t) {
  const double place = std::clamp(t, 0.0, 1.0) * (N - 1);
  const int k = std::min(static_cast<int>(place), N - 2);
  const double f = place - k;
  uint32_t rgb = 0;
  for (int shift = 0; shift < 24; shift += 8) {
    const double a = stops[k] >> shift & 0xff, b = stops[k + 1] >> shift & 0xff;
    rgb |= static_cast<uint32_t>(std::lround(a + (b - a) * f)) << shift;
  }
  return rgb;
}

}  // namespace

void HeatScale::Take(double x) {
  if (!std::isfinite(x)) return;
  low_ = any_ ? std::min(low_, x) : x;
  high_ = any_ ? std::max(high_, x) : x;
  any_ = true;
}

void HeatScale::Take(const HeatScale& other) {
  if (other.empty()) return;
  Take(other.low());
  Take(other.high());
}

uint32_t HeatScale::ColorOf(double x) const {
  if (std::isnan(x)) return kNanHeat;
  if (std::isinf(x)) return x > 0 ? kPlusInfHeat : kMinusInfHeat;
  if (diverging()) {
    const double top = std::max(-low_, high_);
    return Along(kDiverging, 0.5 + std::clamp(x / top, -1.0, 1.0) / 2);
  }
  if (!(high_ > low_)) return Along(kSequential, 0.4);
  return Along(kSequential, std::clamp((x - low_) / (high_ - low_), 0.0, 1.0));
}

uint32_t TextOn(uint32_t rgb) {
  const double light = 0.299 * (rgb >> 16 & 0xff) + 0.587 * (rgb >> 8 & 0xff) + 0.114 * (rgb & 0xff);
  return light > 140 ? 0x14161b : 0xffffff;
}

}  // namespace hloscope
