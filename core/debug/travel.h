// Going through the history of the session's run, for the files of commands that run it. The history itself is the Timeline.
#ifndef HLOSCOPE_CORE_DEBUG_TRAVEL_H_
#define HLOSCOPE_CORE_DEBUG_TRAVEL_H_

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "absl/strings/string_view.h"
#include "core/debug/session_state.h"
#include "core/debug/timeline.h"

namespace hloscope {

// What the last look at a moment saw (LookAtMoments).
struct LookedAt {
  int64_t moments = 0;  // 0: one that was named exactly
  bool more = false;    // there were more than are looked at
  std::string choose;   // how one of several is named
};

// What the session keeps of it: State::Extension<Travel>().
struct Travel {
  static constexpr bool kOfRun = true;
  std::unique_ptr<Timeline> timeline;  // of state.machine; null before the first run
  std::map<std::string, Mark> bookmarks;
  // Where this run stopped with an error of its own last, and what had been set until then.
  struct Failed {
    Mark mark;
    int64_t edit = 0;
  };
  std::optional<Failed> failed;
  bool ahead = false;  // names mean values also where the program has not got to (see EvaluateAt)
  LookedAt looked;
};

// The machine was made anew and started.
void BeginHistory(Session::State& s);
// Before the machine goes.
void EndHistory(Session::State& s);
// Arms where something was set, so that runs from before it stop there; for ArmAll.
void ArmEdits(Session::State& s);
// After every stop of a run forward: where something was set, or is to be set again, it is.
void TakeUpEdit(Session::State& s);
// After a stop inside a loop that nobody meant to look at: makes the values of the loop's frames available.
void Settle(Session::State& s);
// After a value was set.
void NoteEdit(Session::State& s, HandSet made);
// Goes there and says so if it fails. The mark is of this run.
absl::Status GoTo(Session::State& s, const Mark& mark);

// The moments that ParseMoment knows, for messages.
constexpr absl::string_view kMoments = "a bookmark, start, end, iteration N [call K] [in NAME], call K in NAME, run K of NAME or before %x";
// A moment that is named: "iteration 17", "iteration 3,17" (of outer and inner loops), "call 2" (where several calls run what is meant),
// "in NAME" (a loop), a bookmark, "start", "end". `expression` will be looked at: for an iteration, of the loop whose body has its names.
// InvalidArgument where several moments are meant.
absl::StatusOr<Mark> ParseMoment(Session::State& s, absl::string_view text, absl::string_view expression);
// Calls `look`, which may move the program through its run; names mean values also where it has not got to. Then all is as before.
absl::Status LookAround(Session::State& s, const std::function<absl::Status()>& look);
// Calls `look` with the program at each moment that the text may mean, in order of time; `label` tells them apart, and is empty where there
// can be only one. How to choose one is said at the end.
absl::Status LookAtMoments(Session::State& s, absl::string_view moment, absl::string_view expression, const std::function<absl::Status(const std::string& label)>& look);
// The same for what looks at executed values only: in frames that are named by iteration or call, at their end.
absl::Status LookBack(Session::State& s, absl::string_view moment, absl::string_view expression, const std::function<absl::Status(absl::string_view text)>& look);
// Calls `look` with the program at that moment, the selected frame the one of the moment; then all is as before.
absl::Status LookAt(Session::State& s, const Mark& mark, const std::function<absl::Status()>& look);
// What is said when the program does not come to a moment that was named, `mark`.
absl::Status MomentError(const Session::State& s, const Mark& mark, const absl::Status& status, absl::string_view moment);
// Splits "EXPR @ MOMENT"; false: no moment in it.
bool SplitMoment(absl::string_view text, absl::string_view* expression, absl::string_view* moment);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TRAVEL_H_
