#include "core/debug/stop_walk.h"

#include <algorithm>
#include <atomic>
#include <chrono>

#include "core/debug/ahead_together.h"
#include "core/debug/catch_commands.h"
#include "core/debug/interruption.h"
#include "core/debug/time_limit.h"
#include "core/exec/not_on_the_way.h"

namespace hloscope {

absl::Status SeekStatus(const Session::State& s, StopReason reason) {
  if (reason == StopReason::kStep || reason == StopReason::kFinished) return absl::OkStatus();
  if (reason == StopReason::kInterrupted) return Interruption();
  if (reason != StopReason::kWaiting) return s.machine->status();
  if (const absl::Status why = WhyNotTogether(s); !why.ok()) return absl::Status(why.code(), absl::StrCat(kBeforeThat, why.message()));
  return absl::FailedPreconditionError(absl::StrCat(kBeforeThat, "the program exchanges with other devices, at ",
                                                    s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1),
                                                    ", which it has not done yet; continue or until gets there"));
}

std::vector<const Instruction*> ElementCallersAround(const Machine& machine) {
  std::vector<const Instruction*> callers;
  for (const Frame& frame : machine.frames()) {
    if (frame.kind == FrameKind::kElement) callers.push_back(frame.caller);
  }
  return callers;
}

absl::StatusOr<bool> SeekOnTheWay(Session::State& s, const Mark& to) {
  const StopReason reason = s.Extension<Travel>().timeline->Seek(to);
  if (reason == StopReason::kError && IsNotOnTheWay(s.machine->status())) return false;
  if (absl::Status there = SeekStatus(s, reason); !there.ok()) return there;
  return true;
}

PastArmed::PastArmed(Session::State& s, const Mark& end, const Computation& computation, absl::Span<const Instruction* const> element_callers) : s_(s) {
  StopsOfRun(s).past = true;
  s.ArmThis();
  Machine& m = *s.machine;
  const int position = end.levels.back().position;
  if (end.levels.size() > 1 || position < static_cast<int>(computation.schedule.size())) m.Arm(computation, position);
  for (const Instruction* caller : element_callers) {
    m.Arm(*caller->parent, caller->index);
    s.armed_callers.insert(caller);
  }
}

PastArmed::~PastArmed() {
  StopsOfRun(s_).past = false;
  s_.ArmThis();
}

absl::Status FindLastStop(Session::State& s, const Mark& end, bool judged_here, Found* found, StopMemory* memory) {
  Machine& m = *s.machine;
  RunStops& state = StopsOfRun(s);
  struct Judging {
    RunStops& state;
    StopMemory* before;
    ~Judging() { state.judging = before; }
  } judging{state, state.judging};
  state.judging = memory;
  const auto note = [&](const Mark& mark, std::vector<Stop> stops) {
    if (m.Where() == mark) {  // nothing else stops where the machine did not
      for (Stop& stop : StopsHere(s, *memory, false)) stops.push_back(std::move(stop));
    }
    std::vector<Found::Told> told;
    for (const Stop& stop : stops) {
      const Breakpoint& b = *stop.breakpoint;
      if (stop.unsure) {
        found->doubts.push_back({&b, mark, memory->watches[b.number], stop.note});
      } else {
        told.push_back({&b, stop.note});
      }
    }
    if (!told.empty()) found->Set(mark, std::move(told), *memory);
  };
  TakeUpEdit(s);
  if (!judged_here && m.Where() < end) note(m.Where(), {});
  // What is run once more of before this moment, to make values again, is not of this memory.
  if (const Mark here = m.Where(); memory->judged < here) memory->judged = here;
  while (true) {
    const bool enter = s.AtElementCaller();
    const StopReason reason = enter ? m.Step(true) : m.Run();
    if (reason == StopReason::kInterrupted) return Interruption();
    if (reason != StopReason::kBreakpoint && reason != StopReason::kCaught && !(enter && reason == StopReason::kStep)) return absl::OkStatus();
    if (reason != StopReason::kCaught) {
      TakeUpEdit(s);
      if (!(m.Where() < end)) return absl::OkStatus();
      note(m.Where(), {});
      continue;
    }
    const Machine::CaughtAt at = m.caught_at();
    if (!(at.mark < end)) return absl::OkStatus();
    std::vector<Stop> caught;
    if (AtCaught(s)) TakeUpEdit(s);
    JudgeCaught(s, *memory, false, &caught);
    if (at.lost) GoToCaught(s);
    note(at.mark, std::move(caught));
  }
}

