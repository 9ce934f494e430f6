// Devices are followed in turn until nothing more is brought: what one gives may have come to it from another.
#include "core/debug/exchanged_sets.h"

#include "absl/strings/str_cat.h"
#include "core/debug/devices.h"
#include "core/debug/hand_sets.h"
#include "core/ops/exchange_def.h"

namespace hloscope {

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
  FindGivers();
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

void ExchangedSets::FindGivers() {
  std::set<std::vector<End>> seen;  // exchanges of one place of the program are many, and alike
  DevicesOf(s_).room->ForEachPast([&](const ExchangePast& past) {
    if (past.outsider) return;
    std::vector<End> ends;
    for (const ExchangePast::Member& member : past.members) ends.emplace_back(member.instruction, member.device);
    if (!seen.insert(ends).second) return;
    const auto gives = [&](size_t from, size_t to) { givers_[ends[to]].insert(ends[from]); };
    if (!past.sends.empty()) {
      for (const auto& [from, to] : past.sends) gives(static_cast<size_t>(from), static_cast<size_t>(to));
      return;
    }
    for (size_t to = 0; to < ends.size(); ++to) {
      for (size_t from = 0; from < ends.size(); ++from) gives(from, to);
    }
  });
}

SetNumbers ExchangedSets::Exchange(const Instruction& exchange, const SetNumbers& brought) {
  const End own(&exchange, device_);
  if (notes_ && !brought.empty()) {
    SetNumbers& known = brought_[own];
    const size_t before = known.size();
    known.insert(brought.begin(), brought.end());
    grown_ |= known.size() > before;
  }
  if (ExchangeOf(exchange).role == ExchangeRole::kSend) return brought;
  SetNumbers all;
  const auto givers = givers_.find(own);
  if (givers == givers_.end()) return all;
  for (const End& giver : givers->second) {
    const auto given = brought_.find(giver);
    if (giver == own) all.insert(brought.begin(), brought.end());
    else if (given != brought_.end()) all.insert(given->second.begin(), given->second.end());
  }
  return all;
}

}  // namespace hloscope
