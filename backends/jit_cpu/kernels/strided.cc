// Strided copies: rows where memory runs along, square tiles where it turns.
#include <algorithm>
#include <cstdint>
#include <cstring>
#include <vector>

#include "backends/jit_cpu/kernels/rows.h"
#include "backends/jit_cpu/kernels/vectors.h"

#if defined(__x86_64__)
#pragma GCC diagnostic ignored "-Wuninitialized"  // of GCC 12 about its own intrinsics
#include <immintrin.h>
#endif

namespace hloscope {
namespace {

constexpr int64_t kStreamBytes = int64_t{16} << 20;  // non-temporal stores pay from here on
constexpr int64_t kPieceBytes = int64_t{128} << 10;  // of target, handed to a thread at a time

struct Dimension {
  int64_t extent, source, target;
};

// Drops dimensions of 1 and joins neighbours that step evenly on both sides.
std::vector<Dimension> Normalise(absl::Span<const int64_t> extents, absl::Span<const int64_t> source, absl::Span<const int64_t> target) {
  std::vector<Dimension> dims;
  for (size_t d = 0; d < extents.size(); ++d) {
    if (extents[d] == 1) continue;
    if (!dims.empty() && dims.back().source == source[d] * extents[d] && dims.back().target == target[d] * extents[d]) {
      dims.back() = {dims.back().extent * extents[d], source[d], target[d]};
    } else {
      dims.push_back({extents[d], source[d], target[d]});
    }
  }
  return dims;
}

struct Bytes16 {
  uint64_t a, b;
};

template <typename T>
void Line(const T* source, int64_t source_stride, T* target, int64_t target_stride, int64_t n) {
  if (source_stride == 1 && target_stride == 1) {
    std::memcpy(target, source, n * sizeof(T));
  } else if (target_stride == 1) {
    for (int64_t i = 0; i < n; ++i) target[i] = source[i * source_stride];
  } else {
    for (int64_t i = 0; i < n; ++i) target[i * target_stride] = source[i * source_stride];
  }
}

// rows x columns, where the target runs along columns and the source along rows.
template <typename T>
void Turn(const T* source, int64_t source_column, T* target, int64_t target_row, int64_t rows, int64_t columns) {
  constexpr int64_t kTile = 16;
  for (int64_t r = 0; r < rows; r += kTile) {
    const int64_t re = std::min(rows, r + kTile);
    for (int64_t c = 0; c < columns; c += kTile) {
      const int64_t ce = std::min(columns, c + kTile);
      if (re - r == kTile && ce - c == kTile) {
        for (int64_t i = 0; i < kTile; ++i) {
          for (int64_t j = 0; j < kTile; ++j) target[(r + i) * target_row + c + j] = source[r + i + (c + j) * source_column];
        }
      } else {
        for (int64_t i = r; i < re; ++i) {
          for (int64_t j = c; j < ce; ++j) target[i * target_row + j] = source[i + j * source_column];
        }
      }
    }
  }
}

#if defined(__x86_64__)
// A tile of 16 x 16 words through registers: 128-bit pieces are gathered so that only two steps of shuffles remain. For what is near: each line is
// read four times.
__attribute__((target("avx512f"))) void TurnNearTile(const float* source, int64_t source_column, float* target, int64_t target_row) {
  for (int quarter = 0; quarter < 4; ++quarter) {
    // Rows 4 * quarter .. + 3 of the target: four words of each of the sixteen columns.
    const float* at = source + 4 * quarter;
    __m512 v[4];
    for (int i = 0; i < 4; ++i) {
      __m512 x = _mm512_castps128_ps512(_mm_loadu_ps(at + i * source_column));
      x = _mm512_insertf32x4(x, _mm_loadu_ps(at + (4 + i) * source_column), 1);
      x = _mm512_insertf32x4(x, _mm_loadu_ps(at + (8 + i) * source_column), 2);
      v[i] = _mm512_insertf32x4(x, _mm_loadu_ps(at + (12 + i) * source_column), 3);
    }
    const __m512 a = _mm512_unpacklo_ps(v[0], v[1]), b = _mm512_unpackhi_ps(v[0], v[1]);
    const __m512 c = _mm512_unpacklo_ps(v[2], v[3]), d = _mm512_unpackhi_ps(v[2], v[3]);
    const __m512 rows[4] = {_mm512_shuffle_ps(a, c, 0x44), _mm512_shuffle_ps(a, c, 0xee), _mm512_shuffle_ps(b, d, 0x44),
                            _mm512_shuffle_ps(b, d, 0xee)};
    for (int i = 0; i < 4; ++i) _mm512_storeu_ps(target + (4 * quarter + i) * target_row, rows[i]);
  }
}

// The same for what is far: each line is read once, since sixteen lines that are a power of two apart do not stay in the first cache together, and
// written past the caches. Twice the shuffles, which memory has time for.
__attribute__((target("avx512f"))) void TurnFarTile(const float* source, int64_t source_column, float* target, int64_t target_row) {
  __m512 a[16], b[16];
  for (int i = 0; i < 16; i += 2) {
    const __m512 even = _mm512_loadu_ps(source + i * source_column), odd = _mm512_loadu_ps(source + (i + 1) * source_column);
    a[i] = _mm512_unpacklo_ps(even, odd);
    a[i + 1] = _mm512_unpackhi_ps(even, odd);
  }
  // Row k of every 128-bit piece, of four columns.
  for (int i = 0; i < 16; i += 4) {
    b[i] = _mm512_shuffle_ps(a[i], a[i + 2], 0x44);
    b[i + 1] = _mm512_shuffle_ps(a[i], a[i + 2], 0xee);
    b[i + 2] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0x44);
    b[i + 3] = _mm512_shuffle_ps(a[i + 1], a[i + 3], 0xee);
  }
  for (int k = 0; k < 4; ++k) {
    // Pieces 0 and 2, and 1 and 3, of eight columns; then one piece of all sixteen.
    const __m512 even[2] = {_mm512_shuffle_f32x4(b[k], b[4 + k], 0x88), _mm512_shuffle_f32x4(b[8 + k], b[12 + k], 0x88)};
    const __m512 odd[2] = {_mm512_shuffle_f32x4(b[k], b[4 + k], 0xdd), _mm512_shuffle_f32x4(b[8 + k], b[12 + k], 0xdd)};
    _mm512_stream_ps(target + k * target_row, _mm512_shuffle_f32x4(even[0], even[1], 0x88));
    _mm512_stream_ps(target + (4 + k) * target_row, _mm512_shuffle_f32x4(odd[0], odd[1], 0x88));
    _mm512_stream_ps(target + (8 + k) * target_row, _mm512_shuffle_f32x4(even[0], even[1], 0xdd));
    _mm512_stream_ps(target + (12 + k) * target_row, _mm512_shuffle_f32x4(odd[0], odd[1], 0xdd));
  }
}

// The same for AVX2, 8 x 8: rows of the target from columns of the source, 128-bit pieces of two columns that are four apart in one register.
__attribute__((target("avx2"))) inline void TurnEightWords(const float* source, int64_t source_column, float* target, int64_t target_row) {
  for (int half = 0; half < 2; ++half) {
    __m256 v[4];
    for (int i = 0; i < 4; ++i) {
      const float* at = source + 4 * half + i * source_column;
      v[i] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_loadu_ps(at)), _mm_loadu_ps(at + 4 * source_column), 1);
    }
    const __m256 a = _mm256_unpacklo_ps(v[0], v[1]), b = _mm256_unpackhi_ps(v[0], v[1]);
    const __m256 c = _mm256_unpacklo_ps(v[2], v[3]), d = _mm256_unpackhi_ps(v[2], v[3]);
    const __m256 rows[4] = {_mm256_shuffle_ps(a, c, 0x44), _mm256_shuffle_ps(a, c, 0xee), _mm256_shuffle_ps(b, d, 0x44), _mm256_shuffle_ps(b, d, 0xee)};
    for (int i = 0; i < 4; ++i) _mm256_storeu_ps(target + (4 * half + i) * target_row, rows[i]);
  }
}

