// The pattern table: which instructions have a kernel of a library or of our own instead of generic lowering. A kernel is chosen by
// the instruction alone, never by who watches, so that a single step gives the bits of a whole run.
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_PATTERNS_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_PATTERNS_H_

#include <memory>
#include <vector>

#include "absl/status/statusor.h"
#include "backends/jit_cpu/runtime/thread_pool.h"
#include "core/exec/backend.h"
#include "core/ir/module.h"

namespace hloscope {

// Takes one value an operand of the instruction, repeats included, in operand order.
class LibraryKernel {
 public:
  virtual ~LibraryKernel() = default;
  virtual absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value>& operands) const = 0;
  virtual bool library_order() const { return false; }
  virtual bool wide_accumulation() const { return false; }
  // Operands whose layouts have strides (MemoryStrides) are taken as they lie; other operands, and all of kernels without this, dense.
  // Results are dense.
  virtual bool takes_strides() const { return false; }
  virtual std::string description() const = 0;
};

// Cheap: looks at opcode, shapes and attributes only.
bool HasLibraryKernel(const Instruction& instruction);
// Null when no row matches or the library refuses the shapes: then generic lowering is used.
std::unique_ptr<LibraryKernel> MakeLibraryKernel(const Instruction& instruction, ThreadPool& pool);

// A copy with the dimensions in another order: dimension d of the result is dimension permutation[d] of the operand.
std::unique_ptr<LibraryKernel> MakePermutation(const Shape& result, std::vector<int64_t> permutation, ThreadPool& pool);

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_KERNELS_PATTERNS_H_
