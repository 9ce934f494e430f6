// Values of frames that ended: inside calls, fusions, branches and earlier iterations of loops that a Machine has run. A frame is opened
// again with the arguments it had, and only what is asked for in it is computed, with the kernels and random streams of the run itself.
// A loop's carried values come from one pass through it, kept at checkpoints. Not for moving the present (machine.h).
#ifndef HLOSCOPE_CORE_EXEC_FRAME_HISTORY_H_
#define HLOSCOPE_CORE_EXEC_FRAME_HISTORY_H_

#include <cstdint>
#include <map>
#include <memory>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "core/exec/machine.h"

namespace hloscope {

// How many frames of a computation had begun by a moment (more, where the run went back within a frame), and what its own frames are of.
int64_t FramesBegun(const MachineSnapshot& snapshot, const Computation& computation);
std::vector<const Computation*> ComputationsOf(const MachineSnapshot& snapshot);

class FrameHistory {
 public:
  // A moment of another program's run as one of `machine`, which stands at its beginning and has adopted what is known: for programs that are
  // the same, instruction by instruction, up to where the moment's frames stand. `computations`: theirs, in this program, the entry first;
  // `frames_begun`: by id of a computation. Null where it has what only the other run can know (what was set, exchanges), or what would have
  // to be run again to go on from there.
  static std::shared_ptr<const MachineSnapshot> MomentOf(Machine& machine, const MachineSnapshot& other, absl::Span<const Computation* const> computations,
                                                         std::vector<int64_t> frames_begun);

  // Where a frame is: what called it, and from which frame.
  struct Place {
    int parent = -1;
    const Instruction* caller = nullptr;  // null for the entry
    FrameKind kind = FrameKind::kEntry;
    int64_t iteration = 0;  // of loops' conditions and bodies
    int branch = -1;
    const Computation* computation = nullptr;
    bool live = false;  // on the Machine's stack
  };

  // Good until the Machine moves on. `budget` in bytes, of values in ended frames and of carried values, each. `past`: moments of its run in
  // order of time, for two things: loops are run again from the nearest of them, and what was set by hand in a frame that ended holds there
  // (a moment must have been taken after each such set).
  using Past = std::vector<std::shared_ptr<const MachineSnapshot>>;
  FrameHistory(Machine& machine, int64_t budget, Past past = {});
  ~FrameHistory();

  // Frames are numbered; the Machine's own come first, by depth.
  int live_count() const { return live_; }
  int live_position(int frame) const { return machine_.frames()[frame].position; }
  const Place& place(int frame) const;
  // The frame that `caller` (an instruction of `frame`, executed) ran. Nothing is computed.
  int Enter(int frame, const Instruction& caller, FrameKind kind, const Computation& computation, int64_t iteration = 0, int branch = -1);
  // The computation that a call runs, and whether it counts as a fusion.
  int EnterCall(int frame, const Instruction& caller);
  int EnterBody(int frame, const Instruction& loop, int64_t iteration);
  int EnterCondition(int frame, const Instruction& loop, int64_t iteration);
  absl::StatusOr<int> EnterBranch(int frame, const Instruction& conditional);  // the one that was taken
  std::vector<int> EnterAllBranches(int frame, const Instruction& conditional);
  // The frame in which the run stood at that moment.
  int FrameAt(const Mark& mark);
  // Of the execution of an instruction in a frame, among all of the run (ExchangeCall::key).
  uint64_t ExchangeKey(int frame, const Instruction& instruction) const;

  // Dense. FailedPrecondition where it has not been executed.
  absl::StatusOr<Value> ValueOf(int frame, const Instruction& instruction);
  // The value if it is at hand (dense and held), else none.
  Value Held(int frame, const Instruction& instruction) const;

  // Somebody set that element (SetValue) in that frame, as far as the moments tell.
  bool SetByHand(int frame, const Instruction& instruction, int leaf, int64_t linear) const;

  // What the instruction at `reader` read of it, dense, where somebody replaced its value after that; else empty.
  Value Before(int frame, const Instruction& instruction, int reader) const;
  // And that had been computed, not been set by hand before.
  bool ComputedBefore(int frame, const Instruction& instruction, int leaf, int64_t linear) const;

  // How many iterations a loop that has ended ran, and the value that its iteration `k` began with (k == Iterations: the result).
  absl::StatusOr<int64_t> Iterations(int frame, const Instruction& loop);
  absl::StatusOr<Value> Carried(int frame, const Instruction& loop, int64_t k);

 private:
  struct Ended;
  struct Loop;
  absl::StatusOr<Ended*> Open(int frame);
  absl::StatusOr<std::vector<Value>> ArgumentsOf(int frame);
  absl::StatusOr<Value> ReadBy(int frame, const Instruction& reader, size_t operand);
  absl::StatusOr<Value> NextCarried(int frame, const Instruction& loop, int64_t k, Value carried);
  absl::StatusOr<bool> Continues(int frame, const Instruction& loop, int64_t k, const Value& carried);
  Loop& LoopOf(int frame, const Instruction& loop);
  absl::Status BeginPass(Loop& loop, int frame, const Instruction& instruction);
  void Keep(Loop& loop, int64_t k, const Value& carried);
  void KeepNear(Loop& loop, int64_t k, const Value& carried);
  uint64_t PathOf(int frame) const;
  void ReadPast();
  absl::Status SetAgain(int frame, Ended& ended);
  absl::Status LoopsFor(int frame, const Instruction& instruction);
  absl::Status MakeNeeds(Ended& ended, const Instruction& instruction);
  void Book(Ended& ended, int position, const Value& value);

  Machine& machine_;
  const int64_t budget_;
  int live_ = 0;
  std::vector<Place> places_;
  absl::flat_hash_map<uint64_t, std::vector<int>> by_place_;
  std::vector<std::unique_ptr<Ended>> ended_;  // by frame; null: not open
  mutable std::vector<uint64_t> paths_;        // by frame; 0: not known yet
  const Frame* EditedFrame(int frame) const;
  Value SetIn(int frame, const Instruction& instruction) const;  // what was set holds instead of what the frame was called with; dense; empty: nothing was
  Value DenseOf(const Value& of_edited) const;  // of a frame of edited_
  mutable std::map<const Value*, Value> dense_of_;
  Past past_;
  // Frames of `past_`. Loops' conditions and bodies that hold what their iteration began with, by the path of the frame around and the loop.
  absl::flat_hash_map<uint64_t, std::map<int64_t, const Frame*>> begun_;
  absl::flat_hash_map<uint64_t, const Frame*> edited_;                       // by path: something was set in it
  absl::flat_hash_map<uint64_t, std::map<int, const Frame*>> edited_inside_;  // by the path around and the caller's position: ... somewhere inside
  int64_t ended_bytes_ = 0;
  std::map<std::pair<int, const Instruction*>, std::unique_ptr<Loop>> loops_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_FRAME_HISTORY_H_
