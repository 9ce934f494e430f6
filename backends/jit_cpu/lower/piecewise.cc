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

// (f(c + d) - f(c)) / d as a polynomial of d, low <= c + d <= high; lowest coefficient first.
std::array<Wide, PiecewiseTable::kDegree> Slopes(Function f, Wide c, Wide low, Wide high) {
  constexpr int n = PiecewiseTable::kDegree;
  std::array<Wide, n> at, divided, result{};
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

// `series`: of f at zero, by x, x^3 and x^5; less x where `adds_argument`.
PiecewiseTable Make(const char* name, Function f, float limit, bool adds_argument, std::array<double, 3> series) {
  PiecewiseTable t{name, limit, adds_argument, {}};
  const auto index = [](uint32_t bits) { return bits >> PiecewiseTable::kShift & (PiecewiseTable::kIntervals - 1); };
  constexpr uint32_t kStep = uint32_t{1} << PiecewiseTable::kShift;
  for (uint32_t bits = std::bit_cast<uint32_t>(PiecewiseTable::kFirst); std::bit_cast<float>(bits) < limit; bits += kStep) {
    const float low = std::bit_cast<float>(bits), high = std::min(std::bit_cast<float>(bits + kStep), limit);
    const float c = t.columns[PiecewiseTable::kCentre][index(bits)] = Centre(f, low, high);
    const auto slopes = Slopes(f, c, low, high);
    t.columns[0][index(bits)] = static_cast<float>(f(c));
    for (int k = 0; k < PiecewiseTable::kDegree; ++k) t.columns[k + 1][index(bits)] = static_cast<float>(slopes[k]);
  }
  for (int k = 0; k < 3; ++k) t.columns[2 * k + 1][index(PiecewiseTable::kBelowFirst)] = static_cast<float>(series[k]);
  return t;
}

}  // namespace

std::array<float, PiecewiseTable::kIntervals * 8> PiecewiseTable::rows() const {
  std::array<float, kIntervals * 8> rows{};
  for (int c = 0; c < kColumns; ++c) {
    for (int i = 0; i < kIntervals; ++i) rows[8 * i + c] = columns[c][i];
  }
  return rows;
}

const PiecewiseTable& TanhTable() {
  static const PiecewiseTable table = Make("tanh", std::tanh, 9.1F, false, {1, -1.0 / 3, 2.0 / 15});
  return table;
}

const PiecewiseTable& ErfTable() {
  constexpr double k = 2 * std::numbers::inv_sqrtpi;
  static const PiecewiseTable table = Make("erf", std::erf, 3.95F, true, {k - 1, -k / 3, k / 10});
  return table;
}

}  // namespace hloscope
