// What debuggers ask of the exchange: who has come to which meeting with what. Not for exchanging, nor for
// changing what was exchanged (in_process_ways.cc).
#include <algorithm>

#include "backends/exchange/in_process.h"
#include "core/ops/exchange_def.h"
#include "core/ops/transfers.h"

namespace hloscope {

std::vector<int> InProcessExchange::WaitsFor(int device) const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<int> all;
  if (!Waits(device)) return all;
  const Waiting& waiting = waiting_[device];
  if (waiting.route != nullptr) {
    const int other = ExchangeOf(*waiting.instruction).role == ExchangeRole::kSendDone ? waiting.route->receiver : waiting.route->sender;
    if (other >= 0) all.push_back(other);
  } else {
    for (size_t k = 0; k < waiting.meeting->arrivals.size(); ++k) {
      if (waiting.meeting->arrivals[k].instruction == nullptr) all.push_back(waiting.line->devices[k]);
    }
  }
  return all;
}

void InProcessExchange::Keep(const Line& line, const ExchangeGroup& group, Meeting& meeting) {
  ExchangePast past;
  past.sends = group.sends;
  std::vector<uint64_t> keys;
  for (const Device& member : group.members) {
    const int device = IndexOf(member);
    const Arrival& arrival = meeting.arrivals[std::lower_bound(line.devices.begin(), line.devices.end(), device) - line.devices.begin()];
    past.members.push_back({device, arrival.instruction, arrival.mark});
    keys.push_back(arrival.key);
  }
  const auto shared = std::make_shared<const ExchangePast>(std::move(past));
  meeting.past = shared;
  for (size_t m = 0; m < keys.size(); ++m) past_[shared->members[m].device][keys[m]] = shared;
}

std::shared_ptr<const ExchangePast> InProcessExchange::Past(int device, uint64_t key) const {
  if (device < 0 || device >= static_cast<int>(past_.size())) return nullptr;  // pairs may name devices that there are not
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = past_[device].find(key);
  return found == past_[device].end() ? nullptr : found->second;
}

std::shared_ptr<const ExchangePast> InProcessExchange::PastOfSendDone(int device, uint64_t key) const {
  if (device < 0 || device >= static_cast<int>(past_.size())) return nullptr;
  std::lock_guard<std::mutex> lock(mutex_);
  const std::vector<Event>& events = events_[device];
  const auto done = std::find_if(events.rbegin(), events.rend(), [&](const Event& e) { return e.role == ExchangeRole::kSendDone && e.key == key; });
  if (done == events.rend()) return nullptr;
  const auto send = std::find_if(done, events.rend(), [&](const Event& e) { return e.role == ExchangeRole::kSend && e.route == done->route && e.number == done->number; });
  const auto found = send == events.rend() ? past_[device].end() : past_[device].find(send->key);
  return found == past_[device].end() ? nullptr : found->second;
}

std::optional<Value> InProcessExchange::OnItsWay(int device, uint64_t key) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [ends, route] : routes_) {
    for (const auto& [number, sent] : route->on_its_way) {
      if (sent.member.device == device && sent.key == key) return sent.message;
    }
  }
  return std::nullopt;
}

std::shared_ptr<const ExchangePast> InProcessExchange::PastAt(int device, const Mark& mark) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (const auto& [key, past] : past_[device]) {
    for (const ExchangePast::Member& member : past->members) {
      if (member.device == device && member.mark == mark) return past;
    }
  }
  return nullptr;
}

void InProcessExchange::ForEachPast(absl::FunctionRef<void(const ExchangePast&)> tell) const {
  std::lock_guard<std::mutex> lock(mutex_);
  for (size_t device = 0; device < past_.size(); ++device) {
    for (const auto& [key, past] : past_[device]) {
      if (past->members[0].device == static_cast<int>(device)) tell(*past);
    }
  }
}

std::optional<Value> InProcessExchange::Look(int device, uint64_t key) const {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto found = begun_[device].find(key);
  if (found == begun_[device].end()) return std::nullopt;
  const Line& line = *found->second.line;
  const Meeting& meeting = *found->second.meeting;
  if (!meeting.done || !meeting.status.ok()) return std::nullopt;
  return meeting.results[std::lower_bound(line.devices.begin(), line.devices.end(), device) - line.devices.begin()];
}

bool InProcessExchange::MayMeet(const Line& line, const Instruction& instruction, int device, const Instruction& others, int other) const {
  return &instruction == &others || (instruction.opcode == others.opcode && (line.channel != 0 || programs_[device] != programs_[other]));
}

