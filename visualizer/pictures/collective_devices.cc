#include "visualizer/pictures/collective_devices.h"

#include <algorithm>
#include <cmath>
#include <functional>
#include <numeric>

#include "absl/strings/str_cat.h"
#include "visualizer/pictures/collective_values.h"
#include "visualizer/pictures/window_story.h"

namespace hloscope {
namespace {

constexpr float kLeft = 14;
constexpr int64_t kMostBoxes = 1024;

const PictureData::OfDevice* OfDeviceIn(const PictureData& data, const Device& d) {
  const int64_t place = d.replica * data.partitions + d.partition;
  return place >= 0 && place < static_cast<int64_t>(data.devices.size()) ? &data.devices[static_cast<size_t>(place)] : nullptr;
}

// "replica 0, replica 1 and 3 more"; with what is known of each, "replica 0 (waits at %ar)".
std::string SomeNames(const Captions& tr, const DeviceGroups& g, absl::Span<const Device> devices, const std::function<std::string(const Device&)>& more = nullptr) {
  std::vector<std::string> names;
  for (const Device& d : devices) {
    if (names.size() == 6) break;
    const std::string known = more != nullptr ? more(d) : "";
    names.push_back(absl::StrCat(hloscope::NameOf(tr, g, d), known.empty() ? "" : absl::StrCat(" (", known, ")")));
  }
  if (devices.size() > names.size()) names.push_back(tr("$0 more", devices.size() - names.size()));
  return tr.And(names);
}

}  // namespace

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
  static constexpr const char* kModes[] = {HLO_CAPTION("numbers are replicas; each partition exchanges for itself."),
                                           HLO_CAPTION("numbers are partitions; each replica exchanges for itself."),
                                           HLO_CAPTION("numbers are replicas, and all of their partitions exchange together: partition 0 of each, then partition 1."),
                                           HLO_CAPTION("a number is replica * partitions + partition.")};
  const Captions& tr = board.captions();
  const char* mode = kModes[static_cast<int>(g.mode)];
  const int64_t channel = i.Int(AttrId::kChannelId);
  const std::string why =
      channel > 0 ? absl::StrCat("channel_id=", channel, i.Bool(AttrId::kUseGlobalDeviceIds) ? ", use_global_device_ids=true" : "")
                  : tr("no channel_id");
  board.Explain(why, Ink::kViolet, tr(mode));
  if (i.Has(AttrId::kSourceTargetPairs)) {
    // As many as are written: where each partition or replica exchanges for itself, each has these.
    const auto* written = PairsOf(i);
    board.Explain("source_target_pairs", Ink::kViolet,
                  g.pairs.empty() ? tr("no pair: nobody sends.")
                                  : tr.Counted(static_cast<int64_t>(written != nullptr ? written->size() : g.pairs.size()),
                                               "$0 pair: the first sends, the second gets; who is no target gets zeros.",
                                               "$0 pairs: the first sends, the second gets; who is no target gets zeros."));
  } else if (!g.readable) {
    board.Explain("replica_groups", Ink::kPink, tr("cannot be read: $0", i.Text(AttrId::kReplicaGroups)));
  } else {
    std::string text(i.Text(AttrId::kReplicaGroups));
    if (text.size() > 60) text = absl::StrCat(absl::string_view(text).substr(0, 57), "...");
    const int64_t n = static_cast<int64_t>(g.groups.size());
    board.Explain(
        text.empty() ? tr("no replica_groups") : absl::StrCat("replica_groups=", text), Ink::kViolet,
        g.all ? tr.Counted(static_cast<int64_t>(g.groups.empty() ? 0 : g.groups[0].size()), "one group of all, $0 device.",
                           "one group of all, $0 devices.")
              : absl::StrCat(tr.Counted(n, "$0 group; the order inside a group counts.",
                                        "$0 groups, each for itself; the order inside a group counts."),
                             text[0] == '[' ? " " : "",
                             text[0] == '[' ? tr("Written as an iota: 0, 1, 2, .. as an array, transposed and cut into groups.") : ""));
  }
  if (!g.counts_known)
    board.Say(g.replicas * g.partitions == 1
                  ? tr("The module does not say how many replicas run (replica_count, num_partitions): one is drawn.")
                  : tr("The module does not say how many replicas run (replica_count, num_partitions): as many as are named are drawn."),
              Ink::kDim);
  const auto list = [&tr](const std::vector<int64_t>& numbers) {
    std::vector<std::string> words;
    for (int64_t n : numbers) {
      if (words.size() < 8) words.push_back(absl::StrCat(n));
    }
    if (numbers.size() > words.size()) words.push_back(tr("others"));
    return tr.And(words);
  };
  if (!g.twice.empty())
    board.Explain(tr("twice"), Ink::kPink,
                  g.twice.size() == 1 ? tr("$0 is named more than once: a device can be in one group only.", list(g.twice))
                                      : tr("$0 are named more than once: a device can be in one group only.", list(g.twice)));
  if (!g.beyond.empty()) board.Explain(tr("beyond"), Ink::kPink, tr("there is no device $0.", list(g.beyond)));
  if (!g.missing.empty()) {
    const std::string names = SomeNames(tr, g, g.missing);
    if (OutsidersGetZeros(i))
      board.Explain(tr("in no group"), Ink::kViolet,
                    g.missing.size() == 1 ? tr("$0: it gets zeros.", names) : tr("$0: they get zeros.", names));
    else
      board.Explain(tr("in no group"), Ink::kPink,
                    g.missing.size() == 1 ? tr("$0: what it gets is not defined.", names)
                                          : tr("$0: what they get is not defined.", names));
  }
}

