// Collectives: who sends what to whom, from the attributes alone: the devices in the colours of their groups, and for one group which block of
// whose array goes where. In a run on several devices also the numbers of each (collective_values.h).
#include <algorithm>
#include <cmath>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/ops/device_groups.h"
#include "core/ops/op.h"
#include "visualizer/pictures/board.h"
#include "visualizer/pictures/collective_values.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

Exchange ExchangeOf(Opcode opcode) {
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

// The instruction that has the attributes: the start of what a done waits for.
const Instruction& Attributed(const Instruction& i) {
  const bool waits = !i.Has(AttrId::kReplicaGroups) && !i.Has(AttrId::kSourceTargetPairs) && i.operands.size() == 1 && ExchangeOf(i.operands[0]->opcode) == ExchangeOf(i.opcode);
  return waits ? *i.operands[0] : i;
}

constexpr float kLeft = 14;
constexpr int64_t kMostBoxes = 1024;
constexpr int kMostMembers = 8, kDevices = kOwnArray, kBefore = kOwnArray + 1, kAfter = kOwnArray + 2;

std::string NameOf(const Captions& tr, const DeviceGroups& g, const Device& d) {
  if (g.partitions == 1) return tr("replica $0", d.replica);
  if (g.replicas == 1) return tr("partition $0", d.partition);
  return tr("replica $0, partition $1", d.replica, d.partition);
}
std::string ShortNameOf(const DeviceGroups& g, const Device& d) {
  if (g.partitions == 1) return absl::StrCat("r", d.replica);
  if (g.replicas == 1) return absl::StrCat("p", d.partition);
  return absl::StrCat("r", d.replica, " p", d.partition);
}

void ExplainGroups(Board& board, const Instruction& i, const DeviceGroups& g) {
  static constexpr const char* kModes[] = {HLO_CAPTION("numbers are replicas; each partition exchanges for itself."), HLO_CAPTION("numbers are partitions; each replica exchanges for itself."),
                                           HLO_CAPTION("numbers are replicas, and all of their partitions exchange together."), HLO_CAPTION("a number is replica * partitions + partition.")};
  const Captions& tr = board.captions();
  const char* mode = kModes[static_cast<int>(g.mode)];
  const int64_t channel = i.Int(AttrId::kChannelId);
  const std::string why = channel > 0 ? absl::StrCat("channel_id=", channel, i.Bool(AttrId::kUseGlobalDeviceIds) ? ", use_global_device_ids=true" : "") : tr("no channel_id");
  board.Explain(why, Ink::kViolet, tr(mode));
  if (i.Has(AttrId::kSourceTargetPairs)) {
    board.Explain("source_target_pairs", Ink::kViolet, g.pairs.empty() ? tr("no pair: nobody sends.") : tr.Counted(static_cast<int64_t>(g.pairs.size()), "$0 pair: the first sends, the second gets; who is no target gets zeros.", "$0 pairs: the first sends, the second gets; who is no target gets zeros."));
  } else if (!g.readable) {
    board.Explain("replica_groups", Ink::kPink, tr("cannot be read: $0", i.Text(AttrId::kReplicaGroups)));
  } else {
    std::string text(i.Text(AttrId::kReplicaGroups));
    if (text.size() > 60) text = absl::StrCat(absl::string_view(text).substr(0, 57), "...");
    const int64_t n = static_cast<int64_t>(g.groups.size());
    board.Explain(text.empty() ? tr("no replica_groups") : absl::StrCat("replica_groups=", text), Ink::kViolet,
                  g.all ? tr.Counted(static_cast<int64_t>(g.groups.empty() ? 0 : g.groups[0].size()), "one group of all, $0 device.", "one group of all, $0 devices.")
                        : absl::StrCat(tr.Counted(n, "$0 group; the order inside a group counts.", "$0 groups, each for itself; the order inside a group counts."), text[0] == '[' ? " " : "", text[0] == '[' ? tr("Written as an iota: 0, 1, 2, .. as an array, transposed and cut into groups.") : ""));
  }
  if (!g.counts_known) board.Say(g.replicas * g.partitions == 1 ? tr("The module does not say how many replicas run (replica_count, num_partitions): one is drawn.") : tr("The module does not say how many replicas run (replica_count, num_partitions): as many as are named are drawn."), Ink::kDim);
  const auto list = [&tr](const std::vector<int64_t>& numbers) {
    std::vector<std::string> words;
    for (int64_t n : numbers) {
      if (words.size() < 8) words.push_back(absl::StrCat(n));
    }
    if (numbers.size() > words.size()) words.push_back(tr("others"));
    return tr.And(words);
  };
  if (!g.twice.empty()) board.Explain(tr("twice"), Ink::kPink, g.twice.size() == 1 ? tr("$0 is named more than once: a device can be in one group only.", list(g.twice)) : tr("$0 are named more than once: a device can be in one group only.", list(g.twice)));
  if (!g.beyond.empty()) board.Explain(tr("beyond"), Ink::kPink, tr("there is no device $0.", list(g.beyond)));
  if (!g.missing.empty()) {
    std::vector<std::string> names;
    for (const Device& d : g.missing) {
      if (names.size() < 6) names.push_back(NameOf(tr, g, d));
    }
    if (g.missing.size() > names.size()) names.push_back(tr("$0 more", g.missing.size() - names.size()));
    if (OutsidersGetZeros(i)) board.Explain(tr("in no group"), Ink::kViolet, g.missing.size() == 1 ? tr("$0: it gets zeros.", tr.And(names)) : tr("$0: they get zeros.", tr.And(names)));
    else board.Explain(tr("in no group"), Ink::kPink, g.missing.size() == 1 ? tr("$0: what it gets is not defined.", tr.And(names)) : tr("$0: what they get is not defined.", tr.And(names)));
  }
}

// The devices as boxes, those that are told in their colours; gives back where they are.
class DeviceBoxes {
 public:
  DeviceBoxes(Board& board, const DeviceGroups& g, float width, const std::vector<Device>& told, bool outsiders_get_zeros, bool numbers_of_replicas, bool numbers) {
    const Captions& tr = board.captions();
    Drawing& drawing = board.drawing();
    const int64_t total = g.replicas * g.partitions;
    const bool line = g.partitions == 1 || g.replicas == 1;
    // Replicas down and partitions across; where there is one of either, as many as fit side by side.
    size_ = total <= 32 ? 64 : total <= 128 ? 44 : 24;
    const float gap = total > 128 ? 3 : g.pairwise && total <= 64 ? 30 : 8, label = line ? 0 : 60;
    const int64_t fit = std::max<int64_t>(1, static_cast<int64_t>((width - label) / (size_ + gap)));
    columns_ = line ? std::min(total, fit) : std::min(g.partitions, fit);
    // Arrows of pairs go over the boxes, under what stands over the columns.
    const float high = total <= 128 ? 34 : 20, head = line ? 4 : g.pairs.empty() ? 18 : 48, y0 = board.y() + head;
    int64_t rows = 0;
    if (!line) {
      for (int64_t p = 0; p < columns_; ++p) drawing.AddText({kLeft + label + (static_cast<float>(p) + 0.5f) * (size_ + gap) - gap / 2, board.y() + 10}, size_ > 40 ? tr("partition $0", p) : absl::StrCat(p), {9, Face::kUi, Ink::kDim, Align::kCenter});
    }
    for (int64_t n = 0; n < std::min(total, kMostBoxes); ++n) {
      const Device d = line && g.partitions == 1 ? Device{n, 0} : Device{n / g.partitions, n % g.partitions};
      const int64_t row = line ? n / columns_ : d.replica, column = line ? n % columns_ : d.partition;
      if (column >= columns_) continue;
      rows = std::max(rows, row + 1);
      const Box box{kLeft + label + static_cast<float>(column) * (size_ + gap), y0 + static_cast<float>(row) * (high + gap), size_, high};
      boxes_.push_back({d, box});
      const int group = g.GroupOf(d);
      const bool missing = !g.pairwise && group < 0 && !numbers;
      const auto member = std::find(told.begin(), told.end(), d);
      const CellMark mark = board.MarkOf({kDevices, {d.replica, d.partition}});
      if (!line && column == 0) drawing.AddText({kLeft, box.middle().y + 4}, tr("replica $0", d.replica), {10, Face::kUi, Ink::kDim});
      if (missing) {
        drawing.AddHatchedBox(box, Paint(Ink::kSunken), outsiders_get_zeros ? Paint(Ink::kDim, 0.5f) : Paint(Ink::kPink, 0.7f), 4);
      } else if (member != told.end()) {
        const Ink ink = GroupInk(static_cast<int>(member - told.begin()));
        drawing.AddBox(box, Paint(ink, 0.35f), ink, 4, 1.5f);
      } else {
        drawing.AddBox(box, Ink::kRaised, Ink::kDim, 4);
      }
      if (mark == CellMark::kSelected || mark == CellMark::kRelated || mark == CellMark::kNow) {
        drawing.AddBox({box.x - 2, box.y - 2, box.width + 4, box.height + 4}, Paint(), mark == CellMark::kRelated ? Paint(Ink::kBlue) : Paint(Ink::kAmber), 5, 2);
      }
      if (total <= 128) {
        const std::string name = numbers && total == 1 ? (numbers_of_replicas ? "r0" : "p0") : ShortNameOf(g, d);
        drawing.AddTextIn({box.x, box.y + 2, box.width, 15}, name, {11, Face::kStrong, Ink::kText, Align::kCenter});
        const std::string below = numbers ? absl::StrCat(numbers_of_replicas ? d.replica : d.partition) : g.pairwise ? "" : missing ? tr("no group") : tr("group $0", group);
        drawing.AddTextIn({box.x, box.y + 16, box.width, 14}, below, {10, Face::kUi, missing && !outsiders_get_zeros ? Ink::kPink : Ink::kDim, Align::kCenter});
      }
      Spot spot;
      spot.box = box;
      spot.is_cell = true;
      spot.cell = {kDevices, {d.replica, d.partition}};
      spot.hint = NameOf(tr, g, d);
      if (!g.pairwise && !numbers) {
        absl::StrAppend(&spot.hint, "\n", missing ? tr("in no group") : tr("group $0, member $1", group, std::find(g.groups[group].begin(), g.groups[group].end(), d) - g.groups[group].begin()));
      }
      for (const auto& [from, to] : g.pairs) {
        if (from == d) absl::StrAppend(&spot.hint, "\n", tr("sends to $0", NameOf(tr, g, to)));
        if (to == d) absl::StrAppend(&spot.hint, "\n", tr("gets from $0", NameOf(tr, g, from)));
      }
      drawing.AddSpot(std::move(spot));
    }
    board.Skip(static_cast<float>(rows) * (high + gap) + head + 6);
    if (total > kMostBoxes) board.Say(tr("$0 more devices are not drawn.", total - kMostBoxes));
  }
  const Box* Of(const Device& d) const {
    for (const auto& [device, box] : boxes_) {
      if (device == d) return &box;
    }
    return nullptr;
  }

 private:
  float size_ = 0;
  int64_t columns_ = 1;
  std::vector<std::pair<Device, Box>> boxes_;
};

// Pairs as arrows from box to box: over the boxes to the right, below them to the left.
void PairArrows(Board& board, const DeviceGroups& g, const DeviceBoxes& boxes) {
  for (const auto& [from, to] : g.pairs) {
    const Box *a = boxes.Of(from), *b = boxes.Of(to);
    if (a == nullptr || b == nullptr) continue;
    const bool lit = board.MarkOf({kDevices, {from.replica, from.partition}}) == CellMark::kSelected || board.MarkOf({kDevices, {to.replica, to.partition}}) == CellMark::kSelected;
    const LineStyle style{lit ? Paint(Ink::kBlue) : Paint(Ink::kText, 0.7f), lit ? 2.2f : 1.4f, LineKind::kSolid, true};
    const Place s = a->middle(), e = b->middle();
    if (from == to) {
      board.drawing().AddPath({{s.x - 12, a->y}, {s.x - 12, a->y - 16}, {s.x + 12, a->y - 16}, {s.x + 12, a->y}}, style, true);
    } else if (std::abs(s.y - e.y) < 2) {
      const bool right = e.x > s.x;
      const float lift = std::min(30.0f, 8 + std::abs(e.x - s.x) * 0.06f), edge = right ? a->y : a->bottom(), by = right ? -lift : lift;
      const float begin = s.x + (right ? 6 : -6), end = e.x + (right ? -6 : 6);
      board.drawing().AddPath({{begin, edge}, {begin + (end - begin) * 0.25f, edge + by}, {end - (end - begin) * 0.25f, edge + by}, {end, edge}}, style, true);
    } else {
      const bool down = e.y > s.y;
      if (std::abs(s.x - e.x) < 2 && std::abs(s.y - e.y) > 1.5f * (a->height + 30)) {  // past others: beside them
        const float side = down ? a->right() : a->x, by = down ? 26.0f : -26.0f;
        board.drawing().AddPath({{side, s.y}, {side + by, s.y + (e.y - s.y) * 0.2f}, {side + by, e.y - (e.y - s.y) * 0.2f}, {side, e.y}}, style, true);
        continue;
      }
      const float aside = down ? 8.0f : -8.0f;
      const Place p{s.x + aside, down ? a->bottom() : a->y}, q{e.x + aside, down ? b->y : b->bottom()};
      const float bend = (q.y - p.y) * 0.4f;
      board.drawing().AddPath({p, {p.x, p.y + bend}, {q.x, q.y - bend}, q}, style, true);
    }
  }
}

// A piece of a member's array, before or after.
struct Block {
  int colour = 0;        // of the member that it comes from; -1: zeros; -2: made of all members
  std::string text, hint;
  float wide = 1;        // in blocks
  std::vector<std::pair<int, int>> from;  // (member, block) before
  std::string brief;     // where there is no room for the text
};
struct Transfer {
  std::vector<std::string> names;
  std::vector<std::vector<Block>> before, after;
  std::string block;     // what one block is
};

std::string Whole(const Captions& tr, const Shape& shape) { return shape.IsArray() ? shape.WithoutLayouts().ToString(false) : tr("arrays"); }
std::string Cut(const Captions& tr, const Shape& shape, int64_t dim, int64_t by) {
  if (!shape.IsArray() || dim < 0 || dim >= shape.rank() || by <= 0) return tr("a part");
  std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  dims[dim] /= by;
  return Shape::Array(shape.element_type(), dims).ToString(false);
}
std::string ReductionOf(const Captions& tr, const Instruction& i) {
  const Computation* apply = i.Called(AttrId::kToApply);
  if (apply == nullptr || apply->root == nullptr) return tr("all");
  const std::string name(Name(apply->root->opcode));
  return name == "add" ? tr("sum") : name == "multiply" ? tr("product") : name;
}

// The vectors of a ragged all-to-all of one device, as far as they are known.
struct RaggedVectors {
  std::optional<PictureArray> input_offsets, sizes, output_offsets;
  static std::string At(const std::optional<PictureArray>& array, const char* name, int64_t b) {
    const std::optional<Scalar> s = array.has_value() ? array->At(b) : std::nullopt;
    return s.has_value() ? absl::StrCat(s->i) : absl::StrCat(name, "[", b, "]");
  }
};

// Of each device in a run of several; else of the one that runs.
RaggedVectors VectorsOf(const PictureData& data, const Device& device) {
  const std::vector<Value>* operands = nullptr;
  const auto place = static_cast<size_t>(device.replica * data.partitions + device.partition);
  if (!data.devices.empty()) operands = place < data.devices.size() ? &data.devices[place].operands : nullptr;
  else if (device == Device{}) operands = &data.operands;
  const auto array = [&](size_t k) -> std::optional<PictureArray> {
    if (operands == nullptr || k >= operands->size() || !(*operands)[k].has_value()) return std::nullopt;
    return PictureArray(0, "", (*operands)[k].shape().WithoutLayouts(), (*operands)[k]);
  };
  return {array(2), array(3), array(4)};
}

// What member m of the group sends and gets: as many blocks for each member as the vectors have places for.
void AddRagged(const Captions& tr, Transfer& t, const Instruction& i, const DeviceGroups& g, const std::vector<Device>& members, int m, const PictureData& data) {
  const int all = static_cast<int>(members.size()), n = std::min(all, kMostMembers);
  const int64_t places = i.operands.size() > 2 && i.operands[2]->shape.IsArray() ? i.operands[2]->shape.ElementCount() : all;
  const int each = static_cast<int>(std::clamp<int64_t>(places / all, 1, 4));
  const RaggedVectors v = VectorsOf(data, members[m]);
  std::vector<Block> before, after;
  for (int b = 0; b < n * each; ++b) {
    const std::string size = RaggedVectors::At(v.sizes, "send_sizes", b), to = ShortNameOf(g, members[b / each]);
    const bool known = v.sizes.has_value() && v.sizes->At(b).has_value();
    before.push_back({m, absl::StrCat(tr("to $0", to), known ? absl::StrCat(": ", size) : ""),
                      absl::StrCat(tr("$0 rows of what $1 has, from row $2 on.", size, t.names[m], RaggedVectors::At(v.input_offsets, "input_offsets", b)), "\n",
                                   tr("They go to $0, from row $1 of its output on", NameOf(tr, g, members[b / each]), RaggedVectors::At(v.output_offsets, "output_offsets", b))),
                      1, {}, to});
  }
  for (int b = 0; b < n * each; ++b) {
    const int s = b / each, block = m * each + b % each;
    after.push_back({s, tr("of $0", ShortNameOf(g, members[s])), tr("what $0 sends: as many rows as its send_sizes[$1]", NameOf(tr, g, members[s]), block), 1, {{s, block}}, ShortNameOf(g, members[s])});
  }
  after.push_back({-1, tr("as it was"), tr("rows of the output that nobody sends to"), 1.5f, {}});
  t.before.push_back(std::move(before));
  t.after.push_back(std::move(after));
}

// That blocks are cut or put together along; -1: none.
int64_t CutDimension(const Instruction& i) {
  const auto dims = i.Ints(AttrId::kDimensions);
  return !dims.empty() ? dims[0] : i.Has(AttrId::kSplitDimension) ? i.Int(AttrId::kSplitDimension) : -1;
}

Transfer TransferOf(const Captions& tr, const Instruction& i, Exchange exchange, const DeviceGroups& g, const std::vector<Device>& members, const PictureData& data) {
  Transfer t;
  const int all = static_cast<int>(members.size()), n = std::min(all, kMostMembers);
  const Shape operand = i.operands.empty() ? Shape() : i.operands[0]->shape;
  const int64_t dim = CutDimension(i);
  const std::string word = ReductionOf(tr, i);
  const auto name = [&](int m) { return NameOf(tr, g, members[m]); };
  const auto brief = [&](int m) { return ShortNameOf(g, members[m]); };
  for (int m = 0; m < n; ++m) {
    t.names.push_back(name(m));
    std::vector<Block> before, after;
    if (exchange == Exchange::kRagged) {
      AddRagged(tr, t, i, g, members, m, data);
      continue;
    }
    const Block own{m, tr("of $0", brief(m)), tr("what $0 has", name(m)), 1, {}, brief(m)};
    switch (exchange) {
      case Exchange::kGather:
        t.block = Whole(tr, operand);
        before = {own};
        for (int s = 0; s < n; ++s) after.push_back({s, tr("of $0", brief(s)), tr("block $0 of the result: what $1 has", s, name(s)), 1, {{s, 0}}, brief(s)});
        break;
      case Exchange::kReduce: {
        t.block = Whole(tr, operand);
        before = {own};
        before[0].wide = 2;
        Block sum{-2, word, tr("the $0 of what all members have, element by element", word), 2, {}};
        for (int s = 0; s < n; ++s) sum.from.push_back({s, 0});
        after = {std::move(sum)};
        break;
      }
      case Exchange::kReduceScatter: {
        t.block = Cut(tr, operand, dim, all);
        for (int b = 0; b < n; ++b) before.push_back({m, absl::StrCat(b), tr("block $0 of what $1 has", b, t.names[m]), 1, {}});
        Block sum{-2, absl::StrCat(word, " ", m), tr("the $0 of all members' block $1", word, m), 1, {}};
        for (int s = 0; s < n; ++s) sum.from.push_back({s, m});
        after = {std::move(sum)};
        break;
      }
      case Exchange::kAllToAll:
        t.block = dim < 0 ? Whole(tr, operand) : Cut(tr, operand, dim, all);
        for (int b = 0; b < n; ++b) before.push_back({m, tr("to $0", brief(b)), tr("block $0 of what $1 has", b, name(m)), 1, {}, brief(b)});
        for (int s = 0; s < n; ++s) after.push_back({s, tr("of $0", brief(s)), tr("block $0 of what $1 has", m, name(s)), 1, {{s, m}}, brief(s)});
        break;
      case Exchange::kBroadcast: {
        t.block = Whole(tr, operand);
        before = {own};
        const std::vector<int> roots = RootsOf(i, data);
        const int root = roots.empty() ? 0 : roots[0];
        if (root >= 0 && root < n) after = {{root, tr("of $0", brief(root)), tr("what $0 has", name(root)), 1, {{root, 0}}, brief(root)}};
        else after = {{-1, tr("open"), tr("the last operand says whose it is"), 1, {}, "…"}};
        break;
      }
      default: break;
    }
    t.before.push_back(std::move(before));
    t.after.push_back(std::move(after));
  }
  return t;
}

// Which cells belong to a block of the exchange; true where the cell is one.
bool RelateBlocks(const Transfer& t, Board& board) {
  const Cell* cell = board.cell();
  if (cell == nullptr || (cell->array != kBefore && cell->array != kAfter) || cell->index.size() != 2) return false;
  Related related;
  for (int m = 0; m < static_cast<int>(t.after.size()); ++m) {
    for (int b = 0; b < static_cast<int>(t.after[m].size()); ++b) {
      for (const auto& [s, block] : t.after[m][b].from) {
        if (cell->array == kAfter && cell->index == std::vector<int64_t>{m, b}) related.AddBox({kBefore, {s, block}, {s, block}, LoadRole::kValue});
        if (cell->array == kBefore && cell->index == std::vector<int64_t>{s, block}) related.AddBox({kAfter, {m, b}, {m, b}, LoadRole::kValue});
      }
    }
  }
  board.set_related(std::move(related));
  return true;
}

// From block to block, between the rows where other blocks are in the way: below the row to where the blocks before end (`clear`), and over the
// row from where those after begin.
std::vector<Place> BlockRoute(const Box& from, float clear, const Box& to, float begin) {
  constexpr float kAside = 5, kOver = 9, kTurn = 6;
  std::vector<Place> points;
  const auto line_to = [&points](Place end) {
    const Place start = points.back();
    for (const float t : {1 / 3.0f, 2 / 3.0f, 1.0f}) points.push_back({start.x + (end.x - start.x) * t, start.y + (end.y - start.y) * t});
  };
  const auto across_to = [&points](Place end) {
    const Place start = points.back();
    const float bend = std::max(16.0f, (end.x - start.x) * 0.45f);
    points.insert(points.end(), {{start.x + bend, start.y}, {end.x - bend, end.y}, end});
  };
  if (clear > from.x) {
    const float y = from.bottom() + kAside;
    points = {{from.middle().x, from.bottom()}, {from.middle().x, y}, {from.middle().x, y}, {from.middle().x + kTurn, y}};
    line_to({clear, y});
  } else {
    points = {{from.right(), from.middle().y}};
  }
  if (to.x <= begin + 1) {
    across_to({to.x, to.middle().y});
    return points;
  }
  const float y = to.y - kOver, x = to.middle().x;
  across_to({begin - 4, y});
  line_to({x - kTurn, y});
  points.insert(points.end(), {{x, y}, {x, y}, {x, to.y}});
  return points;
}

void DrawTransfer(Board& board, const Transfer& t, float width) {
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const int members = static_cast<int>(t.names.size());
  float names = 0, most_before = 1, most_after = 1;
  const auto wide = [](const std::vector<Block>& blocks) {
    float w = 0;
    for (const Block& b : blocks) w += b.wide;
    return w;
  };
  for (int m = 0; m < members; ++m) {
    names = std::max(names, TextWidth(t.names[m], Face::kUi, 11) + 14);
    most_before = std::max(most_before, wide(t.before[m]));
    most_after = std::max(most_after, wide(t.after[m]));
  }
  constexpr float kMiddle = 110, kHigh = 26, kStep = 42, kHeadings = 28;
  const float unit = std::clamp((width - names - kMiddle) / (most_before + most_after), 18.0f, 62.0f);
  const float x0 = kLeft + names, x1 = x0 + most_before * unit + kMiddle, y0 = board.y() + kHeadings;
  drawing.AddText({x0, board.y() + 10}, tr("before"), {11, Face::kStrong, Ink::kDim});
  drawing.AddText({x1, board.y() + 10}, tr("after"), {11, Face::kStrong, Ink::kDim});
  const auto box_of = [&](const std::vector<Block>& blocks, int b, int m, float x) {
    for (int k = 0; k < b; ++k) x += blocks[k].wide * unit;
    return Box{x, y0 + static_cast<float>(m) * kStep, blocks[b].wide * unit - 2, kHigh};
  };
  for (int m = 0; m < members; ++m) {
    drawing.AddText({kLeft, y0 + static_cast<float>(m) * kStep + 17}, t.names[m], {11, Face::kUi, Ink::kText});
    for (const bool after : {false, true}) {
      const std::vector<Block>& blocks = after ? t.after[m] : t.before[m];
      for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
        const Block& block = blocks[b];
        const Box box = box_of(blocks, b, m, after ? x1 : x0);
        const Cell cell{after ? kAfter : kBefore, {m, b}};
        const CellMark mark = board.MarkOf(cell);
        if (block.colour >= 0) {
          drawing.AddBox(box, Paint(GroupInk(block.colour), 0.35f), GroupInk(block.colour), 3);
        } else {
          drawing.AddBox(box, Ink::kRaised, Ink::kDim, 3);
          const float stripe = (box.width - 4) / static_cast<float>(std::max<size_t>(block.from.size(), 1));
          for (size_t s = 0; s < block.from.size(); ++s) drawing.AddBox({box.x + 2 + static_cast<float>(s) * stripe, box.bottom() - 6, stripe, 4}, GroupInk(block.from[s].first));
        }
        if (mark >= CellMark::kRelated) drawing.AddBox(box, Paint(mark == CellMark::kNow ? Ink::kAmber : Ink::kBlue, 0.2f), mark == CellMark::kNow ? Paint(Ink::kAmber) : Paint(Ink::kBlue), 3, 2.2f);
        const bool room = block.brief.empty() || TextWidth(block.text, Face::kMono, 11) <= box.width - 4;
        drawing.AddTextIn({box.x, box.y, box.width, block.colour < 0 ? kHigh - 5 : kHigh}, room ? block.text : block.brief, {11, Face::kMono, Ink::kText, Align::kCenter});
        Spot spot;
        spot.box = box;
        spot.is_cell = true;
        spot.cell = cell;
        spot.hint = block.hint;
        drawing.AddSpot(std::move(spot));
      }
    }
  }
  // Arrows: of a step or a selected block all; else one quiet line each.
  for (int m = 0; m < members; ++m) {
    for (int b = 0; b < static_cast<int>(t.after[m].size()); ++b) {
      for (const auto& [s, block] : t.after[m][b].from) {
        const CellMark from = board.MarkOf({kBefore, {s, block}}), to = board.MarkOf({kAfter, {m, b}});
        const bool lit = from >= CellMark::kRelated && to >= CellMark::kRelated;
        const Box a = box_of(t.before[s], block, s, x0), e = box_of(t.after[m], b, m, x1);
        if (!lit && members > 3 && (t.before[s].size() > 1 || t.after[m].size() > 1)) continue;
        const bool inner = block + 1 < static_cast<int>(t.before[s].size());
        const Paint paint = !lit ? Paint(Ink::kDim, 0.35f) : from == CellMark::kNow || to == CellMark::kNow ? Paint(Ink::kAmber) : Paint(Ink::kBlue);
        drawing.AddPath(BlockRoute(a, inner ? x0 + most_before * unit : a.x, e, x1), {paint, lit ? 1.8f : 1, LineKind::kSolid, true}, true);
      }
    }
  }
  board.Skip(kHeadings + static_cast<float>(members) * kStep - 4);
}

