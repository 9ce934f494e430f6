// The kinds of kernels of the JIT backend: compiled code, library calls, shared bytes, and functions over whole values.
// Not for choosing between them (jit_cpu.cc).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNEL_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNEL_H_

#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "backends/jit_cpu/kernels/patterns.h"
#include "backends/jit_cpu/lower/lower.h"
#include "backends/jit_cpu/runtime/thread_pool.h"
#include "core/element/program.h"
#include "core/exec/backend.h"
#include "core/exec/watch.h"
#include "core/ops/op.h"

namespace hloscope {

// What a backend's kernels are to look for, and what they saw.
struct WatchState {
  std::atomic<Watch> watch{Watch::kNone};
  std::atomic<bool> watched{false}, found{false};
};

// The code of one program, with and without a watch; each compiled when it is first needed.
class KernelSource {
 public:
  virtual ~KernelSource() = default;
  virtual absl::StatusOr<CompiledKernel> Get(Watch watch) const = 0;
  virtual WatchState& state() const = 0;
};

// Runs the code of `source`, as the watch of the moment asks. `code`: one of its kernels.
std::shared_ptr<const Kernel> MakeWatchableKernel(const CompiledKernel& code, std::unique_ptr<KernelSource> source, const Shape& result,
                                                  std::vector<Shape> outputs, std::vector<Shape> stored, ThreadPool& pool);

// Runs compiled code. `result` is the root's shape (a tuple for several outputs), `outputs` the row-major arrays that the code makes,
// `stored` what their memory is called: the shapes, with layouts, of the outputs.
std::shared_ptr<const Kernel> MakeNativeKernel(const CompiledKernel& code, const Shape& result, std::vector<Shape> outputs,
                                               std::vector<Shape> stored, ThreadPool& pool);

// Input number `input` under another shape: no bytes move.
std::shared_ptr<const Kernel> MakeAliasKernel(int input, const Shape& result);
// The input whose bytes, in order, are all that `program` makes; nullopt when it makes anything else.
std::optional<int> AliasedInput(Program& program);

// `operand_inputs[k]`: which of the region's inputs is operand k.
std::shared_ptr<const Kernel> MakeLibraryKernelAdapter(std::unique_ptr<LibraryKernel> kernel, std::vector<int> operand_inputs);

// A library kernel of one operand over memory: input number `input` is taken as `operand`, the result called `stored`.
std::shared_ptr<const Kernel> MakeMemoryKernel(std::unique_ptr<LibraryKernel> kernel, int input, Shape operand, Shape stored);
// The input that `program` copies with its dimensions in another order, and that order; nullopt when it does anything else.
std::optional<std::pair<int, std::vector<int64_t>>> PermutedInput(const Program& program);

// Calls the OpDef's `evaluate`. Refers to the instruction, so it is made for each and never shared.
std::shared_ptr<const Kernel> MakeOpaqueKernel(const Instruction& instruction, std::vector<int> operand_inputs, ComputationCaller call, ThreadPool& pool);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNEL_H_