namespace {

// Of "replica 3", before a row; arrows of pairs may bend out past it.
float RowLabelWidth(const Captions& tr, const DeviceGroups& g) {
  const float bend = g.pairs.empty() ? 0.0f : 18.0f;
  return std::max(60.0f, TextWidth(tr("replica $0", g.replicas - 1), Face::kUi, 10) + 12 + bend);
}

}  // namespace

void SayFaults(Board& board) {
  for (const std::string& fault : board.scene().data().faults) board.Explain(board.captions()("error"), Ink::kPink, fault);
}

void SayWhoHasCome(Board& board, const DeviceGroups& g, absl::Span<const Device> members) {
  const Captions& tr = board.captions();
  std::vector<Device> here, missing;
  const auto look = [&](const Device& d) {
    const PictureData::OfDevice* of = OfDeviceIn(board.scene().data(), d);
    if (of != nullptr && of->come) (*of->come ? here : missing).push_back(d);
  };
  for (const Device& d : members) look(d);
  for (int64_t n = 0; n < g.replicas * g.partitions && g.pairwise; ++n) look({n / g.partitions, n % g.partitions});
  if (missing.empty()) return;
  // Where they stand, while that is not too much to read.
  const auto stands = [&](const Device& d) { return missing.size() <= 3 ? OfDeviceIn(board.scene().data(), d)->stands : ""; };
  board.Explain(tr("missing"), Ink::kPink, tr("$0 of $1 have come: $2. Those wait for $3.", here.size(), here.size() + missing.size(), SomeNames(tr, g, here), SomeNames(tr, g, missing, stands)));
}

DeviceInks InksOfFew(const DeviceGroups& g) {
  const int64_t count = g.replicas * g.partitions;
  DeviceInks inks(static_cast<size_t>(count), -1);
  if (count <= kGroupInks) std::iota(inks.begin(), inks.end(), 0);
  return inks;
}

