// The Machine runs a module on a Backend: frames, the values in them, control flow, and stops. One for all backends.
//
// Where it is: a stack of frames; each has a position in its computation's schedule: the next instruction to execute. "At position p"
// means that every instruction before p has been executed or can be recomputed exactly from values that are held. A region whose root
// is at or after p has not run; its members before p are recomputed one by one when somebody asks (ValueOf), with single-instruction
// kernels that give the same bits. So a stop costs nothing until it is reached, and nothing is compiled again.
#ifndef HLOSCOPE_CORE_EXEC_MACHINE_H_
#define HLOSCOPE_CORE_EXEC_MACHINE_H_

#include <algorithm>
#include <atomic>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/status/status.h"
#include "absl/status/statusor.h"
#include "core/exec/backend.h"
#include "core/exec/inputs.h"
#include "core/ir/module.h"
#include "core/literal/value.h"

namespace hloscope {

class CustomCallLibrary;  // core/exec/custom_call.h
class ExchangePort;       // core/exec/exchange.h

enum class FrameKind : uint8_t { kEntry, kCall, kFusion, kWhileCondition, kWhileBody, kBranch, kElement };
inline bool IsLoop(FrameKind kind) { return kind == FrameKind::kWhileCondition || kind == FrameKind::kWhileBody; }

// A value that SetValue replaced: what was executed before the set read the old one, and is made again from it.
struct Replaced {
  int position = 0;
  int since = 0;  // instructions at this position or later read what replaced it
  Value old;
};

// What somebody set: elements of a value.
struct SetByHand {
  int position = 0;
  int leaf = -1;  // of a tuple (core/ops/leaf_flow.h); -1: all
  std::shared_ptr<const std::vector<int64_t>> places;  // row-major; null: all
  bool Has(int at, int of_leaf, int64_t linear) const {
    if (at != position || (leaf >= 0 && leaf != of_leaf)) return false;
    return places == nullptr || std::find(places->begin(), places->end(), linear) != places->end();
  }
};

struct Frame {
  FrameKind kind = FrameKind::kEntry;
  const Computation* computation = nullptr;
  const Plan* plan = nullptr;
  int position = 0;             // schedule position of the next instruction; == schedule size: finished
  int64_t iteration = 0;        // kWhileCondition, kWhileBody: which; kElement: which call of the reducer
  int branch = -1;              // kBranch
  uint64_t path = 0;            // hash of how we got here (caller's path, instruction, iteration): seeds random streams
  std::vector<Value> values;    // by schedule position; empty: not executed, or dropped
  std::vector<int> pending;     // by schedule position: regions that will still read the value
  // kElement (stepping inside a reducer, comparator, ...): private state of the walk, see element_walk.cc
  std::shared_ptr<void> walk;

