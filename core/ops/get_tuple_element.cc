// GetTupleElement: one element of a tuple.
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const Shape& tuple = c.operand(0);
  if (!tuple.IsTuple()) {
    return c.FailOperand(0, HLO_LABEL("get-tuple-element.tuple"), absl::StrCat("only a tuple has elements, not ", tuple.ToString(false)));
  }
  const int64_t index = c.instruction().Int(AttrId::kIndex, -1);
  const int64_t count = tuple.tuple_shapes().size();
  if (index < 0 || index >= count) {
    return c.FailAttribute(AttrId::kIndex, HLO_LABEL("get-tuple-element.index"), absl::StrCat("the tuple has ", count, " elements; there is none at ", index));
  }
  return tuple.tuple_shapes()[index];
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) { return c.operands[0].elements()[c.instruction.Int(AttrId::kIndex)]; }

}  // namespace

void DefineGetTupleElement(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kGetTupleElement);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kIndex, true}};
  def.infer = Infer;
  def.evaluate = Evaluate;
  def.summary = "element `index` of a tuple";
  def.doc = "The index is part of the program, not a value.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
