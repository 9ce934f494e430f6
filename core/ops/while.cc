// While: runs a body as long as a condition holds.
#include "absl/strings/str_cat.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const Computation* condition = c.instruction().Called(AttrId::kCondition);
  const Computation* body = c.instruction().Called(AttrId::kBody);
  if (condition == nullptr || body == nullptr || condition->root == nullptr || body->root == nullptr) return std::nullopt;
  const Shape& state = c.operand(0);
  const Shape argument[] = {state};
  CheckParameters(c, AttrId::kCondition, *condition, argument, HLO_LABEL("while.condition-parameters"), HLO_LABEL("while.condition-type"));
  CheckParameters(c, AttrId::kBody, *body, argument, HLO_LABEL("while.body-parameters"), HLO_LABEL("while.body-type"));
  const Shape& decision = condition->root->shape;
  if (!decision.IsScalar() || decision.element_type() != ElementType::kPred) {
    c.FailAttribute(AttrId::kCondition, HLO_LABEL("while.condition-result"),
                    absl::StrCat("the condition %", condition->name, " must return pred[], not ", decision.ToString(false)));
  }
  CheckResult(c, AttrId::kBody, *body, state, HLO_LABEL("while.body-result"));
  return state;
}

}  // namespace

void DefineWhile(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kWhile);
  def.op_class = OpClass::kControl;
  def.control = ControlKind::kWhile;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kCondition, true}, {AttrId::kBody, true}};
  def.infer = Infer;
  def.summary = "runs the body as long as the condition holds";
  def.doc = "The operand is the first state, usually a tuple. The condition sees the state and decides; the body makes the next one. The result is the last.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
