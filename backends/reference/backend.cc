#include "backends/reference/backend.h"

#include <algorithm>
#include <deque>
#include <mutex>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/str_cat.h"
#include "core/element/interpret.h"
#include "core/exec/fuse.h"
#include "core/exec/laid_kernel.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

InterpretOptions PlainOptions() {
  InterpretOptions options;
  options.bounds = false;
  return options;
}

// Interpreters are not thread-safe and take a while to prepare: lends them, one a run.
class InterpreterPool {
 public:
  explicit InterpreterPool(Program program) : program_(std::move(program)) {}

  absl::StatusOr<std::vector<Value>> Run(absl::Span<const Value* const> operands, MemoryAccount* account,
                                         const std::atomic<bool>* cancel) const {
    std::unique_ptr<Interpreter> interpreter;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      if (!idle_.empty()) {
        interpreter = std::move(idle_.back());
        idle_.pop_back();
      }
    }
    if (interpreter == nullptr) interpreter = std::make_unique<Interpreter>(program_, PlainOptions());
    interpreter->set_cancel(cancel);
    auto result = interpreter->All(operands, account);
    interpreter->set_cancel(nullptr);
    std::lock_guard<std::mutex> lock(mutex_);
    idle_.push_back(std::move(interpreter));
    return result;
  }

 private:
  Program program_;
  mutable std::mutex mutex_;
  mutable std::vector<std::unique_ptr<Interpreter>> idle_;
};

// Hands the leaves to the places of a possibly nested tuple shape.
Value Pack(const Shape& shape, std::vector<Value>& leaves, size_t* next) {
  if (!shape.IsTuple()) return std::move(leaves[(*next)++]);
  std::vector<Value> elements;
  for (const Shape& element : shape.tuple_shapes()) elements.push_back(Pack(element, leaves, next));
  return Value::Tuple(shape, std::move(elements));
}

absl::StatusOr<Value> RunProgram(const InterpreterPool& pool, const Shape& shape, absl::Span<const Value* const> operands,
                                 MemoryAccount* account, const std::atomic<bool>* cancel) {
  absl::StatusOr<std::vector<Value>> outputs = pool.Run(operands, account, cancel);
  if (!outputs.ok()) {
    if (absl::IsResourceExhausted(outputs.status())) return Value();  // the Machine knows what was live and says so
    return outputs.status();
  }
  size_t next = 0;
  return Pack(shape, *outputs, &next);
}

class ProgramKernel : public Kernel {
 public:
  ProgramKernel(Program program, const Instruction& root) : pool_(std::move(program)), root_(root) {}

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    std::vector<const Value*> operands;
    for (const Value& input : inputs) operands.push_back(&input);
    return RunProgram(pool_, root_.shape, operands, context.account, context.cancel);
  }
  std::string description() const override { return "interpreted element program"; }

 private:
  InterpreterPool pool_;
  const Instruction& root_;
};

// A program over memory: values are taken as the row-major arrays that their bytes are.
class LaidProgramKernel : public Kernel {
 public:
  LaidProgramKernel(PhysicalProgram physical, const Instruction& root)
      : shapes_(physical.program.operands), outputs_(std::move(physical.outputs)), pool_(std::move(physical.program)), root_(root) {}

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    std::vector<const Value*> operands;
    for (size_t k = 0; k < inputs.size(); ++k) {
      inputs[k] = std::move(inputs[k]).PhysicalAs(shapes_[k]);
      operands.push_back(&inputs[k]);
    }
    absl::StatusOr<std::vector<Value>> outputs = pool_.Run(operands, context.account, context.cancel);
    if (absl::IsResourceExhausted(outputs.status())) return Value();
    if (!outputs.ok()) return outputs.status();
    for (size_t o = 0; o < outputs->size(); ++o) (*outputs)[o] = std::move((*outputs)[o]).PhysicalAs(outputs_[o]);
    size_t next = 0;
    return Pack(root_.shape, *outputs, &next);
  }
  std::string description() const override { return "interpreted element program"; }

 private:
  const std::vector<Shape> shapes_, outputs_;
  InterpreterPool pool_;
  const Instruction& root_;
};

// Calls computations of scalars for operations like sort whose comparator did not inline into something faster.
class ScalarCaller {
 public:
  explicit ScalarCaller(MemoryAccount* account, const std::atomic<bool>* cancel) : account_(account), cancel_(cancel) {}

  absl::StatusOr<Value> Call(const Computation& computation, absl::Span<const Value> arguments) {
    auto it = pools_.find(&computation);
    if (it == pools_.end()) {
      absl::StatusOr<Program> program = MakeProgram(computation);
      if (!program.ok()) return program.status();
      it = pools_.emplace(&computation, std::make_unique<InterpreterPool>(*std::move(program))).first;
    }
    std::vector<const Value*> operands;
    for (const Value& argument : arguments) operands.push_back(&argument);
    return RunProgram(*it->second, computation.root->shape, operands, account_, cancel_);
  }