DeviceBoxes::DeviceBoxes(Board& board, const DeviceGroups& g, float width, const DeviceInks& inks, bool outsiders_get_zeros,
                         bool numbers_of_replicas, bool numbers) {
  const Captions& tr = board.captions();
  Drawing& drawing = board.drawing();
  const int64_t total = g.replicas * g.partitions;
  const bool line = g.partitions == 1 || g.replicas == 1;
  // Replicas down and partitions across; where there is one of either, as many as fit side by side.
  size_ = total <= 32 ? 64 : total <= 128 ? 44 : 24;
  const float gap = gap_ = total > 128 ? 3 : g.pairwise && total <= 64 ? 30 : 8, label = line ? 0 : RowLabelWidth(tr, g);
  const int64_t fit = std::max<int64_t>(1, static_cast<int64_t>((width - label) / (size_ + gap)));
  columns_ = line ? std::min(total, fit) : std::min(g.partitions, fit);
  // Arrows of pairs go over the boxes, under what stands over the columns.
  const float high = total <= 128 ? 34 : 20, head = line ? 4 : g.pairs.empty() ? 18 : 48, y0 = board.y() + head;
  int64_t rows = 0;
  if (!line) {
    for (int64_t p = 0; p < columns_; ++p)
      drawing.AddText({kLeft + label + (static_cast<float>(p) + 0.5f) * (size_ + gap) - gap / 2, board.y() + 10},
                      size_ > 40 ? tr("partition $0", p) : absl::StrCat(p), {9, Face::kUi, Ink::kDim, Align::kCenter});
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
    const auto number = static_cast<size_t>(d.replica * g.partitions + d.partition);
    const CellMark mark = board.MarkOf({kDevices, {d.replica, d.partition}});
    const PictureData::OfDevice* of = numbers ? nullptr : OfDeviceIn(board.scene().data(), d);
    const std::optional<bool> come = of != nullptr ? of->come : std::nullopt;
    if (!line && column == 0) drawing.AddText({kLeft, box.middle().y + 4}, tr("replica $0", d.replica), {10, Face::kUi, Ink::kDim});
    if (missing) {
      drawing.AddHatchedBox(box, Paint(Ink::kSunken), outsiders_get_zeros ? Paint(Ink::kDim, 0.5f) : Paint(Ink::kPink, 0.7f), 4);
    } else if (number < inks.size() && inks[number] >= 0) {
      const Ink ink = GroupInk(inks[number]);
      drawing.AddBox(box, Paint(ink, 0.35f), ink, 4, 1.5f);
    } else {
      drawing.AddBox(box, Ink::kRaised, Ink::kDim, 4);
    }
    if (mark == CellMark::kSelected || mark == CellMark::kRelated || mark == CellMark::kNow) {
      drawing.AddBox({box.x - 2, box.y - 2, box.width + 4, box.height + 4}, Paint(),
                     mark == CellMark::kRelated ? Paint(Ink::kBlue) : Paint(Ink::kAmber), 5, 2);
    }
    if (total <= 128) {
      const std::string name = numbers && total == 1 ? (numbers_of_replicas ? "r0" : "p0") : ShortNameOf(g, d);
      const std::string below = numbers      ? absl::StrCat(numbers_of_replicas ? d.replica : d.partition)
                                : come       ? (*come ? tr("has come") : tr("missing"))
                                : g.pairwise ? ""
                                : missing    ? tr("no group")
                                             : tr("group $0", group);
      drawing.AddTextIn(below.empty() ? box : Box{box.x, box.y + 2, box.width, 15}, name, {11, Face::kStrong, Ink::kText, Align::kCenter});
      drawing.AddTextIn({box.x, box.y + 16, box.width, 14}, below,
                        {10, Face::kUi, (missing && !outsiders_get_zeros) || come == false ? Ink::kPink : Ink::kDim, Align::kCenter});
    }
    Spot spot;
    spot.box = box;
    spot.is_cell = true;
    spot.cell = {kDevices, {d.replica, d.partition}};
    spot.hint = NameOf(tr, g, d);
    if (!g.pairwise && !numbers) {
      absl::StrAppend(&spot.hint, "\n",
                      missing ? tr("in no group")
                              : tr("group $0, member $1", group,
                                   std::find(g.groups[group].begin(), g.groups[group].end(), d) - g.groups[group].begin()));
    }
    if (come) absl::StrAppend(&spot.hint, "\n", *come ? tr("has come") : absl::StrCat(tr("missing"), ": ", of->stands));
    for (const auto& [from, to] : g.pairs) {
      if (from == d) absl::StrAppend(&spot.hint, "\n", tr("sends to $0", NameOf(tr, g, to)));
      if (to == d) absl::StrAppend(&spot.hint, "\n", tr("gets from $0", NameOf(tr, g, from)));
    }
    drawing.AddSpot(std::move(spot));
  }
  board.Skip(static_cast<float>(rows) * (high + gap) + head + 6);
  if (total > kMostBoxes) board.Say(tr("$0 more devices are not drawn.", total - kMostBoxes));
}

