// The calls are made again one by one, each instruction of the computation on scalars by its own program, until one has what is looked for.
#include "core/ops/inner_birth.h"

#include <algorithm>
#include <cmath>
#include <memory>

#include "absl/container/flat_hash_map.h"
#include "core/element/element_trace.h"
#include "core/element/hazard_program.h"
#include "core/element/interpret.h"
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
  for (size_t k = 0; k < found.size(); ++k) {  // and what they call in turn
    for (const Instruction* i : found[k]->schedule) {
      if (Def(*i).control != ControlKind::kCall) continue;
      for (const Computation* c : i->CalledComputations()) {
        if (std::find(found.begin(), found.end(), c) == found.end()) found.push_back(c);
      }
    }
  }
  return found;
}

bool IsFloating(const Shape& shape) { return shape.IsArray() && (IsFloat(shape.element_type()) || IsComplex(shape.element_type())); }

// Makes the values of a computation's instructions on scalars.
class ScalarRun {
 public:
  // False: there is something in it that is no expression.
  bool Run(const Computation& computation, absl::Span<const Value> arguments) {
    values_.clear();
    for (const Instruction* i : computation.schedule) {
      if (i->parameter_number >= 0) {
        values_[i] = arguments[i->parameter_number];
        continue;
      }
      if (i->literal != nullptr) {
        values_[i] = i->literal->value;
        continue;
      }
      std::vector<Value> operands;
      std::vector<const Value*> pointers;
      for (const Instruction* operand : i->operands) operands.push_back(values_[operand]);
      for (const Value& operand : operands) pointers.push_back(&operand);
      const OpDef& def = Def(*i);
      if (def.control == ControlKind::kCall && def.evaluate == nullptr) {
        std::unique_ptr<ScalarRun>& call = calls_[i];
        if (call == nullptr) call = std::make_unique<ScalarRun>();
        const Computation& called = *i->CalledComputations()[0];
        if (!call->Run(called, operands)) return false;
        values_[i] = call->ValueOf(called.root);
        continue;
      }
      if (def.op_class == OpClass::kStructural && def.evaluate != nullptr) {
        EvalContext context{*i, operands};
        absl::StatusOr<Value> made = def.evaluate(context);
        if (!made.ok()) return false;
        values_[i] = *std::move(made);
        continue;
      }
      if (def.op_class != OpClass::kPull || !i->shape.IsArray()) return false;
      std::unique_ptr<Interpreter>& interpreter = interpreters_[i];
      if (interpreter == nullptr) {
        absl::StatusOr<Program> program = ElementProgram(*i);
        if (!program.ok()) return false;
        InterpretOptions options;
        options.bounds = false;
        interpreter = std::make_unique<Interpreter>(*program, options);
        programs_[i] = std::make_unique<Program>(*std::move(program));
      }
      absl::StatusOr<std::vector<Value>> made = interpreter->All(pointers);
      if (!made.ok()) return false;
      values_[i] = (*made)[0];
    }
    return true;
  }

  const Value& ValueOf(const Instruction* i) const { return values_.at(i); }
  // The program of an instruction that has run by one; null: it has not.
  const Program* ProgramOf(const Instruction* i) const {
    const auto program = programs_.find(i);
    return program == programs_.end() ? nullptr : program->second.get();
  }
  // What ran for a call; null: it is none.
  const ScalarRun* CallOf(const Instruction* i) const {
    const auto call = calls_.find(i);
    return call == calls_.end() ? nullptr : call->second.get();
  }

 private:
  absl::flat_hash_map<const Instruction*, Value> values_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Program>> programs_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Interpreter>> interpreters_;
  absl::flat_hash_map<const Instruction*, std::unique_ptr<ScalarRun>> calls_;
};

Scalar ToScalar(const Value& value, int64_t linear = 0) {
  const ElementType type = value.shape().element_type();
  return LoadScalar(type, value.data() + linear * StorageBytes(type));
}

bool IsInfinite(const Scalar& s) { return !s.IsNaN() && (std::isinf(s.re) || (IsComplex(s.type) && std::isinf(s.im))); }

// The first element that is NaN (or infinite); -1: none is.
int64_t FirstBad(const Value& value, bool infinity) {
  for (int64_t k = 0; IsFloating(value.shape()) && k < value.element_count(); ++k) {
    const Scalar s = ToScalar(value, k);
    if (infinity ? IsInfinite(s) : s.IsNaN()) return k;
  }
  return -1;
}
// Whether it comes from there: an infinity may also come of a NaN's other part.
bool BringsBad(const Value& value, bool infinity) { return FirstBad(value, false) >= 0 || (infinity && FirstBad(value, true) >= 0); }

// The first element at which an operation of the instruction's program has the hazard; -1: at none.
int64_t FirstHazard(const ScalarRun& run, const Instruction& i, const HazardQuery& query) {
  const Program* program = run.ProgramOf(&i);
  if (program == nullptr) return -1;
  std::vector<Value> operands;
  for (const Instruction* operand : i.operands) operands.push_back(run.ValueOf(operand));
  ElementTrace trace(*program, operands);
  bool hit = false;
  trace.set_on_op([&](const Node& node, absl::Span<const Scalar> in, const Scalar& out, bool) { hit = hit || Has(*query.hazard, node.op, node.type, node.aux, in, out, query.bits, nullptr); });
  std::vector<int64_t> index(i.shape.rank());
  for (int64_t k = 0; k < run.ValueOf(&i).element_count(); ++k) {
    DelinearizeIndex(i.shape.dimensions(), k, absl::MakeSpan(index));
    trace.At(0, index);
    if (hit) return k;
  }
  return -1;
}

