// The judge: what is armed, what stops where the program stands, and what a stop spends. Commands that change breakpoints are breakpoints.cc's.
#include "core/debug/stops.h"

#include <algorithm>

#include "absl/strings/str_join.h"
#include "core/debug/travel.h"
#include "core/ops/op.h"

namespace hloscope {

StopState& Stops(Session::State& s) { return s.Extension<StopState>(); }
StopMemory& PresentMemory(Session::State& s) { return Stops(s).memory; }

namespace {

struct CallsHolder {
  std::unique_ptr<CallGraph> calls;
  const Module* module = nullptr;
};

}  // namespace

const CallGraph& CallsOf(Session::State& s) {
  CallsHolder& holder = s.Extension<CallsHolder>();
  std::unique_ptr<CallGraph>& calls = holder.calls;
  if (calls == nullptr || holder.module != s.module.get()) calls = std::make_unique<CallGraph>(MakeCallGraph(*s.module));
  holder.module = s.module.get();
  return *calls;
}

// ---- What is armed ----

void Session::State::ArmAll() {
  StopState& stops = Stops(*this);
  stops.at.clear();
  for (const auto& b : breakpoints) {
    if (!b->enabled) continue;
    for (size_t k = 0; k < b->locations.size(); ++k) {
      std::vector<Breakpoint*>& here = stops.at[{b->locations[k].computation, b->armed_position(k)}];
      if (here.empty() || here.back() != b.get()) here.push_back(b.get());
    }
  }
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
  for (const auto& [place, unused] : stops.at) {
    machine->Arm(*place.first, place.second);
    const auto callers = element_callers.find(place.first);
    if (callers == element_callers.end()) continue;
    for (const Instruction* caller : callers->second) {
      machine->Arm(*caller->parent, caller->index);
      armed_callers.insert(caller);
    }
  }
  // Frames that are looked into at each stop keep their values.
  for (const Computation* computation : stops.around) machine->Arm(*computation, -1);
  for (const auto& b : breakpoints) {
    for (const Computation* computation : b->looked_into) {
      if (b->enabled) machine->Arm(*computation, -1);
    }
  }
  ArmEdits(*this);
}

bool Session::State::AtElementCaller() const {
  const Instruction* next = machine->finished() ? nullptr : machine->next_instruction();
  return next != nullptr && armed_callers.contains(next);
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

namespace {

const std::vector<Breakpoint*>* AtPosition(const Session::State& s) {
  if (s.machine == nullptr || s.machine->finished() || s.machine->frames().empty()) return nullptr;
  const StopState& stops = Stops(const_cast<Session::State&>(s));
  const Frame& top = s.machine->top();
  const auto found = stops.at.find({top.computation, top.position});
  return found == stops.at.end() ? nullptr : &found->second;
}

// The session's names and values, with what only a breakpoint's own expressions know.
class StopHost : public ExpressionHost {
 public:
  StopHost(const Session::State& s, const Breakpoint& b) : s_(s), b_(b) {}
  bool IsName(absl::string_view name) const override { return s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override { return s_.ValueOf(name); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override { return s_.ShapeOf(name); }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return s_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override {
    if (name == "hits") return static_cast<double>(b_.reached);
    return s_.Fact(name, argument);
  }

 private:
  const Session::State& s_;
  const Breakpoint& b_;
};

}  // namespace

bool ArmedHere(const Session::State& s) { return AtPosition(s) != nullptr; }

absl::StatusOr<Claim> EvaluateCondition(const Session::State& s, const Breakpoint& b) { return EvaluateClaim(b.condition, StopHost(s, b)); }

absl::StatusOr<ExpressionResult> EvaluateAtStop(const Session::State& s, const Breakpoint& b, absl::string_view text) {
  return EvaluateExpression(text, StopHost(s, b));
}

// ---- What stops here ----

namespace {

// A breakpoint or logpoint whose place this is: does it want to stop?
bool Wants(Session::State& s, Breakpoint& b, bool counting) {
  if (counting) ++b.reached;
  if (b.condition.empty()) return true;
  const absl::StatusOr<Claim> claim = EvaluateCondition(s, b);
  if (claim.ok()) return claim->holds;
  if (counting) s.Say("Breakpoint ", b.number, ": its condition cannot be evaluated here: ", claim.status().message(), "\n");
  return true;
}

}  // namespace

std::vector<Stop> StopsHere(Session::State& s, StopMemory& memory, bool counting) {
  std::vector<Stop> found;
  const std::vector<Breakpoint*>* here = AtPosition(s);
  if (here == nullptr) return found;
  s.selected = static_cast<int>(s.machine->frames().size()) - 1;  // expressions are evaluated where the program stands
  for (Breakpoint* b : *here) {
    Stop stop{b, "", false};
    if (b->kind == Breakpoint::kWatch) {
      absl::StatusOr<std::optional<Stop>> change = EvaluateWatch(s, *b, memory);
      if (!change.ok()) {
        if (counting) s.Say("Watch ", b->number, " cannot be evaluated here: ", change.status().message(), "\n");
      } else if (!change->has_value()) {
        if (counting) ++b->reached;
        continue;
      } else if ((*change)->unsure && counting && !b->becomes) {
        ++b->reached;
        continue;
      } else {
        stop = **std::move(change);
      }
      if (counting) ++b->reached;
    } else if (b->kind == Breakpoint::kLog && !counting) {
      continue;
    } else if (!Wants(s, *b, counting)) {
      continue;
    }
    if (counting) {
      ++b->hits;
      if (b->ignore > 0) {
        --b->ignore;
        continue;
      }
      if (b->kind == Breakpoint::kLog) {
        WriteLog(s, *b);
        continue;
      }
    }
    found.push_back(std::move(stop));
  }
  return found;
}

void WatchesMoved(Session::State& s) {
  StopMemory& memory = PresentMemory(s);
  memory.watches.clear();
  if (!s.visible()) return;
  const int selected = s.selected;
  s.selected = static_cast<int>(s.machine->frames().size()) - 1;
  for (const auto& b : s.breakpoints) {
    if (b->kind == Breakpoint::kWatch && b->enabled) (void)EvaluateWatch(s, *b, memory);
  }
  s.selected = selected;
}

void Announce(Session::State& s, const std::vector<Stop>& found) {
  StopState& stops = Stops(s);
  stops.pending.clear();
  stops.silent = true;
  std::vector<std::string> names;
  for (const Stop& stop : found) {
    const Breakpoint& b = *stop.breakpoint;
    stops.silent &= !b.commands.empty() && b.commands[0] == "silent";
    names.push_back(absl::StrCat(b.kind == Breakpoint::kWatch ? "Watch " : b.temporary ? "Temporary breakpoint " : "Breakpoint ", b.number));
  }
  s.ShowNotices();
  if (!stops.silent) {
    for (const Stop& stop : found) {
      if (!stop.note.empty()) s.Say(stop.note, "\n");
    }
    s.Say(absl::StrJoin(names, ", "), ", ");
  }
  bool changed = false;
  for (const Frame& frame : s.machine->frames()) changed |= stops.around.insert(frame.computation).second;
  for (const Stop& stop : found) {
    Breakpoint& b = *stop.breakpoint;
    for (const std::string& command : b.commands) {
      if (command != "silent") stops.pending.push_back(command);
    }
    if (b.stops_left > 0 && --b.stops_left == 0) {
      b.enabled = false;
      b.stops_left = -1;
      changed = true;
    }
    if (!b.temporary) continue;
    const auto is_it = [&](const std::unique_ptr<Breakpoint>& other) { return other.get() == &b; };
    s.breakpoints.erase(std::find_if(s.breakpoints.begin(), s.breakpoints.end(), is_it));
    changed = true;
  }
  if (changed) s.ArmAll();
}

}  // namespace hloscope
