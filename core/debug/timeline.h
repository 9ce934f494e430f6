// The history of one run: snapshots by time, what was set on the way, and going to any moment of it, back or forth.
// Over a Machine, for the commands of travel.cc. Not for deciding where to stop (breakpoints) or what to show.
//
// Snapshots are taken every few hundredths of a second of running, so whatever lies between two of them is run again in about that time.
// When there are too many, or they hold too much, the ones that are closest together go first. A value that was set makes the history
// branch: snapshots of the moments after it are dropped, and a snapshot with the new value stays for good, so that every way to later moments
// leads over it.
#ifndef HLOSCOPE_CORE_DEBUG_TIMELINE_H_
#define HLOSCOPE_CORE_DEBUG_TIMELINE_H_

#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/exec/machine.h"

namespace hloscope {

struct TimelineOptions {
  int64_t budget_bytes = int64_t{1} << 30;  // of values that only snapshots hold
  double interval_seconds = 0.03;
  size_t max_snapshots = 400;
};

// What somebody set: it belongs to a moment. What was executed before that has read the value as it was; from there on all read it as set.
struct HandSet {
  Mark mark;                    // the moment
  int depth = 0;                // of the frame that has the value
  std::string instruction;      // there
  std::vector<int64_t> path;    // into a tuple
  std::vector<int64_t> places;  // row-major; empty: the whole array
  Value leaf;                   // the array with the new elements
  std::string name;             // "%x[0]"
};

// FailedPrecondition inside an element computation: that is only looked at, its caller's value is computed without it. What changes the
// run must not be done there.
absl::Status OutsideElements(const Machine& machine);

class Timeline {
 public:
  // The machine has been started and stands at its beginning.
  Timeline(Machine& machine, TimelineOptions options);
  ~Timeline();

  struct Moment {
    Mark mark;
    double seconds = 0;  // of running, about, since the beginning
    std::shared_ptr<const MachineSnapshot> snapshot;
    bool kept = false;   // the beginning, and where something was set
    const Computation* computation = nullptr;  // of the innermost frame
    std::vector<HandSet> sets;  // oldest first
    int64_t edit = 0;           // the last of them, counted over all branches
  };
  // In order of time. Never empty.
  const std::vector<Moment>& moments() const { return moments_; }
  int64_t held_bytes() const { return held_bytes_; }

  // Goes there. kStep: there; else what the machine said, and the machine stands where it got to.
  StopReason Seek(const Mark& mark);
  // The moment that `step` (into) or `next` came from. OutOfRange at the beginning. The machine may have moved: seek to what is returned,
  // or back to where it was. `elements`: into the calls of reducers and the like, too.
  absl::StatusOr<Mark> Previous(bool into, bool elements = true);
  // Calls `look`, which may move the machine, and comes back. FailedPrecondition inside an element computation in which something was set.
  absl::Status Around(const std::function<absl::Status()>& look);

  // Called where the run forward has come to when a snapshot was due.
  void set_on_moment(std::function<void(const Mark& mark)> f) { on_moment_ = std::move(f); }

  // While set, seeks make exchanges with other devices that have not been made yet. Called where a seek comes to one, `brought` false, and
  // where it waits there, having brought what its device brings: kStep: to go on; else that is what the seek says.
  void set_on_exchange(std::function<StopReason(bool brought)> f) { on_exchange_ = std::move(f); }

  // That was just set at the present moment.
  void NoteEdit(HandSet made);
  // Another number after each set, and in each branch.
  int64_t last_edit() const;
  // The present is where something was set, as it was before that: goes to it as it is after that. For runs forward, which stop there
  // because it is armed (moments() that are kept tell where).
  bool TakeUpEdit();
  // A loop's frame on the stack has given its carried value away (the machine is not settled): comes here again by a way that keeps it.
  void Settle();

  // -- What is to be set again --
  // Sets of moments that the run has not come to: where others go on anew, what was set later is set once more where the program comes there
  // again, whatever way that is. `set` does it, with the program at the moment; false: it is not there any more.
  void Await(std::vector<HandSet> sets, std::function<bool(const HandSet& set)> set);
  const std::vector<HandSet>& awaited() const { return awaited_; }
  void ForgetAwaited() { awaited_.clear(); }
  // The program stands at the moment of some of them: sets them.
  void TakeUpAwaited();
  // Those that cannot be set any more, as the program went by their moments another way, since this was asked last.
  std::vector<HandSet> TakeMissed();

  // -- Going on anew --
  // What was from `mark` on is not so any more. What was set there and later, in order of time.
  std::vector<HandSet> DropFrom(const Mark& mark);
  // Goes there, at or after the beginning of what stays, with nothing of the present.
  StopReason SeekAnew(const Mark& mark);

  // A moment that the machine has not come to, and can be restored to.
  void Take(std::shared_ptr<const MachineSnapshot> snapshot, double seconds);

  // A branch of history that can be come back to: what moments() was, and the present.
  struct Branch {
    std::vector<Moment> moments;
    std::shared_ptr<const MachineSnapshot> present;
    std::shared_ptr<const MachineLog> log;
    std::vector<HandSet> awaited;
  };
  // `everything`: with values that could be made again.
  absl::StatusOr<Branch> Save(bool everything = false) const;
  // No present: the machine stays where it is. `recall`: nothing else differs between that branch and this one than what was set here, so values of the present may stay held.
  void Load(const Branch& branch, bool recall);

 private:
  void Add(bool kept);
  void Count(const MachineSnapshot& snapshot, int sign);
  void Thin();
  // The last moment at or before `mark`.
  size_t Before(const Mark& mark) const;
  StopReason SeekFrom(const Moment& moment, const Mark& mark, bool recall = true);
  // As the machine's SeekForward, over the moments of what is awaited.
  StopReason Forward(const Mark& mark);
  // As the machine's SeekForward, over exchanges where they are to be made.
  StopReason Over(const Mark& mark);
  absl::Status SeekTo(const Mark& mark);
  absl::StatusOr<Mark> LastWithin(Mark mark, bool elements);
  absl::StatusOr<Mark> LastElement(const Mark& mark, bool* inside);
  absl::StatusOr<Mark> EndOfCall(Mark mark, bool into, bool elements);

  Machine& machine_;
  TimelineOptions options_;
  std::function<void(const Mark& mark)> on_moment_;
  std::vector<Moment> moments_;
  std::vector<HandSet> awaited_;  // in order of time
  std::vector<HandSet> missed_;
  std::function<bool(const HandSet& set)> set_;
  double seconds_ = 0;
  int64_t edits_ = 0;
  int64_t held_bytes_ = 0;
  struct Held {
    int count = 0;
    int64_t bytes = 0;
  };
  absl::flat_hash_map<const Buffer*, Held> held_;
  absl::flat_hash_set<const Buffer*> lent_;
  std::function<StopReason(bool brought)> on_exchange_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TIMELINE_H_
