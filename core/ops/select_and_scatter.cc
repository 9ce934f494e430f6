// select-and-scatter: each window of the operand picks one of its elements, and the source's element goes there.
#include "core/ops/reducer.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

bool ScalarPairTo(const Computation* f, ElementType in, ElementType out) {
  if (f == nullptr || f->root == nullptr || f->parameters.size() != 2) return false;
  for (const Instruction* p : f->parameters) {
    if (!p->shape.IsScalar() || p->shape.element_type() != in) return false;
  }
  return f->root->shape.IsScalar() && f->root->shape.element_type() == out;
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("select-and-scatter.operand-arrays"))) return std::nullopt;
  const Shape& operand = c.operand(0);
  const Shape& source = c.operand(1);
  const Shape& init = c.operand(2);
  bool ok = true;
  if (source.element_type() != operand.element_type()) {
    c.FailOperand(1, HLO_LABEL("select-and-scatter.source-type"),
                  absl::StrCat("the source must be of ", Name(operand.element_type()), " like the operand, it is ", TypeText(source)));
    ok = false;
  }
  if (!init.IsScalar() || init.element_type() != operand.element_type()) {
    c.FailOperand(2, HLO_LABEL("select-and-scatter.init-scalar"),
                  absl::StrCat("the initial value must be a scalar ", Name(operand.element_type()), ", it is ", TypeText(init)));
    ok = false;
  }
  const Window* w = c.instruction().GetWindow();
  const Window none;
  if (w == nullptr) w = &none;
  if (static_cast<int>(w->size()) != operand.rank()) {
    c.FailAttribute(AttrId::kWindow, HLO_LABEL("select-and-scatter.window-rank"),
                    absl::StrCat("the window has ", w->size(), " dimensions, the operand has ", operand.rank()));
    ok = false;
  }
  bool window_ok = true;
  for (const WindowDimension& wd : *w) {
    std::string problem = WindowProblem(wd);
    if (problem.empty() && (wd.base_dilation != 1 || wd.window_dilation != 1 || wd.reversal))
      problem = "this window takes no dilation and no reversal";
    if (problem.empty()) continue;
    c.FailAttribute(AttrId::kWindow, HLO_LABEL("select-and-scatter.window-numbers"), problem);
    window_ok = false;
  }
  if (ok && window_ok) {
    DimensionList places;
    for (int d = 0; d < operand.rank(); ++d) places.Add(WindowPlaces(operand.dim(d), (*w)[d]));
    const Shape expected = places.Build(operand.element_type());
    if (!std::equal(expected.dimensions().begin(), expected.dimensions().end(), source.dimensions().begin(), source.dimensions().end())) {
      c.FailOperand(1, HLO_LABEL("select-and-scatter.source-dimensions"),
                    absl::StrCat("the source must have one element a window, ", TypeText(expected), ", it is ", TypeText(source)));
      ok = false;
    }
  }
  if (!ScalarPairTo(c.instruction().Called(AttrId::kSelect), operand.element_type(), ElementType::kPred)) {
    c.FailAttribute(AttrId::kSelect, HLO_LABEL("select-and-scatter.select-signature"),
                    absl::StrCat("select must take two scalars of ", Name(operand.element_type()), " and return pred[]"));
    ok = false;
  }
  if (!ScalarPairTo(c.instruction().Called(AttrId::kScatter), operand.element_type(), operand.element_type())) {
    c.FailAttribute(AttrId::kScatter, HLO_LABEL("select-and-scatter.scatter-signature"),
                    absl::StrCat("scatter must take two scalars of ", Name(operand.element_type()), " and return one"));
    ok = false;
  }
  if (!ok || !window_ok) return std::nullopt;
  return operand.WithoutLayouts();
}

