// step line, next line: on to where the model's source line changes, and the same places backwards. Instructions without a source line, and those that touch no element,
// belong to the line before them. What lies between runs as it ever does, in fused regions.
#include <algorithm>
#include <optional>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/strip.h"
#include "core/debug/locations.h"
#include "core/debug/source_view.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/debug/timeline.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

bool Counts(const Instruction& i) { return Def(i).op_class != OpClass::kStructural; }

// An instruction with a source line, at a moment of the run.
struct LinePlace {
  SourceLine line;
  Mark run;  // of its computation: the moment, without the position in it
  const Computation* computation = nullptr;
};

LinePlace PlaceAt(const SourceLine& line, Mark mark, const Computation& computation) {
  mark.levels.back().position = 0;
  return {line, std::move(mark), &computation};
}

// Whether going by lines stops at `now`, when `before` is the place before it in time. So where it stops is the same in both directions,
// wherever one comes from: at another line, in another run of the same computation, and in another iteration of a loop around both (which
// begins with its condition).
bool BeginsLine(const LinePlace& before, const LinePlace& now) {
  if (before.line != now.line) return true;
  if (before.computation == now.computation && !(before.run == now.run)) return true;
  for (size_t k = 0; k < std::min(before.run.levels.size(), now.run.levels.size()); ++k) {
    const Mark::Level& a = before.run.levels[k];
    const Mark::Level& b = now.run.levels[k];
    if (IsLoop(a.kind) && IsLoop(b.kind) && a.iteration != b.iteration) return true;
    if (!(a == b)) break;  // elsewhere in a computation around both
  }
  return false;
}

// What going by lines goes into: calls, loops and branches in which there are lines.
class Entered {
 public:
  Entered(const Module& module, bool into) : module_(module), into_(into) {}
  bool operator()(const Instruction& i) { return into_ && Def(i).control != ControlKind::kNone && CallsLines(i); }

 private:
  bool CallsLines(const Instruction& i) {
    const std::vector<Computation*> called = i.CalledComputations();
    return std::any_of(called.begin(), called.end(), [&](const Computation* c) { return HasLines(*c); });
  }
  bool HasLines(const Computation& computation) {
    const auto known = has_.find(&computation);
    if (known != has_.end()) return known->second;
    const bool has = std::any_of(computation.schedule.begin(), computation.schedule.end(), [&](const Instruction* i) {
      return SteppedLine(module_, *i).known() || (Def(*i).control != ControlKind::kNone && CallsLines(*i));
    });
    return has_[&computation] = has;
  }

  const Module& module_;
  const bool into_;
  absl::flat_hash_map<const Computation*, bool> has_;
};

class LineStepper {
 public:
  LineStepper(Session::State& s, bool into) : s_(s), m_(*s.machine), enters_(*s.module, into) {}

  StopReason StepOne() {
    last_ = PlaceAt(LineHere(), m_.Where(), *m_.top().computation);
    while (true) {
      const StopReason reason = GoOn();
      if (reason != StopReason::kStep || m_.finished()) return reason;
      if (const Instruction* next = m_.next_instruction(); next != nullptr && Comes(*next)) return reason;
    }
  }

 private:
  // To an instruction of the top frame: whether that is a place to stop; else it is the last one passed.
  bool Comes(const Instruction& i) {
    const SourceLine line = SteppedLine(*s_.module, i);
    if (!line.known()) return false;
    LinePlace here = PlaceAt(line, m_.Where(), *i.parent);
    if (BeginsLine(last_, here)) return true;
    last_ = std::move(here);
    return false;
  }

  SourceLine LineHere() const {
    const Frame& frame = m_.top();
    for (int p = std::min<int>(frame.position, static_cast<int>(frame.computation->schedule.size()) - 1); p >= 0; --p) {
      const Instruction& i = *frame.computation->schedule[p];
      if (const SourceLine line = SourceLineOf(*s_.module, i); line.known() && (Counts(i) || p == frame.position)) return line;
    }
    return {};
  }

  // To the next place in this frame that is new or can be entered; into what can be entered; or out of the frame: of a loop's body to the
  // condition.
  StopReason GoOn() {
    const Frame& frame = m_.top();
    const std::vector<Instruction*>& schedule = frame.computation->schedule;
    const int depth = static_cast<int>(m_.frames().size()) - 1, size = static_cast<int>(schedule.size());
    if (frame.position < size && enters_(*schedule[frame.position])) {
      const auto enter = [this] { return m_.Step(true); };
      return s_.Go(enter, enter);
    }
    int to = frame.position + 1;
    while (to < size && !Comes(*schedule[to]) && !enters_(*schedule[to])) ++to;
    const auto run = [this, depth, to, size] {
      if (to < size) return m_.RunTo(depth, to);
      if (m_.frames()[depth].kind == FrameKind::kElement) return m_.Finish(depth);  // to the next call
      const bool at_last = static_cast<int>(m_.frames().size()) == depth + 1 && m_.top().position >= size - 1;
      return at_last ? m_.Step(false) : m_.RunTo(depth, size - 1);
    };
    return s_.Go(run, run);
  }

