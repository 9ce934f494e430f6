// Commands that go back in time, and to places in it: reverse-step, reverse-next, reverse-continue, reverse-finish, goto, bookmark.
// How the past comes back is timeline.cc's; values of other moments are moments.cc's.
#include "core/debug/ahead_together.h"
#include "core/debug/travel.h"

#include <algorithm>
#include <cctype>
#include <cstdlib>
#include <optional>
#include <vector>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/catch_commands.h"
#include "core/debug/devices.h"
#include "core/debug/fork.h"
#include "core/debug/hand_sets.h"
#include "core/debug/run_progress.h"
#include "core/debug/source_view.h"
#include "core/debug/stop_walk.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"

namespace hloscope {

// Bookmarks stay: a mark names the same moment in every run with the same inputs.
void BeginHistory(Session::State& s) {
  Travel& travel = s.Extension<Travel>();
  TimelineOptions options;
  options.budget_bytes = s.options.retain_bytes / 2 / s.options.devices.count();
  // For tests: what stops where must not depend on which snapshots there are. 0: one wherever it can be.
  double seconds = 0;
  if (const char* interval = std::getenv("HLOSCOPE_SNAPSHOT_SECONDS"); interval != nullptr && absl::SimpleAtod(interval, &seconds) && seconds >= 0) {
    options.interval_seconds = seconds;
  }
  travel.timeline = std::make_unique<Timeline>(*s.machine, options);
  travel.failed.reset();
  const std::shared_ptr<ProgressOfRun> progress = s.Extension<RunProgress>().run;
  progress->Clear();
  travel.timeline->set_on_moment([&s, progress](const Mark& mark) {
    progress->Note(mark, s.machine->executed());
    // Where values of frames are made again on the way, what was before the last stop is run once more, and the memory is of later.
    if (const StopMemory* memory = StopsOfRun(s).judging; memory != nullptr && !(mark < memory->judged)) Ledger(s).Add(mark, *memory);
  });
}

void EndHistory(Session::State& s) { PutAwayRun(s); }

void ArmEdits(Session::State& s) {
  const Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return;
  for (size_t k = 1; k < timeline->moments().size(); ++k) {
    const Timeline::Moment& moment = timeline->moments()[k];
    if (moment.kept) s.machine->Arm(*moment.computation, moment.mark.levels.back().position);
  }
  for (const HandSet& set : timeline->awaited()) {
    if (const Computation* computation = ComputationAt(*s.module, set.mark)) s.machine->Arm(*computation, set.mark.levels.back().position);
  }
}

void TakeUpEdit(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return;
  timeline->TakeUpEdit();
  timeline->TakeUpAwaited();
}

void Settle(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return;
  timeline->Settle();
  timeline->TakeUpAwaited();
}

void NoteEdit(Session::State& s, HandSet made) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr) return;
  timeline->NoteEdit(std::move(made));
  Ledger(s).DropAfter(s.machine->Where());
  for (auto& [number, logged] : StopsOfRun(s).logged) logged.DropAfter(s.machine->Where());
  SealLogs(s);
  s.ArmThis();
}