  // The rest is the Machine's bookkeeping.
  const Instruction* caller = nullptr;  // the instruction that runs this frame; null for the entry
  uint64_t serial = 0;                  // unique in a Machine; a new one each iteration
  uint64_t caller_path = 0;
  Value carried;            // kWhileCondition: the carried value, kept for the body; kCall of an asynchronous start: its operands
  bool counted = true;      // false inside element computations: a walk that is only looked at
  bool pinned = false;      // somebody may look: parameters stay held, so that everything before the position can be recomputed
  bool retains = false;     // values go to the retained set after their last use
  int64_t retained_bytes = 0;
  std::vector<int> replaced;  // positions given to SetValue, and others that must stay held: regions that hold them inside run one instruction at a time
  std::vector<Replaced> history;  // oldest first
  std::vector<SetByHand> set_by_hand;  // given to SetValue, oldest first
  bool changed = false;       // something was set here or in an iteration before: what it returns cannot be made again and is kept
  struct Entered {            // control flow was entered at `position` when `executed` instructions had been executed
    int position;
    int64_t executed;
  };
  std::vector<Entered> entered;  // ascending
  int64_t begun_ns = 0;          // on a steady clock; loops, while checkpoints are wanted
  int looked = 0;                // what belongs before this position the observer has been told, or was not to be told
  // A collective that runs beside the program, to which not all devices had come when it began. Its value is asked for where it is read.
  struct Begun {
    int position = 0;  // of the instruction here that has no value yet
    uint64_t key = 0;  // of the exchange (ExchangeCall::key)
    uint64_t history = 0;  // it belongs to the run as it was then, whatever was set since
    int64_t executed = 0;
    const Instruction* collective = nullptr;  // null: what was begun is handed on at `position`
    std::vector<Value> seen;             // its inputs, where an observer is to be told
    std::shared_ptr<const Frame> inner;  // of an asynchronous start: the frame that ended with the collective
  };
  std::vector<Begun> begun;
};

// A moment: where every frame stands, the entry's first. It names the same moment in every run of the program with the same inputs,
// however that run was cut into kernels and stops. Moments are ordered: a loop goes condition 0, body 0, condition 1, ...
struct Mark {
  struct Level {
    FrameKind kind = FrameKind::kEntry;
    int64_t iteration = 0;
    int branch = -1;
    int position = 0;  // of the next instruction; the computation's size at its end
    friend bool operator==(const Level&, const Level&) = default;
  };
  std::vector<Level> levels;
  friend bool operator==(const Mark&, const Mark&) = default;
  // Earlier than: within one computation by position; what an instruction runs inside comes after it and before the next one.
  friend bool operator<(const Mark& a, const Mark& b);
};

// Everything that a Machine knows at a moment. Values are shared with it, not copied. Opaque outside the Machine.
class MachineSnapshot;
// What a run got from outside the program on one way: from custom calls and other devices. Opaque outside the Machine.
class MachineLog;

enum class StopReason : uint8_t {
  kStep,        // the requested step is done
  kBreakpoint,  // an armed position was reached; see Machine::position()
  kFinished,    // the entry computation returned
  kError,       // the instruction at the position failed; status() says how. Everything before it can still be looked at.
  kInterrupted, // `interrupt` was set
  kCaught,      // the region observer asked for a stop (StopAfter); Machine::caught_at() is the moment
  kWaiting,     // the instruction at the position exchanges with other devices, and they have not come yet: Run again when they have
};

struct MachineOptions {
  int64_t retain_bytes = 0;        // keep values after their last use up to this many bytes, the oldest dropped first
  int64_t memory_limit = 0;        // bytes of value and scratch buffers; 0: none. Beyond it: a kError stop that says what was live
  int64_t max_iterations = 0;      // of one while loop; 0: none
  uint64_t seed = 0;
  Fill fill;                       // for elided constants, which are filled when first read
  const CustomCallLibrary* custom_calls = nullptr;
  std::vector<Value> infeed;       // items in order
  bool time_instructions = false;  // fill `profile`
  const Computation* entry = nullptr;    // what runs, one of the module's; null: the module's entry
  MemoryAccount* account = nullptr;      // where values are booked; null: on one of its own
  ExchangePort* exchange = nullptr;      // the other devices; null: there are none
  // Runs the programs of an interpreter.run_parallel (StableHLO) on the operands; null: refused.
  std::function<absl::StatusOr<Value>(const Instruction& call, absl::Span<const Value> operands)> run_parallel;
  // Told of an assertion (check.expect_*) that does not hold; true: go on as if it did. Without it the run stops there.
  std::function<bool(const Instruction& instruction, const absl::Status& why)> on_failed_check;
};

struct ProfileEntry {
  int64_t count = 0;
  double seconds = 0;
  int64_t bytes = 0;  // of the values that its kernels took and made, each counted once a run
};

class Machine {
 public:
  // The module must be verified. Keeps references to both. Elided constants are filled when first read.
  Machine(const Module& module, Backend& backend, MachineOptions options);
  ~Machine();

  // (Re)starts at the entry's first instruction with these parameters (shapes Compatible with the entry's).
  // `donated`: numbers of parameters that the program may write over when nothing of it reads them any more, so that a scatter or an update
  // happens in place where the caller holds no other handle. What was given cannot be asked for afterwards: for runs whose past nobody looks at.
  absl::Status Start(std::vector<Value> parameters, absl::Span<const int> donated = {});
  // The same, with each parameter made when its value is first needed (read by a region, or asked for by ValueOf), at most once unless
  // dropped: the first stop in a program with 90 GB of parameters comes at once. A failure is the failure of whoever needed the value.
  using ParameterProvider = std::function<absl::StatusOr<Value>(int number)>;
  absl::Status Start(ParameterProvider provider);
  bool running() const;   // started and not finished
  bool finished() const;
  const Value& result() const;         // after kFinished; dense
  const Value& stored_result() const;  // the same in the layout that the program returns it in

  // -- Stops --
  // Armed positions, kept by the owner of breakpoints. Takes effect at once.
  void Arm(const Computation& computation, int position);
  void Disarm(const Computation& computation, int position);
  void DisarmAll();
  // Runs until a stop. The position where it starts is not a stop by itself, so `continue` from a breakpoint goes on.
  StopReason Run();
  // Executes the instruction at the top frame's position alone. `into`: calls, loop conditions and bodies, branches, fusions and the
  // computations of reduce / map / sort / scatter become frames whose first instruction is the next position; else they run whole
  // (armed positions inside still stop). A frame that ends returns to its caller within the same step.
  StopReason Step(bool into);
  // Runs until the frame at `depth` (0 = entry) has returned, or an armed stop. A loop's body goes on to the body's next iteration, or
  // back to its caller after the last one; a condition to the body; a kElement frame to the next call, or after the last one until its
  // instruction is computed.
  StopReason Finish(int depth);
  const Value& returned() const;  // what the frame that the last Finish waited for returned; empty: it has not
  // Runs until the frame at `depth` is at or beyond `position`, or has returned to its caller, or an armed stop. For `until`.
  StopReason RunTo(int depth, int position);
  std::atomic<bool>& interrupt() { return interrupt_; }

