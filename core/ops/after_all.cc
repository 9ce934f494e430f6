// AfterAll: a token that waits for others.
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  for (int i = 0; i < c.operand_count(); ++i) {
    if (!c.operand(i).IsToken()) {
      return c.FailOperand(i, HLO_LABEL("after-all.token"), absl::StrCat("after-all joins tokens, not ", c.operand(i).ToString(false)));
    }
  }
  return Shape::Token();
}

}  // namespace

void DefineAfterAll(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kAfterAll);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kCreate;
  def.max_operands = -1;
  def.infer = Infer;
  def.evaluate = [](const EvalContext&) -> absl::StatusOr<Value> { return Value::Token(); };
  def.summary = "a token that comes after all its operands";
  def.doc = "Puts operations with side effects in order. With no operand it is the first token.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
