// Send and receive: the channel, and the instruction at its other end.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ops/op.h"
#include "visualizer/pictures/board.h"

namespace hloscope {
namespace {

enum class End : uint8_t { kNone, kSends, kReceives };
End EndOf(const Instruction& i) {
  switch (i.opcode) {
    case Opcode::kSend:
    case Opcode::kSendDone: return End::kSends;
    case Opcode::kRecv:
    case Opcode::kRecvDone: return End::kReceives;
    default: return End::kNone;
  }
}
// What begins the transfer that a done waits for.
const Instruction& StartOf(const Instruction& i) { return i.operands.size() == 1 && EndOf(*i.operands[0]) != End::kNone ? *i.operands[0] : i; }

}  // namespace

int SuitsSendReceive(const Instruction& instruction) { return EndOf(instruction) != End::kNone ? 60 : 0; }

absl::StatusOr<MadePicture> DrawSendReceive(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const Instruction& self = *data.instruction;
  const Instruction& start = StartOf(self);
  const End end = EndOf(self);
  const int64_t channel = start.Int(AttrId::kChannelId);
  const bool host = start.Bool(AttrId::kIsHostTransfer);
  board.Headline();
  board.Summary();
  // All ends of the channel in this module.
  std::vector<const Instruction*> senders, receivers;
  for (const Computation* c : self.parent->module->computations) {
    for (const Instruction* i : c->instructions) {
      if (&StartOf(*i) != i || i->Int(AttrId::kChannelId) != channel) continue;
      if (EndOf(*i) == End::kSends) senders.push_back(i);
      if (EndOf(*i) == End::kReceives) receivers.push_back(i);
    }
  }
  const float y = board.y() + 8, wide = std::min(250.0f, (std::max(selection.width, 320.0f) - 28 - 160) / 2);
  const auto box = [&](float x, float top, const Instruction* i, absl::string_view missing) {
    const Box b{x, top, wide, 40};
    const bool here = i == &start;
    if (i == nullptr) {
      drawing.AddHatchedBox(b, Ink::kSunken, Paint(host ? Ink::kDim : Ink::kPink, 0.6f), 5);
      drawing.AddTextIn(b, missing, {12, Face::kUi, host ? Ink::kText : Ink::kPink, Align::kCenter});
      return;
    }
    drawing.AddBox(b, here ? Paint(Ink::kAmber, 0.18f) : Paint(Ink::kRaised), here ? Paint(Ink::kAmber) : Paint(Ink::kBorder), 5, here ? 2.0f : 1.0f);
    drawing.AddTextIn({b.x + 6, b.y + 4, wide - 12, 16}, absl::StrCat("%", i->name), {12, Face::kMonoStrong, Ink::kText, Align::kCenter});
    const bool sends = EndOf(*i) == End::kSends;
    const Shape& what = sends && !i->operands.empty() ? i->operands[0]->shape : i->shape.IsTuple() && !i->shape.tuple_shapes().empty() ? i->shape.tuple_shapes()[0] : i->shape;
    drawing.AddTextIn({b.x + 6, b.y + 20, wide - 12, 15}, absl::StrCat(sends && !i->operands.empty() ? absl::StrCat("%", i->operands[0]->name, ": ") : "", what.ToString(false)), {11, Face::kMono, Ink::kTeal, Align::kCenter});
  };
  const size_t rows = std::clamp<size_t>(std::max(senders.size(), receivers.size()), 1, 8);
  for (size_t k = 0; k < rows; ++k) {
    const float top = y + 48 * static_cast<float>(k);
    if (k < senders.size() || k == 0) box(14, top, k < senders.size() ? senders[k] : nullptr, host ? tr("the host") : tr("nobody sends"));
    if (k < receivers.size() || k == 0) box(14 + wide + 160, top, k < receivers.size() ? receivers[k] : nullptr, host ? tr("the host") : tr("nobody receives"));
  }
  const Place from{14 + wide + 4, y + 20}, to{14 + wide + 156, y + 20};
  drawing.AddLine(from, to, {Ink::kBlue, 1.8f, LineKind::kSolid, true});
  drawing.AddText({(from.x + to.x) / 2, y + 14}, tr("channel $0", channel), {11, Face::kStrong, Ink::kViolet, Align::kCenter});
  board.Skip(8 + 48 * static_cast<float>(rows) + 6);
  if (host) board.Explain("is_host_transfer=true", Ink::kViolet, tr("the other end is the host's program, not a device."));
  if (!host && senders.size() != receivers.size()) {
    board.Explain(tr("channel"), Ink::kPink, tr("channel $0 has $1 and $2 in this module: they come in pairs.", channel, tr.Counted(static_cast<int64_t>(senders.size()), "$0 sender", "$0 senders"), tr.Counted(static_cast<int64_t>(receivers.size()), "$0 receiver", "$0 receivers")));
  }
  board.Say(end == End::kSends ? tr("The transfer begins here, and send-done waits until it is over.") : tr("The place for what arrives is ready from here on, and recv-done waits until it is there."));
  if (start.frontend_attributes.find("source_target_pairs") != absl::string_view::npos) board.Explain("frontend_attributes", Ink::kViolet, start.frontend_attributes);
  std::vector<Board::Piece> row;
  for (const std::vector<PictureArray>* side : {&board.scene().operands(), &board.scene().results()}) {
    for (const PictureArray& array : *side) {
      if (!row.empty()) row.push_back(side == &board.scene().results() && &array == &side->front() ? std::string("->") : std::string());
      row.push_back(board.SpecOf(array));
    }
  }
  if (!row.empty()) board.Row(std::move(row), 240);
  board.Formula();
  return board.Finish();
}

}  // namespace hloscope
