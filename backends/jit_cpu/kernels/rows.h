// The makers that the pattern table names (each in a file of its own) and the strided copies they share.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_ROWS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_ROWS_H_

#include <memory>

#include "absl/types/span.h"
#include "backends/jit_cpu/kernels/patterns.h"

namespace hloscope {

bool MatchDot(const Instruction& i);
std::unique_ptr<LibraryKernel> MakeDot(const Instruction& i, ThreadPool& pool);
bool MatchConvolution(const Instruction& i);
std::unique_ptr<LibraryKernel> MakeConvolution(const Instruction& i, ThreadPool& pool);
bool MatchConcatenate(const Instruction& i);
std::unique_ptr<LibraryKernel> MakeConcatenate(const Instruction& i, ThreadPool& pool);
bool MatchPad(const Instruction& i);
std::unique_ptr<LibraryKernel> MakePad(const Instruction& i, ThreadPool& pool);
bool MatchDynamicUpdateSlice(const Instruction& i);
std::unique_ptr<LibraryKernel> MakeDynamicUpdateSlice(const Instruction& i, ThreadPool& pool);
bool MatchTranspose(const Instruction& i);
std::unique_ptr<LibraryKernel> MakeTranspose(const Instruction& i, ThreadPool& pool);
bool MatchPrefix(const Instruction& i);
std::unique_ptr<LibraryKernel> MakePrefix(const Instruction& i, ThreadPool& pool);

// dense[i] (row-major over `extents`) = source[sum i_d * strides_d]; strides in elements of `bytes` bytes, which is 1, 2, 4, 8 or 16.
void GatherStrided(const std::byte* source, std::byte* dense, absl::Span<const int64_t> extents, absl::Span<const int64_t> strides,
                   int64_t bytes, ThreadPool& pool);

// A block of `extents` elements copied between two arrays with these strides (in elements), both stepping forwards.
void CopyBlock(const std::byte* source, absl::Span<const int64_t> source_strides, std::byte* target,
               absl::Span<const int64_t> target_strides, absl::Span<const int64_t> extents, int64_t bytes, ThreadPool& pool);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_ROWS_H_
