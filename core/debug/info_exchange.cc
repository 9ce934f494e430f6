// info exchange: who has come to an exchange, with what, and who is missing; of one that was made, what each brought to it. Running devices
// is devices.cc's.
#include <algorithm>
#include <optional>

#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/device_names.h"
#include "core/debug/device_readers.h"
#include "core/debug/devices.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/literal/format.h"
#include "core/literal/statistics.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// "f32[2] [1, 2]", or what a larger one is like.
std::string BroughtText(const Value& value) {
  constexpr int64_t kFew = 16;
  if (value.shape().IsTuple()) return absl::StrCat("(", absl::StrJoin(value.elements(), ", ", [](std::string* out, const Value& v) { absl::StrAppend(out, BroughtText(v)); }), ")");
  if (!value.shape().IsArray()) return value.shape().ToString(false);
  return absl::StrCat(value.shape().ToString(false), " ",
                      value.element_count() <= kFew ? absl::StrReplaceAll(FormatValue(value), {{"\n", ""}}) : FormatStatistics(Summarize(value)));
}

std::string IterationText(const std::vector<LoopPlace>& loops) { return loops.empty() ? "" : absl::StrCat(", ", LoopsText(loops)); }

// "  replica 0: here at %x, iteration 2 of %w, with f32[2] [1, 2]".
void SayMember(Session::State& s, absl::string_view who, absl::string_view word, const Instruction* at, const Instruction& asked, absl::string_view iteration,
               const std::vector<std::string>& brought, absl::string_view now = "") {
  s.Say("  ", who, ": ", word, at != nullptr && at != &asked ? absl::StrCat(" at ", ShownName(*at)) : "", iteration,
        brought.empty() ? "" : absl::StrCat(", with ", absl::StrJoin(brought, "; ")), now, "\n");
}

// "  replica 0 -> replica 1, ...": of members by their names.
template <typename NameOfMember>
void SaySends(Session::State& s, const std::vector<std::pair<int, int>>& sends, const NameOfMember& name) {
  if (sends.empty()) return;
  s.Say("  ", absl::StrJoin(sends, BetweenNames(name(sends[0].first)), [&](std::string* out, const std::pair<int, int>& send) { absl::StrAppend(out, name(send.first), " -> ", name(send.second)); }), "\n");
}

// It has come, and stands before that again: at the instruction itself it waits, if that does not only begin it.
bool HasGoneBack(DeviceReaders& readers, const ExchangeMeeting::Member& member) {
  if (member.mark.levels.empty()) return false;
  const Mark now = readers.machine(member.device).Where();
  return now < member.mark || (now == member.mark && ExchangeOf(*member.instruction).begins);
}

void SayMeeting(Session::State& s, DeviceReaders& readers, const ExchangeMeeting& meeting, const Instruction& asked) {
  Devices& all = DevicesOf(s);
  const bool some_missing = std::any_of(meeting.members.begin(), meeting.members.end(), [](const ExchangeMeeting::Member& m) { return !m.here; });
  for (size_t k = 0; k < meeting.members.size(); ++k) {
    const ExchangeMeeting::Member& member = meeting.members[k];
    const std::string name = member.device >= 0 ? all.room->Name(member.device) : "nobody yet";
    if (meeting.transfer) {
      s.Say("  ", k == 0 ? "from " : "to ", name, ": ", k == 0 ? "sent " : "posted ", member.come,
            k == 0 ? "" : absl::StrCat(", received ", meeting.number), "\n");
      continue;
    }
    if (!member.here) {
      s.Say("  ", name, ": missing; it ", member.device == all.selected ? "(this one) " : "", NowText(StandingOf(s, member.device)), "\n");
      continue;
    }
    std::vector<std::string> brought;
    for (const Value& operand : member.operands) brought.push_back(BroughtText(operand));
    const bool back = some_missing && HasGoneBack(readers, member);
    SayMember(s, name, back ? "came" : "here", member.instruction, asked, IterationText(member.loops), brought,
              back ? absl::StrCat("; it has gone back to before that and ", NowText(StandingOf(s, member.device))) : "");
  }
  for (const Value& message : meeting.messages) s.Say("  on its way: ", BroughtText(message), "\n");
  if (!meeting.transfer) SaySends(s, meeting.sends, [&](int member) { return all.room->Name(meeting.members[member].device); });
}