__attribute__((target("avx2"))) void TurnNearTile256(const float* source, int64_t source_column, float* target, int64_t target_row) {
  for (int r = 0; r < 16; r += 8) {
    for (int c = 0; c < 16; c += 8) TurnEightWords(source + r + c * source_column, source_column, target + r * target_row + c, target_row);
  }
}

// Far lines are read once, eight of them together, and written whole, through a small buffer.
__attribute__((target("avx2"))) void TurnFarTile256(const float* source, int64_t source_column, float* target, int64_t target_row) {
  alignas(64) float tile[16 * 16];
  for (int c = 0; c < 16; c += 8) {
    for (int r = 0; r < 16; r += 8) TurnEightWords(source + r + c * source_column, source_column, tile + r * 16 + c, 16);
  }
  for (int r = 0; r < 16; ++r) {
    _mm256_stream_ps(target + r * target_row, _mm256_load_ps(tile + r * 16));
    _mm256_stream_ps(target + r * target_row + 8, _mm256_load_ps(tile + r * 16 + 8));
  }
}

using Tile = void (*)(const float* source, int64_t source_column, float* target, int64_t target_row);

template <bool kStream, Tile kTile>
void TurnStrip(const float* source, int64_t source_column, float* target, int64_t target_row, int64_t rows, int64_t columns) {
  constexpr int64_t kAhead = kStream ? 64 : 32;
  int64_t c = 0;
  for (; c + 16 <= columns; c += 16) {
    // The source's lines of some tiles ahead; rows innermost, so each line that is fetched is used up at once.
    for (int64_t ahead = c + kAhead; ahead < std::min(columns, c + kAhead + 16); ++ahead) {
      for (int64_t r = 0; r < rows; r += 16) {
        _mm_prefetch(reinterpret_cast<const char*>(source + r + ahead * source_column), kStream ? _MM_HINT_T1 : _MM_HINT_T0);
      }
    }
    int64_t r = 0;
    for (; r + 16 <= rows; r += 16) {
      kTile(source + r + c * source_column, source_column, target + r * target_row + c, target_row);
    }
    for (; r < rows; ++r) {
      for (int64_t j = c; j < c + 16; ++j) target[r * target_row + j] = source[r + j * source_column];
    }
  }
  for (; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) target[r * target_row + c] = source[r + c * source_column];
  }
  if (kStream) _mm_sfence();
}

