// The commands that make breakpoints and change what stops: numbers name breakpoints, logpoints and watches alike.
#include <algorithm>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/stop_check.h"
#include "core/debug/stops.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope {

absl::string_view TakeLocation(absl::string_view& args) {
  args = absl::StripLeadingAsciiWhitespace(args);
  const bool whole_text = absl::StartsWith(args, "re:/");
  char open = 0;  // of brackets
  size_t end = 0;
  if (whole_text || absl::StartsWith(args, "/")) {
    for (end = whole_text ? 4 : 1; end < args.size(); ++end) {
      if (args[end] == '\\') {
        ++end;
      } else if (args[end] == '/' && (end + 1 == args.size() || absl::ascii_isspace(args[end + 1]))) {
        break;
      }
    }
    end = std::min(end + 1, args.size());
  } else {
    for (; end < args.size(); ++end) {
      const char c = args[end];
      if (open == 0 && absl::ascii_isspace(c)) break;
      if (open == 0 && (c == '[' || c == '(')) open = c;
      if ((open == '[' && c == ']') || (open == '(' && c == ')')) open = 0;
    }
  }
  const absl::string_view location = args.substr(0, end);
  args = absl::StripAsciiWhitespace(args.substr(end));
  return location;
}

namespace {

absl::Status AddFromText(Session::State& s, absl::string_view args, bool temporary) {
  args = absl::StripAsciiWhitespace(args);
  absl::string_view rest = args, word = args;
  const bool only_condition = TakeWord(word) == "if";
  absl::string_view spec = only_condition ? absl::string_view() : TakeLocation(rest);
  absl::string_view condition = rest;
  if (!rest.empty() && TakeWord(condition) != "if") {  // names of scopes may hold blanks
    const size_t at = absl::StrCat(args, " ").find(" if ");
    spec = absl::StripAsciiWhitespace(args.substr(0, at));
    rest = at == absl::string_view::npos || at > args.size() ? absl::string_view() : args.substr(at + 1);
    condition = rest;
    TakeWord(condition);
  }
  condition = absl::StripAsciiWhitespace(condition);
  if (!rest.empty() && condition.empty()) return absl::InvalidArgumentError("an expression is expected after if");
  auto b = std::make_unique<Breakpoint>();
  if (spec.empty()) {  // where we stand, as gdb does
    const Frame* frame = s.frame();
    if (frame == nullptr || frame->position >= static_cast<int>(frame->computation->schedule.size())) {
      return absl::InvalidArgumentError(absl::StrCat(temporary ? "tbreak" : "break", " takes a location: an instruction, a computation, op:dot, /regex/, model.py:142, scope:NAME (see: help break)"));
    }
    b->locations.push_back({frame->computation, frame->position});
  } else {
    absl::StatusOr<std::vector<Location>> found = ResolveLocations(*s.module, spec, s.current_computation());
    if (!found.ok()) return found.status();
    b->locations = *std::move(found);
  }
  b->spec = spec.empty() ? ShownName(b->locations[0].instruction()) : std::string(spec);
  b->condition = std::string(condition);
  b->temporary = temporary;
  if (const absl::Status checked = CheckStopExpressions(s, *b, true); !checked.ok()) return checked;
  b->number = s.next_breakpoint++;
  s.Say(temporary ? "Temporary breakpoint " : "Breakpoint ", b->number, b->stops_after(0) ? " after " : " at ", Describe(*s.module, b->locations[0]));
  if (b->locations.size() > 1) s.Say(" and ", Count(static_cast<int64_t>(b->locations.size()) - 1, "other place"));
  s.Say(b->stops_after(0) ? ", whose value it reads\n" : "\n");
  SayPassedBy(s, *b);
  Adopt(s, std::move(b));
  return absl::OkStatus();
}

// Calls `each` for the breakpoints that `args` names, all when it is empty.
template <typename Each>
absl::Status ForNumbers(Session::State& s, absl::string_view args, Each each) {
  std::vector<Breakpoint*> chosen;
  for (absl::string_view word : absl::StrSplit(args, absl::ByAnyChar(" ,\t"), absl::SkipEmpty())) {
    const size_t dash = word.find('-');
    const absl::StatusOr<Breakpoint*> first = BreakpointOf(s, word.substr(0, dash));
    if (!first.ok()) return first.status();
    if (dash == absl::string_view::npos) {
      if (std::find(chosen.begin(), chosen.end(), *first) == chosen.end()) chosen.push_back(*first);
      continue;
    }
    const absl::StatusOr<Breakpoint*> last = BreakpointOf(s, word.substr(dash + 1));
    if (!last.ok()) return last.status();
    for (const auto& b : s.breakpoints) {
      if (b->number >= (*first)->number && b->number <= (*last)->number) chosen.push_back(b.get());
    }
  }
  if (absl::StripAsciiWhitespace(args).empty()) {
    for (const auto& b : s.breakpoints) chosen.push_back(b.get());
    if (chosen.empty()) return absl::NotFoundError("there are no breakpoints");
  }
  for (Breakpoint* b : chosen) each(*b);
  s.ArmAll();
  return absl::OkStatus();
}

void Enable(Session::State& s, Breakpoint& b, int64_t stops) {
  const Mark now = PresentMark(s);
  if (!b.enabled) {
    PresentMemory(s).watches.erase(b.number);  // what a watch saw before it slept is old
    b.enabled = true;
    if (b.kind == Breakpoint::kLog && s.visible()) StopsOfRun(s).logged[b.number].Add({now, false}, {now, true});  // as where one is set
    if (b.kind == Breakpoint::kBreak || b.kind == Breakpoint::kLog) {  // what it slept through counts too
      PresentMemory(s).counts.erase(b.number);
      Ledger(s).Forget(b.number);
    } else {
      Redefined(s, b);
    }
  }
  if (stops >= 0) {
    AddRule(b.limits, now, stops);
    Ledger(s).ForgetAfter(b.number, now);
  } else if (!b.limits.empty()) {  // awake at all moments, the past ones too
    b.limits.clear();
    PresentMemory(s).counts.erase(b.number);
    Ledger(s).Forget(b.number);
  }
}

}  // namespace

