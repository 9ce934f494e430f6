// Devices take turns: a walk over one of them offers what its exchanges give to the others, and each goes on from what it has not been
// offered before. Sets only grow, so that ends.
#include "core/debug/influence_across.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <tuple>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/devices.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/exchange_def.h"
#include "core/ops/leaf_flow.h"
#include "core/ops/transfers.h"

namespace hloscope {
namespace {

using Leaves = std::vector<ElementSet>;

class AcrossBuilder {
 public:
  AcrossBuilder(Session::State& s, DeviceReaders& readers) : readers_(readers), room_(*DevicesOf(s).room) {
    for (int d = 0; d < s.options.devices.count(); ++d) {
      walks_.push_back(std::make_unique<InfluenceWalk>(
          readers.of(d), readers.machine(d), [this, d](int frame, const Instruction& i, absl::Span<const Leaves* const> operands) {
            return Exchange(d, frame, i, operands);
          }));
    }
  }

  absl::StatusOr<std::vector<Influence>> Build(const ElementPlace& place) {
    Leaves leaves = NoInfluence(place.instruction->shape);
    leaves[place.leaf].Add(place.linear, place.linear + 1);
    if (absl::Status status = walks_[place.device]->From(place.frame, *place.instruction, std::move(leaves), /*asked=*/true); !status.ok())
      return status;
    while (!offers_.empty()) {
      const Offer offer = offers_.front();
      offers_.pop_front();
      Known& known = known_[{offer.device, offer.key}];
      if (known.walked == known.offered) continue;  // on the way from an earlier one
      known.walked = known.offered;
      const Leaves from = known.offered;
      if (absl::Status status = walks_[offer.device]->From(offer.frame, *offer.instruction, from); !status.ok()) return status;
    }
    std::vector<std::pair<Link, int>> links;
    for (const Link& link : links_) links.emplace_back(link, walks_[link.to]->NodeAt(link.path, *link.instruction, link.leaf));
    std::vector<Influence> all;
    for (const auto& walk : walks_) {
      all.push_back(walk->Take());
      all.back().place = place;
    }
    for (const auto& [link, number] : links) {
      if (number < 0) continue;  // it has not gone on yet
      InfluenceNode& node = all[link.to].nodes[number];
      if (link.from == link.to)
        node.from.push_back(link.node);
      else
        node.received.emplace_back(link.from, link.node);
    }
    return all;
  }

 private:
  struct Offer {
    int device = 0, frame = 0;
    const Instruction* instruction = nullptr;
    uint64_t key = 0;
  };
  // A node of a device leads to a leaf of what an exchange gave to a device, in frames of that path.
  struct Link {
    int from = 0, node = 0;
    int to = 0, path = 0;
    const Instruction* instruction = nullptr;
    int leaf = 0;
    auto Key() const { return std::make_tuple(from, node, to, path, instruction, leaf); }
    bool operator<(const Link& other) const { return Key() < other.Key(); }
  };
  // An operand that a device brings: where, and of which element's leaves.
  struct Brought {
    int device = 0, frame = 0;
    const Instruction& instruction;
  };
  void Join(const Brought& brought, int operand, int operand_leaf, const ExchangePast::Member& member, int leaf) {
    const std::optional<int> frame = readers_.FrameOf(member);
    InfluenceWalk &from = *walks_[brought.device], &to = *walks_[member.device];
    const int node = from.NodeAt(from.PathOf(brought.frame), *brought.instruction.operands[operand], operand_leaf);
    if (frame.has_value() && node >= 0) links_.insert({brought.device, node, member.device, to.PathOf(*frame), member.instruction, leaf});
  }

  // Of what an execution of an exchange gave to its device.
  struct Known {
    Leaves offered, walked;
  };

  Known& KnownOf(int device, uint64_t key, const Instruction& i) {
    Known& known = known_[{device, key}];
    if (known.offered.empty()) known.offered = known.walked = NoInfluence(i.shape);
    return known;
  }

