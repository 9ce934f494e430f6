// AddDependency: its first operand, available only after the second.
#include "absl/strings/str_cat.h"
#include "core/ops/structural.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!c.operand(1).IsToken()) {
    return c.FailOperand(1, HLO_LABEL("add-dependency.token"), absl::StrCat("what is waited for must be a token, not ", c.operand(1).ToString(false)));
  }
  return c.operand(0);
}

}  // namespace

void DefineAddDependency(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kAddDependency);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 2;
  def.infer = Infer;
  def.evaluate = EvaluateFirstOperand;
  def.summary = "its first operand, after a token";
  def.doc = "Makes whoever reads the value wait for what the token stands for.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