// The collectives that the selected device comes to between where it stands and the instruction, or what begins it. Nothing: that is not
// known, as it stands in another computation, or one between them is in what is called there.
std::optional<std::vector<const Instruction*>> Before(const Session::State& s, const CollectivePart& part, const Instruction& collective) {
  const Frame& top = s.machine->top();
  const Instruction* target = top.computation == collective.parent ? &collective : part.begins;
  if (target == nullptr || target->parent != top.computation) return std::nullopt;
  std::vector<const Instruction*> before;
  const auto add = [&](const Computation& computation, int from, int to) {
    for (int position = from; position < to; ++position) {
      const Instruction& i = *computation.schedule[position];
      if (const CollectivePart other = CollectiveOf(i); other.begins == &i) {
        before.push_back(other.collective);
      } else if (!i.CalledComputations().empty() && MustRun(i)) {
        return false;
      }
    }
    return true;
  };
  if (!add(*top.computation, top.position, target->index)) return std::nullopt;
  if (target != &collective && !add(*collective.parent, 0, collective.index)) return std::nullopt;
  return before;
}

std::string IterationText(const FrameHistory& history, int frame) {
  std::vector<LoopPlace> loops;
  for (int f = frame; f >= 0; f = history.place(f).parent) {
    const FrameHistory::Place& place = history.place(f);
    if (IsLoop(place.kind)) loops.push_back({place.caller, place.iteration, place.kind == FrameKind::kWhileCondition});
  }
  std::reverse(loops.begin(), loops.end());
  return IterationText(loops);
}

// "; %x.1 (all-to-all) does, whose result it moves": StableHLO's operations may become an exchange and what moves its result.
std::string ThatItMoves(const Instruction& asked) {
  const Instruction* i = &asked;
  while (Def(*i).movement == Movement::kMove && i->operands.size() == 1) {
    i = i->operands[0];
    if (CollectiveOf(*i).collective != nullptr) return absl::StrCat("; ", ShownName(*i), " (", Name(i->opcode), ") does, whose result it moves");
  }
  return "";
}

// "; what it runs does: info exchange %x, info exchange %y".
std::string ThatItRuns(const Instruction& asked) {
  constexpr size_t kNamed = 8;
  const Instruction* start = AsyncStartOf(asked);
  std::vector<std::string> ask;
  size_t more = 0;
  for (const Computation* called : (start != nullptr ? *start : asked).CalledComputations()) {
    for (const Instruction* i : ExchangesIn(*called)) {
      std::string one = absl::StrCat("info exchange ", ShownName(*i));
      if (std::find(ask.begin(), ask.end(), one) != ask.end()) continue;
      if (ask.size() == kNamed) ++more;
      else ask.push_back(std::move(one));
    }
  }
  if (more > 0) ask.push_back(absl::StrCat("and ", more, " more"));
  return ask.empty() ? "" : absl::StrCat(" itself; what it runs does: ", absl::StrJoin(ask, ", "));
}

// The collectives that an instruction is, begins, hands on or awaits.
std::vector<CollectivePart> CollectivesOf(const Instruction& asked) {
  if (const CollectivePart part = CollectiveOf(asked); part.collective != nullptr) return {part};
  std::vector<CollectivePart> parts;
  if (const Instruction* start = AsyncStartOf(asked); start != nullptr) {
    for (const Computation* called : start->CalledComputations()) {
      for (const Instruction* i : called->schedule) {
        if (CollectiveOf(*i).begins == i) parts.push_back({CollectiveOf(*i).collective, start, CollectiveOf(*i).brings});
      }
    }
  }
  return parts;
}

