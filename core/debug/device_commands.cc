// Commands about a program's devices: replica, info replicas, info exchange. Running them is devices.cc's.
#include <algorithm>
#include <optional>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/devices.h"
#include "core/debug/text_util.h"
#include "core/literal/format.h"
#include "core/literal/statistics.h"
#include "core/ops/exchange_def.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

std::string StateText(const DeviceStanding& standing) {
  const std::string at = absl::StrCat("at ", standing.place);
  switch (standing.state) {
    case DeviceStanding::kNotStarted: return "not running";
    case DeviceStanding::kStopped: return at;
    case DeviceStanding::kWaiting: return absl::StrCat("waits ", at, standing.what);
    case DeviceStanding::kHeld: return absl::StrCat("is held ", at);
    case DeviceStanding::kEnded: return "has finished";
    case DeviceStanding::kError: return absl::StrCat("stopped with an error ", at, ": ", standing.what.substr(0, standing.what.find('\n')));
  }
  return "";
}

// A number of replicas or partitions off the text.
absl::StatusOr<int64_t> TakeNumber(absl::string_view& args, absl::string_view what, int64_t count) {
  const absl::string_view word = TakeWord(args);
  int64_t number = 0;
  if (!absl::SimpleAtoi(word, &number) || number < 0) return absl::InvalidArgumentError(absl::StrCat("replica takes the number of a ", what, ", not '", word, "'"));
  if (number >= count) return absl::OutOfRangeError(absl::StrCat("there is no ", what, " ", number, "; there ", count == 1 ? "is " : "are ", Count(count, what), ", numbered from 0"));
  return number;
}

// Executes the command on that device, and comes back.
absl::Status ExecuteOn(Session::State& s, int device, absl::string_view command) {
  Devices& all = DevicesOf(s);
  const int before = all.selected, depth = s.selected;
  SelectDevice(s, device);
  all.shown = device;
  const bool ok = s.session->Execute(command).ok;
  SwapTo(s, before);
  all.shown = before;
  if (s.visible()) s.selected = std::min<int>(depth, static_cast<int>(s.machine->frames().size()) - 1);
  s.repeat.clear();
  return ok ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrCat("this command failed on ", all.room == nullptr ? "it" : all.room->Name(device), ": ", command));
}

// "f32[2] [1, 2]", or what a larger one is like.
std::string BroughtText(const Value& value) {
  constexpr int64_t kFew = 16;
  if (!value.shape().IsArray()) return value.shape().ToString(false);
  return absl::StrCat(value.shape().ToString(false), " ", value.element_count() <= kFew ? FormatValue(value) : FormatStatistics(Summarize(value)));
}

std::string IterationText(const std::vector<LoopPlace>& loops) {
  if (loops.empty()) return "";
  return absl::StrCat(", ", loops.back().condition ? "condition of " : "", "iteration ", loops.back().iteration, " of %", loops.back().loop->name);
}

void SayMeeting(Session::State& s, const ExchangeMeeting& meeting, const Instruction& asked) {
  Devices& all = DevicesOf(s);
  for (size_t k = 0; k < meeting.members.size(); ++k) {
    const ExchangeMeeting::Member& member = meeting.members[k];
    const std::string name = member.device >= 0 ? all.room->Name(member.device) : "nobody yet";
    if (meeting.transfer) {
      s.Say("  ", k == 0 ? "from " : "to ", name, ": ", k == 0 ? "sent " : "posted ", member.come, k == 0 ? "" : absl::StrCat(", received ", meeting.number), "\n");
      continue;
    }
    if (!member.here) {
      s.Say("  ", name, ": missing; it ", member.device == all.selected ? "(this one) " : "", StateText(StandingOf(s, member.device)), "\n");
      continue;
    }
    std::vector<std::string> brought;
    for (const Value& operand : member.operands) brought.push_back(BroughtText(operand));
    const std::string other = member.instruction != nullptr && member.instruction != &asked ? absl::StrCat(" at %", member.instruction->name) : "";
    s.Say("  ", name, ": here", other, IterationText(member.loops), brought.empty() ? "" : absl::StrCat(", with ", absl::StrJoin(brought, "; ")), "\n");
  }
  for (const Value& message : meeting.messages) s.Say("  on its way: ", BroughtText(message), "\n");
  if (meeting.sends.empty() || meeting.transfer) return;
  s.Say("  ", absl::StrJoin(meeting.sends, ", ", [&](std::string* out, const std::pair<int, int>& send) {
          absl::StrAppend(out, all.room->Name(meeting.members[send.first].device), " -> ", all.room->Name(meeting.members[send.second].device));
        }), "\n");
}

absl::Status NeedSeveral(const Session::State& s) {
  return Several(s) ? absl::OkStatus() : absl::FailedPreconditionError("the program runs on one device; --replicas N and --partitions M give it several");
}

}  // namespace

