// From element programs to native kernels: lowering to LLVM IR, compiling, loading. Not for deciding what to fuse, for threads or for
// files (those are the planner's and the runtime's).
#ifndef HLOSCOPE_BACKENDS_JIT_CPU_LOWER_LOWER_H_
#define HLOSCOPE_BACKENDS_JIT_CPU_LOWER_LOWER_H_

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/element/program.h"
#include "core/exec/watch.h"

namespace hloscope {

// Elements of a row up to which code computes a function of its elements once that a fold of the row wants and its elements want again.
inline constexpr int64_t kMostKeptRow = 16384;

// What one needs to know to run a kernel; saved with its code.
struct KernelInfo {
  // The work is units 0..extent-1, independent of each other: any split into ranges, on any threads, gives the same bits. 0: nothing to do.
  int64_t extent = 0;
  // Units that one task should have at least, so that handing it to a thread pays.
  int64_t grain = 1;
  // Push programs: the units initialise the outputs; when all are done, `update` applies the updates. It has units of its own,
  // 0..update_extent-1, each of which walks all updates but touches elements that no other does.
  bool has_update = false;
  int64_t update_extent = 0;
  // Push programs whose updates each touch elements of one unit only, known before they are made: how many there are, otherwise 0. Then
  // `targets` tells the units, and `update` makes those that an UpdateList names. So a unit and its updates can follow each other while its
  // elements are near, and units with their updates are independent.
  int64_t listed_updates = 0;
  int64_t unit_bytes = 0;  // then: of output 0 that a unit makes, one after the other; the last one perhaps fewer
  // By operand: output 0 may be the same buffer as this operand (every load of it is at the very element that is being written).
  // In a push program whose outputs all start as operands, the units need not run at all when every output o is operand
  // starts_as[o]'s buffer.
  std::vector<bool> may_alias;
  std::vector<int32_t> starts_as;  // push: by output, the operand that it starts as, or -1
  std::string summary;             // "16 x f32, 12 nodes, rows of 128"
};

// Which updates to make, in this order: numbers list[begin..end), one at least.
struct UpdateList {
  const int32_t* list;
  int64_t begin, end;
};

// Object code of one kernel, and a name. Plain bytes: what a disk cache stores (see Serialize).
struct KernelCode {
  KernelInfo info;
  std::string symbol;  // of the units' function; the update's is symbol + ".update", that of the targets symbol + ".targets"
  std::string object;  // ELF
  bool watches = false;
};
std::string Serialize(const KernelCode& code);
absl::StatusOr<KernelCode> DeserializeKernelCode(absl::string_view bytes);  // DataLoss when damaged or of another version

// A kernel in memory; lives as long as its Compiler.
struct CompiledKernel {
  // Inputs are the program's operands (dense, row-major), outputs its outputs; buffers 64-byte aligned with 64 readable bytes after the end.
  using Fn = void (*)(const void* const* inputs, void* const* outputs, int64_t begin, int64_t end);
  KernelInfo info;
  Fn fn = nullptr;
  bool watches = false;
  // Over update_extent's units; null when there is none. With listed updates one more output, after all others, is an UpdateList.
  Fn update = nullptr;
  Fn targets = nullptr;  // over listed_updates; its one output is an int32_t for each of them: the unit, or -1 for none
};

struct KernelText {
  std::string ir;
  std::string assembly;
};

// Thread-safe: any number of threads may compile (each in a context of its own) and load at once.
class Compiler {
 public:
  // Kernels that run for microseconds are compiled with little optimisation, unless `always_optimise` (for tests of the optimiser's work).
  static absl::StatusOr<std::unique_ptr<Compiler>> Create(bool always_optimise = false);
  ~Compiler();

  // Lowers and compiles. Unimplemented: beyond the node budget or a kind of program that has no lowering.
  // Code that watches takes one more output, the last: a byte that it sets to 1 when a NaN (or infinity) came up.
  absl::StatusOr<KernelCode> Compile(const Program& program, Watch watch = Watch::kNone) const;
  absl::StatusOr<CompiledKernel> Load(const KernelCode& code);
  absl::StatusOr<CompiledKernel> CompileAndLoad(const Program& program, Watch watch = Watch::kNone);
  absl::StatusOr<KernelText> Text(const Program& program) const;

  // All that object code depends on besides the program: CPU and features, LLVM's version, the lowering's version. For cache keys.
  const std::string& target_key() const;

 private:
  Compiler();
  struct Impl;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_JIT_CPU_LOWER_LOWER_H_
