// send, recv and their done operations: point-to-point exchange on channels. `evaluate` is for one device, where a program can only send to
// itself: the send and the recv of one channel in one computation. The Machine holds what is on its way, or asks an exchange.
#include <algorithm>

#include "core/ir/written_names.h"
#include "core/ops/rules.h"
#include "core/ops/transfers.h"
#include "core/ops/zeros.h"

namespace hloscope {
namespace {

// Pairs that are written here; a done operation without any has those of what began it.
bool CheckPairs(ShapeContext& c, absl::string_view label) {
  const Instruction& i = c.instruction();
  const std::optional<absl::string_view> text = PairsText(i);
  if (!i.Has(AttrId::kSourceTargetPairs) && !text) return true;
  const auto pairs = TransferPairs(i);
  if (pairs.ok()) return true;
  if (i.Has(AttrId::kSourceTargetPairs))
    c.FailAttribute(AttrId::kSourceTargetPairs, label, std::string(pairs.status().message()));
  else
    c.FailText(*text, label, std::string(pairs.status().message()));
  return false;
}

std::optional<Shape> InferSend(ShapeContext& c) {
  const bool token = c.operand_count() == 2;
  if (token && !c.operand(1).IsToken()) {
    return c.FailOperand(1, HLO_LABEL("send.token"), absl::StrCat("the second operand must be a token, it is ", TypeText(c.operand(1))));
  }
  if (!CheckPairs(c, HLO_LABEL("send.pairs"))) return std::nullopt;
  std::vector<Shape> shapes = {c.operand(0).WithoutLayouts(), Shape::Scalar(ElementType::kU32)};
  if (token) shapes.push_back(Shape::Token());
  return Shape::Tuple(shapes);
}

bool HoldsArrays(const Shape& s) {
  for (const Shape& element : s.tuple_shapes()) {
    if (!HoldsArrays(element)) return false;
  }
  return s.IsTuple() || s.IsArray() || s.IsToken();
}

std::optional<Shape> InferRecv(ShapeContext& c) {
  if (c.operand_count() == 1 && !c.operand(0).IsToken()) {
    return c.FailOperand(0, HLO_LABEL("recv.token"), absl::StrCat("the operand must be a token, it is ", TypeText(c.operand(0))));
  }
  if (!CheckPairs(c, HLO_LABEL("recv.pairs"))) return std::nullopt;
  const Shape& w = c.written();
  const size_t expected = c.operand_count() == 1 ? 3 : 2;
  const bool fits = w.IsTuple() && w.tuple_shapes().size() == expected &&
                    Shape::Compatible(w.tuple_shapes()[1], Shape::Scalar(ElementType::kU32)) &&
                    (expected == 2 || w.tuple_shapes()[2].IsToken());
  if (!fits) {
    return c.Fail(HLO_LABEL("recv.shape"),
                  absl::StrCat("the result must be written as (data, u32[]", expected == 3 ? ", token[]" : "", "), it is ", TypeText(w)));
  }
  if (!HoldsArrays(w.tuple_shapes()[0])) {
    return c.Fail(HLO_LABEL("recv.data"), absl::StrCat("an array, or a tuple of arrays, can be received, not ", TypeText(w.tuple_shapes()[0])));
  }
  return w.WithoutLayouts();
}

// A done operation waits for what began on its own channel. (Its operand may come out of a loop; then nothing is known about it here.)
bool CheckPartner(ShapeContext& c, Opcode begin, absl::string_view partner_label, absl::string_view channel_label) {
  const Instruction& done = c.instruction();
  const Instruction& operand = *done.operands[0];
  const bool begins = operand.opcode == Opcode::kSend || operand.opcode == Opcode::kRecv;
  if (begins && operand.opcode != begin) {
    c.FailOperand(0, partner_label, absl::StrCat(Name(done.opcode), " completes a ", Name(begin), ", but ", ShownName(operand), " is a ", Name(operand.opcode)));
    return false;
  }
  if (operand.opcode != begin || !done.Has(AttrId::kChannelId) || !operand.Has(AttrId::kChannelId)) return true;
  if (done.Int(AttrId::kChannelId) == operand.Int(AttrId::kChannelId)) return true;
  c.FailAttribute(AttrId::kChannelId, channel_label,
                  absl::StrCat("channel ", done.Int(AttrId::kChannelId), " is not the channel ", operand.Int(AttrId::kChannelId), " of ", ShownName(operand)));
  return false;
}

std::optional<Shape> InferSendDone(ShapeContext& c) {
  const Shape& s = c.operand(0);
  if (!s.IsTuple() || s.tuple_shapes().size() < 2) {
    return c.FailOperand(0, HLO_LABEL("send-done.operand"), absl::StrCat("the operand must be what send gave, it is ", TypeText(s)));
  }
  if (!CheckPartner(c, Opcode::kSend, HLO_LABEL("send-done.partner"), HLO_LABEL("send-done.channel")) ||
      !CheckPairs(c, HLO_LABEL("send-done.pairs")))
    return std::nullopt;
  return s.tuple_shapes().size() == 3 ? Shape::Token() : Shape();
}

std::optional<Shape> InferRecvDone(ShapeContext& c) {
  const Shape& s = c.operand(0);
  if (!s.IsTuple() || s.tuple_shapes().size() < 2) {
    return c.FailOperand(0, HLO_LABEL("recv-done.operand"), absl::StrCat("the operand must be what recv gave, it is ", TypeText(s)));
  }
  if (!CheckPartner(c, Opcode::kRecv, HLO_LABEL("recv-done.partner"), HLO_LABEL("recv-done.channel")) ||
      !CheckPairs(c, HLO_LABEL("recv-done.pairs")))
    return std::nullopt;
  if (s.tuple_shapes().size() == 2) return s.tuple_shapes()[0].WithoutLayouts();
  return Shape::Tuple({s.tuple_shapes()[0].WithoutLayouts(), Shape::Token()});
}

// (data, request, token): what `send` gives and, with blank data, `recv`.
Value Request(const Shape& shape, Value data) {
  std::vector<Value> elements = {std::move(data), Value::Scalar<uint32_t>(ElementType::kU32, 0)};
  if (shape.tuple_shapes().size() == 3) elements.push_back(Value::Token());
  return Value::Tuple(shape, std::move(elements));
}
absl::StatusOr<Value> EvaluateSend(const EvalContext& c) { return Request(c.instruction.shape, c.operands[0]); }
absl::StatusOr<Value> EvaluateRecv(const EvalContext& c) {
  return Request(c.instruction.shape, Zeros(c.instruction.shape.tuple_shapes()[0], c.account));
}
absl::StatusOr<Value> EvaluateSendDone(const EvalContext& c) {
  return c.instruction.shape.IsToken() ? Value::Token() : Value::Tuple(c.instruction.shape, {});
}
// The Machine puts the data where the blank of `recv` is.
absl::StatusOr<Value> EvaluateRecvDone(const EvalContext& c) {
  const Value& data = c.operands[0].elements()[0];
  return c.instruction.shape.IsTuple() && c.operands[0].elements().size() == 3 ? Value::Tuple(c.instruction.shape, {data, Value::Token()}) : data;
}

// Leaf for leaf, before the request and the token.
std::vector<Reach> ReachOfSend(const ReachQuestion& q) {
  if (q.operand != 0 || q.leaf != q.operand_leaf) return {};
  return {q.Same()};
}
// The buffer's data are those that arrive.
std::vector<Reach> ReachOfNothing(const ReachQuestion&) { return {}; }

}  // namespace

void DefineSendRecv(OpRegistry& r) {
  struct Row {
    Opcode opcode;
    int min, max;
    std::optional<Shape> (*infer)(ShapeContext&);
    absl::StatusOr<Value> (*evaluate)(const EvalContext&);
    HostService host;
    absl::string_view summary, doc;
  };
  const Row rows[] = {
      {Opcode::kSend, 1, 2, InferSend, EvaluateSend, HostService::kSend, "begins to send a value on a channel",
       "Gives (operand, u32 request, token); older texts have no token. It reaches the `recv` of the same channel in the same computation, else the "
       "one device that receives on the channel; `source_target_pairs` name more than one, by the numbers of all devices (replica by replica, in each its partitions). Without a receiver it is an error when it runs."},
      {Opcode::kSendDone, 1, 1, InferSendDone, EvaluateSendDone, HostService::kNone, "waits until a send is complete",
       "Takes what `send` gave; the token, if there is one, comes after it. It waits until the receive has begun, also where a device sends to itself: "
       "there the `recv` must not need what comes after the `send-done`, else the two wait for each other."},
      {Opcode::kRecv, 0, 1, InferRecv, EvaluateRecv, HostService::kNone, "begins to receive a value on a channel",
       "Gives (buffer, u32 request, token); older texts have no token. The buffer has no data before `recv-done`."},
      {Opcode::kRecvDone, 1, 1, InferRecvDone, EvaluateRecvDone, HostService::kReceive, "waits for a value to arrive",
       "Takes what `recv` gave and gives the data (with a token when `recv` had one). Comes after the `send` of its channel."},
  };
  for (const Row& row : rows) {
    OpDef& d = r.Define(row.opcode);
    d.op_class = OpClass::kOpaque;
    d.has_side_effect = true;
    d.min_operands = row.min;
    d.max_operands = row.max;
    d.attributes = {{AttrId::kChannelId}, {AttrId::kIsHostTransfer}, {AttrId::kSourceTargetPairs}};
    d.infer = row.infer;
    d.evaluate = row.evaluate;
    d.reach = row.opcode == Opcode::kSend ? ReachOfSend : ReachOfNothing;
    d.host = row.host;
    d.opaque_reason = "it exchanges data with other devices";
    d.summary = row.summary;
    d.doc = row.doc;
    d.spec = "operations.md: Across replicas";
  }
}

}  // namespace hloscope
