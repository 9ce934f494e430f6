// One matrix product C[M, N] = A[M, K] * B[K, N] on tiles fixed by the shape alone, each computed by oneDNN, OpenBLAS (f64) or SmallGemm on the
// calling thread.
// Not for batches and dimension numbers (dot.cc), nor for windows (convolution.cc).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_GEMM_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_GEMM_H_

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "core/shape/element_type.h"

namespace hloscope {

// Strides in elements. Of each of A and B at least one stride must be 1 (or its extent 1).
struct GemmShape {
  int64_t m = 0, n = 0, k = 0;
  int64_t a_row = 0, a_column = 1;
  int64_t b_row = 0, b_column = 1;
  int64_t c_row = 0;  // C's columns are contiguous
  ElementType in = ElementType::kF32, out = ElementType::kF32;
  int64_t row_tile = 0;  // 0: chosen from the shape and `batch`
  bool whole = false;       // one tile
  bool accumulate = false;  // C += A * B
  int64_t batch = 1;     // how many products of this shape there are to share the work
  // Of these, how many neighbours lie at even distances (in elements) in A, B and C: small ones then share a call.
  int64_t even = 1, a_batch = 0, b_batch = 0, c_batch = 0;
};

class Gemm {
 public:
  // Null when the library has no kernel for the types or the shape.
  static std::unique_ptr<Gemm> Make(const GemmShape& shape);
  static bool Supports(ElementType in, ElementType out);
  ~Gemm();

  int64_t row_tile() const;
  int64_t row_tiles() const;
  int64_t column_tile() const;
  int64_t column_tiles() const;
  // Large products want B in the library's own layout: when packed_bytes() > 0, call Pack for 0 <= piece < pack_pieces() with a buffer of
  // that size and give the buffer to RunTile in B's place.
  int64_t packed_bytes() const;
  int64_t pack_pieces() const;
  void Pack(int64_t piece, const std::byte* b, std::byte* packed) const;
  // Computes one tile. `a` points at the tile's first row, `b` (or packed B) and `c` at the whole matrices. Thread-safe.
  void RunTile(int64_t row_tile, int64_t column_tile, const std::byte* a, const std::byte* b, std::byte* c) const;
  // Small products in even batches: RunBatch computes the products [first, first + count) of one even batch at once, where first is a
  // multiple of group() and count is group(), or what is left. group() == 1: use RunTile.
  int64_t group() const;
  void RunBatch(int64_t first, const std::byte* a, const std::byte* b, std::byte* c) const;
  std::string description() const;

 private:
  struct Impl;
  explicit Gemm(std::unique_ptr<Impl> impl);
  std::unique_ptr<Impl> impl_;
};

// A buffer of the calling thread, reused by every kernel that runs on it; slot 0 belongs to Gemm, 1 and 2 to its callers.
std::byte* ThreadScratch(int slot, size_t bytes);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_GEMM_H_
