// Why nobody goes on: who waits where, for whom, and what was sent to nobody. Not for exchanging.
#include <algorithm>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "backends/exchange/in_process.h"
#include "core/ir/written_names.h"
#include "core/ops/transfers.h"

namespace hloscope {

std::string InProcessExchange::Place(const Instruction& instruction, const std::vector<LoopPlace>& loops, int64_t channel) const {
  const bool one = std::all_of(reachable_.begin(), reachable_.end(), [&](const auto& of_program) {
    return std::none_of(of_program.second.begin(), of_program.second.end(), [&](const Computation* c) { return c != instruction.parent && c->FindInstruction(instruction.name) != nullptr; });
  });
  const std::string where = one ? "" : absl::StrCat(" in ", instruction.parent->name);
  const std::string around = LoopsText(loops);
  return absl::StrCat(ShownName(instruction), where, " (", hloscope::Name(instruction.opcode), channel > 0 ? absl::StrCat(", channel ", channel) : "", around.empty() ? "" : ", ", around, ")");
}

// Of a transfer the channel is told with whom it waits for.
std::string InProcessExchange::WaitPlace(const Waiting& w) const { return Place(*w.at, w.loops, w.line != nullptr ? w.line->channel : 0); }

bool InProcessExchange::Waits(int device) const {
  const Waiting& w = waiting_[device];
  if (w.instruction == nullptr) return false;
  return w.route != nullptr ? !w.route->MayEnd(ExchangeOf(*w.instruction).role, w.request) : !w.meeting->done;
}

// Of one that somebody waits for: what it does instead.
std::string InProcessExchange::StandingText(int other, const Waiting& for_it, const std::vector<bool>* ended) const {
  if (ended != nullptr && (*ended)[other]) return absl::StrCat(Name(other), ", which has ended");
  if (!Waits(other)) return Name(other);
  const Waiting& o = waiting_[other];
  std::string text = absl::StrCat(Name(other), ", which waits at ", o.route != nullptr ? Place(*o.at, o.loops, o.route->channel) : WaitPlace(o));
  const bool alike = o.line != nullptr && for_it.line != nullptr && o.instruction->opcode == for_it.instruction->opcode && o.line->channel == for_it.line->channel;
  if (!alike || o.line->devices == for_it.line->devices || o.line->devices.size() > kNamed || !OtherOnChannel(*for_it.line, *for_it.instruction, other).empty()) return text;
  std::vector<std::string> group;
  for (int d : o.line->devices) group.push_back(Name(d));
  return absl::StrCat(text, " in the group of ", absl::StrJoin(group, " and "));
}

InProcessExchange::OtherWay InProcessExchange::OtherWayOf(const Route& route, bool sends) const {
  const int awaited = sends ? route.sender : route.receiver;  // -1: any
  for (int d = awaited >= 0 ? awaited : 0; d < (awaited >= 0 ? awaited + 1 : device_count()); ++d) {
    for (const Instruction* i : transfers_.at(programs_[d])) {
      if ((ExchangeOf(*i).role == ExchangeRole::kSend) != sends || ChannelOf(*i) != route.channel) continue;
      for (const auto& [key, other] : routes_) {
        if (other.get() == &route || other->channel != route.channel || (sends ? other->sender : other->receiver) != d) continue;
        if ((sends ? other->sent : other->posted) == 0) continue;
        return {i, d, sends ? other->receiver : other->sender};
      }
    }
  }
  return {};
}

std::string InProcessExchange::OtherWayText(const Route& route, bool sends) const {
  const OtherWay other = OtherWayOf(route, sends);
  if (other.instruction == nullptr) return "";
  const std::string who = (sends ? route.sender : route.receiver) >= 0 ? "it" : Name(other.device);
  const std::string with = other.end < 0 ? "any device" : other.end == other.device ? "itself" : Name(other.end);
  return absl::StrCat("; ", who, sends ? " has sent there to " : " receives there from ", with);
}

// Of a transfer whose other end goes elsewhere, what the two say about that.
std::string InProcessExchange::PairsDiffer(const Waiting& w) const {
  if (w.route == nullptr) return "";
  const bool sends = ExchangeOf(*w.instruction).role == ExchangeRole::kSendDone;
  const OtherWay other = OtherWayOf(*w.route, !sends);
  if (other.instruction == nullptr) return "";
  const auto said = [](const Instruction& i) -> std::string {
    const auto pairs = TransferPairs(i);
    if (!pairs.ok() || !pairs->has_value()) return "names none";
    const std::string text = absl::StrJoin(**pairs, ",", [](std::string* out, const auto& pair) { absl::StrAppend(out, "{", pair.first, ",", pair.second, "}"); });
    return (*pairs)->size() <= kNamed ? absl::StrCat("has {", text, "}") : absl::StrCat("has ", (*pairs)->size(), " pairs");
  };
  const Instruction& here = TransferStart(*w.instruction);
  return absl::StrCat("\n  on channel ", w.route->channel, " the source_target_pairs differ: ", ShownName(*other.instruction), " ", said(*other.instruction), ", ", ShownName(here), " ", said(here));
}

std::string InProcessExchange::WaitsForText(int device, const std::vector<bool>* ended) const {
  const Waiting& w = waiting_[device];
  if (w.route != nullptr) {
    const bool sends = ExchangeOf(*w.instruction).role == ExchangeRole::kSendDone;
    const int other = sends ? w.route->receiver : w.route->sender;
    const std::string other_way = OtherWayText(*w.route, !sends);
    if (sends && other == device && other_way.empty()) return absl::StrCat(" for its own recv on channel ", w.route->channel, ", which it comes to only after that");
    return absl::StrCat(" for a ", sends ? "recv" : "send", " on channel ", w.route->channel, other >= 0 ? absl::StrCat(" of ", StandingText(other, w, ended)) : ", which no device has executed", other_way);
  }
  const Line& line = *w.line;
  std::vector<std::string> texts;
  int more = 0;
  const size_t own = std::lower_bound(line.devices.begin(), line.devices.end(), device) - line.devices.begin();
  for (size_t k = 0; k < line.devices.size(); ++k) {
    if (w.meeting->arrivals.empty() || w.meeting->arrivals[k].instruction != nullptr) continue;
    if (texts.size() == kNamed) {
      ++more;
      continue;
    }
    texts.push_back(absl::StrCat(StandingText(line.devices[k], w, ended), " (it has come to ", line.next[k], " of these exchanges, ", Name(device), " to ", line.next[own], ")",
                                 OtherOnChannel(line, *w.instruction, line.devices[k])));
  }
  if (more > 0) texts.push_back(absl::StrCat(more, " more"));
  return absl::StrCat(" for ", absl::StrJoin(texts, "; "));
}

// Of a device that waits in an asynchronous call, why its program does not go on beside that. "": it does not wait in one.
std::string InProcessExchange::WithinText(int device) const {
  const Waiting& w = waiting_[device];
  if (w.within == nullptr || CollectiveOf(*w.within).collective == w.instruction) return "";
  const absl::string_view called = w.within->CalledComputations()[0]->name;
  return absl::StrCat("\n  ", called, " runs to its end at ", Place(*w.within, w.loops), ", before the program goes on: a collective runs beside the program where ", called,
                      " ends with it and exchanges nothing else; give it an async-start of its own");
}

// What the device, which does not come to the exchange, has executed on its channel instead. "": nothing.
std::string InProcessExchange::OtherOnChannel(const Line& line, const Instruction& instruction, int device) const {
  const auto last = on_channel_[device].find(line.channel);
  if (last == on_channel_[device].end()) return "";
  const Instruction& other = *last->second;
  const Site& site = *sites_.at(&other);
  const int group = site.group_of[device];
  if (group >= 0 && site.lines[group] == &line) return "";
  const bool there_now = Waits(device) && waiting_[device].instruction == &other;
  std::string text = there_now ? absl::StrCat("; that is on channel ", line.channel, " too,")
                               : absl::StrCat("; on channel ", line.channel, " it executed ", ShownName(other), " (", hloscope::Name(other.opcode), "),");
  const absl::string_view here = instruction.Text(AttrId::kReplicaGroups), there = other.Text(AttrId::kReplicaGroups);
  if (other.opcode != instruction.opcode) absl::StrAppend(&text, " which is another operation");
  else absl::StrAppend(&text, " with other groups", std::max(here.size(), there.size()) <= 40 && here != there ? absl::StrCat(", ", there, " instead of ", here) : "");
  return text;
}

std::string InProcessExchange::WaitText(int device) const {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!Waits(device)) return "";
  const Waiting& w = waiting_[device];
  return absl::StrCat("at ", WaitPlace(w), WaitsForText(device, nullptr));
}

