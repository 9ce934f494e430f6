// Products of small f32 matrices, without a library's overhead for a call and without packing: the right operand stays in the caches as it lies.
// Every element is its sum in order, each product added with one rounding: nothing depends on how rows and columns are cut.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_SMALL_GEMM_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_SMALL_GEMM_H_

#include <cstdint>

namespace hloscope {

// Whether this machine has what the function below is made of.
bool HasSmallGemm();
// Whether it is the best for B of k rows and n columns and A of m rows.
bool IsSmallGemm(int64_t m, int64_t n, int64_t k);
// C = A B; strides in elements, columns of B and C contiguous.
void SmallGemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_column, const float* b, int64_t b_row, float* c,
               int64_t c_row);
// dense[k, n] = b[k + n * b_column].
void TransposeSmall(int64_t k, int64_t n, const float* b, int64_t b_column, float* dense);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_SMALL_GEMM_H_
