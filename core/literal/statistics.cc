#include "core/literal/statistics.h"

#include <algorithm>
#include <cmath>
#include <complex>
#include <cstring>
#include <limits>

#include "core/base/clones.h"
#include "core/literal/relayout.h"
#include "core/literal/scalar.h"
#include "core/literal/statistics_scan.h"

namespace hloscope {
namespace {

// Blocks are decoded into doubles first and summarised after, in eight independent lanes.
constexpr int64_t kBlock = 2048;
using Lanes = StatisticsScan::Lanes;
constexpr int kLanes = StatisticsScan::kLanes;

// The number is its exponent and fraction put into those of a float, times 2^112; without a branch, so that it vectorizes.
HLOSCOPE_CLONES void DecodeF16(const uint16_t* data, int64_t n, double* out) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t h = data[i], size = (h & 0x7fffu) << 13, special = size >= (0x7c00u << 13) ? 0xffffffffu : 0;
    float ordinary;
    std::memcpy(&ordinary, &size, 4);
    ordinary *= 0x1p112f;
    uint32_t bits;
    std::memcpy(&bits, &ordinary, 4);
    bits = ((special & (size | 0x7f800000u)) | (~special & bits)) | (h & 0x8000u) << 16;
    float f;
    std::memcpy(&f, &bits, 4);
    out[i] = f;
  }
}

HLOSCOPE_CLONES void DecodeF32(const float* data, int64_t n, double* out) {
  for (int64_t i = 0; i < n; ++i) out[i] = data[i];
}
HLOSCOPE_CLONES void DecodeBF16(const uint16_t* data, int64_t n, double* out) {
  for (int64_t i = 0; i < n; ++i) {
    const uint32_t wide = static_cast<uint32_t>(data[i]) << 16;
    float f;
    std::memcpy(&f, &wide, 4);
    out[i] = f;
  }
}

template <typename T, typename Convert>
void DecodeAs(const T* data, int64_t n, double* out, Convert convert) {
  for (int64_t i = 0; i < n; ++i) out[i] = convert(data[i]);
}

// Elements [begin, begin + n) as doubles; complex ones as magnitudes.
void DecodeBlock(const Value& array, int64_t begin, int64_t n, double* out) {
  const ElementType type = array.shape().element_type();
  const auto plain = [](auto x) { return static_cast<double>(x); };
  switch (type) {
    case ElementType::kF32: return DecodeF32(array.as<float>() + begin, n, out);
    case ElementType::kF64: return DecodeAs(array.as<double>() + begin, n, out, plain);
    case ElementType::kBF16: return DecodeBF16(array.as<uint16_t>() + begin, n, out);
    case ElementType::kF16: return DecodeF16(array.as<uint16_t>() + begin, n, out);
    case ElementType::kS32: return DecodeAs(array.as<int32_t>() + begin, n, out, plain);
    case ElementType::kU32: return DecodeAs(array.as<uint32_t>() + begin, n, out, plain);
    case ElementType::kS64: return DecodeAs(array.as<int64_t>() + begin, n, out, plain);
    case ElementType::kU64: return DecodeAs(array.as<uint64_t>() + begin, n, out, plain);
    case ElementType::kS16: return DecodeAs(array.as<int16_t>() + begin, n, out, plain);
    case ElementType::kU16: return DecodeAs(array.as<uint16_t>() + begin, n, out, plain);
    case ElementType::kS8: return DecodeAs(array.as<int8_t>() + begin, n, out, plain);
    case ElementType::kU8: return DecodeAs(array.as<uint8_t>() + begin, n, out, plain);
    case ElementType::kPred: return DecodeAs(array.as<uint8_t>() + begin, n, out, [](uint8_t x) { return x != 0 ? 1.0 : 0.0; });
    case ElementType::kC64:
      return DecodeAs(array.as<std::complex<float>>() + begin, n, out,
                      [](std::complex<float> x) { return MagnitudeOf(std::complex<double>(x)); });
    case ElementType::kC128:
      return DecodeAs(array.as<std::complex<double>>() + begin, n, out, MagnitudeOf);
    default: break;
  }
  const int bytes = StorageBytes(type);
  for (int64_t i = 0; i < n; ++i) {
    const Scalar s = LoadScalar(type, array.data() + (begin + i) * bytes);
    out[i] = IsFloat(type) ? s.re : static_cast<double>(s.i);
  }
}

