#include "visualizer/model/observe.h"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "core/debug/catch_commands.h"
#include "core/debug/catches.h"
#include "core/debug/devices.h"
#include "core/debug/last_slice.h"
#include "core/debug/slice_instructions.h"
#include "core/debug/session_state.h"
#include "core/debug/stop_log.h"
#include "core/debug/stops.h"
#include "core/debug/travel.h"
#include "core/ops/op.h"
#include "core/ops/trip_count.h"

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

StopRow::Kind KindOf(Breakpoint::Kind kind) {
  switch (kind) {
    case Breakpoint::kBreak: return StopRow::kBreak;
    case Breakpoint::kLog: return StopRow::kLog;
    case Breakpoint::kWatch: return StopRow::kWatch;
    case Breakpoint::kCatch: return StopRow::kCatch;
  }
  return StopRow::kBreak;
}

void ObserveStops(const Session::State& s, Snapshot& snapshot) {
  for (const std::unique_ptr<Breakpoint>& b : s.breakpoints) {
    StopRow row;
    row.kind = KindOf(b->kind);
    row.number = b->number;
    row.what = b->kind == Breakpoint::kWatch ? b->expression : b->kind == Breakpoint::kCatch ? CatchDescription(*b) : b->shown_spec();
    row.condition = b->condition;
    row.text = b->text;
    const StopFigures figures = FiguresOf(s, *b);
    row.enabled = figures.awake;
    row.temporary = b->temporary;
    row.from_program = b->from_program;
    row.hits = !s.visible() || PresentMemory(const_cast<Session::State&>(s)).counts.contains(b->number) ? figures.counts.hits : -1;  // -1: nobody has counted them: it was set on the way, or the program was brought here otherwise than by running
    row.ignore = figures.passed;
    if (b->kind != Breakpoint::kWatch) {
      for (const Location& location : b->locations) row.at.push_back(&location.instruction());
    }
    snapshot.stops.push_back(std::move(row));
  }
}

// What is gathered over the session: it is about one program, on one of its devices.
struct Gathered {
  const Module* program = nullptr;
  absl::flat_hash_map<const Computation*, std::vector<int>> loops;  // positions in its schedule
  absl::flat_hash_map<const Instruction*, TripRow> trips;
};
struct GatheredByDevice {
  absl::flat_hash_map<int, Gathered> of;
};

// Of what is still set.
void ObserveEvents(Session::State& s, Snapshot& snapshot) {
  const StopLog& log = s.Extension<StopLog>();
  for (const StopLog::Entry& entry : log.entries) {
    if (entry.module != s.module.get() || entry.device != snapshot.device) continue;
    const auto is_it = [&](const StopRow& stop) { return stop.number == entry.number; };
    if (std::any_of(snapshot.stops.begin(), snapshot.stops.end(), is_it)) snapshot.events.push_back({KindOf(entry.kind), entry.number, entry.mark, entry.text});
  }
}

void GatherTrips(const Session::State& s, Gathered& gathered) {
  const std::vector<Frame>& frames = s.machine->frames();
  const auto note = [&](const Instruction& loop, int64_t trips, bool whole) {
    TripRow& row = gathered.trips[&loop];
    row.loop = &loop;
    if (whole || !row.whole) row.trips = whole ? trips : std::max(row.trips, trips);
    row.whole |= whole;
  };
  for (size_t depth = 0; depth < frames.size(); ++depth) {
    const Frame& frame = frames[depth];
    if (frame.kind == FrameKind::kWhileBody && frame.caller != nullptr) note(*frame.caller, frame.iteration + 1, false);
    const auto [loops, fresh] = gathered.loops.try_emplace(frame.computation);
    if (fresh) {
      for (const Instruction* i : frame.computation->schedule) {
        if (Def(*i).control == ControlKind::kWhile) loops->second.push_back(i->index);
      }
    }
    for (const int position : loops->second) {
      if (position >= frame.position) break;
      if (const std::optional<int64_t> trips = s.machine->TripCount(static_cast<int>(depth), position)) note(*frame.computation->schedule[position], *trips, true);
    }
  }
}

