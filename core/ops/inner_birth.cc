// The calls are made again one by one (core/ops/called_run.h), until one has what is looked for.
#include "core/ops/inner_birth.h"

#include <algorithm>
#include <memory>

#include "core/element/hazard_program.h"
#include "core/literal/element_at.h"
#include "core/ops/called_run.h"
#include "core/ops/element_calls.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

constexpr int64_t kMostCalls = 200000;  // then nobody waits for it any longer

std::vector<const Computation*> ScalarComputations(const Instruction& instruction) {
  std::vector<const Computation*> found;
  const OpDef& def = Def(instruction);
  if (def.control != ControlKind::kNone) return found;
  for (const Computation* c : instruction.CalledComputations()) {
    for (const Instruction* p : c->parameters) {
      if (!p->shape.IsScalar()) return {};
    }
    found.push_back(c);
  }
  for (size_t k = 0; k < found.size(); ++k) {  // and what they run in turn
    for (const Instruction* i : found[k]->schedule) {
      if (i->attributes.empty()) continue;
      for (const Computation* c : i->CalledComputations()) {
        if (std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
      }
    }
  }
  return found;
}

bool IsFloating(const Shape& shape) { return shape.IsArray() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type())); }

Value ElementOf(const Value& array, int64_t linear) {
  const int bytes = StorageBytes(array.shape().element_type());
  return Value::FromBytes(Shape::Scalar(array.shape().element_type()), absl::MakeConstSpan(array.data() + linear * bytes, bytes));
}

int64_t SortDimension(const Instruction& sort) {
  const absl::Span<const int64_t> dims = sort.Ints(AttrId::kDimensions);
  return dims.empty() ? sort.operands[0]->shape.rank() - 1 : dims[0];
}

// Whether its result may be finite where an operand is infinite.
bool HidesInfinity(ScalarOp op) {
  switch (op) {
    case ScalarOp::kDivide:
    case ScalarOp::kMaximum:
    case ScalarOp::kMinimum:
    case ScalarOp::kExp:
    case ScalarOp::kExpm1:
    case ScalarOp::kPower:
    case ScalarOp::kRsqrt:
    case ScalarOp::kTanh:
    case ScalarOp::kLogistic:
    case ScalarOp::kAtan2:
    case ScalarOp::kErf:
    case ScalarOp::kRemainder:
    case ScalarOp::kSign: return true;
    default: return false;
  }
}

struct CallsFacts {
  bool makes = false;  // some operation may have it
  bool hides = false;  // and something may lose it again
};

CallsFacts FactsOfCalls(const Instruction& instruction, const HazardQuery& query) {
  CallsFacts facts;
  for (const Computation* computation : ScalarComputations(instruction)) {
    for (const Instruction* i : computation->schedule) {
      if (i->parameter_number >= 0 || i->literal != nullptr) continue;
      facts.hides = facts.hides || Def(*i).control == ControlKind::kWhile;  // the next iteration may lose it
      if (Def(*i).op_class != OpClass::kPull) continue;
      absl::StatusOr<Program> program = ElementProgram(*i);
      if (!program.ok()) continue;
      bool reads_floats = false;
      for (const Instruction* operand : i->operands) reads_floats = reads_floats || IsFloating(operand->shape);
      facts.hides = facts.hides || (reads_floats && !IsFloating(i->shape));
      for (NodeId id = 0; id < program->graph->size(); ++id) {
        const Node& node = program->graph->node(id);
        if (node.kind == NodeKind::kSelect) facts.hides = true;
        if (node.kind != NodeKind::kScalarOp) continue;
        facts.makes = facts.makes || MayHave(query, node.op, node.type, program->graph->node(node.inputs[0]).type);
        facts.hides = facts.hides || (query.infinity && HidesInfinity(node.op));
      }
    }
  }
  return facts;
}