namespace {

absl::StatusOr<Timeline*> NeedHistory(Session::State& s) {
  Timeline* timeline = s.Extension<Travel>().timeline.get();
  if (timeline == nullptr || !s.visible()) return absl::FailedPreconditionError("the program is not running; run or start begins it");
  return timeline;
}

// Something could stop the program somewhere, at this moment or at an earlier one (what has had its time now is awake there).
bool CouldStop(const Session::State& s) {
  return std::any_of(s.breakpoints.begin(), s.breakpoints.end(),
                     [](const auto& b) { return b->kind != Breakpoint::kLog && (b->enabled || !b->limits.empty()); });
}

// The last stop before the present, searched through one stretch between snapshots after the other, backwards; `after`: no earlier than
// the first that does not lie before that moment, though earlier ones may be found, too. The program is left somewhere.
absl::Status FindStopBefore(Session::State& s, Timeline& timeline, const Mark* after, Found* best) {
  Machine& m = *s.machine;
  const Mark present = m.Where();
  // What was passed or had its time decides, so it is found out first.
  if (absl::Status known = KnowCounts(s, Need::kGoOn); !known.ok()) return known;
  std::vector<Timeline::Moment> moments = timeline.moments();
  Mark end = present;
  const Computation* end_computation = m.top().computation;
  std::vector<const Instruction*> element_callers = ElementCallersAround(m);
  m.interrupt().store(false);
  std::vector<Found::Doubt> doubts;  // later than it
  absl::Status status;
  for (auto moment = moments.rbegin(); moment != moments.rend() && CouldStop(s); ++moment) {
    const bool at_end = best->last.has_value() && *best->last == end;  // what the instruction before made stops there, too
    if (best->last.has_value() && doubts.empty() && !at_end) break;
    if (after != nullptr && end < *after && doubts.empty() && !at_end) break;
    if (!(moment->mark < end)) continue;
    StopMemory memory;
    status = MemoryAt(s, moment->mark, *moment->computation, &memory);
    if (!status.ok()) break;
    BeginCatchWalk(s);
    Found here;
    {
      const PastArmed armed(s, end, *end_computation, element_callers);
      status = FindLastStop(s, end, false, &here, &memory);
      // Caught by the last instruction of this stretch: the stretch after it, which begins at a snapshot there, cannot know.
      std::vector<Stop> caught;
      if (status.ok() && end < present && m.Where() == end && JudgeCaught(s, memory, false, &caught) && !caught.empty()) {
        std::vector<Found::Told> told;
        for (const Stop& stop : caught) told.push_back({stop.breakpoint, stop.note});
        if (at_end) {
          best->told.insert(best->told.begin(), told.begin(), told.end());
        } else {
          StopsHere(s, memory, false);  // counts what is reached there without a stop, which the later stretch has judged
          here.Set(end, std::move(told), memory);
        }
      }
    }
    if (!status.ok()) break;
    const bool beginning = &*moment == &moments.front();
    SettleDoubts(best, &doubts, memory, beginning, best->last);
    if (beginning) SettleDoubts(&here, &here.doubts, StopMemory(), true, here.last);
    if (!best->last.has_value()) {
      for (Found::Doubt& doubt : here.doubts) {
        if (!here.last.has_value() || !(doubt.mark < *here.last)) doubts.push_back(std::move(doubt));
      }
      if (here.last.has_value()) {
        std::vector<Found::Doubt> none;
        *best = std::move(here);
        best->doubts = std::move(none);
      }
    }
    end = moment->mark;
    end_computation = moment->computation;
    element_callers.clear();
  }
  return status;
}

// Where the program stands now is that stop: it is shown, its commands are executed, and what is temporary goes, as on the way forward.
void ShowFound(Session::State& s, Found& found) {
  PresentMemory(s) = std::move(found.memory);
  s.error_stop = false;
  s.stuck = absl::OkStatus();
  std::vector<Stop> stops;
  std::vector<std::string> names;
  for (const Found::Told& told : found.told) {
    const auto b = std::find_if(s.breakpoints.begin(), s.breakpoints.end(), [&](const auto& each) { return each.get() == told.stop; });
    if (b == s.breakpoints.end()) continue;
    stops.push_back({b->get(), "", false});
    names.push_back(absl::StrCat(NameOfStop(**b), " ", told.stop->number));
  }
  TakeUpCommands(s, stops);
  if (!Stops(s).silent) {
    for (const Found::Told& told : found.told) {
      if (!told.note.empty()) s.Say(told.note, "\n");
    }
    s.Say(absl::StrJoin(names, ", "), ", ");
  }
  DropTemporary(s, stops);
  s.ArmThis();
  s.ShowStop(StopReason::kBreakpoint);
}

// Shows where the program has come to, and the frame where that is not the one it was in.
void ShowArrival(Session::State& s, const Mark& before, bool by_line = false) {
  s.error_stop = false;
  s.stuck = absl::OkStatus();
  s.selected = std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  Mark from = before, now = s.machine->Where();
  from.levels.back().position = now.levels.back().position = 0;
  const bool moved = !(from == now);
  if (moved && !s.machine->finished()) s.Say(s.DescribeFrame(s.selected), "\n");
  if (by_line) s.Say(SourceLineHere(s));
  s.ShowStop(s.machine->finished() ? StopReason::kFinished : StopReason::kStep);
}

// The parameters that the entry begins with are no steps, in neither direction; only a breakpoint on one is a place to be.
std::optional<Mark> BeforeLeading(Session::State& s) {
  const Mark now = s.machine->Where();
  const Computation& entry = *s.module->entry;
  if (now.levels.size() != 1 || now.levels[0].position > FirstStop(entry) || s.machine->finished()) return std::nullopt;
  Mark mark = now;
  while (--mark.levels[0].position >= 0) {
    if (StopsOfRun(s).at.contains({&entry, mark.levels[0].position})) return mark;
  }
  return now;  // the beginning
}

// Back by one instruction; false: this is the beginning.
absl::StatusOr<bool> BackOne(Session::State& s, Timeline& timeline, bool into) {
  absl::StatusOr<Mark> mark = absl::OutOfRangeError("");
  if (const std::optional<Mark> leading = BeforeLeading(s); !leading.has_value()) {
    mark = timeline.Previous(into);
  } else if (!(*leading == s.machine->Where())) {
    mark = *leading;
  }
  if (absl::IsOutOfRange(mark.status())) return false;
  if (!mark.ok()) return mark.status();
  if (absl::Status status = SeekStatus(s, timeline.Seek(*mark)); !status.ok()) return status;
  return true;
}

constexpr char kBeginning[] = "this is the beginning of the program; there is no way back from here";

// From `from` the program went back to where it stands: what stops between is come to first, as is what stops here. False: nothing does.
absl::StatusOr<bool> StopOnTheWay(Session::State& s, Timeline& timeline, const Mark& from, bool by_line, bool into) {
  const Mark target = s.machine->Where();
  const Instruction* passed = s.machine->next_instruction();
  const bool passes = by_line || (!into && passed != nullptr && !passed->CalledComputations().empty());
  const bool here = StopsOfRun(s).at.contains({s.machine->top().computation, s.machine->top().position});
  const bool caught = std::any_of(s.breakpoints.begin(), s.breakpoints.end(), [](const auto& b) { return b->kind == Breakpoint::kCatch; });
  if (!CouldStop(s) || !(passes || here || caught)) return false;
  if (absl::Status back = SeekStatus(s, timeline.Seek(from)); !back.ok()) return back;
  Found found;
  const absl::Status status = FindStopBefore(s, timeline, &target, &found);
  const bool stops = status.ok() && found.last.has_value() && !(*found.last < target);
  const absl::Status there = SeekStatus(s, timeline.Seek(!status.ok() ? from : stops ? *found.last : target));
  if (!status.ok() || !there.ok()) return status.ok() ? there : status;
  if (!stops) return false;
  s.selected = std::max<int>(0, static_cast<int>(s.machine->frames().size()) - 1);
  StopsMoved(s);
  ShowFound(s, found);
  return true;
}

absl::Status ReverseMany(Session::State& s, absl::string_view args, bool into) {
  absl::string_view rest = args;
  const bool by_line = TakeWord(rest) == "line";
  if (by_line) args = rest;
  const absl::StatusOr<int64_t> n = ParseCount(args, 1);
  if (!n.ok()) return n.status();
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  if (by_line) {
    if (absl::Status lines = NeedSourceLines(*s.module); !lines.ok()) return lines;
  }
  const Mark before = s.machine->Where();
  for (int64_t k = 0; k < *n; ++k) {
    const Mark from = s.machine->Where();
    const absl::StatusOr<bool> went = by_line ? BackOneLine(s, **timeline, into) : BackOne(s, **timeline, into);
    if (!went.ok()) return went.status();
    if (*went) {
      const absl::StatusOr<bool> stopped = StopOnTheWay(s, **timeline, from, by_line, into);
      if (!stopped.ok() || *stopped) return stopped.status();
      continue;
    }
    if (k == 0 && s.machine->Where() == before) return absl::FailedPreconditionError(kBeginning);
    s.Say("The beginning of the program is reached.\n");
    break;
  }
  Arrived(s);
  ShowArrival(s, before, by_line);
  return absl::OkStatus();
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
  const Frame& frame = s.machine->frames()[s.selected];
  const bool again = (IsLoop(frame.kind) || frame.kind == FrameKind::kElement) && frame.iteration >= 0;
  const std::string what = again ? absl::StrCat(frame.computation->name, frame.kind == FrameKind::kElement ? " (call " : " (iteration ", frame.iteration, ")") : std::string(frame.computation->name);
  mark.levels.resize(s.selected + 1);
  mark.levels.back().position = 0;
  if (absl::Status status = SeekStatus(s, (*timeline)->Seek(mark)); !status.ok()) return status;
  const absl::StatusOr<Mark> outside = (*timeline)->Previous(true);
  if (!outside.ok()) return outside.status();
  s.Say("Back to before ", what, " was entered\n");
  if (absl::Status status = SeekStatus(s, (*timeline)->Seek(*outside)); !status.ok()) return status;
  Arrived(s);
  ShowArrival(s, before);
  return absl::OkStatus();
}

absl::Status CommandReverseContinue(Session::State& s, absl::string_view args) {
  absl::StatusOr<Timeline*> timeline = NeedHistory(s);
  if (!timeline.ok()) return timeline.status();
  Machine& m = *s.machine;
  const Mark present = m.Where();
  const Mark beginning = (*timeline)->moments().front().mark;
  Found best;
  const absl::Status status = FindStopBefore(s, **timeline, nullptr, &best);
  Mark first = beginning;
  if (first.levels.size() == 1) first.levels[0].position = std::min(present.levels[0].position, FirstStop(*s.module->entry));
  const Mark& target = !status.ok() ? present : best.last.has_value() ? *best.last : first;
  const absl::Status there = SeekStatus(s, (*timeline)->Seek(target));
  if (!status.ok()) return status;
  if (!there.ok()) return there;
  s.selected = std::max<int>(0, static_cast<int>(m.frames().size()) - 1);
  StopsMoved(s);
  if (!best.last.has_value()) {
    s.Say("Nothing stops before; this is the beginning of the program.\n");
    s.ArmThis();
    ShowArrival(s, present);
    return absl::OkStatus();
  }
  ShowFound(s, best);
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
  if (!plain || args == "start" || args == "end" || args == "iteration" || args == "call" || args == "run" || args == "before") {
    return absl::InvalidArgumentError("a bookmark's name is letters, digits, _, - and .; start, end, iteration, call, run and before have a meaning of their own");
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
  if (args.empty()) return absl::InvalidArgumentError(absl::StrCat("goto takes ", kMoments, "; info bookmarks lists the bookmarks"));
  absl::StatusOr<Mark> mark = absl::NotFoundError("");
  {
    const AheadTogether look(s);
    mark = ParseMoment(s, args, "");
  }
  if (!mark.ok()) return mark.status();
  AheadTogether together(s);
  const Mark before = s.machine->Where();
  const std::shared_ptr<const MachineSnapshot> present = s.machine->TakeSnapshot(true);
  const StopReason reason = (*timeline)->Seek(*mark);
  // Where all devices wait for ever is an end, too.
  const bool to_stuck = reason == StopReason::kWaiting && args == "end" && s.Extension<StuckBefore>().mark == s.machine->Where();
  const std::optional<Travel::Failed>& failed = s.Extension<Travel>().failed;
  // The moment of the error is one by whatever name: what is there is asked for as it was there.
  const bool fails_here = reason == StopReason::kStep && failed.has_value() && failed->mark == *mark && failed->edit == (*timeline)->last_edit();
  const bool to_error = to_stuck || fails_here || (reason == StopReason::kError && args == "end");
  if ((to_error || SeekStatus(s, reason).ok()) && LogsMissing(s, before, *mark)) {
    if (absl::Status written = WriteLogsOnTheWay(s, before, *mark); !written.ok()) {
      if (present != nullptr) s.machine->Restore(*present);
      return written;
    }
  }
  if (to_error || SeekStatus(s, reason).ok()) {
    if (absl::Status stayed = together.Stay(); !stayed.ok()) return stayed;
  }
  if (to_error) {  // where the program ends is the error
    if (!fails_here) s.Say("The program does not come to its end: it stops with an error.\n");
    StopsMoved(s);
    if (KnowCounts(s, Need::kGoOn).ok()) (void)(*timeline)->Seek(*mark);  // the error again
    const auto run = [&s] { return s.machine->Run(); };
    s.ShowStop(to_stuck || fails_here ? s.Go(run, run) : reason);
    return absl::OkStatus();
  }
  if (absl::Status status = SeekStatus(s, reason); !status.ok()) {
    if (present != nullptr) s.machine->Restore(*present);
    else (void)(*timeline)->Seek(before);
    if (reason == StopReason::kError && !absl::IsNotFound(status)) return absl::Status(status.code(), absl::StrCat("the program stops with an error before it comes to ", args, ": ", status.message()));
    return MomentError(s, *mark, status, args);
  }
  // What a logpoint behind the last instruction is armed for holds it there once more.
  if (args == "end" && s.machine->frames().size() == 1 && !s.machine->finished() && s.machine->next_instruction() == nullptr) (void)s.machine->Run();
  Arrived(s);
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
      if (IsLoop(level.kind)) absl::StrAppend(&text, " iteration ", level.iteration);
      if (computation == nullptr) break;
      const bool ended = level.position >= static_cast<int>(computation->schedule.size());
      const Instruction* at = ended ? nullptr : computation->schedule[level.position];
      absl::StrAppend(&text, k == 0 ? "" : ":", at == nullptr ? " the end" : absl::StrCat(" ", ShownName(*at)));
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
