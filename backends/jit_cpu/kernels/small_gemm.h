// Products of small f32 matrices, without a library's overhead for a call: slices of the right operand stay in the first cache.
// Every element is its sum in order, each product added with one rounding: nothing depends on how rows and columns are cut.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_SMALL_GEMM_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_SMALL_GEMM_H_

#include <cstdint>

namespace hloscope {

// Whether this machine has what the function below is made of.
bool HasSmallGemm();
// Whether it is the best for B of k rows and n columns and A of m rows.
bool IsSmallGemm(int64_t m, int64_t n, int64_t k);
// Whether B, of k rows `b_row` elements apart, is worth packing first: its columns are not contiguous, or its rows share too few sets of the first
// cache.
bool PacksSmall(int64_t k, int64_t b_row, int64_t b_column);
// B for SmallGemm: k * n elements.
void PackSmall(int64_t k, int64_t n, const float* b, int64_t b_row, int64_t b_column, float* packed);
// C = A B; strides in elements, columns of C contiguous, and those of B; b_row 0: B is what PackSmall made of all n columns.
void SmallGemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_column, const float* b, int64_t b_row, float* c,
               int64_t c_row);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_SMALL_GEMM_H_
