#include "backends/exchange/in_process.h"

#include <algorithm>
#include <chrono>
#include <set>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "core/exec/dynamic.h"
#include "core/ir/written_names.h"
#include "core/literal/element_at.h"
#include "core/literal/relayout.h"
#include "core/ops/collective_exchange.h"
#include "core/ops/op.h"
#include "core/ops/transfers.h"

namespace hloscope {
namespace {

std::string Devices(int64_t n) { return absl::StrCat(n, n == 1 ? " device" : " devices"); }

// Every computation that a program can come to.
std::vector<const Computation*> Reachable(const Computation& entry) {
  std::vector<const Computation*> all = {&entry};
  absl::flat_hash_set<const Computation*> seen = {&entry};
  for (size_t k = 0; k < all.size(); ++k) {
    for (const Instruction* i : all[k]->schedule) {
      for (const Computation* called : i->CalledComputations()) {
        if (seen.insert(called).second) all.push_back(called);
      }
    }
  }
  return all;
}

// Whether two computations do the same, instruction by instruction: programs of several functions have a reducer each.
bool SameComputation(const Computation* a, const Computation* b) {
  if (a == b) return true;
  if (a == nullptr || b == nullptr || a->schedule.size() != b->schedule.size()) return false;
  for (size_t k = 0; k < a->schedule.size(); ++k) {
    const Instruction &x = *a->schedule[k], &y = *b->schedule[k];
    if (x.opcode != y.opcode || !Shape::Compatible(x.shape, y.shape) || x.operands.size() != y.operands.size() || x.parameter_number != y.parameter_number) return false;
    for (size_t o = 0; o < x.operands.size(); ++o) {
      if (x.operands[o]->index != y.operands[o]->index) return false;
    }
  }
  return a->root->index == b->root->index;
}

}  // namespace

class InProcessExchange::Port : public ExchangePort {
 public:
  Port(InProcessExchange& all, int number) : all_(all), number_(number) {}
  Device device() const override { return {number_ / all_.partitions_, number_ % all_.partitions_}; }
  int process() const override { return hloscope::ProcessOf(number_, all_.device_count(), all_.processes_); }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override { return all_.Exchange(number_, call); }
  double making() const override { return all_.making_[number_].others; }
  std::optional<Value> Look(uint64_t key) const override { return all_.Look(number_, key); }

