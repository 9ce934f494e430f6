// A few numbers that say what an array is like: range, mean, how many NaN and infinities. Not for comparing (core/debug/check.h).
#ifndef HLOSCOPE_CORE_LITERAL_STATISTICS_H_
#define HLOSCOPE_CORE_LITERAL_STATISTICS_H_

#include <complex>
#include <cstdint>

#include "core/literal/value.h"

namespace hloscope {

// min, max and mean are over the finite elements (complex: their magnitudes); pred counts as 0 and 1. -0 is below 0: min is -0 where that
// is the least, max is where all zeros are -0.
struct Statistics {
  int64_t count = 0, finite = 0, nan = 0, inf = 0, zeros = 0, denormals = 0;
  int64_t minus_zeros = 0;            // of zeros
  double min = 0, max = 0, mean = 0;  // 0 when finite == 0
};
Statistics Summarize(const Value& array);

// Counts only; stops early with the first found when `first` is given. Integers have neither.
struct NonFinite {
  bool nan = false, inf = false;
  int64_t first = -1;  // linear index of the first one
};
NonFinite FindNonFinite(const Value& value);  // tuples: over their leaves, `first` in the first leaf that has one

// Of a complex number. NaN where a part is, also beside an infinity, of which std::abs makes an infinity.
double MagnitudeOf(std::complex<double> x);

// Element at a row-major linear index as a double (complex: the real part).
double ElementAsDouble(const Value& array, int64_t linear);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_LITERAL_STATISTICS_H_
