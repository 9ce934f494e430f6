// The seam between the core and the backends: how computations are cut into steps, and the kernels that run them.
// A backend plans and compiles; the Machine (machine.h) owns frames, values and control flow, the same for all backends.
#ifndef HLOSCOPE_CORE_EXEC_BACKEND_H_
#define HLOSCOPE_CORE_EXEC_BACKEND_H_

#include <atomic>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

// Instructions of one computation that run as one kernel. All members but the root are seen by nobody outside the region.
struct Region {
  int root = -1;                // schedule position of the root: the region runs there
  std::vector<int> members;     // schedule positions, ascending, the root last; includes copies of cheap producers (constants, iota,
                                // broadcasts) that other regions may hold too
  std::vector<int> inputs;      // schedule positions of values read from outside, in the order that the kernel takes them
};

// A computation cut into regions, in the order of their roots. Instructions that are kControl, kStructural or kOpaque are regions of one.
// Every instruction that some other region, the root or a side effect needs is some region's root; the rest are interior or dead.
struct Plan {
  const Computation* computation = nullptr;
  std::vector<Region> regions;
  std::vector<int> region_at;   // by schedule position: index of the region rooted there, or -1 (interior or dead)
  std::vector<int> use_count;   // by schedule position: how many regions read it (as an input), plus one for the computation's root
  std::vector<int> first_region;  // by schedule position: the first region that computes it, -1: none; the Machine fills it in
};

struct RunContext {
  MemoryAccount* account = nullptr;
  uint64_t stream_seed = 0;                    // see EvalContext
  const std::atomic<bool>* cancel = nullptr;   // kernels that take long look at it now and then
  int process = 0;                             // of those that run the devices together: in which one it runs (ExchangePort::process)
};

class Kernel {
 public:
  virtual ~Kernel() = default;
  // `inputs` are in the region's order. A kernel may take over an input that is unique() (dynamic-update-slice in place).
  virtual absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const = 0;
  // "library" kernels round in their own order, see InterpretOptions.
  virtual bool library_order() const { return false; }
  virtual bool library_wide_accumulation() const { return false; }
  virtual std::string description() const = 0;  // "llvm 16 x f32, 3 operations", "oneDNN matmul"
};

// A named text: LLVM IR, assembly, the plan.
struct Artifact {
  std::string name, text;
};

struct BackendStats {
  int64_t kernels_compiled = 0;     // in this process, by the compiler
  int64_t kernels_from_cache = 0;   // loaded from the disk cache
  double compile_ms = 0;            // wall time spent compiling or loading
};

class Backend {
 public:
  virtual ~Backend() = default;
  virtual absl::string_view name() const = 0;
  // Cuts a verified computation into regions. Cheap (linear); compiles nothing.
  virtual absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) = 0;
  // The kernel of a region of kPull / kPush / kOpaque instructions, compiled now or found; also for regions that no plan has (single
  // steps: a region of one instruction whose inputs are its operands). Thread-safe.
  virtual absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) = 0;
  // Compiles ahead, in parallel, the kernels of these regions; a hint, errors show up later in GetKernel.
  virtual void Prepare(const Computation& computation, absl::Span<const Region* const> regions) {}
  virtual absl::StatusOr<std::vector<Artifact>> Artifacts(const Computation& computation, const Region& region) { return std::vector<Artifact>(); }
  virtual BackendStats stats() const { return {}; }
};

struct BackendOptions {
  int threads = 0;              // 0: all
  std::string cache_directory;  // empty: none
};

// A region of the single instruction at `position`: inputs are its operands without repeats.
Region SingleRegion(const Computation& computation, int position);
// A plan in which every instruction is a region of its own.
std::unique_ptr<Plan> SingleStepPlan(const Computation& computation);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_BACKEND_H_
