// Commands about a program's devices: replica, info replicas, info processes. Running them is devices.cc's, info exchange
// info_exchange.cc's.
#include <algorithm>
#include <optional>
#include <utility>

#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/devices.h"
#include "core/debug/interruption.h"
#include "core/debug/text_util.h"

namespace hloscope {
namespace {

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
  std::optional<Mark> stood;
  if (s.visible()) stood = s.machine->Where();
  const std::optional<int> outer = std::exchange(all.prefix_of, all.prefix_of.value_or(before));
  SelectDevice(s, device);
  all.shown = device;
  const bool ok = s.session->Execute(command).ok;
  SwapTo(s, before);
  all.shown = before;
  all.prefix_of = outer;
  // Where it has moved, the innermost frame is selected, as after any move.
  if (s.visible()) s.selected = stood == s.machine->Where() ? depth : static_cast<int>(s.machine->frames().size()) - 1;
  s.repeat.clear();
  return ok ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrCat("this command failed on ", s.options.devices.Name(device), ": ", command));
}

}  // namespace

std::string StateText(const DeviceStanding& standing) {
  const std::string at = absl::StrCat("at ", standing.place);
  switch (standing.state) {
    case DeviceStanding::kNotStarted: return "not running";
    case DeviceStanding::kStopped: return at;
    case DeviceStanding::kWaiting: return absl::StrCat(standing.for_ever ? "waits for ever " : "waits ", at, standing.what);
    case DeviceStanding::kHeld: return absl::StrCat("is held ", at);
    case DeviceStanding::kEnded: return "has finished";
    case DeviceStanding::kError: return absl::StrCat("stopped with an error ", at, ": ", standing.what.substr(0, standing.what.find('\n')));
  }
  return "";
}

std::string NowText(const DeviceStanding& standing) { return absl::StrCat(standing.state == DeviceStanding::kStopped ? "is " : "", StateText(standing)); }

absl::Status NeedSeveral(const Session::State& s) {
  return Several(s) ? absl::OkStatus() : absl::FailedPreconditionError("the program runs on one device; --replicas N and --partitions M give it several");
}

absl::Status CommandReplica(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  Devices& all = DevicesOf(s);
  const SessionDevices& devices = s.options.devices;
  if (all.runs.empty()) return s.NeedRunning();
  absl::string_view rest = args;
  if (TakeWord(rest) == "all") {
    if (rest.empty()) return absl::InvalidArgumentError("replica all takes a command, as: replica all print %x");
    absl::Status status;
    const bool before = std::exchange(all.each, true);
    for (int d = 0; d < devices.count(); ++d) {
      s.Say(s.options.devices.Name(d), ":\n");
      if (absl::Status one = ExecuteOn(s, d, rest); !one.ok() && status.ok()) status = one;
      if (s.interrupted.load() && d + 1 < devices.count()) {  // it is of all of them
        if (status.ok()) status = absl::CancelledError(InterruptedBefore(absl::StrCat("the command on ", devices.Name(d + 1), d + 2 < devices.count() ? " and those after it" : "")));
        break;
      }
    }
    all.each = before;
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
  s.Say(s.options.devices.Name(device), " ", StateText(StandingOf(s, device)), "\n");
  if (const Instruction* next = s.started() ? s.machine->next_instruction() : nullptr) s.ShowInstruction(*next);
  return absl::OkStatus();
}

absl::Status InfoReplicas(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  Devices& all = DevicesOf(s);
  if (all.runs.empty()) return s.NeedRunning();
  for (int d = 0; d < s.options.devices.count(); ++d) s.Say(d == all.selected ? "* " : "  ", s.options.devices.Name(d), " ", StateText(StandingOf(s, d)), "\n");
  if (all.stop_one) s.Say("A stop holds its device, and the others go on (set stop all changes that).\n");
  return absl::OkStatus();
}

absl::Status InfoProcesses(Session::State& s, absl::string_view args) {
  if (absl::Status several = NeedSeveral(s); !several.ok()) return several;
  if (!s.options.devices.processes) return absl::FailedPreconditionError("this process has all devices; mpirun -n N hloscope debug FILE --exchange mpi gives them to several");
  for (const std::string& line : s.options.devices.processes()) s.Say(line, "\n");
  return absl::OkStatus();
}

absl::Status SetStop(Session::State& s, absl::string_view word) {
  if (word != "all" && word != "one") return absl::InvalidArgumentError("set stop takes all (a stop stops every device) or one (it holds its device, and the others go on)");
  Devices& all = DevicesOf(s);
  all.stop_one = word == "one";
  if (!all.stop_one) all.held.assign(all.held.size(), false);  // a stop holds nobody any more
  return absl::OkStatus();
}

}  // namespace hloscope
