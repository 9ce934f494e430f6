// Iota: each element is its index along one dimension.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (c.instruction().shape_omitted) return std::nullopt;
  const Shape& result = c.written();
  if (!result.IsArray() || result.rank() == 0 || IsPred(result.element_type())) {
    return c.Fail(HLO_LABEL("iota.result"), absl::StrCat("iota makes an array of numbers with at least one dimension, not ", result.ToString(false)));
  }
  const int64_t dimension = c.instruction().Int(AttrId::kIotaDimension, -1);
  if (dimension < 0 || dimension >= result.rank()) {
    return c.FailAttribute(AttrId::kIotaDimension, HLO_LABEL("iota.dimension"),
                           absl::StrCat("iota_dimension is ", dimension, " but there are ", result.rank(), " dimensions"));
  }
  if (result.has_dynamic_dimension()) {
    return c.Fail(HLO_LABEL("iota.dynamic"), absl::StrCat("nothing says how large ", result.ToString(false), " is"),
                  "make it of the bound, and cut it with set-dimension-size");
  }
  return result;
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const NodeId index = program.graph->Index(static_cast<int32_t>(instruction.Int(AttrId::kIotaDimension)));
  program.outputs[0].value = program.graph->Convert(instruction.shape.element_type(), index);
  return program;
}

}  // namespace

void DefineIota(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kIota);
  def.movement = Movement::kCreate;
  def.attributes = {{AttrId::kIotaDimension, true}};
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "0, 1, 2, ... along one dimension";
  def.doc = "Each element is its index along `iota_dimension`, converted to the element type.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
