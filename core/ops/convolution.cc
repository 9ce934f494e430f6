// convolution: n spatial dimensions, dilations, reversal, feature groups and batch groups, dimensions in any order.
#include "core/ops/rules.h"

namespace hloscope {
namespace {

bool IsOrdering(std::vector<int64_t> dims, int64_t a, int64_t b, int rank) {
  dims.push_back(a);
  dims.push_back(b);
  std::string why;
  return static_cast<int>(dims.size()) == rank && DistinctDimensions(dims, rank, &why);
}

std::optional<Shape> Infer(ShapeContext& c) {
  if (!RequireArrays(c, HLO_LABEL("convolution.operand-arrays"))) return std::nullopt;
  const Shape& l = c.operand(0);
  const Shape& r = c.operand(1);
  const Instruction& i = c.instruction();
  const ConvDimensionNumbers* dn = i.GetDimLabels();
  if (dn == nullptr)
    return c.Fail(HLO_LABEL("convolution.dim-labels-missing"), "dim_labels must say which dimension is which",
                  "for instance dim_labels=b01f_01io->b01f");
  const int spatial = static_cast<int>(dn->input_spatial.size());
  bool ok = true;
  if (l.rank() != r.rank() || dn->kernel_spatial.size() != dn->input_spatial.size() ||
      dn->output_spatial.size() != dn->input_spatial.size() ||
      !IsOrdering(dn->input_spatial, dn->input_batch, dn->input_feature, l.rank()) ||
      !IsOrdering(dn->kernel_spatial, dn->kernel_input_feature, dn->kernel_output_feature, r.rank()) ||
      !IsOrdering(dn->output_spatial, dn->output_batch, dn->output_feature, l.rank())) {
    return c.FailAttribute(AttrId::kDimLabels, HLO_LABEL("convolution.dim-labels"),
                           absl::StrCat("dim_labels must name each dimension of ", TypeText(l), " and ", TypeText(r), " once"));
  }
  const bool same_kind = l.element_type() == r.element_type() || (IsFloat(l.element_type()) && IsFloat(r.element_type())) ||
                         (IsInteger(l.element_type()) && IsInteger(r.element_type()));
  if (!same_kind) {
    c.Fail(HLO_LABEL("convolution.element-types"),
           absl::StrCat("input and kernel must be of one kind of number, they are ", TypeText(l), " and ", TypeText(r)));
    ok = false;
  }
  const Window none(spatial);
  const Window& w = i.GetWindow() ? *i.GetWindow() : none;
  if (static_cast<int>(w.size()) != spatial) {
    return c.FailAttribute(AttrId::kWindow, HLO_LABEL("convolution.window-rank"),
                           absl::StrCat("the window has ", w.size(), " dimensions, dim_labels has ", spatial, " spatial ones"));
  }
  for (int s = 0; s < spatial; ++s) {
    const std::string problem = WindowProblem(w[s]);
    if (!problem.empty()) {
      c.FailAttribute(AttrId::kWindow, HLO_LABEL("convolution.window-numbers"), problem);
      ok = false;
    } else if (w[s].size != r.dim(dn->kernel_spatial[s])) {
      c.FailAttribute(AttrId::kWindow, HLO_LABEL("convolution.window-size"),
                      absl::StrCat("window dimension ", s, " has size ", w[s].size, ", the kernel's dimension ", dn->kernel_spatial[s],
                                   " has size ", r.dim(dn->kernel_spatial[s])));
      ok = false;
    }
  }
  const int64_t fg = i.Int(AttrId::kFeatureGroupCount, 1), bg = i.Int(AttrId::kBatchGroupCount, 1);
  if (fg < 1 || bg < 1 || (fg > 1 && bg > 1)) {
    return c.Fail(HLO_LABEL("convolution.group-counts"),
                  absl::StrCat("group counts must be at least 1, and one of them 1: feature_group_count=", fg, ", batch_group_count=", bg));
  }
  const int64_t in_features = l.dim(dn->input_feature), out_features = r.dim(dn->kernel_output_feature);
  if (r.dim(dn->kernel_input_feature) * fg != in_features) {
    c.FailOperand(1, HLO_LABEL("convolution.input-features"),
                  absl::StrCat("the kernel's input features (", r.dim(dn->kernel_input_feature), ") times feature_group_count (", fg,
                               ") must be the input's features (", in_features, ")"));
    ok = false;
  }
  if (out_features % fg != 0 || out_features % bg != 0) {
    c.FailOperand(1, HLO_LABEL("convolution.output-features"),
                  absl::StrCat("the output features (", out_features, ") must be divisible by the group count (", std::max(fg, bg), ")"));
    ok = false;
  }
  if (l.dim(dn->input_batch) % bg != 0) {
    c.FailOperand(0, HLO_LABEL("convolution.batch-groups"),
                  absl::StrCat("the batch (", l.dim(dn->input_batch), ") must be divisible by batch_group_count (", bg, ")"));
    ok = false;
  }
  if (!ok) return std::nullopt;
  std::vector<int64_t> dims(l.rank());
  std::vector<bool> dynamic(l.rank(), false);
  dims[dn->output_batch] = l.dim(dn->input_batch) / bg;
  dynamic[dn->output_batch] = l.is_dynamic(dn->input_batch);
  dims[dn->output_feature] = out_features;
  for (int s = 0; s < spatial; ++s) {
    dims[dn->output_spatial[s]] = WindowPlaces(l.dim(dn->input_spatial[s]), w[s]);
    dynamic[dn->output_spatial[s]] = l.is_dynamic(dn->input_spatial[s]);
  }
  DimensionList list;
  for (int d = 0; d < l.rank(); ++d) list.Add(dims[d], dynamic[d]);
  ElementType type = BitWidth(r.element_type()) > BitWidth(l.element_type()) ? r.element_type() : l.element_type();
  if (c.written().IsArray()) {
    const ElementType t = c.written().element_type();
    if (t != type && !(IsFloat(t) && IsFloat(type)) && !(IsInteger(t) && IsInteger(type))) {
      return c.Fail(HLO_LABEL("convolution.result-type"),
                    absl::StrCat("the result's type ", Name(t), " is of another kind than the operands' ", Name(type)));
    }
    type = t;
  }
  return list.Build(type);
}

absl::StatusOr<Program> MakeProgram(const Instruction& i) {
  const Shape& l = i.operands[0]->shape;
  const Shape& r = i.operands[1]->shape;
  const ConvDimensionNumbers& dn = *i.GetDimLabels();
  const int spatial = static_cast<int>(dn.input_spatial.size());
  const Window none(spatial);
  const Window& window = i.GetWindow() ? *i.GetWindow() : none;
  Program p = Program::Pull({l, r}, i.shape);
  ExprGraph& g = *p.graph;
  std::vector<NodeId> li(l.rank()), ri(r.rank());
  std::vector<int32_t> vars;
  NodeId in_bounds = kNoNode;
  for (int s = 0; s < spatial; ++s) {
    const WindowDimension& w = window[s];
    NodeId k = g.IndexConstant(0);
    if (w.size > 1) {
      vars.push_back(g.NewVar(w.size));
      k = g.Index(vars.back());
    }
    const WindowPoint point = PointInWindow(g, g.Index(static_cast<int32_t>(dn.output_spatial[s])), k, w, l.dim(dn.input_spatial[s]));
    in_bounds = AndBounds(g, in_bounds, point.in_bounds);
    li[dn.input_spatial[s]] = point.index;
    ri[dn.kernel_spatial[s]] = w.reversal ? g.Sub(g.IndexConstant(w.size - 1), k) : k;
  }
  const int64_t group_features = r.dim(dn.kernel_input_feature);
  NodeId f = g.IndexConstant(0);
  if (group_features != 1) {
    vars.push_back(g.NewVar(group_features));
    f = g.Index(vars.back());
  }
  const int64_t fg = i.Int(AttrId::kFeatureGroupCount, 1), bg = i.Int(AttrId::kBatchGroupCount, 1);
  const NodeId o = g.Index(static_cast<int32_t>(dn.output_feature));
  const NodeId b = g.Index(static_cast<int32_t>(dn.output_batch));
  const int64_t out_features = r.dim(dn.kernel_output_feature);
  ri[dn.kernel_input_feature] = f;
  ri[dn.kernel_output_feature] = o;
  // Output features come in as many blocks as there are groups; block q reads the q-th block of input features (or of the batch).
  li[dn.input_feature] =
      fg == 1 || out_features == 0 ? f : g.Add(g.Mul(g.FloorDiv(o, out_features / fg), g.IndexConstant(group_features)), f);
  li[dn.input_batch] =
      bg == 1 || out_features == 0 ? b : g.Add(g.Mul(g.FloorDiv(o, out_features / bg), g.IndexConstant(l.dim(dn.input_batch) / bg)), b);
  const ElementType type = i.shape.element_type();
  const ElementType wide = AccumulationType(type);
  const NodeId x = g.Convert(wide, g.Load(0, l.element_type(), li));
  const NodeId y = g.Convert(wide, g.Load(1, r.element_type(), ri));
  const bool pred = IsPred(type);
  NodeId product = g.Binary(pred ? ScalarOp::kAnd : ScalarOp::kMultiply, x, y);
  if (in_bounds != kNoNode) product = g.Select(in_bounds, product, g.Constant(ZeroOf(wide)));
  const NodeId sum = g.FoldOp(pred ? ScalarOp::kOr : ScalarOp::kAdd, g.Constant(ZeroOf(wide)), product, vars, /*reassociate=*/false);
  p.outputs[0].value = g.Convert(type, sum);
  return p;
}

}  // namespace

void DefineConvolution(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kConvolution);
  d.op_class = OpClass::kPull;
  d.min_operands = d.max_operands = 2;
  d.attributes = {{AttrId::kWindow},          {AttrId::kDimLabels, true},  {AttrId::kFeatureGroupCount},
                  {AttrId::kBatchGroupCount}, {AttrId::kOperandPrecision}, {AttrId::kAlgorithm}};
  d.infer = Infer;
  d.program = MakeProgram;
  d.summary = "slides a kernel over spatial dimensions and sums products over window and input features";
  d.doc =
      "`dim_labels` says which dimension is batch, feature or spatial on each of input, kernel and output. Each output element is the sum "
      "over the kernel's window and the input features of input times kernel; window elements that fall on padding or between dilated "
      "input elements add nothing. `rhs_reversal` turns the kernel round, `feature_group_count` splits input and output features into "
      "groups that do not "
      "see one another (as many groups as features: depthwise), `batch_group_count` splits the batch and the output features.\n\n"
      "The sum runs over the window row-major, input features innermost, from zero; floats narrower than f32 are summed in f32 and rounded "
      "once.";
  d.spec = "operations.md: Linear algebra and others";
}

}  // namespace hloscope