// Of an exchange that was made, what each has brought to it.
void SayPast(Session::State& s, DeviceReaders& readers, const ExchangePast& past, const Instruction& asked) {
  const auto name = [&](int member) { return s.options.devices.Name(past.members[member].device); };
  for (size_t k = 0; k < past.members.size(); ++k) {
    const ExchangePast::Member& member = past.members[k];
    const std::string who = absl::StrCat(past.transfer ? (k == 0 ? "from " : "to ") : "", name(static_cast<int>(k)));
    const std::optional<int> frame = readers.FrameOf(member);
    if (!frame.has_value()) {
      s.Say("  ", who, ": came, and has gone back to before it\n");
      continue;
    }
    FrameHistory& history = readers.of(member.device).history();
    std::vector<std::string> brought;
    if (!past.transfer || k == 0) {
      const size_t count = past.transfer ? 1 : member.instruction->operands.size();
      for (size_t o = 0; o < count; ++o) {
        const absl::StatusOr<Value> value = readers.Brought(member, static_cast<int>(o));
        brought.push_back(value.ok() ? BroughtText(*value) : std::string(value.status().message()));
      }
    }
    SayMember(s, who, "came", member.instruction, asked, IterationText(history, *frame), brought);
  }
  if (!past.transfer) SaySends(s, past.sends, name);
}

// The end of a transfer that executes it.
const ExchangeMeeting::Member& OwnEnd(const ExchangeMeeting& meeting, const ExchangeDef& def) {
  const bool receives = def.role == ExchangeRole::kReceive || def.role == ExchangeRole::kReceiveDone;
  return receives ? meeting.members.back() : meeting.members.front();
}

// "replica 0 -> replica 1 (this one)": of a transfer whose end the selected device executes.
std::string PairText(const Devices& all, const ExchangeMeeting& meeting, const ExchangeDef& def) {
  const auto name = [&](const ExchangeMeeting::Member& m) { return m.device >= 0 ? all.room->Name(m.device) : std::string("nobody yet"); };
  return absl::StrCat(name(meeting.members.front()), " -> ", name(meeting.members.back()),
                      OwnEnd(meeting, def).device == all.selected ? " (this one)" : "");
}

// The execution with that key of `device`, wherever the others are now; of groups without it, of any member that comes on the same way, as of a
// transfer the end that executes it. Null: nobody has executed it yet.
std::shared_ptr<const ExchangePast> PastOf(const ExchangeRoom& room, const ExchangeMeeting& meeting, int device, const ExchangeDef& def, uint64_t key) {
  const auto is_own = [&](const ExchangeMeeting::Member& member) { return member.device == device; };
  if (!meeting.transfer && std::any_of(meeting.members.begin(), meeting.members.end(), is_own)) return room.Past(device, key);
  for (const ExchangeMeeting::Member& member : meeting.members) {
    if (member.device < 0 || (meeting.transfer && &member != &OwnEnd(meeting, def))) continue;
    if (auto past = def.role == ExchangeRole::kSendDone ? room.PastOfSendDone(member.device, key) : room.Past(member.device, key); past != nullptr) return past;
  }
  return nullptr;
}

// All that take part have ended: there is no further exchange.
bool Over(Session::State& s, const ExchangeMeeting& meeting) {
  return std::all_of(meeting.members.begin(), meeting.members.end(), [&](const ExchangeMeeting::Member& m) {
    return !m.here && m.device >= 0 && StandingOf(s, m.device).state == DeviceStanding::kEnded;
  });
}

// "this exchange was made 3 times": by the instruction itself, whatever else its devices have exchanged.
std::string MadeText(const ExchangeMeeting& meeting) {
  if (meeting.made == 0) return "this exchange was never made";
  return absl::StrCat("this exchange was made ", meeting.made == 1 ? "once" : absl::StrCat(meeting.made, " times"));
}

// What each member of a group gets.
std::string GivesText(const Instruction& collective) {
  if (!HasDynamicRoot(collective) || collective.operands.empty()) return std::string(ExchangeOf(collective).gives);
  return absl::StrCat("each gets the array of the member of its group that ", ShownName(*collective.operands.back()), " names");
}

