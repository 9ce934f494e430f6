#include "backends/jit_cpu/kernel.h"

#include <emmintrin.h>

#include <algorithm>
#include <cstdint>
#include <mutex>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/strings/str_cat.h"
#include "core/exec/fault_guard.h"

namespace hloscope {
namespace {

absl::Status NoMemory(const Shape& shape) { return absl::ResourceExhaustedError(absl::StrCat("no memory for ", shape.ToString(false))); }

// Outputs of so many bytes no cache holds: a unit that is written more than once is made in memory that is near, and stored once.
constexpr int64_t kPastCaches = int64_t{16} << 20;

// Of the calling thread, aligned to cache lines; the same at each call for as many bytes.
void* NearMemory(int64_t bytes) {
  struct alignas(64) Line {
    char bytes[64];
  };
  thread_local std::vector<Line> memory;
  const auto lines = static_cast<size_t>(bytes / 64 + 2);
  if (memory.size() < lines) memory.resize(lines);
  return memory.data();
}

void StorePastCaches(char* to, const void* from, int64_t bytes) {
  const auto* source = static_cast<const char*>(from);
  int64_t done = 0;
  if (reinterpret_cast<uintptr_t>(to) % 16 == 0) {
    for (; done + 16 <= bytes; done += 16) {
      _mm_stream_si128(reinterpret_cast<__m128i*>(to + done), _mm_load_si128(reinterpret_cast<const __m128i*>(source + done)));
    }
    _mm_sfence();  // such stores are not ordered with what tells other threads that the work is done
  }
  std::copy_n(source + done, bytes - done, to + done);
}

class NativeKernel : public Kernel {
 public:
  NativeKernel(const CompiledKernel& code, std::unique_ptr<KernelSource> source, const Shape& result, std::vector<Shape> outputs, std::vector<Shape> stored,
               ThreadPool& pool)
      : code_(code), source_(std::move(source)), result_(result), outputs_(std::move(outputs)), stored_(std::move(stored)), pool_(pool) {}

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    if (source_ == nullptr) return Run(code_, nullptr, context, std::move(inputs));
    const Watch watch = source_->state().watch.load(std::memory_order_relaxed);
    absl::StatusOr<CompiledKernel> code = source_->Get(watch);
    if (!code.ok()) return code.status();
    if (watch == Watch::kNone) return Run(*code, nullptr, context, std::move(inputs));
    uint8_t seen = 0;
    absl::StatusOr<Value> result = Run(*code, &seen, context, std::move(inputs));
    source_->state().watched.store(true, std::memory_order_relaxed);
    if (seen != 0) source_->state().found.store(true, std::memory_order_relaxed);
    return result;
  }

  std::string description() const override { return absl::StrCat("LLVM ", code_.info.summary); }

 private:
  absl::StatusOr<Value> Run(const CompiledKernel& code, uint8_t* seen, const RunContext& context, std::vector<Value> inputs) const {
    Inputs in;
    for (const Value& input : inputs) in.push_back(input.physical_data());
    absl::InlinedVector<Value, 4> results(outputs_.size());
    const bool started = TakeOver(inputs, results);
    // What has been written over cannot be run again, so such a kernel runs to its end.
    bool taken = false;
    for (const Value& result : results) taken |= result.has_value();
    const std::atomic<bool>* cancel = taken ? nullptr : context.cancel;
    Outputs out;
    for (size_t o = 0; o < outputs_.size(); ++o) {
      if (!results[o].has_value()) results[o] = Value::Allocate(outputs_[o], context.account);
      if (!results[o].has_value()) return NoMemory(outputs_[o]);
      out.push_back(results[o].mutable_data());
    }
    out.push_back(seen);
    if (code.targets != nullptr) {
      if (absl::Status status = RunListed(code, in, out, started, cancel); !status.ok()) return status;
    } else {
      if (!started && code.info.extent > 0) {
        // Any split gives the same bits: a few pieces a thread, none below the kernel's own grain.
        const int64_t grain = std::max<int64_t>({1, code.info.grain, (code.info.extent + 4 * pool_.threads() - 1) / (4 * pool_.threads())});
        if (absl::Status status = Units(code.info.extent, grain, cancel, [&](int64_t begin, int64_t end) { code.fn(in.data(), out.data(), begin, end); }); !status.ok()) {
          return status;
        }
      }
      if (code.update != nullptr && code.info.update_extent > 0) Updates(code, in, out);
    }
    for (size_t o = 0; o < results.size(); ++o) results[o] = std::move(results[o]).PhysicalAs(stored_[o]);
    if (!result_.IsTuple()) return std::move(results[0]);
    return Value::Tuple(result_, std::vector<Value>(std::make_move_iterator(results.begin()), std::make_move_iterator(results.end())));
  }