// 8 x 8 halfwords: rows of the target from columns of the source.
inline void TurnEight(const uint16_t* source, int64_t source_column, uint16_t* target, int64_t target_row) {
  __m128i v[8], a[8], b[8];
  for (int i = 0; i < 8; ++i) v[i] = _mm_loadu_si128(reinterpret_cast<const __m128i*>(source + i * source_column));
  for (int i = 0; i < 4; ++i) {
    a[2 * i] = _mm_unpacklo_epi16(v[2 * i], v[2 * i + 1]);
    a[2 * i + 1] = _mm_unpackhi_epi16(v[2 * i], v[2 * i + 1]);
  }
  for (int h = 0; h < 2; ++h) {
    for (int q = 0; q < 2; ++q) {
      b[4 * h + 2 * q] = _mm_unpacklo_epi32(a[4 * h + q], a[4 * h + 2 + q]);
      b[4 * h + 2 * q + 1] = _mm_unpackhi_epi32(a[4 * h + q], a[4 * h + 2 + q]);
    }
  }
  for (int i = 0; i < 4; ++i) {
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + 2 * i * target_row), _mm_unpacklo_epi64(b[i], b[4 + i]));
    _mm_storeu_si128(reinterpret_cast<__m128i*>(target + (2 * i + 1) * target_row), _mm_unpackhi_epi64(b[i], b[4 + i]));
  }
}

// Tiles of 32 columns, so that every target line is written whole; through a small buffer, since 8 x 8 blocks write quarters of lines.
void TurnStrip16(const uint16_t* source, int64_t source_column, uint16_t* target, int64_t target_row, int64_t rows, int64_t columns,
                 bool stream) {
  alignas(64) uint16_t tile[32 * 32];
  const int64_t whole = rows / 8 * 8;
  int64_t c = 0;
  for (; c + 32 <= columns; c += 32) {
    for (int64_t ahead = c + 32; ahead < std::min(columns, c + 64); ++ahead)
      _mm_prefetch(reinterpret_cast<const char*>(source + ahead * source_column), _MM_HINT_T0);
    for (int64_t r = 0; r < whole; r += 8) {
      for (int64_t j = 0; j < 32; j += 8) TurnEight(source + r + (c + j) * source_column, source_column, tile + r * 32 + j, 32);
    }
    for (int64_t r = 0; r < whole; ++r) {
      const __m128i* from = reinterpret_cast<const __m128i*>(tile + r * 32);
      __m128i* to = reinterpret_cast<__m128i*>(target + r * target_row + c);
      for (int q = 0; q < 4; ++q) {
        if (stream) {
          _mm_stream_si128(to + q, _mm_load_si128(from + q));
        } else {
          _mm_storeu_si128(to + q, _mm_load_si128(from + q));
        }
      }
    }
    for (int64_t r = whole; r < rows; ++r) {
      for (int64_t j = c; j < c + 32; ++j) target[r * target_row + j] = source[r + j * source_column];
    }
  }
  for (; c < columns; ++c) {
    for (int64_t r = 0; r < rows; ++r) target[r * target_row + c] = source[r + c * source_column];
  }
  if (stream) _mm_sfence();
}
#endif

