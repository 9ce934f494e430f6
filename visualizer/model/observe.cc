#include "visualizer/model/observe.h"

#include <string>
#include <utility>

#include "core/debug/catch_commands.h"
#include "core/debug/session_state.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"

namespace hloscope {
namespace {

void ObserveFrames(const Session::State& s, Snapshot& snapshot) {
  const std::vector<Frame>& frames = s.machine->frames();
  for (size_t depth = 0; depth < frames.size(); ++depth) {
    const Frame& frame = frames[depth];
    FrameRow row;
    row.kind = frame.kind;
    row.computation = frame.computation;
    row.position = frame.position;
    if (frame.position < static_cast<int>(frame.computation->schedule.size())) row.at = frame.computation->schedule[frame.position];
    row.caller = frame.caller;
    row.iteration = frame.iteration;
    row.branch = frame.branch;
    row.text = s.DescribeFrame(static_cast<int>(depth));
    snapshot.frames.push_back(std::move(row));
  }
  snapshot.selected_frame = s.selected;
}

void ObserveStops(const Session::State& s, Snapshot& snapshot) {
  for (const std::unique_ptr<Breakpoint>& b : s.breakpoints) {
    StopRow row;
    row.kind = b->kind == Breakpoint::kWatch ? StopRow::kWatch : b->kind == Breakpoint::kLog ? StopRow::kLog : b->kind == Breakpoint::kCatch ? StopRow::kCatch : StopRow::kBreak;
    row.number = b->number;
    row.what = b->kind == Breakpoint::kWatch ? b->expression : b->kind == Breakpoint::kCatch ? CatchDescription(*b) : b->spec;
    row.condition = b->condition;
    row.text = b->text;
    const StopFigures figures = FiguresOf(s, *b);
    row.enabled = figures.awake;
    row.temporary = b->temporary;
    row.from_program = b->from_program;
    row.hits = figures.counts.hits;
    row.ignore = figures.passed;
    if (b->kind != Breakpoint::kWatch) {
      for (const Location& location : b->locations) row.at.push_back(&location.instruction());
    }
    snapshot.stops.push_back(std::move(row));
  }
}

}  // namespace

void Observe(const Session::State& s, Snapshot& snapshot) {
  snapshot.module = s.module.get();
  snapshot.phase = Phase::kReady;
  ObserveStops(s, snapshot);
  for (const DisplayItem& item : s.displays) snapshot.displays.push_back({item.number, item.expression});
  if (s.machine == nullptr) return;
  snapshot.memory_bytes = s.machine->account().live();
  snapshot.executed = s.machine->executed();
  if (s.machine->running()) snapshot.phase = s.error_stop ? Phase::kError : Phase::kStopped;
  if (s.machine->finished()) snapshot.phase = Phase::kFinished;
  if (s.error_stop) {
    snapshot.phase = Phase::kError;
    snapshot.error = std::string(s.machine->status().message());
  }
  if (s.visible() || s.error_stop) ObserveFrames(s, snapshot);
  if (s.visible()) snapshot.mark = s.machine->Where();
  CaughtElement caught = CaughtHere(const_cast<Session::State&>(s));
  snapshot.caught = caught.instruction;
  snapshot.caught_element = std::move(caught.element);
  auto& travel = const_cast<Session::State&>(s).Extension<Travel>();
  for (const auto& [name, mark] : travel.bookmarks) snapshot.moments.push_back({MomentRow::kBookmark, name, mark});
  if (travel.timeline != nullptr) {
    for (const Timeline::Moment& moment : travel.timeline->moments()) {
      if (moment.kept) snapshot.moments.push_back({MomentRow::kKept, "", moment.mark});
    }
  }
}

}  // namespace hloscope
