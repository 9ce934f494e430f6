#include "visualizer/pictures/collective_blocks.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"
#include "core/ops/reducer.h"
#include "visualizer/pictures/collective_devices.h"
#include "visualizer/pictures/fold_story.h"
#include "visualizer/pictures/reducer_part.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

constexpr float kLeft = 14;

std::string Cut(const Captions& tr, const Shape& shape, int64_t dim, int64_t by) {
  if (!shape.IsArray() || dim < 0 || dim >= shape.rank() || by <= 0) return tr("a part");
  std::vector<int64_t> dims(shape.dimensions().begin(), shape.dimensions().end());
  dims[dim] /= by;
  return Shape::Array(shape.element_type(), dims).ToString(false);
}
// What one block is of each array that is exchanged, each kind once.
template <typename Kind>
std::string Blocks(const Captions& tr, const Instruction& i, Kind kind) {
  std::vector<std::string> kinds;
  const size_t count = i.operands.size() - (HasDynamicRoot(i) && !i.operands.empty() ? 1 : 0);
  for (size_t k = 0; k < count; ++k) {
    std::string one = kind(i.operands[k]->shape);
    if (std::find(kinds.begin(), kinds.end(), one) == kinds.end()) kinds.push_back(std::move(one));
  }
  if (constexpr size_t kMost = 4; kinds.size() > kMost) {
    const size_t more = kinds.size() - kMost;
    kinds.resize(kMost);
    kinds.push_back(tr("$0 more", more));
  }
  return tr.And(kinds);
}
std::string ReductionOf(const Captions& tr, const Instruction& i) {
  const Computation* apply = i.Called(AttrId::kToApply);
  if (apply == nullptr || apply->root == nullptr) return tr("all");
  const std::optional<ScalarOp> op = SimpleReducer(*apply);
  return op.has_value() ? tr(FoldWord(*op)) : std::string(apply->name);
}

// Whether that word says what the reduction makes: the name of a computation does not.
bool SaysWhat(const Instruction& i) {
  const Computation* apply = i.Called(AttrId::kToApply);
  return apply == nullptr || apply->root == nullptr || SimpleReducer(*apply).has_value();
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
  if (!data.devices.empty())
    operands = place < data.devices.size() ? &data.devices[place].operands : nullptr;
  else if (device == Device{})
    operands = &data.operands;
  const auto array = [&](size_t k) -> std::optional<PictureArray> {
    if (operands == nullptr || k >= operands->size() || !(*operands)[k].has_value()) return std::nullopt;
    return PictureArray(0, "", (*operands)[k].shape().WithoutLayouts(), (*operands)[k]);
  };
  return {array(2), array(3), array(4)};
}

// What the m-th drawn member of the group sends and gets: as many blocks for each member as the vectors have places for.
void AddRagged(const Captions& tr, Transfer& t, const Instruction& i, const DeviceGroups& g, const std::vector<Device>& members, int m,
               const PictureData& data) {
  const int f = t.first, all = static_cast<int>(members.size()), n = std::min(all - f, kMostMembers);
  const int each = static_cast<int>(std::min<int64_t>(EntriesOfMember(i, members.size()), 4));
  const RaggedVectors v = VectorsOf(data, members[f + m]);
  std::vector<ExchangeBlock> before, after;
  for (int b = f * each; b < (f + n) * each; ++b) {
    const std::string size = RaggedVectors::At(v.sizes, "send_sizes", b), to = ShortNameOf(g, members[b / each]);
    const bool known = v.sizes.has_value() && v.sizes->At(b).has_value();
    before.push_back(
        {f + m,
         absl::StrCat(tr("to $0", to), known ? absl::StrCat(": ", size) : ""),
         absl::StrCat(
             tr("$0 rows of what $1 has, from row $2 on.", size, t.names[m], RaggedVectors::At(v.input_offsets, "input_offsets", b)), "\n",
             tr("They go to $0, from row $1 of its output on", NameOf(tr, g, members[b / each]),
                RaggedVectors::At(v.output_offsets, "output_offsets", b))),
         1,
         {},
         to});
  }
  for (int b = 0; b < n * each; ++b) {
    const int s = b / each, block = m * each + b % each;
    after.push_back({f + s,
                     tr("of $0", ShortNameOf(g, members[f + s])),
                     tr("what $0 sends: as many rows as its send_sizes[$1]", NameOf(tr, g, members[f + s]), f * each + block),
                     1,
                     {{s, block}},
                     ShortNameOf(g, members[f + s])});
  }
  after.push_back({-1, tr("as it was"), tr("rows of the output that nobody sends to"), 1.5f, {}});
  t.before.push_back(std::move(before));
  t.after.push_back(std::move(after));
}