  using Inputs = absl::InlinedVector<const void*, 16>;
  using Outputs = absl::InlinedVector<void*, 4>;

  // Each piece has a guard of its own: a fault must neither kill the process on a worker nor leave the pool in the middle of a loop.
  absl::Status Units(int64_t extent, int64_t grain, const std::atomic<bool>* cancel, absl::FunctionRef<void(int64_t, int64_t)> piece) const {
    std::mutex mutex;
    absl::Status fault;
    pool_.ParallelFor(extent, grain, [&](int64_t begin, int64_t end) {
      if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) return;
      absl::Status status = RunGuarded([&] { piece(begin, end); });
      if (status.ok()) return;
      std::lock_guard<std::mutex> lock(mutex);
      fault.Update(status);
    });
    if (!fault.ok()) return fault;
    return cancel != nullptr && cancel->load(std::memory_order_relaxed) ? absl::CancelledError("interrupted") : absl::OkStatus();
  }

  // One piece a thread: each walks all updates.
  void Updates(const CompiledKernel& code, const Inputs& in, const Outputs& out) const {
    const int64_t grain = (code.info.update_extent + pool_.threads() - 1) / pool_.threads();
    pool_.ParallelFor(code.info.update_extent, grain, [&](int64_t begin, int64_t end) { code.update(in.data(), out.data(), begin, end); });
  }

  // Units each followed by their updates. Those of one element stay in their order, whatever the number of threads.
  absl::Status RunListed(const CompiledKernel& code, const Inputs& in, const Outputs& out, bool started, const std::atomic<bool>* cancel) const {
    const int64_t units = code.info.extent, updates = code.info.listed_updates;
    std::vector<int32_t> unit_of(updates), list(updates);
    constexpr int64_t kTargetsGrain = 16384;
    void* const into[] = {unit_of.data()};
    pool_.ParallelFor(updates, kTargetsGrain, [&](int64_t begin, int64_t end) { code.targets(in.data(), into, begin, end); });
    std::vector<int64_t> end_of(units + 1);  // of a unit's part of the list; that of unit -1 first
    for (int64_t i = 0; i < updates; ++i) {
      if (unit_of[i] >= 0) ++end_of[unit_of[i] + 1];
    }
    const int64_t most = *std::max_element(end_of.begin(), end_of.end());
    for (int64_t u = 0; u < units; ++u) end_of[u + 1] += end_of[u];
    const int64_t all = end_of[units];
    for (int64_t i = 0; i < updates; ++i) {
      if (unit_of[i] >= 0) list[end_of[unit_of[i]]++] = static_cast<int32_t>(i);
    }
    // end_of[u] is now where unit u's part ends.
    // Where one unit has most of the updates, threads share the updates' elements instead.
    const bool apart = most * pool_.threads() > 2 * all;
    const int64_t bytes = outputs_[0].ByteSize(), unit_bytes = code.info.unit_bytes;
    const bool aside = !started && !apart && outputs_.size() == 1 && bytes >= kPastCaches;
    absl::Status status = Units(units, 1, cancel, [&](int64_t begin, int64_t end) {
      for (int64_t u = begin; u < end; ++u) {
        Outputs with = out;
        if (aside) with[0] = static_cast<char*>(NearMemory(unit_bytes)) - u * unit_bytes;
        if (!started) code.fn(in.data(), with.data(), u, u + 1);
        UpdateList part{list.data(), u == 0 ? 0 : end_of[u - 1], end_of[u]};
        if (!apart && part.begin < part.end) {
          with.push_back(&part);
          code.update(in.data(), with.data(), 0, code.info.update_extent);
        }
        if (aside) StorePastCaches(static_cast<char*>(out[0]) + u * unit_bytes, NearMemory(unit_bytes), std::min(unit_bytes, bytes - u * unit_bytes));
      }
    });
    if (!status.ok() || !apart || all == 0) return status;
    UpdateList whole{list.data(), 0, all};
    Outputs with = out;
    with.push_back(&whole);
    Updates(code, in, with);
    return absl::OkStatus();
  }

  // Writes over inputs that nobody else holds. True: the outputs already hold what the units would make.
  bool TakeOver(std::vector<Value>& inputs, absl::InlinedVector<Value, 4>& results) const {
    const auto take = [&](size_t k, size_t o) {
      results[o] = std::move(inputs[k]).PhysicalAs(outputs_[o]);
      inputs[k] = Value();
    };
    if (code_.info.has_update && code_.info.starts_as.size() == outputs_.size()) {
      std::vector<int32_t> seen;
      for (size_t o = 0; o < outputs_.size(); ++o) {
        const int32_t k = code_.info.starts_as[o];
        if (k < 0 || std::find(seen.begin(), seen.end(), k) != seen.end() || !inputs[k].unique() ||
            inputs[k].byte_size() != outputs_[o].ByteSize())
          return false;
        seen.push_back(k);
      }
      for (size_t o = 0; o < outputs_.size(); ++o) take(seen[o], o);
      return true;
    }
    if (code_.info.has_update) return false;
    for (size_t k = 0; k < inputs.size() && k < code_.info.may_alias.size(); ++k) {
      if (!code_.info.may_alias[k] || !inputs[k].unique() || inputs[k].byte_size() != outputs_[0].ByteSize()) continue;
      take(k, 0);
      break;
    }
    return false;
  }

