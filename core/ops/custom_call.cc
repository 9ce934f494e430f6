// custom-call: a function that the program only names. Which targets run without a library: custom_call_targets.h.
#include "core/ops/custom_call_targets.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/parallel_call.h"
#include "core/ops/rules.h"
#include "core/ops/topk.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  if (c.instruction().Text(AttrId::kCustomCallTarget).empty()) {
    return c.FailAttribute(AttrId::kCustomCallTarget, HLO_LABEL("custom-call.target"), "custom_call_target must name a function");
  }
  if (c.instruction().shape_omitted)
    return c.Fail(HLO_LABEL("custom-call.shape"), "the result shape of a custom call must be written: nothing else says what it is");
  if (FindCustomCallTarget(c.instruction().Text(AttrId::kCustomCallTarget)) == CustomCallTarget::kEvaluated) {
    const std::string problem = c.operand_count() == 1 ? TopKProblem(c.operand(0), c.written()) : "it takes one array";
    if (!problem.empty()) return c.Fail(HLO_LABEL("custom-call.topk"), absl::StrCat("custom call TopK: ", problem));
  }
  if (IsParallelCall(c.instruction())) {
    const absl::StatusOr<ParallelCall> parallel = ParallelCallOf(c.instruction());
    if (!parallel.ok()) return c.Fail(HLO_LABEL("custom-call.run-parallel"), absl::StrCat(c.instruction().Text(AttrId::kCustomCallTarget), ": ", parallel.status().message()));
  }
  return c.written().WithoutLayouts();
}

std::vector<Reach> ReachOfCall(const ReachQuestion& q) {
  const Instruction& i = q.instruction;
  switch (FindCustomCallTarget(i.Text(AttrId::kCustomCallTarget))) {
    case CustomCallTarget::kPassThrough: {
      int leaf = q.operand_leaf;
      for (int k = 0; k < q.operand; ++k) leaf += LeafCountOf(i.operands[k]->shape);
      if (leaf != q.leaf) return {};
      return {q.Same()};
    }
    case CustomCallTarget::kEvaluated: return ReachOfTopK(q);
    case CustomCallTarget::kCheck:
    case CustomCallTarget::kParallel:
    case CustomCallTarget::kRefused:
    case CustomCallTarget::kUnknown: break;
  }
  Reach reach = q.Whole();
  reach.exact = false;
  return {reach};
}

}  // namespace

void DefineCustomCall(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kCustomCall);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 0;
  d.max_operands = -1;
  d.attributes = {{AttrId::kCustomCallTarget, true},
                  {AttrId::kCustomCallHasSideEffect},
                  {AttrId::kApiVersion},
                  {AttrId::kOperandLayoutConstraints},
                  {AttrId::kOutputToOperandAliasing},
                  {AttrId::kCalledComputations},
                  {AttrId::kToApply},
                  {AttrId::kWindow},
                  {AttrId::kDimLabels},
                  {AttrId::kFeatureGroupCount},
                  {AttrId::kBatchGroupCount},
                  {AttrId::kSchedule},
                  {AttrId::kOperandPrecision},
                  {AttrId::kPadding}};
  d.infer = Infer;
  d.evaluate = EvaluateCustomCall;
  d.reach = ReachOfCall;
  d.opaque_reason = "the program names a function and does not say what it does";
  d.summary = "calls a function by name";
  d.doc =
      "The result has the shape that is written. Annotations (`Sharding` and its kin, moves between memories) pass their operand through; "
      "`TopK` "
      "is computed; any other target must come from a library given by the user, as `void target(void* out, void** in)` over "
      "buffers in the layouts of their shapes (dense and row-major where none is written). "
      "An unknown target is an error that names it, when it is reached.";
  d.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
