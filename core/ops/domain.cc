// Domain: its operand, at a border between differently sharded parts of a program.
#include "core/ops/structural.h"

namespace hloscope {

void DefineDomain(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kDomain);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kDomain}};
  def.infer = InferSameAsOperand;
  def.evaluate = EvaluateFirstOperand;
  def.summary = "its operand, at a border between domains";
  def.doc = "Marks for the compiler where the sharding changes. It does nothing to the value.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