InProcessExchange::Stuck InProcessExchange::Explain(const std::vector<bool>& ended) const {
  std::lock_guard<std::mutex> lock(mutex_);
  Stuck stuck;
  std::vector<std::string> others;
  std::string within, pairs;
  int more = 0;
  for (int d = 0; d < device_count(); ++d) {
    if (ended[d] || !Waits(d)) continue;
    const Waiting& w = waiting_[d];
    if (within.empty()) within = WithinText(d);
    if (pairs.empty()) pairs = PairsDiffer(w);
    if (stuck.device < 0) {
      stuck.device = d;
      stuck.instruction = w.at;
      stuck.why = absl::StrCat(Name(d), " waits for ever at ", WaitPlace(w), WaitsForText(d, &ended));
      continue;
    }
    if (others.size() < kNamed) others.push_back(absl::StrCat(Name(d), " waits at ", WaitPlace(w), WaitsForText(d, &ended)));
    else ++more;
  }
  if (more > 0) others.push_back(absl::StrCat("so do ", more, " more"));
  if (stuck.device < 0 && std::find(ended.begin(), ended.end(), false) == ended.end()) return Lost();
  for (const std::string& other : others) absl::StrAppend(&stuck.why, "\n  ", other);
  absl::StrAppend(&stuck.why, pairs, within);
  return stuck;
}

// When all have ended: what the lowest device has sent that nobody has received, though nothing waits for that.
InProcessExchange::Stuck InProcessExchange::Lost() const {
  Stuck lost;
  for (const auto& [key, route] : routes_) {
    if (route->on_its_way.empty() || (lost.device >= 0 && lost.device <= route->sender)) continue;
    lost.device = route->sender;
    const Route::Sent& sent = route->on_its_way.begin()->second;
    lost.instruction = sent.member.instruction;
    const std::string around = LoopsText(sent.loops);
    const size_t count = route->on_its_way.size();
    lost.why = absl::StrCat(Name(lost.device), " has sent ", count == 1 ? "an array" : absl::StrCat(count, " arrays"), " on channel ", route->channel, around.empty() ? "" : absl::StrCat(count == 1 ? " (" : " (the first ", "in ", around, ")"),
                            " that ", route->receiver >= 0 ? absl::StrCat(Name(route->receiver), " has not") : "no device has", " received");
  }
  return lost;
}

}  // namespace hloscope
