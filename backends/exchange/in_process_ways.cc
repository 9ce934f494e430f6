// What a debugger changes of what was exchanged: several ways on from one moment, each with what it has exchanged so far, and going on
// anew from a moment of one device, as if what followed from that on the others had not been. Not for exchanging.
#include <algorithm>
#include <limits>
#include <set>

#include "backends/exchange/in_process.h"

namespace hloscope {

// ---- Several ways ----

// All that changes when something is exchanged. Lines and routes are the room's: here is what is on them.
class InProcessExchange::Contents : public ExchangeState {
 public:
  struct OnLine {
    std::deque<std::unique_ptr<Meeting>> meetings;
    int64_t first = 0;
    std::vector<int64_t> next;
  };
  std::map<Line*, OnLine> lines;
  std::map<RouteKey, std::unique_ptr<Route>> routes;
  std::vector<Waiting> waiting;
  std::vector<absl::flat_hash_map<uint64_t, Begun>> begun;
  std::vector<absl::flat_hash_map<int64_t, const Instruction*>> on_channel;
  std::vector<absl::flat_hash_map<uint64_t, std::shared_ptr<const ExchangePast>>> past;
  std::vector<std::vector<Event>> events;

  Contents() = default;
  Contents(Contents&&) = default;
  // The values are shared.
  Contents(const Contents& other) : waiting(other.waiting), begun(other.begun), on_channel(other.on_channel), past(other.past), events(other.events) {
    absl::flat_hash_map<const Meeting*, Meeting*> meetings;
    absl::flat_hash_map<const Route*, Route*> copies;
    for (const auto& [line, on] : other.lines) {
      OnLine& copy = lines[line];
      copy.first = on.first;
      copy.next = on.next;
      for (const std::unique_ptr<Meeting>& meeting : on.meetings) {
        copy.meetings.push_back(std::make_unique<Meeting>(*meeting));
        meetings[meeting.get()] = copy.meetings.back().get();
      }
    }
    for (const auto& [key, route] : other.routes) copies[route.get()] = (routes[key] = std::make_unique<Route>(*route)).get();
    for (Waiting& each : waiting) {
      if (each.meeting != nullptr) each.meeting = meetings.at(each.meeting);
      if (each.route != nullptr) each.route = copies.at(each.route);
    }
    for (auto& of_device : begun) {
      for (auto& [key, each] : of_device) each.meeting = meetings.at(each.meeting);
    }
  }
};

std::unique_ptr<InProcessExchange::Contents> InProcessExchange::TakeOut() {
  auto contents = std::make_unique<Contents>();
  for (auto& [key, line] : lines_) contents->lines[line.get()] = {std::move(line->meetings), line->first, std::move(line->next)};
  contents->routes = std::move(routes_);
  contents->waiting = std::move(waiting_);
  contents->begun = std::move(begun_);
  contents->on_channel = std::move(on_channel_);
  contents->past = std::move(past_);
  contents->events = std::move(events_);
  return contents;
}

void InProcessExchange::PutIn(Contents contents) {
  for (auto& [key, line] : lines_) {
    const auto on = contents.lines.find(line.get());
    const bool known = on != contents.lines.end();  // else nobody had come to it then
    line->meetings = known ? std::move(on->second.meetings) : std::deque<std::unique_ptr<Meeting>>();
    line->first = known ? on->second.first : 0;
    line->next = known ? std::move(on->second.next) : std::vector<int64_t>(line->devices.size(), 0);
  }
  routes_ = std::move(contents.routes);
  waiting_ = std::move(contents.waiting);
  begun_ = std::move(contents.begun);
  on_channel_ = std::move(contents.on_channel);
  past_ = std::move(contents.past);
  events_ = std::move(contents.events);
}

std::shared_ptr<const ExchangeState> InProcessExchange::Save() {
  std::lock_guard<std::mutex> lock(mutex_);
  std::unique_ptr<Contents> present = TakeOut();
  auto copy = std::make_shared<const Contents>(*present);
  PutIn(std::move(*present));
  return copy;
}

void InProcessExchange::Load(const ExchangeState& state) {
  std::lock_guard<std::mutex> lock(mutex_);
  PutIn(Contents(static_cast<const Contents&>(state)));
}

// ---- Going on anew ----

void InProcessExchange::Taken(int device, const ExchangeCall& call) {
  if (!remembers_) return;
  std::vector<Event>& events = events_[device];
  const auto event = std::find_if(events.rbegin(), events.rend(), [&](const Event& e) { return e.key == call.key && e.line != nullptr; });
  if (event != events.rend()) event->taken = call.mark;
}

namespace {

// Behind what stays of a device's exchanges.
bool IsAnew(const ExchangesAnew& plan, int device, const Mark& mark) {
  const std::optional<Mark>& to = plan.devices[device].to;
  return to.has_value() && !(mark < *to);
}

}  // namespace

ExchangesAnew InProcessExchange::PlanAnew(int device, const Mark& from) const {
  std::lock_guard<std::mutex> lock(mutex_);
  // Who takes part in a meeting, and who receives the message of a number.
  struct Part {
    int device;
    const Event* event;
  };
  std::map<std::pair<const Line*, int64_t>, std::vector<Part>> meetings;
  std::map<std::pair<RouteKey, int64_t>, Part> received;
  for (int d = 0; d < device_count(); ++d) {
    for (const Event& e : events_[d]) {
      if (e.line != nullptr) meetings[{e.line, e.number}].push_back({d, &e});
      else if (e.role == ExchangeRole::kReceiveDone) received[{e.route, e.number}] = {d, &e};
    }
  }
  ExchangesAnew plan;
  plan.devices.resize(programs_.size());
  plan.devices[device].to = from;
  std::vector<size_t> looked(programs_.size());  // events from there on are anew already
  for (int d = 0; d < device_count(); ++d) looked[d] = events_[d].size();
  std::deque<int> go_back = {device};
  const auto reach = [&](int other, const Mark& mark, int because) {
    if (IsAnew(plan, other, mark)) return;  // it goes back as far anyway
    plan.devices[other].to = mark;
    if (other != device) plan.devices[other].because = because;
    go_back.push_back(other);
  };
  for (; !go_back.empty(); go_back.pop_front()) {
    const int d = go_back.front();
    while (looked[d] > 0 && IsAnew(plan, d, events_[d][looked[d] - 1].mark)) {
      const Event& e = events_[d][--looked[d]];
      plan.undoes = true;
      if (e.line != nullptr) {
        for (const Part& part : meetings[{e.line, e.number}]) {
          if (part.event->taken.has_value()) reach(part.device, *part.event->taken, d);
        }
      } else if (e.role == ExchangeRole::kSend) {
        if (const auto taker = received.find({e.route, e.number}); taker != received.end()) reach(taker->second.device, taker->second.event->mark, d);
      }
    }
  }
  // What stays of meetings that are not made any more, and of messages that are on their way again.
  for (int d = 0; d < device_count(); ++d) {
    if (looked[d] > 0) plan.devices[d].last = events_[d][looked[d] - 1].mark;
    for (size_t k = looked[d]; k-- > 0;) {
      const Event& e = events_[d][k];
      bool again = false;
      if (e.line != nullptr) {
        const std::vector<Part>& parts = meetings[{e.line, e.number}];
        if (std::none_of(parts.begin(), parts.end(), [&](const Part& part) { return IsAnew(plan, part.device, part.event->mark); })) continue;
        if (e.taken.has_value()) plan.devices[d].forgotten.push_back(e.key);
        const int64_t at = e.number - e.line->first;
        again = at < 0 || at >= static_cast<int64_t>(e.line->meetings.size()) || e.line->meetings[at]->done;
      } else if (e.role == ExchangeRole::kSend) {
        const auto taker = received.find({e.route, e.number});
        again = taker != received.end() && IsAnew(plan, taker->second.device, taker->second.event->mark);
      }
      if (again) plan.brought.push_back({d, e.mark, e.instruction, e.key});
    }
  }
  return plan;
}

void InProcessExchange::GoAnew(const ExchangesAnew& plan, std::vector<std::vector<Value>> operands) {
  std::lock_guard<std::mutex> lock(mutex_);
  std::map<std::pair<int, uint64_t>, std::vector<Value>> brought;
  for (size_t k = 0; k < plan.brought.size(); ++k) brought[{plan.brought[k].device, plan.brought[k].key}] = std::move(operands[k]);
  std::set<Line*> lines;
  std::set<RouteKey> routes;
  for (int d = 0; d < device_count(); ++d) {
    if (!plan.devices[d].to.has_value()) continue;
    waiting_[d] = Waiting();
    for (const Event& e : events_[d]) {
      if (!IsAnew(plan, d, e.mark)) continue;
      if (e.line != nullptr) lines.insert(e.line);
      else routes.insert(e.route);
      begun_[d].erase(e.key);
      past_[d].erase(e.key);
    }
  }
  for (const ExchangesAnew::Brought& again : plan.brought) past_[again.device].erase(again.key);
  for (Line* line : lines) ReopenLine(*line, plan, brought);
  for (const RouteKey& key : routes) RestoreRoute(key, *routes_.at(key), plan, brought);
  for (int d = 0; d < device_count(); ++d) {
    if (!plan.devices[d].to.has_value()) continue;
    std::erase_if(events_[d], [&](const Event& e) { return IsAnew(plan, d, e.mark); });
    on_channel_[d].clear();
    for (const Event& e : events_[d]) {
      if (e.line != nullptr && e.line->channel > 0) on_channel_[d][e.line->channel] = e.instruction;
    }
  }
}

// From the first meeting on in which something is to be brought anew, its meetings have what stays of those who have come.
void InProcessExchange::ReopenLine(Line& line, const ExchangesAnew& plan, const std::map<std::pair<int, uint64_t>, std::vector<Value>>& brought) {
  int64_t from = std::numeric_limits<int64_t>::max();
  for (int d : line.devices) {
    for (const Event& e : events_[d]) {
      if (e.line == &line && IsAnew(plan, d, e.mark)) from = std::min(from, e.number);
    }
  }
  if (from < line.first) {  // all had taken what those gave
    std::deque<std::unique_ptr<Meeting>> again;
    for (int64_t k = from; k < line.first; ++k) again.push_back(std::make_unique<Meeting>());
    for (std::unique_ptr<Meeting>& meeting : line.meetings) again.push_back(std::move(meeting));
    line.meetings = std::move(again);
    line.first = from;
  }
  for (int64_t number = from; number < line.first + static_cast<int64_t>(line.meetings.size()); ++number) {
    Meeting& meeting = *line.meetings[number - line.first];
    meeting.arrivals.resize(line.devices.size());
    meeting.results.clear();
    meeting.status = absl::OkStatus();
    meeting.done = false;
    meeting.here = meeting.taken = 0;
  }
  for (size_t place = 0; place < line.devices.size(); ++place) {
    const int d = line.devices[place];
    int64_t come = std::min(line.next[place], from);  // some have not come as far
    for (Event& e : events_[d]) {
      if (e.line != &line || e.number < from) continue;
      Meeting& meeting = *line.meetings[e.number - line.first];
      if (IsAnew(plan, d, e.mark)) {
        meeting.arrivals[place] = Arrival();
        continue;
      }
      // It has been begun, or waits there; who had brought it before it was made brings it once more.
      Arrival& arrival = meeting.arrivals[place];
      if (const auto again = brought.find({d, e.key}); again != brought.end()) arrival = {e.instruction, again->second, e.loops, e.key, e.mark};
      if (e.taken.has_value()) begun_[d][e.key] = {&line, &meeting};
      e.taken.reset();
      ++meeting.here;
      come = e.number + 1;
    }
    line.next[place] = come;
  }
}

void InProcessExchange::RestoreRoute(const RouteKey& key, Route& route, const ExchangesAnew& plan, const std::map<std::pair<int, uint64_t>, std::vector<Value>>& brought) {
  Route now;
  now.channel = route.channel;
  now.open = route.open;
  now.sender = route.open ? -1 : route.sender;
  now.receiver = route.open ? -1 : route.receiver;
  std::map<int64_t, std::pair<int, const Event*>> sends;  // that stay, by number
  std::set<int64_t> received;                             // the same
  for (int d = 0; d < device_count(); ++d) {
    for (const Event& e : events_[d]) {
      if (e.line != nullptr || e.route != key || IsAnew(plan, d, e.mark)) continue;
      const bool sender = e.role == ExchangeRole::kSend || e.role == ExchangeRole::kSendDone;
      (sender ? now.sender : now.receiver) = d;
      if (e.role == ExchangeRole::kSend) sends[e.number] = {d, &e};
      if (e.role == ExchangeRole::kReceiveDone) received.insert(e.number);
      ++(e.role == ExchangeRole::kSend ? now.sent : e.role == ExchangeRole::kReceive ? now.posted : sender ? now.sends_done : now.receives_done);
    }
  }
  for (const auto& [number, send] : sends) {
    if (received.contains(number)) continue;
    const auto& [device, event] = send;
    const auto again = brought.find({device, event->key});
    now.on_its_way[number] = {again != brought.end() ? again->second[0] : route.on_its_way.at(number).message, {device, event->instruction, event->mark}, event->key, event->loops};
  }
  for (const bool sends_of : {false, true}) {
    for (const EndUse& use : route.uses[sends_of]) {
      if (use.device == (sends_of ? now.sender : now.receiver)) now.uses[sends_of].push_back(use);
    }
  }
  route = std::move(now);
}

}  // namespace hloscope
