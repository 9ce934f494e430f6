// Send and receive: the channel, and the instruction at its other end; on several devices who sends to whom, and in a run of them the
// numbers that were sent and those that have arrived (collective_values.h).
#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"
#include "core/ops/transfers.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/collective_blocks.h"
#include "visualizer/pictures/collective_devices.h"
#include "visualizer/pictures/collective_values.h"

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

// What is sent or received.
const Shape& Moved(const Instruction& start) {
  if (EndOf(start) == End::kSends && !start.operands.empty()) return start.operands[0]->shape;
  return start.shape.IsTuple() && !start.shape.tuple_shapes().empty() ? start.shape.tuple_shapes()[0] : start.shape;
}

// Who sends to whom: in a run as it knows, else as it is written.
DeviceGroups PairsOf(const PictureData& data, const Instruction& start) {
  if (!data.several) return GroupsOf(start);
  DeviceGroups g = GroupsOf(start, data.replicas, data.partitions);
  if (!g.pairs.empty()) return g;
  const auto device = [&](int n) { return Device{n / data.partitions, n % data.partitions}; };
  for (const PictureData::Transfer& t : data.transfers) {
    if (t.from >= 0 && t.to >= 0) g.pairs.push_back({device(t.from), device(t.to)});
  }
  return g;
}

void ExplainPairs(Board& board, const Instruction& start, const DeviceGroups& g, bool written) {
  const Captions& tr = board.captions();
  SayFaults(board);
  if (!g.readable) {
    board.Explain("frontend_attributes", Ink::kPink, start.frontend_attributes);
    return;
  }
  if (written) {
    board.Explain(
        "source_target_pairs", Ink::kViolet,
        absl::StrCat(tr.Counted(static_cast<int64_t>(g.pairs.size()), "$0 pair: the first sends, the second receives; others take no part.",
                                "$0 pairs: the first sends, the second receives; others take no part."),
                     g.partitions > 1 ? " " : "", g.partitions > 1 ? tr("A number is replica * partitions + partition.") : ""));
  } else {
    const bool own = !g.pairs.empty() && g.pairs[0].first == g.pairs[0].second;
    board.Explain(tr("no source_target_pairs"), Ink::kViolet,
                  own ? tr("each device sends to itself: the send and the recv are in one computation.")
                      : tr("the device that sends on the channel sends to the one that receives."));
  }
  if (!g.beyond.empty()) board.Explain(tr("beyond"), Ink::kPink, tr("there is no device $0.", g.beyond[0]));
}

// The devices with their pairs, and what went from one to the other.
std::optional<Cell> DrawDevices(Board& board, const PictureData& data, const Instruction& start, const DeviceGroups& g, float width) {
  const Captions& tr = board.captions();
  board.set_steps(static_cast<int>(std::min<size_t>(g.pairs.size(), 1024)));
  const int step = board.step();
  RelateDevices(board, g, {});
  board.set_marks([g, step](const Cell& c) { return InPair(g, step, c) ? CellMark::kNow : CellMark::kNone; });
  board.Skip(26);
  // Of many the first that send have colours, as far as those go.
  DeviceInks inks = InksOfFew(g);
  absl::flat_hash_set<int> senders;
  for (const PictureData::Transfer& t : data.transfers) {
    if (inks.size() <= kGroupInks || t.from < 0 || !senders.insert(t.from).second) continue;
    if (senders.size() <= kGroupInks) inks[static_cast<size_t>(t.from)] = static_cast<int>(senders.size()) - 1;
  }
  DrawPairs(board, g, width, inks);
  if (step >= 0) {
    board.set_step_text(
        tr("$0 sends $1 to $2.", NameOf(tr, g, g.pairs[step].first), Whole(tr, Moved(start)), NameOf(tr, g, g.pairs[step].second)));
  }
  if (data.transfers.empty()) return std::nullopt;
  DeviceRows rows;
  rows.exchange = Exchange::kTransfer;
  for (int64_t n = 0; n < g.replicas * g.partitions; ++n) rows.members.push_back({n / g.partitions, n % g.partitions});
  for (const Device& d : rows.members) rows.names.push_back(NameOf(tr, g, d));
  for (const PictureData::Transfer& t : data.transfers) {
    const bool no_data = (t.from >= 0) != (t.to >= 0);
    if (no_data)
      board.Say(t.from >= 0 ? tr("$0 sends; nobody has received yet.", rows.names[t.from])
                            : tr("$0 receives; nobody has sent yet.", rows.names[t.to]));
  }
  rows.inks = std::move(inks);
  const std::optional<Cell> selected = DrawDeviceValues(board, rows);
  if (senders.size() > kGroupInks) board.Say(tr("In colours are the first $0 of $1 devices that send.", kGroupInks, senders.size()));
  return selected;
}

}  // namespace

int SuitsSendReceive(const Instruction& instruction) { return EndOf(instruction) != End::kNone ? 60 : 0; }

absl::StatusOr<MadePicture> DrawSendReceive(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const Instruction& self = *data.instruction;
  const Instruction& start = TransferStart(self);
  const End end = EndOf(self);
  const int64_t channel = start.Int(AttrId::kChannelId);
  const bool host = start.Bool(AttrId::kIsHostTransfer);
  board.Headline();
  board.Summary();
  // All ends of the channel in this module.
  std::vector<const Instruction*> senders, receivers;
  for (const Computation* c : self.parent->module->computations) {
    for (const Instruction* i : c->instructions) {
      if (&TransferStart(*i) != i || i->Int(AttrId::kChannelId) != channel) continue;
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
    drawing.AddTextIn({b.x + 6, b.y + 4, wide - 12, 16}, ShownName(*i), {12, Face::kMonoStrong, Ink::kText, Align::kCenter});
    const bool sends = EndOf(*i) == End::kSends;
    drawing.AddTextIn(
        {b.x + 6, b.y + 20, wide - 12, 15},
        absl::StrCat(sends && !i->operands.empty() ? absl::StrCat(ShownName(*i->operands[0]), ": ") : "", Moved(*i).ToString(false)),
        {11, Face::kMono, Ink::kTeal, Align::kCenter});
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
  if (&self == &start) {
    board.Say(end == End::kSends ? tr("The transfer begins here, and send-done waits until it is over.")
                                 : tr("The place for what arrives is ready from here on, and recv-done waits until it is there."));
  }
  const DeviceGroups g = PairsOf(data, start);
  std::optional<Cell> selected;
  const auto pairs = TransferPairs(start);
  if (const bool written = pairs.ok() && pairs->has_value(); !host && (written || !pairs.ok() || data.several)) {
    ExplainPairs(board, start, g, written);
    if (g.readable) selected = DrawDevices(board, data, start, g, std::max(selection.width, 320.0f) - 28);
  }
  std::vector<Board::Piece> row;
  const bool alone = host || !data.several;  // else each device's numbers are drawn
  for (const std::vector<PictureArray>* side : {&board.scene().operands(), &board.scene().results()}) {
    if (!alone) break;
    for (const PictureArray& array : *side) {
      if (!row.empty()) row.push_back(side == &board.scene().results() && &array == &side->front() ? std::string("->") : std::string());
      row.push_back(board.SpecOf(array));
    }
  }
  if (!row.empty()) board.Row(std::move(row), 240);
  if (alone) board.Formula();
  MadePicture picture = board.Finish();
  picture.selected = selected;
  return picture;
}

}  // namespace hloscope