  // What the device gets; the others are offered what they get.
  absl::StatusOr<Leaves> Exchange(int device, int frame, const Instruction& i, absl::Span<const Leaves* const> operands) {
    const ExchangeRole role = ExchangeOf(i).role;
    const uint64_t key = readers_.of(device).history().ExchangeKey(frame, i);
    const std::shared_ptr<const ExchangePast> past = room_.Past(device, key);
    if (role == ExchangeRole::kCollective)
      return past == nullptr ? NoInfluence(i.shape) : Collective({device, frame, i}, key, *past, operands);
    if (role == ExchangeRole::kSend && operands[0] != nullptr) {
      Leaves sent = NoInfluence(i.shape);
      UniteInfluence(*operands[0], &sent);
      if (past == nullptr) {
        walks_[device]->Say(
            absl::StrCat("what ", ShownName(i), " sends ",
                         Sends(device, i) ? "has not been received" : "goes to nobody: no pair names this device as the one that sends"));
      } else {
        Leaves arrived = NoInfluence(past->members[1].instruction->shape);
        UniteInfluence(*operands[0], &arrived);
        for (size_t l = 0; l < operands[0]->size(); ++l) {
          if (!(*operands[0])[l].empty()) Join({device, frame, i}, 0, static_cast<int>(l), past->members[1], static_cast<int>(l));
        }
        MakeOffer(past->members[1], arrived);
      }
      return sent;
    }
    return role == ExchangeRole::kReceiveDone ? KnownOf(device, key, i).offered : NoInfluence(i.shape);
  }

  static bool Sends(int device, const Instruction& send) {
    const auto pairs = TransferPairs(send);
    return !pairs.ok() || !pairs->has_value() ||
           std::any_of((*pairs)->begin(), (*pairs)->end(), [device](const auto& pair) { return pair.first == device; });
  }

  absl::StatusOr<Leaves> Collective(const Brought& brought, uint64_t key, const ExchangePast& past,
                                    absl::Span<const Leaves* const> operands) {
    for (size_t m = 0; m < past.members.size(); ++m) {
      absl::StatusOr<Leaves> gets = Gets(static_cast<int>(m), brought, past, operands);
      if (!gets.ok()) return gets;
      if (past.members[m].device != brought.device) {
        MakeOffer(past.members[m], *gets);
        continue;
      }
      Known& own = KnownOf(brought.device, key, brought.instruction);
      UniteInfluence(*gets, &own.offered);
      own.walked = own.offered;
    }
    return KnownOf(brought.device, key, brought.instruction).offered;
  }

  // Which elements of what a member gets are made from those of the operands that a device brought.
  absl::StatusOr<Leaves> Gets(int member, const Brought& brought, const ExchangePast& past, absl::Span<const Leaves* const> operands) {
    const Instruction& i = *past.members[member].instruction;
    const auto own =
        std::find_if(past.members.begin(), past.members.end(), [&](const ExchangePast::Member& m) { return m.device == brought.device; });
    const int from = static_cast<int>(own - past.members.begin());
    absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> origins = readers_.OriginsOf(past, i, member);
    if (!origins.ok()) return origins.status();
    // Offsets, sizes and roots say where elements go.
    for (int k = (*origins)->array_operands(); k < static_cast<int>(operands.size()) && !past.outsider; ++k) {
      if (operands[k] == nullptr) continue;
      Leaves all = AllInfluence(i.shape);
      for (int l = 0; l < static_cast<int>(all.size()); ++l) Join(brought, k, 0, past.members[member], l);
      return all;
    }
    Leaves gets = NoInfluence(i.shape);
    for (int l = 0; l < static_cast<int>(gets.size()); ++l) {
      const int64_t count = LeafShape(i.shape, l).IsArray() ? LeafShape(i.shape, l).ElementCount() : 0;
      std::set<int> made_from;  // operands
      for (int64_t e = 0; e < count; ++e) {
        for (const ExchangeOrigin& origin : (*origins)->At(l, e)) {
          const Leaves* set =
              origin.member == from && origin.operand < static_cast<int>(operands.size()) ? operands[origin.operand] : nullptr;
          if (set == nullptr || !(*set)[0].Contains(origin.linear)) continue;
          gets[l].Add(e, e + 1);
          gets[l].exact = gets[l].exact && (*set)[0].exact;
          made_from.insert(origin.operand);
        }
      }
      for (int operand : made_from) Join(brought, operand, 0, past.members[member], l);
    }
    return gets;
  }

