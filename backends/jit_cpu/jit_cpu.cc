// The Backend: finds or makes the kernel of a region. A region's structural key leads to its kernel; where that is new, the canonical
// text of its fused program leads to compiled code, in memory or on disk; only then does the compiler run.
#include "backends/jit_cpu/jit_cpu.h"

#include <algorithm>
#include <chrono>
#include <mutex>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "backends/jit_cpu/disk_cache.h"
#include "backends/jit_cpu/kernel.h"
#include "backends/jit_cpu/plan.h"
#include "backends/jit_cpu/region_key.h"
#include "core/element/interpret.h"
#include "core/exec/fuse.h"
#include "core/exec/laid_kernel.h"
#include "core/shape/layout_util.h"

namespace hloscope {
namespace {

std::vector<int> OperandInputs(const Computation& computation, const Region& region) {
  std::vector<int> result;
  for (const Instruction* operand : computation.schedule[region.root]->operands) {
    const auto found = std::find(region.inputs.begin(), region.inputs.end(), operand->index);
    result.push_back(static_cast<int>(found - region.inputs.begin()));
  }
  return result;
}

// Made once, by whoever comes first; the others wait.
template <typename T>
struct Slot {
  std::once_flag once;
  absl::StatusOr<T> value = absl::InternalError("not made");
};

template <typename T>
class SlotMap {
 public:
  std::shared_ptr<Slot<T>> Get(const std::string& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    std::shared_ptr<Slot<T>>& slot = map_[key];
    if (slot == nullptr) slot = std::make_shared<Slot<T>>();
    return slot;
  }
  bool Contains(const std::string& key) {
    std::lock_guard<std::mutex> lock(mutex_);
    return map_.contains(key);
  }

 private:
  std::mutex mutex_;
  absl::flat_hash_map<std::string, std::shared_ptr<Slot<T>>> map_;
};

// Set while Prepare measures the time of all its threads together.
thread_local bool time_is_counted = false;

class JitCpuBackend : public Backend, public WatchingBackend {
 public:
  JitCpuBackend(const BackendOptions& options, std::unique_ptr<Compiler> compiler)
      : pool_(options.threads), disk_(options.cache_directory), compiler_(std::move(compiler)) {}

  absl::string_view name() const override { return "jit"; }

  void SetWatch(Watch watch) override { watch_.watch.store(watch); }
  absl::StatusOr<std::shared_ptr<const Kernel>> KernelOf(const Program& program) override {
    std::vector<Shape> outputs;
    for (const Program::Output& output : program.outputs) outputs.push_back(output.shape);
    absl::StatusOr<KernelPointer> kernel = MakeNative(program, outputs.size() == 1 ? outputs[0] : Shape::Tuple(outputs), outputs, outputs);
    if (!kernel.ok()) return kernel.status();
    return std::shared_ptr<const Kernel>(*std::move(kernel));
  }
  Seen TakeSeen() override { return {watch_.watched.exchange(false), watch_.found.exchange(false)}; }

  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override { return MakeFusedPlan(computation); }

  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override {
    const Instruction& root = *computation.schedule[region.root];
    if (Def(root).op_class != OpClass::kPull && Def(root).op_class != OpClass::kPush) {
      std::shared_ptr<const Kernel> kernel = MakeOpaqueKernel(root, OperandInputs(computation, region), Caller(), pool_);
      if (!HasLayouts(computation, region)) return kernel;
      return MakeLaidKernel(std::move(kernel), DenseInputs(computation, region), root.shape);
    }
    return Find(RegionKey(computation, region), computation, region);
  }

  void Prepare(const Computation& computation, absl::Span<const Region* const> regions) override {
    std::vector<std::pair<std::string, const Region*>> missing;
    absl::flat_hash_map<std::string, bool> seen;
    for (const Region* region : regions) {
      const OpClass op_class = Def(*computation.schedule[region->root]).op_class;
      if (op_class != OpClass::kPull && op_class != OpClass::kPush) continue;
      std::string key = RegionKey(computation, *region);
      if (kernels_.Contains(key) || !seen.emplace(key, true).second) continue;
      missing.emplace_back(std::move(key), region);
    }
    if (missing.empty()) return;
    const auto start = std::chrono::steady_clock::now();
    pool_.ParallelFor(static_cast<int64_t>(missing.size()), 1, [&](int64_t begin, int64_t end) {
      time_is_counted = true;
      for (int64_t i = begin; i < end; ++i) (void)Find(missing[i].first, computation, *missing[i].second);
      time_is_counted = false;
    });
    AddTime(start);
  }

