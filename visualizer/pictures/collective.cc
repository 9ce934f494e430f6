// Collectives: who sends what to whom, from the attributes alone: the devices in the colours of their groups, and for one group which block of
// whose array goes where. In a run on several devices also the numbers of each (collective_values.h).
#include <algorithm>
#include <numeric>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "core/ir/written_names.h"
#include "core/ops/device_groups.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/collective_blocks.h"
#include "visualizer/pictures/collective_devices.h"
#include "visualizer/pictures/collective_values.h"
#include "visualizer/pictures/window_buttons.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

Exchange KindOf(Opcode opcode) {
  switch (opcode) {
    case Opcode::kAllGather:
    case Opcode::kAllGatherStart:
    case Opcode::kAllGatherDone: return Exchange::kGather;
    case Opcode::kAllReduce:
    case Opcode::kAllReduceStart:
    case Opcode::kAllReduceDone: return Exchange::kReduce;
    case Opcode::kReduceScatter: return Exchange::kReduceScatter;
    case Opcode::kAllToAll: return Exchange::kAllToAll;
    case Opcode::kRaggedAllToAll: return Exchange::kRagged;
    case Opcode::kCollectiveBroadcast: return Exchange::kBroadcast;
    case Opcode::kCollectivePermute:
    case Opcode::kCollectivePermuteStart:
    case Opcode::kCollectivePermuteDone: return Exchange::kPermute;
    case Opcode::kReplicaId:
    case Opcode::kPartitionId: return Exchange::kId;
    default: return Exchange::kNone;
  }
}

// The instruction that has the attributes: of what begins or awaits a collective, that.
const Instruction& Attributed(const Instruction& i) {
  const Instruction* collective = CollectiveOf(i).collective;
  return collective != nullptr ? *collective : i;
}

constexpr float kLeft = 14;

// Of pairs: all devices, before the others those whose numbers are drawn. These are all where they are few; else the one that is told and those that
// its pairs lead to, the nearest first.
void AddPairs(const Captions& tr, const DeviceGroups& g, const Device& told, DeviceRows* rows) {
  const int64_t count = g.replicas * g.partitions;
  const auto number = [&g](const Device& d) { return static_cast<int>(d.replica * g.partitions + d.partition); };
  std::vector<int> order(static_cast<size_t>(count));  // device numbers
  std::iota(order.begin(), order.end(), 0);
  size_t drawn = std::min<size_t>(order.size(), kMostMembers);
  if (count > kMostMembers) {
    std::vector<int> near = {number(told)};
    for (size_t k = 0; k < near.size() && near.size() < kMostMembers; ++k) {
      for (const auto& [from, to] : g.pairs) {
        if (number(from) != near[k] && number(to) != near[k]) continue;
        const int other = number(from) == near[k] ? number(to) : number(from);
        if (near.size() < kMostMembers && std::find(near.begin(), near.end(), other) == near.end()) near.push_back(other);
      }
    }
    std::sort(near.begin(), near.end());
    std::stable_partition(order.begin(), order.end(), [&](int d) { return std::binary_search(near.begin(), near.end(), d); });
    drawn = near.size();
    rows->around = NameOf(tr, g, told);
  }
  rows->members.clear();
  rows->inks.assign(order.size(), -1);
  // Of few each has that of its number, so that it keeps it from picture to picture.
  if (count <= kMostMembers) rows->inks = order;
  else std::iota(rows->inks.begin(), rows->inks.begin() + static_cast<ptrdiff_t>(drawn), 0);
  std::vector<int> place(order.size());
  for (size_t k = 0; k < order.size(); ++k) {
    place[static_cast<size_t>(order[k])] = static_cast<int>(k);
    rows->members.push_back({order[k] / g.partitions, order[k] % g.partitions});
    if (k < drawn) rows->names.push_back(NameOf(tr, g, rows->members.back()));
  }
  for (const auto& [from, to] : g.pairs) rows->sends.emplace_back(place[static_cast<size_t>(number(from))], place[static_cast<size_t>(number(to))]);
}

// What the option `member` says.
std::optional<int64_t> MemberWished(const PictureSelection& selection) {
  int64_t number = 0;
  const auto option = selection.options.find("member");
  return option != selection.options.end() && absl::SimpleAtoi(option->second, &number) ? std::optional(number) : std::nullopt;
}

// Of a group with more members than are drawn: the first that is. Where the option `member` does not say, so that `told` is among them.
int FirstMember(const PictureSelection& selection, const std::vector<Device>& members, const Device& told) {
  const int last = static_cast<int>(members.size()) - kMostMembers;
  if (last <= 0) return 0;
  const auto own = std::find(members.begin(), members.end(), told);
  const int64_t first = own == members.end() ? 0 : (own - members.begin()) / kMostMembers * kMostMembers;
  return static_cast<int>(std::clamp<int64_t>(MemberWished(selection).value_or(first), 0, last));
}