absl::StatusOr<Breakpoint*> BreakpointOf(Session::State& s, absl::string_view word) {
  int number = 0;
  if (word == "last") {
    if (s.breakpoints.empty()) return absl::NotFoundError("there are no breakpoints");
    return s.breakpoints.back().get();
  }
  if (!absl::SimpleAtoi(word, &number)) return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no breakpoint's number; info break lists them", word == "all" ? "; delete, disable and enable without a number mean all" : ""));
  for (const auto& b : s.breakpoints) {
    if (b->number == number) return b.get();
  }
  return absl::NotFoundError(absl::StrCat("there is no breakpoint ", number, "; info break lists them"));
}

absl::Status CommandBreak(Session::State& s, absl::string_view args) { return AddFromText(s, args, false); }
absl::Status CommandTbreak(Session::State& s, absl::string_view args) { return AddFromText(s, args, true); }

absl::Status CommandDelete(Session::State& s, absl::string_view args) {
  return ForNumbers(s, args, [&](Breakpoint& b) {
    PresentMemory(s).watches.erase(b.number);
    PresentMemory(s).counts.erase(b.number);
    Ledger(s).Forget(b.number);
    const auto is_it = [&](const std::unique_ptr<Breakpoint>& other) { return other.get() == &b; };
    s.breakpoints.erase(std::find_if(s.breakpoints.begin(), s.breakpoints.end(), is_it));
  });
}
absl::Status CommandDisable(Session::State& s, absl::string_view args) {
  return ForNumbers(s, args, [](Breakpoint& b) { b.enabled = false; });
}

absl::Status CommandEnable(Session::State& s, absl::string_view args) {
  absl::string_view rest = args;
  const absl::string_view word = TakeWord(rest);
  if (word == "once") return ForNumbers(s, rest, [&](Breakpoint& b) { Enable(s, b, 1); });
  if (word == "delete") {
    return ForNumbers(s, rest, [&](Breakpoint& b) {
      Enable(s, b, -1);
      b.temporary = true;
    });
  }
  if (word == "count") {
    const absl::StatusOr<int64_t> n = ParseCount(TakeWord(rest), -1);
    if (!n.ok()) return n.status();
    if (*n < 1) return absl::InvalidArgumentError("enable count takes how many stops, and numbers of breakpoints");
    return ForNumbers(s, rest, [&](Breakpoint& b) { Enable(s, b, *n); });
  }
  return ForNumbers(s, args, [&](Breakpoint& b) { Enable(s, b, -1); });
}

namespace {

absl::Status CheckCondition(Session::State& s, Breakpoint& b) {
  switch (b.kind) {
    case Breakpoint::kWatch: return CheckWatchCondition(s, b);
    case Breakpoint::kCatch: return CheckCatchCondition(s, b);
    case Breakpoint::kBreak:
    case Breakpoint::kLog: break;
  }
  return CheckStopExpressions(s, b, false);
}

}  // namespace

absl::Status CommandCondition(Session::State& s, absl::string_view args) {
  const absl::string_view number = TakeWord(args);
  if (number.empty()) return absl::InvalidArgumentError("condition takes a breakpoint's number and an expression");
  const absl::StatusOr<Breakpoint*> found = BreakpointOf(s, number);
  if (!found.ok()) return found.status();
  Breakpoint& b = **found;
  args = absl::StripAsciiWhitespace(args);
  if (b.becomes) return absl::InvalidArgumentError(absl::StrCat("watch ", b.number, " waits for its own condition; delete it and make another"));
  const std::string before = b.condition;
  b.condition = std::string(args);
  if (const absl::Status checked = CheckCondition(s, b); !checked.ok()) {
    b.condition = before;
    (void)CheckCondition(s, b);
    return checked;
  }
  Redefined(s, b);
  s.ArmAll();
  s.Say(b.kind == Breakpoint::kCatch ? "Catch " : b.kind == Breakpoint::kWatch ? "Watch " : b.kind == Breakpoint::kLog ? "Logpoint " : "Breakpoint ", b.number,
        b.condition.empty() ? " stops always." : absl::StrCat(" stops only if ", b.condition), "\n");
  return absl::OkStatus();
}

absl::Status CommandIgnore(Session::State& s, absl::string_view args) {
  const absl::string_view number = TakeWord(args);
  const absl::StatusOr<int64_t> n = ParseCount(args, -1);
  if (!n.ok()) return n.status();
  if (number.empty() || *n < 0) return absl::InvalidArgumentError("ignore takes a breakpoint's number and a count");
  return ForNumbers(s, number, [&](Breakpoint& b) {
    const Mark now = PresentMark(s);
    AddRule(b.ignores, now, *n);
    Ledger(s).ForgetAfter(b.number, now);
    s.Say("Breakpoint ", b.number, " is passed ", Count(*n, "time"), ".\n");
  });
}

}  // namespace hloscope
