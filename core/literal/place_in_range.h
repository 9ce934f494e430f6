// Where a number lies between two others: for bars, bins and colours. The range of f64 may overflow, and that of denormals has no
// reciprocal.
#ifndef HLOSCOPE_CORE_LITERAL_PLACE_IN_RANGE_H_
#define HLOSCOPE_CORE_LITERAL_PLACE_IN_RANGE_H_

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace hloscope {

// 0 at `low`, 1 at `high`; 0 where they are one number.
inline double PlaceInRange(double x, double low, double high) {
  const double unit = std::isfinite(high - low) ? 1 : 0.5, span = high * unit - low * unit;
  return span > 0 ? (x * unit - low * unit) / span : 0;
}

// Of so many bins of equal width; the last one has `high` too.
inline int64_t BinInRange(double x, double low, double high, int64_t bins) {
  const double unit = std::isfinite(high - low) ? 1 : 0.5, span = high * unit - low * unit, n = static_cast<double>(bins), scale = n / span;
  if (!(span > 0)) return 0;
  const double at = x * unit - low * unit;
  return static_cast<int64_t>(std::clamp(std::isfinite(scale) ? at * scale : at / span * n, 0.0, n - 1));
}

// The number at a place: the first of `steps` equal ones is `low`.
inline double NumberInRange(double low, double high, double step, double steps) {
  return std::isfinite(high - low) ? low + (high - low) * step / steps : std::lerp(low, high, step / steps);
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_PLACE_IN_RANGE_H_