  absl::StatusOr<std::vector<Artifact>> Artifacts(const Computation& computation, const Region& region) override {
    std::vector<Artifact> artifacts;
    artifacts.push_back({"region", DescribeRegion(computation, region)});
    const Instruction& root = *computation.schedule[region.root];
    const OpClass op_class = Def(root).op_class;
    if (op_class == OpClass::kControl || op_class == OpClass::kStructural) return artifacts;
    absl::StatusOr<std::shared_ptr<const Kernel>> kernel = GetKernel(computation, region);
    if (!kernel.ok()) return kernel.status();
    artifacts.push_back({"kernel", (*kernel)->description()});
    if (op_class == OpClass::kOpaque) return artifacts;
    absl::StatusOr<Program> program = FuseRegion(computation, region);
    if (!program.ok()) return program.status();
    artifacts.push_back({"element program", CanonicalText(*program)});
    if (!absl::StartsWith((*kernel)->description(), "LLVM")) return artifacts;
    const bool laid = HasLayouts(computation, region);
    absl::StatusOr<KernelText> text = compiler_->Text(laid ? LaidProgram(*program, root.shape).program : *program);
    if (!text.ok()) return text.status();
    artifacts.push_back({"LLVM IR", text->ir});
    artifacts.push_back({"assembly", text->assembly});
    return artifacts;
  }

  BackendStats stats() const override {
    BackendStats stats;
    stats.kernels_compiled = compiled_.load();
    stats.kernels_from_cache = from_cache_.load();
    stats.compile_ms = static_cast<double>(microseconds_.load()) / 1000;
    return stats;
  }

 private:
  using KernelPointer = std::shared_ptr<const Kernel>;

  absl::StatusOr<KernelPointer> Find(const std::string& key, const Computation& computation, const Region& region) {
    const std::shared_ptr<Slot<KernelPointer>> slot = kernels_.Get(key);
    std::call_once(slot->once, [&] {
      const auto start = std::chrono::steady_clock::now();
      slot->value = Make(computation, region);
      if (!time_is_counted) AddTime(start);
    });
    return slot->value;
  }

  absl::StatusOr<KernelPointer> Make(const Computation& computation, const Region& region) {
    const Instruction& root = *computation.schedule[region.root];
    const bool laid = HasLayouts(computation, region);
    if (region.members.size() == 1) {
      std::unique_ptr<LibraryKernel> kernel = MakeLibraryKernel(root, pool_);
      // Where no rounding is the library's own, generic code reaches into the layouts directly.
      if (kernel != nullptr && (!laid || kernel->library_order())) {
        std::vector<Shape> taken = DenseInputs(computation, region);
        for (size_t k = 0; kernel->takes_strides() && k < taken.size(); ++k) {
          const Shape& shape = computation.schedule[region.inputs[k]]->shape;
          if (MemoryStrides(shape).has_value()) taken[k] = shape;
        }
        KernelPointer adapter = MakeLibraryKernelAdapter(std::move(kernel), OperandInputs(computation, region));
        return laid ? MakeLaidKernel(std::move(adapter), std::move(taken), root.shape) : adapter;
      }
    }
    absl::StatusOr<Program> program = FuseRegion(computation, region);
    if (!program.ok()) return program.status();
    if (laid) return MakeLaid(*program, root);
    if (const std::optional<int> input = AliasedInput(*program)) return MakeAliasKernel(*input, root.shape);
    std::vector<Shape> outputs;
    for (const Program::Output& output : program->outputs) outputs.push_back(output.shape);
    if (!root.shape.IsTuple()) outputs = {root.shape};
    return MakeNative(*program, root.shape, outputs, outputs);
  }

  // The program over memory is an ordinary program: what it is compiled to is shared with those that say the same without layouts.
  absl::StatusOr<KernelPointer> MakeLaid(const Program& program, const Instruction& root) {
    PhysicalProgram physical = LaidProgram(program, root.shape);
    KernelPointer kernel;
    if (const std::optional<int> input = AliasedInput(physical.program)) {
      kernel = MakeAliasKernel(*input, physical.outputs[0]);
    } else if (auto permuted = PermutedInput(physical.program)) {
      kernel = MakeMemoryKernel(MakePermutation(physical.program.outputs[0].shape, std::move(permuted->second), pool_), permuted->first,
                                physical.program.operands[permuted->first], physical.outputs[0]);
    } else {
      std::vector<Shape> outputs;
      for (const Program::Output& output : physical.program.outputs) outputs.push_back(output.shape);
      const Shape result = root.shape.IsTuple() ? Shape::Tuple(physical.outputs) : root.shape;
      absl::StatusOr<KernelPointer> native = MakeNative(physical.program, result, std::move(outputs), physical.outputs);
      if (!native.ok()) return native;
      kernel = *std::move(native);
    }
    return MakeLaidKernel(std::move(kernel), std::move(physical.operands), root.shape);
  }