void SettleDoubts(Found* found, std::vector<Found::Doubt>* doubts, const StopMemory& memory, bool beginning, std::optional<Mark> later) {
  std::vector<Found::Doubt> left;
  for (Found::Doubt& doubt : *doubts) {
    const auto seen = memory.watches.find(doubt.watch->number);
    const bool known = seen != memory.watches.end() && seen->second.known;
    if (!known && !beginning) {
      left.push_back(std::move(doubt));
      continue;
    }
    const std::optional<std::string> change = WatchChange(*doubt.watch, known ? &seen->second : nullptr, doubt.first, doubt.note);
    if (!change.has_value() || (later.has_value() && doubt.mark < *later)) continue;
    if (later.has_value() && *later == doubt.mark) {  // it is not the only one there
      const auto after = [&](const Found::Told& told) { return told.stop->kind != Breakpoint::kCatch && told.stop->number > doubt.watch->number; };
      found->told.insert(std::find_if(found->told.begin(), found->told.end(), after), {doubt.watch, *change});
      found->memory.watches[doubt.watch->number] = doubt.first;
      continue;
    }
    StopMemory then;
    then.watches[doubt.watch->number] = doubt.first;
    found->Set(doubt.mark, {{doubt.watch, *change}}, std::move(then));
    later = doubt.mark;
  }
  *doubts = std::move(left);
}

namespace {

// A place from which a walk can find out what some stops remember later.
struct Start {
  StopLedger::Key key;
  StopMemory memory;  // of the numbers, there
  std::vector<int> numbers;
};

// Between an entry of the ledger and a moment lies not more than about what lies between two snapshots.
bool Near(const Timeline& timeline, const StopLedger::Key& key, const Mark& mark) {
  int between = 0;
  for (auto moment = timeline.moments().rbegin(); moment != timeline.moments().rend() && between < 3; ++moment) {
    if (!(moment->mark < mark)) continue;
    if (!(key.mark < moment->mark)) return true;
    ++between;
  }
  return between < 3;
}

// Where walks to `mark` begin that find out about the stops that `wanted` accepts and `known` does not know.
template <typename Wanted>
std::vector<Start> StartsFor(Session::State& s, const StopLedger::Key& until, const StopMemory& known, Wanted wanted) {
  const Timeline& timeline = *s.Extension<Travel>().timeline;
  StopLedger& ledger = Ledger(s);
  std::vector<Start> starts;
  for (const auto& b : s.breakpoints) {
    if (known.counts.contains(b->number)) continue;
    const auto* entry = ledger.Before(until, b->number);
    const StopLedger::Key key = entry != nullptr ? entry->first : StopLedger::Key{timeline.moments().front().mark, false};
    if (!wanted(*b, Near(timeline, key, until.mark))) continue;
    if (entry == nullptr) ledger.Forget(b->number);  // counts that begin later are of no use any more
    auto start = std::find_if(starts.begin(), starts.end(), [&](const Start& each) { return !(each.key < key) && !(key < each.key); });
    if (start == starts.end()) start = starts.insert(starts.end(), {key, {}, {}});
    start->numbers.push_back(b->number);
    start->memory.counts[b->number] = entry != nullptr ? entry->second.counts.at(b->number) : StopCounts();
    if (entry == nullptr) continue;
    if (const auto seen = entry->second.watches.find(b->number); seen != entry->second.watches.end()) start->memory.watches[b->number] = seen->second;
  }
  return starts;
}

void TakeOver(const Start& start, const StopMemory& from, StopMemory* into) {
  for (int number : start.numbers) {
    if (const auto counts = from.counts.find(number); counts != from.counts.end()) into->counts[number] = counts->second;
    into->watches.erase(number);
    if (const auto seen = from.watches.find(number); seen != from.watches.end()) into->watches[number] = seen->second;
  }
}

// Walks from there to `mark`, and leaves the machine there. `through`: with what stops there.
absl::Status WalkTo(Session::State& s, Start& start, const Mark& mark, const Computation& computation, absl::Span<const Instruction* const> element_callers, bool through) {
  Timeline& timeline = *s.Extension<Travel>().timeline;
  if (start.key.mark < mark) {
    if (absl::Status there = SeekStatus(s, timeline.Seek(start.key.mark)); !there.ok()) return there;
    const PastArmed armed(s, mark, computation, element_callers);
    BeginCatchWalk(s);
    Found found;
    const absl::Status walked = FindLastStop(s, mark, start.key.after, &found, &start.memory);
    if (!walked.ok()) return walked;
    std::vector<Stop> caught;  // what the instruction before the mark made: nobody coming from the mark sees it
    if (s.machine->Where() == mark) JudgeCaught(s, start.memory, false, &caught);
    start.key.after = false;
  }
  if (absl::Status there = SeekStatus(s, timeline.Seek(mark)); !there.ok()) return there;
  if (through && !start.key.after) {
    const PastArmed armed(s, mark, computation, {});
    StopsHere(s, start.memory, false);
  }
  return absl::OkStatus();
}

}  // namespace