  const CompiledKernel code_;
  const std::unique_ptr<KernelSource> source_;
  const Shape result_;
  const std::vector<Shape> outputs_, stored_;
  ThreadPool& pool_;
};

class AliasKernel : public Kernel {
 public:
  AliasKernel(int input, const Shape& result) : input_(input), result_(result) {}
  absl::StatusOr<Value> Run(const RunContext&, std::vector<Value> inputs) const override {
    return std::move(inputs[input_]).PhysicalAs(result_);
  }
  std::string description() const override { return "the operand's bytes, shared"; }

 private:
  const int input_;
  const Shape result_;
};

class MemoryKernel : public Kernel {
 public:
  MemoryKernel(std::unique_ptr<LibraryKernel> kernel, int input, Shape operand, Shape stored)
      : kernel_(std::move(kernel)), input_(input), operand_(std::move(operand)), stored_(std::move(stored)) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    std::vector<Value> operands;
    operands.push_back(std::move(inputs[input_]).PhysicalAs(operand_));
    absl::StatusOr<Value> result = kernel_->Run(context, operands);
    if (!result.ok()) return result;
    return std::move(*result).PhysicalAs(stored_);
  }
  std::string description() const override { return kernel_->description(); }

 private:
  const std::unique_ptr<LibraryKernel> kernel_;
  const int input_;
  const Shape operand_, stored_;
};

// Operands in operand order; each input is moved out at its last use, so that a kernel may find it unique.
std::vector<Value> Operands(std::vector<Value> inputs, const std::vector<int>& operand_inputs) {
  std::vector<Value> operands(operand_inputs.size());
  std::vector<bool> taken(inputs.size(), false);
  for (size_t k = operand_inputs.size(); k-- > 0;) {
    const int input = operand_inputs[k];
    const bool first_use = std::find(operand_inputs.begin(), operand_inputs.begin() + k, input) == operand_inputs.begin() + k;
    if (first_use) {
      operands[k] = std::move(inputs[input]);
    } else {
      operands[k] = inputs[input];
    }
  }
  return operands;
}

class LibraryAdapter : public Kernel {
 public:
  LibraryAdapter(std::unique_ptr<LibraryKernel> kernel, std::vector<int> operand_inputs)
      : kernel_(std::move(kernel)), operand_inputs_(std::move(operand_inputs)) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    std::vector<Value> operands = Operands(std::move(inputs), operand_inputs_);
    absl::StatusOr<Value> result = kernel_->Run(context, operands);
    if (result.ok() && context.cancel != nullptr && context.cancel->load(std::memory_order_relaxed))
      return absl::CancelledError("interrupted");
    return result;
  }
  bool library_order() const override { return kernel_->library_order(); }
  bool library_wide_accumulation() const override { return kernel_->wide_accumulation(); }
  std::string description() const override { return kernel_->description(); }

 private:
  const std::unique_ptr<LibraryKernel> kernel_;
  const std::vector<int> operand_inputs_;
};

class OpaqueKernel : public Kernel {
 public:
  OpaqueKernel(const Instruction& instruction, std::vector<int> operand_inputs, ComputationCaller call, ThreadPool& pool)
      : instruction_(instruction), operand_inputs_(std::move(operand_inputs)), call_(std::move(call)), pool_(pool) {}
  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    const OpDef& def = Def(instruction_);
    if (def.evaluate == nullptr)
      return absl::UnimplementedError(
          absl::StrCat(Name(instruction_.opcode), " cannot be executed", def.not_executed.empty() ? "" : ": ", def.not_executed));
    const std::vector<Value> operands = Operands(std::move(inputs), operand_inputs_);
    EvalContext eval{instruction_, operands, context.account, call_, context.stream_seed};
    if (pool_.threads() > 1) eval.parallel = [this](int64_t n, int64_t grain, absl::FunctionRef<void(int64_t, int64_t)> body) { pool_.ParallelFor(n, grain, body); };
    return def.evaluate(eval);
  }
  std::string description() const override { return absl::StrCat("function ", Name(instruction_.opcode)); }

 private:
  const Instruction& instruction_;
  const std::vector<int> operand_inputs_;
  const ComputationCaller call_;
  ThreadPool& pool_;
};

}  // namespace

