#include "visualizer/model/device_pictures.h"

#include <algorithm>
#include <functional>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/device_readers.h"
#include "core/debug/devices.h"
#include "core/ir/written_names.h"
#include "core/literal/relayout.h"
#include "core/ops/exchange_def.h"
#include "core/ops/transfers.h"
#include "visualizer/model/picture_data.h"
#include "visualizer/model/value_view.h"

namespace hloscope {
namespace {

bool IsBetweenDevices(const Instruction& i) { return IsTransfer(i) && !TransferStart(i).Bool(AttrId::kIsHostTransfer); }

// What begins transfers of a role on a channel, in the order in which it is executed.
std::vector<const Instruction*> StartsOn(const Computation& computation, ExchangeRole role, int64_t channel) {
  std::vector<const Instruction*> starts;
  for (const Instruction* i : computation.schedule) {
    if (ExchangeOf(*i).role == role && ChannelOf(*i) == channel && IsBetweenDevices(*i)) starts.push_back(i);
  }
  return starts;
}

// The transfers of a channel, as far as the program alone tells which send goes with which receive.
class ChannelEnds {
 public:
  // A done operation: of a transfer that a loop or a call hands on to it, so that only an execution tells what began it.
  explicit ChannelEnds(const Instruction& start)
      : start_(start), role_(ExchangeOf(start).role), sends_(role_ == ExchangeRole::kSend || role_ == ExchangeRole::kSendDone), channel_(ChannelOf(start)) {}

  bool sends() const { return sends_; }
  // The send that the selected device executes here, and what takes what it receives here, where it is that end.
  const Instruction* send(Session::State& s) const { return HandedOn() ? nullptr : sends_ ? &start_ : Other(s, ExchangeRole::kSend); }
  const Instruction* takes(Session::State& s) const {
    if (HandedOn()) return sends_ ? nullptr : &start_;
    const Instruction* receive = sends_ ? Other(s, ExchangeRole::kReceive) : &start_;
    return receive != nullptr ? TakenBy(*receive) : nullptr;
  }
  // Messages that are on their way are for nobody else.
  bool TakesAll() const { return !sends_ && StartsOn(*start_.parent, role_, channel_).size() == 1; }

 private:
  bool HandedOn() const { return role_ == ExchangeRole::kSendDone || role_ == ExchangeRole::kReceiveDone; }

  // The k-th belongs to the k-th. Else the only one that the device has a frame of.
  const Instruction* Other(Session::State& s, ExchangeRole role) const {
    const std::vector<const Instruction*> own = StartsOn(*start_.parent, ExchangeOf(start_).role, channel_),
                                          others = StartsOn(*start_.parent, role, channel_);
    const size_t k = std::find(own.begin(), own.end(), &start_) - own.begin();
    if (k < others.size()) return others[k];
    const Instruction* only = nullptr;
    for (const Computation* computation : start_.parent->module->computations) {
      for (const Instruction* i : StartsOn(*computation, role, channel_)) {
        if (s.FrameThatShows(*i) < 0) continue;
        if (only != nullptr) return nullptr;
        only = i;
      }
    }
    return only;
  }