  Session::State& s_;
  Machine& m_;
  Entered enters_;
  LinePlace last_;
};

// Goes back to the last instruction with a line before where the program stands; false: there is none.
absl::StatusOr<bool> BackToLine(Session::State& s, Timeline& timeline, Entered& enters, bool into) {
  const auto seek = [&](const Mark& mark) { return SeekStatus(s, timeline.Seek(mark)); };
  while (true) {
    Mark mark = s.machine->Where();
    const std::vector<Instruction*>& schedule = s.machine->top().computation->schedule;
    int& position = mark.levels.back().position;
    const int from = position;
    while (position > 0 && !enters(*schedule[position - 1])) {
      --position;
      if (SteppedLine(*s.module, *schedule[position]).known()) {
        if (absl::Status there = seek(mark); !there.ok()) return there;
        return true;
      }
    }
    if (position != from) {
      if (absl::Status there = seek(mark); !there.ok()) return there;
    }
    absl::StatusOr<Mark> previous = timeline.Previous(into, false);
    if (absl::IsOutOfRange(previous.status())) return false;
    if (!previous.ok()) return previous.status();
    if (absl::Status there = seek(*previous); !there.ok()) return there;
    const Instruction* next = s.machine->next_instruction();
    if (next != nullptr && SteppedLine(*s.module, *next).known()) return true;
  }
}

}  // namespace

absl::Status NeedSourceLines(const Module& module) {
  for (const Computation* computation : module.computations) {
    for (const Instruction* i : computation->instructions) {
      if (SourceLineOf(module, *i).known()) return absl::OkStatus();
    }
  }
  return absl::FailedPreconditionError("this program's text names no source lines; step and next go by instruction");
}

SourceLine SteppedLine(const Module& module, const Instruction& instruction) { return Counts(instruction) ? SourceLineOf(module, instruction) : SourceLine(); }

absl::StatusOr<bool> BackOneLine(Session::State& s, Timeline& timeline, bool into) {
  Mark beginning = s.machine->Where();
  beginning.levels.resize(1);
  beginning.levels[0].position = std::min(beginning.levels[0].position, FirstStop(*s.module->entry));
  Entered enters(*s.module, into);
  std::optional<LinePlace> found;
  Mark there;
  while (true) {
    const absl::StatusOr<bool> went = BackToLine(s, timeline, enters, into);
    if (!went.ok()) return went;
    if (!*went) break;
    const Instruction& next = *s.machine->next_instruction();
    LinePlace here = PlaceAt(SteppedLine(*s.module, next), s.machine->Where(), *next.parent);
    if (found.has_value() && BeginsLine(here, *found)) break;
    found = std::move(here);
    there = s.machine->Where();
  }
  if (absl::Status status = SeekStatus(s, timeline.Seek(found.has_value() ? there : beginning)); !status.ok()) return status;
  return found.has_value();
}

std::string SourceLineHere(Session::State& s) {
  const Instruction* next = s.machine->next_instruction();
  const SourceLine line = next == nullptr ? SourceLine() : SourceLineOf(*s.module, *next);
  if (!line.known()) return "";
  const std::string text = s.Extension<SourceView>().TextOf(*s.module, line);
  return absl::StrCat(ToText(line), text.empty() ? "" : absl::StrCat("\t", Cut(text, 160)), "\n");
}

absl::Status StepLine(Session::State& s, absl::string_view args, bool into) {
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  const absl::Status running = s.NeedRunning();
  if (!running.ok()) return running;
  if (absl::Status lines = NeedSourceLines(*s.module); !lines.ok()) return lines;
  Machine& m = *s.machine;
  const size_t depth_before = m.frames().size();
  const Computation* before = m.top().computation;
  const uint64_t serial = m.top().serial;  // of the iteration
  LineStepper stepper(s, into);
  StopReason reason = StopReason::kStep;
  for (int64_t i = 0; i < *n && reason == StopReason::kStep && !m.finished(); ++i) reason = stepper.StepOne();
  s.ShowNotices();
  s.selected = std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  if (reason == StopReason::kStep && !m.finished() && *n > 0) {
    if (m.frames().size() != depth_before || m.top().computation != before || m.top().serial != serial)
      s.Say(s.DescribeFrame(s.selected), "\n");
    s.Say(SourceLineHere(s));
  }
  s.ShowStop(reason);
  return absl::OkStatus();
}

}  // namespace hloscope
