// Call: runs a computation on the operands. A composite call is the same with a name and attributes of its own.
#include "absl/strings/str_cat.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const Computation* callee = c.instruction().Called(AttrId::kToApply);
  if (callee == nullptr || callee->root == nullptr) return std::nullopt;  // the reader has said so
  std::vector<Shape> arguments;
  for (int i = 0; i < c.operand_count(); ++i) arguments.push_back(c.operand(i));
  if (!CheckParameters(c, AttrId::kToApply, *callee, arguments, HLO_LABEL("call.argument-count"), HLO_LABEL("call.argument-type"))) return std::nullopt;
  return callee->root->shape;
}

}  // namespace

void DefineCall(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kCall);
  def.op_class = OpClass::kControl;
  def.control = ControlKind::kCall;
  def.max_operands = -1;
  def.attributes = {{AttrId::kToApply, true}, {AttrId::kIsComposite}, {AttrId::kOutputToOperandAliasing}};
  def.infer = Infer;
  def.summary = "runs a computation";
  def.doc =
      "The operands are the computation's arguments and its root is the result. With `is_composite=true` it stands for a larger operation that "
      "a compiler may know by name (see its frontend attributes); the computation says what that operation means.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
