// send, recv and their done operations: point-to-point exchange on channels. Rules only; nothing is exchanged on one device.
#include "core/ops/rules.h"

namespace hloscope {
namespace {

std::optional<Shape> InferSend(ShapeContext& c) {
  const bool token = c.operand_count() == 2;
  if (token && !c.operand(1).IsToken()) {
    return c.FailOperand(1, HLO_LABEL("send.token"), absl::StrCat("the second operand must be a token, it is ", TypeText(c.operand(1))));
  }
  std::vector<Shape> shapes = {c.operand(0).WithoutLayouts(), Shape::Scalar(ElementType::kU32)};
  if (token) shapes.push_back(Shape::Token());
  return Shape::Tuple(shapes);
}

std::optional<Shape> InferRecv(ShapeContext& c) {
  if (c.operand_count() == 1 && !c.operand(0).IsToken()) {
    return c.FailOperand(0, HLO_LABEL("recv.token"), absl::StrCat("the operand must be a token, it is ", TypeText(c.operand(0))));
  }
  const Shape& w = c.written();
  const size_t expected = c.operand_count() == 1 ? 3 : 2;
  const bool fits = w.IsTuple() && w.tuple_shapes().size() == expected &&
                    Shape::Compatible(w.tuple_shapes()[1], Shape::Scalar(ElementType::kU32)) &&
                    (expected == 2 || w.tuple_shapes()[2].IsToken());
  if (!fits) {
    return c.Fail(HLO_LABEL("recv.shape"),
                  absl::StrCat("the result must be written as (data, u32[]", expected == 3 ? ", token[]" : "", "), it is ", TypeText(w)));
  }
  return w.WithoutLayouts();
}

std::optional<Shape> InferSendDone(ShapeContext& c) {
  const Shape& s = c.operand(0);
  if (!s.IsTuple() || s.tuple_shapes().size() < 2) {
    return c.FailOperand(0, HLO_LABEL("send-done.operand"), absl::StrCat("the operand must be what send gave, it is ", TypeText(s)));
  }
  return s.tuple_shapes().size() == 3 ? Shape::Token() : Shape();
}

std::optional<Shape> InferRecvDone(ShapeContext& c) {
  const Shape& s = c.operand(0);
  if (!s.IsTuple() || s.tuple_shapes().size() < 2) {
    return c.FailOperand(0, HLO_LABEL("recv-done.operand"), absl::StrCat("the operand must be what recv gave, it is ", TypeText(s)));
  }
  if (s.tuple_shapes().size() == 2) return s.tuple_shapes()[0].WithoutLayouts();
  return Shape::Tuple({s.tuple_shapes()[0].WithoutLayouts(), Shape::Token()});
}

}  // namespace

void DefineSendRecv(OpRegistry& r) {
  struct Row {
    Opcode opcode;
    int min, max;
    std::optional<Shape> (*infer)(ShapeContext&);
    absl::string_view summary, doc, not_executed;
  };
  const Row rows[] = {
      {Opcode::kSend, 1, 2, InferSend, "begins to send a value on a channel",
       "Gives (operand, u32 request, token); older texts have no token.", "send needs a second device; this run has one"},
      {Opcode::kSendDone, 1, 1, InferSendDone, "waits until a send is complete", "Takes what `send` gave.",
       "send-done needs a second device; this run has one"},
      {Opcode::kRecv, 0, 1, InferRecv, "begins to receive a value on a channel",
       "Gives (buffer, u32 request, token); older texts have no token.", "recv needs a second device; this run has one"},
      {Opcode::kRecvDone, 1, 1, InferRecvDone, "waits for a value to arrive",
       "Takes what `recv` gave and gives the data (with a token when `recv` had one).",
       "recv-done needs a second device; this run has one"},
  };
  for (const Row& row : rows) {
    OpDef& d = r.Define(row.opcode);
    d.op_class = OpClass::kOpaque;
    d.has_side_effect = true;
    d.min_operands = row.min;
    d.max_operands = row.max;
    d.attributes = {{AttrId::kChannelId}, {AttrId::kIsHostTransfer}};
    d.infer = row.infer;
    d.not_executed = row.not_executed;
    d.opaque_reason = "it exchanges data with other devices";
    d.summary = row.summary;
    d.doc = row.doc;
    d.spec = "operations.md: Across replicas";
  }
}

}  // namespace hloscope