// The first instruction of the call that has just run that has what is looked for.
std::optional<InnerBirth> BirthIn(const ScalarRun& run, const Computation& computation, const HazardQuery& query) {
  for (const Instruction* i : computation.schedule) {
    if (const ScalarRun* call = run.CallOf(i); call != nullptr) {
      if (std::optional<InnerBirth> birth = BirthIn(*call, *i->CalledComputations()[0], query); birth.has_value()) return birth;
      continue;
    }
    if (i->parameter_number >= 0 || i->literal != nullptr) continue;
    const int64_t born = query.hazard.has_value() ? FirstHazard(run, *i, query) : FirstBad(run.ValueOf(i), query.infinity);
    if (born < 0) continue;
    InnerBirth birth;
    birth.value = ToScalar(run.ValueOf(i), born);
    bool inherited = false;
    for (const Instruction* operand : i->operands) {
      if (!operand->shape.IsArray()) {
        inherited = true;  // taken out of a tuple
        break;
      }
      const Value& from = run.ValueOf(operand);
      inherited = inherited || (!query.hazard.has_value() && BringsBad(from, query.infinity));
      if (from.element_count() > 0) birth.read.push_back({operand, ToScalar(from, operand->shape.dimensions() == i->shape.dimensions() ? born : 0)});
    }
    if (inherited) continue;
    birth.instruction = i;
    return birth;
  }
  return std::nullopt;
}

Value ElementOf(const Value& array, int64_t linear) {
  const int bytes = StorageBytes(array.shape().element_type());
  return Value::FromBytes(Shape::Scalar(array.shape().element_type()), absl::MakeConstSpan(array.data() + linear * bytes, bytes));
}

int64_t SortDimension(const Instruction& sort) {
  const absl::Span<const int64_t> dims = sort.Ints(AttrId::kDimensions);
  return dims.empty() ? sort.operands[0]->shape.rank() - 1 : dims[0];
}

std::optional<InnerBirth> BirthInComparison(const Instruction& sort, const Value& result, int64_t element, const HazardQuery& query) {
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
  ScalarRun run;
  if (!run.Run(*comparator, arguments)) return std::nullopt;
  std::optional<InnerBirth> birth = BirthIn(run, *comparator, query);
  if (!birth.has_value()) return birth;
  for (size_t p = 0; p < arguments.size(); ++p) birth->arguments.push_back({comparator->parameters[p], ToScalar(arguments[p]), -1, 0});
  return birth;
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

}  // namespace

bool CallsMayHide(const Instruction& instruction, const HazardQuery& query) {
  bool makes = false, hides = false;
  for (const Computation* computation : ScalarComputations(instruction)) {
    for (const Instruction* i : computation->schedule) {
      if (i->parameter_number >= 0 || i->literal != nullptr || Def(*i).op_class != OpClass::kPull) continue;
      absl::StatusOr<Program> program = ElementProgram(*i);
      if (!program.ok()) continue;
      bool reads_floats = false;
      for (const Instruction* operand : i->operands) reads_floats = reads_floats || IsFloating(operand->shape);
      hides = hides || (reads_floats && !IsFloating(i->shape));
      for (NodeId id = 0; id < program->graph->size(); ++id) {
        const Node& node = program->graph->node(id);
        if (node.kind == NodeKind::kSelect) hides = true;
        if (node.kind != NodeKind::kScalarOp) continue;
        makes = makes || MayHave(query, node.op, node.type, program->graph->node(node.inputs[0]).type);
        hides = hides || (query.infinity && HidesInfinity(node.op));
      }
    }
  }
  return makes && hides;
}

bool CallsChoose(const Instruction& instruction) {
  for (const Computation* computation : ScalarComputations(instruction)) {
    if (std::any_of(computation->schedule.begin(), computation->schedule.end(),
                    [](const Instruction* i) { return i->opcode == Opcode::kSelect; }))
      return true;
  }
  return false;
}

std::optional<InnerBirth> FindInnerBirth(const Instruction& instruction, absl::Span<const Value> operands, const Value& result, int64_t element, const HazardQuery& query) {
  if (ScalarComputations(instruction).empty()) return std::nullopt;
  if (instruction.opcode == Opcode::kSort) return BirthInComparison(instruction, result, element, query);
  for (const Value& operand : operands) {
    if (!operand.has_value() || !operand.shape().IsArray()) return std::nullopt;
  }
  std::unique_ptr<ElementCalls> calls = ElementCalls::MakeFor(instruction, std::vector<Value>(operands.begin(), operands.end()), element);
  if (calls == nullptr) return std::nullopt;
  ScalarRun run;
  Value previous;
  for (int64_t call = 0; call < kMostCalls; ++call) {
    const std::optional<std::vector<Value>> arguments = calls->Next(call == 0 ? nullptr : &previous);
    if (!arguments.has_value()) return std::nullopt;
    const Computation& computation = calls->computation();
    if (!run.Run(computation, *arguments)) return std::nullopt;
    std::optional<InnerBirth> birth = BirthIn(run, computation, query);
    if (birth.has_value()) {
      birth->call = call;
      const std::vector<std::pair<int, int64_t>>& sources = calls->sources();
      for (size_t p = 0; p < arguments->size(); ++p) {
        const bool from_operand = p < sources.size() && sources[p].first >= 0;
        birth->arguments.push_back({computation.parameters[p], ToScalar((*arguments)[p]), from_operand ? sources[p].first : -1, from_operand ? sources[p].second : 0});
      }
      return birth;
    }
    previous = run.ValueOf(computation.root);
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