// From block to block, between the rows where other blocks are in the way: below the row to where the blocks before end (`clear`), and over
// the row from where those after begin.
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

}  // namespace

std::string Whole(const Captions& tr, const Shape& shape) {
  return shape.IsArray() ? shape.WithoutLayouts().ToString(false) : tr("arrays");
}

int64_t CutDimension(const Instruction& i) {
  const auto dims = i.Ints(AttrId::kDimensions);
  return !dims.empty() ? dims[0] : i.Has(AttrId::kSplitDimension) ? i.Int(AttrId::kSplitDimension) : -1;
}

Transfer TransferOf(const Captions& tr, const Instruction& i, Exchange exchange, const DeviceGroups& g, const std::vector<Device>& members, int first,
                    const PictureData& data) {
  Transfer t;
  t.first = first;
  const int all = static_cast<int>(members.size()), n = std::min(all - first, kMostMembers);
  const int64_t dim = CutDimension(i);
  const std::string word = ReductionOf(tr, i);
  const bool cut = exchange == Exchange::kReduceScatter || (exchange == Exchange::kAllToAll && dim >= 0);
  if (exchange != Exchange::kRagged) t.block = Blocks(tr, i, [&](const Shape& shape) { return cut ? Cut(tr, shape, dim, all) : Whole(tr, shape); });
  const auto name = [&](int m) { return NameOf(tr, g, members[first + m]); };  // of the drawn ones
  const auto brief = [&](int m) { return ShortNameOf(g, members[first + m]); };
  for (int m = 0; m < n; ++m) {
    t.names.push_back(name(m));
    std::vector<ExchangeBlock> before, after;
    if (exchange == Exchange::kRagged) {
      AddRagged(tr, t, i, g, members, m, data);
      continue;
    }
    const ExchangeBlock own{first + m, tr("of $0", brief(m)), tr("what $0 has", name(m)), 1, {}, brief(m)};
    switch (exchange) {
      case Exchange::kGather:
        before = {own};
        for (int s = 0; s < n; ++s)
          after.push_back({first + s, tr("of $0", brief(s)), tr("block $0 of the result: what $1 has", first + s, name(s)), 1, {{s, 0}}, brief(s)});
        break;
      case Exchange::kReduce: {
        before = {own};
        before[0].wide = 2;
        ExchangeBlock sum{-2, word, 
                          SaysWhat(i) ? tr("the $0 of what all members have, element by element", word)
                                      : tr("what $0 makes of what all members have, element by element", word),
                          2, {}};
        for (int s = 0; s < n; ++s) sum.from.push_back({s, 0});
        after = {std::move(sum)};
        break;
      }
      case Exchange::kReduceScatter: {
        for (int b = 0; b < n; ++b) before.push_back({first + m, absl::StrCat(first + b), tr("block $0 of what $1 has", first + b, t.names[m]), 1, {}});
        ExchangeBlock sum{-2, absl::StrCat(word, " ", first + m), 
                          SaysWhat(i) ? tr("the $0 of all members' block $1", word, first + m) : tr("what $0 makes of all members' block $1", word, first + m), 1, {}};
        for (int s = 0; s < n; ++s) sum.from.push_back({s, m});
        after = {std::move(sum)};
        break;
      }
      case Exchange::kAllToAll:
        for (int b = 0; b < n; ++b)
          before.push_back({first + m, tr("to $0", brief(b)), tr("block $0 of what $1 has", first + b, name(m)), 1, {}, brief(b)});
        for (int s = 0; s < n; ++s)
          after.push_back({first + s, tr("of $0", brief(s)), tr("block $0 of what $1 has", first + m, name(s)), 1, {{s, m}}, brief(s)});
        break;
      case Exchange::kBroadcast: {
        before = {own};
        const std::vector<int> roots = RootsOf(i, data);
        const int root = roots.empty() ? 0 : roots[0];
        // Of a member that is not drawn no arrow comes.
        std::vector<std::pair<int, int>> from;
        if (root >= first && root < first + n) from = {{root - first, 0}};
        if (root >= 0 && root < all)
          after = {{root, tr("of $0", brief(root - first)), tr("what $0 has", name(root - first)), 1, from, brief(root - first)}};
        else
          after = {{-1, tr("open"), tr("the last operand says whose it is"), 1, {}, "…"}};
        break;
      }
      default: break;
    }
    // What there is of members that are not drawn.
    const ExchangeBlock more{-1, tr("$0 more", all - n), tr("blocks of the $0 members that are not drawn", all - n), 1, {}, absl::StrCat("+", all - n)};
    if (all > n && (exchange == Exchange::kReduceScatter || exchange == Exchange::kAllToAll)) before.push_back(more);
    if (all > n && (exchange == Exchange::kGather || exchange == Exchange::kAllToAll)) after.push_back(more);
    t.before.push_back(std::move(before));
    t.after.push_back(std::move(after));
  }
  return t;
}