absl::Status KnowCounts(Session::State& s, Need need) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr || !s.visible()) return absl::OkStatus();
  // The way to an error is without it; where the program ends with one, it is met again.
  if (s.error_stop && (need != Need::kAll || !ElementCallersAround(*s.machine).empty())) return absl::OkStatus();
  StopMemory& present = PresentMemory(s);
  if (std::all_of(s.breakpoints.begin(), s.breakpoints.end(), [&](const auto& b) { return present.counts.contains(b->number); })) return absl::OkStatus();
  Machine& m = *s.machine;
  const Mark mark = m.Where();
  const auto wanted = [&](const Breakpoint& b, bool near) {
    if (need == Need::kAll) return true;
    if (need == Need::kWatches) return b.kind == Breakpoint::kWatch && b.enabled && near;
    return b.enabled && (near || Decisive(b));
  };
  std::vector<Start> starts = StartsFor(s, {mark, true}, present, wanted);
  if (starts.empty()) return absl::OkStatus();
  const Computation& computation = *m.top().computation;
  const std::vector<const Instruction*> element_callers = ElementCallersAround(m);
  const int selected = s.selected;
  absl::Status status;
  for (Start& start : starts) {
    status = WalkTo(s, start, mark, computation, element_callers, true);
    if (!status.ok()) break;
    TakeOver(start, start.memory, &present);
    present.judged = mark;
  }
  if (!status.ok()) (void)timeline->Seek(mark);
  if (s.error_stop) {
    Mark end;
    end.levels.push_back({FrameKind::kEntry, 0, -1, static_cast<int>(s.module->entry->schedule.size())});
    if (timeline->Seek(end) != StopReason::kError) s.error_stop = false;
  }
  s.selected = selected;
  s.ArmThis();
  return status;
}

absl::StatusOr<bool> KnowCountsSoon(Session::State& s) {
  constexpr auto kSoon = std::chrono::milliseconds(300);
  if (s.machine == nullptr || !s.visible()) return true;
  const Mark mark = s.machine->Where();
  std::atomic<bool>& interrupt = s.machine->interrupt();
  interrupt.store(false);
  s.interrupted.store(false);
  TimeLimit limit(interrupt, std::chrono::steady_clock::now() + kSoon);
  absl::Status known = KnowCounts(s, Need::kAll);
  if (!limit.End()) return known.ok() ? absl::StatusOr<bool>(true) : known;
  if (!(s.machine->Where() == mark)) (void)s.Extension<Travel>().timeline->Seek(mark);
  if (s.interrupted.load()) return Interruption();
  if (known.ok() || absl::IsCancelled(known)) return known.ok();
  return known;
}

