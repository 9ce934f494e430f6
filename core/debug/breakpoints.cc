// Breakpoints: where they are, when they stop, and the commands that change them. Names of places are locations.cc's.
#include <algorithm>

#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/ops/op.h"

namespace hloscope {

void Session::State::ArmAll() {
  if (machine == nullptr) return;
  machine->DisarmAll();
  armed_callers.clear();
  if (!element_callers_known) {
    element_callers_known = true;
    for (const Computation* computation : module->computations) {
      for (const Instruction* instruction : computation->schedule) {
        if (Def(*instruction).control != ControlKind::kNone) continue;
        for (const Computation* called : instruction->CalledComputations()) element_callers[called].push_back(instruction);
      }
    }
  }
  for (const auto& b : breakpoints) {
    if (!b->enabled) continue;
    for (const Location& location : b->locations) {
      machine->Arm(*location.computation, location.position);
      const auto callers = element_callers.find(location.computation);
      if (callers == element_callers.end()) continue;
      for (const Instruction* caller : callers->second) {
        machine->Arm(*caller->parent, caller->index);
        armed_callers.insert(caller);
      }
    }
  }
  ArmEdits(*this);
}

bool Session::State::AtElementCaller() const { return !machine->finished() && armed_callers.contains(machine->next_instruction()); }

std::vector<Breakpoint*> Session::State::StoppingHere() {
  std::vector<Breakpoint*> stopping;
  const Instruction* here = machine->next_instruction();
  if (here == nullptr) return stopping;
  selected = static_cast<int>(machine->frames().size()) - 1;  // conditions are evaluated where the program stands
  for (const auto& b : breakpoints) {
    const auto is_here = [&](const Location& l) { return &l.instruction() == here; };
    if (!b->enabled || std::none_of(b->locations.begin(), b->locations.end(), is_here)) continue;
    if (!b->condition.empty()) {
      const absl::StatusOr<Claim> claim = EvaluateClaim(b->condition, *this);
      if (!claim.ok()) {
        Say("Breakpoint ", b->number, ": its condition cannot be evaluated here: ", claim.status().message(), "\n");
      } else if (!claim->holds) {
        continue;
      }
    }
    ++b->hits;
    if (b->ignore > 0) {
      --b->ignore;
      continue;
    }
    stopping.push_back(b.get());
  }
  return stopping;
}

Breakpoint& Session::State::AddBreakpoint(absl::string_view spec, std::vector<Location> locations, bool temporary) {
  auto b = std::make_unique<Breakpoint>();
  b->number = next_breakpoint++;
  b->spec = std::string(spec);
  b->locations = std::move(locations);
  b->temporary = temporary;
  breakpoints.push_back(std::move(b));
  ArmAll();
  return *breakpoints.back();
}

bool Session::State::HasBreakpoint(const Instruction& instruction) const {
  for (const auto& b : breakpoints) {
    if (!b->enabled) continue;
    for (const Location& location : b->locations) {
      if (&location.instruction() == &instruction) return true;
    }
  }
  return false;
}

namespace {

absl::Status AddFromText(Session::State& s, absl::string_view args, bool temporary) {
  args = absl::StripAsciiWhitespace(args);
  absl::string_view condition;
  const size_t at = absl::StrCat(" ", args, " ").find(" if ");  // a location has no spaces before "if"
  if (at != std::string::npos) {
    condition = absl::StripAsciiWhitespace(args.substr(std::min(args.size(), at + 3)));
    args = absl::StripAsciiWhitespace(args.substr(0, at == 0 ? 0 : at - 1));
    if (condition.empty()) return absl::InvalidArgumentError("an expression is expected after if");
    const absl::Status known = s.CheckExpression(condition);
    if (!known.ok()) return known;
  }
  std::vector<Location> locations;
  if (args.empty()) {  // where we stand, as gdb does
    const Frame* frame = s.frame();
    if (frame == nullptr || frame->position >= static_cast<int>(frame->computation->schedule.size())) {
      return absl::InvalidArgumentError(absl::StrCat(temporary ? "tbreak" : "break", " takes a location: an instruction, a computation, op:dot, /regex/, model.py:142, scope:NAME (see: help break)"));
    }
    locations.push_back({frame->computation, frame->position});
  } else {
    absl::StatusOr<std::vector<Location>> found = ResolveLocations(*s.module, args, s.current_computation());
    if (!found.ok()) return found.status();
    locations = *std::move(found);
  }
  const std::string spec = args.empty() ? absl::StrCat("%", locations[0].instruction().name) : std::string(args);
  Breakpoint& b = s.AddBreakpoint(spec, std::move(locations), temporary);
  b.condition = std::string(condition);
  s.Say(temporary ? "Temporary breakpoint " : "Breakpoint ", b.number, " at ", Describe(*s.module, b.locations[0]));
  if (b.locations.size() > 1) s.Say(" and ", Count(static_cast<int64_t>(b.locations.size()) - 1, "other place"));
  s.Say("\n");
  return absl::OkStatus();
}

// Calls `each` for the breakpoints that `args` names, all when it is empty.
template <typename Each>
absl::Status ForNumbers(Session::State& s, absl::string_view args, Each each) {
  std::vector<Breakpoint*> chosen;
  for (absl::string_view word : absl::StrSplit(args, absl::ByAnyChar(" ,\t"), absl::SkipEmpty())) {
    int number = 0;
    if (!absl::SimpleAtoi(word, &number)) return absl::InvalidArgumentError(absl::StrCat("'", word, "' is no breakpoint's number; info break lists them"));
    Breakpoint* found = nullptr;
    for (const auto& b : s.breakpoints) {
      if (b->number == number) found = b.get();
    }
    if (found == nullptr) return absl::NotFoundError(absl::StrCat("there is no breakpoint ", number, "; info break lists them"));
    chosen.push_back(found);
  }
  if (absl::StripAsciiWhitespace(args).empty()) {
    for (const auto& b : s.breakpoints) chosen.push_back(b.get());
    if (chosen.empty()) return absl::NotFoundError("there are no breakpoints");
  }
  for (Breakpoint* b : chosen) each(*b);
  s.ArmAll();
  return absl::OkStatus();
}

}  // namespace

absl::Status CommandBreak(Session::State& s, absl::string_view args) { return AddFromText(s, args, false); }
absl::Status CommandTbreak(Session::State& s, absl::string_view args) { return AddFromText(s, args, true); }

absl::Status CommandDelete(Session::State& s, absl::string_view args) {
  return ForNumbers(s, args, [&](Breakpoint& b) {
    const auto is_it = [&](const std::unique_ptr<Breakpoint>& other) { return other.get() == &b; };
    s.breakpoints.erase(std::find_if(s.breakpoints.begin(), s.breakpoints.end(), is_it));
  });
}
absl::Status CommandDisable(Session::State& s, absl::string_view args) {
  return ForNumbers(s, args, [](Breakpoint& b) { b.enabled = false; });
}
absl::Status CommandEnable(Session::State& s, absl::string_view args) {
  return ForNumbers(s, args, [](Breakpoint& b) { b.enabled = true; });
}

absl::Status CommandCondition(Session::State& s, absl::string_view args) {
  const absl::string_view number = TakeWord(args);
  if (number.empty()) return absl::InvalidArgumentError("condition takes a breakpoint's number and an expression");
  if (!absl::StripAsciiWhitespace(args).empty()) {
    const absl::Status known = s.CheckExpression(args);
    if (!known.ok()) return known;
  }
  return ForNumbers(s, number, [&](Breakpoint& b) {
    b.condition = std::string(absl::StripAsciiWhitespace(args));
    s.Say("Breakpoint ", b.number, b.condition.empty() ? " stops always." : absl::StrCat(" stops only if ", b.condition), "\n");
  });
}

absl::Status CommandIgnore(Session::State& s, absl::string_view args) {
  const absl::string_view number = TakeWord(args);
  const absl::StatusOr<int64_t> n = ParseCount(args, -1);
  if (!n.ok()) return n.status();
  if (number.empty() || *n < 0) return absl::InvalidArgumentError("ignore takes a breakpoint's number and a count");
  return ForNumbers(s, number, [&](Breakpoint& b) {
    b.ignore = *n;
    s.Say("Breakpoint ", b.number, " is passed ", Count(*n, "time"), ".\n");
  });
}

}  // namespace hloscope
