// ragged-dot: a dot one dimension of which falls into groups of run-time sizes. What a group decides depends on the kind of that
// dimension: which right side a row meets (free), which result it goes to (contracting), or nothing (batch).
#include <algorithm>

#include "core/ops/rules.h"

namespace hloscope {
namespace {

bool Contains(absl::Span<const int64_t> list, int64_t d) { return std::find(list.begin(), list.end(), d) != list.end(); }

enum class Mode : uint8_t { kFree, kContracting, kBatch };

// The dimension numbers and what follows from them.
struct Numbers {
  absl::Span<const int64_t> lc, rc, lb, rb, ragged, group;
  explicit Numbers(const Instruction& i)
      : lc(i.Ints(AttrId::kLhsContractingDims)),
        rc(i.Ints(AttrId::kRhsContractingDims)),
        lb(i.Ints(AttrId::kLhsBatchDims)),
        rb(i.Ints(AttrId::kRhsBatchDims)),
        ragged(i.Ints(AttrId::kLhsRaggedDims)),
        group(i.Ints(AttrId::kRhsGroupDims)) {}
  Mode mode() const {
    return Contains(lc, ragged[0]) ? Mode::kContracting : Contains(lb, ragged[0]) ? Mode::kBatch : Mode::kFree;
  }
  std::vector<int64_t> LeftFree(int rank) const {
    std::vector<int64_t> free;
    for (int d = 0; d < rank; ++d) {
      if (!Contains(lc, d) && !Contains(lb, d)) free.push_back(d);
    }
    return free;
  }
  std::vector<int64_t> RightFree(int rank) const {
    std::vector<int64_t> free;
    for (int d = 0; d < rank; ++d) {
      if (!Contains(rc, d) && !Contains(rb, d) && !Contains(group, d)) free.push_back(d);
    }
    return free;
  }
  // The left dimensions along which group sizes may differ: those that come before the ragged one, in the order of the result.
  std::vector<int64_t> Prefix(int rank) const {
    std::vector<int64_t> prefix;
    const auto add_before = [&](absl::Span<const int64_t> dims) {
      for (int64_t d : dims) {
        if (d == ragged[0]) return;
        prefix.push_back(d);
      }
    };
    if (mode() != Mode::kBatch) prefix.assign(lb.begin(), lb.end());
    add_before(mode() == Mode::kBatch ? lb : mode() == Mode::kContracting ? lc : absl::MakeConstSpan(LeftFree(rank)));
    return prefix;
  }
};

bool SameKind(ElementType a, ElementType b) { return a == b || (IsFloat(a) && IsFloat(b)) || (IsInteger(a) && IsInteger(b)); }

bool CheckDimensionNumbers(ShapeContext& c, const Numbers& n) {
  const Shape& l = c.operand(0);
  const Shape& r = c.operand(1);
  if (n.ragged.size() != 1 || n.ragged[0] < 0 || n.ragged[0] >= l.rank()) {
    c.FailAttribute(AttrId::kLhsRaggedDims, HLO_LABEL("ragged-dot.ragged-dimension"),
                    absl::StrCat("one ragged dimension of ", TypeText(l), " is needed, not ", ListText(n.ragged)));
    return false;
  }
  std::vector<int64_t> left(n.lc.begin(), n.lc.end()), right(n.rc.begin(), n.rc.end());
  left.insert(left.end(), n.lb.begin(), n.lb.end());
  right.insert(right.end(), n.rb.begin(), n.rb.end());
  right.insert(right.end(), n.group.begin(), n.group.end());
  std::string why;
  if (!DistinctDimensions(left, l.rank(), &why) || !DistinctDimensions(right, r.rank(), &why)) {
    c.Fail(HLO_LABEL("ragged-dot.dimensions"), why);
    return false;
  }
  const auto same = [&](absl::Span<const int64_t> a, absl::Span<const int64_t> b) {
    if (a.size() != b.size()) return false;
    for (size_t k = 0; k < a.size(); ++k) {
      if (l.dim(static_cast<int>(a[k])) != r.dim(static_cast<int>(b[k]))) return false;
    }
    return true;
  };
  if (same(n.lc, n.rc) && same(n.lb, n.rb)) return true;
  c.Fail(HLO_LABEL("ragged-dot.sizes"),
         absl::StrCat("contracting and batch dimensions must agree in number and size: ", TypeText(l), " and ", TypeText(r)));
  return false;
}

bool CheckGroups(ShapeContext& c, const Numbers& n) {
  const Shape& l = c.operand(0);
  const Shape& r = c.operand(1);
  const Shape& groups = c.operand(2);
  const int64_t count = groups.dim(groups.rank() - 1);
  const bool fits = n.mode() == Mode::kFree ? n.group.size() == 1 && r.dim(static_cast<int>(n.group[0])) == count : n.group.empty();
  if (!fits) {
    c.FailAttribute(AttrId::kRhsGroupDims, HLO_LABEL("ragged-dot.group-dimension"),
                    n.mode() == Mode::kFree ? absl::StrCat("one dimension of ", TypeText(r), " must have the size of the ", count,
                                                           " groups, not ", ListText(n.group))
                                            : std::string("the right side has a group dimension only where a free dimension is ragged"));
    return false;
  }
  if (groups.rank() == 1) return true;
  const std::vector<int64_t> prefix = n.Prefix(l.rank());
  bool same = groups.rank() == static_cast<int>(prefix.size()) + 1;
  for (size_t k = 0; same && k < prefix.size(); ++k) same = groups.dim(static_cast<int>(k)) == l.dim(static_cast<int>(prefix[k]));
  if (same) return true;
  c.FailOperand(2, HLO_LABEL("ragged-dot.group-sizes-dimensions"),
                absl::StrCat("the group sizes are a vector, or one vector for each index of the left dimensions ", ListText(prefix),
                             " that come before the ragged one; they are ", TypeText(groups)));
  return false;
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("ragged-dot.operand-arrays"))) return std::nullopt;
  const Shape& l = c.operand(0);
  const Shape& r = c.operand(1);
  const Shape& groups = c.operand(2);
  if (!IsInteger(groups.element_type()) || groups.rank() < 1) {
    return c.FailOperand(2, HLO_LABEL("ragged-dot.group-sizes"),
                         absl::StrCat("the group sizes must be an array of integers, they are ", TypeText(groups)));
  }
  if (!SameKind(l.element_type(), r.element_type())) {
    return c.FailOperand(1, HLO_LABEL("ragged-dot.element-types"),
                         absl::StrCat("both sides must be of one kind of number, they are ", TypeText(l), " and ", TypeText(r)));
  }
  const Numbers n(c.instruction());
  if (!CheckDimensionNumbers(c, n) || !CheckGroups(c, n)) return std::nullopt;
  DimensionList list;
  if (n.mode() == Mode::kContracting) list.Add(groups.dim(groups.rank() - 1));
  for (int64_t d : n.lb) list.AddFrom(l, static_cast<int>(d));
  for (int64_t d : n.LeftFree(l.rank())) list.AddFrom(l, static_cast<int>(d));
  for (int64_t d : n.RightFree(r.rank())) list.AddFrom(r, static_cast<int>(d));
  ElementType type = BitWidth(r.element_type()) > BitWidth(l.element_type()) ? r.element_type() : l.element_type();
  if (c.written().IsArray()) {
    if (!SameKind(c.written().element_type(), type)) {
      return c.Fail(HLO_LABEL("ragged-dot.result-type"), absl::StrCat("the result's type ", Name(c.written().element_type()),
                                                                      " is of another kind than the operands' ", Name(type)));
    }
    type = c.written().element_type();
  }
  return list.Build(type);
}