// Of a block without NaN and infinity, which nearly all are: the same numbers with half the work. False, and nothing added, of others.
HLOSCOPE_CLONES bool AddFiniteBlock(const double* x, int64_t n, double smallest_normal, Lanes& lanes) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double other[kLanes] = {};
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) other[l] += std::fabs(x[i + l]) < kInf ? 0.0 : 1.0;
  }
  for (int l = 0; l < kLanes; ++l) {
    if (other[l] > 0) return false;
  }
  double min[kLanes], max[kLanes], sum[kLanes] = {}, zeros[kLanes] = {}, signs[kLanes] = {}, small[kLanes] = {};
  for (int l = 0; l < kLanes; ++l) min[l] = lanes.min[l], max[l] = lanes.max[l];
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const double v = x[i + l];
      min[l] = v < min[l] ? v : min[l];
      max[l] = v > max[l] ? v : max[l];
      sum[l] += v;
      zeros[l] += v == 0.0 ? 1.0 : 0.0;
      signs[l] += v == 0.0 ? std::copysign(1.0, v) : 0.0;
      small[l] += std::fabs(v) < smallest_normal ? 1.0 : 0.0;
    }
  }
  for (int l = 0; l < kLanes; ++l) {
    lanes.min[l] = min[l];
    lanes.max[l] = max[l];
    lanes.sum[l] = sum[l];
    lanes.finite[l] += n / kLanes;
    lanes.zeros[l] += static_cast<int64_t>(zeros[l]);
    lanes.zero_signs[l] += signs[l];
    lanes.denormals[l] += static_cast<int64_t>(small[l]);
  }
  return true;
}

// `n` is a multiple of kLanes. Local arrays, plain loops and no branches: that is what the compiler vectorizes.
HLOSCOPE_CLONES void AddBlock(const double* x, int64_t n, double smallest_normal, Lanes& lanes) {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  double min[kLanes], max[kLanes], sum[kLanes] = {}, nan[kLanes] = {}, finite[kLanes] = {}, zeros[kLanes] = {}, signs[kLanes] = {},
                                   small[kLanes] = {};
  double below[kLanes] = {};
  for (int l = 0; l < kLanes; ++l) min[l] = lanes.min[l], max[l] = lanes.max[l];
  for (int64_t i = 0; i < n; i += kLanes) {
    for (int l = 0; l < kLanes; ++l) {
      const double v = x[i + l], magnitude = std::fabs(v);
      const double low = magnitude < kInf ? v : kInf, high = magnitude < kInf ? v : -kInf;
      min[l] = low < min[l] ? low : min[l];
      max[l] = high > max[l] ? high : max[l];
      sum[l] += magnitude < kInf ? v : 0.0;
      finite[l] += magnitude < kInf ? 1.0 : 0.0;
      nan[l] += v != v ? 1.0 : 0.0;
      below[l] += v == -kInf ? 1.0 : 0.0;
      zeros[l] += v == 0.0 ? 1.0 : 0.0;
      signs[l] += v == 0.0 ? std::copysign(1.0, v) : 0.0;
      small[l] += magnitude < smallest_normal ? 1.0 : 0.0;  // zeros too: taken off at the end
    }
  }
  for (int l = 0; l < kLanes; ++l) {
    lanes.min[l] = min[l];
    lanes.max[l] = max[l];
    lanes.sum[l] = sum[l];
    lanes.finite[l] += static_cast<int64_t>(finite[l]);
    lanes.nan[l] += static_cast<int64_t>(nan[l]);
    lanes.below[l] += static_cast<int64_t>(below[l]);
    lanes.zeros[l] += static_cast<int64_t>(zeros[l]);
    lanes.zero_signs[l] += signs[l];
    lanes.denormals[l] += static_cast<int64_t>(small[l]);
  }
}

