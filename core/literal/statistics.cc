#include "core/literal/statistics.h"

#include <cmath>
#include <complex>
#include <cstring>

#include "core/literal/scalar.h"

namespace hloscope {
namespace {

double Bf16(uint16_t bits) {
  const uint32_t wide = static_cast<uint32_t>(bits) << 16;
  float f;
  std::memcpy(&f, &wide, 4);
  return f;
}

// Calls visit(double) for every element in order; visit returns false to stop.
template <typename Visit>
void ForEach(const Value& array, Visit visit) {
  const ElementType type = array.shape().element_type();
  const int64_t n = array.element_count();
  const auto over = [&](const auto* data, auto convert) {
    for (int64_t i = 0; i < n; ++i) {
      if (!visit(convert(data[i]))) return;
    }
  };
  const auto plain = [](auto x) { return static_cast<double>(x); };
  switch (type) {
    case ElementType::kF32: return over(array.as<float>(), plain);
    case ElementType::kF64: return over(array.as<double>(), plain);
    case ElementType::kBF16: return over(array.as<uint16_t>(), Bf16);
    case ElementType::kC64: return over(array.as<std::complex<float>>(), [](std::complex<float> x) { return std::abs(std::complex<double>(x)); });
    case ElementType::kC128: return over(array.as<std::complex<double>>(), [](std::complex<double> x) { return std::abs(x); });
    default: break;
  }
  const int bytes = StorageBytes(type);
  const bool is_float = IsFloat(type), is_unsigned = IsUnsigned(type);
  for (int64_t i = 0; i < n; ++i) {
    const Scalar s = LoadScalar(type, array.data() + i * bytes);
    if (!visit(is_float ? s.re : is_unsigned ? static_cast<double>(s.u()) : static_cast<double>(s.i))) return;
  }
}

}  // namespace

Statistics Summarize(const Value& array) {
  Statistics s;
  if (!array.has_value() || !array.shape().IsArray()) return s;
  double sum = 0, chunk = 0;
  int64_t in_chunk = 0;
  ForEach(array, [&](double x) {
    ++s.count;
    if (std::isnan(x)) {
      ++s.nan;
    } else if (std::isinf(x)) {
      ++s.inf;
    } else {
      if (s.finite == 0 || x < s.min) s.min = x;
      if (s.finite == 0 || x > s.max) s.max = x;
      ++s.finite;
      s.zeros += x == 0;
      chunk += x;
      if (++in_chunk == 4096) {  // two levels, so that long sums keep their digits
        sum += chunk;
        chunk = 0;
        in_chunk = 0;
      }
    }
    return true;
  });
  if (s.finite > 0) s.mean = (sum + chunk) / static_cast<double>(s.finite);
  return s;
}

NonFinite FindNonFinite(const Value& value) {
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
  int64_t i = 0;
  ForEach(value, [&](double x) {
    if (!std::isfinite(x)) {
      (std::isnan(x) ? found.nan : found.inf) = true;
      if (found.first < 0) found.first = i;
    }
    ++i;
    return !(found.nan && found.inf);
  });
  return found;
}

double ElementAsDouble(const Value& array, int64_t linear) {
  const ElementType type = array.shape().element_type();
  const Scalar s = LoadScalar(type, array.data() + linear * StorageBytes(type));
  if (IsFloat(type) || IsComplex(type)) return s.re;
  return IsUnsigned(type) ? static_cast<double>(s.u()) : static_cast<double>(s.i);
}

}  // namespace hloscope
