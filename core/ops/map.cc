// Map: a scalar computation at every index.
#include "absl/strings/str_cat.h"
#include "core/ops/programs.h"
#include "core/ops/shape_rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!CheckArrayOperands(c, HLO_LABEL("map.array"))) return std::nullopt;
  std::vector<Shape> arguments;
  for (int i = 0; i < c.operand_count(); ++i) {
    if (!CheckSameDimensions(c, i, 0, HLO_LABEL("map.same-dimensions"))) return std::nullopt;
    arguments.push_back(Shape::Scalar(c.operand(i).element_type()));
  }
  const absl::Span<const int64_t> dimensions = c.instruction().Ints(AttrId::kDimensions);
  bool all = !c.instruction().Has(AttrId::kDimensions) || static_cast<int>(dimensions.size()) == c.operand(0).rank();
  for (size_t i = 0; all && i < dimensions.size(); ++i) all = dimensions[i] == static_cast<int64_t>(i);
  if (!all) {
    return c.FailAttribute(AttrId::kDimensions, HLO_LABEL("map.dimensions"),
                           absl::StrCat("map works on all dimensions in order, not on ", ListText(dimensions), " of ", c.operand(0).rank()));
  }
  const Computation* f = c.instruction().Called(AttrId::kToApply);
  if (f == nullptr || f->root == nullptr) return std::nullopt;
  if (!CheckParameters(c, AttrId::kToApply, *f, arguments, HLO_LABEL("map.parameter-count"), HLO_LABEL("map.parameter-type"))) return std::nullopt;
  if (!f->root->shape.IsScalar()) {
    return c.FailAttribute(AttrId::kToApply, HLO_LABEL("map.scalar-result"),
                           absl::StrCat("computation %", f->name, " must return a scalar, not ", f->root->shape.ToString(false)));
  }
  return MergeDynamic(c.operand(0), c).WithElementType(f->root->shape.element_type());
}

absl::StatusOr<Program> MakeProgram(const Instruction& instruction) {
  Program program = PullProgram(instruction);
  const std::vector<NodeId> indices = OutputIndices(program);
  std::vector<NodeId> elements;
  for (size_t k = 0; k < program.operands.size(); ++k) elements.push_back(LoadOperand(program, static_cast<int>(k), indices));
  absl::StatusOr<std::vector<NodeId>> result = InlineScalarComputation(*program.graph, *instruction.Called(AttrId::kToApply), elements);
  if (!result.ok()) return result.status();
  program.outputs[0].value = (*result)[0];
  return program;
}

}  // namespace

void DefineMap(OpRegistry& registry) {
  OpDef& def = registry.Define(Opcode::kMap);
  def.min_operands = 1;
  def.max_operands = -1;
  def.attributes = {{AttrId::kToApply, true}, {AttrId::kDimensions}};
  def.infer = Infer;
  def.program = MakeProgram;
  // Where no expression can be made of its computation.
  def.reach = [](const ReachQuestion& q) { return std::vector<Reach>{q.Same(Reach::Kind::kValue)}; };
  def.summary = "a scalar computation, applied at every index";
  def.doc = "The computation gets the elements of all operands at one index and makes the result's element there.";
  def.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
