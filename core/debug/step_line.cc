// step line, next line: on to where the model's source line changes. Instructions without a source line, and those that touch no element,
// belong to the line before them. What lies between runs as it ever does, in fused regions.
#include <algorithm>

#include "absl/strings/strip.h"
#include "core/debug/source_view.h"
#include "core/debug/text_util.h"
#include "core/ops/op.h"

namespace hloscope {
namespace {

bool Counts(const Instruction& i) { return Def(i).op_class != OpClass::kStructural; }

class LineStepper {
 public:
  LineStepper(Session::State& s, bool into) : s_(s), m_(*s.machine), into_(into) {}

  StopReason StepOne() {
    start_ = m_.top().computation;
    serial_ = m_.top().serial;
    from_ = LineHere();
    while (true) {
      const StopReason reason = GoOn();
      if (reason != StopReason::kStep || m_.finished()) return reason;
      if (const Instruction* next = m_.next_instruction(); next != nullptr && IsNew(*next)) return reason;
    }
  }

 private:
  // Another run of the computation where the step began: the same line counts again.
  bool Anew() const { return m_.top().computation == start_ && m_.top().serial != serial_; }

  bool IsNew(const Instruction& i) const {
    const SourceLine line = SteppedLine(*s_.module, i);
    return line.known() && (line != from_ || Anew());
  }

  SourceLine LineHere() const {
    const Frame& frame = m_.top();
    for (int p = std::min<int>(frame.position, static_cast<int>(frame.computation->schedule.size()) - 1); p >= 0; --p) {
      const Instruction& i = *frame.computation->schedule[p];
      if (const SourceLine line = SourceLineOf(*s_.module, i); line.known() && (Counts(i) || p == frame.position)) return line;
    }
    return {};
  }

  bool Enters(const Instruction& i) const { return into_ && Def(i).control != ControlKind::kNone; }

  // To the next place in this frame that is new or can be entered; into what can be entered; or out of the frame.
  StopReason GoOn() {
    const Frame& frame = m_.top();
    const int depth = static_cast<int>(m_.frames().size()) - 1, size = static_cast<int>(frame.computation->schedule.size());
    if (frame.position < size && Enters(*frame.computation->schedule[frame.position])) {
      const auto enter = [this] { return m_.Step(true); };
      return s_.Go(enter, enter);
    }
    int to = frame.position + 1;
    while (to < size && !IsNew(*frame.computation->schedule[to]) && !Enters(*frame.computation->schedule[to])) ++to;
    const auto run = [this, depth, to, size] { return to < size ? m_.RunTo(depth, to) : m_.Finish(depth); };
    return s_.Go(run, run);
  }

  Session::State& s_;
  Machine& m_;
  bool into_;
  const Computation* start_ = nullptr;
  uint64_t serial_ = 0;
  SourceLine from_;
};

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