bool AnyInCalls(const Instruction& instruction, bool (*holds)(const Instruction& i)) {
  for (const Computation* computation : ScalarComputations(instruction)) {
    if (std::any_of(computation->schedule.begin(), computation->schedule.end(), [&](const Instruction* i) { return holds(*i); })) return true;
  }
  return false;
}

bool Branches(const Instruction& i) { return Def(i).control == ControlKind::kConditional || Def(i).control == ControlKind::kWhile; }

}  // namespace

bool CallsMayHide(const Instruction& instruction, const HazardQuery& query) {
  const CallsFacts facts = FactsOfCalls(instruction, query);
  return facts.makes && facts.hides;
}

bool CallsMayHave(const Instruction& instruction, const HazardQuery& query) { return FactsOfCalls(instruction, query).makes; }

bool CallsChoose(const Instruction& instruction) {
  return AnyInCalls(instruction, [](const Instruction& i) { return i.opcode == Opcode::kSelect || Branches(i); });
}

bool CallsBranch(const Instruction& instruction) { return AnyInCalls(instruction, Branches); }

InnerBirths::InnerBirths(const HazardQuery& query) : run_(std::make_unique<CalledRun>(query)) {}
InnerBirths::~InnerBirths() = default;
int64_t InnerBirths::operations() const { return run_->operations() + passed_over_; }

std::optional<InnerBirth> InnerBirths::InComparison(const Instruction& sort, const Value& result, int64_t element) {
  const Computation* comparator = sort.Called(AttrId::kToApply);
  const Shape& shape = sort.operands[0]->shape;
  if (comparator == nullptr || shape.rank() == 0) return std::nullopt;
  const int d = static_cast<int>(SortDimension(sort));
  if (shape.dim(d) < 2) return std::nullopt;  // nothing is compared
  const int64_t stride = RowMajorStrides(shape.dimensions())[d];
  // The last one with the one before it.
  const int64_t first = element / stride % shape.dim(d) + 1 < shape.dim(d) ? element : element - stride;
  std::vector<Value> arguments;
  for (size_t k = 0; k < sort.operands.size(); ++k) {
    const Value& sorted = result.shape().IsTuple() ? result.elements()[k] : result;
    arguments.push_back(ElementOf(sorted, first));
    arguments.push_back(ElementOf(sorted, first + stride));
  }
  run_->Begin();
  (void)run_->Run(*comparator, arguments);
  std::optional<InnerBirth> birth = run_->TakeBirth();
  if (!birth.has_value()) return birth;
  for (size_t p = 0; p < arguments.size(); ++p) birth->arguments.push_back({comparator->parameters[p], ElementAt(arguments[p], 0), -1, 0});
  return birth;
}

std::optional<InnerBirth> InnerBirths::In(const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int64_t element) {
  if (ScalarComputations(instruction).empty()) return std::nullopt;
  if (instruction.opcode == Opcode::kSort) return InComparison(instruction, result, element);
  for (const Value& operand : operands) {
    if (!operand.has_value() || !operand.shape().IsArray()) return std::nullopt;
  }
  if (calls_ == nullptr) {
    calls_ = ElementCalls::MakeFor(instruction, std::vector<Value>(operands.begin(), operands.end()), element);
  } else {
    calls_->BeginFor(element);
  }
  ElementCalls* const calls = calls_.get();
  if (calls == nullptr) return std::nullopt;
  run_->Begin();
  std::optional<Value> previous;
  for (int64_t call = 0; call < kMostCalls; ++call) {
    const std::optional<std::vector<Value>> arguments = calls->Next(previous.has_value() ? &*previous : nullptr);
    if (!arguments.has_value()) {
      passed_over_ += calls->updates_seen();
      return std::nullopt;
    }
    const Computation& computation = calls->computation();
    previous = run_->Run(computation, *arguments);
    if (previous.has_value()) continue;
    std::optional<InnerBirth> birth = run_->TakeBirth();
    if (birth.has_value()) {
      birth->call = call;
      const std::vector<std::pair<int, int64_t>>& sources = calls->sources();
      for (size_t p = 0; p < arguments->size(); ++p) {
        const bool from_operand = p < sources.size() && sources[p].first >= 0;
        birth->arguments.push_back({computation.parameters[p], ElementAt((*arguments)[p], 0), from_operand ? sources[p].first : -1, from_operand ? sources[p].second : 0});
      }
    }
    return birth;
  }
  return std::nullopt;
}