// Of the collective that `part` is of, or of what was asked for itself. `given`: the user has named it.
absl::Status SayExchange(Session::State& s, const Instruction& asked, const CollectivePart& part, bool given) {
  Devices& all = DevicesOf(s);
  const Instruction& instruction = part.collective != nullptr ? *part.collective : asked;
  const ExchangeDef& def = ExchangeOf(instruction);
  DeviceReaders readers(s);
  const std::optional<int> frame = s.visible() ? FrameOfExchange(s, readers.of(all.selected).history(), part, instruction) : std::nullopt;
  ExchangeRoom::Asked which;
  if (frame.has_value()) which.key = readers.of(all.selected).history().ExchangeKey(*frame, instruction);
  if (s.visible()) which.before = Before(s, part, instruction);
  const absl::StatusOr<std::vector<ExchangeMeeting>> meetings = all.room->Meetings(instruction, all.selected, which);
  if (!meetings.ok()) return meetings.status();
  if (meetings->empty()) {
    return absl::FailedPreconditionError(absl::StrCat(ShownName(instruction), " (", Name(instruction.opcode),
                                                      ") exchanges nothing with other devices", ThatItMoves(asked),
                                                      ThatItRuns(asked), given ? "" : "; info exchange %x asks about another one"));
  }
  const std::string of = &asked == &instruction
                             ? ""
                             : absl::StrCat(" of ", ShownName(instruction),
                                            asked.parent != instruction.parent ? absl::StrCat(" in ", instruction.parent->name) : "", " (",
                                            Name(instruction.opcode), ")");
  s.Say(ShownName(asked), " (", Name(asked.opcode), ")", of,
        meetings->size() > 1 && !meetings->front().transfer ? absl::StrCat(", ", meetings->size(), " groups") : "",
        def.gives.empty() ? "" : absl::StrCat(": ", GivesText(instruction)), "\n");
  int number = 0;  // as pictures number them, and replicas
  for (const ExchangeMeeting& meeting : *meetings) {
    const std::string pair = meetings->size() > 1 && meeting.transfer ? PairText(all, meeting, def) : "";
    const std::string group = !pair.empty() ? absl::StrCat(pair, ": ") : meetings->size() > 1 ? absl::StrCat("group ", number, ", ") : "";
    ++number;
    if (const auto past = frame.has_value() ? PastOf(*all.room, meeting, all.selected, def, which.key) : meeting.past; past != nullptr) {
      s.Say(group, "this exchange was made: ",
            past->transfer              ? "sent and received"
            : past->members.size() == 1 ? "one device alone"
                                        : absl::StrCat("all ", past->members.size(), " have come"),
            meeting.complete && past == meeting.past ? ", and some have not gone on yet" : "", "\n");
      SayPast(s, readers, *past, instruction);
      continue;
    }
    if (!meeting.transfer && Over(s, meeting)) {
      s.Say(group, MadeText(meeting), ", and all of its devices have finished\n");
      continue;
    }
    const int64_t here = std::count_if(meeting.members.begin(), meeting.members.end(), [](const ExchangeMeeting::Member& m) { return m.here; });
    // No execution is meant: then the next one is, which the other exchanges of these devices may come before.
    const bool any = !meeting.transfer && !frame.has_value() && here == 0;
    if (any && meeting.made > 0) {
      s.Say(group, MadeText(meeting), meeting.later ? ", and nobody stands at it now\n" : ", and nobody has come to another one\n");
      continue;
    }
    if (meeting.later || (any && meeting.number > 0 && !which.before.has_value())) {
      s.Say(group, "nobody has come to this exchange yet\n");
    } else if (!meeting.transfer) {
      s.Say(group, "exchange ", meeting.number + 1, " of these devices: ", here, " of ", meeting.members.size(),
            here == 1 ? " has come" : " have come", meeting.complete ? ", and some have not gone on yet" : "", "\n");
    } else if (!pair.empty()) {
      s.Say(pair, "\n");
    }
    SayMeeting(s, readers, meeting, instruction);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status InfoExchange(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  Devices& all = DevicesOf(s);
  if (all.runs.empty()) return s.NeedRunning();
  args = absl::StripAsciiWhitespace(args);
  if (args.empty() && !s.started()) return s.NeedRunning();
  absl::ConsumePrefix(&args, "%");
  const absl::StatusOr<const Instruction*> found = s.FindInstruction(args);
  if (!found.ok()) return found.status();
  const Instruction& asked = **found;
  std::vector<CollectivePart> parts = CollectivesOf(asked);
  if (parts.empty()) parts.emplace_back();
  for (const CollectivePart& part : parts) {
    if (absl::Status said = SayExchange(s, asked, part, !args.empty()); !said.ok()) return said;
  }
  return absl::OkStatus();
}

}  // namespace hloscope