// The number of the meeting that is asked for.
void InProcessExchange::FindMeeting(const Line& line, const Instruction& instruction, int device, const Asked& asked,
                                    ExchangeMeeting& seen) {
  const auto own = std::lower_bound(line.devices.begin(), line.devices.end(), device);
  const bool takes_part = own != line.devices.end() && *own == device;
  bool anybody = false;
  std::optional<int64_t> meant, first;
  for (size_t k = 0; k < line.meetings.size(); ++k) {
    const std::vector<Arrival>& arrivals = line.meetings[k]->arrivals;
    for (size_t place = 0; place < arrivals.size(); ++place) {
      const Instruction* there = arrivals[place].instruction;
      if (there == nullptr) continue;
      anybody = true;
      const int64_t number = line.first + static_cast<int64_t>(k);
      // Others may have come here in another iteration than this one will.
      const bool told = line.devices[place] == device || !takes_part || !asked.before.has_value();
      if (asked.key != 0 && arrivals[place].key == asked.key && told) meant = number;
      if (!first.has_value() && MayMeet(line, instruction, device, *there, line.devices[place])) first = number;
    }
  }
  seen.number = *std::min_element(line.next.begin(), line.next.end());
  if (meant.has_value()) {
    seen.number = *meant;
    return;
  }
  if ((asked.key != 0 || asked.before.has_value()) && takes_part) {  // it has not come to that yet, nor has anybody
    seen.later = !asked.before.has_value();
    if (seen.later) return;
    seen.number = line.next[own - line.devices.begin()];
    for (const Instruction* i : *asked.before) {
      const Site& site = SiteOf(*i);
      if (site.status.ok() && site.group_of[device] >= 0 && site.lines[site.group_of[device]] == &line) ++seen.number;
    }
    return;
  }
  for (int member : line.devices) {
    const Waiting& waiting = waiting_[member];
    if (waiting.line == &line && waiting.meeting != nullptr && waiting.meeting->done &&
        MayMeet(line, instruction, device, *waiting.instruction, member)) {
      seen.complete = true;
      seen.past = waiting.meeting->past;
    }
  }
  if (seen.complete) {
    --seen.number;
  } else if (first.has_value()) {
    seen.number = *first;
  } else {
    seen.later = anybody || asked.key != 0 || seen.number == 0;
  }
}

// The exchanges of the device that were made by that instruction, on it or on another member.
int64_t InProcessExchange::MadeBy(const Instruction& instruction, int device) const {
  return std::count_if(past_[device].begin(), past_[device].end(), [&](const auto& past) {
    const std::vector<ExchangePast::Member>& members = past.second->members;
    return !past.second->transfer && std::any_of(members.begin(), members.end(), [&](const ExchangePast::Member& m) { return m.instruction == &instruction; });
  });
}

ExchangeMeeting InProcessExchange::MeetingOf(const Line& line, const ExchangeGroup& group, const Instruction& instruction, int device,
                                             const Asked& asked) {
  ExchangeMeeting seen;
  seen.sends = group.sends;
  seen.made = MadeBy(instruction, line.devices[0]);
  FindMeeting(line, instruction, device, asked, seen);
  const int64_t at = seen.number - line.first;
  const Meeting* meeting = !seen.later && at >= 0 && at < static_cast<int64_t>(line.meetings.size()) ? line.meetings[at].get() : nullptr;
  for (const Device& device : group.members) {
    ExchangeMeeting::Member& member = seen.members.emplace_back();
    member.device = IndexOf(device);
    const size_t place = std::lower_bound(line.devices.begin(), line.devices.end(), member.device) - line.devices.begin();
    member.come = line.next[place];
    member.here = !seen.later && member.come > seen.number;
    if (meeting == nullptr || place >= meeting->arrivals.size() || meeting->arrivals[place].instruction == nullptr) continue;
    const Arrival& arrival = meeting->arrivals[place];
    member.instruction = arrival.instruction;
    member.operands = arrival.operands;
    member.loops = arrival.loops;
    member.mark = arrival.mark;
  }
  return seen;
}

absl::StatusOr<std::vector<ExchangeMeeting>> InProcessExchange::Meetings(const Instruction& instruction, int device, const Asked& asked) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::vector<ExchangeMeeting> all;
  const ExchangeRole role = ExchangeOf(instruction).role;
  if (role == ExchangeRole::kCollective) {
    const Site& site = SiteOf(instruction);
    if (!site.status.ok()) return site.status;
    for (size_t g = 0; g < site.groups.size(); ++g) all.push_back(MeetingOf(*site.lines[g], site.groups[g], instruction, device, asked));
    return all;
  }
  if (role != ExchangeRole::kSend && role != ExchangeRole::kSendDone && role != ExchangeRole::kReceive && role != ExchangeRole::kReceiveDone) return all;
  const int64_t channel = ChannelOf(instruction);
  const auto add = [&](int from, int to) {
    const auto found = routes_.find({channel, from, to});
    const Route none, &route = found == routes_.end() ? none : *found->second;
    ExchangeMeeting& seen = all.emplace_back();
    seen.transfer = true;
    seen.number = route.receives_done;
    seen.sends = {{0, 1}};
    for (const auto& [number, sent] : route.on_its_way) seen.messages.push_back(sent.message);
    seen.members.push_back({from >= 0 ? from : route.sender, !route.on_its_way.empty(), nullptr, {}, {}, route.sent, {}});
    seen.members.push_back({to >= 0 ? to : route.receiver, route.posted > route.receives_done, nullptr, {}, {}, route.posted, {}});
  };
  const auto pairs = TransferPairs(instruction);
  if (!pairs.ok()) return pairs.status();
  if (*pairs) {
    for (const auto& [from, to] : **pairs) add(static_cast<int>(from), static_cast<int>(to));
  } else if (HasTransfer(*instruction.parent, ExchangeRole::kSend, channel) && HasTransfer(*instruction.parent, ExchangeRole::kReceive, channel)) {
    add(device, device);
  } else {
    add(-1, -1);
  }
  return all;
}

}  // namespace hloscope