void Gather(Session::State& s, Snapshot& snapshot) {
  Gathered& gathered = s.Extension<GatheredByDevice>().of[snapshot.device];
  if (gathered.program != &s.module->program()) {
    gathered = Gathered();
    gathered.program = &s.module->program();
    // What the program itself says, before anything has run.
    for (const Computation* computation : s.module->computations) {
      for (const Instruction* i : computation->instructions) {
        if (Def(*i).control != ControlKind::kWhile) continue;
        if (const std::optional<int64_t> trips = StaticTripCount(*i)) gathered.trips[i] = {i, *trips, true};
      }
    }
  }
  if (s.visible()) GatherTrips(s, gathered);
  for (const auto& [loop, row] : gathered.trips) snapshot.trips.push_back(row);
  std::sort(snapshot.trips.begin(), snapshot.trips.end(), [](const TripRow& a, const TripRow& b) {
    return std::make_pair(a.loop->parent->id, a.loop->index) < std::make_pair(b.loop->parent->id, b.loop->index);
  });
}

}  // namespace

void Observe(const Session::State& s, Snapshot& snapshot) {
  snapshot.module = s.module.get();
  snapshot.phase = Phase::kReady;
  snapshot.device_name = SelectedName(s);
  if (!snapshot.device_name.empty()) snapshot.device = DevicesOf(const_cast<Session::State&>(s)).selected;
  ObserveStops(s, snapshot);
  snapshot.collecting = !Stops(const_cast<Session::State&>(s)).collecting.empty();
  if (LastSlice& slice = const_cast<Session::State&>(s).Extension<LastSlice>(); slice.program == &s.module->program()) {
    snapshot.slice = slice.instructions;
    snapshot.slice_generation = slice.generation;
    if (slice.of_device.empty()) snapshot.slice_parts = PartsOf(slice);
    if (!slice.of_device.empty()) {  // what it influences there, and nothing where it has not come to
      const auto device = static_cast<size_t>(DevicesOf(const_cast<Session::State&>(s)).selected);
      snapshot.slice = device < slice.of_device.size() ? slice.of_device[device] : std::vector<const Instruction*>();
      snapshot.slice_device = static_cast<int>(device);
    }
  }
  for (const DisplayItem& item : s.displays) snapshot.displays.push_back({item.number, item.expression});
  Gather(const_cast<Session::State&>(s), snapshot);
  if (s.machine == nullptr) return;
  snapshot.memory_bytes = s.machine->account().live();
  snapshot.executed = s.machine->executed();
  if (s.machine->running()) snapshot.phase = s.error_stop ? Phase::kError : Phase::kStopped;
  if (s.machine->finished()) snapshot.phase = Phase::kFinished;
  if (s.error_stop) {
    snapshot.phase = Phase::kError;
    snapshot.error = std::string(s.stop_status().message());
  }
  if (s.visible() || s.error_stop) ObserveFrames(s, snapshot);
  if (s.visible()) snapshot.mark = s.machine->Where();
  if (const Caught* caught = CaughtHere(const_cast<Session::State&>(s))) {
    snapshot.caught = caught->instruction;
    if (caught->finding.has_value && caught->finding.output < 0) snapshot.caught_element = caught->finding.index;
  }
  ObserveEvents(const_cast<Session::State&>(s), snapshot);
  auto& travel = const_cast<Session::State&>(s).Extension<Travel>();
  for (const auto& [name, mark] : travel.bookmarks) snapshot.moments.push_back({MomentRow::kBookmark, name, mark});
  if (travel.timeline != nullptr) {
    for (const Timeline::Moment& moment : travel.timeline->moments()) {
      if (moment.kept) snapshot.moments.push_back({MomentRow::kKept, "", moment.mark});
    }
  }
}

}  // namespace hloscope