bool RelateBlocks(const Transfer& t, Board& board) {
  const Cell* cell = board.cell();
  if (cell == nullptr || (cell->array != kBefore && cell->array != kAfter) || cell->index.size() != 2) return false;
  Related related;
  for (int m = 0; m < static_cast<int>(t.after.size()); ++m) {
    for (int b = 0; b < static_cast<int>(t.after[m].size()); ++b) {
      for (const auto& [s, block] : t.after[m][b].from) {
        if (cell->array == kAfter && cell->index == std::vector<int64_t>{m, b})
          related.AddBox({kBefore, {s, block}, {s, block}, LoadRole::kValue});
        if (cell->array == kBefore && cell->index == std::vector<int64_t>{s, block})
          related.AddBox({kAfter, {m, b}, {m, b}, LoadRole::kValue});
      }
    }
  }
  board.set_related(std::move(related));
  return true;
}

void DrawTransfer(Board& board, const Transfer& t, float width) {
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const int members = static_cast<int>(t.names.size());
  float names = 0, most_before = 1, most_after = 1;
  const auto wide = [](const std::vector<ExchangeBlock>& blocks) {
    float w = 0;
    for (const ExchangeBlock& b : blocks) w += b.wide;
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
  const auto box_of = [&](const std::vector<ExchangeBlock>& blocks, int b, int m, float x) {
    for (int k = 0; k < b; ++k) x += blocks[k].wide * unit;
    return Box{x, y0 + static_cast<float>(m) * kStep, blocks[b].wide * unit - 2, kHigh};
  };
  for (int m = 0; m < members; ++m) {
    drawing.AddText({kLeft, y0 + static_cast<float>(m) * kStep + 17}, t.names[m], {11, Face::kUi, Ink::kText});
    for (const bool after : {false, true}) {
      const std::vector<ExchangeBlock>& blocks = after ? t.after[m] : t.before[m];
      for (int b = 0; b < static_cast<int>(blocks.size()); ++b) {
        const ExchangeBlock& block = blocks[b];
        const Box box = box_of(blocks, b, m, after ? x1 : x0);
        const Cell cell{after ? kAfter : kBefore, {m, b}};
        const CellMark mark = board.MarkOf(cell);
        if (block.colour >= 0) {
          drawing.AddBox(box, Paint(GroupInk(block.colour), 0.35f), GroupInk(block.colour), 3);
        } else {
          drawing.AddBox(box, Ink::kRaised, Ink::kDim, 3);
          const float stripe = (box.width - 4) / static_cast<float>(std::max<size_t>(block.from.size(), 1));
          for (size_t s = 0; s < block.from.size(); ++s)
            drawing.AddBox({box.x + 2 + static_cast<float>(s) * stripe, box.bottom() - 6, stripe, 4}, GroupInk(t.first + block.from[s].first));
        }
        if (mark >= CellMark::kRelated)
          drawing.AddBox(box, Paint(mark == CellMark::kNow ? Ink::kAmber : Ink::kBlue, 0.2f),
                         mark == CellMark::kNow ? Paint(Ink::kAmber) : Paint(Ink::kBlue), 3, 2.2f);
        const bool room = block.brief.empty() || TextWidth(block.text, Face::kMono, 11) <= box.width - 4;
        drawing.AddTextIn({box.x, box.y, box.width, block.from.empty() || block.colour >= 0 ? kHigh : kHigh - 5}, room ? block.text : block.brief,
                          {11, Face::kMono, Ink::kText, Align::kCenter});
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
        const Paint paint = !lit                                             ? Paint(Ink::kDim, 0.35f)
                            : from == CellMark::kNow || to == CellMark::kNow ? Paint(Ink::kAmber)
                                                                             : Paint(Ink::kBlue);
        drawing.AddPath(BlockRoute(a, inner ? x0 + most_before * unit : a.x, e, x1), {paint, lit ? 1.8f : 1, LineKind::kSolid, true}, true);
      }
    }
  }
  board.Skip(kHeadings + static_cast<float>(members) * kStep - 4);
}

}  // namespace hloscope
