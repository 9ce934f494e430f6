// Tuple: several values in one.
#include "core/ops/op.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const Shape& written = c.written();
  // The usual case needs no new shape: the written one says the same.
  bool same = !c.instruction().shape_omitted && written.IsTuple() && static_cast<int>(written.tuple_shapes().size()) == c.operand_count();
  for (int i = 0; same && i < c.operand_count(); ++i) same = Shape::Compatible(written.tuple_shapes()[i], c.operand(i));
  if (same) return written;
  std::vector<Shape> elements;
  for (int i = 0; i < c.operand_count(); ++i) elements.push_back(c.operand(i));
  return Shape::Tuple(std::move(elements));
}

absl::StatusOr<Value> Evaluate(const EvalContext& c) {
  return Value::Tuple(c.instruction.shape, std::vector<Value>(c.operands.begin(), c.operands.end()));
}

}  // namespace

void DefineTuple(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kTuple);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kMove;
  def.max_operands = -1;
  def.infer = Infer;
  def.evaluate = Evaluate;
  def.summary = "its operands, together";
  def.doc = "Tuples nest, and hold tokens too. Nothing is copied.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
