#include "backends/jit_cpu/kernels/small_gemm.h"

#include <algorithm>
#include <numeric>

#include "backends/jit_cpu/kernels/unroll.h"
#include "core/base/clones.h"
#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace hloscope {

bool IsSmallGemm(int64_t m, int64_t n, int64_t k) {
  constexpr int64_t kMostElements = 1 << 14;  // of B: it stays near while rows of A pass; beyond, packing pays
  constexpr int64_t kMostRows = 256;          // of B: 48 columns fit in the first level cache
  return HasSmallGemm() && m >= 16 && n >= 16 && k >= 4 && k <= kMostRows && n * k <= kMostElements;
}

#if defined(__x86_64__)
#define HLOSCOPE_AVX512 __attribute__((target("avx512f")))

bool HasSmallGemm() {
  static const bool has = __builtin_cpu_supports("avx512f");
  return has;
}

namespace {

struct Operands {
  int64_t k;
  const float* a;
  int64_t a_row, a_column;
  const float* b;
  int64_t b_row;
  float* c;
  int64_t c_row;
  bool adds = false;  // to what C is: the sums of the rows of B before these
};

// Columns that go through the registers together, from one on which `left` are left.
int64_t SliceWidth(int64_t left) { return left <= 64 || left >= 128 || left % 64 == 0 ? std::min<int64_t>(left, 64) : 48; }

// Rows of B at a time: 64 columns of them leave room in the first cache.
constexpr int64_t kDeep = 128;

// kWhole: all vectors are full.
template <int kRows, int kVectors, bool kWhole>
HLOSCOPE_AVX512 HLOSCOPE_INLINE void Block(const Operands& o, int64_t row, int64_t column, __mmask16 last) {
  const float* a = o.a + row * o.a_row;
  const float* b = o.b + column;
  float* c = o.c + row * o.c_row + column;
  __m512 sums[kRows][kVectors];
  HLOSCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
    HLOSCOPE_UNROLL for (int v = 0; v < kVectors; ++v) {
      const __mmask16 lanes = kWhole || v + 1 < kVectors ? 0xffff : last;
      sums[r][v] = o.adds ? _mm512_maskz_loadu_ps(lanes, c + r * o.c_row + 16 * v) : _mm512_setzero_ps();
    }
  }
  for (int64_t i = 0; i < o.k; ++i, a += o.a_column, b += o.b_row) {
    // The rows after these: each is too short for the processor to see where it goes on.
    if (i % 16 == 0) {
      HLOSCOPE_UNROLL for (int r = 0; r < kRows; ++r) _mm_prefetch(reinterpret_cast<const char*>(a + (kRows + r) * o.a_row), _MM_HINT_T0);
    }
    __m512 in[kVectors];
    HLOSCOPE_UNROLL for (int v = 0; v < kVectors; ++v) in[v] = kWhole || v + 1 < kVectors ? _mm512_loadu_ps(b + 16 * v) : _mm512_maskz_loadu_ps(last, b + 16 * v);
    HLOSCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
      const __m512 x = _mm512_set1_ps(a[r * o.a_row]);
      HLOSCOPE_UNROLL for (int v = 0; v < kVectors; ++v) sums[r][v] = _mm512_fmadd_ps(x, in[v], sums[r][v]);
    }
  }
  HLOSCOPE_UNROLL for (int r = 0; r < kRows; ++r) {
    HLOSCOPE_UNROLL for (int v = 0; v < kVectors; ++v) {
      if (kWhole || v + 1 < kVectors) _mm512_storeu_ps(c + r * o.c_row + 16 * v, sums[r][v]);
      else _mm512_mask_storeu_ps(c + r * o.c_row + 16 * v, last, sums[r][v]);
    }
  }
}

// How many of the rows that are left go next: as many as there are registers for, and no few at the end, which would wait for their sums.
template <int kMost>
int64_t NextRows(int64_t left) {
  if (left < kMost) return left;
  const int64_t after = left - kMost;
  return after == 0 || after >= 4 ? kMost : (left + 1) / 2;
}

