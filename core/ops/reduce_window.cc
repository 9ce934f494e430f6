// reduce-window: a fold over a window that slides across N arrays.
#include "core/ops/reducer.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const int n = c.operand_count() / 2;
  if (c.operand_count() % 2 != 0 || n == 0) {
    return c.Fail(HLO_LABEL("reduce-window.operand-count"),
                  absl::StrCat("operands come as N arrays and N initial values, there are ", c.operand_count()));
  }
  if (!RequireArrays(c, HLO_LABEL("reduce-window.operand-arrays"))) return std::nullopt;
  bool ok = true;
  std::vector<ElementType> types;
  for (int k = 0; k < n; ++k) {
    if (!Shape::SameDimensions(c.operand(k), c.operand(0))) {
      c.FailOperand(k, HLO_LABEL("reduce-window.same-dimensions"),
                    absl::StrCat("all arrays must have equal dimensions: operand 0 is ", TypeText(c.operand(0)), ", operand ", k, " is ",
                                 TypeText(c.operand(k))));
      ok = false;
    }
    const Shape& init = c.operand(n + k);
    if (!init.IsScalar() ||
        (init.element_type() != c.operand(k).element_type() && !(IsFloat(init.element_type()) && IsFloat(c.operand(k).element_type())))) {
      c.FailOperand(n + k, HLO_LABEL("reduce-window.init-scalar"),
                    absl::StrCat("the initial value of operand ", k, " must be a scalar ", Name(c.operand(k).element_type()), ", it is ",
                                 TypeText(init)));
      ok = false;
    }
    types.push_back(c.operand(k).element_type());
  }
  const Window* w = c.instruction().GetWindow();
  const Window none;
  if (w == nullptr) w = &none;
  if (static_cast<int>(w->size()) != c.operand(0).rank()) {
    c.FailAttribute(AttrId::kWindow, HLO_LABEL("reduce-window.window-rank"),
                    absl::StrCat("the window has ", w->size(), " dimensions, the operand has ", c.operand(0).rank()));
    ok = false;
  }
  for (const WindowDimension& wd : *w) {
    const std::string problem = WindowProblem(wd);
    if (problem.empty()) continue;
    c.FailAttribute(AttrId::kWindow, HLO_LABEL("reduce-window.window-numbers"), problem);
    ok = false;
  }
  const auto results = CheckReducer(c, AttrId::kToApply, types, HLO_LABEL("reduce-window.reducer-signature"));
  if (!ok || !results) return std::nullopt;
  std::vector<Shape> shapes;
  for (int k = 0; k < n; ++k) {
    DimensionList list;
    for (int d = 0; d < c.operand(0).rank(); ++d) list.Add(WindowPlaces(c.operand(0).dim(d), (*w)[d]), c.operand(0).is_dynamic(d));
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
  const Window none;
  const Window& window = i.GetWindow() ? *i.GetWindow() : none;
  std::vector<NodeId> index;
  std::vector<int32_t> vars;
  NodeId in_bounds = kNoNode;
  for (int d = 0; d < operands[0].rank(); ++d) {
    const WindowDimension& w = window[d];
    NodeId k = g.IndexConstant(0);
    if (w.size > 1) {
      vars.push_back(g.NewVar(w.size));
      k = g.Index(vars.back());
      if (w.reversal) k = g.Sub(g.IndexConstant(w.size - 1), k);
    }
    const WindowPoint point = PointInWindow(g, g.Index(d), k, w, operands[0].dim(d));
    in_bounds = AndBounds(g, in_bounds, point.in_bounds);
    index.push_back(point.index);
  }
  std::vector<NodeId> inits, elements;
  for (int k = 0; k < n; ++k) {
    inits.push_back(g.Load(n + k, operands[n + k].element_type(), {}));
    elements.push_back(g.Load(k, operands[k].element_type(), index));
  }
  auto folded = FoldWith(g, *i.Called(AttrId::kToApply), inits, elements, vars, in_bounds);
  if (!folded.ok()) return folded.status();
  p.outputs.clear();
  for (int k = 0; k < n; ++k) p.outputs.push_back({tuple ? i.shape.tuple_shapes()[k] : i.shape, (*folded)[k]});
  return p;
}

}  // namespace

void DefineReduceWindow(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kReduceWindow);
  d.op_class = OpClass::kPull;
  d.min_operands = 2;
  d.max_operands = -1;
  d.attributes = {{AttrId::kWindow, false}, {AttrId::kToApply, true}};
  d.infer = Infer;
  d.program = MakeProgram;
  d.summary = "folds every place of a sliding window";
  d.doc =
      "A window slides over N arrays of equal dimensions; each result element is the fold of the window at one place, starting from the "
      "initial value, which (like every later accumulator) is the left argument of the computation. `stride` is the step between "
      "places, `lhs_dilate` puts holes between the array's elements, `rhs_dilate` between the window's, `pad` adds a rim (negative: cuts "
      "one off). Places on a hole or on the rim are passed over: they count as nothing, not as another initial value.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
