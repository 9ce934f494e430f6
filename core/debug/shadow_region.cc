// One program for all results of the same dimensions: what every member makes of an element, in its own types and in f64, over the same
// nodes for what they are made of. So a chain of members costs what its last one does, whatever is inside the folds of a row.
#include "core/debug/shadow_region.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <optional>

#include "absl/strings/str_cat.h"
#include "core/base/threads.h"
#include "core/debug/check.h"
#include "core/debug/compare_values.h"
#include "core/debug/widen.h"
#include "core/element/visit.h"
#include "core/exec/watch.h"
#include "core/literal/element_at.h"
#include "core/ops/cost.h"
#include "core/ops/op.h"
#include "core/ops/programs.h"

namespace hloscope {
namespace {

constexpr int64_t kCalled = 64;  // arguments that the code of a function takes at once
constexpr int64_t kSlab = 4096;  // elements evaluated before they are handed on
constexpr int64_t kFewestSamples = 4;
constexpr double kStepsOfThread = 1e5;  // worth a thread

bool HasNarrowNumbers(const Shape& shape) {
  if (shape.IsTuple()) return std::any_of(shape.tuple_shapes().begin(), shape.tuple_shapes().end(), HasNarrowNumbers);
  return shape.IsArray() && IsNarrowNumber(shape.element_type());
}

// Whether every backend gives the same bits for all that the program computes.
bool IsSameEverywhere(const Program& program) {
  const ExprGraph& graph = *program.graph;
  return VisitNodes(graph, RootsOf(program), [&](NodeId, const Node& node) {
    return node.kind == NodeKind::kScalarOp && !IsSameEverywhere(node.op, node.type, graph.node(node.inputs[0]).type) ? Visit::kEnd
                                                                                                                      : Visit::kInto;
  });
}

// The operands of a program that is one function, not the same bits on every backend, of its operands' elements at the same index; empty:
// it is not.
std::vector<int> OperandsOfFunction(const Program& program) {
  if (program.is_push || program.outputs.size() != 1) return {};
  const ExprGraph& graph = *program.graph;
  const Node& root = graph.node(program.outputs[0].value);
  if (root.kind != NodeKind::kScalarOp || IsSameEverywhere(root.op, root.type, graph.node(root.inputs[0]).type)) return {};
  std::vector<int> operands;
  for (const NodeId input : root.inputs) {
    const Node& load = graph.node(input);
    if (load.kind != NodeKind::kLoad || static_cast<int>(load.inputs.size()) != program.rank()) return {};
    for (int d = 0; d < program.rank(); ++d) {
      const Node& index = graph.node(load.inputs[d]);
      if (index.kind != NodeKind::kIndex || index.var != d) return {};
    }
    operands.push_back(load.operand);
  }
  return operands;
}

const Value& Leaf(const Value& value, size_t leaf) { return value.shape().IsTuple() ? value.elements()[leaf] : value; }

}  // namespace

bool IsNarrowNumber(ElementType type) { return (IsFloat(type) && type != ElementType::kF64) || type == ElementType::kC64; }

bool IsShadowed(const Instruction& instruction) {
  return instruction.literal == nullptr && Def(instruction).op_class != OpClass::kStructural && HasNarrowNumbers(instruction.shape) &&
         Def(instruction).movement == Movement::kCompute;
}

// ---- Functions ----

const Kernel* NativeFunctions::Find(ScalarOp op, int64_t aux, ElementType type, absl::Span<const ElementType> operands) {
  auto* native = dynamic_cast<WatchingBackend*>(&backend_);
  if (native == nullptr) return nullptr;
  std::string key = absl::StrCat(Name(op), " ", aux, " ", Name(type));
  for (const ElementType operand : operands) absl::StrAppend(&key, " ", Name(operand));
  const auto [entry, fresh] = kernels_.try_emplace(std::move(key));
  if (!fresh) return entry->second.get();
  const auto begin = std::chrono::steady_clock::now();
  std::vector<Shape> shapes;
  for (const ElementType operand : operands) shapes.push_back(Shape::Array(operand, {kCalled}));
  Program program = Program::Pull(shapes, Shape::Array(type, {kCalled}));
  std::vector<NodeId> loads;
  for (size_t k = 0; k < operands.size(); ++k)
    loads.push_back(program.graph->Load(static_cast<int32_t>(k), operands[k], {program.graph->Index(0)}));
  program.outputs[0].value = program.graph->Op(op, loads);
  absl::StatusOr<std::shared_ptr<const Kernel>> kernel = native->KernelOf(program);
  if (kernel.ok()) entry->second = *std::move(kernel);
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  return entry->second.get();
}

absl::Status NativeFunctions::Call(const Kernel& function, absl::Span<const std::vector<Scalar>> operands, std::vector<Scalar>& results) {
  const int64_t count = static_cast<int64_t>(operands[0].size());
  for (int64_t from = 0; from < count; from += kCalled) {
    std::vector<Value> inputs;
    for (const std::vector<Scalar>& operand : operands) {
      const ElementType type = operand[0].type;
      Value input = Value::Allocate(Shape::Array(type, {kCalled}));
      // What is left over gets an argument that is there.
      for (int64_t k = 0; k < kCalled; ++k)
        StoreScalar(operand[std::min(from + k, count - 1)], input.mutable_data() + k * StorageBytes(type));
      inputs.push_back(std::move(input));
    }
    const absl::StatusOr<Value> made = function.Run(RunContext(), std::move(inputs));
    if (!made.ok()) return made.status();
    for (int64_t k = 0; k < std::min(kCalled, count - from); ++k) results.push_back(ElementAt(*made, k));
  }
  return absl::OkStatus();
}

// ---- Preparing ----

// One array that is looked at: of the outputs of the group's program, which is what.
struct RegionShadow::Member {
  const Instruction* instruction;
  Shape shape;
  size_t leaf;
  int exact;
  int got;                           // -1: the region's result has it
  const Kernel* function = nullptr;  // makes it, from
  std::vector<int> arguments;
};

struct RegionShadow::Group {
  Shape shape;  // of the first that is in it: all have its dimensions
  Shape narrow, wide;  // the outputs', most of them: of its type and in f64
  Program program;
  std::vector<NodeId> index;           // its variables
  std::unique_ptr<MemberFuser> fuser;  // while it is being made
  std::vector<Member> members;
  Shape ShapeOf(ElementType type) const {
    return type == wide.element_type() ? wide : type == narrow.element_type() ? narrow : narrow.WithElementType(type);
  }
  double steps = 0;                                        // of one element of all outputs; of a push, of its updates
  std::optional<Program> own;                              // a push, as the region makes it; none: the region's result has it
  std::vector<std::unique_ptr<Interpreter>> interpreters;  // one a thread
};

RegionShadow::RegionShadow(NativeFunctions& functions, const Computation& computation, const Region& region)
    : functions_(functions), computation_(computation), region_(region) {
  bool exact_before = true;  // what the members before make is the same bits, whoever makes it
  for (const int position : region_.members) {
    const Instruction& instruction = *computation.schedule[position];
    if (IsShadowed(instruction)) Add(instruction, exact_before);
    if (!exact_before || position == region_.root || instruction.literal != nullptr) continue;
    const absl::StatusOr<Program>& program = programs_->Of(instruction);
    exact_before = program.ok() && IsSameEverywhere(*program);
  }
  if (steps_of_run_ == 0) CountStepsOfRoot();  // there is nothing to look at in it
  groups_.erase(std::remove_if(groups_.begin(), groups_.end(), [](const std::unique_ptr<Group>& group) { return group->members.empty(); }),
                groups_.end());
  for (const std::unique_ptr<Group>& group : groups_) {
    group->fuser = nullptr;
    group->steps = StepsOfElement(group->program);
    if (group->own.has_value()) group->steps += StepsOfElement(*group->own);
  }
  programs_ = nullptr;
}

void RegionShadow::CountStepsOfRoot() {
  const Instruction& root = *computation_.schedule[region_.root];
  const absl::StatusOr<Program>& program = programs_->Of(root);
  if (!program.ok()) return;
  if (program->is_push) {
    const absl::StatusOr<Program> fused = FuseRegion(computation_, region_, *program, *programs_);
    if (fused.ok()) steps_of_run_ = StepsOfAll(*fused);
    return;
  }
  Group& group = GroupOf(program->outputs[0].shape);
  const absl::StatusOr<std::vector<NodeId>> made = group.fuser->Outputs(root, *program, group.index);
  if (made.ok()) steps_of_run_ = StepsOf(*group.program.graph, *made, 0);
}

RegionShadow::~RegionShadow() = default;

void RegionShadow::Add(const Instruction& instruction, bool exact_before) {
  const absl::StatusOr<Program>& program = programs_->Of(instruction);
  absl::Status added = program.status();
  if (added.ok()) added = program->is_push ? AddPush(instruction, *program, exact_before) : AddPull(instruction, *program, exact_before);
  if (added.ok())
    instructions_.push_back(&instruction);
  else
    failures_.emplace_back(&instruction, std::string(added.message()));
}

RegionShadow::Group& RegionShadow::GroupOf(const Shape& shape) {
  for (const std::unique_ptr<Group>& group : groups_) {
    if (!group->program.is_push && Shape::SameDimensions(group->shape, shape)) return *group;
  }
  Group& group = *groups_.emplace_back(std::make_unique<Group>());
  std::vector<Shape> operands;
  for (const int input : region_.inputs) operands.push_back(computation_.schedule[input]->shape);
  group.shape = shape;
  group.narrow = Shape::Array(shape.element_type(), shape.dimensions());
  group.wide = group.narrow.WithElementType(ElementType::kF64);
  group.program = Program::Pull(std::move(operands), shape);
  group.index = OutputIndices(group.program);
  group.program.outputs.clear();
  group.fuser = std::make_unique<MemberFuser>(computation_, region_, *group.program.graph, *programs_);
  return group;
}

absl::Status RegionShadow::AddPull(const Instruction& instruction, const Program& program, bool exact_before) {
  Group& group = GroupOf(program.outputs[0].shape);
  ExprGraph& graph = *group.program.graph;
  std::vector<Program::Output>& outputs = group.program.outputs;
  const auto add = [&](NodeId node) {
    outputs.push_back({group.ShapeOf(graph.node(node).type), node});
    return static_cast<int>(outputs.size()) - 1;
  };
  const absl::StatusOr<std::vector<NodeId>> exact = group.fuser->Outputs(instruction, WidenProgram(program), group.index);
  if (!exact.ok()) return exact.status();
  const bool root = instruction.index == region_.root;
  if (root) steps_of_run_ = StepsOf(graph, *exact, 0);
  std::vector<NodeId> own;
  const Kernel* function = nullptr;
  std::vector<int> arguments;
  if (!root || !exact_before) {
    if (exact->size() == 1) {
      // The node that the members behind it load.
      const absl::StatusOr<NodeId> made = group.fuser->Element(instruction, group.index);
      if (!made.ok()) return made.status();
      own = {*made};
    } else {
      absl::StatusOr<std::vector<NodeId>> made = group.fuser->Outputs(instruction, program, group.index);
      if (!made.ok()) return made.status();
      own = *std::move(made);
    }
    const std::vector<int> operands = OperandsOfFunction(program);
    const Node& node = program.graph->node(program.outputs[0].value);
    std::vector<ElementType> types;
    for (const int operand : operands) types.push_back(program.operands[operand].element_type());
    if (!operands.empty()) function = functions_.Find(node.op, node.aux, node.type, types);
    for (size_t k = 0; function != nullptr && k < operands.size(); ++k) {
      const absl::StatusOr<NodeId> argument = group.fuser->Element(*instruction.operands[operands[k]], group.index);
      if (!argument.ok()) return argument.status();
      arguments.push_back(add(*argument));
    }
  }
  for (size_t o = 0; o < exact->size(); ++o) {
    if (!IsNarrowNumber(program.outputs[o].shape.element_type())) continue;
    const int wide = add((*exact)[o]), narrow = own.empty() ? -1 : add(own[o]);
    group.members.push_back({&instruction, program.outputs[o].shape, o, wide, narrow, function, arguments});
  }
  return absl::OkStatus();
}

absl::Status RegionShadow::AddPush(const Instruction& instruction, const Program& program, bool exact_before) {
  if (instruction.index != region_.root) return absl::UnimplementedError("it can only be the root of a region");
  absl::StatusOr<Program> exact = FuseRegion(computation_, region_, WidenProgram(program), *programs_);
  if (!exact.ok()) return exact.status();
  auto group = std::make_unique<Group>();
  group->shape = exact->outputs[0].shape;
  group->program = *std::move(exact);
  steps_of_run_ = StepsOfAll(group->program);
  if (!exact_before) {
    absl::StatusOr<Program> own = FuseRegion(computation_, region_, program, *programs_);
    if (!own.ok()) return own.status();
    group->own = *std::move(own);
  }
  for (size_t o = 0; o < program.outputs.size(); ++o) {
    if (!IsNarrowNumber(program.outputs[o].shape.element_type())) continue;
    group->members.push_back({&instruction, program.outputs[o].shape, o, static_cast<int>(o), exact_before ? -1 : static_cast<int>(o)});
  }
  groups_.push_back(std::move(group));
  return absl::OkStatus();
}

// ---- Looking ----

int64_t RegionShadow::SamplesOf(const Group& group, int64_t samples, double most) const {
  if (samples < 0 || group.program.is_push) return samples;
  const int64_t affordable = static_cast<int64_t>(std::min(1e12, most / static_cast<double>(groups_.size()) / group.steps));
  return std::clamp<int64_t>(affordable, std::min(kFewestSamples, samples), samples);
}

double RegionShadow::StepsOfLook(int64_t samples, double most) const {
  double steps = 0;
  for (const std::unique_ptr<Group>& group : groups_) {
    const int64_t count = group->shape.ElementCount(), taken = SamplesOf(*group, samples, most);
    steps += group->program.is_push ? group->steps : group->steps * static_cast<double>(taken < 0 ? count : std::min(count, taken));
  }
  return steps;
}

int64_t RegionShadow::Fewer(int64_t samples, double most, const Instruction** first, int64_t* taken) const {
  int64_t instructions = 0;
  for (const std::unique_ptr<Group>& group : groups_) {
    const int64_t now = SamplesOf(*group, samples, most);
    if (now == samples || now >= group->shape.ElementCount()) continue;
    for (const Member& member : group->members) {
      if (member.leaf > 0) continue;
      if (instructions++ > 0) continue;
      *first = member.instruction;
      *taken = now;
    }
  }
  return instructions;
}

absl::Status RegionShadow::At(const Look& look, const std::function<void(const ShadowElement&)>& take) {
  std::vector<const Value*> operands;
  for (const Value& input : look.inputs) operands.push_back(&input);
  for (const std::unique_ptr<Group>& group : groups_) {
    const absl::Status looked =
        group->program.is_push ? LookAtPush(*group, look, operands, take) : LookAtPull(*group, look, operands, take);
    if (!looked.ok()) return looked;
  }
  return absl::OkStatus();
}

absl::Status RegionShadow::LookAtPush(const Group& group, const Look& look, absl::Span<const Value* const> operands,
                                      const std::function<void(const ShadowElement&)>& take) {
  InterpretOptions interpret;
  interpret.bounds = false;
  Interpreter interpreter(group.program, interpret);
  interpreter.set_cancel(look.cancel);
  std::optional<Interpreter> own_interpreter;
  if (group.own.has_value()) own_interpreter.emplace(*group.own, interpret).set_cancel(look.cancel);
  // Each time one pass over the updates.
  return ForEachSlab(
      group.shape, look.samples, look.seed, [&](absl::Span<const int64_t> linear, absl::Span<const std::vector<int64_t>> indices) {
        const absl::StatusOr<std::vector<std::vector<BoundedScalar>>> exact = interpreter.AtMany(operands, indices);
        if (!exact.ok()) return exact.status();
        absl::StatusOr<std::vector<std::vector<BoundedScalar>>> own;
        if (own_interpreter.has_value()) {
          own = own_interpreter->AtMany(operands, indices);
          if (!own.ok()) return own.status();
        }
        for (const Member& member : group.members) {
          for (size_t k = 0; k < linear.size(); ++k) {
            const Scalar got =
                own_interpreter.has_value() ? (*own)[k][member.got].value : ElementAt(Leaf(*look.result, member.leaf), linear[k]);
            take({member.instruction, &member.shape, linear[k], got, (*exact)[k][member.exact].value});
          }
        }
        return absl::OkStatus();
      });
}

absl::Status RegionShadow::LookAtPull(Group& group, const Look& look, absl::Span<const Value* const> operands,
                                      const std::function<void(const ShadowElement&)>& take) {
  const int64_t count = group.shape.ElementCount(), samples = SamplesOf(group, look.samples, look.most);
  const bool all = samples < 0 || count <= samples;
  const std::vector<int64_t> list = all ? std::vector<int64_t>() : SampleIndices(count, samples, look.seed);
  const int64_t total = all ? count : static_cast<int64_t>(list.size()), width = static_cast<int64_t>(group.program.outputs.size());
  std::vector<Scalar> made;
  for (int64_t from = 0; from < total; from += kSlab) {
    const int64_t n = std::min(kSlab, total - from);
    if (const absl::Status s = Evaluate(group, look, operands, all ? nullptr : list.data(), from, n, made); !s.ok()) return s;
    for (const Member& member : group.members) {
      std::vector<Scalar> results;
      if (member.function != nullptr) {
        std::vector<std::vector<Scalar>> arguments(member.arguments.size());
        for (size_t a = 0; a < arguments.size(); ++a) {
          for (int64_t k = 0; k < n; ++k) arguments[a].push_back(made[k * width + member.arguments[a]]);
        }
        if (const absl::Status s = NativeFunctions::Call(*member.function, arguments, results); !s.ok()) return s;
      }
      for (int64_t k = 0; k < n; ++k) {
        const int64_t at = all ? from + k : list[from + k];
        Scalar got = member.got >= 0 ? made[k * width + member.got] : ElementAt(Leaf(*look.result, member.leaf), at);
        if (member.function != nullptr) got = results[k];
        take({member.instruction, &member.shape, at, got, made[k * width + member.exact]});
      }
    }
  }
  return absl::OkStatus();
}

// All outputs at places from ... from + n - 1 of the list, or of the result itself, one element's after the other's.
absl::Status RegionShadow::Evaluate(Group& group, const Look& look, absl::Span<const Value* const> operands, const int64_t* list,
                                    int64_t from, int64_t n, std::vector<Scalar>& made) {
  const double steps = group.steps * static_cast<double>(n);
  const int threads = std::clamp<int>(static_cast<int>(std::min(1024.0, steps / kStepsOfThread)), 1, look.threads);
  InterpretOptions interpret;
  interpret.bounds = false;
  while (static_cast<int>(group.interpreters.size()) < threads) {
    group.interpreters.push_back(std::make_unique<Interpreter>(group.program, interpret));
  }
  const int64_t width = static_cast<int64_t>(group.program.outputs.size());
  made.resize(n * width);
  std::vector<absl::Status> statuses(threads);
  OnThreads(threads, [&](int t) {
    Interpreter& interpreter = *group.interpreters[t];
    interpreter.set_cancel(look.cancel);
    const int64_t first = n * t / threads, last = n * (t + 1) / threads;
    Scalar* next = made.data() + first * width;
    const auto keep = [&](int64_t, absl::Span<const BoundedScalar> element) {
      for (const BoundedScalar& output : element) *next++ = output.value;
    };
    if (list == nullptr) statuses[t] = interpreter.ForRange(operands, from + first, from + last, keep);
    for (int64_t k = from + first; list != nullptr && k < from + last && statuses[t].ok(); ++k) {
      statuses[t] = interpreter.ForRange(operands, list[k], list[k] + 1, keep);
    }
  });
  for (const absl::Status& status : statuses) {
    if (!status.ok()) return status;
  }
  return absl::OkStatus();
}

}  // namespace hloscope