  // Watched and plain code of one program, found at once when they were needed before.
  class Source : public KernelSource {
   public:
    Source(JitCpuBackend& backend, const Program& program) : backend_(backend), program_(program) {}
    absl::StatusOr<CompiledKernel> Get(Watch watch) const override {
      const int k = static_cast<int>(watch);
      if (ready_[k].load(std::memory_order_acquire)) return code_[k];
      absl::StatusOr<CompiledKernel> code = backend_.Code(program_, watch);
      std::lock_guard<std::mutex> lock(mutex_);
      if (code.ok() && !ready_[k].load()) {
        code_[k] = *code;
        ready_[k].store(true, std::memory_order_release);
      }
      return code;
    }
    WatchState& state() const override { return backend_.watch_; }

   private:
    JitCpuBackend& backend_;
    const Program program_;
    mutable std::mutex mutex_;
    mutable CompiledKernel code_[3];
    mutable std::atomic<bool> ready_[3] = {};
  };

  absl::StatusOr<KernelPointer> MakeNative(const Program& program, const Shape& result, std::vector<Shape> outputs, std::vector<Shape> stored) {
    auto source = std::make_unique<Source>(*this, program);
    absl::StatusOr<CompiledKernel> code = source->Get(watch_.watch.load());
    if (!code.ok()) return code.status();
    return MakeWatchableKernel(*code, std::move(source), result, std::move(outputs), std::move(stored), pool_);
  }

  absl::StatusOr<CompiledKernel> Code(const Program& program, Watch watch) {
    std::string key = absl::StrCat(compiler_->target_key(), "\n", CanonicalText(program));
    if (watch != Watch::kNone) absl::StrAppend(&key, "\nwatch ", static_cast<int>(watch));
    const std::shared_ptr<Slot<CompiledKernel>> slot = codes_.Get(key);
    std::call_once(slot->once, [&] { slot->value = LoadOrCompile(program, watch, key); });
    return slot->value;
  }

  absl::StatusOr<CompiledKernel> LoadOrCompile(const Program& program, Watch watch, const std::string& key) {
    if (std::optional<std::string> bytes = disk_.Load(key)) {
      absl::StatusOr<KernelCode> code = DeserializeKernelCode(*bytes);
      if (code.ok()) {
        absl::StatusOr<CompiledKernel> kernel = compiler_->Load(*code);
        if (kernel.ok()) {
          from_cache_.fetch_add(1);
          return kernel;
        }
      }
    }
    absl::StatusOr<KernelCode> code = compiler_->Compile(program, watch);
    if (!code.ok()) return code.status();
    compiled_.fetch_add(1);
    disk_.Store(key, Serialize(*code));
    return compiler_->Load(*code);
  }

  // Calls small computations for opaque operations, through the interpreter: exact, and quick enough for a few calls.
  ComputationCaller Caller() {
    return [this](const Computation& computation, absl::Span<const Value> arguments) { return Call(computation, arguments); };
  }

  absl::StatusOr<Value> Call(const Computation& computation, absl::Span<const Value> arguments) {
    std::vector<Shape> shapes;
    for (const Value& argument : arguments) {
      if (!argument.shape().IsScalar()) return absl::UnimplementedError(absl::StrCat("calling ", computation.name, " on arrays"));
      shapes.push_back(argument.shape());
    }
    Region region;
    std::vector<const Value*> operands;
    for (const Value& argument : arguments) operands.push_back(&argument);
    Program program;
    program.operands = shapes;
    std::vector<NodeId> loads;
    for (size_t k = 0; k < shapes.size(); ++k) loads.push_back(program.graph->Load(static_cast<int32_t>(k), shapes[k].element_type(), {}));
    absl::StatusOr<std::vector<NodeId>> roots = InlineScalarComputation(*program.graph, computation, loads);
    if (!roots.ok()) return roots.status();
    for (NodeId root : *roots) program.outputs.push_back({Shape::Scalar(program.graph->node(root).type), root});
    Interpreter interpreter(program, {.bounds = false});
    absl::StatusOr<std::vector<Value>> values = interpreter.All(operands);
    if (!values.ok()) return values.status();
    if (!computation.root->shape.IsTuple()) return std::move((*values)[0]);
    return Value::Tuple(computation.root->shape, *std::move(values));
  }

  void AddTime(std::chrono::steady_clock::time_point start) {
    microseconds_.fetch_add(std::chrono::duration_cast<std::chrono::microseconds>(std::chrono::steady_clock::now() - start).count());
  }

  ThreadPool pool_;
  DiskCache disk_;
  std::unique_ptr<Compiler> compiler_;
  WatchState watch_;
  SlotMap<KernelPointer> kernels_;
  SlotMap<CompiledKernel> codes_;
  std::atomic<int64_t> compiled_{0}, from_cache_{0}, microseconds_{0};
};

}  // namespace

absl::StatusOr<std::unique_ptr<Backend>> MakeJitCpuBackend(const BackendOptions& options) {
  absl::StatusOr<std::unique_ptr<Compiler>> compiler = Compiler::Create();
  if (!compiler.ok()) return compiler.status();
  return std::unique_ptr<Backend>(new JitCpuBackend(options, *std::move(compiler)));
}

}  // namespace hloscope
