// Devices are followed in turn until nothing more is brought: what one gives may have come to it from another.
#include "core/debug/exchanged_sets.h"

#include <algorithm>

#include "absl/strings/str_cat.h"
#include "core/debug/devices.h"
#include "core/debug/hand_sets.h"
#include "core/ops/exchange_def.h"

namespace hloscope {
namespace {

// True where that is news: `number` was not in it, or since later.
bool Note(int number, const Since& since, SetNumbers* numbers) {
  const auto [known, fresh] = numbers->try_emplace(number, since);
  if (fresh || !(since < known->second)) return fresh;
  known->second = since;
  return true;
}

}  // namespace

bool AnySets(Session::State& s) {
  bool any = false;
  if (!Several(s)) return !AllSets(s).empty();
  ForEachRun(s, [&](int) { any = any || (s.machine != nullptr && !AllSets(s).empty()); });
  return any;
}

ExchangedSets::ExchangedSets(Session::State& s) : s_(s) {
  if (!Several(s)) return;
  const int selected = DevicesOf(s).selected;
  first_ = static_cast<int>(AllSets(s).size());
  std::map<int, std::vector<SetFlow::Numbered>> sets;
  ForEachRun(s, [&](int device) {
    if (s.machine == nullptr) return;
    const Mark now = s.machine->Where();
    int own = 0;
    for (HandSet& set : AllSets(s)) {
      int number = own++;
      if (now < set.mark) continue;
      if (device != selected) {
        names_.push_back(absl::StrCat(SetText(*s.module, set), " on ", s.options.devices.Name(device)));
        number = first_ + static_cast<int>(names_.size()) - 1;
      }
      sets[device].emplace_back(std::move(set), number);
    }
  });
  FindMade();
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

void ExchangedSets::FindMade() {
  std::map<std::vector<End>, size_t> known;
  DevicesOf(s_).room->ForEachPast([&](const ExchangePast& past) {
    if (past.outsider) return;
    std::vector<End> ends;
    for (const ExchangePast::Member& member : past.members) ends.emplace_back(member.instruction, member.device);
    const auto [found, fresh] = known.try_emplace(ends, made_.size());
    if (fresh) {
      Made& made = made_.emplace_back();
      made.ends = ends;
      made.gives = past.sends;
      const int count = static_cast<int>(ends.size());
      for (int to = 0; to < count && past.sends.empty(); ++to) {
        for (int from = 0; from < count; ++from) made.gives.emplace_back(from, to);
      }
      for (const auto& pair : made.gives) given_to_[ends[static_cast<size_t>(pair.second)]].emplace_back(found->second, pair);
    }
    std::vector<Since>& when = made_[found->second].when.emplace_back();
    for (const ExchangePast::Member& member : past.members) when.push_back(SinceOf(member.mark, member.mark.levels.size()));
  });
  for (Made& made : made_) {
    std::sort(made.when.begin(), made.when.end());
    for (size_t k = 1; k < made.when.size(); ++k) {
      for (size_t end = 0; end < made.ends.size(); ++end) made.ordered &= !(made.when[k][end] < made.when[k - 1][end]);
    }
  }
}

std::optional<Since> ExchangedSets::Given(const Made& made, size_t from, size_t to, const Since& since) {
  const auto before = [&](const std::vector<Since>& when) { return when[from] < since; };
  const auto first = made.ordered ? std::partition_point(made.when.begin(), made.when.end(), before) : made.when.begin();
  std::optional<Since> earliest;
  for (auto when = first; when != made.when.end() && !(made.ordered && earliest.has_value()); ++when) {
    if (!before(*when) && (!earliest.has_value() || (*when)[to] < *earliest)) earliest = (*when)[to];
  }
  return earliest;
}

SetNumbers ExchangedSets::Exchange(const Instruction& exchange, const SetNumbers& brought) {
  const End own(&exchange, device_);
  if (notes_ && !brought.empty()) {
    SetNumbers& known = brought_[own];
    for (const auto& [number, since] : brought) grown_ |= Note(number, since, &known);
  }
  if (ExchangeOf(exchange).role == ExchangeRole::kSend) return brought;
  SetNumbers all;
  const auto given_to = given_to_.find(own);
  if (given_to == given_to_.end()) return all;
  for (const auto& [k, pair] : given_to->second) {
    const size_t from = static_cast<size_t>(pair.first), to = static_cast<size_t>(pair.second);
    const auto give = [&](const SetNumbers& given) {
      for (const auto& [number, since] : given) {
        if (const std::optional<Since> then = Given(made_[k], from, to, since); then.has_value()) Note(number, *then, &all);
      }
    };
    // Also what came to it over what is around the frame that is followed, as what goes round a loop.
    if (const auto known = brought_.find(made_[k].ends[from]); known != brought_.end()) give(known->second);
    if (made_[k].ends[from] == own) give(brought);
  }
  return all;
}

}  // namespace hloscope
