// How the tables are made: interpolation at Chebyshev's points, around centres where the function is all but a float itself.
#include "backends/jit_cpu/lower/piecewise.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <numbers>

namespace hloscope {
namespace {

using Wide = long double;
using Function = Wide (*)(Wide);

// The value at the centre is added last and unrounded errors of it would stay: of the floats near the middle the one where it loses least.
float Centre(Function f, float low, float high) {
  constexpr int kTried = 48;
  float c = low + (high - low) / 2, best = c;
  Wide least = 1;
  for (int k = 0; k < kTried; ++k, c = std::nextafter(c, high)) {
    const Wide value = f(c), lost = std::fabs(value - static_cast<float>(value)) / value;
    if (lost < least) {
      least = lost;
      best = c;
    }
  }
  return best;
}

// (f(c + d) - f(c)) / d as a polynomial of d of `n` coefficients, low <= c + d <= high; lowest coefficient first.
std::vector<Wide> Slopes(Function f, Wide c, Wide low, Wide high, int n) {
  std::vector<Wide> at(n), divided(n), result(n);
  for (int k = 0; k < n; ++k) {
    Wide d = (low + high) / 2 - c + (high - low) / 2 * std::cos(std::numbers::pi_v<Wide> * (2 * k + 1) / (2 * n));
    if (std::fabs(d) < 1e-6L) d = 1e-6L;  // the quotient is none at the centre
    at[k] = d;
    divided[k] = (f(c + d) - f(c)) / d;
  }
  for (int order = 1; order < n; ++order) {
    for (int k = n - 1; k >= order; --k) divided[k] = (divided[k] - divided[k - 1]) / (at[k] - at[k - order]);
  }
  // Newton's form to powers of d.
  for (int k = n - 1; k >= 0; --k) {
    for (int p = n - 1; p > 0; --p) result[p] = result[p - 1] - at[k] * result[p];
    result[0] = divided[k] - at[k] * result[0];
  }
  return result;
}

// `around_zero`: what the polynomial of the first interval is of.
PiecewiseTable Make(const char* name, Function f, float limit, const PiecewiseIntervals& intervals, Function around_zero) {
  PiecewiseTable t{name, intervals, limit, around_zero != f, {}};
  t.columns.assign(intervals.degree + 2, std::vector<float>(intervals.count));
  const auto fill = [&](uint32_t bits, Function of, float c, float low, float high) {
    const size_t index = bits >> intervals.shift & (intervals.count - 1);
    t.columns[0][index] = static_cast<float>(of(c));
    t.columns.back()[index] = c;
    const std::vector<Wide> slopes = Slopes(of, c, low, high, intervals.degree);
    for (int k = 0; k < intervals.degree; ++k) t.columns[k + 1][index] = static_cast<float>(slopes[k]);
  };
  const auto end = [&](uint32_t bits) { return std::bit_cast<float>(bits) - intervals.offset; };
  fill(t.BelowFirst(), around_zero, 0, 0, intervals.first);
  const uint32_t step = uint32_t{1} << intervals.shift;
  for (uint32_t bits = std::bit_cast<uint32_t>(intervals.offset + intervals.first); end(bits) < limit; bits += step) {
    const float low = end(bits), high = std::min(end(bits + step), limit);
    fill(bits, f, Centre(f, low, high), low, high);
  }
  return t;
}

// Four intervals for each power of two from 1/16 on.
constexpr PiecewiseIntervals kOf32 = {.count = 32, .shift = 21, .degree = 5, .offset = 0, .first = 0x1p-4F};
// For tanh from 0, 1, 3 and 7 on; for erf, which levels off earlier, from 0, 1, 2 and 3 on.
constexpr PiecewiseIntervals kTanhOf4 = {.count = 4, .shift = 23, .degree = 11, .offset = 1, .first = 1};
constexpr PiecewiseIntervals kErfOf4 = {.count = 4, .shift = 21, .degree = 9, .offset = 4, .first = 1};

Wide Tanh(Wide x) { return std::tanh(x); }
Wide Erf(Wide x) { return std::erf(x); }
Wide ErfLessArgument(Wide x) { return std::erf(x) - x; }

}  // namespace

uint32_t PiecewiseTable::BelowFirst() const { return std::bit_cast<uint32_t>(intervals.offset + intervals.first) - 1; }

const PiecewiseTable& TanhTable(bool wide_registers) {
  static const PiecewiseTable of32 = Make("tanh", Tanh, 9.1F, kOf32, Tanh), of4 = Make("tanh", Tanh, 9.1F, kTanhOf4, Tanh);
  return wide_registers ? of32 : of4;
}

const PiecewiseTable& ErfTable(bool wide_registers) {
  static const PiecewiseTable of32 = Make("erf", Erf, 3.95F, kOf32, ErfLessArgument), of4 = Make("erf", Erf, 3.95F, kErfOf4, ErfLessArgument);
  return wide_registers ? of32 : of4;
}

}  // namespace hloscope