template <typename T>
__int128 WholeSum(const T* data, int64_t n) {
  __int128 sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += data[i];
  return sum;
}

// Bits that are all ones exactly in infinities and NaNs; 0 for types without such a test.
template <typename Word>
int64_t FirstWithOnes(const Word* data, int64_t n, Word mask) {
  constexpr int64_t kStride = 256;
  for (int64_t i = 0; i < n; i += kStride) {
    const int64_t end = std::min(n, i + kStride);
    bool any = false;
    for (int64_t j = i; j < end; ++j) any |= (data[j] & mask) == mask;
    if (!any) continue;
    for (int64_t j = i; j < end; ++j) {
      if ((data[j] & mask) == mask) return j;
    }
  }
  return -1;
}

// Linear index of the first element at or after `from` that is not finite, or -1.
int64_t FirstNonFinite(const Value& array, int64_t from) {
  const int64_t n = array.element_count();
  const auto shifted = [from](int64_t at) { return at < 0 ? at : at + from; };
  switch (array.shape().element_type()) {
    case ElementType::kF32: return shifted(FirstWithOnes<uint32_t>(array.as<uint32_t>() + from, n - from, 0x7f800000u));
    case ElementType::kF64: return shifted(FirstWithOnes<uint64_t>(array.as<uint64_t>() + from, n - from, uint64_t{0x7ff} << 52));
    case ElementType::kBF16: return shifted(FirstWithOnes<uint16_t>(array.as<uint16_t>() + from, n - from, 0x7f80));
    case ElementType::kF16: return shifted(FirstWithOnes<uint16_t>(array.as<uint16_t>() + from, n - from, 0x7c00));
    default: break;
  }
  const ElementType type = array.shape().element_type();
  for (int64_t i = from; i < n; ++i) {
    if (!LoadScalar(type, array.data() + i * StorageBytes(type)).IsFinite()) return i;
  }
  return -1;
}

}  // namespace

StatisticsScan::StatisticsScan() {
  std::fill(lanes_.min, lanes_.min + kLanes, std::numeric_limits<double>::infinity());
  std::fill(lanes_.max, lanes_.max + kLanes, -std::numeric_limits<double>::infinity());
}

void StatisticsScan::Advance(const Value& array, int64_t elements) {
  const ElementType type = array.shape().element_type();
  const ElementType real = RealTypeOf(type);
  smallest_normal_ = IsFloat(real) ? UlpAt(real, 0) / (2 * UnitRoundoff(real)) : 0;
  const int64_t count = array.element_count(), end = elements >= count - looked_ ? count : looked_ + elements;
  whole_ = type == ElementType::kS64 || type == ElementType::kU64;
  double buffer[kBlock];
  while (looked_ < end) {
    // Whole blocks, so that only the array's last one is filled up.
    const int64_t n = std::min(kBlock, count - looked_);
    DecodeBlock(array, looked_, n, buffer);
    int64_t padded = n;
    for (; padded % kLanes != 0; ++padded) buffer[padded] = std::numeric_limits<double>::infinity();
    if (!AddFiniteBlock(buffer, padded, smallest_normal_, lanes_)) AddBlock(buffer, padded, smallest_normal_, lanes_);
    for (double part : lanes_.sum) sum_ += part;  // a sum a block, so that long sums keep their digits
    if (type == ElementType::kS64) whole_sum_ += WholeSum(array.as<int64_t>() + looked_, n);
    if (type == ElementType::kU64) whole_sum_ += WholeSum(array.as<uint64_t>() + looked_, n);
    looked_ += n;
  }
}

