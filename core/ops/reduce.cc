// reduce: folds whole dimensions away, N arrays at once.
#include "core/ops/reducer.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const int n = c.operand_count() / 2;
  if (c.operand_count() % 2 != 0 || n == 0) {
    return c.Fail(HLO_LABEL("reduce.operand-count"),
                  absl::StrCat("operands come as N arrays and N initial values, there are ", c.operand_count()));
  }
  if (!RequireArrays(c, HLO_LABEL("reduce.operand-arrays"))) return std::nullopt;
  bool ok = true;
  std::vector<ElementType> types;
  for (int k = 0; k < n; ++k) {
    if (!Shape::SameDimensions(c.operand(k), c.operand(0))) {
      c.FailOperand(k, HLO_LABEL("reduce.same-dimensions"),
                    absl::StrCat("all arrays must have equal dimensions: operand 0 is ", TypeText(c.operand(0)), ", operand ", k, " is ",
                                 TypeText(c.operand(k))));
      ok = false;
    }
    const Shape& init = c.operand(n + k);
    if (!init.IsScalar() ||
        (init.element_type() != c.operand(k).element_type() && !(IsFloat(init.element_type()) && IsFloat(c.operand(k).element_type())))) {
      c.FailOperand(n + k, HLO_LABEL("reduce.init-scalar"),
                    absl::StrCat("the initial value of operand ", k, " must be a scalar ", Name(c.operand(k).element_type()), ", it is ",
                                 TypeText(init)));
      ok = false;
    }
    types.push_back(c.operand(k).element_type());
  }
  const absl::Span<const int64_t> dims = c.instruction().Ints(AttrId::kDimensions);
  std::string why;
  if (!DistinctDimensions(dims, c.operand(0).rank(), &why)) {
    c.FailAttribute(AttrId::kDimensions, HLO_LABEL("reduce.dimensions"), why);
    ok = false;
  }
  const auto results = CheckReducer(c, AttrId::kToApply, types, HLO_LABEL("reduce.reducer-signature"));
  if (!ok || !results) return std::nullopt;
  std::vector<bool> reduced(c.operand(0).rank(), false);
  for (int64_t d : dims) reduced[d] = true;
  std::vector<Shape> shapes;
  for (int k = 0; k < n; ++k) {
    DimensionList list;
    for (int d = 0; d < c.operand(0).rank(); ++d) {
      if (!reduced[d]) list.AddFrom(c.operand(0), d);
    }
    shapes.push_back(list.Build((*results)[k]));
  }
  return n == 1 ? shapes[0] : Shape::Tuple(shapes);
}

absl::StatusOr<Program> MakeProgram(const Instruction& i) {
  const int n = static_cast<int>(i.operands.size()) / 2;
  std::vector<Shape> operands;
  for (const Instruction* o : i.operands) operands.push_back(o->shape);
  const bool tuple = i.shape.IsTuple();
  Program p = Program::Pull(operands, tuple ? i.shape.tuple_shapes()[0] : i.shape);
  ExprGraph& g = *p.graph;
  std::vector<bool> reduced(operands[0].rank(), false);
  for (int64_t d : i.Ints(AttrId::kDimensions)) reduced[d] = true;
  std::vector<NodeId> index;
  std::vector<int32_t> vars;
  int next = 0;
  for (int d = 0; d < operands[0].rank(); ++d) {
    if (!reduced[d]) {
      index.push_back(g.Index(next++));
    } else if (operands[0].dim(d) == 1) {
      index.push_back(g.IndexConstant(0));
    } else {
      vars.push_back(g.NewVar(operands[0].dim(d)));
      index.push_back(g.Index(vars.back()));
    }
  }
  std::vector<NodeId> inits, elements;
  for (int k = 0; k < n; ++k) {
    inits.push_back(g.Load(n + k, operands[n + k].element_type(), {}));
    elements.push_back(g.Load(k, operands[k].element_type(), index));
  }
  auto folded = FoldWith(g, *i.Called(AttrId::kToApply), inits, elements, vars);
  if (!folded.ok()) return folded.status();
  p.outputs.clear();
  for (int k = 0; k < n; ++k) p.outputs.push_back({tuple ? i.shape.tuple_shapes()[k] : i.shape, (*folded)[k]});
  return p;
}

}  // namespace

void DefineReduce(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kReduce);
  d.op_class = OpClass::kPull;
  d.min_operands = 2;
  d.max_operands = -1;
  d.attributes = {{AttrId::kDimensions, true}, {AttrId::kToApply, true}};
  d.infer = Infer;
  d.program = MakeProgram;
  d.summary = "folds dimensions away with a computation, N arrays at once";
  d.doc =
      "Takes N arrays of equal dimensions, N initial values and a computation of 2N scalars (accumulators first). Each result element "
      "is the fold of the elements that share its kept indices, starting from the initial value. Every step rounds to the reducer's "
      "type.\n\n"
      "The order of the fold follows from the reduced dimensions alone: a plain sum, product, maximum, minimum or bitwise reducer "
      "over an innermost extent of 16 or more runs in sixteen interleaved lanes that are joined pairwise; everything else is "
      "row-major, one after the other.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
