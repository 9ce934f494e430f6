#include "visualizer/model/observe.h"

#include <algorithm>
#include <iterator>
#include <optional>
#include <string>
#include <utility>

#include "absl/container/flat_hash_map.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/catch_commands.h"
#include "core/debug/catches.h"
#include "core/debug/session_state.h"
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

// What is gathered over the session: it is about one module.
struct Gathered {
  const Module* module = nullptr;
  std::vector<EventRow> events;
  absl::flat_hash_map<const Computation*, std::vector<int>> loops;  // positions in its schedule
  absl::flat_hash_map<const Instruction*, TripRow> trips;
};

constexpr size_t kMostEvents = 2000;

// "Breakpoint 3, Watch 4, ...": the lines that begin a stop name what stopped.
void GatherEvents(const Snapshot& snapshot, Gathered& gathered) {
  constexpr std::pair<absl::string_view, StopRow::Kind> kWords[] = {
      {"Breakpoint ", StopRow::kBreak}, {"Temporary breakpoint ", StopRow::kBreak}, {"Watch ", StopRow::kWatch}, {"Catch ", StopRow::kCatch}};
  for (const absl::string_view line : absl::StrSplit(snapshot.stop_text, '\n')) {
    absl::string_view rest = line;
    for (bool more = true; more;) {
      more = false;
      for (const auto& [word, kind] : kWords) {
        if (!absl::ConsumePrefix(&rest, word)) continue;
        const size_t comma = rest.find(", ");
        int number = 0;
        if (comma == absl::string_view::npos || !absl::SimpleAtoi(rest.substr(0, comma), &number)) break;  // about one, not a stop
        rest.remove_prefix(comma + 2);
        more = true;
        const auto same = [&](const EventRow& e) { return e.number == number && e.mark == snapshot.mark; };
        if (std::none_of(gathered.events.begin(), gathered.events.end(), same) && gathered.events.size() < kMostEvents) {
          gathered.events.push_back({kind, number, snapshot.mark, std::string(line)});
        }
        break;
      }
    }
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
  Gathered& gathered = s.Extension<Gathered>();
  if (gathered.module != s.module.get()) {
    gathered = Gathered();
    gathered.module = s.module.get();
    // What the program itself says, before anything has run.
    for (const Computation* computation : s.module->computations) {
      for (const Instruction* i : computation->instructions) {
        if (Def(*i).control != ControlKind::kWhile) continue;
        if (const std::optional<int64_t> trips = StaticTripCount(*i)) gathered.trips[i] = {i, *trips, true};
      }
    }
  }
  if (s.visible()) {
    GatherEvents(snapshot, gathered);
    GatherTrips(s, gathered);
  }
  const auto is_set = [&](const EventRow& e) { return std::any_of(snapshot.stops.begin(), snapshot.stops.end(), [&](const StopRow& stop) { return stop.number == e.number; }); };
  std::copy_if(gathered.events.begin(), gathered.events.end(), std::back_inserter(snapshot.events), is_set);
  for (const auto& [loop, row] : gathered.trips) snapshot.trips.push_back(row);
  std::sort(snapshot.trips.begin(), snapshot.trips.end(), [](const TripRow& a, const TripRow& b) {
    return std::make_pair(a.loop->parent->id, a.loop->index) < std::make_pair(b.loop->parent->id, b.loop->index);
  });
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
  if (const Caught* caught = CaughtHere(const_cast<Session::State&>(s))) {
    snapshot.caught = caught->instruction;
    if (caught->finding.has_value && caught->finding.output < 0) snapshot.caught_element = caught->finding.index;
  }
  Gather(const_cast<Session::State&>(s), snapshot);
  auto& travel = const_cast<Session::State&>(s).Extension<Travel>();
  for (const auto& [name, mark] : travel.bookmarks) snapshot.moments.push_back({MomentRow::kBookmark, name, mark});
  if (travel.timeline != nullptr) {
    for (const Timeline::Moment& moment : travel.timeline->moments()) {
      if (moment.kept) snapshot.moments.push_back({MomentRow::kKept, "", moment.mark});
    }
  }
}

}  // namespace hloscope
