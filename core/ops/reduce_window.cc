// reduce-window: a fold over a window that slides across N arrays.
#include "core/ops/reducer.h"
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const FoldOperands fold = CheckFoldOperands(c, {HLO_LABEL("reduce-window.operand-count"), HLO_LABEL("reduce-window.operand-arrays"),
                                                  HLO_LABEL("reduce-window.same-dimensions"), HLO_LABEL("reduce-window.init-scalar")});
  if (!fold.can_go_on) return std::nullopt;
  const int n = static_cast<int>(fold.types.size());
  bool ok = fold.ok;
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
  const auto results = CheckReducer(c, AttrId::kToApply, fold.types, HLO_LABEL("reduce-window.reducer-signature"));
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
  std::vector<Shape> operands;
  for (const Instruction* o : i.operands) operands.push_back(o->shape);
  Program p = Program::Pull(operands, i.shape.IsTuple() ? i.shape.tuple_shapes()[0] : i.shape);
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
  if (absl::Status status = FoldOperandsInto(p, i, index, vars, in_bounds); !status.ok()) return status;
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