namespace {

// Past the boxes between the two: from the row's edge into the lane beside the first, along that, and across before the second.
std::vector<Place> LaneRoute(const Box& a, const Box& b, float gap, float aside) {
  const bool down = b.y > a.y, room_left = a.x > kLeft + gap, right = std::abs(a.x - b.x) < 2 ? down || !room_left : b.x > a.x;
  const float way = down ? 1.0f : -1.0f, lane = (right ? a.right() + gap / 2 : a.x - gap / 2) + aside * gap / 6;
  const Place from{a.middle().x + 8 * way, down ? a.bottom() : a.y}, to{b.middle().x + 8 * way, down ? b.y : b.bottom()};
  const Place in{lane, from.y + gap * way}, out{lane, to.y - gap * way};
  const float bend = gap * 0.6f * way, third = (out.y - in.y) / 3;
  return {from, {from.x, from.y + bend}, {lane, in.y - bend}, in, {lane, in.y + third}, {lane, out.y - third}, out, {lane, out.y + bend}, {to.x, to.y - bend}, to};
}

void PairArrows(Board& board, const DeviceGroups& g, const DeviceBoxes& boxes) {
  int lanes = 0;
  for (const auto& [from, to] : g.pairs) {
    const Box *a = boxes.Of(from), *b = boxes.Of(to);
    if (a == nullptr || b == nullptr) continue;
    const bool lit = board.MarkOf({kDevices, {from.replica, from.partition}}) == CellMark::kSelected ||
                     board.MarkOf({kDevices, {to.replica, to.partition}}) == CellMark::kSelected;
    const LineStyle style{lit ? Paint(Ink::kBlue) : Paint(Ink::kText, 0.7f), lit ? 2.2f : 1.4f, LineKind::kSolid, true};
    const Place s = a->middle(), e = b->middle();
    if (from == to) {
      board.drawing().AddPath({{s.x - 12, a->y}, {s.x - 12, a->y - 16}, {s.x + 12, a->y - 16}, {s.x + 12, a->y}}, style, true);
    } else if (std::abs(s.y - e.y) < 2) {
      const bool right = e.x > s.x;
      const float lift = std::min(18.0f, 8 + std::abs(e.x - s.x) * 0.06f), edge = right ? a->y : a->bottom(), by = right ? -lift : lift;
      const float begin = s.x + (right ? 6 : -6), end = e.x + (right ? -6 : 6);
      board.drawing().AddPath(
          {{begin, edge}, {begin + (end - begin) * 0.25f, edge + by}, {end - (end - begin) * 0.25f, edge + by}, {end, edge}}, style, true);
    } else {
      const bool down = e.y > s.y;
      if (std::abs(s.y - e.y) > 1.5f * (a->height + boxes.gap())) {
        board.drawing().AddPath(LaneRoute(*a, *b, boxes.gap(), static_cast<float>(lanes++ % 3 - 1)), style, true);
        continue;
      }
      const float aside = down ? 8.0f : -8.0f;
      const Place p{s.x + aside, down ? a->bottom() : a->y}, q{e.x + aside, down ? b->y : b->bottom()};
      const float bend = (q.y - p.y) * 0.4f;
      board.drawing().AddPath({p, {p.x, p.y + bend}, {q.x, q.y - bend}, q}, style, true);
    }
  }
}

}  // namespace

void DrawPairs(Board& board, const DeviceGroups& g, float width, const DeviceInks& inks) {
  const DeviceBoxes boxes(board, g, width, inks, false, false, false);
  PairArrows(board, g, boxes);
  board.Skip(boxes.gap() < 20 ? 14 : 0);  // arrows to the left
}

bool InPair(const DeviceGroups& g, int step, const Cell& cell) {
  if (cell.array != kDevices || step < 0 || step >= static_cast<int>(g.pairs.size())) return false;
  const auto& [from, to] = g.pairs[step];
  return cell.index == std::vector<int64_t>{from.replica, from.partition} || cell.index == std::vector<int64_t>{to.replica, to.partition};
}

bool RelateDevices(Board& board, const DeviceGroups& g, const std::vector<Device>& members) {
  const Cell* cell = board.cell();
  if (cell == nullptr || cell->array != kDevices || cell->index.size() != 2) return false;
  Related related;
  const auto add = [&related](const Device& d) {
    related.AddBox({kDevices, {d.replica, d.partition}, {d.replica, d.partition}, LoadRole::kValue});
  };
  const Device clicked{cell->index[0], cell->index[1]};
  for (const Device& other : g.pairs.empty() ? members : std::vector<Device>()) {
    if (!(other == clicked)) add(other);
  }
  for (const auto& [from, to] : g.pairs) {
    if (from == clicked || to == clicked) add(from == clicked ? to : from);
  }
  board.set_related(std::move(related));
  return true;
}

}  // namespace hloscope