// Which members are drawn, of more than that, and how one gets to the others.
void SayMembers(Board& board, bool live, int first, int members) {
  const Captions& tr = board.captions();
  if (members <= kMostMembers) return;
  const std::string which = tr("Members $0 to $1 of $2 are drawn.", first, first + kMostMembers - 1, members);
  board.Say(live ? which : absl::StrCat(which, " ", tr("The option member=N begins with member N, or earlier where fewer than eight follow it.")));
  if (!live) return;
  DrawWindowButtons({kLeft, board.y()}, first, kMostMembers, members, "member", tr, &board.drawing());
  board.Skip(20);
}

// Devices of no group have numbers too, zeros, which are not drawn where the group takes all the room.
void SayOutsidersLeftOut(Board& board, const Instruction& i, const DeviceGroups& g, const DeviceRows& rows) {
  const int64_t left_out = OutsidersGetZeros(i) ? static_cast<int64_t>(g.missing.size()) - rows.outsiders : 0;
  if (left_out <= 0 || board.scene().data().devices.empty()) return;
  const Captions& tr = board.captions();
  board.Say(tr.Counted(left_out, "$0 device that is in no group, and gets zeros, is not drawn here.", "$0 devices that are in no group, and get zeros, are not drawn here."));
}

// Whose numbers are drawn: the group's, from its member `first` on, or those of pairs. `told`: the device that was clicked, or that the session looks at.
DeviceRows RowsOf(const Captions& tr, Exchange exchange, const Instruction& i, const DeviceGroups& g, const std::vector<Device>& members, int first, const Device& told, const PictureData& data) {
  DeviceRows rows;
  rows.exchange = exchange;
  rows.members = members;
  rows.dim = CutDimension(i);
  if (g.pairwise) {
    AddPairs(tr, g, told, &rows);
    return rows;
  }
  if (exchange == Exchange::kBroadcast) rows.roots = RootsOf(i, data);
  if (OutsidersGetZeros(i) && members.size() < kMostMembers) {
    rows.outsiders = static_cast<int>(std::min<size_t>(g.missing.size(), kMostMembers - members.size()));
    rows.members.insert(rows.members.end(), g.missing.begin(), g.missing.begin() + rows.outsiders);
  }
  rows.first = first;
  const size_t end = std::min<size_t>(rows.members.size(), static_cast<size_t>(first) + kMostMembers);
  for (size_t m = static_cast<size_t>(first); m < end; ++m) rows.names.push_back(NameOf(tr, g, rows.members[m]));
  return rows;
}

// Of pairs, the devices whose numbers are drawn; of a group, those of its members whose blocks are. `members`: in the order of their colours.
DeviceInks InksOf(const DeviceGroups& g, absl::Span<const Device> members, const std::vector<int>& inks) {
  DeviceInks of(static_cast<size_t>(g.replicas * g.partitions), -1);
  for (size_t k = 0; k < std::min(members.size(), inks.size()); ++k) {
    if (const auto number = static_cast<size_t>(members[k].replica * g.partitions + members[k].partition); number < of.size()) of[number] = inks[k];
  }
  return of;
}

// The vectors of a ragged all-to-all with their numbers, and the arrays that they cut; in colours is what is for the members from `first` on.
void DrawRagged(Board& board, const PictureData& data, const DeviceGroups& g, size_t members, int first) {
  const Captions& tr = board.captions();
  const PictureScene& scene = board.scene();
  const Device shown_device{data.selected / data.partitions, data.selected % data.partitions};
  board.Skip(4);
  board.Say(tr("The numbers of $0: entry b of the vectors is one block of rows. So many rows of the input from its input offset go to its output offset in the output of the receiver, which elsewhere stays as it was.",
               NameOf(tr, g, shown_device)),
            Ink::kText);
  if (g.replicas * g.partitions > 1 && data.devices.empty())
    board.Say(tr("Only the numbers of $0 stand in the boxes: the other devices have vectors of their own, which a run of one device does not know.",
                 NameOf(tr, g, shown_device)),
              Ink::kText);
  if (members > 1)
    board.Say(tr("An entry, and its rows of the input, are in the colour of the device that they go to; a receive size in that of the device that sends."), Ink::kText);
  const int64_t each = EntriesOfMember(*data.instruction, members);
  const auto tint = [each, first](int64_t entry, float alpha) {
    const int64_t member = entry / each;
    return member >= first && member < first + kMostMembers ? Paint(GroupInk(static_cast<int>(member)), alpha) : Paint();
  };
  const PictureArray &offsets = scene.operand(2), &sizes = scene.operand(3);
  const int64_t blocks = std::min<int64_t>(offsets.shape.ElementCount(), 256);
  std::vector<Board::Piece> row;
  for (int k = 2; k < 6; ++k) {
    if (k > 2) row.push_back(std::string());
    GridSpec spec = board.SpecOf(scene.operand(k));
    spec.note = k == 2 ? tr("input offsets") : k == 3 ? tr("send sizes") : k == 4 ? tr("output offsets") : tr("receive sizes");
    spec.cell = [tint, inner = std::move(spec.cell), dims = scene.operand(k).shape.dimensions()](absl::Span<const int64_t> index) {
      GridCell c = inner(index);
      c.tint = tint(LinearIndex(dims, index), 0.25f);
      return c;
    };
    row.push_back(std::move(spec));
  }
  board.Row(std::move(row), 140);
  GridSpec input = board.SpecOf(scene.operand(0));
  input.cell = [&, inner = std::move(input.cell)](absl::Span<const int64_t> index) {
    GridCell c = inner(index);
    for (int64_t b = 0; b < blocks && !index.empty(); ++b) {
      const std::optional<Scalar> first = offsets.At(b), size = sizes.At(b);
      if (first && size && index[0] >= first->i && index[0] - first->i < size->i)
        c.tint = tint(b, 0.3f);
    }
    return c;
  };
  board.Row({std::move(input), std::string("->"), board.SpecOf(scene.operand(1)), std::string("->"), board.SpecOf(scene.result())}, 260);
  board.Note();
}

}  // namespace

