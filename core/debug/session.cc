// Finding the command that a line means, and executing it. What commands do stands in execution.cc, breakpoints.cc, values.cc, inspect.cc.
#include "core/debug/session.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <fstream>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/command_table.h"
#include "core/debug/completion.h"
#include "core/debug/devices.h"
#include "core/debug/file_words.h"
#include "core/debug/interruption.h"
#include "core/debug/parallel_main.h"
#include "core/debug/report.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"

namespace hloscope {
namespace {

// Index of the command that `word` means.
absl::StatusOr<int> FindCommand(absl::string_view word) {
  const std::vector<CommandRow>& commands = Commands();
  std::vector<std::string> names;
  int found = -1;
  for (size_t i = 0; i < commands.size(); ++i) {
    if (word == commands[i].name || word == commands[i].abbreviation) return static_cast<int>(i);
    if (!absl::StartsWith(commands[i].name, word)) continue;
    found = static_cast<int>(i);
    names.push_back(commands[i].name);
  }
  if (names.size() == 1) return found;
  if (names.size() > 1) return absl::InvalidArgumentError(absl::StrCat("'", word, "' could be ", absl::StrJoin(names, ", ")));
  constexpr std::pair<absl::string_view, absl::string_view> kOtherWords[] = {
#define X(other, told) {other, told},
#include "core/debug/other_words.def"
#undef X
  };
  for (const auto& [other, told] : kOtherWords) {
    if (word == other) return absl::InvalidArgumentError(absl::StrCat("there is no command '", word, "'; ", told));
  }
  int64_t budget = 1 << 20;
  NearestName nearest(word, &budget);
  for (const CommandRow& command : commands) nearest.Offer(command.name);
  const std::string hint = nearest.Hint();
  return absl::InvalidArgumentError(absl::StrCat("there is no command '", word, "'; ", hint.empty() ? "help lists them" : hint));
}

// The command's word: letters, or all up to white space. "p/shape x" is "p" and "/shape x", "commands: run" is "commands" and ": run".
absl::string_view TakeCommand(absl::string_view& line) {
  size_t end = 0;
  while (end < line.size() && absl::ascii_isalpha(line[end])) ++end;
  if (end == 0 || (end < line.size() && !absl::ascii_isspace(line[end]) && line[end] != '/' && line[end] != '%' && line[end] != '$' && line[end] != ':')) {
    while (end < line.size() && !absl::ascii_isspace(line[end])) ++end;
  }
  const absl::string_view word = line.substr(0, end);
  line = absl::StripAsciiWhitespace(line.substr(end));
  return word;
}

}  // namespace

bool RepeatsOnEmptyLine(const CommandRow& command) {
  for (absl::string_view repeated : {"step", "next", "reverse-step", "reverse-next", "reverse-continue", "continue", "until", "list", "up", "down"}) {
    if (repeated == command.name) return true;
  }
  return false;
}

const CommandRow* CommandOfLine(absl::string_view line) {
  line = absl::StripAsciiWhitespace(line);
  if (line.empty() || line[0] == '#') return nullptr;
  const absl::StatusOr<int> command = FindCommand(TakeCommand(line));
  return command.ok() ? &Commands()[*command] : nullptr;
}

bool RunsProgram(absl::string_view line) {
  const CommandRow* command = CommandOfLine(line);
  if (command == nullptr) return false;
  if (command->group == absl::string_view("running")) return true;
  line = absl::StripAsciiWhitespace(line);
  TakeCommand(line);
  const absl::string_view name = command->name;
  if (name == "profile") return !absl::StartsWith(line, "json ") && !absl::StartsWith(line, "trace ");
  if (name == "compare") return !absl::StartsWith(line, "forks ");
  return name == "record" || name == "shadow";
}

absl::StatusOr<int64_t> ParseCount(absl::string_view args, int64_t otherwise) {
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return otherwise;
  int64_t n = 0;
  if (!absl::SimpleAtoi(args, &n) || n < 0) return absl::InvalidArgumentError(absl::StrCat("a count is expected, not '", args, "'"));
  return n;
}

Session::Session(std::shared_ptr<Module> module, std::unique_ptr<Backend> backend, SessionOptions options, std::function<void(absl::string_view)> out)
    : state_(std::make_unique<State>()) {
  state_->session = this;
  state_->backend = std::move(backend);
  state_->options = std::move(options);
  SetProgram(*state_, ModulesOfDevices(std::move(module), state_->options.devices));
  state_->out = std::move(out);
  AddProgramBreakpoints(*state_);
}

Session::~Session() { state_->interrupt.store(nullptr); }

CommandResult Session::Execute(absl::string_view line) {
  State& s = *state_;
  CommandResult result;
  line = absl::StripAsciiWhitespace(line);
  if (absl::StartsWith(line, "#") || CollectLine(s, line)) return result;
  std::string repeated;
  if (line.empty()) {
    if (s.repeat.empty()) return result;
    repeated = s.repeat;
    line = repeated;
  }
  s.Extension<Transcript>().Add(absl::StrCat("(hloscope) ", line, "\n"));
  if (!Stops(s).running_commands) ForgetInterrupt(s);  // the commands of a stop are one with what came to it
  absl::string_view args = line;
  const absl::string_view word = TakeCommand(args);
  const absl::StatusOr<int> command = FindCommand(word);
  absl::Status status = command.status();
  if (command.ok()) {
    const CommandRow& info = Commands()[*command];
    s.repeat = RepeatsOnEmptyLine(info) ? absl::StrCat(info.name, info.name == absl::string_view("list") ? "" : absl::StrCat(" ", args)) : "";
    if (s.options.devices.several() && info.several != nullptr) {
      status = absl::UnimplementedError(absl::StrCat(info.name, " does not work with several devices, and this program runs on ", s.options.devices.count(), ": ", info.several));
    } else {
      status = HandlerOf(*command)(s, args);
    }
  }
  if (!status.ok()) s.Say(status.message(), "\n");
  result.ok = status.ok() && RunAttached(s);
  result.quit = s.quit;
  return result;
}

namespace {

struct OpenScripts {
  std::vector<std::string> paths;  // of files that are being executed, the innermost last
};

}  // namespace

CommandResult Session::ExecuteFile(const std::string& path) {
  State& s = *state_;
  CommandResult result;
  std::vector<std::string>& open = s.Extension<OpenScripts>().paths;
  const bool itself = std::find(open.begin(), open.end(), path) != open.end();
  if (itself || s.source_depth >= 20) {
    s.Say(itself ? absl::StrCat("source: ", path, " is being executed already, so it would execute itself without an end\n")
                 : absl::StrCat("source: files that execute files, more than 20 deep (", path, ")\n"));
    result.ok = false;
    return result;
  }
  std::ifstream file(path);
  if (!file) {
    s.Say("cannot open ", path, ": ", std::strerror(errno), "\n");
    result.ok = false;
    return result;
  }
  ++s.source_depth;
  open.push_back(path);
  const std::string outer = s.script;
  const int outer_line = s.script_line;
  std::string line;
  for (int number = 1; result.ok && !result.quit && std::getline(file, line); ++number) {
    if (absl::StripAsciiWhitespace(line).empty()) continue;
    s.script = path;
    s.script_line = number;
    result = Execute(line);
    const bool interrupted = s.interrupted.load();
    if (interrupted) s.Say(path, ":", number, ": ", InterruptedBefore("the rest of the file"), "\n");
    else if (!result.ok) s.Say(path, ":", number, ": this command failed; the rest of the file is not executed\n");
    result.ok = result.ok && !interrupted;
  }
  --s.source_depth;
  open.pop_back();
  s.script = outer;
  s.script_line = outer_line;
  if (StopState& stops = Stops(s); result.ok && !stops.collecting.empty()) {
    s.Say(path, ": commands without an end\n");
    stops.collecting.clear();
    result.ok = false;
  }
  return result;
}

std::vector<std::string> Session::Complete(absl::string_view line) const {
  return CompleteCommand({state_->module.get(), state_->current_computation()}, line);
}

void Session::Interrupt() {
  state_->interrupted.store(true);
  if (std::atomic<bool>* flag = state_->interrupt.load()) flag->store(true);
  if (Session* inner = state_->inner.load()) inner->Interrupt();
}

int Session::failed_expects() const {
  return static_cast<int>(std::count_if(state_->expects.begin(), state_->expects.end(), [](const ExpectRecord& e) { return !e.passed; }));
}
int Session::passed_expects() const { return static_cast<int>(state_->expects.size()) - failed_expects(); }
const std::vector<ExpectRecord>& Session::expects() const { return state_->expects; }
bool Session::stopped_with_error() const {
  const std::vector<DeviceError> errors = ErrorsOfRuns(*state_);
  return std::any_of(errors.begin(), errors.end(), [](const DeviceError& error) { return !error.expected; });
}
bool Session::running() const { return state_->started(); }

// -- Commands about the console itself --

absl::StatusOr<std::string> HelpText(absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (args == "expressions") return ExpressionHelp();
  if (!args.empty()) {
    absl::string_view rest = args;
    const absl::StatusOr<int> first = FindCommand(TakeWord(rest));  // help info iterations, help step line
    const absl::StatusOr<int> command = first.ok() ? first : FindCommand(args);
    if (!command.ok()) return command.status();
    rest = absl::StripAsciiWhitespace(rest);
    const CommandRow& info = Commands()[*command];
    if (!rest.empty() && HandlerOf(*command) == HandlerOf(*FindCommand("info"))) {
      for (const InfoTopic& topic : InfoTopics()) {
        if (absl::StartsWith(topic.name, rest)) return absl::StrCat("info ", topic.name, *topic.arguments != 0 ? " " : "", topic.arguments, "\n", topic.help, "\n");
      }
      return absl::NotFoundError(absl::StrCat("info tells nothing about '", rest, "'; help info lists what it tells about"));
    }
    std::string text = absl::StrCat(info.name, " ", info.synopsis, "\n", info.help, "\n");
    if (*info.abbreviation != 0) absl::StrAppend(&text, "short: ", info.abbreviation, "\n");
    if (HandlerOf(*command) == HandlerOf(*FindCommand("info"))) {
      for (const InfoTopic& topic : InfoTopics()) absl::StrAppend(&text, "  info ", topic.name, *topic.arguments != 0 ? " " : "", topic.arguments, ": ", topic.help, "\n");
    }
    return text;
  }
  absl::string_view group;
  std::string text;
  for (const CommandRow& command : Commands()) {
    if (group != command.group) {
      group = command.group;
      absl::StrAppend(&text, text.empty() ? "" : "\n", group, ":\n");
    }
    const std::string left = absl::StrCat(command.name, *command.abbreviation != 0 ? absl::StrCat(", ", command.abbreviation) : "");
    absl::StrAppend(&text, "  ", left, std::string(left.size() < 22 ? 22 - left.size() : 1, ' '), Cut(command.help, 110), "\n");
  }
  return absl::StrCat(text, "\nhelp COMMAND says more; help expressions explains print, expect and conditions. Commands can be shortened; an empty line repeats.\n");
}

absl::Status CommandHelp(Session::State& s, absl::string_view args) {
  const absl::StatusOr<std::string> text = HelpText(args);
  if (text.ok()) s.Say(*text);
  return text.status();
}

absl::Status CommandQuit(Session::State& s, absl::string_view args) {
  s.quit = true;
  return absl::OkStatus();
}

absl::Status CommandEcho(Session::State& s, absl::string_view args) {
  s.Say(args, "\n");
  return absl::OkStatus();
}

absl::Status CommandSource(Session::State& s, absl::string_view args) {
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("source takes a file of commands");
  const absl::StatusOr<std::string> file = WholeFile(args);
  if (!file.ok()) return file.status();
  const CommandResult result = s.session->ExecuteFile(*file);
  return result.ok ? absl::OkStatus() : absl::InvalidArgumentError(absl::StrCat("source ", args, " did not get to its end"));
}

}  // namespace hloscope
