// Slice: a box of the operand, with strides; all of it known beforehand.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperand(c, 0, HLO_LABEL("slice.array"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  const absl::Span<const SliceDimension> slices = c.instruction().GetSlices();
  if (static_cast<int>(slices.size()) != operand.rank()) {
    return c.FailAttribute(AttrId::kSlice, HLO_LABEL("slice.dimension-count"),
                           absl::StrCat("slice has ", slices.size(), " entries for ", operand.rank(), " dimensions"));
  }
  std::vector<int64_t> sizes;
  for (int d = 0; d < operand.rank(); ++d) {
    const SliceDimension& s = slices[d];
    auto text = [&] { return absl::StrCat("[", s.start, ":", s.limit, ":", s.stride, "] of dimension ", d, " of size ", operand.dim(d)); };
    if (s.start < 0 || s.start > s.limit) {
      return c.FailAttribute(AttrId::kSlice, HLO_LABEL("slice.start"), absl::StrCat("the start must lie from 0 to the limit: ", text()));
    }
    if (s.limit > operand.dim(d)) {
      return c.FailAttribute(AttrId::kSlice, HLO_LABEL("slice.limit"), absl::StrCat("the limit must not pass the end: ", text()));
    }
    if (s.stride < 1) return c.FailAttribute(AttrId::kSlice, HLO_LABEL("slice.stride"), absl::StrCat("the stride must be positive: ", text()));
    sizes.push_back((s.limit - s.start) / s.stride + ((s.limit - s.start) % s.stride != 0));
  }
  if (!operand.has_dynamic_dimension()) return Shape::Array(operand.element_type(), sizes);
  std::vector<bool> dynamic;  // what is there of a whole dimension; a part of one has the size that is written
  for (int d = 0; d < operand.rank(); ++d) {
    dynamic.push_back(operand.is_dynamic(d) && slices[d].start == 0 && slices[d].limit == operand.dim(d) && slices[d].stride == 1);
  }
  return Shape::Array(operand.element_type(), sizes, std::nullopt, std::move(dynamic));
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  ExprGraph& graph = *program.graph;
  const absl::Span<const SliceDimension> slices = instruction.GetSlices();
  std::vector<NodeId> indices = OutputIndices(program);
  for (size_t d = 0; d < indices.size(); ++d) {
    indices[d] = graph.Add(graph.Mul(indices[d], graph.IndexConstant(slices[d].stride)), graph.IndexConstant(slices[d].start));
  }
  program.outputs[0].value = LoadOperand(program, 0, indices);
  return program;
}

}  // namespace

void DefineSlice(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kSlice);
  def.movement = Movement::kMove;
  def.min_operands = def.max_operands = 1;
  def.attributes = {{AttrId::kSlice}};  // absent for a scalar
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "a box out of the operand";
  def.doc = "`[start:limit:stride]` for each dimension: from start up to but not including limit, every stride-th element.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
