// dot: sums of products over contracting dimensions, for each index of the batch dimensions.
#include "core/ops/rules.h"

namespace hloscope {
namespace {

bool SameKind(ElementType a, ElementType b) { return a == b || (IsFloat(a) && IsFloat(b)) || (IsInteger(a) && IsInteger(b)); }

// Integer weights and floating point activations may meet; the result is floating point.
bool CanMultiply(ElementType a, ElementType b) { return SameKind(a, b) || (IsFloat(a) && IsInteger(b)) || (IsInteger(a) && IsFloat(b)); }

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("dot.operand-arrays"))) return std::nullopt;
  const Shape& l = c.operand(0);
  const Shape& r = c.operand(1);
  const Instruction& i = c.instruction();
  const auto lc = i.Ints(AttrId::kLhsContractingDims), rc = i.Ints(AttrId::kRhsContractingDims);
  const auto lb = i.Ints(AttrId::kLhsBatchDims), rb = i.Ints(AttrId::kRhsBatchDims);
  bool ok = true;
  if (!CanMultiply(l.element_type(), r.element_type())) {
    c.Fail(HLO_LABEL("dot.element-types"),
           absl::StrCat("both sides must be of one kind of number, or one of them integers and the other floating point; they are ", TypeText(l), " and ", TypeText(r)));
    ok = false;
  }
  if (lc.size() != rc.size()) {
    c.FailAttribute(AttrId::kLhsContractingDims, HLO_LABEL("dot.contracting-count"),
                    absl::StrCat("as many contracting dimensions are needed on both sides: left ", ListText(lc), ", right ", ListText(rc)));
    ok = false;
  }
  if (lb.size() != rb.size()) {
    c.FailAttribute(AttrId::kLhsBatchDims, HLO_LABEL("dot.batch-count"),
                    absl::StrCat("as many batch dimensions are needed on both sides: left ", ListText(lb), ", right ", ListText(rb)));
    ok = false;
  }
  const auto check_side = [&](const Shape& s, absl::Span<const int64_t> contracting, absl::Span<const int64_t> batch, AttrId id,
                              absl::string_view side) {
    std::vector<int64_t> all(contracting.begin(), contracting.end());
    all.insert(all.end(), batch.begin(), batch.end());
    std::string why;
    if (DistinctDimensions(all, s.rank(), &why)) return;
    c.FailAttribute(id, HLO_LABEL("dot.dimensions"), absl::StrCat(side, " side, ", TypeText(s), ": ", why));
    ok = false;
  };
  check_side(l, lc, lb, AttrId::kLhsContractingDims, "left");
  check_side(r, rc, rb, AttrId::kRhsContractingDims, "right");
  if (!ok) return std::nullopt;
  for (size_t k = 0; k < lc.size(); ++k) {
    if (l.dim(lc[k]) == r.dim(rc[k])) continue;
    c.FailAttribute(AttrId::kLhsContractingDims, HLO_LABEL("dot.contracting-sizes"),
                    absl::StrCat("left dimension ", lc[k], " has size ", l.dim(lc[k]), ", right dimension ", rc[k], " has size ",
                                 r.dim(rc[k]), ": ", TypeText(l), " and ", TypeText(r)));
    ok = false;
  }
  for (size_t k = 0; k < lb.size(); ++k) {
    if (l.dim(lb[k]) == r.dim(rb[k])) continue;
    c.FailAttribute(
        AttrId::kLhsBatchDims, HLO_LABEL("dot.batch-sizes"),
        absl::StrCat("batch dimension ", lb[k], " of the left has size ", l.dim(lb[k]), ", ", rb[k], " of the right ", r.dim(rb[k])));
    ok = false;
  }
  if (!ok) return std::nullopt;
  DimensionList list;
  std::vector<bool> l_used(l.rank(), false), r_used(r.rank(), false);
  for (int64_t d : lc) l_used[d] = true;
  for (int64_t d : rc) r_used[d] = true;
  for (int64_t d : lb) {
    l_used[d] = true;
    list.AddFrom(l, static_cast<int>(d));
  }
  for (int64_t d : rb) r_used[d] = true;
  for (int d = 0; d < l.rank(); ++d) {
    if (!l_used[d]) list.AddFrom(l, d);
  }
  for (int d = 0; d < r.rank(); ++d) {
    if (!r_used[d]) list.AddFrom(r, d);
  }
  ElementType type = BitWidth(r.element_type()) > BitWidth(l.element_type()) ? r.element_type() : l.element_type();
  if (IsFloat(l.element_type()) != IsFloat(r.element_type())) type = IsFloat(l.element_type()) ? l.element_type() : r.element_type();
  if (c.written().IsArray()) {
    if (!SameKind(c.written().element_type(), type)) {
      return c.Fail(HLO_LABEL("dot.result-type"), absl::StrCat("the result's type ", Name(c.written().element_type()),
                                                               " is of another kind than the operands' ", Name(type)));
    }
    type = c.written().element_type();
  }
  return list.Build(type);
}

