// Which breakpoints, watches and logpoints want to stop where the program stands, and what happens at such a stop. For the files of commands.
#ifndef HLOSCOPE_CORE_DEBUG_STOPS_H_
#define HLOSCOPE_CORE_DEBUG_STOPS_H_

#include <deque>
#include <fstream>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/debug/calls.h"
#include "core/debug/log_file.h"
#include "core/debug/log_moments.h"
#include "core/debug/session_state.h"
#include "core/debug/stop_counts.h"

namespace hloscope {

struct Stop {
  Breakpoint* breakpoint = nullptr;
  std::string note;     // of a watch: what changed, in one line; of a catch: what was caught, in some
  bool unsure = false;  // of a watch that has nothing in the memory: whether this is a change, only the past before can tell
};

// What stops where the machine stands (its top frame's position), by the counts that the memory knows, which go on. `counting`: this is the
// program's own way, so logpoints write, and troubles with conditions are said. Watches without a memory are listed as unsure otherwise.
std::vector<Stop> StopsHere(Session::State& s, StopMemory& memory, bool counting);
// The machine has just stopped because something was caught: the same of the catch, added to `stops`. False: another observer stopped it.
bool JudgeCaught(Session::State& s, StopMemory& memory, bool counting, std::vector<Stop>* stops);
// Whether the machine stands at the moment of the last StopReason::kCaught, or beyond; to go there then.
bool AtCaught(const Session::State& s);
void GoToCaught(Session::State& s);
// Something is armed at the position where the machine stands.
bool ArmedHere(const Session::State& s);
// What stops remember at the present: to be set to that of a walk that ends in a new present.
StopMemory& PresentMemory(Session::State& s);
// Memories of other moments of this run.
StopLedger& Ledger(Session::State& s);
// Where the program stands; empty where none runs.
Mark PresentMark(const Session::State& s);
// What the present knows of a stop's counts (all zero where it knows nothing), and what its rules have left.
struct StopFigures {
  StopCounts counts;
  int64_t passed = 0;      // hits that are still passed
  int64_t stops_left = -1; // until it sleeps; -1: it does not
  bool awake = true;
};
StopFigures FiguresOf(const Session::State& s, const Breakpoint& b);
// After the program was moved without a walk: nothing is known of counts, and watches begin anew with what they see here.
void StopsMoved(Session::State& s);
// A run is about to begin: what counts have left of rules is the rule now. And it has begun: all counts are zero.
void SpendRules(Session::State& s);
void CountsBegin(Session::State& s);
// The number is given by then. Takes it in, with counts that begin here.
Breakpoint& Adopt(Session::State& s, std::unique_ptr<Breakpoint> b);
// What it stops at is another thing now: counts go on from here, and are found again for what was before.
void Redefined(Session::State& s, const Breakpoint& b);

// -- Shared by the files about stops --
// Of a run.
struct RunStops {
  static constexpr bool kOfRun = true;
  absl::flat_hash_map<std::pair<const Computation*, int>, std::vector<Breakpoint*>> at;  // enabled ones by armed position
  StopMemory memory;
  StopLedger ledger;
  StopMemory* judging = nullptr;  // what the machine's present run is judged by; null: it is not judged
  std::map<int, int64_t> passing;  // by number: hits that continue N passes by. Of the way that it goes, not of the moment
  std::map<int, LoggedMoments> logged;  // of logpoints, by number
  bool logging = false;                 // a walk on the program's own way forward: logpoints write, though nothing stops
  bool past = false;              // a walk through the past: what sleeps at the present is armed too
  absl::flat_hash_set<const Computation*> around;  // of the stops of this run: there may be more of them
};
RunStops& StopsOfRun(Session::State& s);
// Of the session.
struct StopState {
  std::deque<Breakpoint::Command> pending;  // commands of the stop that are still to be executed
  bool running_commands = false;
  // Where commands of a stop last began the program anew, and what there was then of the program and of stops.
  struct Restart {
    Mark at;
    uint64_t module = 0;
    std::vector<std::string> stops;
    friend bool operator==(const Restart&, const Restart&) = default;
  };
  std::optional<Restart> restart;  // since commands of stops are being executed
  bool silent = false;              // the stop is not shown
  std::vector<int> collecting;      // breakpoints whose commands are being typed; empty: none
  std::vector<Breakpoint::Command> collected;
  std::map<std::string, std::unique_ptr<LogFile>> logs;  // by path
};
StopState& Stops(Session::State& s);
// Of run and start: an error where commands of a stop begin the program anew at a moment at which they did before, and nothing is otherwise since.
absl::Status CheckRestart(Session::State& s);

// Says which stops these are, spends what is spent, and puts their commands in order.
void Announce(Session::State& s, const std::vector<Stop>& stops);
// Parts of it, for stops that are come to backwards: their commands are what is to be executed next, and whether all of them are silent;
// and what is removed by its first stop goes (false: nothing did).
void TakeUpCommands(Session::State& s, const std::vector<Stop>& stops);
bool DropTemporary(Session::State& s, const std::vector<Stop>& stops);
// "Breakpoint", "Temporary breakpoint", "Watch", "Catch".
absl::string_view NameOfStop(const Breakpoint& b);
// -- Logpoints (logpoints.cc) --
// Writes its line, unless that of this moment has been written.
void WriteLog(Session::State& s, const Breakpoint& b, int64_t hits);
// What logpoints say at the present, where nobody has judged that: the program was moved here. Before it runs on.
void WriteLogsHere(Session::State& s);
// The program has come forward from `from` to the present (`after`: what stops there was judged), and logpoints have written on the way.
void NoteLogged(Session::State& s, const LoggedMoments::Key& from, bool after);
// The lines of the way forward from one moment to another that are not written yet: walks there. The program is left there; cancelled: on
// the way.
bool LogsMissing(Session::State& s, const Mark& from, const Mark& to);
absl::Status WriteLogsOnTheWay(Session::State& s, const Mark& from, const Mark& to);
// What comes after the present is another way: its lines stand after those that are in the files.
void SealLogs(Session::State& s);
// A run begins: the files that it writes begin anew. Those of logpoints that are deleted or disabled keep their lines.
void BeginLogs(Session::State& s);
void FlushLogs(Session::State& s);
// Nothing when the watch cannot be evaluated here or has nothing to say; an error when it cannot be evaluated at all (watches.cc).
absl::StatusOr<std::optional<Stop>> EvaluateWatch(Session::State& s, Breakpoint& b, StopMemory& memory, int64_t hits);
// What a watch has to say of a first value that was in doubt, now that `before` (null: nothing) is known: the note of a stop, or nothing.
std::optional<std::string> WatchChange(const Breakpoint& b, const StopMemory::Seen* before, const StopMemory::Seen& first, const std::string& note);
// An expression of a stop, in the present frame, with `hits` known.
absl::StatusOr<ExpressionResult> EvaluateAtStop(const Session::State& s, int64_t hits, absl::string_view text);

// -- Commands attached to stops (stop_commands.cc) --
// Takes a line that belongs to commands being typed. False: the line is an ordinary one.
bool CollectLine(Session::State& s, absl::string_view line);
// Executes what the stops of the last command have attached. False: one of them failed.
bool RunAttached(Session::State& s);

// -- Adding and listing --
// The program's call graph, made when first asked for.
const CallGraph& CallsOf(Session::State& s);
// Breakpoints for instructions with frontend_attributes={breakpoint="true"} (program_stops.cc).
void AddProgramBreakpoints(Session::State& s);
// Works out `after` from what the condition and the text read; errors say what cannot be meant (stop_check.cc). `narrow`: where they are
// right at some places, the other places go.
absl::Status CheckStopExpressions(Session::State& s, Breakpoint& b, bool narrow);
// The same of a watch that stops at changes only when its condition holds (watches.cc).
absl::Status CheckWatchCondition(Session::State& s, const Breakpoint& b);
// The same of a catch, which may stop anywhere (stop_check.cc).
absl::Status CheckCatchCondition(Session::State& s, Breakpoint& b);
// Takes a location off `args`: a word, or a pattern between slashes or brackets that may hold blanks.
absl::string_view TakeLocation(absl::string_view& args);
// The breakpoint that a word names: its number, or "last".
absl::StatusOr<Breakpoint*> BreakpointOf(Session::State& s, absl::string_view word);
// Its lines in info break.
void ShowBreakpoint(Session::State& s, const Breakpoint& b);
// Breakpoints, watches, catches and displays, each as the commands that make it, a line each (stop_files.cc).
std::vector<std::string> StopsAsCommands(Session::State& s);
absl::Status InfoBreak(Session::State& s, absl::string_view args);
absl::Status InfoWatch(Session::State& s, absl::string_view args);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_STOPS_H_