// One strip; `stream`: the target is so large that its lines should not pass through the caches.
template <typename T>
void TurnAny(const T* source, int64_t source_column, T* target, int64_t target_row, int64_t rows, int64_t columns, bool stream) {
#if defined(__x86_64__)
  if constexpr (sizeof(T) == 4) {
    const float* from = reinterpret_cast<const float*>(source);
    float* to = reinterpret_cast<float*>(target);
    const bool past = stream && reinterpret_cast<uintptr_t>(target) % 64 == 0 && target_row % 16 == 0;  // the caches
    const auto turn = [&](auto strip) { strip(from, source_column, to, target_row, rows, columns); };
    if (VectorSet() == 512) return past ? turn(TurnStrip<true, TurnFarTile>) : turn(TurnStrip<false, TurnNearTile>);
    if (VectorSet() == 256) return past ? turn(TurnStrip<true, TurnFarTile256>) : turn(TurnStrip<false, TurnNearTile256>);
  }
  if constexpr (sizeof(T) == 2) {
    const bool aligned = reinterpret_cast<uintptr_t>(target) % 64 == 0 && target_row % 32 == 0;
    return TurnStrip16(reinterpret_cast<const uint16_t*>(source), source_column, reinterpret_cast<uint16_t*>(target), target_row, rows,
                       columns, stream && aligned);
  }
#endif
  Turn(source, source_column, target, target_row, rows, columns);
}

template <typename T>
void Copy(const T* source, T* target, std::vector<Dimension> dims, ThreadPool& pool) {
  if (dims.empty()) dims.push_back({1, 1, 1});
  const Dimension inner = dims.back();
  dims.pop_back();
  // A dimension along which the source is contiguous while the target's runs along the innermost one: copy in tiles.
  int turn = -1;
  if (inner.source != 1 && inner.target == 1 && inner.extent >= 4) {
    for (size_t d = 0; d < dims.size(); ++d) {
      if (dims[d].source == 1 && dims[d].extent >= 4) turn = static_cast<int>(d);
    }
  }
  Dimension rows{1, 0, 0};
  if (turn >= 0) {
    rows = dims[turn];
    dims.erase(dims.begin() + turn);
  }
  int64_t count = 1;
  for (const Dimension& d : dims) count *= d.extent;
  const bool stream = turn >= 0 && count * inner.extent * rows.extent * static_cast<int64_t>(sizeof(T)) >= kStreamBytes;
  const int64_t strip_rows = stream && sizeof(T) == 4 ? 64 : 32;
  const int64_t strips = turn >= 0 ? (rows.extent + strip_rows - 1) / strip_rows : 1;
  count *= strips;
  const int64_t piece = inner.extent * (turn >= 0 ? std::min(strip_rows, rows.extent) : 1) * static_cast<int64_t>(sizeof(T));
  pool.ParallelFor(count, std::max<int64_t>(1, kPieceBytes / std::max<int64_t>(1, piece)), [&](int64_t begin, int64_t end) {
    for (int64_t i = begin; i < end; ++i) {
      const int64_t strip = i % strips;
      int64_t rest = i / strips, from = 0, to = 0;
      for (size_t d = dims.size(); d-- > 0;) {
        const int64_t x = rest % dims[d].extent;
        rest /= dims[d].extent;
        from += x * dims[d].source;
        to += x * dims[d].target;
      }
      if (turn >= 0) {
        const int64_t row = strip * strip_rows, n = std::min(strip_rows, rows.extent - row);
        TurnAny(source + from + row, inner.source, target + to + row * rows.target, rows.target, n, inner.extent, stream);
      } else {
        Line(source + from, inner.source, target + to, inner.target, inner.extent);
      }
    }
  });
}

}  // namespace

void CopyBlock(const std::byte* source, absl::Span<const int64_t> source_strides, std::byte* target,
               absl::Span<const int64_t> target_strides, absl::Span<const int64_t> extents, int64_t bytes, ThreadPool& pool) {
  for (int64_t e : extents) {
    if (e <= 0) return;
  }
  std::vector<Dimension> dims = Normalise(extents, source_strides, target_strides);
  const auto copy = [&](auto tag) {
    using T = decltype(tag);
    Copy(reinterpret_cast<const T*>(source), reinterpret_cast<T*>(target), std::move(dims), pool);
  };
  switch (bytes) {
    case 1: return copy(uint8_t{});
    case 2: return copy(uint16_t{});
    case 4: return copy(uint32_t{});
    case 8: return copy(uint64_t{});
    default: return copy(Bytes16{});
  }
}

void GatherStrided(const std::byte* source, std::byte* dense, absl::Span<const int64_t> extents, absl::Span<const int64_t> strides,
                   int64_t bytes, ThreadPool& pool) {
  CopyBlock(source, strides, dense, RowMajorStrides(extents), extents, bytes, pool);
}

}  // namespace hloscope
