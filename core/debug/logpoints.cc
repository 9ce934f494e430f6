// Logpoints: text with values in it, written where the program comes by; it does not stop there.
#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_replace.h"
#include "absl/strings/strip.h"
#include "core/debug/file_words.h"
#include "core/debug/stop_check.h"
#include "core/debug/text_util.h"

namespace hloscope {
namespace {

// Calls `plain` for each stretch of text and `expression` for each {EXPR}; {{ and }} are braces.
template <typename Plain, typename Expression>
absl::Status Walk(absl::string_view text, Plain plain, Expression expression) {
  for (size_t i = 0; i < text.size(); ++i) {
    if ((text[i] == '{' || text[i] == '}') && i + 1 < text.size() && text[i + 1] == text[i]) {
      plain(text.substr(i++, 1));
    } else if (text[i] == '{') {
      const size_t close = text.find('}', i);
      if (close == absl::string_view::npos) return absl::InvalidArgumentError(absl::StrCat("the closing } is missing after '", text.substr(i), "' (a brace itself is written {{)"));
      expression(text.substr(i + 1, close - i - 1));
      i = close;
    } else {
      const size_t end = std::min(text.find_first_of("{}", i + 1), text.size());
      plain(text.substr(i, end - i));
      i = end - 1;
    }
  }
  return absl::OkStatus();
}

constexpr char kUsage[] = "logpoint takes a location and a text, as: logpoint %x loss {%loss[0]} in iteration {iteration} (see: help logpoint)";

struct LogText {
  std::string text, file, condition;
  bool file_only = false;
};

// A text without quotes behind a file without quotes may be the rest of the file's name and what follows it.
absl::Status CheckUnquoted(absl::string_view text, const std::string& file) {
  if (file.empty() || (text.find('"') == absl::string_view::npos && !absl::StrContains(text, " if "))) return absl::OkStatus();
  const absl::string_view word = text.substr(0, text.find_first_of(" \t"));
  return absl::InvalidArgumentError(absl::StrCat("'", text, "' behind the file ", file, " may be the text, or the rest of the file's name and a condition; put the text in quotes, and a file's name with a space too, as: \"",
                                                 file, " ", word, "\""));
}

// [if EXPR] [to FILE | into FILE] TEXT, in any order when the text is in quotes; the file may be in quotes.
absl::StatusOr<LogText> ReadLog(absl::string_view args) {
  LogText log;
  std::string unquoted_file;
  bool have_text = false;
  while (!args.empty()) {
    absl::string_view rest = args;
    const absl::string_view word = TakeWord(rest);
    if ((word == "to" || word == "into") && log.file.empty()) {
      const bool quoted = absl::StartsWith(absl::StripAsciiWhitespace(rest), "\"");
      absl::StatusOr<std::string> file = TakeFile(rest);
      if (!file.ok()) return file.status();
      log.file = *std::move(file);
      if (!quoted) unquoted_file = log.file;
      if (log.file.empty()) return absl::InvalidArgumentError(absl::StrCat("a file's name is expected after ", word));
      log.file_only = word == "into";
      args = rest;
    } else if (word == "if" && log.condition.empty()) {
      const size_t quote = rest.find('"'), end = std::min(quote, rest.size());
      if (!have_text && quote == absl::string_view::npos) return absl::InvalidArgumentError("after if EXPR the text is put in quotes");
      log.condition = std::string(rest.substr(0, end));
      for (absl::string_view target : {" to ", " into "}) {
        const size_t at = log.condition.find(std::string(target));
        if (at == std::string::npos) continue;
        args = absl::StripAsciiWhitespace(rest.substr(rest.find(target)));
        log.condition.resize(at);
        break;
      }
      if (args.data() + args.size() == rest.data() + rest.size() && absl::StartsWith(args, "if")) args = rest.substr(end);
      absl::StripAsciiWhitespace(&log.condition);
      if (log.condition.empty()) return absl::InvalidArgumentError("an expression is expected after if");
    } else if (args[0] == '"' && !have_text) {
      absl::StatusOr<std::string> text = TakeQuoted(args);
      if (!text.ok()) return text.status();
      log.text = *std::move(text);
      have_text = true;
    } else if (!have_text) {
      if (const absl::Status clear = CheckUnquoted(args, unquoted_file); !clear.ok()) return clear;
      log.text = std::string(args);
      have_text = true;
      args = {};
    } else {
      return absl::InvalidArgumentError(absl::StrCat("'", args, "' is left over after the text"));
    }
    args = absl::StripAsciiWhitespace(args);
  }
  if (!have_text) return absl::InvalidArgumentError(kUsage);
  return log;
}

}  // namespace

std::vector<absl::string_view> LogExpressions(absl::string_view text) {
  std::vector<absl::string_view> found;
  (void)Walk(text, [](absl::string_view) {}, [&](absl::string_view expression) { found.push_back(expression); });
  return found;
}

void WriteLog(Session::State& s, const Breakpoint& b, int64_t hits) {
  if (const auto logged = StopsOfRun(s).logged.find(b.number);
      logged != StopsOfRun(s).logged.end() && logged->second.Contains(s.machine->Where()))
    return;
  std::string line;
  const auto value = [&](absl::string_view expression) {
    const absl::StatusOr<ExpressionResult> result = EvaluateAtStop(s, hits, expression);
    absl::StrAppend(&line, result.ok() ? absl::StrReplaceAll(ToText(*result, 32), {{"\n", ""}}) : absl::StrCat("(", result.status().message(), ")"));
  };
  (void)Walk(b.text, [&](absl::string_view text) { absl::StrAppend(&line, text); }, value);
  line += "\n";
  if (!b.file_only) s.Say(line);
  if (b.file.empty()) return;
  std::unique_ptr<LogFile>& file = Stops(s).logs[b.file];
  if (file == nullptr) file = std::make_unique<LogFile>(b.file);
  if (s.options.devices.several()) file->Seal();  // moments of different devices have no order
  file->Add(s.machine->Where(), line);
}

namespace {

bool Logs(const Breakpoint& b) { return b.kind == Breakpoint::kLog && b.enabled; }

bool AnyLogs(const Session::State& s) {
  return std::any_of(s.breakpoints.begin(), s.breakpoints.end(), [](const std::unique_ptr<Breakpoint>& b) { return Logs(*b); });
}

}  // namespace

void NoteLogged(Session::State& s, const LoggedMoments::Key& from, bool after) {
  if (!s.visible() || !AnyLogs(s)) return;
  const LoggedMoments::Key to{s.machine->Where(), after};
  for (const auto& b : s.breakpoints) {
    if (Logs(*b)) StopsOfRun(s).logged[b->number].Add(from, to);
  }
}

bool LogsMissing(Session::State& s, const Mark& from, const Mark& to) {
  if (!(from < to)) return false;
  return std::any_of(s.breakpoints.begin(), s.breakpoints.end(), [&](const std::unique_ptr<Breakpoint>& b) {
    if (!Logs(*b) || b->locations.empty()) return false;
    const auto logged = StopsOfRun(s).logged.find(b->number);
    return logged == StopsOfRun(s).logged.end() || !logged->second.Covers({from, true}, {to, true});
  });
}

void BeginLogs(Session::State& s) {
  const auto writes = [&s](const std::string& path) {
    return std::any_of(s.breakpoints.begin(), s.breakpoints.end(), [&](const std::unique_ptr<Breakpoint>& b) { return Logs(*b) && b->file == path; });
  };
  std::map<std::string, std::unique_ptr<LogFile>> begun;
  for (const auto& [path, file] : Stops(s).logs) {
    if (writes(path)) begun[path] = std::make_unique<LogFile>(path);
  }
  Stops(s).logs = std::move(begun);
}

void SealLogs(Session::State& s) {
  for (auto& [path, file] : Stops(s).logs) file->Seal();
}

void FlushLogs(Session::State& s) {
  for (auto& [path, file] : Stops(s).logs) {
    if (!file->Flush()) s.Say("cannot write ", path, "\n");
  }
}

absl::Status CommandLogpoint(Session::State& s, absl::string_view args) {
  const absl::string_view location = TakeLocation(args);
  if (location.empty()) return absl::InvalidArgumentError(kUsage);
  absl::StatusOr<std::vector<Location>> found = ResolveLocations(*s.module, location, s.current_computation());
  if (!found.ok()) return found.status();
  absl::StatusOr<LogText> log = ReadLog(args);
  if (!log.ok()) return log.status();
  const absl::Status form = Walk(log->text, [](absl::string_view) {}, [](absl::string_view) {});
  if (!form.ok()) return form;
  auto b = std::make_unique<Breakpoint>();
  b->kind = Breakpoint::kLog;
  b->spec = std::string(location);
  b->locations = *std::move(found);
  b->text = std::move(log->text);
  b->file = std::move(log->file);
  b->file_only = log->file_only;
  b->condition = std::move(log->condition);
  if (const absl::Status checked = CheckStopExpressions(s, *b, true); !checked.ok()) return checked;
  if (!b->file.empty() && Stops(s).logs.count(b->file) == 0) {  // a file that cannot be written is known now
    auto file = std::make_unique<LogFile>(b->file);
    if (!file->good()) return absl::InvalidArgumentError(absl::StrCat("cannot write ", b->file, ": ", std::strerror(errno)));
    Stops(s).logs[b->file] = std::move(file);
  }
  b->number = s.next_breakpoint++;
  s.Say("Logpoint ", b->number, b->stops_after(0) ? " after " : " at ", Describe(*s.module, b->locations[0]));
  if (b->locations.size() > 1) s.Say(" and ", Count(static_cast<int64_t>(b->locations.size()) - 1, "other place"));
  s.Say("\n");
  SayPassedBy(s, *b);
  Adopt(s, std::move(b));
  return absl::OkStatus();
}

namespace {

absl::Status RedefineDisplay(Session::State& s, absl::string_view args) {
  const absl::string_view word = TakeWord(args);
  int number = 0;
  const auto item = std::find_if(s.displays.begin(), s.displays.end(), [&](const DisplayItem& d) { return absl::SimpleAtoi(word, &number) && d.number == number; });
  if (item == s.displays.end()) return absl::NotFoundError(absl::StrCat("there is no display ", word, "; info display lists them"));
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("redefine display takes a display's number and an expression");
  if (const absl::Status known = s.CheckExpression(args); !known.ok()) return known;
  item->expression = std::string(args);
  if (s.visible()) s.ShowDisplays();
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandRedefine(Session::State& s, absl::string_view args) {
  const absl::string_view number = TakeWord(args);
  if (number == "display") return RedefineDisplay(s, args);
  args = absl::StripAsciiWhitespace(args);
  if (number.empty() || args.empty()) return absl::InvalidArgumentError("redefine takes a logpoint's number and what it writes, or display, a display's number and an expression");
  const absl::StatusOr<Breakpoint*> found = BreakpointOf(s, number);
  if (!found.ok()) return found.status();
  Breakpoint& b = **found;
  if (b.kind != Breakpoint::kLog) return absl::InvalidArgumentError(absl::StrCat(b.number, " is no logpoint: condition and ignore say when it stops"));
  // In quotes or not.
  if (args.size() > 1 && args.front() == '"' && args.back() == '"') args = args.substr(1, args.size() - 2);
  if (const absl::Status form = Walk(args, [](absl::string_view) {}, [](absl::string_view) {}); !form.ok()) return form;
  const std::string before = std::exchange(b.text, std::string(args));
  if (const absl::Status checked = CheckStopExpressions(s, b, false); !checked.ok()) {
    b.text = before;
    (void)CheckStopExpressions(s, b, false);
    return checked;
  }
  s.ArmAll();
  s.Say("Logpoint ", b.number, " writes: ", b.text, "\n");
  return absl::OkStatus();
}

}  // namespace hloscope
