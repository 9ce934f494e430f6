// Parameter: an argument of its computation. The machine puts its value there.
#include "absl/strings/str_cat.h"
#include "core/ops/op.h"

namespace hloscope {

void DefineParameter(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kParameter);
  def.op_class = OpClass::kStructural;
  def.movement = Movement::kCreate;
  def.attributes = {{AttrId::kParameterReplication}};
  def.infer = [](ShapeContext& c) -> std::optional<Shape> {
    if (c.instruction().shape_omitted) return std::nullopt;
    return c.written();
  };
  def.summary = "an argument of the computation";
  def.doc = "Parameters are numbered from 0; the shape is what a caller must hand over.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