// Whose numbers are drawn: the group's, or of pairs those of all devices.
DeviceRows RowsOf(const Captions& tr, Exchange exchange, const Instruction& i, const DeviceGroups& g, const std::vector<Device>& members, const PictureData& data) {
  DeviceRows rows;
  rows.exchange = exchange;
  rows.members = members;
  rows.dim = CutDimension(i);
  if (g.pairwise) {
    rows.members.clear();
    for (int64_t n = 0; n < g.replicas * g.partitions; ++n) rows.members.push_back({n / g.partitions, n % g.partitions});
    const auto number = [&g](const Device& d) { return static_cast<int>(d.replica * g.partitions + d.partition); };
    for (const auto& [from, to] : g.pairs) rows.sends.emplace_back(number(from), number(to));
  }
  if (exchange == Exchange::kBroadcast) rows.roots = RootsOf(i, data);
  if (!g.pairwise && OutsidersGetZeros(i) && members.size() < kMostMembers) {
    rows.outsiders = static_cast<int>(std::min<size_t>(g.missing.size(), kMostMembers - members.size()));
    rows.members.insert(rows.members.end(), g.missing.begin(), g.missing.begin() + rows.outsiders);
  }
  for (size_t m = 0; m < std::min<size_t>(rows.members.size(), kMostMembers); ++m) rows.names.push_back(NameOf(tr, g, rows.members[m]));
  return rows;
}

}  // namespace

