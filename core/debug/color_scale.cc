#include "core/debug/color_scale.h"

#include <algorithm>
#include <cmath>

namespace hloscope {
namespace {

struct Rgb {
  double r, g, b;
};
constexpr Rgb Hex(uint32_t hex) { return {static_cast<double>(hex >> 16 & 0xff), static_cast<double>(hex >> 8 & 0xff), static_cast<double>(hex & 0xff)}; }

// Even steps in lightness, from dark to pale.
constexpr Rgb kSequential[] = {Hex(0x1b1b3a), Hex(0x25306b), Hex(0x2b5599), Hex(0x2f82ae), Hex(0x3fb0b0), Hex(0x7fd3a4), Hex(0xc6eaa0), Hex(0xfaf8c4)};
constexpr Rgb kBelowPale[] = {Hex(0x17396f), Hex(0x2f6fc4), Hex(0x8fb8e8), Hex(0xf0eee8)}, kAbovePale[] = {Hex(0xf0eee8), Hex(0xf0b480), Hex(0xdb7026), Hex(0x7d3508)};
constexpr Rgb kBelowDark[] = {Hex(0xb9dcff), Hex(0x5ea9ff), Hex(0x2a5690), Hex(0x20232b)}, kAboveDark[] = {Hex(0x20232b), Hex(0x8a4a1c), Hex(0xf79a5c), Hex(0xffdcc0)};

template <size_t N>
uint32_t Along(const Rgb (&stops)[N], double t) {
  const double place = std::clamp(t, 0.0, 1.0) * (N - 1);
  const size_t k = std::min<size_t>(static_cast<size_t>(place), N - 2);
  const double f = place - static_cast<double>(k);
  const auto mix = [f](double a, double b) { return static_cast<uint32_t>(std::lround(a + (b - a) * f)); };
  return mix(stops[k].r, stops[k + 1].r) | mix(stops[k].g, stops[k + 1].g) << 8 | mix(stops[k].b, stops[k + 1].b) << 16 | 0xff000000u;
}

// Where the least size of a diverging logarithmic scale lies, from its middle: that is zero's.
constexpr double kFirst = 0.2;

}  // namespace

double ShareBetween(double x, double low, double high) {
  if (!(high > low)) return 0.5;
  const double scale = std::isfinite(high - low) ? 1 : 0.5;
  return std::clamp((x * scale - low * scale) / (high * scale - low * scale), 0.0, 1.0);
}

// The logarithm of the least size of a logarithmic scale, at most that of the largest one. Sizes may be further apart than one number can be.
double ColorScale::LogBottom(double top) const { return least > 0 ? std::min(std::log(least), std::log(top)) : std::log(top) + std::log(1e-6); }

double ColorScale::SignedSizeOf(double x) const {
  const double top = std::max(std::fabs(low), std::fabs(high));
  if (!(top > 0)) return 0;
  double size = std::min(1.0, std::fabs(x) / top);
  if (log && x != 0) {
    const double bottom = LogBottom(top), range = std::log(top) - bottom;
    size = kFirst + (1 - kFirst) * (range > 0 ? std::clamp((std::log(std::fabs(x)) - bottom) / range, 0.0, 1.0) : 1);
  }
  return x < 0 ? -size : size;
}

double ColorScale::PlaceOf(double x) const {
  if (ramp == ColorRamp::kDiverging) return 0.5 + SignedSizeOf(x) / 2;
  if (log) {
    // Sizes: a logarithm has no sign.
    const double top = std::max(std::fabs(low), std::fabs(high));
    if (!(top > 0)) return 0.5;
    const double bottom = LogBottom(top), range = std::log(top) - bottom;
    if (!(range > 0)) return 1;
    return x == 0 ? 0 : std::clamp((std::log(std::fabs(x)) - bottom) / range, 0.0, 1.0);
  }
  return ShareBetween(x, low, high);
}

double ColorScale::NumberAt(double place) const {
  const double top = std::max(std::fabs(low), std::fabs(high));
  if (ramp == ColorRamp::kDiverging) {
    double size = std::fabs(place - 0.5) * 2;
    const double sign = place < 0.5 ? -1 : 1;
    if (!log || size == 0 || !(top > 0)) return sign * size * top;
    const double share = std::max(0.0, (size - kFirst) / (1 - kFirst)), bottom = LogBottom(top);
    return share >= 1 ? sign * top : sign * std::exp(bottom + share * (std::log(top) - bottom));
  }
  if (!log) return low * (1 - place) + high * place;
  if (!(top > 0)) return 0;
  const double bottom = LogBottom(top);
  return place >= 1 ? top : place <= 0 && least > 0 ? std::min(least, top) : std::exp(bottom + place * (std::log(top) - bottom));
}

uint32_t ColorScale::ZeroColor() const {
  switch (ramp) {
    case ColorRamp::kGray: return 0xff804020u;  // the only one that is not gray
    case ColorRamp::kDiverging: return ColorAt(0.5);
    case ColorRamp::kSequential: return 0xff4c4c4cu;  // the only gray
  }
  return 0xff000000u;
}

uint32_t ColorScale::ColorAt(double place) const {
  switch (ramp) {
    case ColorRamp::kGray: {
      const auto v = static_cast<uint32_t>(std::lround(std::clamp(place, 0.0, 1.0) * 255));
      return v | v << 8 | v << 16 | 0xff000000u;
    }
    case ColorRamp::kDiverging:
      if (dark) return place < 0.5 ? Along(kBelowDark, place * 2) : Along(kAboveDark, place * 2 - 1);
      return place < 0.5 ? Along(kBelowPale, place * 2) : Along(kAbovePale, place * 2 - 1);
    case ColorRamp::kSequential: return Along(kSequential, place);
  }
  return 0xff000000u;
}

uint32_t ColorScale::ColorOf(const PlaneCell& cell) const {
  if (cell.nan > 0) return kNanColor;
  if (cell.plus_inf > 0) return kPlusInfColor;
  if (cell.minus_inf > 0) return kMinusInfColor;
  return ColorOf(cell.mean);
}

double LeastSize(const Value& array) {
  constexpr int64_t kPiece = 4096;
  double piece[kPiece], least = 0;
  for (int64_t begin = 0; begin < array.element_count(); begin += kPiece) {
    const int64_t n = std::min<int64_t>(kPiece, array.element_count() - begin);
    ReadNumbers(array, begin, 1, n, piece);
    for (int64_t k = 0; k < n; ++k) {
      const double size = std::fabs(piece[k]);
      if (std::isfinite(size) && size > 0 && (least == 0 || size < least)) least = size;
    }
  }
  return least;
}

ColorScale FitScale(double low, double high) {
  ColorScale scale;
  scale.low = low;
  scale.high = high;
  if (low < 0 && high > 0) scale.ramp = ColorRamp::kDiverging;
  return scale;
}

}  // namespace hloscope
