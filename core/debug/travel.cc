// Commands that go back in time, and to places in it: reverse-step, reverse-next, reverse-continue, reverse-finish, goto, bookmark.
// How the past comes back is timeline.cc's; values of other moments are moments.cc's.
#include "core/debug/travel.h"

#include <algorithm>
#include <cctype>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/debug/fork.h"
#include "core/debug/stops.h"
#include "core/debug/catch_commands.h"
#include "core/debug/text_util.h"
#include "core/text/nearest_name.h"

namespace hloscope {

void BeginHistory(Session::State& s) {
  Travel& travel = s.Extension<Travel>();
  travel.bookmarks.clear();
  TimelineOptions options;
  options.budget_bytes = s.options.retain_bytes / 2;
  travel.timeline = std::make_unique<Timeline>(*s.machine, options);
}

void EndHistory(Session::State& s) { PutAwayRun(s); }

void ArmEdits(Session::State& s) {
  const Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return;
  for (size_t k = 1; k < timeline->moments().size(); ++k) {
    const Timeline::Moment& moment = timeline->moments()[k];
    if (moment.kept) s.machine->Arm(*moment.computation, moment.mark.levels.back().position);
  }
}

void TakeUpEdit(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline != nullptr) timeline->TakeUpEdit();
}

void Settle(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline != nullptr) timeline->Settle();
}

void NoteEdit(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return;
  timeline->NoteEdit();
  s.ArmAll();
}

namespace {

absl::StatusOr<Timeline*> NeedHistory(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr || !s.visible()) return absl::FailedPreconditionError("the program is not running; run or start begins it");
  return timeline;
}

absl::Status SeekStatus(const Session::State& s, StopReason reason) {
  if (reason == StopReason::kStep || reason == StopReason::kFinished) return absl::OkStatus();
  return reason == StopReason::kInterrupted ? absl::CancelledError("interrupted") : s.machine->status();
}

// Shows where the program has come to, and the frame where that is not the one it was in.
void RememberWatches(Session::State& s, Timeline& timeline);

void ShowArrival(Session::State& s, const Mark& before) {
  s.error_stop = false;
  s.selected = std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  Mark from = before, now = s.machine->Where();
  from.levels.back().position = now.levels.back().position = 0;
  const bool moved = !(from == now);
  if (moved && !s.machine->finished()) s.Say(s.DescribeFrame(s.selected), "\n");
  s.ShowStop(s.machine->finished() ? StopReason::kFinished : StopReason::kStep);
}

absl::Status ReverseMany(Session::State& s, absl::string_view args, bool into) {
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  const Mark before = s.machine->Where();
  for (int64_t k = 0; k < *n; ++k) {
    absl::StatusOr<Mark> mark = (*timeline)->Previous(into);
    if (absl::IsOutOfRange(mark.status())) {
      if (k == 0) return absl::FailedPreconditionError("this is the beginning of the program; there is no way back from here");
      s.Say("The beginning of the program is reached.\n");
      break;
    }
    if (!mark.ok()) return mark.status();
    if (absl::Status status = SeekStatus(s, (*timeline)->Seek(*mark)); !status.ok()) return status;
  }
  RememberWatches(s, **timeline);
  ShowArrival(s, before);
  return absl::OkStatus();
}

// What a walk backwards, stretch by stretch, has found so far. The last stop is wanted; a watch's first value in a stretch is a stop only if
// the stretch before ended with another one.
struct Found {
  struct Doubt {
    const Breakpoint* watch;
    Mark mark;
    StopMemory::Seen first;
    std::string note;
  };
  std::optional<Mark> last;
  std::vector<std::string> names, notes;
  StopMemory memory;
  std::vector<Doubt> doubts;

  void Set(const Mark& mark, std::vector<std::string> stop_names, std::vector<std::string> stop_notes, StopMemory seen) {
    last = mark;
    names = std::move(stop_names);
    notes = std::move(stop_notes);
    memory = std::move(seen);
  }
};