absl::Status WriteLogsOnTheWay(Session::State& s, const Mark& from, const Mark& to) {
  Machine& m = *s.machine;
  const Computation& computation = *m.top().computation;
  const std::vector<const Instruction*> element_callers = ElementCallersAround(m);
  if (absl::Status there = SeekStatus(s, s.Extension<Travel>().timeline->Seek(from)); !there.ok()) return there;
  (void)KnowCounts(s, Need::kGoOn);
  WriteLogsHere(s);
  StopMemory memory = PresentMemory(s);
  Found found;
  const PastArmed armed(s, to, computation, element_callers);
  BeginCatchWalk(s);
  StopsOfRun(s).logging = true;
  m.interrupt().store(false);
  const absl::Status walked = FindLastStop(s, to, true, &found, &memory);
  if (walked.ok() && m.Where() == to) StopsHere(s, memory, false);
  StopsOfRun(s).logging = false;
  NoteLogged(s, {from, true}, true);
  Ledger(s).Add(m.Where(), memory);
  FlushLogs(s);
  return walked;
}

absl::Status MemoryAt(Session::State& s, const Mark& mark, const Computation& computation, StopMemory* memory) {
  const auto wanted = [](const Breakpoint& b, bool near) { return b.enabled && (near || Decisive(b)); };
  for (Start& start : StartsFor(s, {mark, false}, *memory, wanted)) {
    if (absl::Status there = WalkTo(s, start, mark, computation, {}, false); !there.ok()) return there;
    TakeOver(start, start.memory, memory);
  }
  return SeekStatus(s, s.Extension<Travel>().timeline->Seek(mark));
}

namespace {

// What watches with those numbers saw since the `back`-th last moment that is kept, for the present; `through`: with what they see here.
// Whether there is an earlier moment yet.
bool SeeSince(Session::State& s, const std::vector<int>& numbers, size_t back, bool through) {
  if (numbers.empty()) return false;
  Timeline& timeline = *s.Extension<Travel>().timeline;
  const Mark mark = s.machine->Where();
  std::vector<const Mark*> before;
  for (const Timeline::Moment& moment : timeline.moments()) {
    if (moment.mark < mark) before.push_back(&moment.mark);
  }
  if (before.empty()) return false;
  const bool earlier = back < before.size();
  Start start;
  start.numbers = numbers;
  start.key.mark = *before[before.size() - std::min(back, before.size())];  // the walk adds moments
  if (WalkTo(s, start, mark, *s.machine->top().computation, ElementCallersAround(*s.machine), through).ok()) {
    TakeOver(start, start.memory, &PresentMemory(s));
  } else {
    (void)timeline.Seek(mark);
  }
  return earlier;
}

}  // namespace

void SeeLast(Session::State& s, const Breakpoint& watch, bool through) {
  StopMemory& present = PresentMemory(s);
  if (s.Extension<Travel>().timeline == nullptr || s.machine->finished() || present.watches.contains(watch.number)) return;
  const int selected = s.selected;  // the walks come back to the same frames
  // Moments may lie close together here: further back each time.
  for (size_t back = 1; SeeSince(s, {watch.number}, back, through) && !present.watches.contains(watch.number);) back *= 2;
  s.selected = selected;
}

void Arrived(Session::State& s) {
  StopsMoved(s);
  s.ArmThis();
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  Machine& m = *s.machine;
  const auto is_watch = [](const std::unique_ptr<Breakpoint>& b) { return b->kind == Breakpoint::kWatch && b->enabled; };
  if (timeline == nullptr || m.finished() || std::none_of(s.breakpoints.begin(), s.breakpoints.end(), is_watch)) return;
  if (!KnowCounts(s, Need::kWatches).ok()) return;
  // Watches whose past nobody wrote down, or far from here: what they saw since the last moment that is kept.
  StopMemory& present = PresentMemory(s);
  std::vector<int> numbers;
  for (const auto& b : s.breakpoints) {
    if (is_watch(b) && !present.counts.contains(b->number)) numbers.push_back(b->number);
  }
  SeeSince(s, numbers, 1, true);
}

}  // namespace hloscope
