// Results from calls of scalar computations that no expression can be made of, and which those are. The walk itself: element_calls.cc.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/element_calls.h"

namespace hloscope {
namespace {

// An element of another type than the array's is converted: reducers may work in a wider type.
void StoreElement(Value& array, int64_t linear, const Value& scalar) {
  const ElementType type = array.shape().element_type();
  std::byte* to = array.mutable_data() + linear * StorageBytes(type);
  if (scalar.shape().element_type() == type) {
    std::copy(scalar.data(), scalar.data() + StorageBytes(type), to);
  } else {
    StoreScalar(ConvertScalar(LoadScalar(scalar.shape().element_type(), scalar.data()), type), to);
  }
}

Value AsType(const Value& scalar, ElementType type) {
  if (scalar.shape().element_type() == type) return scalar;
  Value converted = Value::Allocate(Shape::Scalar(type));
  StoreElement(converted, 0, scalar);
  return converted;
}

// A computation of scalars alone: every operation on scalars that has an element program stands for itself.
bool IsPlain(const Computation& computation) {
  return std::all_of(computation.schedule.begin(), computation.schedule.end(), [](const Instruction* i) {
    if (i->parameter_number >= 0 || i->literal != nullptr) return i->shape.IsScalar();
    return Def(*i).op_class == OpClass::kPull && i->shape.IsScalar() && Def(*i).program != nullptr && i->CalledComputations().empty() &&
           std::all_of(i->operands.begin(), i->operands.end(), [](const Instruction* o) { return o->shape.IsScalar(); });
  });
}

bool IsExpression(const Computation& computation) {
  if (IsPlain(computation)) return true;
  ExprGraph graph;
  const int32_t id = graph.NewFoldId();
  std::vector<NodeId> arguments;
  for (const Instruction* parameter : computation.parameters) {
    if (!parameter->shape.IsScalar()) return false;
    arguments.push_back(graph.Accumulator(id, static_cast<int>(arguments.size()), parameter->shape.element_type()));
  }
  return InlineScalarComputation(graph, computation, arguments).ok();
}

}  // namespace

bool CallsAreExpressions(const Instruction& instruction) {
  if (instruction.attributes.empty()) return true;
  const std::vector<Computation*> called = instruction.CalledComputations();
  const OpDef& def = Def(instruction);
  const bool element_wise = def.op_class == OpClass::kPull || def.op_class == OpClass::kPush || def.op_class == OpClass::kOpaque;
  if (called.empty() || !element_wise) return true;
  for (const Computation* computation : called) {
    if (computation == nullptr || computation->root == nullptr || computation->parameters.empty()) return true;  // nothing to call
    for (const Instruction* parameter : computation->parameters) {
      if (!parameter->shape.IsScalar()) return true;
    }
  }
  return std::all_of(called.begin(), called.end(), [](const Computation* c) { return IsExpression(*c); });
}

// The state in `slot` becomes element `output` of the results; where no call was made it is what a fold starts from.
void ElementCalls::Keep(int64_t slot, int64_t output) {
  if (results_ == nullptr) return;
  const auto found = slots_.find(slot);
  const size_t n = results_->size();
  for (size_t k = 0; k < n; ++k) StoreElement((*results_)[k], output, found == slots_.end() ? operands_[n + k] : found->second[k]);
}

absl::StatusOr<Value> ElementCalls::Evaluate(const EvalContext& c) {
  const Instruction& i = c.instruction;
  std::unique_ptr<ElementCalls> calls = Make(i, std::vector<Value>(c.operands.begin(), c.operands.end()));
  if (calls == nullptr || !c.call) return absl::UnimplementedError(absl::StrCat(Name(i.opcode), " ", ShownName(i), ": nothing can call its computation here"));
  const std::vector<Shape> shapes = i.shape.IsTuple() ? std::vector<Shape>(i.shape.tuple_shapes().begin(), i.shape.tuple_shapes().end()) : std::vector<Shape>{i.shape};
  std::vector<Value> results;
  for (const Shape& shape : shapes) {
    results.push_back(Value::Allocate(shape.WithoutLayouts(), c.account));
    if (!results.back().has_value()) return Value();
  }
  calls->limit_ = INT64_MAX;
  calls->results_ = &results;
  // What elements are before any call: of a scatter the operand's, of select-and-scatter the initial value.
  if (i.opcode == Opcode::kScatter || i.opcode == Opcode::kSelectAndScatter) {
    const bool whole = i.opcode == Opcode::kScatter;
    for (size_t k = 0; k < results.size(); ++k) {
      const Value& from = c.operands[whole ? k : 2];
      for (int64_t e = 0; e < results[k].element_count(); ++e) {
        const int64_t bytes = StorageBytes(from.shape().element_type());
        StoreElement(results[k], e, Value::FromBytes(Shape::Scalar(from.shape().element_type()), absl::MakeConstSpan(from.data() + (whole ? e * bytes : 0), bytes)));
      }
    }
  }
  std::optional<Value> previous;
  for (;;) {
    std::optional<std::vector<Value>> arguments = calls->Next(previous.has_value() ? &*previous : nullptr);
    if (!arguments.has_value()) break;
    const Computation& computation = calls->computation();
    for (size_t k = 0; k < arguments->size() && k < computation.parameters.size(); ++k) {
      (*arguments)[k] = AsType((*arguments)[k], computation.parameters[k]->shape.element_type());
    }
    absl::StatusOr<Value> made = c.call(computation, *arguments);
    if (!made.ok()) return made;
    if (!made->has_value()) return Value();
    previous = *std::move(made);
  }
  if (i.opcode == Opcode::kScatter || i.opcode == Opcode::kSelectAndScatter) {
    for (const auto& [linear, parts] : calls->slots_) {
      for (size_t k = 0; k < results.size() && k < parts.size(); ++k) StoreElement(results[k], linear, parts[k]);
    }
  }
  if (!i.shape.IsTuple()) return results[0];
  return Value::Tuple(i.shape, std::move(results));
}

}  // namespace hloscope