 private:
  static void Leaves(const Shape& shape, std::vector<Shape>& leaves) {
    if (!shape.IsTuple()) {
      leaves.push_back(shape);
      return;
    }
    for (const Shape& element : shape.tuple_shapes()) Leaves(element, leaves);
  }

  static absl::StatusOr<Program> MakeProgram(const Computation& computation) {
    Program program;
    std::vector<NodeId> arguments;
    for (const Instruction* parameter : computation.parameters) {
      if (!parameter->shape.IsScalar()) {
        return absl::UnimplementedError(absl::StrCat("%", computation.name, " takes a ", parameter->shape.ToString(false),
                                                     "; only computations of scalars are called here"));
      }
      arguments.push_back(program.graph->Load(static_cast<int32_t>(program.operands.size()), parameter->shape.element_type(), {}));
      program.operands.push_back(parameter->shape);
    }
    absl::StatusOr<std::vector<NodeId>> results = InlineScalarComputation(*program.graph, computation, arguments);
    if (!results.ok()) return results.status();
    std::vector<Shape> shapes;
    Leaves(computation.root->shape, shapes);
    for (size_t i = 0; i < shapes.size(); ++i) program.outputs.push_back({shapes[i], (*results)[i]});
    return program;
  }

  MemoryAccount* account_;
  const std::atomic<bool>* cancel_;
  absl::flat_hash_map<const Computation*, std::unique_ptr<InterpreterPool>> pools_;
};

class EvaluateKernel : public Kernel {
 public:
  // `operand_input[k]`: which input is operand k.
  EvaluateKernel(const Instruction& instruction, std::vector<int> operand_input)
      : instruction_(instruction), operand_input_(std::move(operand_input)) {}

  absl::StatusOr<Value> Run(const RunContext& context, std::vector<Value> inputs) const override {
    std::vector<Value> operands;
    for (int input : operand_input_) operands.push_back(inputs[input]);
    ScalarCaller caller(context.account, context.cancel);
    EvalContext eval{instruction_, operands, context.account, nullptr, context.stream_seed};
    eval.call = [&caller](const Computation& computation, absl::Span<const Value> arguments) {
      return caller.Call(computation, arguments);
    };
    return Def(instruction_).evaluate(eval);
  }
  std::string description() const override { return "evaluated whole"; }

 private:
  const Instruction& instruction_;
  std::vector<int> operand_input_;
};

class ReferenceBackend : public Backend {
 public:
  absl::string_view name() const override { return "reference"; }

  absl::StatusOr<std::unique_ptr<Plan>> MakePlan(const Computation& computation) override { return SingleStepPlan(computation); }

  absl::StatusOr<std::shared_ptr<const Kernel>> GetKernel(const Computation& computation, const Region& region) override {
    const Instruction& root = *computation.schedule[region.root];
    const OpDef& def = Def(root);
    if (region.members.size() == 1 && (def.op_class == OpClass::kOpaque || def.op_class == OpClass::kStructural)) {
      if (def.evaluate == nullptr) {
        return absl::UnimplementedError(def.not_executed.empty() ? absl::StrCat(ShownName(root), " cannot be evaluated")
                                                                 : std::string(def.not_executed));
      }
      std::vector<int> operand_input;
      for (const Instruction* operand : root.operands) {
        const auto it = std::find(region.inputs.begin(), region.inputs.end(), operand->index);
        if (it == region.inputs.end()) return absl::InternalError(absl::StrCat(ShownName(*operand), " is not among the region's inputs"));
        operand_input.push_back(static_cast<int>(it - region.inputs.begin()));
      }
      auto kernel = std::make_shared<const EvaluateKernel>(root, std::move(operand_input));
      if (!HasLayouts(computation, region)) return kernel;
      return MakeLaidKernel(std::move(kernel), DenseInputs(computation, region), root.shape);
    }
    absl::StatusOr<Program> program = FuseRegion(computation, region);
    if (!program.ok()) return program.status();
    if (HasLayouts(computation, region)) {
      PhysicalProgram physical = LaidProgram(*program, root.shape);
      std::vector<Shape> operands = physical.operands;
      return MakeLaidKernel(std::make_shared<const LaidProgramKernel>(std::move(physical), root), std::move(operands), root.shape);
    }
    return std::make_shared<const ProgramKernel>(*std::move(program), root);
  }

  absl::StatusOr<std::vector<Artifact>> Artifacts(const Computation& computation, const Region& region) override {
    std::vector<Artifact> artifacts;
    absl::StatusOr<Program> program = FuseRegion(computation, region);
    if (!program.ok()) return artifacts;  // an opaque operation has no program to show
    std::vector<std::string> names;
    for (int input : region.inputs) names.push_back(std::string(computation.schedule[input]->name));
    artifacts.push_back({"formula", ToFormula(*program, names)});
    artifacts.push_back({"element program", CanonicalText(*program)});
    return artifacts;
  }
};

}  // namespace

std::unique_ptr<Backend> MakeReferenceBackend(const BackendOptions&) { return std::make_unique<ReferenceBackend>(); }

}  // namespace hloscope