  // -- Time --
  // Where the program stands; empty before Start. A walk through element computations starts at the mark of its instruction.
  Mark Where() const;
  // False where a loop's frame on the stack has given its carried value away: its values before the position can be made again only by
  // running the loop from its beginning. A seek to Where() from before the frame mends that.
  bool settled() const;
  // Of the last exchange with other devices that this run made: where its instruction was next. What led there has been given away, and cannot
  // be changed any more. Empty: none was made.
  const Mark& exchanged() const;
  // Null while a frame inside an element computation is on the stack, and before Start. `everything`: with values that could be made again.
  std::shared_ptr<const MachineSnapshot> TakeSnapshot(bool everything = false) const;
  // Back (or forth) to a snapshot of this Machine since its last Start. Values of the present that the moment knows too stay held, unless
  // they may not be so any more (`recall`).
  void Restore(const MachineSnapshot& snapshot, bool recall = true);
  // What was logged so far, for another way that goes on from here; and on one of them again: with it goes a snapshot of that way.
  std::shared_ptr<const MachineLog> CopyLog() const;
  void SetLog(const MachineLog& log);
  // Other devices go on otherwise from a moment on: what was logged when `executed` instructions had been executed, or later, is not so any
  // more, nor what exchanges with these keys gave that were begun before. `exchanged`: of the last exchange that stays. The Machine must go to
  // that moment, or one before, by a snapshot then.
  void ForgetLogged(int64_t executed, absl::Span<const uint64_t> keys, Mark exchanged);
  // Takes values that the snapshot holds and that are before the present, so that they need not be made again.
  void Recall(const MachineSnapshot& snapshot);
  static const Mark& MarkOf(const MachineSnapshot& snapshot);
  // Calls `each` with the array values that the snapshot holds; `lent`: a parameter of the entry or a constant, held in any case.
  static void ForEachValue(const MachineSnapshot& snapshot, const std::function<void(const Value& value, bool lent)>& each);
  // Runs forward to `mark`, past armed positions and without telling the observer. kStep: there. kError with status(): the program
  // fails before, or the mark is not on its way. kWaiting: an exchange with other devices is before it that has not been made yet; none is
  // made by a seek, unless it is to `exchange`: then the others have not come to it.
  StopReason SeekForward(const Mark& mark, bool exchange = false);
  // Runs to the end, or to an error, as Run does, but past armed positions and without telling the observer: for a look that is taken back.
  StopReason RunUnseen();
  // What it remembers of its exchanges with other devices (and of what came from outside), so that they are not made again. Restored with a
  // Takes the frame at `depth` back to `position` (not beyond where it is); frames inside it are gone. Values before the position stay as
  // they are, or are made again when they are needed. FailedPrecondition where something was set in the frame since.
  absl::Status Rewind(int depth, int position);
  // How many iterations the while loop at `position` of frame `depth` ran when it was last passed (known while a checkpoint hook is set).
  std::optional<int64_t> TripCount(int depth, int position) const;
  // Whether the frame at `depth` holds what the instructions from its position on read; else running on makes it again, at whatever cost.
  bool HoldsWhatIsRead(int depth) const;
  // In the first call of a walk through element computations: how many calls there are, and how many of them have to be run to get to the
  // beginning of the last one.
  struct WalkLength {
    int64_t calls = 0, to_last = 0;
  };
  WalkLength LengthOfWalk() const;
  // Called between regions about every `seconds` of running, when a snapshot can be taken there.
  void set_checkpoint_hook(std::function<void()> hook, double seconds);

  // -- Where we are --
  const std::vector<Frame>& frames() const { return frames_; }
  const Frame& top() const { return frames_.back(); }
  const Instruction* next_instruction() const;  // null when finished
  const absl::Status& status() const { return status_; }  // of a kError stop
  int64_t executed() const { return executed_; }            // instructions executed since Start, members of fused regions counted

  // -- Values --
  // The value of an instruction of frame `depth` that lies before its position: held, or recomputed now. FailedPrecondition when it
  // has not been executed yet. Recomputed values are retained within the budget.
  absl::StatusOr<Value> ValueOf(int depth, int position);  // dense
  // The same as it lies in memory, in the layout of the instruction's shape.
  absl::StatusOr<Value> StoredValueOf(int depth, int position);
  // As ValueOf, also of instructions at or after the frame's position: computed for the asker alone, nothing is executed by it.
  absl::StatusOr<Value> ValueAhead(int depth, int position);
  // Replaces a value (`set`): later instructions see it, and the past stays as it was, also when it is made again. The position must be
  // before the frame's.
  // `leaf` and `places`: which of its elements are meant by that, as in SetByHand; the others are handed in as they were.
  // `known`: it was set in the run that values are adopted from, too, so those that have not been handed over yet are still good.
  absl::Status SetValue(int depth, int position, Value value, int leaf = -1, std::vector<int64_t> places = {}, bool known = false);

