#include "core/debug/places.h"

#include <algorithm>
#include <memory>
#include <optional>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/debug/interruption.h"
#include "core/debug/locations.h"
#include "core/debug/occurrences.h"
#include "core/debug/stop_walk.h"
#include "core/debug/travel.h"
#include "core/ir/written_names.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

// The way into a computation from one that is on the stack: instructions that call, the outermost first. `depth`: of that one's frame.
struct WayIn {
  int depth = 0;
  std::vector<const Instruction*> callers;
};

absl::StatusOr<WayIn> FindWayIn(const Session::State& s, const Computation& wanted) {
  const std::vector<Frame>& frames = s.machine->frames();
  struct Step {
    const Computation* computation;
    int from;  // index into steps
    const Instruction* caller;
  };
  std::vector<Step> steps = {{&wanted, -1, nullptr}};
  absl::flat_hash_set<const Computation*> seen = {&wanted};
  for (size_t k = 0; k < steps.size(); ++k) {
    for (int depth = static_cast<int>(frames.size()) - 1; depth >= 0; --depth) {
      if (frames[depth].computation != steps[k].computation) continue;
      WayIn way{depth, {}};
      for (int at = static_cast<int>(k); steps[at].caller != nullptr; at = steps[at].from) way.callers.push_back(steps[at].caller);
      return way;
    }
    for (const Computation* computation : s.module->computations) {
      for (const Instruction* instruction : computation->instructions) {
        if (Def(*instruction).control == ControlKind::kNone) continue;
        const std::vector<Computation*> called = instruction->CalledComputations();
        if (std::find(called.begin(), called.end(), steps[k].computation) == called.end() || !seen.insert(computation).second) continue;
        steps.push_back({computation, static_cast<int>(k), instruction});
      }
    }
  }
  return absl::NotFoundError(absl::StrCat(wanted.name, " is never entered"));
}

// The level of the frame that `caller` makes for `computation`, in its first iteration.
Mark::Level LevelIn(const Instruction& caller, const Computation& computation) {
  Mark::Level level;
  switch (Def(caller).control) {
    case ControlKind::kWhile: level.kind = caller.Called(AttrId::kBody) == &computation ? FrameKind::kWhileBody : FrameKind::kWhileCondition; break;
    case ControlKind::kConditional: {
      const std::vector<Computation*> called = caller.CalledComputations();
      level.kind = FrameKind::kBranch;
      level.branch = static_cast<int>(std::find(called.begin(), called.end(), &computation) - called.begin());
      break;
    }
    case ControlKind::kCall:
    case ControlKind::kNone: level.kind = computation.is_fusion ? FrameKind::kFusion : FrameKind::kCall; break;
  }
  return level;
}

// The mark at `position` of a computation, in the way that leads there from where the program stands.
absl::StatusOr<Mark> MarkIn(const Session::State& s, const Computation& computation, int position) {
  const absl::StatusOr<WayIn> way = FindWayIn(s, computation);
  Mark mark = s.machine->Where();
  if (!way.ok() || way->depth >= static_cast<int>(mark.levels.size())) return absl::FailedPreconditionError(absl::StrCat(computation.name, " is run element by element, as a part of another instruction; go there and step"));
  mark.levels.resize(way->depth + 1);
  for (size_t k = 0; k < way->callers.size(); ++k) {
    const Computation& next = k + 1 < way->callers.size() ? *way->callers[k + 1]->parent : computation;
    mark.levels.back().position = way->callers[k]->index;
    mark.levels.push_back(LevelIn(*way->callers[k], next));
  }
  mark.levels.back().position = std::max(position, BeginningOf(*s.module, computation));
  return mark;
}

// The first time after the present that the computation comes to that position.
absl::Status FindNext(Session::State& s, const Computation& computation, int position, std::optional<Mark>* found) {
  absl::StatusOr<Occurrences> runs = Occurrences::Of(s, computation, Asked(), false);
  if (!runs.ok()) return runs.status();
  const Mark present = s.machine->Where();
  const auto take = [&](const Occurrence&) -> absl::StatusOr<bool> {
    *found = s.machine->Where();
    (*found)->levels.back().position = position;
    return false;
  };
  return runs->Visit(s, take, &present);
}

// The last time before the present: through one stretch between snapshots after the other, backwards, with nothing else armed.
absl::Status FindLast(Session::State& s, const Computation& computation, int position, std::optional<Mark>* found) {
  Machine& m = *s.machine;
  Timeline& timeline = *s.Extension<Travel>().timeline;
  const std::vector<Timeline::Moment> moments = timeline.moments();
  struct Quiet {
    Session::State& s;
    std::vector<std::unique_ptr<Breakpoint>> stops = std::move(s.breakpoints);
    ~Quiet() {
      s.breakpoints = std::move(stops);
      s.ArmAll();
    }
  } quiet{s};
  s.breakpoints.clear();
  s.ArmAll();
  m.Arm(computation, position);
  Mark end = m.Where();
  m.interrupt().store(false);
  for (auto moment = moments.rbegin(); moment != moments.rend() && !found->has_value(); ++moment) {
    if (!(moment->mark < end)) continue;
    if (absl::Status there = SeekStatus(s, timeline.Seek(moment->mark)); !there.ok()) return there;
    while (true) {
      TakeUpEdit(s);
      if (!(m.Where() < end)) break;
      if (m.top().computation == &computation && m.top().position == position) *found = m.Where();
      const StopReason reason = m.Run();
      if (reason == StopReason::kInterrupted) return Interruption();
      if (reason != StopReason::kBreakpoint) break;
    }
    end = moment->mark;
  }
  return absl::OkStatus();
}

}  // namespace

