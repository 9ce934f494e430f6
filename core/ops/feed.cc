// infeed and outfeed: values that come from and go to the world outside, in order. The Machine owns the queues.
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> InferInfeed(ShapeContext& c) {
  if (!c.operand(0).IsToken()) return c.FailOperand(0, HLO_LABEL("infeed.token"), absl::StrCat("the operand must be a token, it is ", TypeText(c.operand(0))));
  const Shape& w = c.written();
  if (!w.IsTuple() || w.tuple_shapes().size() != 2 || !w.tuple_shapes()[1].IsToken()) {
    return c.Fail(HLO_LABEL("infeed.shape"), absl::StrCat("the result must be written as (data, token[]), it is ", TypeText(w)));
  }
  const Shape& data = w.tuple_shapes()[0];
  for (const Shape& s : data.tuple_shapes()) {
    if (!s.IsArray()) return c.Fail(HLO_LABEL("infeed.nested"), absl::StrCat("the data must be an array or a flat tuple of arrays, it is ", TypeText(data)));
  }
  return w.WithoutLayouts();
}

std::optional<Shape> InferOutfeed(ShapeContext& c) {
  if (!c.operand(1).IsToken()) return c.FailOperand(1, HLO_LABEL("outfeed.token"), absl::StrCat("the last operand must be a token, it is ", TypeText(c.operand(1))));
  return Shape::Token();
}

}  // namespace

void DefineFeed(OpRegistry& r) {
  OpDef& in = r.Define(Opcode::kInfeed);
  in.op_class = OpClass::kOpaque;
  in.movement = Movement::kCreate;
  in.has_side_effect = true;
  in.min_operands = in.max_operands = 1;
  in.attributes = {{AttrId::kInfeedConfig}};
  in.infer = InferInfeed;
  in.host = HostService::kInfeed;
  in.opaque_reason = "it reads from outside of the program";
  in.summary = "takes the next item from the queue of the world outside";
  in.doc = "Gives (data, token): the next item, which must have the shape written, an array or a flat tuple of arrays. Items are taken in program order.";
  in.spec = "operations.md: Control, tuples, calls";
  OpDef& out = r.Define(Opcode::kOutfeed);
  out.op_class = OpClass::kOpaque;
  out.has_side_effect = true;
  out.min_operands = out.max_operands = 2;
  out.attributes = {{AttrId::kOutfeedConfig}, {AttrId::kOutfeedShape}};
  out.infer = InferOutfeed;
  out.host = HostService::kOutfeed;
  out.opaque_reason = "it writes outside of the program";
  out.summary = "hands a value to the world outside";
  out.doc = "Takes the value (an array or a tuple) and a token, gives a token. Items leave in program order; `run` prints them, and `info outfeed` in the console.";
  out.spec = "operations.md: Control, tuples, calls";
}

}  // namespace hloscope
