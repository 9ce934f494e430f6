// OptBarrier: its operand; nothing moves across it.
#include "core/ops/structural.h"

namespace hloscope {

void DefineOptBarrier(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kOptBarrier);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.infer = InferSameAsOperand;
  def.evaluate = EvaluateFirstOperand;
  def.summary = "its operand, behind a barrier";
  def.doc = "A tuple as a rule. Everything that goes in is computed before anything that depends on what comes out, and no optimisation reaches across.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
