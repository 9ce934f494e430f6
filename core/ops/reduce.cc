// reduce: folds whole dimensions away, N arrays at once.
#include "core/ops/reducer.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const FoldOperands fold = CheckFoldOperands(c, {HLO_LABEL("reduce.operand-count"), HLO_LABEL("reduce.operand-arrays"),
                                                  HLO_LABEL("reduce.same-dimensions"), HLO_LABEL("reduce.init-scalar")});
  if (!fold.can_go_on) return std::nullopt;
  const int n = static_cast<int>(fold.types.size());
  bool ok = fold.ok;
  const absl::Span<const int64_t> dims = c.instruction().Ints(AttrId::kDimensions);
  std::string why;
  if (!DistinctDimensions(dims, c.operand(0).rank(), &why)) {
    c.FailAttribute(AttrId::kDimensions, HLO_LABEL("reduce.dimensions"), why);
    ok = false;
  }
  const auto results = CheckReducer(c, AttrId::kToApply, fold.types, HLO_LABEL("reduce.reducer-signature"));
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
  std::vector<Shape> operands;
  for (const Instruction* o : i.operands) operands.push_back(o->shape);
  Program p = Program::Pull(operands, i.shape.IsTuple() ? i.shape.tuple_shapes()[0] : i.shape);
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
  if (absl::Status status = FoldOperandsInto(p, i, index, vars); !status.ok()) return status;
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
