// The judge: what is armed, what stops where the program stands, and what a stop spends. Commands that change breakpoints are breakpoints.cc's.
#include "core/debug/stops.h"

#include <algorithm>
#include <iterator>

#include "absl/strings/cord.h"
#include "absl/strings/str_join.h"
#include "core/debug/calls.h"
#include "core/debug/catch_commands.h"
#include "core/debug/devices.h"
#include "core/debug/stop_check.h"
#include "core/debug/stop_log.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/debug/travel.h"
#include "core/ops/op.h"

namespace hloscope {

StopState& Stops(Session::State& s) { return s.Extension<StopState>(); }
RunStops& StopsOfRun(Session::State& s) { return s.Extension<RunStops>(); }
StopMemory& PresentMemory(Session::State& s) { return StopsOfRun(s).memory; }
StopLedger& Ledger(Session::State& s) { return StopsOfRun(s).ledger; }
Mark PresentMark(const Session::State& s) { return s.visible() ? s.machine->Where() : Mark(); }

namespace {

struct CallsHolder {
  std::unique_ptr<CallGraph> calls;
  const Module* program = nullptr;
};

}  // namespace

const CallGraph& CallsOf(Session::State& s) {
  CallsHolder& holder = s.Extension<CallsHolder>();
  std::unique_ptr<CallGraph>& calls = holder.calls;
  const Module& program = s.module->program();  // devices that run other functions of it share this
  if (calls == nullptr || holder.program != &program) calls = std::make_unique<CallGraph>(MakeCallGraph(program));
  holder.program = &program;
  return *calls;
}

// ---- What is armed ----

void Session::State::ArmAll() {
  ++breakpoints_generation;
  ArmThis();
}

void Session::State::ArmThis() {
  armed_generation = breakpoints_generation;
  RunStops& stops = StopsOfRun(*this);
  stops.at.clear();
  const Mark now = PresentMark(*this);
  const auto sleeps = [&](const Breakpoint& b) {
    const auto counts = stops.memory.counts.find(b.number);
    return !stops.past && counts != stops.memory.counts.end() && StopsYet(b, counts->second, now) == 0;
  };
  std::vector<const Breakpoint*> catches;
  for (const auto& b : breakpoints) {
    if (!b->enabled || sleeps(*b)) continue;
    if (b->device >= 0 && b->device != DevicesOf(*this).selected) continue;
    if (b->kind == Breakpoint::kCatch) catches.push_back(b.get());
    for (size_t k = 0; k < b->locations.size(); ++k) {
      std::vector<Breakpoint*>& here = stops.at[{b->locations[k].computation, b->armed_position(k)}];
      if (here.empty() || here.back() != b.get()) here.push_back(b.get());
    }
  }
  SetCatches(*this, catches);
  if (machine == nullptr) return;
  machine->DisarmAll();
  armed_callers.clear();
  const CallGraph& calls = CallsOf(*this);
  for (const auto& [place, unused] : stops.at) {
    machine->Arm(*place.first, place.second);
    for (const Instruction* caller : calls.element_callers[place.first->id]) {
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

Breakpoint& Session::State::AddBreakpoint(absl::string_view spec, std::vector<Location> locations) {
  auto b = std::make_unique<Breakpoint>();
  b->number = next_breakpoint++;
  b->spec = std::string(spec);
  b->locations = std::move(locations);
  return Adopt(*this, std::move(b));
}

// ---- What is counted ----

Breakpoint& Adopt(Session::State& s, std::unique_ptr<Breakpoint> b) {
  s.breakpoints.push_back(std::move(b));
  Breakpoint& added = *s.breakpoints.back();
  const bool counts_places = added.kind == Breakpoint::kBreak || added.kind == Breakpoint::kLog;
  ForEachRun(s, [&](int) {
    // Where a logpoint is set it is not written any more, as a breakpoint does not stop there.
    if (s.visible() && added.kind == Breakpoint::kLog)
      StopsOfRun(s).logged[added.number].Add({PresentMark(s), false}, {PresentMark(s), true});
    // Else nobody has counted how often the program came there: KnowCounts does where it matters, from the beginning, as every other way there.
    if (s.visible() && counts_places && !(added.temporary && !Decisive(added))) return;
    PresentMemory(s).counts[added.number] = StopCounts();
    if (s.visible()) Ledger(s).AddOne(PresentMark(s), added.number, PresentMemory(s));
  });
  s.ArmAll();
  return added;
}

StopFigures FiguresOf(const Session::State& s, const Breakpoint& b) {
  const RunStops& stops = StopsOfRun(const_cast<Session::State&>(s));
  const Mark now = PresentMark(s);
  StopFigures figures;
  if (const auto known = stops.memory.counts.find(b.number); known != stops.memory.counts.end()) figures.counts = known->second;
  const auto passing = stops.passing.find(b.number);
  figures.passed = PassedYet(b, figures.counts, now) + (passing != stops.passing.end() ? passing->second : 0);
  figures.stops_left = StopsYet(b, figures.counts, now);
  figures.awake = b.enabled && figures.stops_left != 0;
  return figures;
}

void Redefined(Session::State& s, const Breakpoint& b) {
  ForEachRun(s, [&](int) {
    LoggedMoments& logged = StopsOfRun(s).logged[b.number];
    logged = LoggedMoments();  // its lines are others, but for the one here
    if (s.visible()) logged.Add({PresentMark(s), false}, {PresentMark(s), true});
    Ledger(s).Forget(b.number);
    if (s.visible()) Ledger(s).AddOne(PresentMark(s), b.number, PresentMemory(s));
  });
}

void SpendRules(Session::State& s) {
  const Mark now = PresentMark(s);
  for (const auto& b : s.breakpoints) {
    const auto known = PresentMemory(s).counts.find(b->number);
    const StopCounts counts = known != PresentMemory(s).counts.end() ? known->second : StopCounts();
    const int64_t passed = PassedYet(*b, counts, now), stops = StopsYet(*b, counts, now);
    b->ignores.clear();
    b->limits.clear();
    if (passed > 0) AddRule(b->ignores, Mark(), passed);
    if (stops > 0) AddRule(b->limits, Mark(), stops);
    if (stops == 0) b->enabled = false;
  }
  PresentMemory(s) = StopMemory();
  Ledger(s).Clear();
}

void CountsBegin(Session::State& s) {
  PresentMemory(s) = StopMemory();
  StopsOfRun(s).passing.clear();
  StopsOfRun(s).logged.clear();
  for (const auto& b : s.breakpoints) PresentMemory(s).counts[b->number] = StopCounts();
}

namespace {

const std::vector<Breakpoint*>* AtPosition(const Session::State& s) {
  if (s.machine == nullptr || s.machine->finished() || s.machine->frames().empty()) return nullptr;
  const RunStops& stops = StopsOfRun(const_cast<Session::State&>(s));
  const Frame& top = s.machine->top();
  const auto found = stops.at.find({top.computation, top.position});
  return found == stops.at.end() ? nullptr : &found->second;
}

// The session's names and values, with what only a breakpoint's own expressions know.
class StopHost : public ExpressionHost {
 public:
  StopHost(const Session::State& s, int64_t hits) : s_(s), hits_(hits) {}
  bool IsName(absl::string_view name) const override { return s_.IsName(name); }
  absl::StatusOr<Value> ValueOf(absl::string_view name) const override { return s_.ValueOf(name); }
  absl::StatusOr<Shape> ShapeOf(absl::string_view name) const override { return s_.ShapeOf(name); }
  absl::StatusOr<bool> StoppedAt(absl::string_view location) const override { return s_.StoppedAt(location); }
  bool Finished() const override { return s_.Finished(); }
  absl::StatusOr<double> Fact(absl::string_view name, absl::string_view argument) const override {
    if (name == "hits") return static_cast<double>(hits_);
    return s_.Fact(name, argument);
  }

 private:
  const Session::State& s_;
  const int64_t hits_;
};

}  // namespace

bool ArmedHere(const Session::State& s) { return AtPosition(s) != nullptr; }

absl::StatusOr<ExpressionResult> EvaluateAtStop(const Session::State& s, int64_t hits, absl::string_view text) { return EvaluateExpression(text, StopHost(s, hits)); }

// ---- What stops here ----

namespace {

// One stop that the program has come to, by the counts that the memory knows of it.
class Judged {
 public:
  Judged(Session::State& s, StopMemory& memory, const Mark& now, Breakpoint& b, bool counting) : s_(s), b_(b), counting_(counting) {
    const auto found = memory.counts.find(b.number);
    known_ = found != memory.counts.end();
    if (known_) counts_ = &found->second;
    if (known_ && TakeUpRules(b, *counts_, now)) memory.watches.erase(b.number);  // what a watch saw before it slept is old
    awake_ = !Sleeps(b, *counts_);
    if (awake_) ++counts_->reached;
  }

  bool awake() const { return awake_; }
  bool known() const { return known_; }
  int64_t reached() const { return counts_->reached; }

  // Of a condition that cannot be evaluated it is said, and that is a stop. In no iteration of a loop that does not run it holds. A catch may be
  // anywhere: where there is nothing to see its condition does not hold.
  bool ConditionHolds() const {
    if (b_.condition.empty()) return true;
    const absl::StatusOr<Claim> claim = EvaluateClaim(b_.condition, StopHost(s_, counts_->reached), false);
    if (claim.ok()) return claim->holds;
    if (claim.status().GetPayload(kLoopNotRunning).has_value()) return false;
    const bool is_catch = b_.kind == Breakpoint::kCatch;
    if (is_catch && (absl::IsFailedPrecondition(claim.status()) || absl::IsNotFound(claim.status()))) return false;
    if (counting_) s_.Say(is_catch ? "Catch " : "Breakpoint ", b_.number, ": its condition cannot be evaluated here: ", claim.status().message(), "\n");
    NotKnown();
    return true;
  }

  // A hit of which nobody knows whether it is one.
  void NotKnown() const { ++counts_->unknown; }

  // A hit: false where it is passed by.
  bool Stops() const {
    ++counts_->hits;
    if (const auto passing = StopsOfRun(s_).passing.find(b_.number); counting_ && passing != StopsOfRun(s_).passing.end()) {
      if (--passing->second == 0) StopsOfRun(s_).passing.erase(passing);
      return false;
    }
    if (Passes(b_, *counts_)) {
      ++counts_->ignored;
      return false;
    }
    if (b_.kind == Breakpoint::kLog) return true;
    ++counts_->stops;
    return true;
  }

 private:
  Session::State& s_;
  Breakpoint& b_;
  const bool counting_;
  bool known_ = false, awake_ = false;
  StopCounts spare_;
  StopCounts* counts_ = &spare_;
};

// A watch where something that it reads has been computed. Nothing: no stop.
std::optional<Stop> JudgeWatch(Session::State& s, StopMemory& memory, Breakpoint& b, const Judged& judged, bool counting) {
  absl::StatusOr<std::optional<Stop>> change = EvaluateWatch(s, b, memory, judged.reached());
  if (!change.ok()) {
    if (counting) s.Say("Watch ", b.number, " cannot be evaluated here: ", change.status().message(), "\n");
    judged.NotKnown();
    return Stop{&b, "", false};
  }
  if (!change->has_value()) return std::nullopt;
  // With all that was before in the memory, a first value is the first that there is.
  if ((*change)->unsure && (counting || judged.known())) {
    if (!b.becomes) return std::nullopt;
    (*change)->unsure = false;
  }
  return **std::move(change);
}

// Watches here that know nothing of what was before the program was moved: whether this is a change, only that tells.
void RememberHere(Session::State& s, const StopMemory& memory) {
  const auto unsure = [&](const Breakpoint* b) {
    return b->kind == Breakpoint::kWatch && b->enabled && !memory.counts.contains(b->number) && !memory.watches.contains(b->number);
  };
  std::vector<const Breakpoint*> watches;  // where the program goes meanwhile, other things are armed
  std::copy_if(AtPosition(s)->begin(), AtPosition(s)->end(), std::back_inserter(watches), unsure);
  for (const Breakpoint* watch : watches) SeeLast(s, *watch, false);
}

}  // namespace

std::vector<Stop> StopsHere(Session::State& s, StopMemory& memory, bool counting) {
  std::vector<Stop> found;
  if (counting && AtPosition(s) != nullptr) RememberHere(s, memory);
  const std::vector<Breakpoint*>* here = AtPosition(s);
  if (here == nullptr) return found;
  s.selected = static_cast<int>(s.machine->frames().size()) - 1;  // expressions are evaluated where the program stands
  const Mark now = s.machine->Where();
  for (Breakpoint* b : *here) {
    const Judged judged(s, memory, now, *b, counting);
    if (!judged.awake()) continue;
    Stop stop{b, "", false};
    if (b->kind == Breakpoint::kWatch) {
      std::optional<Stop> change = JudgeWatch(s, memory, *b, judged, counting);
      if (!change.has_value()) continue;
      stop = *std::move(change);
    } else if (!judged.ConditionHolds()) {
      continue;
    }
    if (!judged.Stops()) continue;
    if (b->kind != Breakpoint::kLog) {
      found.push_back(std::move(stop));
    } else if (counting || StopsOfRun(s).logging) {
      WriteLog(s, *b, judged.reached());
    }
  }
  memory.judged = now;
  return found;
}

void WriteLogsHere(Session::State& s) {
  const std::vector<Breakpoint*>* here = AtPosition(s);
  if (here == nullptr) return;
  s.selected = static_cast<int>(s.machine->frames().size()) - 1;
  for (const Breakpoint* b : *here) {
    const StopFigures figures = FiguresOf(s, *b);
    if (b->kind != Breakpoint::kLog || !figures.awake || figures.passed > 0) continue;
    const absl::StatusOr<Claim> claim =
        b->condition.empty() ? absl::StatusOr<Claim>(Claim{true, ""}) : EvaluateClaim(b->condition, StopHost(s, figures.counts.reached), false);
    if (claim.ok() && claim->holds) WriteLog(s, *b, figures.counts.reached);
  }
}

bool AtCaught(const Session::State& s) { return s.machine->Where() == s.machine->caught_at().mark; }

void GoToCaught(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline != nullptr && !AtCaught(s)) (void)timeline->Seek(s.machine->caught_at().mark);
}

bool JudgeCaught(Session::State& s, StopMemory& memory, bool counting, std::vector<Stop>* stops) {
  const std::vector<CaughtThere> all = TakeCaught(s);
  if (all.empty()) return false;
  const Mark now = s.machine->caught_at().mark;
  std::vector<std::pair<Breakpoint*, const CaughtThere*>> catches;
  for (const CaughtThere& caught : all) {
    const auto b = std::find_if(s.breakpoints.begin(), s.breakpoints.end(), [&](const auto& each) { return each->number == caught.number; });
    if (b != s.breakpoints.end()) catches.emplace_back(b->get(), &caught);
  }
  // Values are there to be looked at. Before anything is counted: the way there writes down what is known on it.
  const auto conditional = [](const auto& c) { return !c.first->condition.empty(); };
  const auto reads_values = [](const auto& c) { return absl::StrContains(c.first->condition, '%'); };
  if (std::any_of(catches.begin(), catches.end(), reads_values) || (!s.machine->settled() && std::any_of(catches.begin(), catches.end(), conditional))) {
    GoToCaught(s);
    Settle(s);
  }
  s.selected = static_cast<int>(s.machine->frames().size()) - 1;
  for (const auto& [b, caught] : catches) {
    const Judged judged(s, memory, now, *b, counting);
    if (judged.awake() && judged.ConditionHolds() && judged.Stops()) stops->push_back({b, caught->text, false});
  }
  memory.judged = now;
  return true;
}

void StopsMoved(Session::State& s) {
  StopMemory& memory = PresentMemory(s);
  memory = StopMemory();
  StopsOfRun(s).passing.clear();
  s.unjudged = false;
  if (!s.visible()) return;
  const int selected = s.selected;
  s.selected = static_cast<int>(s.machine->frames().size()) - 1;
  for (const auto& b : s.breakpoints) {
    if (b->kind == Breakpoint::kWatch && b->enabled) (void)EvaluateWatch(s, *b, memory, 0);
  }
  s.selected = selected;
}

namespace {

absl::string_view FirstLine(absl::string_view text) { return text.substr(0, text.find('\n')); }

// Each place once.
void Log(Session::State& s, const std::vector<Stop>& found) {
  StopLog& log = s.Extension<StopLog>();
  if (const Module* program = &s.module->program(); log.program != program) log = StopLog{program, {}};
  const Mark mark = s.machine->Where();
  const int device = Several(s) ? DevicesOf(s).selected : 0;
  for (const Stop& stop : found) {
    const Breakpoint& b = *stop.breakpoint;
    if (b.unnamed) continue;
    if (log.entries.size() >= StopLog::kMost) return;
    if (std::any_of(log.entries.begin(), log.entries.end(), [&](const StopLog::Entry& e) { return e.number == b.number && e.module == s.module.get() && e.device == device && e.mark == mark; })) continue;
    const char* word = b.kind == Breakpoint::kWatch ? "Watch " : b.kind == Breakpoint::kCatch ? "Catch " : b.temporary ? "Temporary breakpoint " : "Breakpoint ";
    const std::string said = stop.note.empty() ? absl::StrCat("at ", s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1)) : std::string(FirstLine(stop.note));
    log.entries.push_back({b.kind, b.number, s.module.get(), device, mark, absl::StrCat(word, b.number, ", ", said)});
  }
}

}  // namespace

absl::string_view NameOfStop(const Breakpoint& b) {
  return b.kind == Breakpoint::kWatch ? "Watch" : b.kind == Breakpoint::kCatch ? "Catch" : b.temporary ? "Temporary breakpoint" : "Breakpoint";
}

void TakeUpCommands(Session::State& s, const std::vector<Stop>& found) {
  StopState& stops = Stops(s);
  stops.pending.clear();
  stops.silent = true;
  for (const Stop& stop : found) {
    const std::vector<Breakpoint::Command>& commands = stop.breakpoint->commands;
    stops.silent &= !commands.empty() && commands[0].text == "silent";
    std::copy_if(commands.begin(), commands.end(), std::back_inserter(stops.pending), [](const Breakpoint::Command& command) { return command.text != "silent"; });
  }
  NoteTakenUp(s);
}

bool DropTemporary(Session::State& s, const std::vector<Stop>& found) {
  bool gone = false;
  for (const Stop& stop : found) {
    if (!stop.breakpoint->temporary) continue;
    s.breakpoints.erase(std::find_if(s.breakpoints.begin(), s.breakpoints.end(), [&](const auto& other) { return other.get() == stop.breakpoint; }));
    gone = true;
  }
  if (gone) s.ArmAll();
  return gone;
}

void Announce(Session::State& s, const std::vector<Stop>& found) {
  StopState& stops = Stops(s);
  Log(s, found);
  TakeUpCommands(s, found);
  if (!stops.silent) SaySwitched(s);
  std::vector<std::string> names;
  for (const Stop& stop : found) {
    const Breakpoint& b = *stop.breakpoint;
    if (b.kind == Breakpoint::kCatch || b.unnamed) continue;  // its note says so
    names.push_back(absl::StrCat(NameOfStop(b), " ", b.number));
  }
  s.ShowNotices();
  if (std::any_of(found.begin(), found.end(), [](const Stop& stop) { return stop.breakpoint->kind == Breakpoint::kCatch; })) ShowCatchNotices(s);
  if (!stops.silent) {
    for (const Stop& stop : found) {
      if (stop.breakpoint->kind == Breakpoint::kCatch) s.Say("Catch ", stop.breakpoint->number, ", ");
      if (!stop.note.empty()) s.Say(stop.note, "\n");
    }
    s.Say(absl::StrJoin(names, ", "), names.empty() ? "" : ", ");
  }
  bool changed = false;
  for (const Frame& frame : s.machine->frames()) changed |= StopsOfRun(s).around.insert(frame.computation).second;
  for (const Stop& stop : found) changed |= !stop.breakpoint->limits.empty();  // it may sleep now
  if (!DropTemporary(s, found) && changed) s.ArmThis();
}

}  // namespace hloscope