// The fold over one window: parts are (found, value, row-major place in the window).
absl::StatusOr<NodeId> PickFold(ExprGraph& g, const Instruction& i, absl::Span<const int32_t> places) {
  const Shape& operand = i.operands[0]->shape;
  const Window& window = *i.GetWindow();
  const ElementType type = operand.element_type();
  FoldInfo fold;
  fold.id = g.NewFoldId();
  std::vector<NodeId> index;
  NodeId in_bounds = kNoNode;
  NodeId linear = g.IndexConstant(0);
  for (int d = 0; d < operand.rank(); ++d) {
    NodeId k = g.IndexConstant(0);
    if (window[d].size > 1) {
      fold.vars.push_back(g.NewVar(window[d].size));
      fold.extents.push_back(window[d].size);
      k = g.Index(fold.vars.back());
      linear = g.Add(g.Mul(linear, g.IndexConstant(window[d].size)), k);
    }
    const WindowPoint point = PointInWindow(g, g.Index(places[d]), k, window[d], operand.dim(d));
    in_bounds = AndBounds(g, in_bounds, point.in_bounds);
    index.push_back(point.index);
  }
  const NodeId found = g.Accumulator(fold.id, 0, ElementType::kPred);
  const NodeId value = g.Accumulator(fold.id, 1, type);
  const NodeId place = g.Accumulator(fold.id, 2, ElementType::kS64);
  const NodeId x = g.Load(0, type, index);
  auto keep = InlineScalarComputation(g, *i.Called(AttrId::kSelect), {value, x});
  if (!keep.ok()) return keep.status();
  const NodeId yes = g.Constant(Scalar::Int(ElementType::kPred, 1));
  // Out of bounds: nothing changes. The first element in bounds is taken unasked.
  NodeId take = g.Select(found, g.Unary(ScalarOp::kNot, (*keep)[0]), yes);
  if (in_bounds != kNoNode) take = g.Select(in_bounds, take, g.Constant(Scalar::Int(ElementType::kPred, 0)));
  fold.inits = {g.Constant(Scalar::Int(ElementType::kPred, 0)), g.Constant(ZeroOf(type)), g.IndexConstant(0)};
  fold.bodies = {g.Binary(ScalarOp::kOr, found, take), g.Select(take, x, value), g.Select(take, linear, place)};
  return g.Fold(std::move(fold));
}

absl::StatusOr<Program> MakeProgram(const Instruction& i) {
  std::vector<Shape> operands;
  for (const Instruction* o : i.operands) operands.push_back(o->shape);
  Program p = Program::Pull(operands, i.shape);
  ExprGraph& g = *p.graph;
  const Window none;
  const Window& window = i.GetWindow() ? *i.GetWindow() : none;
  const ElementType type = i.shape.element_type();
  p.is_push = true;
  p.outputs.clear();
  p.outputs.push_back({i.shape, g.Load(2, type, {})});
  std::vector<NodeId> source_index;
  for (int d = 0; d < i.shape.rank(); ++d) {
    p.push.vars.push_back(g.NewVar(operands[1].dim(d)));
    source_index.push_back(g.Index(p.push.vars.back()));
  }
  NodeId place = g.IndexConstant(0);
  if (i.shape.rank() > 0) {
    auto fold = PickFold(g, i, p.push.vars);
    if (!fold.ok()) return fold.status();
    p.push.in_bounds = g.FoldResult(*fold, 0);
    place = g.FoldResult(*fold, 2);
  }
  int64_t stride = 1;
  p.push.target.resize(i.shape.rank());
  for (int d = i.shape.rank() - 1; d >= 0; --d) {
    const WindowDimension& w = window[d];
    NodeId at = g.Mul(source_index[d], g.IndexConstant(w.stride));
    if (w.size > 1) at = g.Add(at, g.Mod(g.FloorDiv(place, stride), w.size));
    if (w.padding_low != 0) at = g.Add(at, g.IndexConstant(-w.padding_low));
    p.push.target[d] = at;
    stride *= w.size;
  }
  p.push.accumulator_id = g.NewFoldId();
  const Computation& scatter = *i.Called(AttrId::kScatter);
  const NodeId before = g.Accumulator(p.push.accumulator_id, 0, type);
  auto combined = InlineScalarComputation(g, scatter, {before, g.Load(1, type, source_index)});
  if (!combined.ok()) return combined.status();
  p.push.combined = {(*combined)[0]};
  p.push.order_free = SimpleReducer(scatter).has_value();
  return p;
}

}  // namespace

void DefineSelectAndScatter(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kSelectAndScatter);
  d.op_class = OpClass::kPush;
  d.min_operands = d.max_operands = 3;
  d.attributes = {{AttrId::kWindow, false}, {AttrId::kSelect, true}, {AttrId::kScatter, true}};
  d.infer = Infer;
  d.program = MakeProgram;
  d.summary = "each window picks one element; the source's element is combined into that place";
  d.doc =
      "The gradient of max pooling. The result has the operand's shape and starts as the initial value everywhere. Each window walks its "
      "elements in row-major order "
      "and keeps the one it has while `select(kept, next)` says so; then `scatter(current, source)` combines the window's source element "
      "into the result at the picked place. Places of the rim are never picked. Windows that overlap may pick the same place.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
