// Whole-buffer conversions between f16, bf16 and f32 for library kernels that compute wider. Not for convert instructions.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_CONVERT_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_CONVERT_H_

#include <cstddef>

#include "backends/jit_cpu/runtime/thread_pool.h"
#include "core/literal/value.h"
#include "core/shape/element_type.h"

namespace hloscope {

// From f16 or bf16 to f32 (exact) or from f32 to f16 or bf16 (round to nearest even, denormals kept).
void ConvertFloats(ElementType from, const std::byte* source, ElementType to, std::byte* target, int64_t count, ThreadPool& pool);
// A dense array of f32, f16 or bf16 as f32; one of f32 is itself. Empty where there is no memory.
Value Widened(const Value& array, MemoryAccount* account, ThreadPool& pool);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_CONVERT_H_
