// Concatenate: operands one after the other along one dimension.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("concatenate.array"))) return std::nullopt;
  const Shape& first = c.operand(0);
  if (!CheckCount(c, AttrId::kDimensions, 1, HLO_LABEL("concatenate.one-dimension"))) return std::nullopt;
  if (!CheckInRange(c, AttrId::kDimensions, first.rank(), HLO_LABEL("concatenate.dimension-range"))) return std::nullopt;
  const int along = static_cast<int>(c.instruction().Ints(AttrId::kDimensions)[0]);
  __int128 total = 0;
  for (int i = 0; i < c.operand_count(); ++i) {
    const Shape& operand = c.operand(i);
    if (!CheckSameType(c, i, 0, HLO_LABEL("concatenate.same-type"))) return std::nullopt;
    bool fits = operand.rank() == first.rank();
    for (int d = 0; fits && d < first.rank(); ++d) fits = d == along || operand.dim(d) == first.dim(d);
    if (!fits) {
      return c.FailOperand(i, HLO_LABEL("concatenate.sizes"),
                           absl::StrCat("operand ", i, " of dimensions ", DimensionsText(operand.dimensions()), " must equal ",
                                        DimensionsText(first.dimensions()), " but for dimension ", along));
    }
    total += operand.dim(along);
  }
  const std::optional<int64_t> size = ToDimension(total);
  if (!size.has_value()) return c.Fail(HLO_LABEL("concatenate.too-large"), "the sizes add up to more than an index can hold");
  std::vector<int64_t> sizes(first.dimensions().begin(), first.dimensions().end());
  sizes[along] = *size;
  std::vector<bool> dynamic;
  for (int i = 0; i < c.operand_count(); ++i) {
    if (!c.operand(i).has_dynamic_dimension()) continue;
    dynamic.resize(first.rank());
    for (int d = 0; d < first.rank(); ++d) dynamic[d] = dynamic[d] || c.operand(i).is_dynamic(d);
  }
  return Shape::Array(first.element_type(), sizes, std::nullopt, std::move(dynamic));
}

// The element at `indices` among operands [begin, end), which start at `offsets` along `along`: a binary tree of selects, so that many
// operands do not make a deep chain.
NodeId Among(Program& program, absl::Span<const int64_t> offsets, int along, std::vector<NodeId>& indices, int begin, int end) {
  ExprGraph& graph = *program.graph;
  if (end - begin == 1) {
    const NodeId whole = indices[along];
    indices[along] = graph.Sub(whole, graph.IndexConstant(offsets[begin]));
    const NodeId element = LoadOperand(program, begin, indices);
    indices[along] = whole;
    return element;
  }
  const int middle = (begin + end) / 2;
  const NodeId before = graph.Binary(ScalarOp::kLt, indices[along], graph.IndexConstant(offsets[middle]));
  const NodeId left = Among(program, offsets, along, indices, begin, middle);
  return graph.Select(before, left, Among(program, offsets, along, indices, middle, end));
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const int along = static_cast<int>(instruction.Ints(AttrId::kDimensions)[0]);
  std::vector<int64_t> offsets;
  int64_t offset = 0;
  for (const Shape& operand : program.operands) {
    offsets.push_back(offset);
    offset += operand.dim(along);
  }
  std::vector<NodeId> indices = OutputIndices(program);
  program.outputs[0].value = Among(program, offsets, along, indices, 0, static_cast<int>(offsets.size()));
  return program;
}

}  // namespace

void DefineConcatenate(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kConcatenate);
  def.movement = Movement::kMove;
  def.min_operands = 1;
  def.max_operands = -1;
  def.attributes = {{AttrId::kDimensions, true}};
  def.infer = Infer;
  def.program = MakeProgram;
  def.summary = "the operands, one after the other";
  def.doc = "Along one dimension, `dimensions={d}`; in all others they have equal sizes.";
  def.spec = "operations.md: Shape and data movement";
}

}  // namespace hloscope
