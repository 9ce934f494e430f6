// Devices take turns: a walk over one of them offers what its exchanges give to the others, and each goes on from what it has not been
// offered before. Sets only grow, so that ends.
#include "core/debug/influence_across.h"

#include <algorithm>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/debug/devices.h"
#include "core/debug/slice_text.h"
#include "core/debug/text_util.h"
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
    std::vector<Influence> all;
    for (const auto& walk : walks_) {
      all.push_back(walk->Take());
      all.back().place = place;
    }
    return all;
  }

 private:
  struct Offer {
    int device = 0, frame = 0;
    const Instruction* instruction = nullptr;
    uint64_t key = 0;
  };
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
    if (role == ExchangeRole::kCollective) return past == nullptr ? NoInfluence(i.shape) : Collective(device, key, i, *past, operands);
    if (role == ExchangeRole::kSend && operands[0] != nullptr) {
      Leaves sent = NoInfluence(i.shape);
      UniteInfluence(*operands[0], &sent);
      if (past == nullptr) {
        walks_[device]->Say(
            absl::StrCat("what %", i.name, " sends ",
                         Sends(device, i) ? "has not been received" : "goes to nobody: no pair names this device as the one that sends"));
      } else {
        Leaves arrived = NoInfluence(past->members[1].instruction->shape);
        UniteInfluence(*operands[0], &arrived);
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

  absl::StatusOr<Leaves> Collective(int device, uint64_t key, const Instruction& i, const ExchangePast& past,
                                    absl::Span<const Leaves* const> operands) {
    for (size_t m = 0; m < past.members.size(); ++m) {
      absl::StatusOr<Leaves> gets = Gets(static_cast<int>(m), device, past, operands);
      if (!gets.ok()) return gets;
      if (past.members[m].device != device) {
        MakeOffer(past.members[m], *gets);
        continue;
      }
      Known& own = KnownOf(device, key, i);
      UniteInfluence(*gets, &own.offered);
      own.walked = own.offered;
    }
    return KnownOf(device, key, i).offered;
  }

  // Which elements of what a member gets are made from those of the operands that `device` brought.
  absl::StatusOr<Leaves> Gets(int member, int device, const ExchangePast& past, absl::Span<const Leaves* const> operands) {
    const Instruction& i = *past.members[member].instruction;
    const auto own =
        std::find_if(past.members.begin(), past.members.end(), [device](const ExchangePast::Member& m) { return m.device == device; });
    const int from = static_cast<int>(own - past.members.begin());
    absl::StatusOr<std::shared_ptr<const ExchangeOrigins>> origins = readers_.OriginsOf(past, i, member);
    if (!origins.ok()) return origins.status();
    // Offsets, sizes and roots say where elements go.
    for (int k = (*origins)->array_operands(); k < static_cast<int>(operands.size()) && !past.outsider; ++k) {
      if (operands[k] != nullptr) return AllInfluence(i.shape);
    }
    Leaves gets = NoInfluence(i.shape);
    for (int l = 0; l < static_cast<int>(gets.size()); ++l) {
      const int64_t count = LeafShape(i.shape, l).IsArray() ? LeafShape(i.shape, l).ElementCount() : 0;
      for (int64_t e = 0; e < count; ++e) {
        for (const ExchangeOrigin& origin : (*origins)->At(l, e)) {
          const Leaves* set =
              origin.member == from && origin.operand < static_cast<int>(operands.size()) ? operands[origin.operand] : nullptr;
          if (set == nullptr || !(*set)[0].Contains(origin.linear)) continue;
          gets[l].Add(e, e + 1);
          gets[l].exact = gets[l].exact && (*set)[0].exact;
        }
      }
    }
    return gets;
  }

  void MakeOffer(const ExchangePast::Member& member, const Leaves& gets) {
    const std::optional<int> frame = readers_.FrameOf(member);
    if (!frame.has_value()) {
      if (AnyInfluence(gets))
        walks_[member.device]->Say(
            absl::StrCat("it has gone back to before %", member.instruction->name, "; what it made of that is not told"));
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
    const std::string lines = InfluenceLines(*s.module, readers.of(d).history(), influence, d == place.device ? 1 : 0, all, &here);
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

std::string InfluenceJsonAcross(Session::State& s, DeviceReaders& readers, const std::vector<Influence>& all_devices) {
  std::vector<std::string> devices;
  for (int d = 0; d < static_cast<int>(all_devices.size()); ++d) {
    const Device device{d / s.options.devices.partitions, d % s.options.devices.partitions};
    devices.push_back(absl::StrCat("{\"replica\": ", device.replica, ", \"partition\": ", device.partition,
                                   ", \"influence\": ", InfluenceJson(*s.module, readers.of(d).history(), all_devices[d]), "}"));
  }
  return absl::StrCat("{\"asked\": ", all_devices.front().place.device, ", \"devices\": [\n", absl::StrJoin(devices, ",\n"), "]}\n");
}

}  // namespace hloscope