// Runs forward from where the machine stands to `end`, noting the last moment at which something stops. `memory`: what watches saw in the end.
absl::Status FindLastStop(Session::State& s, const Mark& end, Found* found, StopMemory* memory) {
  Machine& m = *s.machine;
  const auto note = [&] {
    std::vector<std::string> names, notes;
    for (const Stop& stop : StopsHere(s, *memory, false)) {
      const bool watch = stop.breakpoint->kind == Breakpoint::kWatch;
      if (stop.unsure) {
        found->doubts.push_back({stop.breakpoint, m.Where(), memory->watches[stop.breakpoint->number], stop.note});
        continue;
      }
      names.push_back(absl::StrCat(watch ? "Watch " : "Breakpoint ", stop.breakpoint->number));
      if (!stop.note.empty()) notes.push_back(stop.note);
    }
    if (!names.empty()) found->Set(m.Where(), std::move(names), std::move(notes), *memory);
  };
  note();
  while (true) {
    const bool enter = s.AtElementCaller();
    StopReason reason = enter ? m.Step(true) : m.Run();
    if (reason == StopReason::kInterrupted) return absl::CancelledError("interrupted");
    if (reason == StopReason::kCaught) {
      if (!(m.Where() < end)) return absl::OkStatus();
      CaughtThere there = CaughtOnWalk(s);
      found->Set(m.Where(), {std::move(there.name)}, {std::move(there.text)}, *memory);
      note();
      continue;
    }
    if (reason != StopReason::kBreakpoint && !(enter && reason == StopReason::kStep)) return absl::OkStatus();
    TakeUpEdit(s);
    if (!(m.Where() < end)) return absl::OkStatus();
    note();
  }
}

// Doubts of later stretches, in the light of what watches saw at the end of the one before them. `beginning`: there is none before.
void Settle(Found* found, std::vector<Found::Doubt>* doubts, const StopMemory& memory, bool beginning, std::optional<Mark> later) {
  std::vector<Found::Doubt> left;
  for (Found::Doubt& doubt : *doubts) {
    const auto seen = memory.watches.find(doubt.watch->number);
    const bool known = seen != memory.watches.end() && seen->second.known;
    if (!known && !beginning) {
      left.push_back(std::move(doubt));
      continue;
    }
    const std::optional<std::string> change = WatchChange(*doubt.watch, known ? &seen->second : nullptr, doubt.first, doubt.note);
    if (!change.has_value() || (later.has_value() && !(*later < doubt.mark))) continue;
    StopMemory then;
    then.watches[doubt.watch->number] = doubt.first;
    found->Set(doubt.mark, {absl::StrCat("Watch ", doubt.watch->number)}, {*change}, std::move(then));
    later = doubt.mark;
  }
  *doubts = std::move(left);
}

// What the watches would have seen last had the program come here by itself: walked through again from the last moment that is kept.
void RememberWatches(Session::State& s, Timeline& timeline) {
  WatchesMoved(s);
  Machine& m = *s.machine;
  const auto is_watch = [](const std::unique_ptr<Breakpoint>& b) { return b->kind == Breakpoint::kWatch && b->enabled; };
  if (m.finished() || std::none_of(s.breakpoints.begin(), s.breakpoints.end(), is_watch)) return;
  for (const Frame& frame : m.frames()) {
    if (frame.kind == FrameKind::kElement) return;
  }
  const Mark present = m.Where();
  const Computation& computation = *m.top().computation;
  const Timeline::Moment* from = nullptr;
  for (const Timeline::Moment& moment : timeline.moments()) {
    if (moment.mark < present) from = &moment;
  }
  if (from == nullptr || !SeekStatus(s, timeline.Seek(Mark(from->mark))).ok()) return;
  m.Arm(computation, present.levels.back().position);
  Found found;
  StopMemory memory;
  const absl::Status walked = FindLastStop(s, present, &found, &memory);
  s.ArmAll();
  if (!SeekStatus(s, timeline.Seek(present)).ok() || !walked.ok()) return;
  StopsHere(s, memory, false);
  PresentMemory(s) = std::move(memory);
}

}  // namespace

absl::Status GoTo(Session::State& s, const Mark& mark) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  return SeekStatus(s, (*timeline)->Seek(mark));
}

