// DynamicSlice: a box of fixed size at a place known only at run time.
#include "absl/strings/str_cat.h"
#include "core/ops/dynamic_index.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("dynamic-slice.array"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  if (!CheckStartIndices(c, 1, operand.rank(), HLO_LABEL("dynamic-slice.start-count"), HLO_LABEL("dynamic-slice.start-type"))) return std::nullopt;
  if (!CheckCount(c, AttrId::kDynamicSliceSizes, operand.rank(), HLO_LABEL("dynamic-slice.size-count"))) return std::nullopt;
  const absl::Span<const int64_t> sizes = c.instruction().Ints(AttrId::kDynamicSliceSizes);
  for (int d = 0; d < operand.rank(); ++d) {
    if (sizes[d] >= 0 && sizes[d] <= operand.dim(d)) continue;
    return c.FailAttribute(AttrId::kDynamicSliceSizes, HLO_LABEL("dynamic-slice.sizes"),
                           absl::StrCat("a slice of size ", sizes[d], " does not fit into dimension ", d, " of size ", operand.dim(d)));
  }
  if (!operand.has_dynamic_dimension()) return Shape::Array(operand.element_type(), sizes);
  std::vector<bool> dynamic;  // a slice of the whole bound takes what there is
  for (int d = 0; d < operand.rank(); ++d) dynamic.push_back(operand.is_dynamic(d) && sizes[d] == operand.dim(d));
  return Shape::Array(operand.element_type(), sizes, std::nullopt, std::move(dynamic));
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const std::vector<NodeId> starts = ClampedStarts(program, 1, program.operands[0], instruction.shape.dimensions());
  std::vector<NodeId> indices = OutputIndices(program);
  for (size_t d = 0; d < indices.size(); ++d) indices[d] = program.graph->Add(starts[d], indices[d]);
  program.outputs[0].value = LoadOperand(program, 0, indices);
  return program;
}

}  // namespace

void DefineDynamicSlice(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kDynamicSlice);
  def.movement = Movement::kMove;
  def.min_operands = 1;
  def.max_operands = -1;
  def.attributes = {{AttrId::kDynamicSliceSizes}};  // absent for a scalar
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "a box of fixed size, at a place computed by the program";
  def.doc = "The operands after the first say where the box starts, one for each dimension. A start from which the box would not fit is moved so that it just does.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
