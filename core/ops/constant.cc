// Constant: a literal written in the program.
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const ConstantLiteral* literal = c.instruction().literal.get();
  const bool known = literal != nullptr && literal->value.has_value();
  if (c.instruction().shape_omitted) return known ? std::optional<Shape>(literal->value.shape()) : std::nullopt;
  if (!known) return c.written();
  if (!SameUpToDynamic(literal->value.shape(), c.written())) {
    return c.Fail(HLO_LABEL("constant.literal-shape"),
                  absl::StrCat("the literal is ", literal->value.shape().ToString(false), " but the constant is written as ", c.written().ToString(false)));
  }
  return c.written();
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  const ConstantLiteral* literal = c.instruction.literal.get();
  if (literal == nullptr || !literal->value.has_value()) {
    return absl::FailedPreconditionError("the constant's value was left out of the text and has not been filled in");
  }
  return literal->value;
}

}  // namespace

void DefineConstant(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kConstant);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kCreate;
  def.infer = Infer;
  def.evaluate = Evaluate;
  def.summary = "a value written in the program";
  def.doc = "A dump may leave out large literals, as `{...}`; such a constant gets made-up numbers before the program runs.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