  void MakeOffer(const ExchangePast::Member& member, const Leaves& gets) {
    const std::optional<int> frame = readers_.FrameOf(member);
    if (!frame.has_value()) {
      if (AnyInfluence(gets))
        walks_[member.device]->Say(
            absl::StrCat("it has gone back to before ", ShownName(*member.instruction), "; what it made of that is not told"));
      return;
    }
    const FrameHistory& history = readers_.of(member.device).history();
    if (history.place(*frame).live && history.live_position(*frame) <= member.instruction->index) return;  // it has not gone on yet
    const uint64_t key = history.ExchangeKey(*frame, *member.instruction);
    Known& known = KnownOf(member.device, key, *member.instruction);
    const Leaves before = known.offered;
    UniteInfluence(gets, &known.offered);
    if (!(known.offered == before)) offers_.push_back({member.device, *frame, member.instruction, key});
  }

  DeviceReaders& readers_;
  ExchangeRoom& room_;
  std::vector<std::unique_ptr<InfluenceWalk>> walks_;  // by device
  std::deque<Offer> offers_;
  std::map<std::pair<int, uint64_t>, Known> known_;  // by device and execution
  std::set<Link> links_;
};

}  // namespace

absl::StatusOr<std::vector<Influence>> BuildInfluenceAcross(Session::State& s, DeviceReaders& readers, const ElementPlace& place) {
  absl::StatusOr<Scalar> value = readers.of(place.device).Element(place);  // it has been executed
  if (!value.ok()) return value.status();
  return AcrossBuilder(s, readers).Build(place);
}

std::string InfluenceTextAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices, bool all) {
  const ElementPlace& place = all_devices.front().place;
  std::string text;
  std::vector<std::string> notes, reached;
  int64_t values = 0;
  int devices = 0;
  for (int d = 0; d < static_cast<int>(all_devices.size()); ++d) {
    const Influence& influence = all_devices[d];
    int64_t here = 0;
    const std::string lines = InfluenceLines(*DevicesOf(s).modules[d], readers.of(d).history(), influence, d == place.device ? 1 : 0, all, &here);
    if (here > 0) absl::StrAppend(&text, s.options.devices.Name(d), ":\n", lines);
    values += here;
    devices += here > 0;
    for (const std::string& note : influence.notes) notes.push_back(absl::StrCat("note: ", s.options.devices.Name(d), ": ", note, "\n"));
    if (influence.nodes.empty()) continue;
    if (influence.reaches_result) reached.push_back(s.options.devices.Name(d));
  }
  std::string head = absl::StrCat(PlaceText(place), " on ", s.options.devices.Name(place.device));
  if (values == 0)
    absl::StrAppend(&head, " influences nothing that was executed\n");
  else
    absl::StrAppend(&head, " influences ", Count(values, "value"), devices > 1 ? absl::StrCat(" on ", devices, " devices") : "", ":\n");
  absl::StrAppend(&head, text, absl::StrJoin(notes, ""));
  if (!reached.empty())
    absl::StrAppend(&head, "It reaches the result of ", absl::StrJoin(reached, s.options.devices.partitions > 1 ? "; " : ", "), ".\n");
  else if (notes.empty())
    absl::StrAppend(&head, "It does not reach the program's result on any device.\n");
  return head;
}