  // -- Going on in an edited program --
  // After Start: values of instructions of the entry computation that another run has computed already, from the same inputs. The first
  // time the program comes to one it is not executed, but handed over; later (after going back) it is executed as ever.
  struct Known {
    bool known = false;
    Value value;  // in the layout of the instruction's shape; empty: made again when something needs it
  };
  // One entry by schedule position. What had been set in that run is set again by the owner (SetValue).
  absl::Status Adopt(std::vector<Known> known);
  int64_t adopted() const;  // instructions that were handed over, so far
  // What has been adopted and not been handed over yet, by schedule position of the entry; empty: nothing was adopted.
  const std::vector<Known>& waiting() const;

  // Called after every region ran in program order, with its inputs' and result's values, dense (for --check and catches). While set, inputs
  // are not donated and stay valid. An error it returns is a kError stop.
  using RegionObserver = std::function<absl::Status(const Frame&, const Region&, const Kernel*, absl::Span<const Value> inputs, const Value& result)>;
  void set_region_observer(RegionObserver f) {
    region_observer_ = std::move(f);
    look_ahead_ = nullptr;
    observer_keeps_inputs_ = true;
  }
  // The same at less cost: inputs are handed on to kernels as ever, so that updates happen in place. Those that were handed on are empty
  // when the observer sees them, and all values lie in the layout of their instruction's shape.
  // `keep_operands`: only those are handed on that a region's root moves or updates as they are, so that the observer has what was computed from.
  void set_light_region_observer(RegionObserver f, bool keep_operands = false) {
    region_observer_ = std::move(f);
    look_ahead_ = nullptr;
    observer_keeps_inputs_ = false;
    observer_keeps_operands_ = keep_operands;
  }
  // For an observer that stops the program in the order in which it is written: fused regions run at their last member, other instructions
  // between their members before them. Members that `wants` accepts are run alone and told where they belong, too: before the program stops,
  // calls, loops, branches, exchanges or fails. The observer leaves out members before Frame::looked. Goes with the observer.
  void set_look_ahead(std::function<bool(const Instruction&)> wants) { look_ahead_ = std::move(wants); }
  // Only from inside a region observer: stop (kCaught) behind `position`, a member of the region that is not before Frame::looked.
  void StopAfter(int position);
  // Of the last kCaught: the moment behind the earliest instruction that a stop was asked for. The machine stands there or, where regions rooted
  // later have run already, beyond: then go there by a snapshot, or run on, and what was not told before is told next. `lost`: it is not, but
  // by going there.
  struct CaughtAt {
    Mark mark;
    bool lost = false;
  };
  const CaughtAt& caught_at() const { return caught_at_; }
  // Only from inside a region observer: `same` has the shape and the bits of the region's result and is held elsewhere anyway (by another
  // run of the same program), so this Machine goes on with it and gives its own memory back.
  void ShareResult(Value same);

  MemoryAccount& account() { return account_; }
  // By instruction (time of a fused region is booked on its root); filled when options.time_instructions.
  const absl::flat_hash_map<const Instruction*, ProfileEntry>& profile() const { return profile_; }
  // What the program has handed to its outfeeds since Start, in order.
  const std::vector<Value>& outfeed() const;
  // Things worth saying once ("custom call Sharding passes its operand through"); cleared by the taker.
  std::vector<std::string> TakeNotices();
  // Compiles ahead what Run would need in the entry computation and everything it calls (Backend::Prepare).
  void PrepareAll();

 private:
  struct Impl;
  friend struct Impl;
  friend class FrameHistory;  // core/exec/frame_history.h: makes values in frames that ended
  const Computation* entry() const { return options_.entry != nullptr ? options_.entry : module_.entry; }
  const Module& module_;
  Backend& backend_;
  MachineOptions options_;
  MemoryAccount own_account_;
  MemoryAccount& account_;
  std::vector<Frame> frames_;
  absl::Status status_;
  int64_t executed_ = 0;
  std::atomic<bool> interrupt_{false};
  RegionObserver region_observer_;
  std::function<bool(const Instruction&)> look_ahead_;
  CaughtAt caught_at_;
  bool observer_keeps_inputs_ = true;
  bool observer_keeps_operands_ = false;
  absl::flat_hash_map<const Instruction*, ProfileEntry> profile_;
  std::unique_ptr<Impl> impl_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_MACHINE_H_
