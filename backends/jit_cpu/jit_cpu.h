// The JIT backend: plans fused regions, compiles them with LLVM, and gives dots and convolutions to oneDNN.
// This is the only header that others include. Not for control flow and values (core/exec/machine.h).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_JIT_CPU_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_JIT_CPU_H_

#include <memory>

#include "absl/status/statusor.h"
#include "core/exec/backend.h"

namespace hloscope {

absl::StatusOr<std::unique_ptr<Backend>> MakeJitCpuBackend(const BackendOptions& options);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_JIT_CPU_H_