int SuitsCollective(const Instruction& instruction) { return ExchangeOf(instruction.opcode) != Exchange::kNone ? 60 : 0; }

absl::StatusOr<MadePicture> DrawCollective(const PictureData& data, const PictureSelection& selection) {
  absl::StatusOr<Board> made = Board::Make(data, selection);
  if (!made.ok()) return made.status();
  Board& board = *made;
  const Captions& tr = board.captions();
  const Instruction& i = Attributed(*data.instruction);
  const Exchange exchange = ExchangeOf(data.instruction->opcode);
  const DeviceGroups g = data.devices.empty() ? GroupsOf(i) : GroupsOf(i, data.replicas, data.partitions);
  const float width = std::max(selection.width, 320.0f) - 2 * kLeft;
  board.Headline();
  const bool named_root = exchange == Exchange::kBroadcast && data.instruction->operands.size() > 1 && RootsOf(i, data).size() < data.instruction->operands.size();
  if (named_root) board.Say(tr("the device of each group that the last operand names sends its array to the others"));
  else board.Summary();
  if (exchange == Exchange::kId) {
    board.Say(g.counts_known ? tr("Every device gets its own number.") : tr("Every device gets its own number. The module does not say how many run: one is drawn."));
    DeviceBoxes(board, g, width, {}, false, i.opcode == Opcode::kReplicaId, true);
    return board.Finish();
  }
  ExplainGroups(board, i, g);
  if (const auto dims = i.Ints(AttrId::kDimensions); !dims.empty()) {
    board.Explain(absl::StrCat("dimensions={", dims[0], "}"), Ink::kViolet, exchange == Exchange::kGather ? tr("blocks are put one after the other along it, in the order of the group.") : tr("arrays are cut into equal blocks along it, one for each member of the group."));
  }
  // The group that is told: that of the device that was clicked, else of the one that the session looks at, else the first that has members.
  int shown = -1;
  const Cell* cell = board.cell();
  if (cell != nullptr && cell->array == kDevices && cell->index.size() == 2) shown = g.GroupOf({cell->index[0], cell->index[1]});
  if (const auto option = selection.options.find("group"); shown < 0 && option != selection.options.end()) shown = std::atoi(option->second.c_str());
  if (shown < 0 && !data.devices.empty()) shown = g.GroupOf({data.selected / data.partitions, data.selected % data.partitions});
  for (int k = 0; k < static_cast<int>(g.groups.size()) && (shown < 0 || shown >= static_cast<int>(g.groups.size())); ++k) {
    if (!g.groups[k].empty()) shown = k;
  }
  const std::vector<Device> members = shown >= 0 && shown < static_cast<int>(g.groups.size()) ? g.groups[shown] : std::vector<Device>();
  const Transfer t = TransferOf(tr, i, exchange, g, members, data);
  const bool exchanges = exchange != Exchange::kPermute && !members.empty();
  if (exchanges && members.size() > 1) board.set_steps(static_cast<int>(std::min<size_t>(members.size(), kMostMembers)));
  if (!g.pairs.empty()) board.set_steps(static_cast<int>(std::min<size_t>(g.pairs.size(), 1024)));
  const int step = board.step();
  if (!RelateBlocks(t, board) && cell != nullptr && cell->array == kDevices && cell->index.size() == 2) {
    Related related;
    const Device d{cell->index[0], cell->index[1]};
    for (const Device& other : g.pairs.empty() ? members : std::vector<Device>()) {
      if (!(other == d)) related.AddBox({kDevices, {other.replica, other.partition}, {other.replica, other.partition}, LoadRole::kValue});
    }
    for (const auto& [from, to] : g.pairs) {
      const Device& other = from == d ? to : from;
      if (from == d || to == d) related.AddBox({kDevices, {other.replica, other.partition}, {other.replica, other.partition}, LoadRole::kValue});
    }
    board.set_related(std::move(related));
  }
  board.set_marks([&](const Cell& c) {
    if (step < 0) return CellMark::kNone;
    if (!g.pairs.empty()) {
      const auto& [from, to] = g.pairs[step];
      return c.array == kDevices && (c.index == std::vector<int64_t>{from.replica, from.partition} || c.index == std::vector<int64_t>{to.replica, to.partition}) ? CellMark::kNow : CellMark::kNone;
    }
    if ((c.array == kAfter || c.array == kBefore) && c.index.size() != 2) return CellMark::kNone;
    if (c.array == kAfter) {
      const auto b = static_cast<size_t>(c.index[1]);
      return c.index[0] == step && b < t.after[step].size() && !t.after[step][b].from.empty() ? CellMark::kNow : CellMark::kNone;
    }
    if (c.array != kBefore || step >= static_cast<int>(t.after.size())) return CellMark::kNone;
    for (const Block& b : t.after[step]) {
      if (std::find(b.from.begin(), b.from.end(), std::pair<int, int>(static_cast<int>(c.index[0]), static_cast<int>(c.index[1]))) != b.from.end()) return CellMark::kNow;
    }
    return CellMark::kNone;
  });
  board.Skip(g.pairs.empty() ? 4 : 26);
  std::vector<Device> told = members;
  if (g.pairwise) {
    for (int64_t n = 0; n < g.replicas * g.partitions; ++n) told.push_back({n / g.partitions, n % g.partitions});
  }
  const DeviceBoxes boxes(board, g, width, told, OutsidersGetZeros(i), false, false);
  PairArrows(board, g, boxes);
  if (g.pairwise) {
    board.Skip(14);
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
    board.Say(absl::StrCat(exchange == Exchange::kRagged ? tr("Blocks are rows, and differ in size: send_sizes of the sender says how many.") : tr("Each block is $0.", t.block), members.size() > kMostMembers ? absl::StrCat(" ", tr("The first $0 of $1 members are drawn.", kMostMembers, members.size())) : ""));
    if (step >= 0 && step < static_cast<int>(t.names.size())) {
      std::vector<std::string> got;
      for (const Block& b : t.after[step]) {
        if (!b.from.empty()) got.push_back(b.hint);
      }
      board.set_step_text(tr("What $0 gets: $1.", t.names[step], got.size() > 3 ? tr("$0 blocks, one of each member", got.size()) : tr.And(got)));
    }
  }
  const std::optional<Cell> selected = DrawDeviceValues(board, RowsOf(tr, exchange, i, g, members, data));
  if (exchange == Exchange::kRagged) {
    const PictureScene& scene = board.scene();
    const Device shown_device{data.selected / data.partitions, data.selected % data.partitions};
    board.Skip(4);
    board.Say(tr("The numbers of $0: entry b of the vectors is one block of rows. So many rows of the input from its input offset go to its output offset in the output of the receiver, which elsewhere stays as it was.", NameOf(tr, g, shown_device)), Ink::kText);
    if (g.replicas * g.partitions > 1 && data.devices.empty()) board.Say(tr("Only the numbers of $0 stand in the boxes: the other devices have vectors of their own, which a run of one device does not know.", NameOf(tr, g, shown_device)), Ink::kText);
    const PictureArray &offsets = scene.operand(2), &sizes = scene.operand(3);
    const int64_t blocks = std::min<int64_t>(offsets.shape.ElementCount(), 256);
    std::vector<Board::Piece> row;
    for (int k = 2; k < 6; ++k) {
      if (k > 2) row.push_back(std::string());
      GridSpec spec = board.SpecOf(scene.operand(k));
      spec.note = k == 2 ? tr("input offsets") : k == 3 ? tr("send sizes") : k == 4 ? tr("output offsets") : tr("receive sizes");
      spec.cell = [inner = std::move(spec.cell), dims = scene.operand(k).shape.dimensions()](absl::Span<const int64_t> index) {
        GridCell c = inner(index);
        c.tint = Paint(GroupInk(static_cast<int>(LinearIndex(dims, index) % kGroupInks)), 0.25f);
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
        if (first && size && index[0] >= first->i && index[0] - first->i < size->i) c.tint = Paint(GroupInk(static_cast<int>(b % kGroupInks)), 0.3f);
      }
      return c;
    };
    board.Row({std::move(input), std::string("->"), board.SpecOf(scene.operand(1)), std::string("->"), board.SpecOf(scene.result())}, 260);
  }
  MadePicture picture = board.Finish();
  picture.selected = selected;
  return picture;
}

}  // namespace hloscope