absl::StatusOr<Mark> WhenExecuted(Session::State& s, const Instruction& instruction) {
  const Computation& computation = *instruction.parent;
  const absl::StatusOr<Mark> first = MarkIn(s, computation, instruction.index);
  const std::vector<Frame>& frames = s.machine->frames();
  const bool here = std::any_of(frames.begin(), frames.end(), [&](const Frame& frame) { return frame.computation == &computation; });
  if (!first.ok() || here) return first;
  const int position = first->levels.back().position;
  std::optional<Mark> found;
  const absl::Status ahead = LookAround(s, [&] { return FindNext(s, computation, position, &found); });
  if (found.has_value()) return *found;
  if (absl::IsCancelled(ahead)) return ahead;
  const absl::Status behind = LookAround(s, [&] { return FindLast(s, computation, position, &found); });
  if (found.has_value()) return *found;
  if (!ahead.ok() || !behind.ok()) return ahead.ok() ? behind : ahead;
  return absl::NotFoundError(
      absl::StrCat("the program does not come to ", ShownName(instruction), ": nothing enters ", computation.name, " in this run"));
}

namespace {

// A moment in a loop, and which of its levels are the iterations of what.
struct InLoops {
  Mark mark;                                // at the beginning of what is looked at
  std::vector<size_t> levels;               // of `mark`, by loop, the outermost first
  std::vector<const Instruction*> loops;    // the last is the one that is meant
};

absl::StatusOr<InLoops> FindInLoops(Session::State& s, const InLoopPlace& place) {
  if (s.Extension<Travel>().timeline == nullptr || !s.visible()) return absl::FailedPreconditionError("the program is not running; run or start begins it");
  absl::StatusOr<Mark> mark = MarkIn(s, *place.home, 0);
  if (!mark.ok()) return mark.status();
  InLoops found{*std::move(mark), {}, {}};
  const Computation* computation = s.module->entry;
  for (size_t k = 1; k < found.mark.levels.size(); ++k) {
    const Instruction* caller = computation->schedule[static_cast<size_t>(found.mark.levels[k - 1].position)];
    Mark::Level& level = found.mark.levels[k];
    if (!IsLoop(level.kind)) {
      const std::vector<Computation*> called = caller->CalledComputations();
      computation = called[level.branch >= 0 ? static_cast<size_t>(level.branch) : 0];
      continue;
    }
    computation = caller->Called(level.kind == FrameKind::kWhileBody ? AttrId::kBody : AttrId::kCondition);
    const size_t at = found.loops.size();
    found.loops.push_back(caller);
    found.levels.push_back(k);
    if (caller == place.loop) return found;
    if (at < place.outer.size() && place.outer[at] >= 0) level.iteration = place.outer[at];
  }
  return absl::NotFoundError(absl::StrCat(place.home->name, " is not run by ", ShownName(*place.loop)));
}

}  // namespace

absl::StatusOr<std::vector<const Instruction*>> LoopsAround(Session::State& s, const InLoopPlace& place) {
  absl::StatusOr<InLoops> found = FindInLoops(s, place);
  if (!found.ok()) return found.status();
  return std::move(found->loops);
}

absl::Status AtIterations(Session::State& s, const InLoopPlace& place, int64_t first, int64_t last,
                          const std::function<absl::Status(absl::Span<const int64_t> around)>& each) {
  absl::StatusOr<InLoops> found = FindInLoops(s, place);
  if (!found.ok()) return found.status();
  Timeline& timeline = *s.Extension<Travel>().timeline;
  const size_t depth = found->levels.back();
  Mark& mark = found->mark;
  bool reached = false;
  const absl::Status status = LookAround(s, [&]() -> absl::Status {
    std::vector<int64_t> around;
    for (const size_t level : found->levels) around.push_back(mark.levels[level].iteration);
    for (int64_t k = first; k <= last; ++k) {
      around.back() = mark.levels[depth].iteration = k;
      bool there = true;
      if (depth + 1 < mark.levels.size()) {  // the loop may come to this iteration without running that in it
        Mark begin = mark;
        begin.levels.resize(depth + 1);
        begin.levels.back().position = 0;
        const absl::StatusOr<bool> begins = SeekOnTheWay(s, begin);
        if (!begins.ok()) return begins.status();
        there = *begins;
        reached |= there;
        const absl::StatusOr<bool> runs = there ? SeekOnTheWay(s, AfterEdits(timeline, mark)) : false;
        if (!runs.ok()) return runs.status();
        if (there && !*runs) continue;
      } else {
        const absl::StatusOr<bool> begins = SeekOnTheWay(s, AfterEdits(timeline, mark));
        if (!begins.ok()) return begins.status();
        there = *begins;
      }
      if (!there) return reached ? absl::OkStatus() : s.machine->status();
      reached = true;
      s.selected = static_cast<int>(s.machine->frames().size()) - 1;
      if (absl::Status made = each(around); !made.ok()) return made;
    }
    return absl::OkStatus();
  });
  return reached ? status : MomentError(s, mark, status, absl::StrCat("iteration ", first));
}

}  // namespace hloscope
