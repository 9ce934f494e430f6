// Elements as C++ numbers for the operations that run native code over whole values.
// Not for element programs: those are typed and rounded by the expression language.
#ifndef HLOSCOPE_CORE_OPS_TYPED_H_
#define HLOSCOPE_CORE_OPS_TYPED_H_

#include <complex>
#include <cstring>
#include <vector>

#include "core/literal/float_bits.h"
#include "core/literal/scalar.h"
#include "core/literal/value.h"

namespace hloscope {

// Exact; keeps the sign and payload of NaNs for f64, f32 and bf16.
inline double LoadFloatAt(ElementType type, const std::byte* data, int64_t i) {
  switch (type) {
    case ElementType::kF64: return reinterpret_cast<const double*>(data)[i];
    case ElementType::kF32: return Widen(reinterpret_cast<const float*>(data)[i]);
    case ElementType::kBF16: {
      const uint32_t bits = static_cast<uint32_t>(reinterpret_cast<const uint16_t*>(data)[i]) << 16;
      float f;
      std::memcpy(&f, &bits, 4);
      return Widen(f);
    }
    case ElementType::kF16: return DecodeFloat(type, reinterpret_cast<const uint16_t*>(data)[i]);
    default: return DecodeFloat(type, static_cast<uint8_t>(data[i]));
  }
}

// Rounds to nearest even.
inline void StoreFloatAt(ElementType type, std::byte* data, int64_t i, double v) {
  switch (type) {
    case ElementType::kF64: reinterpret_cast<double*>(data)[i] = v; return;
    case ElementType::kF32: reinterpret_cast<float*>(data)[i] = Narrow(v); return;
    case ElementType::kBF16:
    case ElementType::kF16: reinterpret_cast<uint16_t*>(data)[i] = static_cast<uint16_t>(EncodeFloat(type, v)); return;
    default: data[i] = static_cast<std::byte>(EncodeFloat(type, v)); return;
  }
}

// Pred, signed and unsigned (as the same 64 bits).
inline int64_t LoadIntAt(ElementType type, const std::byte* data, int64_t i) {
  const bool s = IsSigned(type);
  switch (StorageBytes(type)) {
    case 8: return reinterpret_cast<const int64_t*>(data)[i];
    case 4: return s ? int64_t{reinterpret_cast<const int32_t*>(data)[i]} : int64_t{reinterpret_cast<const uint32_t*>(data)[i]};
    case 2: return s ? int64_t{reinterpret_cast<const int16_t*>(data)[i]} : int64_t{reinterpret_cast<const uint16_t*>(data)[i]};
    default:
      if (BitWidth(type) < 8) return LoadScalar(type, data + i).i;
      return s ? int64_t{reinterpret_cast<const int8_t*>(data)[i]} : int64_t{reinterpret_cast<const uint8_t*>(data)[i]};
  }
}

inline std::complex<double> LoadComplexAt(ElementType type, const std::byte* data, int64_t i) {
  if (type == ElementType::kC64) return std::complex<double>(reinterpret_cast<const std::complex<float>*>(data)[i]);
  if (type == ElementType::kC128) return reinterpret_cast<const std::complex<double>*>(data)[i];
  return LoadFloatAt(type, data, i);
}
inline void StoreComplexAt(ElementType type, std::byte* data, int64_t i, std::complex<double> v) {
  if (type == ElementType::kC64) {
    reinterpret_cast<std::complex<float>*>(data)[i] = std::complex<float>(static_cast<float>(v.real()), static_cast<float>(v.imag()));
  } else if (type == ElementType::kC128) {
    reinterpret_cast<std::complex<double>*>(data)[i] = v;
  } else {
    StoreFloatAt(type, data, i, v.real());
  }
}

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_OPS_TYPED_H_