std::optional<InnerBirth> InnerBirths::InFold(const Computation& reducer, absl::Span<const Scalar> elements) {
  if (reducer.parameters.size() != 2 || elements.empty()) return std::nullopt;
  const auto argument = [&](size_t p, const Scalar& scalar) {
    const Shape& shape = reducer.parameters[p]->shape;
    Value value = Value::Allocate(Shape::Scalar(shape.element_type()));
    StoreScalar(ConvertScalar(scalar, shape.element_type()), value.mutable_data());
    return value;
  };
  run_->Begin();
  Scalar before = elements[0];
  for (size_t k = 1; k < elements.size(); ++k) {
    const Value arguments[] = {argument(0, before), argument(1, elements[k])};
    const std::optional<Value> made = run_->Run(reducer, arguments);
    if (made.has_value()) {
      before = ElementAt(*made, 0);
      continue;
    }
    std::optional<InnerBirth> birth = run_->TakeBirth();
    if (!birth.has_value()) return birth;
    birth->call = static_cast<int64_t>(k) - 1;
    for (size_t p = 0; p < 2; ++p) birth->arguments.push_back({reducer.parameters[p], ElementAt(arguments[p], 0), -1, 0});
    return birth;
  }
  return std::nullopt;
}

void DropLastOfLines(const Instruction& instruction, std::vector<int64_t>& places) {
  if (instruction.opcode != Opcode::kSort || instruction.operands[0]->shape.rank() == 0) return;
  const Shape& shape = instruction.operands[0]->shape;
  const int d = static_cast<int>(SortDimension(instruction));
  const int64_t stride = RowMajorStrides(shape.dimensions())[d], extent = shape.dim(d);
  places.erase(std::remove_if(places.begin(), places.end(), [&](int64_t place) { return place / stride % extent == extent - 1; }), places.end());
}

std::optional<Program> NeighbourProgram(const Instruction& sort) {
  if (sort.opcode != Opcode::kSort) return std::nullopt;
  const Computation* comparator = sort.Called(AttrId::kToApply);
  const Shape& shape = sort.operands[0]->shape;
  if (comparator == nullptr || shape.rank() == 0) return std::nullopt;
  const int d = static_cast<int>(SortDimension(sort));
  if (shape.dim(d) < 2) return std::nullopt;  // nothing is compared
  std::vector<Shape> arrays;
  for (const Instruction* operand : sort.operands) arrays.push_back(Shape::Array(operand->shape.element_type(), operand->shape.dimensions()));
  Program program = Program::Pull(arrays, Shape::Array(ElementType::kPred, shape.dimensions()));
  ExprGraph& graph = *program.graph;
  std::vector<NodeId> here, after;
  for (int k = 0; k < shape.rank(); ++k) here.push_back(graph.Index(k));
  here[d] = graph.Clamp(here[d], 0, shape.dim(d) - 2);
  after = here;
  after[d] = graph.Add(here[d], graph.IndexConstant(1));
  std::vector<NodeId> arguments;
  for (size_t k = 0; k < arrays.size(); ++k) {
    arguments.push_back(graph.Load(static_cast<int32_t>(k), arrays[k].element_type(), here));
    arguments.push_back(graph.Load(static_cast<int32_t>(k), arrays[k].element_type(), after));
  }
  absl::StatusOr<std::vector<NodeId>> root = InlineScalarComputation(graph, *comparator, arguments);
  if (!root.ok() || root->size() != 1) return std::nullopt;
  program.outputs[0].value = (*root)[0];
  return program;
}

}  // namespace hloscope
