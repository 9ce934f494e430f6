// scan: a running fold along one dimension that keeps every state. Rule only.
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> Infer(ShapeContext& c) {
  const Computation* f = c.instruction().Called(AttrId::kToApply);
  if (f == nullptr || f->root == nullptr)
    return c.FailAttribute(AttrId::kToApply, HLO_LABEL("scan.computation"), "to_apply= must name the step's computation");
  if (static_cast<int>(f->parameters.size()) != c.operand_count()) {
    return c.FailAttribute(
        AttrId::kToApply, HLO_LABEL("scan.parameters"),
        absl::StrCat("the computation takes ", f->parameters.size(), " parameters, there are ", c.operand_count(), " operands"));
  }
  const auto dims = c.instruction().Ints(AttrId::kDimensions);
  if (dims.size() != 1 || dims[0] < 0) {
    return c.FailAttribute(AttrId::kDimensions, HLO_LABEL("scan.dimension"), absl::StrCat("one dimension is needed, not ", ListText(dims)));
  }
  if (!c.written().IsTuple() && !c.written().IsArray()) return c.Fail(HLO_LABEL("scan.shape"), "the result's shape must be written");
  return c.written().WithoutLayouts();
}

}  // namespace

void DefineScan(OpRegistry& r) {
  OpDef& d = r.Define(Opcode::kScan);
  d.op_class = OpClass::kOpaque;
  d.min_operands = 2;
  d.max_operands = -1;
  d.attributes = {{AttrId::kDimensions, true}, {AttrId::kToApply, true}, {AttrId::kIsScan}};
  d.infer = Infer;
  d.not_executed = "scan is not executed yet";
  d.opaque_reason = "each step reads the state that the step before left";
  d.summary = "steps a computation along one dimension, carrying a state";
  d.doc =
      "Operands: inputs, then initial states. The step takes a slice of each input and the states, and gives a slice of each output and "
      "the new states.";
  d.spec = "operations.md: Reductions, windows, sorting";
}

}  // namespace hloscope