// The sum of the group sizes before group `g` (any node), for the index of the prefix dimensions `at`.
struct GroupSizes {
  ExprGraph& g;
  const Shape& shape;
  std::vector<NodeId> at;  // of the prefix; empty where the sizes are one vector

  NodeId Size(NodeId group) const {
    std::vector<NodeId> index = at;
    index.push_back(group);
    return g.Convert(ElementType::kS64, g.Load(2, shape.element_type(), index));
  }
  int64_t count() const { return shape.dim(shape.rank() - 1); }
  NodeId Start(NodeId group) const {
    const int32_t v = g.NewVar(count());
    const NodeId before = g.Binary(ScalarOp::kLt, g.Index(v), group);
    return g.FoldOp(ScalarOp::kAdd, g.IndexConstant(0), g.Select(before, Size(g.Index(v)), g.IndexConstant(0)), {v}, /*reassociate=*/false);
  }
  // The group that element `m` falls into: how many groups end at or before it; count() beyond the last.
  NodeId GroupOf(NodeId m) const {
    FoldInfo fold;
    fold.id = g.NewFoldId();
    fold.vars = {g.NewVar(count())};
    fold.extents = {count()};
    const NodeId end = g.Add(g.Accumulator(fold.id, 0, ElementType::kS64), Size(g.Index(fold.vars[0])));
    const NodeId passed = g.Accumulator(fold.id, 1, ElementType::kS64);
    fold.inits = {g.IndexConstant(0), g.IndexConstant(0)};
    fold.bodies = {end, g.Select(g.Binary(ScalarOp::kLe, end, m), g.Add(passed, g.IndexConstant(1)), passed)};
    return g.FoldResult(g.Fold(std::move(fold)), 1);
  }
};

