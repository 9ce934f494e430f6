// Vectors of f32 for kernels that are written once and compiled for AVX-512 and for AVX2 with FMA. The body of such a kernel is a file of its own,
// NAME.inc, that its NAME.cc includes once for each set of instructions:
//   #define HLOSCOPE_VECTORS_BODY "NAME.inc"
//   #include "backends/jit_cpu/kernels/for_vectors.inc"
// The body opens the namespace HLOSCOPE_VECTORS (and one without a name in it), marks its functions HLOSCOPE_VECTOR and finds what is below there.
// Every operation rounds once, so both give the same bits where the body does not let its order depend on kLanes.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_VECTORS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_VECTORS_H_

#include "core/base/vector_set.h"

#if defined(__x86_64__)
#include <immintrin.h>

#include <cstdint>

#include "core/base/clones.h"

#define HLOSCOPE_VECTOR_avx512 __attribute__((target("avx512f")))
#define HLOSCOPE_VECTOR_avx2 __attribute__((target("avx2,fma")))
#define HLOSCOPE_VECTOR_OF(set) HLOSCOPE_VECTOR_##set
#define HLOSCOPE_VECTOR_OF_NAMED(set) HLOSCOPE_VECTOR_OF(set)
#define HLOSCOPE_VECTOR HLOSCOPE_VECTOR_OF_NAMED(HLOSCOPE_VECTORS)

namespace hloscope {

#define HLOSCOPE_VECTOR_INLINE HLOSCOPE_VECTOR HLOSCOPE_INLINE

namespace avx512 {
#define HLOSCOPE_VECTORS avx512
constexpr int64_t kLanes = 16;
constexpr int kRegisters = 32;
using V = __m512;
using Mask = __mmask16;
using Offsets = __m512i;

HLOSCOPE_VECTOR_INLINE Mask FirstLanes(int64_t count) { return static_cast<Mask>(count >= kLanes ? 0xffff : count <= 0 ? 0 : (1 << count) - 1); }
HLOSCOPE_VECTOR_INLINE V Zero() { return _mm512_setzero_ps(); }
HLOSCOPE_VECTOR_INLINE V Splat(float x) { return _mm512_set1_ps(x); }
HLOSCOPE_VECTOR_INLINE V Fma(V a, V b, V c) { return _mm512_fmadd_ps(a, b, c); }
HLOSCOPE_VECTOR_INLINE V Load(const float* from) { return _mm512_loadu_ps(from); }
HLOSCOPE_VECTOR_INLINE V Load(const float* from, Mask lanes) { return _mm512_maskz_loadu_ps(lanes, from); }
HLOSCOPE_VECTOR_INLINE void Store(float* to, V v) { _mm512_storeu_ps(to, v); }
HLOSCOPE_VECTOR_INLINE void Store(float* to, V v, Mask lanes) { _mm512_mask_storeu_ps(to, lanes, v); }
// Elements 0, step, 2 * step ...
HLOSCOPE_VECTOR_INLINE Offsets Steps(int32_t step) {
  return _mm512_mullo_epi32(_mm512_set1_epi32(step), _mm512_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15));
}
HLOSCOPE_VECTOR_INLINE V Gather(const float* from, Offsets offsets) { return _mm512_i32gather_ps(offsets, from, 4); }
#undef HLOSCOPE_VECTORS
}  // namespace avx512

namespace avx2 {
#define HLOSCOPE_VECTORS avx2
constexpr int64_t kLanes = 8;
constexpr int kRegisters = 16;
using V = __m256;
using Mask = __m256i;
using Offsets = __m256i;

HLOSCOPE_VECTOR_INLINE Mask FirstLanes(int64_t count) {
  return _mm256_cmpgt_epi32(_mm256_set1_epi32(static_cast<int>(count)), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7));
}
HLOSCOPE_VECTOR_INLINE V Zero() { return _mm256_setzero_ps(); }
HLOSCOPE_VECTOR_INLINE V Splat(float x) { return _mm256_set1_ps(x); }
HLOSCOPE_VECTOR_INLINE V Fma(V a, V b, V c) { return _mm256_fmadd_ps(a, b, c); }
HLOSCOPE_VECTOR_INLINE V Load(const float* from) { return _mm256_loadu_ps(from); }
HLOSCOPE_VECTOR_INLINE V Load(const float* from, Mask lanes) { return _mm256_maskload_ps(from, lanes); }
HLOSCOPE_VECTOR_INLINE void Store(float* to, V v) { _mm256_storeu_ps(to, v); }
HLOSCOPE_VECTOR_INLINE void Store(float* to, V v, Mask lanes) { _mm256_maskstore_ps(to, lanes, v); }
HLOSCOPE_VECTOR_INLINE Offsets Steps(int32_t step) { return _mm256_mullo_epi32(_mm256_set1_epi32(step), _mm256_setr_epi32(0, 1, 2, 3, 4, 5, 6, 7)); }
HLOSCOPE_VECTOR_INLINE V Gather(const float* from, Offsets offsets) { return _mm256_i32gather_ps(from, offsets, 4); }
#undef HLOSCOPE_VECTORS
}  // namespace avx2

}  // namespace hloscope
#endif  // __x86_64__

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_VECTORS_H_
