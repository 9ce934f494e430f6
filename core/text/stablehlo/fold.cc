#include "core/text/stablehlo/fold.h"

#include <optional>
#include <vector>

#include "core/element/interpret.h"
#include "core/ops/op.h"
#include "core/text/stablehlo/emit.h"

namespace hloscope::stablehlo {
namespace {

constexpr int64_t kLargest = 1 << 14;  // elements: shapes are small, and so is what they are computed from

bool Small(const Shape& shape) {
  if (!shape.IsTuple()) return shape.IsArray() && !shape.has_dynamic_dimension() && shape.ElementCount() <= kLargest;
  for (const Shape& element : shape.tuple_shapes()) {
    if (!Small(element)) return false;
  }
  return true;
}

Value Evaluate(const Instruction& i, const std::vector<const Value*>& operands);

// A computation's root on argument values; no value where something inside cannot be computed.
Value Call(const Computation& computation, const std::vector<const Value*>& arguments, int depth) {
  if (computation.root == nullptr || depth > 16) return Value();
  absl::flat_hash_map<const Instruction*, Value> values;
  for (const Instruction* i : computation.instructions) {
    if (i->parameter_number >= 0) {
      if (i->parameter_number >= static_cast<int64_t>(arguments.size())) return Value();
      values[i] = *arguments[i->parameter_number];
      continue;
    }
    std::vector<const Value*> operands;
    for (const Instruction* operand : i->operands) {
      const auto found = values.find(operand);
      operands.push_back(found != values.end() && found->second.has_value() ? &found->second : nullptr);
      if (operands.back() == nullptr) break;
    }
    if (!operands.empty() && operands.back() == nullptr) continue;  // only bad when the root needs it
    Value value = Def(*i).control == ControlKind::kCall && i->Called(AttrId::kToApply) != nullptr
                      ? Call(*i->Called(AttrId::kToApply), operands, depth + 1)
                      : Evaluate(*i, operands);
    values[i] = std::move(value);
  }
  return values[computation.root];
}

Value Evaluate(const Instruction& i, const std::vector<const Value*>& operands) {
  if (i.literal != nullptr) return i.literal->value;
  const OpDef& def = Def(i);
  if (!Small(i.shape) || def.has_side_effect || !def.not_executed.empty() || def.host != HostService::kNone || i.Has(AttrId::kCustomCallTarget)) return Value();
  if (def.op_class == OpClass::kOpaque && def.movement == Movement::kCreate) return Value();  // random numbers
  DiagnosticSink ignored;
  const std::optional<Shape> shape = InferShape(i, ignored);
  if (!shape || ignored.error_count() > 0 || !Shape::Compatible(*shape, i.shape)) return Value();
  if (def.control == ControlKind::kCall) return i.Called(AttrId::kToApply) == nullptr ? Value() : Call(*i.Called(AttrId::kToApply), operands, 0);
  if (def.op_class == OpClass::kPull || def.op_class == OpClass::kPush) {
    absl::StatusOr<Program> program = ElementProgram(i);
    if (!program.ok()) return Value();
    Interpreter interpreter(*program, {.bounds = false});
    absl::StatusOr<std::vector<Value>> made = interpreter.All(operands);
    if (!made.ok() || made->empty()) return Value();
    return i.shape.IsTuple() ? Value::Tuple(i.shape, *std::move(made)) : (*made)[0];
  }
  if (def.evaluate == nullptr || def.control != ControlKind::kNone) return Value();
  std::vector<Value> values;
  for (const Value* operand : operands) values.push_back(*operand);
  EvalContext context{i, values};
  context.call = [](const Computation& computation, absl::Span<const Value> arguments) -> absl::StatusOr<Value> {
    std::vector<const Value*> pointers;
    for (const Value& argument : arguments) pointers.push_back(&argument);
    Value value = Call(computation, pointers, 0);
    if (!value.has_value()) return absl::UnimplementedError("not known yet");
    return value;
  };
  absl::StatusOr<Value> made = def.evaluate(context);
  return made.ok() ? *std::move(made) : Value();
}

// The size of a dimension stands in its operand's type, whatever the operand holds.
std::optional<Value> StaticSize(const Instruction& i) {
  if (i.opcode != Opcode::kGetDimensionSize || i.operands.size() != 1 || i.operands[0] == nullptr) return std::nullopt;
  const Shape& shape = i.operands[0]->shape;
  const auto dimensions = i.Ints(AttrId::kDimensions);
  if (!shape.IsArray() || dimensions.size() != 1 || dimensions[0] < 0 || dimensions[0] >= shape.rank() || shape.is_dynamic(static_cast<int>(dimensions[0]))) return std::nullopt;
  Value value = Value::Allocate(Shape::Scalar(ElementType::kS32));
  *value.mutable_as<int32_t>() = static_cast<int32_t>(shape.dim(static_cast<int>(dimensions[0])));
  return value;
}

}  // namespace

void Folder::Assume(const Instruction* parameter, Value value) { known_[parameter] = std::make_unique<Value>(std::move(value)); }

const Value* Folder::Fold(const Instruction* wanted) {
  if (wanted == nullptr) return nullptr;
  // Depth first without recursion: chains of shape arithmetic can be long.
  std::vector<const Instruction*> path = {wanted};
  while (!path.empty()) {
    const Instruction* at = path.back();
    if (known_.contains(at)) {
      path.pop_back();
      continue;
    }
    if (std::optional<Value> size = StaticSize(*at)) {
      known_[at] = std::make_unique<Value>(*std::move(size));
      path.pop_back();
      continue;
    }
    std::vector<const Value*> operands;
    bool ready = true, possible = at->parameter_number < 0 && (at->literal != nullptr || Small(at->shape));
    for (const Instruction* operand : at->operands) {
      if (!possible) break;
      const auto found = known_.find(operand);
      if (found == known_.end()) {
        path.push_back(operand);
        ready = false;
      } else if (!found->second->has_value()) {
        possible = false;
      } else {
        operands.push_back(found->second.get());
      }
    }
    if (!possible) {
      known_[at] = std::make_unique<Value>();
      continue;
    }
    if (!ready) continue;
    Value value = Evaluate(*at, operands);
    known_[at] = std::make_unique<Value>(std::move(value));
  }
  const Value& value = *known_[wanted];
  return value.has_value() ? &value : nullptr;
}

}  // namespace hloscope::stablehlo