 private:
  InProcessExchange& all_;
  const int number_;
};

InProcessExchange::InProcessExchange(int64_t replicas, int64_t partitions, std::vector<const Computation*> programs, Backend& backend, MemoryAccount* account)
    : replicas_(replicas), partitions_(partitions), programs_(std::move(programs)), account_(account), reductions_(backend, account), waiting_(programs_.size()), making_(programs_.size()), begun_(programs_.size()), on_channel_(programs_.size()), past_(programs_.size()), events_(programs_.size()) {
  for (size_t d = 0; d < programs_.size(); ++d) ports_.push_back(std::make_unique<Port>(*this, static_cast<int>(d)));
  for (const Computation* program : programs_) {
    if (transfers_.contains(program)) continue;
    std::vector<const Instruction*>& found = transfers_[program];
    for (const Computation* computation : reachable_[program] = Reachable(*program)) {
      for (const Instruction* i : computation->schedule) {
        const ExchangeRole role = ExchangeOf(*i).role;
        if (role == ExchangeRole::kSend || role == ExchangeRole::kReceive) found.push_back(i);
      }
    }
  }
}

InProcessExchange::~InProcessExchange() = default;

ExchangePort& InProcessExchange::port(int device) { return *ports_[device]; }

void InProcessExchange::Reset() {
  std::lock_guard<std::mutex> lock(mutex_);
  for (auto& [key, line] : lines_) {
    line->meetings.clear();
    line->first = 0;
    line->next.assign(line->devices.size(), 0);
  }
  routes_.clear();
  waiting_.assign(programs_.size(), Waiting());
  begun_.assign(programs_.size(), {});
  on_channel_.assign(programs_.size(), {});
  making_.assign(programs_.size(), {});
  past_.assign(programs_.size(), {});
  events_.assign(programs_.size(), {});
}

std::string InProcessExchange::Name(int device) const { return DeviceText({device / partitions_, device % partitions_}, replicas_, partitions_); }

absl::StatusOr<std::optional<Value>> InProcessExchange::Exchange(int device, const ExchangeCall& call) {
  return ExchangeOf(call.instruction).role == ExchangeRole::kCollective ? Collective(device, call) : Transfer(device, call);
}

// ---- Collectives ----

const InProcessExchange::Site& InProcessExchange::SiteOf(const Instruction& instruction) {
  std::unique_ptr<Site>& site = sites_[&instruction];
  if (site != nullptr) return *site;
  site = std::make_unique<Site>();
  site->group_of.assign(programs_.size(), -1);
  absl::StatusOr<std::vector<ExchangeGroup>> groups = ExchangeGroups(instruction, replicas_, partitions_);
  if (!groups.ok()) {
    site->status = groups.status();
    return *site;
  }
  site->groups = *std::move(groups);
  for (size_t g = 0; g < site->groups.size(); ++g) {
    std::vector<int> devices;
    for (const Device& member : site->groups[g].members) {
      devices.push_back(IndexOf(member));
      site->group_of[IndexOf(member)] = static_cast<int>(g);
    }
    std::sort(devices.begin(), devices.end());
    const int64_t channel = std::max<int64_t>(0, instruction.Int(AttrId::kChannelId));
    std::unique_ptr<Line>& line = lines_[{channel, devices}];
    if (line == nullptr) {
      line = std::make_unique<Line>();
      line->channel = channel;
      line->next.assign(devices.size(), 0);
      line->devices = std::move(devices);
    }
    site->lines.push_back(line.get());
  }
  return *site;
}

absl::StatusOr<std::optional<Value>> InProcessExchange::Collective(int device, const ExchangeCall& call) {
  std::unique_lock<std::mutex> lock(mutex_);
  if (begun_[device].contains(call.key)) return Finish(device, call);
  Waiting& waiting = waiting_[device];
  if (waiting.meeting != nullptr && waiting.Brings()) {
    if (!waiting.meeting->done) return std::optional<Value>();
    Line& line = *waiting.line;
    Meeting& meeting = *waiting.meeting;
    waiting = Waiting();
    Taken(device, call);
    return Take(device, line, meeting);
  }
  const Site& site = SiteOf(call.instruction);
  if (!site.status.ok()) return site.status;
  if (const int64_t channel = call.instruction.Int(AttrId::kChannelId); channel > 0) on_channel_[device][channel] = &call.instruction;
  const int g = site.group_of[device];
  if (g < 0) {
    if (remembers_)
      past_[device][call.key] =
          std::make_shared<const ExchangePast>(ExchangePast{{{device, &call.instruction, call.mark}}, {}, false, true});
    lock.unlock();
    absl::StatusOr<Value> zeros = OutsiderValue(call.instruction, call.operands, account_);
    if (!zeros.ok()) return zeros.status();
    return std::optional<Value>(*std::move(zeros));
  }
  Line& line = *site.lines[g];
  const size_t place = std::lower_bound(line.devices.begin(), line.devices.end(), device) - line.devices.begin();
  const int64_t number = line.next[place]++;
  while (line.first + static_cast<int64_t>(line.meetings.size()) <= number) {
    line.meetings.push_back(std::make_unique<Meeting>());
    line.meetings.back()->arrivals.resize(line.devices.size());
  }
  Meeting& meeting = *line.meetings[number - line.first];
  meeting.arrivals[place] = {&call.instruction, std::vector<Value>(call.operands.begin(), call.operands.end()), call.loops, call.key, remembers_ ? call.mark : Mark()};
  if (remembers_) events_[device].push_back({&call.instruction, call.key, call.mark, &line, {}, number, std::nullopt, ExchangeRole::kCollective, call.loops});
  const bool beside = call.phase == ExchangePhase::kBegin;
  if (beside) begun_[device][call.key] = {&line, &meeting};
  if (++meeting.here < static_cast<int>(line.devices.size())) {
    if (!beside) waiting = {&call.instruction, &call.instruction, call.loops, &line, &meeting, nullptr, call.within};
    return std::optional<Value>();
  }
  // The group as the lowest device names it, whoever came last.
  const Site& lowest = SiteOf(*meeting.arrivals[0].instruction);
  const ExchangeGroup& group = lowest.groups[lowest.group_of[line.devices[0]]];
  lock.unlock();  // nobody else touches a meeting that is complete and not done
  const auto begin = std::chrono::steady_clock::now();
  Complete(line, group, meeting);
  meeting.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
  lock.lock();
  meeting.done = true;
  if (remembers_ && meeting.status.ok()) Keep(line, group, meeting);
  if (meeting.status.ok()) meeting.arrivals.clear();  // else it is asked who came with what
  for (int other : line.devices) {
    if (other != device) wake_(other);
  }
  if (!beside) {
    Taken(device, call);
    return Take(device, line, meeting, /*made_it=*/true);
  }
  if (!meeting.status.ok()) return std::optional<Value>();  // told where it is waited for, whoever came last
  return Finish(device, call, /*made_it=*/true);
}

// Of what was begun. Told apart by its key: there may be several, and the device may begin it again where it goes back.
absl::StatusOr<std::optional<Value>> InProcessExchange::Finish(int device, const ExchangeCall& call, bool made_it) {
  const auto found = begun_[device].find(call.key);
  const Begun begun = found->second;
  if (!begun.meeting->done || (call.phase == ExchangePhase::kBegin && !begun.meeting->status.ok())) {
    if (call.phase == ExchangePhase::kFinish) waiting_[device] = {&call.instruction, call.reader, call.loops, begun.line, begun.meeting, nullptr, nullptr};
    return std::optional<Value>();
  }
  if (waiting_[device].meeting == begun.meeting) waiting_[device] = Waiting();  // else it has come to another one, and has gone back since
  begun_[device].erase(found);
  Taken(device, call);
  return Take(device, *begun.line, *begun.meeting, made_it);
}

absl::StatusOr<std::optional<Value>> InProcessExchange::Take(int device, Line& line, Meeting& meeting, bool made_it) {
  const size_t place = std::lower_bound(line.devices.begin(), line.devices.end(), device) - line.devices.begin();
  absl::StatusOr<std::optional<Value>> result = std::optional<Value>();
  if (meeting.status.ok()) result = std::optional<Value>(std::move(meeting.results[place]));
  else result = meeting.status;
  (made_it ? making_[device].own : making_[device].others) += meeting.seconds;
  ++meeting.taken;
  while (!line.meetings.empty() && line.meetings.front()->taken == static_cast<int>(line.devices.size())) {
    line.meetings.pop_front();
    ++line.first;
  }
  return result;
}

// Of a complete meeting: where its members are not at one and the same exchange. "": they agree.
std::string InProcessExchange::Disagreement(const Line& line, const ExchangeGroup& group, const Meeting& meeting) const {
  const Arrival& first = meeting.arrivals[0];
  std::string what, hint;
  std::optional<size_t> unlike;  // the operand whose shapes differ
  for (size_t k = 1; k < meeting.arrivals.size() && what.empty(); ++k) {
    const Arrival& other = meeting.arrivals[k];
    const Instruction &a = *first.instruction, &b = *other.instruction;
    const bool same_program = programs_[line.devices[0]] == programs_[line.devices[k]];
    if (&a != &b && (a.opcode != b.opcode || (same_program && line.channel == 0))) {
      what = "are at different exchanges";
      const ExchangeDef &of_a = ExchangeOf(a), &of_b = ExchangeOf(b);
      const bool without = same_program && line.channel == 0;
      if (a.opcode == b.opcode) {
        hint = "; without a channel_id only the same instruction is the same exchange: where these are meant to be one, give both the same channel_id";
      } else if (of_a.results == of_b.results && of_a.begins != of_b.begins) {
        const Instruction &begins = of_a.begins ? a : b, &waits = of_a.begins ? b : a;
        hint = absl::StrCat("; ", hloscope::Name(begins.opcode), " goes on while the others come and ", hloscope::Name(waits.opcode),
                            " waits in its place, which is never the same exchange: where these are meant to be one, write the same operation on all devices",
                            without ? ", with the same channel_id" : "");
      }
    } else if (a.operands.size() != b.operands.size()) {
      what = absl::StrCat("bring ", a.operands.size(), " and ", b.operands.size(), " operands");
    }
    for (size_t o = 0; o < first.operands.size() && what.empty(); ++o) {
      const Shape &x = first.operands[o].shape(), &y = other.operands[o].shape();
      if (Shape::Compatible(x, y)) continue;
      what = absl::StrCat("bring operands of different shapes, ", x.ToString(false), " and ", y.ToString(false));
      unlike = o;
    }
    if (!what.empty() || &a == &b) continue;
    if (a.Ints(AttrId::kDimensions) != b.Ints(AttrId::kDimensions)) what = "name different dimensions";
    else if (!SameComputation(a.Called(AttrId::kToApply), b.Called(AttrId::kToApply))) what = "reduce in different ways";
    else {
      const auto groups = ExchangeGroups(b, replicas_, partitions_);
      const bool same = groups.ok() && std::any_of(groups->begin(), groups->end(), [&](const ExchangeGroup& g) { return g.members == group.members && g.sends == group.sends; });
      if (!same) what = "name their group in different orders";
    }
  }
  if (what.empty()) return "";
  // Devices at the same place are told of together.
  std::vector<std::pair<std::string, std::vector<std::string>>> places;
  for (size_t k = 0; k < meeting.arrivals.size(); ++k) {
    const Arrival& arrival = meeting.arrivals[k];
    std::string place = Place(*arrival.instruction, arrival.loops);
    if (unlike.has_value() && *unlike < arrival.operands.size()) absl::StrAppend(&place, " with ", arrival.operands[*unlike].shape().ToString(false));
    auto found = std::find_if(places.begin(), places.end(), [&](const auto& p) { return p.first == place; });
    if (found == places.end()) found = places.insert(places.end(), {place, {}});
    found->second.push_back(Name(line.devices[k]));
  }
  std::vector<std::string> texts;
  for (auto& [place, names] : places) {
    if (names.size() > kNamed) {
      const size_t more = names.size() - kNamed;
      names.resize(kNamed);
      names.push_back(absl::StrCat(more, " more"));
    }
    texts.push_back(absl::StrCat(absl::StrJoin(names, ", "), " at ", place));
  }
  return absl::StrCat("the devices that exchange here ", what, ": ", absl::StrJoin(texts, "; "), hint);
}

void InProcessExchange::Complete(const Line& line, const ExchangeGroup& group, Meeting& meeting) {
  const Instruction& instruction = *meeting.arrivals[0].instruction;
  if (std::string why = Disagreement(line, group, meeting); !why.empty()) {
    meeting.status = absl::FailedPreconditionError(absl::StrCat(why, "; every device of a group executes the same exchanges, as often and in the same order"));
    return;
  }
  std::vector<std::vector<Value>> brought;
  std::vector<size_t> place_of;
  for (const Device& member : group.members) {
    place_of.push_back(std::lower_bound(line.devices.begin(), line.devices.end(), IndexOf(member)) - line.devices.begin());
    brought.push_back(std::move(meeting.arrivals[place_of.back()].operands));
  }
  absl::StatusOr<std::vector<Value>> results = ResultsOf(group, instruction, brought);
  meeting.status = results.status();
  if (!results.ok()) {  // it is asked who came with what
    for (size_t m = 0; m < place_of.size(); ++m) meeting.arrivals[place_of[m]].operands = std::move(brought[m]);
    return;
  }
  meeting.results.resize(line.devices.size());
  for (size_t m = 0; m < place_of.size(); ++m) meeting.results[place_of[m]] = std::move((*results)[m]);
}

absl::StatusOr<std::vector<Value>> InProcessExchange::ResultsOf(const ExchangeGroup& group, const Instruction& instruction,
                                                                absl::Span<const std::vector<Value>> brought) {
  const auto reduce = [this](const Computation& reducer, std::vector<Value> arrays) {
    return reductions_.Reduce(reducer, std::move(arrays));
  };
  ExchangeContext context{instruction, brought, group.sends, account_, reduce};
  context.name = [&](int member) { return Name(IndexOf(group.members[member])); };
  absl::StatusOr<std::vector<Value>> results = ExchangeOf(instruction).results(context);
  if (!results.ok()) return results;
  for (const Value& result : *results) {
    if (FitsDeclared(result.shape(), instruction.shape)) continue;
    return absl::InvalidArgumentError(absl::StrCat("among ", Devices(static_cast<int64_t>(group.members.size())),
                                                   " of a group the result is ", result.shape().ToString(false), ", but ",
                                                   instruction.shape.ToString(false), " is written"));
  }
  return results;
}

// ---- Transfers ----

absl::Status InProcessExchange::CheckPartner(int device, const Instruction& instruction, int64_t channel, bool sends) {
  for (int d = 0; d < device_count(); ++d) {
    for (const Instruction* i : transfers_.at(programs_[d])) {
      const bool is_send = ExchangeOf(*i).role == ExchangeRole::kSend;
      if (is_send != sends && ChannelOf(*i) == channel) return absl::OkStatus();
    }
  }
  return absl::FailedPreconditionError(absl::StrCat("nobody ", sends ? "receives" : "sends", " on channel ", channel, ": no program of this run has a ", sends ? "recv" : "send",
                                                    " on it", instruction.Bool(AttrId::kIsHostTransfer) ? ", and the host takes no part" : ""));
}

std::string InProcessExchange::TooManyText(const Route& route, bool sends) const {
  const std::vector<EndUse>& uses = route.uses[sends];
  return absl::StrCat("channel ", route.channel, " has two ", sends ? "senders" : "receivers", ", ", Name(uses[0].device), " and ",
                      Name(uses[1].device), "; source_target_pairs say who sends to whom");
}

std::optional<InProcessExchange::TooMany> InProcessExchange::TooManyAtOneEnd() const {
  std::lock_guard<std::mutex> lock(mutex_);
  std::optional<TooMany> lowest;
  for (const auto& [key, route] : routes_) {
    for (const bool sends : {true, false}) {
      const std::vector<EndUse>& uses = route->uses[sends];
      if (uses.size() < 2 || (lowest && lowest->device <= uses[0].device)) continue;
      lowest = TooMany{uses[0].device, uses[0].at, absl::FailedPreconditionError(TooManyText(*route, sends))};
    }
  }
  return lowest;
}

// Null with `no_part`: the pairs do not name the device.
absl::StatusOr<InProcessExchange::Route*> InProcessExchange::RouteOf(int device, const ExchangeCall& call, bool* no_part) {
  const Instruction& i = call.instruction;
  const ExchangeRole role = ExchangeOf(i).role;
  const bool sends = role == ExchangeRole::kSend || role == ExchangeRole::kSendDone;
  const int64_t channel = ChannelOf(i);
  const auto get = [&](int from, int to) {
    std::unique_ptr<Route>& route = routes_[{channel, from, to}];
    if (route == nullptr) {
      route = std::make_unique<Route>();
      route->channel = channel;
      route->sender = from;
      route->receiver = to;
      route->open = from < 0;
    }
    return route.get();
  };
  const auto pairs = TransferPairs(i);
  if (!pairs.ok()) return pairs.status();
  if (*pairs) {
    for (const auto& [from, to] : **pairs) {
      for (int64_t n : {from, to}) {
        if (n < 0 || n >= device_count()) return absl::InvalidArgumentError(absl::StrCat("source_target_pairs names device ", n, ", but this run has ", Devices(device_count())));
      }
      if ((sends ? from : to) == device) return get(static_cast<int>(from), static_cast<int>(to));
    }
    *no_part = true;
    return nullptr;
  }
  if (HasTransfer(*i.parent, ExchangeRole::kSend, channel) && HasTransfer(*i.parent, ExchangeRole::kReceive, channel)) return get(device, device);
  Route* route = get(-1, -1);
  if (route->open) {
    if (absl::Status alone = CheckPartner(device, i, channel, sends); !alone.ok()) return alone;  // whoever comes first, it is this
    int& end = sends ? route->sender : route->receiver;
    if (end < 0) end = device;
    std::vector<EndUse>& uses = route->uses[sends];
    const auto place = std::lower_bound(uses.begin(), uses.end(), device, [](const EndUse& use, int d) { return use.device < d; });
    if (place == uses.end() || place->device != device) uses.insert(place, {device, {&i, call.loops}});
    if (end != device) return absl::FailedPreconditionError(TooManyText(*route, sends));
  }
  return route;
}

namespace {

// The request that a send or a receive has given to what completes it: the number of the transfer on its route. `otherwise`: where there is none.
int64_t RequestOf(const Value& given, int64_t otherwise) {
  if (!given.shape().IsTuple() || given.elements().size() < 2) return otherwise;
  const Value& request = given.elements()[1];
  return request.has_value() && Shape::Compatible(request.shape(), Shape::Scalar(ElementType::kU32)) ? ElementAt(request, 0).i : otherwise;
}

Value WithRequest(const Value& given, int64_t number) {
  if (number == 0 || !given.shape().IsTuple() || given.elements().size() < 2) return given;  // it has 0
  std::vector<Value> elements(given.elements().begin(), given.elements().end());
  elements[1] = Value::Scalar<uint32_t>(ElementType::kU32, static_cast<uint32_t>(number));
  return Value::Tuple(given.shape(), std::move(elements));
}

}  // namespace

absl::StatusOr<std::optional<Value>> InProcessExchange::Transfer(int device, const ExchangeCall& call) {
  std::lock_guard<std::mutex> lock(mutex_);
  const Instruction& i = call.instruction;
  const ExchangeRole role = ExchangeOf(i).role;
  Waiting& waiting = waiting_[device];
  bool no_part = false;
  Route* route = waiting.route;
  if (route == nullptr) {
    absl::StatusOr<Route*> found = RouteOf(device, call, &no_part);
    if (!found.ok()) return found.status();
    route = *found;
  }
  const auto evaluate = [&](absl::Span<const Value> operands) -> absl::StatusOr<std::optional<Value>> {
    absl::StatusOr<Value> value = Def(i).evaluate(EvalContext{i, operands, account_});
    if (!value.ok()) return value.status();
    return std::optional<Value>(*std::move(value));
  };
  if (no_part) return evaluate(call.operands);
  const int64_t request = role == ExchangeRole::kSendDone      ? RequestOf(call.operands[0], route->sends_done)
                          : role == ExchangeRole::kReceiveDone ? RequestOf(call.operands[0], route->receives_done)
                                                               : 0;
  const auto wait = [&]() -> absl::StatusOr<std::optional<Value>> {
    waiting = {&i, &i, call.loops, nullptr, nullptr, route, call.within, request};
    return std::optional<Value>();
  };
  const auto note = [&](int64_t number) {
    if (remembers_) events_[device].push_back({&i, call.key, call.mark, nullptr, route->Key(), number, std::nullopt, role, call.loops});
  };
  // What begins a transfer numbers it in the request that it gives, and what completes it is given that.
  const auto begun = [&](int64_t number) -> absl::StatusOr<std::optional<Value>> {
    note(number);
    waiting = Waiting();
    absl::StatusOr<std::optional<Value>> value = evaluate(call.operands);
    return value.ok() ? std::optional<Value>(WithRequest(**value, number)) : value;
  };
  const auto wake = [&](int other) {
    if (other >= 0 && other != device && waiting_[other].route == route) wake_(other);
  };
  switch (role) {
    case ExchangeRole::kSend:
      if (absl::Status s = CheckPartner(device, i, route->channel, true); !s.ok()) return s;
      route->on_its_way[route->sent] = {call.operands[0], {device, &i, remembers_ ? call.mark : Mark()}, call.key, call.loops};
      wake(route->receiver);
      return begun(route->sent++);
    case ExchangeRole::kReceive:
      if (absl::Status s = CheckPartner(device, i, route->channel, false); !s.ok()) return s;
      wake(route->sender);
      return begun(route->posted++);
    case ExchangeRole::kSendDone:
      if (!route->MayEnd(role, request)) return wait();
      ++route->sends_done;
      note(request);
      break;
    case ExchangeRole::kReceiveDone: {
      if (!route->MayEnd(role, request)) return wait();
      const Route::Sent sent = std::move(route->on_its_way.extract(request).mapped());
      const Value& message = sent.message;
      ++route->receives_done;
      note(request);
      waiting = Waiting();
      const Shape& wanted = call.operands[0].shape().tuple_shapes()[0];
      if (!Shape::Compatible(message.shape(), wanted)) {
        return absl::FailedPreconditionError(absl::StrCat("takes ", wanted.ToString(false), " from channel ", route->channel, ", but ", route->sender >= 0 ? Name(route->sender) : "another device",
                                                          " has sent ", message.shape().ToString(false)));
      }
      if (remembers_) {
        const auto past = std::make_shared<const ExchangePast>(ExchangePast{{sent.member, {device, &i, call.mark}}, {{0, 1}}, true});
        past_[sent.member.device][sent.key] = past;
        past_[device][call.key] = past;
      }
      std::vector<Value> elements(call.operands[0].elements().begin(), call.operands[0].elements().end());
      elements[0] = message;
      const Value filled = Value::Tuple(call.operands[0].shape(), std::move(elements));
      return evaluate({&filled, 1});
    }
    case ExchangeRole::kNone:
    case ExchangeRole::kCollective:
    case ExchangeRole::kReplicaId:
    case ExchangeRole::kPartitionId: return absl::InternalError("not a transfer");
  }
  waiting = Waiting();
  return evaluate(call.operands);
}

}  // namespace hloscope
