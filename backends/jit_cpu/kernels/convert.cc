#include "backends/jit_cpu/kernels/convert.h"

#include <cstdint>
#include <cstring>

#include "core/base/clones.h"

namespace hloscope {
namespace {

constexpr int64_t kPiece = int64_t{64} << 10;

HLOSCOPE_INLINE float FromBits(uint32_t bits) {
  float f;
  std::memcpy(&f, &bits, sizeof(f));
  return f;
}

HLOSCOPE_INLINE uint32_t ToBits(float f) {
  uint32_t bits;
  std::memcpy(&bits, &f, sizeof(f));
  return bits;
}

float WidenHalf(uint16_t h) { return static_cast<float>(__builtin_bit_cast(_Float16, h)); }
uint16_t NarrowHalf(float f) { return __builtin_bit_cast(uint16_t, static_cast<_Float16>(f)); }

HLOSCOPE_INLINE uint16_t NarrowBrain(float f) {
  const uint32_t bits = ToBits(f);
  const uint32_t rounded = (bits + 0x7fff + (bits >> 16 & 1)) >> 16, nan = bits >> 16 | 0x40;
  return static_cast<uint16_t>((bits & 0x7fffffff) > 0x7f800000 ? nan : rounded);
}

HLOSCOPE_CLONES void WidenBrains(const uint16_t* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = FromBits(uint32_t{in[i]} << 16);
}
HLOSCOPE_CLONES void NarrowBrains(const float* in, uint16_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = NarrowBrain(in[i]);
}

#if defined(__x86_64__)
#define HLOSCOPE_F16C __attribute__((target("f16c,avx")))
#else
#define HLOSCOPE_F16C
#endif
HLOSCOPE_F16C void WidenHalves(const uint16_t* in, float* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = WidenHalf(in[i]);
}
HLOSCOPE_F16C void NarrowHalves(const float* in, uint16_t* out, int64_t n) {
  for (int64_t i = 0; i < n; ++i) out[i] = NarrowHalf(in[i]);
}

}  // namespace

void ConvertFloats(ElementType from, const std::byte* source, ElementType to, std::byte* target, int64_t count, ThreadPool& pool) {
  pool.ParallelFor(count, kPiece, [&](int64_t begin, int64_t end) {
    if (to == ElementType::kF32) {
      const uint16_t* in = reinterpret_cast<const uint16_t*>(source);
      float* out = reinterpret_cast<float*>(target);
      if (from == ElementType::kF16) return WidenHalves(in + begin, out + begin, end - begin);
      WidenBrains(in + begin, out + begin, end - begin);
    } else {
      const float* in = reinterpret_cast<const float*>(source);
      uint16_t* out = reinterpret_cast<uint16_t*>(target);
      if (to == ElementType::kF16) return NarrowHalves(in + begin, out + begin, end - begin);
      NarrowBrains(in + begin, out + begin, end - begin);
    }
  });
}

Value Widened(const Value& array, MemoryAccount* account, ThreadPool& pool) {
  const ElementType type = array.shape().element_type();
  if (type == ElementType::kF32) return array;
  Value wide = Value::Allocate(array.shape().WithElementType(ElementType::kF32), account);
  if (wide.has_value()) ConvertFloats(type, array.data(), ElementType::kF32, wide.mutable_data(), array.element_count(), pool);
  return wide;
}

}  // namespace hloscope