int64_t StatisticsScan::negative_inf() const {
  int64_t below = 0;
  for (const int64_t lane : lanes_.below) below += lane;
  return below;
}

Statistics StatisticsScan::statistics() const {
  constexpr double kInf = std::numeric_limits<double>::infinity();
  Statistics s;
  s.count = looked_;
  s.min = kInf;
  s.max = -kInf;
  for (int l = 0; l < kLanes; ++l) {
    s.min = std::min(s.min, lanes_.min[l]);
    s.max = std::max(s.max, lanes_.max[l]);
    s.finite += lanes_.finite[l];
    s.nan += lanes_.nan[l];
    s.zeros += lanes_.zeros[l];
    s.denormals += lanes_.denormals[l] - (smallest_normal_ > 0 ? lanes_.zeros[l] : 0);
  }
  double signs = 0;
  for (const double lane : lanes_.zero_signs) signs += lane;
  s.minus_zeros = (s.zeros - static_cast<int64_t>(signs)) / 2;
  s.inf = s.count - s.finite - s.nan;
  if (s.finite == 0) {
    s.min = s.max = 0;
    return s;
  }
  s.mean = s.minus_zeros == s.finite ? -0.0 : sum_ / static_cast<double>(s.finite);
  if (whole_) s.mean = static_cast<double>(static_cast<long double>(whole_sum_) / static_cast<long double>(s.finite));
  if (s.min == 0) s.min = s.minus_zeros > 0 ? -0.0 : 0.0;
  if (s.max == 0) s.max = s.minus_zeros == s.zeros ? -0.0 : 0.0;
  return s;
}

Statistics Summarize(const Value& array) {
  if (!array.IsDense()) return Summarize(ToDense(array));
  if (!array.has_value() || !array.shape().IsArray()) return Statistics();
  StatisticsScan scan;
  scan.Advance(array, array.element_count());
  Statistics s = scan.statistics();
  if (!std::isfinite(s.mean)) {
    // Huge numbers: divide first.
    s.mean = 0;
    double buffer[kBlock];
    for (int64_t begin = 0; begin < s.count; begin += kBlock) {
      const int64_t n = std::min(kBlock, s.count - begin);
      DecodeBlock(array, begin, n, buffer);
      for (int64_t i = 0; i < n; ++i) s.mean += std::isfinite(buffer[i]) ? buffer[i] / static_cast<double>(s.finite) : 0;
    }
  }
  return s;
}

NonFinite FindNonFinite(const Value& value) {
  if (!value.IsDense()) return FindNonFinite(ToDense(value));
  NonFinite found;
  if (!value.has_value()) return found;
  if (value.shape().IsTuple()) {
    for (const Value& element : value.elements()) {
      const NonFinite inner = FindNonFinite(element);
      if (found.first < 0) found.first = inner.first;
      found.nan |= inner.nan;
      found.inf |= inner.inf;
    }
    return found;
  }
  const ElementType type = value.shape().element_type();
  if (!value.shape().IsArray() || (!IsFloat(type) && !IsComplex(type))) return found;
  for (int64_t i = FirstNonFinite(value, 0); i >= 0 && !(found.nan && found.inf); i = FirstNonFinite(value, i + 1)) {
    const Scalar s = LoadScalar(type, value.data() + i * StorageBytes(type));
    (s.IsNaN() ? found.nan : found.inf) = true;
    if (found.first < 0) found.first = i;
    if (i + 1 >= value.element_count()) break;
  }
  return found;
}

double MagnitudeOf(std::complex<double> x) {
  return std::isnan(x.real()) || std::isnan(x.imag()) ? std::numeric_limits<double>::quiet_NaN() : std::abs(x);
}

double ElementAsDouble(const Value& array, int64_t linear) {
  const ElementType type = array.shape().element_type();
  const Scalar s = LoadScalar(type, array.data() + linear * StorageBytes(type));
  if (IsFloat(type) || IsComplex(type)) return s.re;
  return IsUnsigned(type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
}

}  // namespace hloscope