absl::StatusOr<Program> MakeProgram(const Instruction& i) {
  const Shape& l = i.operands[0]->shape;
  const Shape& r = i.operands[1]->shape;
  Program p = Program::Pull({l, r}, i.shape);
  ExprGraph& g = *p.graph;
  const auto lc = i.Ints(AttrId::kLhsContractingDims), rc = i.Ints(AttrId::kRhsContractingDims);
  const auto lb = i.Ints(AttrId::kLhsBatchDims), rb = i.Ints(AttrId::kRhsBatchDims);
  std::vector<NodeId> li(l.rank(), kNoNode), ri(r.rank(), kNoNode);
  int next = 0;
  for (size_t k = 0; k < lb.size(); ++k) li[lb[k]] = ri[rb[k]] = g.Index(next++);
  std::vector<int32_t> vars;
  for (size_t k = 0; k < lc.size(); ++k) {
    if (l.dim(lc[k]) == 1) {
      li[lc[k]] = ri[rc[k]] = g.IndexConstant(0);
      continue;
    }
    vars.push_back(g.NewVar(l.dim(lc[k])));
    li[lc[k]] = ri[rc[k]] = g.Index(vars.back());
  }
  for (NodeId& n : li) {
    if (n == kNoNode) n = g.Index(next++);
  }
  for (NodeId& n : ri) {
    if (n == kNoNode) n = g.Index(next++);
  }
  const ElementType type = i.shape.element_type();
  const ElementType wide = AccumulationType(type);
  const NodeId a = g.Convert(wide, g.Load(0, l.element_type(), li));
  const NodeId b = g.Convert(wide, g.Load(1, r.element_type(), ri));
  const bool pred = IsPred(type);
  const NodeId product = g.Binary(pred ? ScalarOp::kAnd : ScalarOp::kMultiply, a, b);
  const NodeId sum = g.FoldOp(pred ? ScalarOp::kOr : ScalarOp::kAdd, g.Constant(ZeroOf(wide)), product, vars, /*reassociate=*/false);
  p.outputs[0].value = g.Convert(type, sum);
  return p;
}

}  // namespace

void DefineDot(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kDot);
  d.op_class = OpClass::kPull;
  d.min_operands = d.max_operands = 2;
  d.attributes = {{AttrId::kLhsContractingDims}, {AttrId::kRhsContractingDims}, {AttrId::kLhsBatchDims}, {AttrId::kRhsBatchDims},
                  {AttrId::kOperandPrecision},   {AttrId::kAlgorithm},          {AttrId::kDotAlgorithm}};
  d.infer = Infer;
  d.program = MakeProgram;
  d.summary = "sum of products over the contracting dimensions";
  d.doc =
      "Contracting dimensions are summed away, batch dimensions run in step on both sides; the result has the batch dimensions, then the "
      "left side's free ones, then the right side's. Operands are converted to the result's type first (a `s8` by `s8` dot may have an "
      "`s32` "
      "result). The sum runs in row-major order of the contracting dimensions as written, from zero; floats narrower than f32 are "
      "summed in f32 and rounded once.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
