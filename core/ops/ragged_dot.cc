// ragged-dot: a dot whose rows fall into groups, each with a right side of its own. Rule only.
#include <algorithm>

#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("ragged-dot.operand-arrays"))) return std::nullopt;
  const Shape& l = c.operand(0);
  const Shape& r = c.operand(1);
  const Shape& groups = c.operand(2);
  const Instruction& i = c.instruction();
  const auto lc = i.Ints(AttrId::kLhsContractingDims), rc = i.Ints(AttrId::kRhsContractingDims);
  const auto lb = i.Ints(AttrId::kLhsBatchDims), rb = i.Ints(AttrId::kRhsBatchDims);
  const auto ragged = i.Ints(AttrId::kLhsRaggedDims), group = i.Ints(AttrId::kRhsGroupDims);
  if (!IsInteger(groups.element_type()) || groups.rank() < 1) {
    return c.FailOperand(2, HLO_LABEL("ragged-dot.group-sizes"),
                         absl::StrCat("the group sizes must be an array of integers, they are ", TypeText(groups)));
  }
  if (ragged.size() != 1 || ragged[0] < 0 || ragged[0] >= l.rank()) {
    return c.FailAttribute(AttrId::kLhsRaggedDims, HLO_LABEL("ragged-dot.ragged-dimension"),
                           absl::StrCat("one ragged dimension of ", TypeText(l), " is needed, not ", ListText(ragged)));
  }
  std::vector<int64_t> left(lc.begin(), lc.end()), right(rc.begin(), rc.end());
  left.insert(left.end(), lb.begin(), lb.end());
  right.insert(right.end(), rb.begin(), rb.end());
  right.insert(right.end(), group.begin(), group.end());
  std::string why;
  if (!DistinctDimensions(left, l.rank(), &why) || !DistinctDimensions(right, r.rank(), &why)) {
    return c.Fail(HLO_LABEL("ragged-dot.dimensions"), why);
  }
  const auto same = [&](absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
    if (a.size() != b.size()) return false;
    for (size_t k = 0; k < a.size(); ++k) {
      if (l.dim(a[k]) != r.dim(b[k])) return false;
    }
    return true;
  };
  if (!same(lc, rc) || !same(lb, rb)) {
    return c.Fail(HLO_LABEL("ragged-dot.sizes"),
                  absl::StrCat("contracting and batch dimensions must agree in number and size: ", TypeText(l), " and ", TypeText(r)));
  }
  const bool contracted = std::find(lc.begin(), lc.end(), ragged[0]) != lc.end();
  const bool batched = std::find(lb.begin(), lb.end(), ragged[0]) != lb.end();
  const int64_t group_count = groups.dim(groups.rank() - 1);
  if (!contracted && !batched && (group.size() != 1 || r.dim(group[0]) != group_count)) {
    return c.FailAttribute(
        AttrId::kRhsGroupDims, HLO_LABEL("ragged-dot.group-dimension"),
        absl::StrCat("one dimension of ", TypeText(r), " must have the size of the ", group_count, " groups, not ", ListText(group)));
  }
  DimensionList list;
  if (contracted) list.Add(group_count);
  for (int64_t d : lb) list.AddFrom(l, static_cast<int>(d));
  for (int d = 0; d < l.rank(); ++d) {
    if (std::find(left.begin(), left.end(), d) == left.end()) list.AddFrom(l, d);
  }
  for (int d = 0; d < r.rank(); ++d) {
    if (std::find(right.begin(), right.end(), d) == right.end()) list.AddFrom(r, d);
  }
  return list.Build(c.written().IsArray() ? c.written().element_type() : l.element_type());
}

}  // namespace

void DefineRaggedDot(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kRaggedDot);
  d.op_class = OpClass::kOpaque;
  d.min_operands = d.max_operands = 3;
  d.attributes = {{AttrId::kLhsContractingDims},  {AttrId::kRhsContractingDims}, {AttrId::kLhsBatchDims},     {AttrId::kRhsBatchDims},
                  {AttrId::kLhsRaggedDims, true}, {AttrId::kRhsGroupDims},       {AttrId::kOperandPrecision}, {AttrId::kAlgorithm}};
  d.infer = Infer;
  d.not_executed = "ragged-dot is not executed yet";
  d.opaque_reason = "which right side a row meets follows from a running sum of the group sizes";
  d.summary = "a dot whose ragged dimension is cut into groups, each with its own right side";
  d.doc =
      "Operands: lhs, rhs, group sizes. Along the ragged dimension the first size[0] elements belong to group 0, the next size[1] to group "
      "1, and so on.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