std::string InfluenceDotAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices) {
  std::string text = "digraph influence {\n  node [shape=box, fontname=\"monospace\", fontsize=10];\n";
  for (int d = 0; d < static_cast<int>(all_devices.size()); ++d) {
    if (all_devices[d].nodes.empty()) continue;
    absl::StrAppend(&text, "  subgraph cluster_", d, " {\n  label=", JsonQuoted(s.options.devices.Name(d)), ";\n",
                    InfluenceDotNodes(readers.of(d).history(), all_devices[d], absl::StrCat("d", d, "n"), d == all_devices[d].place.device),
                    "  }\n");
  }
  for (int d = 0; d < static_cast<int>(all_devices.size()); ++d) {
    for (size_t n = 0; n < all_devices[d].nodes.size(); ++n) {
      for (const auto& [device, node] : all_devices[d].nodes[n].received)
        absl::StrAppend(&text, "  d", device, "n", node, " -> d", d, "n", n, " [penwidth=2];\n");
    }
  }
  return text + "}\n";
}

void AddInfluenceParts(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices, SliceParts* parts) {
  parts->runs = true;
  std::map<std::pair<std::string, const Instruction*>, int> known;
  for (size_t k = 0; k < parts->parts.size(); ++k) known[{parts->parts[k].where, parts->parts[k].instruction}] = static_cast<int>(k);
  std::map<std::pair<int, int>, int> part_of;  // by device and node
  const int asked = all_devices.front().place.device, count = static_cast<int>(all_devices.size());
  for (int k = 0; k < count; ++k) {
    const int d = k == 0 ? asked : k <= asked ? k - 1 : k;  // the one asked about first
    const FrameHistory& history = readers.of(d).history();
    for (size_t n = 0; n < all_devices[d].nodes.size(); ++n) {
      const InfluenceNode& node = all_devices[d].nodes[n];
      const std::string inside = InfluenceWhere(history, node);
      std::string where = absl::StrCat(s.options.devices.Name(d), inside.empty() ? "" : ": ", inside);
      const auto [it, fresh] = known.try_emplace({where, node.instruction}, static_cast<int>(parts->parts.size()));
      if (fresh) {
        parts->parts.push_back({node.instruction, std::move(where), ""});
        parts->parts.back().calls = CallsTo(history, node.frame);
      }
      SlicePart& part = parts->parts[it->second];
      const std::string leaf = LeafPathText(node.instruction->shape, node.leaf);
      const std::string elements = absl::StrCat(leaf, leaf.empty() ? "" : ": ", Describe(node.set, LeafShape(node.instruction->shape, node.leaf)));
      if (part.value.find(elements) == std::string::npos) absl::StrAppend(&part.value, part.value.empty() ? "" : "; ", elements);
      part.asked = part.asked || (d == asked && n == 0);
      part_of[{d, static_cast<int>(n)}] = it->second;
    }
  }
  std::set<std::pair<int, int>> steps;
  for (const SliceStep& step : parts->steps) steps.insert({step.from, step.to});
  const auto step = [&](int from, int to) {
    if (from != to && steps.insert({from, to}).second) parts->steps.push_back({from, to, ""});
  };
  for (int d = 0; d < count; ++d) {
    for (size_t n = 0; n < all_devices[d].nodes.size(); ++n) {
      const InfluenceNode& node = all_devices[d].nodes[n];
      const int to = part_of[{d, static_cast<int>(n)}];
      for (int from : node.from) step(part_of[{d, from}], to);
      for (const auto& [device, from] : node.received) step(part_of[{device, from}], to);
    }
  }
}

std::string InfluenceJsonAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices) {
  std::vector<std::string> devices;
  for (int d = 0; d < static_cast<int>(all_devices.size()); ++d) {
    const Device device{d / s.options.devices.partitions, d % s.options.devices.partitions};
    devices.push_back(absl::StrCat("{\"replica\": ", device.replica, ", \"partition\": ", device.partition,
                                   ", \"influence\": ", InfluenceJson(*DevicesOf(s).modules[d], readers.of(d).history(), all_devices[d]), "}"));
  }
  return absl::StrCat("{\"asked\": ", all_devices.front().place.device, ", \"devices\": [\n", absl::StrJoin(devices, ",\n"), "]}\n");
}

}  // namespace hloscope