absl::Status CommandReverseStep(Session::State& s, absl::string_view args) { return ReverseMany(s, args, true); }
absl::Status CommandReverseNext(Session::State& s, absl::string_view args) { return ReverseMany(s, args, false); }

absl::Status CommandReverseFinish(Session::State& s, absl::string_view args) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  Mark mark = s.machine->Where();
  if (s.selected == 0 || mark.levels.size() < 2) return absl::FailedPreconditionError("the entry computation was called by nobody; goto start goes to its beginning");
  const Mark before = s.machine->Where();
  mark.levels.resize(s.selected);
  s.Say("Back to where ", s.machine->frames()[s.selected].computation->name, " was entered\n");
  if (absl::Status status = SeekStatus(s, (*timeline)->Seek(mark)); !status.ok()) return status;
  RememberWatches(s, **timeline);
  ShowArrival(s, before);
  return absl::OkStatus();
}

absl::Status CommandReverseContinue(Session::State& s, absl::string_view args) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  Machine& m = *s.machine;
  const Mark present = m.Where();
  // The end of each stretch is armed, so that runs stop there.
  std::vector<Timeline::Moment> moments = (*timeline)->moments();
  Mark end = present;
  const Computation* end_computation = m.top().computation;
  m.interrupt().store(false);
  Found best;                          // of the stretches walked through
  std::vector<Found::Doubt> doubts;    // later than it
  absl::Status status;
  for (auto moment = moments.rbegin(); moment != moments.rend(); ++moment) {
    if (best.last.has_value() && doubts.empty()) break;
    if (!(moment->mark < end)) continue;
    status = SeekStatus(s, (*timeline)->Seek(moment->mark));
    if (!status.ok()) break;
    s.ArmAll();
    BeginCatchWalk(s);
    if (end.levels.size() > 1 || end.levels.back().position < static_cast<int>(end_computation->schedule.size())) m.Arm(*end_computation, end.levels.back().position);
    Found here;
    StopMemory memory;
    status = FindLastStop(s, end, &here, &memory);
    if (!status.ok()) break;
    const bool beginning = &*moment == &moments.front();
    Settle(&best, &doubts, memory, beginning, best.last);
    if (beginning) Settle(&here, &here.doubts, StopMemory(), true, here.last);
    if (!best.last.has_value()) {
      for (Found::Doubt& doubt : here.doubts) {
        if (!here.last.has_value() || *here.last < doubt.mark) doubts.push_back(std::move(doubt));
      }
      if (here.last.has_value()) {
        std::vector<Found::Doubt> none;
        best = std::move(here);
        best.doubts = std::move(none);
      }
    }
    end = moment->mark;
    end_computation = moment->computation;
  }
  s.ArmAll();
  const Mark& target = !status.ok() ? present : best.last.has_value() ? *best.last : moments.front().mark;
  const absl::Status there = SeekStatus(s, (*timeline)->Seek(target));
  if (!status.ok()) return status;
  if (!there.ok()) return there;
  s.selected = std::max<int>(0, static_cast<int>(m.frames().size()) - 1);
  WatchesMoved(s);
  if (!best.last.has_value()) {
    s.Say("Nothing stops before; this is the beginning of the program.\n");
    ShowArrival(s, present);
    return absl::OkStatus();
  }
  PresentMemory(s) = std::move(best.memory);
  s.error_stop = false;
  for (const std::string& note : best.notes) s.Say(note, "\n");
  s.Say(absl::StrJoin(best.names, ", "), ", ");
  s.ShowStop(StopReason::kBreakpoint);
  return absl::OkStatus();
}

// ---- Named moments ----

absl::Status CommandBookmark(Session::State& s, absl::string_view args) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  args = absl::StripAsciiWhitespace(args);
  Travel& travel = s.Extension<Travel>();
  if (absl::ConsumePrefix(&args, "delete ")) {
    if (travel.bookmarks.erase(std::string(absl::StripAsciiWhitespace(args))) == 0) return absl::NotFoundError(absl::StrCat("there is no bookmark '", args, "'; info bookmarks lists them"));
    return absl::OkStatus();
  }
  const bool plain = std::all_of(args.begin(), args.end(), [](char c) { return absl::ascii_isalnum(c) || c == '_' || c == '-' || c == '.'; });
  if (!plain || args == "start" || args == "end" || args == "iteration") {
    return absl::InvalidArgumentError("a bookmark's name is letters, digits, _, - and .; start, end and iteration have a meaning of their own");
  }
  std::string name(args);
  for (int k = 1; name.empty(); ++k) {
    if (!travel.bookmarks.contains(absl::StrCat("m", k))) name = absl::StrCat("m", k);
  }
  travel.bookmarks[name] = s.machine->Where();
  s.Say("Bookmark ", name, " at ", s.DescribeFrame(static_cast<int>(s.machine->frames().size()) - 1), "\n");
  return absl::OkStatus();
}