absl::StatusOr<Program> MakeProgram(const Instruction& i) {
  const Shape& l = i.operands[0]->shape;
  const Shape& r = i.operands[1]->shape;
  const Shape& sizes = i.operands[2]->shape;
  const Numbers n(i);
  const Mode mode = n.mode();
  Program p = Program::Pull({l, r, sizes}, i.shape);
  ExprGraph& g = *p.graph;
  std::vector<NodeId> li(l.rank(), kNoNode), ri(r.rank(), kNoNode);
  int32_t next = 0;
  const NodeId result_group = mode == Mode::kContracting ? g.Index(next++) : kNoNode;
  for (size_t k = 0; k < n.lb.size(); ++k) li[n.lb[k]] = ri[n.rb[k]] = g.Index(next++);
  for (int64_t d : n.LeftFree(l.rank())) li[d] = g.Index(next++);
  for (int64_t d : n.RightFree(r.rank())) ri[d] = g.Index(next++);
  std::vector<int32_t> vars;
  for (size_t k = 0; k < n.lc.size(); ++k) {
    vars.push_back(g.NewVar(l.dim(static_cast<int>(n.lc[k]))));
    li[n.lc[k]] = ri[n.rc[k]] = g.Index(vars.back());
  }
  GroupSizes groups{g, sizes, {}};
  if (sizes.rank() > 1) {
    for (int64_t d : n.Prefix(l.rank())) groups.at.push_back(li[d]);
  }
  NodeId counts = kNoNode;  // whether this product belongs to the sum
  if (mode == Mode::kFree) {
    const NodeId group = groups.GroupOf(li[n.ragged[0]]);
    counts = g.Binary(ScalarOp::kLt, group, g.IndexConstant(groups.count()));
    ri[n.group[0]] = g.Clamp(group, 0, std::max<int64_t>(0, groups.count() - 1));
  } else if (mode == Mode::kContracting) {
    const NodeId at = li[n.ragged[0]], start = groups.Start(result_group);
    counts = g.And(g.Binary(ScalarOp::kLe, start, at), g.Binary(ScalarOp::kLt, at, g.Add(start, groups.Size(result_group))));
  }
  const ElementType type = i.shape.element_type(), wide = AccumulationType(type);
  const bool pred = IsPred(type);
  const NodeId a = g.Convert(wide, g.Load(0, l.element_type(), li)), b = g.Convert(wide, g.Load(1, r.element_type(), ri));
  const NodeId zero = g.Constant(ZeroOf(wide));
  NodeId product = g.Binary(pred ? ScalarOp::kAnd : ScalarOp::kMultiply, a, b);
  if (counts != kNoNode) product = g.Select(counts, product, zero);
  p.outputs[0].value = g.Convert(type, g.FoldOp(pred ? ScalarOp::kOr : ScalarOp::kAdd, zero, product, vars, /*reassociate=*/false));
  return p;
}

}  // namespace

void DefineRaggedDot(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kRaggedDot);
  d.op_class = OpClass::kPull;
  d.min_operands = d.max_operands = 3;
  d.attributes = {{AttrId::kLhsContractingDims},  {AttrId::kRhsContractingDims}, {AttrId::kLhsBatchDims},     {AttrId::kRhsBatchDims},
                  {AttrId::kLhsRaggedDims, true}, {AttrId::kRhsGroupDims},       {AttrId::kOperandPrecision}, {AttrId::kAlgorithm}};
  d.infer = Infer;
  d.program = MakeProgram;
  d.summary = "a dot one dimension of which is cut into groups of run-time sizes";
  d.doc =
      "Operands: lhs, rhs, group sizes. Along the ragged dimension of lhs the first size[0] elements belong to group 0, the next size[1] to "
      "group 1, and so on; what lies beyond the last group adds nothing.\n\n"
      "A ragged free dimension: `out[b, m, n] = sum over k of lhs[b, m, k] * rhs[group(m), b, k, n]`, rhs has one dimension of groups "
      "(`rhs_group_dims`). A ragged contracting dimension: `out[g, b, m, n]` is the sum over the k of group g alone. A ragged batch "
      "dimension: the groups change nothing. The group sizes are a vector, or one vector for each index of the batch dimensions and of the "
      "free (contracting) dimensions that stand before the ragged one. Sums run as in `dot`.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
