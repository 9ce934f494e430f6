// Devices are followed in turn until nothing more is brought: what one gives may have come to it from another.
#include "core/debug/exchanged_sets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/debug/devices.h"
#include "core/debug/hand_sets.h"
#include "core/ops/exchange_def.h"

namespace hloscope {
namespace {

// By what the ends of an exchange find each other.
std::string KeyOf(const Instruction& exchange) {
  const int64_t channel = exchange.Int(AttrId::kChannelId);
  const ExchangeRole role = ExchangeOf(exchange).role;
  const bool transfer = role == ExchangeRole::kSend || role == ExchangeRole::kReceive;
  if (channel > 0) return absl::StrCat(transfer ? "transfer " : "collective ", channel);
  return absl::StrCat(exchange.parent->name, ":", exchange.name);
}

}  // namespace

bool AnySets(Session::State& s) {
  bool any = false;
  if (!Several(s)) return !AllSets(s).empty();
  ForEachRun(s, [&](int) { any = any || (s.machine != nullptr && !AllSets(s).empty()); });
  return any;
}

ExchangedSets::ExchangedSets(Session::State& s, int first) : s_(s), first_(first) {
  if (!Several(s)) return;
  const int selected = DevicesOf(s).selected;
  std::map<int, std::vector<SetFlow::Numbered>> sets;
  ForEachRun(s, [&](int device) {
    if (s.machine == nullptr) return;
    const Mark now = s.machine->Where();
    for (HandSet& set : AllSets(s)) {
      if (now < set.mark) continue;
      const std::string text = set.depth == 0 ? set.name : SetText(*s.module, set);
      names_.push_back(device == selected ? text : absl::StrCat(text, " on ", s.options.devices.Name(device)));
      sets[device].emplace_back(std::move(set), first_ + static_cast<int>(names_.size()) - 1);
    }
  });
  const auto follow = [&](int device) {
    if (s.machine == nullptr) return;
    device_ = device;
    SetFlow flow(*s.module->entry, 0, sets[device], this);
    flow.Follow();
  };
  do {
    grown_ = false;
    ForEachRun(s, follow);
  } while (grown_);
  device_ = selected;
  notes_ = false;
}

const std::optional<std::vector<int>>& ExchangedSets::GiversOf(const Instruction& exchange) {
  const auto [entry, fresh] = givers_.try_emplace({&exchange, device_});
  if (!fresh) return entry->second;
  const absl::StatusOr<std::vector<ExchangeMeeting>> meetings = DevicesOf(s_).room->Meetings(exchange, device_, {});
  if (!meetings.ok()) return entry->second;
  std::vector<int> givers;
  for (const ExchangeMeeting& meeting : *meetings) {
    if (meeting.transfer && meeting.members.size() == 2) {
      if (meeting.members[0].device < 0) return entry->second;
      if (meeting.members[1].device == device_) givers.push_back(meeting.members[0].device);
      continue;
    }
    const auto own = std::find_if(meeting.members.begin(), meeting.members.end(), [&](const ExchangeMeeting::Member& m) { return m.device == device_; });
    if (own == meeting.members.end()) continue;
    for (int m = 0; m < static_cast<int>(meeting.members.size()); ++m) {
      const auto gives = std::make_pair(m, static_cast<int>(own - meeting.members.begin()));
      const bool sends = meeting.sends.empty() || std::find(meeting.sends.begin(), meeting.sends.end(), gives) != meeting.sends.end();
      if (sends) givers.push_back(meeting.members[static_cast<size_t>(m)].device);
    }
  }
  entry->second = std::move(givers);
  return entry->second;
}

SetNumbers ExchangedSets::Exchange(const Instruction& exchange, const SetNumbers& brought) {
  const std::string key = KeyOf(exchange);
  if (notes_ && !brought.empty()) {
    SetNumbers& known = brought_[{key, device_}];
    const size_t before = known.size();
    known.insert(brought.begin(), brought.end());
    grown_ |= known.size() > before;
  }
  if (ExchangeOf(exchange).role == ExchangeRole::kSend) return brought;
  const auto gets_from = [&](int device) {
    const std::optional<std::vector<int>>& givers = GiversOf(exchange);
    return !givers.has_value() || std::find(givers->begin(), givers->end(), device) != givers->end();
  };
  SetNumbers all;
  if (!brought.empty() && gets_from(device_)) all = brought;
  for (const auto& [from, numbers] : brought_) {
    if (from.first == key && from.second != device_ && gets_from(from.second)) all.insert(numbers.begin(), numbers.end());
  }
  return all;
}

}  // namespace hloscope