absl::Status CommandReplica(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  Devices& all = DevicesOf(s);
  const SessionDevices& devices = s.options.devices;
  if (all.runs.empty()) return s.NeedRunning();
  absl::string_view rest = args;
  if (TakeWord(rest) == "all") {
    if (rest.empty()) return absl::InvalidArgumentError("replica all takes a command, as: replica all print %x");
    absl::Status status;
    for (int d = 0; d < devices.count(); ++d) {
      s.Say(all.room->Name(d), ":\n");
      if (absl::Status one = ExecuteOn(s, d, rest); !one.ok() && status.ok()) status = one;
    }
    return status;
  }
  int device = all.selected;
  if (!args.empty()) {
    const absl::StatusOr<int64_t> replica = TakeNumber(args, "replica", devices.replicas);
    if (!replica.ok()) return replica.status();
    int64_t partition = all.selected % devices.partitions;
    rest = args;
    if (TakeWord(rest) == "partition") {
      const absl::StatusOr<int64_t> number = TakeNumber(rest, "partition", devices.partitions);
      if (!number.ok()) return number.status();
      partition = *number;
      args = rest;
    }
    device = static_cast<int>(*replica * devices.partitions + partition);
  }
  if (!args.empty()) return ExecuteOn(s, device, args);
  SelectDevice(s, device);
  all.shown = device;
  s.Say(all.room->Name(device), " ", StateText(StandingOf(s, device)), "\n");
  if (const Instruction* next = s.started() ? s.machine->next_instruction() : nullptr) s.ShowInstruction(*next);
  return absl::OkStatus();
}

absl::Status InfoReplicas(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  Devices& all = DevicesOf(s);
  if (all.runs.empty()) return s.NeedRunning();
  for (int d = 0; d < s.options.devices.count(); ++d) s.Say(d == all.selected ? "* " : "  ", all.room->Name(d), " ", StateText(StandingOf(s, d)), "\n");
  if (all.stop_one) s.Say("A stop holds its device, and the others go on (set stop all changes that).\n");
  return absl::OkStatus();
}

absl::Status InfoProcesses(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  if (!s.options.devices.processes) return absl::FailedPreconditionError("this process has all devices; mpirun -n N hloscope debug FILE --exchange mpi gives them to several");
  for (const std::string& line : s.options.devices.processes()) s.Say(line, "\n");
  return absl::OkStatus();
}

absl::Status InfoExchange(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  Devices& all = DevicesOf(s);
  if (all.runs.empty()) return s.NeedRunning();
  args = absl::StripAsciiWhitespace(args);
  if (args.empty() && !s.started()) return s.NeedRunning();
  absl::ConsumePrefix(&args, "%");
  const absl::StatusOr<const Instruction*> found = s.FindInstruction(args);
  if (!found.ok()) return found.status();
  const Instruction& instruction = **found;
  const ExchangeDef& def = ExchangeOf(instruction);
  const absl::StatusOr<std::vector<ExchangeMeeting>> meetings = all.room->Meetings(instruction, all.selected);
  if (!meetings.ok()) return meetings.status();
  if (meetings->empty()) {
    return absl::FailedPreconditionError(absl::StrCat("%", instruction.name, " (", Name(instruction.opcode), ") exchanges nothing with other devices", args.empty() ? "; info exchange %x asks about another one" : ""));
  }
  s.Say("%", instruction.name, " (", Name(instruction.opcode), ")", meetings->size() > 1 && !meetings->front().transfer ? absl::StrCat(", ", meetings->size(), " groups") : "",
        def.gives.empty() ? "" : absl::StrCat(": ", def.gives), "\n");
  int number = 0;
  for (const ExchangeMeeting& meeting : *meetings) {
    ++number;
    if (!meeting.transfer) {
      const int64_t here = std::count_if(meeting.members.begin(), meeting.members.end(), [](const ExchangeMeeting::Member& m) { return m.here; });
      s.Say(meetings->size() > 1 ? absl::StrCat("group ", number, ", ") : "", "exchange ", meeting.number + 1, " of these devices: ", here, " of ", meeting.members.size(),
            here == 1 ? " has come" : " have come", meeting.complete ? ", and some have not gone on yet" : "", "\n");
    }
    SayMeeting(s, meeting, instruction);
  }
  return absl::OkStatus();
}

absl::Status SetStop(Session::State& s, absl::string_view word) {
  if (word != "all" && word != "one") return absl::InvalidArgumentError("set stop takes all (a stop stops every device) or one (it holds its device, and the others go on)");
  DevicesOf(s).stop_one = word == "one";
  return absl::OkStatus();
}

}  // namespace hloscope