std::shared_ptr<const Kernel> MakeNativeKernel(const CompiledKernel& code, const Shape& result, std::vector<Shape> outputs,
                                               std::vector<Shape> stored, ThreadPool& pool) {
  return std::make_shared<NativeKernel>(code, nullptr, result, std::move(outputs), std::move(stored), pool);
}
std::shared_ptr<const Kernel> MakeWatchableKernel(const CompiledKernel& code, std::unique_ptr<KernelSource> source, const Shape& result,
                                                  std::vector<Shape> outputs, std::vector<Shape> stored, ThreadPool& pool) {
  return std::make_shared<NativeKernel>(code, std::move(source), result, std::move(outputs), std::move(stored), pool);
}
std::shared_ptr<const Kernel> MakeAliasKernel(int input, const Shape& result) { return std::make_shared<AliasKernel>(input, result); }
std::shared_ptr<const Kernel> MakeLibraryKernelAdapter(std::unique_ptr<LibraryKernel> kernel, std::vector<int> operand_inputs) {
  return std::make_shared<LibraryAdapter>(std::move(kernel), std::move(operand_inputs));
}
std::shared_ptr<const Kernel> MakeOpaqueKernel(const Instruction& instruction, std::vector<int> operand_inputs, ComputationCaller call,
                                               ThreadPool& pool) {
  return std::make_shared<OpaqueKernel>(instruction, std::move(operand_inputs), std::move(call), pool);
}

std::shared_ptr<const Kernel> MakeMemoryKernel(std::unique_ptr<LibraryKernel> kernel, int input, Shape operand, Shape stored) {
  return std::make_shared<MemoryKernel>(std::move(kernel), input, std::move(operand), std::move(stored));
}

std::optional<std::pair<int, std::vector<int64_t>>> PermutedInput(const Program& program) {
  if (program.is_push || program.outputs.size() != 1) return std::nullopt;
  const ExprGraph& graph = *program.graph;
  const Node& node = graph.node(program.outputs[0].value);
  const Shape& out = program.outputs[0].shape;
  if (node.kind != NodeKind::kLoad || node.inputs.size() != static_cast<size_t>(out.rank())) return std::nullopt;
  std::vector<int64_t> permutation(out.rank(), -1);
  for (size_t d = 0; d < node.inputs.size(); ++d) {
    const Node& index = graph.node(node.inputs[d]);
    if (index.kind != NodeKind::kIndex || index.var >= out.rank() || permutation[index.var] >= 0) return std::nullopt;
    if (program.operands[node.operand].dim(static_cast<int>(d)) != out.dim(index.var)) return std::nullopt;
    permutation[index.var] = static_cast<int64_t>(d);
  }
  return std::make_pair(static_cast<int>(node.operand), std::move(permutation));
}

std::optional<int> AliasedInput(Program& program) {
  if (program.is_push || program.outputs.size() != 1) return std::nullopt;
  ExprGraph& graph = *program.graph;
  const Shape& out = program.outputs[0].shape;
  const Node* node = &graph.node(program.outputs[0].value);
  if (node->kind == NodeKind::kScalarOp && node->op == ScalarOp::kBitcast) node = &graph.node(node->inputs[0]);
  if (node->kind != NodeKind::kLoad) return std::nullopt;
  const int operand = node->operand;
  const Shape& in = program.operands[operand];
  if (in.element_type() != out.element_type()) {
    const auto whole = [](ElementType t) { return BitWidth(t) == 8 * StorageBytes(t) && !IsPred(t); };
    if (!whole(in.element_type()) || !whole(out.element_type())) return std::nullopt;
  }
  if (in.ByteSize() != out.ByteSize() || in.ElementCount() != out.ElementCount()) return std::nullopt;
  if (out.ElementCount() == 0) return operand;
  const std::vector<NodeId> indices = node->inputs;
  const std::vector<int64_t> from = RowMajorStrides(in.dimensions()), to = RowMajorStrides(out.dimensions());
  NodeId read = graph.IndexConstant(0), written = graph.IndexConstant(0);
  for (int d = 0; d < in.rank(); ++d) {
    if (in.dim(d) > 1) read = graph.Add(read, graph.Mul(indices[d], graph.IndexConstant(from[d])));
  }
  for (int d = 0; d < out.rank(); ++d) {
    if (out.dim(d) > 1) written = graph.Add(written, graph.Mul(graph.Index(d), graph.IndexConstant(to[d])));
  }
  const ExprGraph::Affine a = graph.ToAffine(read), b = graph.ToAffine(written);
  if (a.constant != b.constant || a.terms != b.terms) return std::nullopt;
  return operand;
}

}  // namespace hloscope