  const Instruction& start_;
  const ExchangeRole role_;
  const bool sends_;
  const int64_t channel_;
};

// With each device's run in turn, its frames all selected.
void ForEachStanding(Session::State& s, const std::function<void(int device)>& each) {
  const int selected = s.selected;
  ForEachRun(s, [&](int d) {
    if (s.visible()) {
      SettleRun(s);
      s.selected = static_cast<int>(s.machine->frames().size()) - 1;
    }
    each(d);
  });
  s.selected = selected;
}

bool Differ(const std::vector<uint64_t>& paths) {
  return std::any_of(paths.begin(), paths.end(), [&](uint64_t path) { return path != paths[0]; });
}

// What the exchange knows of this execution: who sent what, from where, to which receive.
void FromPast(DeviceReaders& readers, const ExchangePast& past, PictureData::Transfer& t) {
  const auto value = [&](const ExchangePast::Member& member, const Instruction& of) {
    const std::optional<int> frame = readers.FrameOf(member);
    if (!frame.has_value()) return Value();  // gone back to before it
    absl::StatusOr<Value> made = readers.of(member.device).history().ValueOf(*frame, of);
    return made.ok() ? ToDense(*std::move(made)) : Value();
  };
  t.unsent = false;
  t.sends = past.members[0].instruction;
  t.takes = past.members[1].instruction;
  t.sent = readers.Brought(past.members[0], 0).value_or(Value());
  t.arrived = value(past.members[1], *t.takes);
}

void GatherTransfers(Session::State& s, const Instruction& instruction, PictureData& data) {
  const Devices& all = DevicesOf(s);
  const Instruction& start = TransferStart(instruction);
  if (all.room == nullptr) return;
  const ChannelEnds ends(start);
  std::vector<std::vector<Value>> messages;  // on their way
  for (int d = 0; d < s.options.devices.count(); ++d) {
    const absl::StatusOr<std::vector<ExchangeMeeting>> meetings = all.room->Meetings(start, d, {});
    if (!meetings.ok()) return;  // its pairs do not fit
    for (const ExchangeMeeting& m : *meetings) {
      const int from = m.members[0].device, to = m.members[1].device, count = s.options.devices.count();
      const bool known = std::any_of(data.transfers.begin(), data.transfers.end(),
                                     [&](const PictureData::Transfer& t) { return t.from == from && t.to == to; });
      if (known || (from < 0 && to < 0) || from >= count || to >= count) continue;
      data.transfers.push_back({from, to});
      messages.push_back(m.messages);
    }
  }
  // The execution that the selected device stands before or has behind it, on all that run the same program.
  const int shown = s.FrameThatShows(start), selected = all.selected;
  const uint64_t path = shown >= 0 ? s.machine->frames()[shown].path : 0;
  const auto follows = [&](int d) { return shown >= 0 && all.modules[d] == all.modules[selected]; };
  const auto elsewhere = [&](int d, const Instruction& i) {
    const int depth = follows(d) && i.parent == start.parent ? s.FrameThatShows(i) : -1;
    return depth >= 0 && s.machine->frames()[depth].path != path;
  };
  std::vector<std::optional<int>> frames(data.transfers.size());  // where the shown instruction was executed, or will be
  std::vector<uint64_t> paths;                                    // of those frames
  std::vector<bool> next(data.transfers.size());                  // and it is the one that is shown
  ForEachStanding(s, [&](int d) {
    for (size_t k = 0; k < data.transfers.size(); ++k) {
      PictureData::Transfer& t = data.transfers[k];
      if (t.from == d && (t.sends = ends.send(s)) != nullptr && !elsewhere(d, *t.sends)) {
        t.sent = ValueFor(s, *t.sends->operands[0], false);
        const int depth = s.FrameThatShows(*t.sends);
        t.unsent = depth >= 0 && s.machine->frames()[depth].position <= t.sends->index;
      }
      if (const Instruction* takes = t.to == d ? ends.takes(s) : nullptr; takes != nullptr) t.takes = takes;
      if (const int depth = (ends.sends() ? t.from : t.to) == d ? s.FrameThatShows(start) : -1; depth >= 0) {
        frames[k] = depth;
        next[k] = !elsewhere(d, start);
        if (all.modules[d] == all.modules[selected]) paths.push_back(s.machine->frames()[depth].path);
      }
    }
  });
  DeviceReaders readers(s);
  std::vector<std::shared_ptr<const ExchangePast>> pasts(data.transfers.size());
  for (size_t k = 0; k < data.transfers.size(); ++k) {
    PictureData::Transfer& t = data.transfers[k];
    const Instruction* knows = ends.sends() ? &start : t.takes;
    const int device = ends.sends() ? t.from : t.to;
    if (device < 0 || knows == nullptr || (!follows(device) && !frames[k].has_value())) continue;
    const int of = follows(device) ? selected : device, frame = follows(device) ? shown : *frames[k];
    const uint64_t key = readers.of(of).history().ExchangeKey(frame, *knows);
    pasts[k] = ExchangeOf(*knows).role == ExchangeRole::kSendDone ? all.room->PastOfSendDone(device, key) : all.room->Past(device, key);
    const bool sends_here = t.sends != nullptr && t.sends->parent == start.parent && follows(t.from);
    const std::optional<Value> on_its_way = pasts[k] == nullptr && sends_here ? all.room->OnItsWay(t.from, readers.of(selected).history().ExchangeKey(shown, *t.sends)) : std::nullopt;
    if (pasts[k] != nullptr) {
      FromPast(readers, *pasts[k], t);
    } else if (on_its_way.has_value()) {
      t.sent = ToDense(*on_its_way);
      t.unsent = false;
    } else if (ends.TakesAll() && !messages[k].empty() && next[k]) {
      t.sent = ToDense(messages[k].front());
      t.unsent = false;
    }
  }
  // The selected device stands in no execution, and those of the others are not one: no moment is shown by what each has in its own.
  if (shown < 0 && Differ(paths)) {
    for (size_t k = 0; k < data.transfers.size(); ++k) data.transfers[k].sent = data.transfers[k].arrived = Value(), pasts[k] = nullptr;
  }
  // One may have come back to the moment before it: what it gets there is what it got.
  ForEachStanding(s, [&](int d) {
    for (size_t k = 0; k < data.transfers.size(); ++k) {
      PictureData::Transfer& t = data.transfers[k];
      if (pasts[k] != nullptr && t.to == d && !t.arrived.has_value() && s.machine->Where() == pasts[k]->members[1].mark) t.arrived = ValueFor(s, *t.takes, true);
    }
  });
}

// The device takes part with that one.
void NameOthers(const Instruction& executes, PictureData::OfDevice& of) {
  const CollectivePart part = CollectiveOf(executes);
  of.other_instruction = true;
  of.operand_names.clear();
  for (const Instruction* operand : (part.brings != nullptr ? part.brings : &executes)->operands) of.operand_names.push_back(NameInText(*operand));
  of.result_name = NameInText(executes);
}

// What devices that run other functions, or have come on another way, have brought to the exchange that the selected one comes to next, or waits
// for. True in the answer for the devices of its group.
std::vector<bool> FromMeetings(Session::State& s, const CollectivePart& part, uint64_t key, PictureData& data) {
  const Devices& all = DevicesOf(s);
  std::vector<bool> in_group(data.devices.size());
  ExchangeRoom::Asked asked{key};
  if (s.machine->next_instruction() == part.begins) asked.before.emplace();
  const absl::StatusOr<std::vector<ExchangeMeeting>> meetings = all.room->Meetings(*part.collective, all.selected, asked);
  if (!meetings.ok()) return in_group;
  for (const ExchangeMeeting& meeting : *meetings) {
    const auto is_selected = [&](const ExchangeMeeting::Member& m) { return m.device == all.selected; };
    const bool own = std::any_of(meeting.members.begin(), meeting.members.end(), is_selected);
    const auto here = std::count_if(meeting.members.begin(), meeting.members.end(), [](const ExchangeMeeting::Member& m) { return m.here; });
    const bool some = here > 0 && here < static_cast<int64_t>(meeting.members.size());
    for (const ExchangeMeeting::Member& member : meeting.members) {
      if (member.device < 0) continue;
      in_group[member.device] = own;
      PictureData::OfDevice& of = data.devices[member.device];
      // What it has from the same iteration may belong to an exchange that was made with another one of the others.
      if (own && member.device != all.selected && all.room->Past(member.device, key) != nullptr) {
        const size_t count = of.operands.size();
        of = {};
        of.operands.resize(count);
      }
      if (some) of.come = member.here;
      if (some && !member.here) of.stands = NowText(StandingOf(s, member.device));
      if (!member.here || member.instruction == nullptr) continue;
      if (member.instruction != part.collective) NameOthers(*member.instruction, of);
      else if (!own) continue;
      for (size_t k = 0; k < std::min(member.operands.size(), of.operands.size()); ++k) of.operands[k] = ToDense(member.operands[k]);
    }
  }
  return in_group;
}

// What a member brought to an exchange that was made, and got. False: it has gone back to before it, and has nothing of it.
bool Take(DeviceReaders& readers, const ExchangePast::Member& member, const CollectivePart& part, const Instruction& instruction, PictureData& data) {
  PictureData::OfDevice& of = data.devices[member.device];
  of = {};
  of.operands.resize(part.brings->operands.size());
  const bool same = member.instruction == part.collective, wrapped = part.begins != part.collective;
  if (!same) NameOthers(*member.instruction, of);  // it runs another function
  const std::optional<int> frame = readers.FrameOf(member);
  if (!frame.has_value()) return false;
  const size_t count = std::min(of.operands.size(), member.instruction->operands.size());
  for (size_t k = 0; k < count; ++k) of.operands[k] = readers.Brought(member, static_cast<int>(k)).value_or(Value());
  FrameHistory& history = readers.of(member.device).history();
  absl::StatusOr<Value> result = history.ValueOf(same && wrapped ? history.place(*frame).parent : *frame, same ? instruction : *member.instruction);
  if (result.ok()) of.result = ToDense(*std::move(result));
  return true;
}

// The execution that the selected device stands before or has behind it, on all devices: wherever another one is now, nothing that it has in
// another iteration or call.
void GatherCollective(Session::State& s, const Instruction& instruction, PictureData& data) {
  const CollectivePart part = CollectiveOf(instruction);
  const int shown = s.FrameThatShows(*part.begins);
  const uint64_t path = shown >= 0 ? s.machine->frames()[shown].path : 0;
  const auto stands_there = [&] {
    const int depth = s.FrameThatShows(*part.begins);
    return depth >= 0 && (shown < 0 || s.machine->frames()[depth].path == path);
  };
  const Devices& all = DevicesOf(s);
  const int selected = all.selected;
  std::vector<uint64_t> paths;
  std::vector<int> frames(s.options.devices.count(), -1);  // in which each device begins it; -1: it does not stand there
  ForEachStanding(s, [&](int d) {
    PictureData::OfDevice& of = data.devices.emplace_back();
    of.operands.resize(part.brings->operands.size());
    of.other_instruction = all.modules[d] != all.modules[selected] && !stands_there();
    if (!stands_there()) return;
    frames[d] = s.FrameThatShows(*part.begins);
    if (all.modules[d] == all.modules[selected]) paths.push_back(s.machine->frames()[frames[d]].path);
    for (size_t k = 0; k < of.operands.size(); ++k) of.operands[k] = ValueFor(s, *part.brings->operands[k], false);
    of.result = ValueFor(s, instruction, false);
  });
  if (all.room == nullptr) return;
  DeviceReaders readers(s);
  FrameHistory& own = readers.of(all.selected).history();
  if (shown < 0) {  // the frame has ended in which the selected device made it
    const std::optional<int> ended = s.visible() ? FrameOfExchange(s, own, part, *part.collective) : std::nullopt;
    const std::shared_ptr<const ExchangePast> past = ended.has_value() ? all.room->Past(all.selected, own.ExchangeKey(*ended, *part.collective)) : nullptr;
    if (past == nullptr && !Differ(paths)) return;
    // Else the others' executions are not one: no moment is shown by what each has in its own.
    for (PictureData::OfDevice& of : data.devices) {
      of = {};
      of.operands.resize(part.brings->operands.size());
    }
    if (past == nullptr) return;
    for (const ExchangePast::Member& member : past->members) Take(readers, member, part, instruction, data);
    return;
  }
  const bool wrapped = part.begins != part.collective;
  for (size_t d = 0; d < data.devices.size() && part.brings != part.begins; ++d) {  // made in a frame that may have ended
    FrameHistory& history = readers.of(static_cast<int>(d)).history();
    if (frames[d] < 0 || history.live_position(frames[d]) <= part.begins->index) continue;
    const int inside = history.EnterCall(frames[d], *part.begins);
    for (size_t k = 0; k < data.devices[d].operands.size(); ++k) {
      absl::StatusOr<Value> brought = history.ValueOf(inside, *part.brings->operands[k]);
      if (brought.ok()) data.devices[d].operands[k] = ToDense(*std::move(brought));
    }
  }
  if (wrapped && own.live_position(shown) <= part.begins->index) return;
  const uint64_t key = own.ExchangeKey(wrapped ? own.EnterCall(shown, *part.begins) : shown, *part.collective);
  const std::vector<bool> in_group = FromMeetings(s, part, key, data);
  std::vector<std::optional<Mark>> known(data.devices.size());  // the exchange was made, and the device has not gone back to before it: where
  // The selected device's group knows all of its members, wherever and in which iteration they came to it. Of the other groups each device that has
  // come on the same way knows its own, and its group those that have come on another one.
  std::vector<bool> settled(data.devices.size());
  const auto settle = [&](int device) {
    const std::shared_ptr<const ExchangePast> past = settled[device] ? nullptr : all.room->Past(device, key);
    if (past == nullptr) return;  // not made yet
    for (const ExchangePast::Member& member : past->members) {
      if (settled[member.device]) continue;
      settled[member.device] = true;
      if (Take(readers, member, part, instruction, data)) known[member.device] = member.mark;
    }
  };
  settle(all.selected);
  const bool made = settled[all.selected];
  for (int d = 0; d < static_cast<int>(data.devices.size()); ++d) {
    if (made || !in_group[d]) settle(d);
  }
  // One may have come back to the moment before it: what it gets there is what it got.
  ForEachStanding(s, [&](int d) {
    if (known[d].has_value() && !data.devices[d].result.has_value() && (stands_there() || s.machine->Where() == *known[d])) data.devices[d].result = ValueFor(s, instruction, true);
  });
}

// Of the devices that stand at the instruction, or at what begins it: an error with which they stopped, or a wait that nobody can end.
void GatherFaults(Session::State& s, const Instruction& instruction, PictureData& data) {
  const Instruction* begins = IsTransfer(instruction) ? nullptr : CollectiveOf(instruction).begins;
  constexpr size_t kMost = 4;
  for (int d = 0; d < s.options.devices.count() && data.faults.size() < kMost; ++d) {
    const DeviceStanding standing = StandingOf(s, d);
    if (standing.instruction == nullptr || (standing.instruction != &instruction && standing.instruction != begins)) continue;
    const std::string name = s.options.devices.Name(d);
    if (standing.state == DeviceStanding::kError) data.faults.push_back(absl::StrCat(name, " stopped with an error: ", standing.what));
    else if (standing.for_ever) data.faults.push_back(absl::StrCat(name, " ", StateText(standing)));
  }
}

}  // namespace

bool ExchangesWithOthers(const Instruction& instruction) {
  return CollectiveOf(instruction).collective != nullptr || IsBetweenDevices(instruction);
}

void GatherDevices(Session::State& s, const Instruction& instruction, PictureData& data) {
  data.several = true;
  data.replicas = s.options.devices.replicas;
  data.partitions = s.options.devices.partitions;
  data.selected = DevicesOf(s).selected;
  GatherFaults(s, instruction, data);
  if (IsTransfer(instruction)) return GatherTransfers(s, instruction, data);
  GatherCollective(s, instruction, data);
}

}  // namespace hloscope