absl::Status CommandGoto(Session::State& s, absl::string_view args) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  args = absl::StripAsciiWhitespace(args);
  if (args.empty()) return absl::InvalidArgumentError("goto takes a bookmark, start, end or iteration N; info bookmarks lists the bookmarks");
  absl::StatusOr<Mark> mark = ParseMoment(s, args, "");
  if (!mark.ok()) return mark.status();
  const Mark before = s.machine->Where();
  const std::shared_ptr<const MachineSnapshot> present = s.machine->TakeSnapshot(true);
  const StopReason reason = (*timeline)->Seek(*mark);
  if (reason == StopReason::kError && args == "end") {  // where the program ends is the error
    s.Say("The program does not come to its end: it stops with an error.\n");
    WatchesMoved(s);
    s.ShowStop(reason);
    return absl::OkStatus();
  }
  if (absl::Status status = SeekStatus(s, reason); !status.ok()) {
    if (present != nullptr) s.machine->Restore(*present);
    return MomentError(status, args);
  }
  RememberWatches(s, **timeline);
  ShowArrival(s, before);
  return absl::OkStatus();
}

absl::Status InfoBookmarks(Session::State& s, absl::string_view args) {
  const Travel& travel = s.Extension<Travel>();
  if (travel.bookmarks.empty()) s.Say("No bookmarks; bookmark NAME sets one.\n");
  const Mark now = s.visible() ? s.machine->Where() : Mark();
  for (const auto& [name, mark] : travel.bookmarks) {
    std::string text;
    const Computation* computation = s.module->entry;
    for (size_t k = 0; k < mark.levels.size(); ++k) {
      const Mark::Level& level = mark.levels[k];
      if (level.kind == FrameKind::kWhileBody || level.kind == FrameKind::kWhileCondition) absl::StrAppend(&text, " iteration ", level.iteration);
      if (computation == nullptr) break;
      const bool ended = level.position >= static_cast<int>(computation->schedule.size());
      const Instruction* at = ended ? nullptr : computation->schedule[level.position];
      absl::StrAppend(&text, k == 0 ? "" : ":", at == nullptr ? "the end" : absl::StrCat(" %", at->name));
      if (k + 1 == mark.levels.size() || at == nullptr) break;
      const Mark::Level& next = mark.levels[k + 1];
      const std::vector<Computation*> called = at->CalledComputations();
      computation = next.kind == FrameKind::kWhileBody        ? at->Called(AttrId::kBody)
                    : next.kind == FrameKind::kWhileCondition ? at->Called(AttrId::kCondition)
                    : next.kind == FrameKind::kBranch         ? (next.branch < static_cast<int>(called.size()) ? called[next.branch] : nullptr)
                    : called.empty()                          ? nullptr
                                                              : called[0];
    }
    s.Say("  ", name, mark == now ? " (here)" : mark < now ? " (past)" : "", ":", text, "\n");
  }
  return absl::OkStatus();
}

absl::Status InfoHistory(Session::State& s, absl::string_view args) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  const std::vector<Timeline::Moment>& moments = (*timeline)->moments();
  const int64_t set = std::count_if(moments.begin() + 1, moments.end(), [](const Timeline::Moment& m) { return m.kept; });
  s.Say(Count(static_cast<int64_t>(moments.size()), "snapshot"), " of this run, holding ", FormatByteCount((*timeline)->held_bytes()), " besides what the run holds itself; ",
        Count(set, "moment"), " at which something was set.\n");
  return absl::OkStatus();
}

}  // namespace hloscope
