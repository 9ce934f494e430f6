#include "backends/jit_cpu/kernels/small_gemm.h"

#include <algorithm>
#include <numeric>

#include "backends/jit_cpu/kernels/unroll.h"
#include "backends/jit_cpu/kernels/vectors.h"

namespace hloscope {

bool IsSmallGemm(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMostElements = 1 << 14;  // of B: it stays near while rows of A pass; beyond, packing pays
  constexpr int64_t kMostRows = 256;          // of B: 48 columns fit in the first level cache
  return HasSmallGemm() && m >= 16 && n >= 16 && k >= 4 && k <= kMostRows && n * k <= kMostElements;
}

#if defined(__x86_64__)
namespace {

// C of m rows and some columns, whose vectors in b stand at the slice's first column.
struct SmallOperands {
  int64_t k;
  const float* a;
  int64_t a_row, a_column;
  const float* b;
  int64_t b_row;
  float* c;
  int64_t c_row;
  bool adds = false;  // to what C is: the sums of the rows of B before these
};

// Rows of B at a time: a slice of them leaves room in the first cache.
constexpr int64_t kDeep = 128;

}  // namespace
}  // namespace hloscope

#define HLOSCOPE_VECTORS_BODY "backends/jit_cpu/kernels/small_gemm.inc"
#include "backends/jit_cpu/kernels/for_vectors.inc"

namespace hloscope {

bool HasSmallGemm() { return VectorSet() != 0; }

void SmallGemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_column, const float* b, int64_t b_row, float* c, int64_t c_row) {
  const auto best = VectorSet() == 512 ? avx512::SmallGemm : avx2::SmallGemm;
  best(m, n, k, a, a_row, a_column, b, b_row, c, c_row);
}

bool PacksSmall(int64_t k, int64_t b_row, int64_t b_column) {
  if (b_column != 1) return true;
  const bool wide = VectorSet() == 512;
  const int64_t line = 16, sets = 64, ways = wide ? 12 : 8;  // elements; of the first cache of 48 KiB, or of 32
  const int64_t most = wide ? avx512::kSlice / line : avx2::kSlice / line;
  const int64_t lines = std::min<int64_t>(most, (b_row + line - 1) / line), step = b_row % line == 0 ? std::gcd(b_row / line, sets) : 1;
  const int64_t met = sets / step * std::min(step, lines);
  return std::min(k, kDeep) * lines > met * (ways - 4);  // the others are for A and C
}

void PackSmall(int64_t k, int64_t n, const float* b, int64_t b_row, int64_t b_column, float* packed) {
  const auto best = VectorSet() == 512 ? avx512::PackSmall : avx2::PackSmall;
  best(k, n, b, b_row, b_column, packed);
}
#else
bool HasSmallGemm() { return false; }
bool PacksSmall(int64_t, int64_t, int64_t) { return false; }
void PackSmall(int64_t, int64_t, const float*, int64_t, int64_t, float*) {}
void SmallGemm(int64_t, int64_t, int64_t, const float*, int64_t, int64_t, const float*, int64_t, float*, int64_t) {}
#endif

}  // namespace hloscope