// Rows row..m of some columns.
template <int kVectors, bool kWhole>
HLOSCOPE_AVX512 __attribute__((noinline)) void Columns(const Operands& o, int64_t row, int64_t m, int64_t column, __mmask16 last) {
  constexpr int kMost = kVectors == 4 ? 6 : 8;  // as many sums as there are registers
  for (int64_t rows; row < m; row += rows) {
    rows = NextRows<kMost>(m - row);
    switch (rows) {
      case 8: Block<kMost, kVectors, kWhole>(o, row, column, last); break;
      case 7: Block<kMost == 8 ? 7 : 1, kVectors, kWhole>(o, row, column, last); break;
      case 6: Block<6, kVectors, kWhole>(o, row, column, last); break;
      case 5: Block<5, kVectors, kWhole>(o, row, column, last); break;
      case 4: Block<4, kVectors, kWhole>(o, row, column, last); break;
      case 3: Block<3, kVectors, kWhole>(o, row, column, last); break;
      case 2: Block<2, kVectors, kWhole>(o, row, column, last); break;
      default: Block<1, kVectors, kWhole>(o, row, column, last), rows = 1; break;
    }
  }
}

template <int kVectors>
void Columns(const Operands& o, int64_t row, int64_t m, int64_t column, __mmask16 last) {
  if (last == 0xffff) Columns<kVectors, true>(o, row, m, column, last);
  else Columns<kVectors, false>(o, row, m, column, last);
}

// packed[i, j] = b[i * b_row + j * b_column].
HLOSCOPE_AVX512 void TransposeSlice(int64_t k, int64_t n, const float* b, int64_t b_row, int64_t b_column, float* packed) {
  for (int64_t column = 0; column < n; column += 16) {
    const int64_t left = n - column;
    if (left < 16 || b_column > (1 << 26)) {
      for (int64_t j = column; j < std::min(n, column + 16); ++j) {
        for (int64_t i = 0; i < k; ++i) packed[i * n + j] = b[j * b_column + i * b_row];
      }
      continue;
    }
    alignas(64) int32_t steps[16];
    for (int j = 0; j < 16; ++j) steps[j] = static_cast<int32_t>(j * b_column);
    const __m512i offsets = _mm512_load_si512(steps);
    for (int64_t i = 0; i < k; ++i) _mm512_storeu_ps(packed + i * n + column, _mm512_i32gather_ps(offsets, b + column * b_column + i * b_row, 4));
  }
}

}  // namespace

void SmallGemm(int64_t m, int64_t n, int64_t k, const float* a, int64_t a_row, int64_t a_column, const float* b, int64_t b_row, float* c, int64_t c_row) {
  for (int64_t column = 0, width; column < n; column += width) {
    width = SliceWidth(n - column);
    const float* slice = b_row == 0 ? b + column * k : b + column;
    const int64_t slice_row = b_row == 0 ? width : b_row;
    const __mmask16 last = width % 16 == 0 ? 0xffff : static_cast<__mmask16>((1 << width % 16) - 1);
    for (int64_t i = 0; i < k; i += kDeep) {
      const Operands o{std::min(kDeep, k - i), a + i * a_column, a_row, a_column, slice + i * slice_row, slice_row, c + column, c_row, i > 0};
      switch ((width + 15) / 16) {
        case 4: Columns<4>(o, 0, m, 0, last); break;
        case 3: Columns<3>(o, 0, m, 0, last); break;
        case 2: Columns<2>(o, 0, m, 0, last); break;
        default: Columns<1>(o, 0, m, 0, last); break;
      }
    }
  }
}

bool PacksSmall(int64_t k, int64_t b_row, int64_t b_column) {
  if (b_column != 1) return true;
  constexpr int64_t kLine = 16, kSets = 64, kWays = 12;  // elements; of the first cache of 48 KiB
  const int64_t lines = std::min<int64_t>(4, (b_row + kLine - 1) / kLine), step = b_row % kLine == 0 ? std::gcd(b_row / kLine, kSets) : 1;
  const int64_t sets = kSets / step * std::min(step, lines);
  return std::min(k, kDeep) * lines > sets * (kWays - 4);  // the others are for A and C
}

HLOSCOPE_AVX512 void PackSmall(int64_t k, int64_t n, const float* b, int64_t b_row, int64_t b_column, float* packed) {
  for (int64_t column = 0, width; column < n; column += width, packed += width * k) {
    width = SliceWidth(n - column);
    for (int64_t i = 0; b_column == 1 && i < k; ++i) std::copy_n(b + column + i * b_row, width, packed + i * width);
    if (b_column != 1) TransposeSlice(k, width, b + column * b_column, b_row, b_column, packed);
  }
}
#else
bool HasSmallGemm() { return false; }
bool PacksSmall(int64_t, int64_t, int64_t) { return false; }
void PackSmall(int64_t, int64_t, const float*, int64_t, int64_t, float*) {}
void SmallGemm(int64_t, int64_t, int64_t, const float*, int64_t, int64_t, const float*, int64_t, float*, int64_t) {}
#endif

}  // namespace hloscope
