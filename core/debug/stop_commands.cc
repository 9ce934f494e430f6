// Commands attached to a stop: typed as `commands N` ... `end` or in one line, executed when the stop has been shown.
#include <optional>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/devices.h"
#include "core/debug/interruption.h"
#include "core/debug/stop_check.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

// "print %x; continue": what stands between semicolons that are in no quotes and no brackets.
std::vector<Breakpoint::Command> SplitCommands(const Session::State& s, absl::string_view text) {
  std::vector<Breakpoint::Command> commands;
  bool quoted = false;
  int depth = 0;
  size_t begin = 0;
  for (size_t i = 0; i <= text.size(); ++i) {
    const char c = i < text.size() ? text[i] : ';';
    if (c == '"' && (i == 0 || text[i - 1] != '\\')) quoted = !quoted;
    if (!quoted && (c == '{' || c == '[' || c == '(')) ++depth;
    if (!quoted && (c == '}' || c == ']' || c == ')')) --depth;
    if (c != ';' || (i < text.size() && (quoted || depth > 0))) continue;
    const absl::string_view command = absl::StripAsciiWhitespace(text.substr(begin, i - begin));
    if (!command.empty()) commands.push_back({std::string(command), s.script, s.script_line});
    begin = i + 1;
  }
  return commands;
}

// Stops that commands of stops have come to since one was executed first: State::Extension<CommandChain>().
struct CommandChain {
  std::optional<Mark> furthest;
  absl::flat_hash_set<std::string> seen;  // before the furthest, with all that decides what follows
  bool endless = false;
};

void Attach(Session::State& s, const std::vector<int>& numbers, const std::vector<Breakpoint::Command>& commands) {
  for (const auto& b : s.breakpoints) {
    if (std::find(numbers.begin(), numbers.end(), b->number) != numbers.end()) b->commands = commands;
  }
}

}  // namespace

absl::Status CommandCommands(Session::State& s, absl::string_view args) {
  const size_t colon = args.find(':');
  std::vector<int> numbers;
  for (absl::string_view word : absl::StrSplit(args.substr(0, colon), absl::ByAnyChar(" ,\t"), absl::SkipEmpty())) {
    const absl::StatusOr<Breakpoint*> found = BreakpointOf(s, word);
    if (!found.ok()) return found.status();
    numbers.push_back((*found)->number);
  }
  if (numbers.empty()) {
    const absl::StatusOr<Breakpoint*> last = BreakpointOf(s, "last");
    if (!last.ok()) return last.status();
    numbers.push_back((*last)->number);
  }
  for (int number : numbers) {
    const absl::StatusOr<Breakpoint*> found = BreakpointOf(s, absl::StrCat(number));
    if (found.ok() && (*found)->kind == Breakpoint::kLog) return absl::InvalidArgumentError(absl::StrCat("logpoint ", number, " never stops, so it has no commands"));
  }
  if (colon != absl::string_view::npos) {
    Attach(s, numbers, SplitCommands(s, args.substr(colon + 1)));
    return absl::OkStatus();
  }
  StopState& stops = Stops(s);
  stops.collecting = std::move(numbers);
  stops.collected.clear();
  if (s.source_depth == 0) s.Say("The commands, one a line, then end:\n");
  return absl::OkStatus();
}

bool CollectLine(Session::State& s, absl::string_view line) {
  StopState& stops = Stops(s);
  if (stops.collecting.empty()) return false;
  if (line == "end") {
    Attach(s, stops.collecting, stops.collected);
    stops.collecting.clear();
  } else if (!line.empty()) {
    stops.collected.push_back({std::string(line), s.script, s.script_line});
  }
  return true;
}

void NoteTakenUp(Session::State& s) {
  const StopState& stops = Stops(s);
  if (!stops.running_commands || stops.pending.empty() || !s.visible()) return;
  CommandChain& chain = s.Extension<CommandChain>();
  const Mark here = s.machine->Where();
  if (!chain.furthest.has_value() || *chain.furthest < here) {  // on the way forward nothing comes again
    chain.furthest = here;
    return;
  }
  std::string state = absl::StrCat(DevicesOf(s).selected, " ", s.module->serial, " ", s.Extension<Travel>().timeline->last_edit());
  for (const Mark::Level& level : here.levels) absl::StrAppend(&state, " ", static_cast<int>(level.kind), ",", level.iteration, ",", level.branch, ",", level.position);
  absl::StrAppend(&state, "\n", absl::StrJoin(StopsAsCommands(s), ""));
  chain.endless = !chain.seen.insert(std::move(state)).second;
}

bool RunAttached(Session::State& s) {
  StopState& stops = Stops(s);
  if (stops.running_commands) return true;  // whoever is executing them goes on with what is new
  stops.running_commands = true;
  stops.restart.reset();
  CommandChain& chain = s.Extension<CommandChain>();
  chain = CommandChain();
  const std::string repeat = s.repeat, script = s.script;
  const int script_line = s.script_line;
  bool ok = true;
  while (ok && !stops.pending.empty() && !s.quit) {
    if (s.interrupted.load()) {
      s.Say(InterruptedBefore(absl::StrCat(stops.pending.front().text, " of the stop's commands", stops.pending.size() > 1 ? ", and what follows it" : "")), "\n");
      break;
    }
    const Breakpoint::Command command = std::move(stops.pending.front());
    stops.pending.pop_front();
    s.script = command.script;
    s.script_line = command.line;
    ok = s.session->Execute(command.text).ok;
    if (!ok) s.Say("this command of a breakpoint failed: ", command.text, "\n");
    if (ok && chain.endless) {
      s.Say("commands of a stop have come to the same stop again, by ", command.text, ", with nothing changed: this would never end\n");
      ok = false;
    }
  }
  stops.pending.clear();
  stops.running_commands = false;
  s.repeat = repeat;
  s.script = script;
  s.script_line = script_line;
  return ok;
}

absl::Status CheckRestart(Session::State& s) {
  StopState& stops = Stops(s);
  if (!stops.running_commands || s.machine == nullptr) return absl::OkStatus();
  StopState::Restart here{s.machine->Where(), s.module->serial, StopsAsCommands(s)};
  if (stops.restart == here) {
    return absl::FailedPreconditionError("commands of a stop have started the program again from here before, and it has come here again with nothing changed: this would never end");
  }
  stops.restart = std::move(here);
  return absl::OkStatus();
}

}  // namespace hloscope