int SuitsCollective(const Instruction& instruction) { return KindOf(Attributed(instruction).opcode) != Exchange::kNone ? 61 : 0; }

absl::StatusOr<MadePicture> DrawCollective(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const Instruction& i = Attributed(*data.instruction);
  const Exchange exchange = KindOf(i.opcode);
  const DeviceGroups g = data.devices.empty() ? GroupsOf(i) : GroupsOf(i, data.replicas, data.partitions);
  const float width = std::max(selection.width, 320.0f) - 2 * kLeft;
  board.Headline();
  const bool named_root = exchange == Exchange::kBroadcast && i.operands.size() > 1 && RootsOf(i, data).size() < i.operands.size();
  if (named_root) board.Say(tr("the device of each group that the last operand names sends its array to the others"));
  else board.Summary();
  if (&i != data.instruction && i.parent != data.instruction->parent)
    board.Say(tr("what runs beside the program: $0", absl::StrCat(ShownName(i), " = ", Name(i.opcode))));
  if (exchange == Exchange::kId) {
    board.Say(g.counts_known ? tr("Every device gets its own number.") : tr("Every device gets its own number. The module does not say how many run: one is drawn."));
    DeviceBoxes(board, g, width, {}, false, i.opcode == Opcode::kReplicaId, true);
    return board.Finish();
  }
  ExplainGroups(board, i, g);
  if (const auto dims = i.Ints(AttrId::kDimensions); !dims.empty()) {
    board.Explain(absl::StrCat("dimensions={", dims[0], "}"), Ink::kViolet, exchange == Exchange::kGather ? tr("blocks are put one after the other along it, in the order of the group.") : tr("arrays are cut into equal blocks along it, one for each member of the group."));
  }
  board.set_groups(static_cast<int>(g.groups.size()));
  // The group that is told: that of the device that was clicked, else of the one that the session looks at, else the first that has members.
  int shown = -1;
  const Cell* cell = board.cell();
  if (cell != nullptr && cell->array == kDevices && cell->index.size() == 2) shown = g.GroupOf({cell->index[0], cell->index[1]});
  if (const auto option = selection.options.find("group"); shown < 0 && option != selection.options.end()) shown = std::atoi(option->second.c_str());
  if (shown < 0 && !data.devices.empty()) shown = g.GroupOf({data.selected / data.partitions, data.selected % data.partitions});
  for (int k = 0; k < static_cast<int>(g.groups.size()) && (shown < 0 || shown >= static_cast<int>(g.groups.size())); ++k) {
    if (!g.groups[k].empty()) shown = k;
  }
  Device told{data.selected / std::max<int64_t>(data.partitions, 1), data.selected % std::max<int64_t>(data.partitions, 1)};
  if (cell != nullptr && cell->array == kDevices && cell->index.size() == 2) told = {cell->index[0], cell->index[1]};
  const int64_t count = g.replicas * g.partitions;
  if (const std::optional<int64_t> n = MemberWished(selection); g.pairwise && n && *n >= 0 && *n < count) told = {*n / g.partitions, *n % g.partitions};
  const std::vector<Device> members = shown >= 0 && shown < static_cast<int>(g.groups.size()) ? g.groups[shown] : std::vector<Device>();
  const int first = FirstMember(selection, members, told);
  const Transfer t = TransferOf(tr, i, exchange, g, members, first, data);
  SayFaults(board);
  SayWhoHasCome(board, g, g.pairwise ? std::vector<Device>() : members);
  const bool exchanges = exchange != Exchange::kPermute && !members.empty();
  if (exchanges && members.size() > 1) board.set_steps(static_cast<int>(std::min<size_t>(members.size(), kMostMembers)));
  if (!g.pairs.empty()) board.set_steps(static_cast<int>(std::min<size_t>(g.pairs.size(), 1024)));
  const int step = board.step();
  if (!RelateBlocks(t, board)) RelateDevices(board, g, members);
  board.set_marks([&](const Cell& c) {
    if (step < 0) return CellMark::kNone;
    if (!g.pairs.empty()) return InPair(g, step, c) ? CellMark::kNow : CellMark::kNone;
    if ((c.array == kAfter || c.array == kBefore) && c.index.size() != 2) return CellMark::kNone;
    if (c.array == kAfter) {
      const auto b = static_cast<size_t>(c.index[1]);
      return c.index[0] == step && b < t.after[step].size() && !t.after[step][b].from.empty() ? CellMark::kNow : CellMark::kNone;
    }
    if (c.array != kBefore || step >= static_cast<int>(t.after.size())) return CellMark::kNone;
    for (const ExchangeBlock& b : t.after[step]) {
      if (std::find(b.from.begin(), b.from.end(), std::pair<int, int>(static_cast<int>(c.index[0]), static_cast<int>(c.index[1]))) != b.from.end()) return CellMark::kNow;
    }
    return CellMark::kNone;
  });
  board.Skip(g.pairs.empty() ? 4 : 26);
  const DeviceRows device_rows = RowsOf(tr, exchange, i, g, members, first, told, data);
  if (!g.pairwise) {
    std::vector<int> inks(members.size(), -1);
    const size_t drawn = std::min<size_t>(inks.size() - static_cast<size_t>(first), kMostMembers);
    std::iota(inks.begin() + first, inks.begin() + first + static_cast<ptrdiff_t>(drawn), first);
    DeviceBoxes(board, g, width, InksOf(g, members, inks), OutsidersGetZeros(i), false, false);
  }
  if (g.pairwise) {
    // Where no numbers are drawn, colours of some of many say nothing.
    DrawPairs(board, g, width, data.devices.empty() ? InksOfFew(g) : InksOf(g, device_rows.members, device_rows.inks));
    int64_t without = 0;
    for (int64_t r = 0; r < g.replicas; ++r) {
      for (int64_t p = 0; p < g.partitions; ++p) without += std::none_of(g.pairs.begin(), g.pairs.end(), [&](const auto& pair) { return pair.second == Device{r, p}; });
    }
    if (without > 0) board.Say(tr.Counted(without, "$0 device is no target and gets zeros.", "$0 devices are no target and get zeros."));
    if (step >= 0) board.set_step_text(tr("$0 sends $1 to $2.", NameOf(tr, g, g.pairs[step].first), i.operands.empty() ? tr("its value") : Whole(tr, i.operands[0]->shape), NameOf(tr, g, g.pairs[step].second)));
  }
  if (exchanges) {
    if (g.groups.size() > 1) board.Say(selection.live ? tr("Group $0, each device in its colour: click another one for its group.", shown) : tr("Group $0, each device in its colour:", shown), Ink::kText);
    else if (members.size() > 1) board.Say(tr("Each device in its colour:"), Ink::kText);
    DrawTransfer(board, t, width);
    board.Say(exchange == Exchange::kRagged ? tr("Blocks are rows, and differ in size: send_sizes of the sender says how many.") : tr("Each block is $0.", t.block));
    SayMembers(board, selection.live, first, static_cast<int>(members.size()));
    SayOutsidersLeftOut(board, i, g, device_rows);
    if (step >= 0 && step < static_cast<int>(t.names.size())) {
      std::vector<std::string> got;
      for (const ExchangeBlock& b : t.after[step]) {
        if (!b.from.empty()) got.push_back(b.hint);
      }
      board.set_step_text(tr("What $0 gets: $1.", t.names[step], got.size() > 3 ? tr("$0 blocks, one of each member", got.size() / t.names.size() * members.size()) : tr.And(got)));
    }
  }
  const std::optional<Cell> selected = DrawDeviceValues(board, device_rows);
  if (exchange == Exchange::kRagged && data.instruction->operands.size() == i.operands.size()) DrawRagged(board, data, g, members.size(), first);
  MadePicture picture = board.Finish();
  picture.selected = selected;
  picture.members = static_cast<int>(g.pairwise && count > kMostMembers ? count : static_cast<int64_t>(members.size()));
  return picture;
}

}  // namespace hloscope
