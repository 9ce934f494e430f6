// The Machine's private parts, shared by its files: machine.cc (commands), machine_run.cc and machine_compute.cc (regions),
// machine_frames.cc (frames and control flow), machine_exchange.cc (other devices), machine_values.cc (values of the past), element_walk.cc
// (frames inside reducers).
#ifndef HLOSCOPE_CORE_EXEC_MACHINE_IMPL_H_
#define HLOSCOPE_CORE_EXEC_MACHINE_IMPL_H_

#include <algorithm>
#include <chrono>
#include <climits>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/container/flat_hash_set.h"
#include "absl/container/inlined_vector.h"
#include "core/base/hash.h"
#include "core/exec/dynamic.h"
#include "core/exec/machine.h"
#include "core/ops/op.h"

namespace hloscope {

// How the Machine runs one instruction or region; worked out once.
enum class StepKind : uint8_t {
  kKernel,        // the backend's kernel
  kParameter,     // filled when the frame was made
  kConstant,      // a handle
  kTupleElement,  // a handle out of a tuple
  kEvaluate,      // OpDef::evaluate
  kControl,       // frames
  kCustomCall,
  kInfeed,
  kOutfeed,
  kSend,
  kReceive,
  kExchange,      // the other devices are asked (machine_exchange.cc)
  kDevice,        // the number of this replica or partition
  kNotExecuted,   // an error that says why
};

struct StepInfo {
  StepKind kind = StepKind::kKernel;
  ControlKind control = ControlKind::kNone;
  bool sticky = false;    // its value cannot be made again: kept while its frame lives
  bool elements = false;  // has scalar computations that `step` can enter
  bool beside = false;    // RunsBeside
  bool hands_on = false;  // HandsOnBegun
  int64_t on_channel = 0;  // kSend, kReceive: its number among those of its channel
  bool taken = false;      // kSend: something in its computation receives on its channel
  const Instruction* stuck = nullptr;  // kSend: what completes it, which waits for ever (CompletedBeforeReceive)
};

// What is known about a computation once something in it runs.
struct Code {
  const Computation* computation = nullptr;
  std::unique_ptr<Plan> plan;
  std::vector<std::shared_ptr<const Kernel>> kernels;  // by region; null: not asked for yet
  std::vector<std::shared_ptr<const Kernel>> singles;  // by position; of instructions that ran alone
  std::vector<StepInfo> steps;                         // by position
  std::vector<int> next_region;                        // by position, and one more: the first region rooted there or later
  std::vector<int> last_root;                          // by position: the last region that has it as an interior member; -1: none
  // Tuples that are only ever taken apart: element handles go to the get-tuple-elements at once, so that the tuple holds none of them.
  struct Part {
    int position;
    int64_t element;
    bool last;  // no later part takes this element
  };
  absl::flat_hash_map<int, std::vector<Part>> parts;
  absl::flat_hash_map<std::string, ConcreteInstruction*> concrete;  // of dynamic sizes: by position and the operands' shapes
  std::vector<std::vector<Value>> spare_values;  // of frames that ended, all empty
  std::vector<std::vector<int>> spare_pending;
  bool long_running = false;  // a loop's body that takes its time: frames are pinned while checkpoints are wanted
  bool is_parameter(int position) const { return computation->schedule[position]->parameter_number >= 0; }
};

// A stack of frames being run: the Machine's own, or a nested one that makes a value of the past again (no stops, nothing recorded).
struct Stack {
  std::vector<Frame>& frames;
  bool main = false;
  Value result;     // when the bottom frame has returned
  bool done = false;
};

inline bool IsReplaced(const Frame& frame, int position) {
  return !frame.replaced.empty() && std::find(frame.replaced.begin(), frame.replaced.end(), position) != frame.replaced.end();
}

inline bool IsBegun(const Frame& frame, int position) {
  return std::any_of(frame.begun.begin(), frame.begun.end(), [&](const Frame::Begun& begun) { return begun.position == position; });
}

// What ends a run besides armed positions.
struct Until {
  int depth_gone = -1;        // stop as soon as frames.size() <= depth_gone
  uint64_t serial = 0;        // with `position`: the frame in which to stop
  int position = INT_MAX;
  uint64_t ended = 0;         // with `depth_gone`: stop also when this frame has ended and another one is in its place
  // Stop when the frame at `goal_depth` begins and is of this kind and iteration; -1: no such goal.
  int goal_depth = -1;
  FrameKind goal_kind = FrameKind::kEntry;
  int64_t goal_iteration = 0;
};

// The frames that stood on the stack, the entry's first.
absl::Span<const Frame> FramesOf(const MachineSnapshot& snapshot);

enum class Outcome : uint8_t { kDone, kPushed, kFailed, kCaught, kWaiting };

// A way that a run has taken from when something was set.
struct RunHistory {
  uint64_t number = 0;
  int64_t from = -1;  // instructions executed by then
};

// What custom calls of loaded libraries returned and what was received, by dynamic position: run again, they give the same.
struct LoggedValue {
  int64_t executed;
  Value value;
  absl::Status failure;  // of an exchange that could not be
};
class MachineLog {
 public:
  absl::flat_hash_map<uint64_t, LoggedValue> logged;
  Mark exchanged;                                      // see Machine::exchanged()
  absl::flat_hash_map<uint64_t, int64_t> trip_counts;  // of loops that ended, by dynamic position
  bool values_set = false;  // SetValue was called since Start: counts may be those of another branch of history
};

class MachineSnapshot {
 public:
  Mark mark;
  std::vector<Frame> frames;
  int64_t executed = 0;
  bool finished = false;
  Value result, dense_result;
  absl::flat_hash_map<uint64_t, Value> channels;
  std::vector<Value> outfeed;
  std::vector<int64_t> outfeed_executed;
  absl::flat_hash_map<uint64_t, size_t> outfeed_log;
  std::vector<RunHistory> histories;
  std::vector<int64_t> frames_begun;  // by computation id
  absl::Status status;                // of an error stop there
};

struct Machine::Impl {
  explicit Impl(Machine& m) : m(m) {}
  Machine& m;
  std::vector<std::unique_ptr<Code>> codes;  // by computation id
  std::vector<std::vector<int>> armed;       // by computation id: positions, ascending
  std::vector<bool> armed_within;            // itself or something it calls has an armed position
  bool armed_changed = true;
  std::vector<Value> parameters;
  std::vector<int> donated;  // numbers of parameters that the first frame gives to their last reader
  // The frame keeps a parameter for those who look at the past.
  bool KeepsParameter(const Frame& frame, const Code& code, int position) const;
  ParameterProvider provider;
  bool started = false, finished = false;
  bool dynamic = false;  // some sizes are known only at run time: no fusion, and shapes are looked at before each instruction
  // What ran last, when it ran with sizes of its own; for the observer.
  const ConcreteInstruction* ran = nullptr;
  std::vector<Value> ran_on;
  int pin_depth = -1;          // frames pushed at this index or below are pinned: somebody steps there
  Value result, dense_result;
  absl::Status SetResult(Value value);  // in the layout of entry_computation_layout, where one is written
  std::optional<Shape> written_result;
  uint64_t next_serial = 1;
  std::vector<int64_t> frames_begun;  // by computation id; of the main stack, element computations left out
  uint64_t finishing = 0;      // the frame whose result is wanted in `returned`
  Value returned;
  uint64_t exempt_serial = 0;  // the armed position that a run starts at is no stop
  int exempt_position = -1;
  uint64_t beyond_serial = 0;  // but a position beyond a catch's moment, where the machine happens to stand
  int beyond_position = -1;
  uint64_t walked_serial = 0;  // here the element computations were walked through: the next step computes the instruction
  int walked_position = -1;
  bool WalkIsOver() const {
    return !m.frames_.empty() && walked_serial == m.frames_.back().serial && walked_position == m.frames_.back().position;
  }
  std::vector<std::string> notices;
  absl::flat_hash_set<std::string> said;
  struct Retained {
    uint64_t serial;
    int depth, position;
    int64_t bytes;
  };
  absl::flat_hash_map<const Instruction*, Value> laid_constants;  // those whose layout is not dense
  std::deque<Retained> retained;  // oldest first; entries of frames that ended are stale
  int64_t retained_bytes = 0;
  absl::flat_hash_map<uint64_t, size_t> infeed_log;  // by dynamic position: which item
  size_t infeed_next = 0;
  absl::flat_hash_map<uint64_t, size_t> outfeed_log;  // by dynamic position: which item
  std::vector<Value> outfeed;
  absl::flat_hash_map<uint64_t, Value> channels;  // by frame and channel: what is on its way
  using Logged = LoggedValue;
  MachineLog log;
  // Runs that differ by what was set share the log: what each logged is found under its number, and before it began under those it comes from.
  std::vector<RunHistory> histories = {RunHistory()};
  uint64_t next_history = 1;
  const Logged* FindLogged(uint64_t key) const;
  const Value* Replayed(uint64_t key) const;
  void Log(uint64_t key, Value value, absl::Status failure = absl::OkStatus());
  std::vector<int64_t> outfeed_executed;  // of each item: how many instructions had been executed
  int stop_after = -1;      // asked for by the observer
  Value shared_result;      // given by the observer
  // The result, or what the observer gave for it.
  Value TakeShared(Value result) {
    Value shared = std::move(shared_result);
    shared_result = Value();
    return shared.has_value() && shared.shape() == result.shape() ? shared : result;
  }
  bool replaying = false;   // on the way to a moment of the past: armed positions, observer and profile do not count
  bool unseen = false;      // and so beyond it, where exchanges are made
  bool MayExchange() const { return !replaying || unseen; }
  const Until* goal = nullptr;  // the frame that a seek goes to is pinned
  std::function<void()> checkpoint;
  double checkpoint_seconds = 0;
  int checkpoint_countdown = 0;
  std::chrono::steady_clock::time_point next_checkpoint;

  // machine_adopt.cc
  std::vector<Known> known;  // of the entry; empty: nothing is
  int64_t adopted = 0;
  absl::StatusOr<bool> TakeKnown(Frame& frame, const Region& region);
  // The frame of another run as one of this; `around`: the one around it, null for the entry. False: it cannot be.
  bool FrameOf(const Frame& other, const Computation& computation, const Frame* around, bool innermost, Frame* made);
  bool CanGoOn(const Frame& frame, bool innermost);

  // machine_time.cc
  Outcome MaybeCheckpoint(Stack& stack);
  bool CheckpointDue();
  bool CanSnapshot() const;
  void RewindLogs();    // what went out after the present has not gone out yet
  void ForgetFuture(bool keeps_known);  // something was set: what is logged beyond the present no longer happens
  // Values before the position of frames that `frames` (of another moment of the same run) holds.
  void Recall(const std::vector<Frame>& from);
  void HoldAgain(Frame& frame, int position, const Value& value);
  StopReason SeekStep(const Mark& mark, const Mark& now);

  // machine.cc
  absl::StatusOr<Code*> Get(const Computation& computation);
  void UpdateArmedWithin();
  void Say(std::string notice);
  absl::Status Begin();
  StopReason Advance(const Until& until);
  StopReason StepOnce(bool into);
  // Of the frames on top that are at their end, up to one that is to be looked at there; `leave`: the first one has been.
  StopReason ReturnEnded(Stack& stack, bool leave = false);
  Outcome StepInterior(Stack& stack, int position);

  // machine_run.cc
  StopReason RunLoop(Stack& stack, const Until& until);
  int NextStop(const Frame& frame, const Until& until, bool* is_armed) const;
  // The top frame's end is armed: what its last instruction made is to be looked at before it returns.
  bool StopsAtEnd(const Stack& stack) const;
  uint64_t end_wanted = 0;  // the frame whose end is the moment that a seek goes to
  void MoveTo(Stack& stack, Frame& frame, int position);
  Outcome RunRegion(Stack& stack, int region);
  Outcome RunMembers(Stack& stack, int region);
  Outcome LookBefore(Stack& stack, int until);
  bool IsQuietCall(const Instruction& instruction);
  // Whether the member at `position` waits for a region that runs at `until` or later, and the observer wants it.
  bool IsAhead(const Stack& stack, int position, int until) const;
  // What a region makes has been told, with a wish to stop: kCaught.
  Outcome CatchIn(Stack& stack, const Region& region, absl::Span<const Value> seen, Value result);
  Outcome Caught(Stack& stack, int behind, int reached, bool lost);
  // The value of a region that needs no frames, in the layout of its root. `single`: with the kernel of its root alone.
  absl::StatusOr<Value> Execute(Stack& stack, int depth, const Region& region, int region_index, std::vector<Value> inputs, const Kernel** used);
  absl::StatusOr<Value> Compute(Stack& stack, int depth, const Region& region, int region_index, std::vector<Value> inputs, const Kernel** used);
  // machine_exchange.cc
  Outcome RunExchange(Stack& stack, int region);
  absl::StatusOr<Value> ExchangedBefore(const Frame& frame, const Instruction& instruction);
  // Of a frame of the main stack: what is begun and one of `inputs` has come, or the device waits at `position`. Who hands it on does not wait.
  Outcome AwaitBegun(Stack& stack, absl::Span<const int> inputs, int position);
  Outcome FinishHandedOn(Stack& stack, int handed, int position);
  void NoteExchanged(const Mark& at);
  Outcome FinishBegun(Stack& stack, size_t which, int position);
  bool BeginsBeside(const Stack& stack, const Instruction& instruction) const;
  void LeaveBegun(Stack& stack);  // the top frame, an asynchronous start's, ends with what is begun
  void LogExchange(uint64_t key, const Value& value, absl::Status failure, Mark at, const Frame::Begun* begun = nullptr);
  void BookExchange(const Frame& frame, const Instruction& collective, double seconds, int64_t bytes);
  uint64_t waits_for = 0;  // key of the exchange that this device has come to and that is not made yet; 0: of none
  absl::Status ObserveExchange(const Frame& frame, const Region& region, absl::Span<const Value> seen, const Value& result);

  // machine_dynamic.cc
  static bool SizesDiffer(const Instruction& instruction, absl::Span<const Value> operands);
  absl::StatusOr<Value> ExecuteDynamic(Frame& frame, Code& code, const Instruction& instruction, std::vector<Value> operands);
  absl::StatusOr<ConcreteInstruction*> Concrete(Code& code, const Instruction& instruction, absl::Span<const Value> operands);
  // The same, with the operands dense and cut to what it takes.
  absl::StatusOr<const ConcreteInstruction*> WithActualSizes(Code& code, const Instruction& instruction, std::vector<Value>& operands);
  absl::Status ObserveDynamic(const Frame& frame, int position, const Value& result);

  absl::StatusOr<Value> RunKernel(const Kernel& kernel, const Frame& frame, const Instruction& root, std::vector<Value> inputs);
  absl::StatusOr<Value> Evaluate(const Frame& frame, const Instruction& instruction, absl::Span<const Value> operands);
  absl::StatusOr<Value> CustomCall(const Frame& frame, const Instruction& instruction, absl::Span<const Value> operands);
  absl::StatusOr<Value> Send(const Frame& frame, const Instruction& instruction, const StepInfo& step, absl::Span<const Value> operands);
  absl::StatusOr<Value> Receive(const Frame& frame, const Instruction& instruction, const StepInfo& step, absl::Span<const Value> operands);
  absl::StatusOr<Value> Infeed(const Frame& frame, const Instruction& instruction);
  absl::StatusOr<const Kernel*> RegionKernel(Code& code, int region);
  absl::StatusOr<const Kernel*> SingleKernel(Code& code, int position);
  absl::Status FillConstants(const Computation& computation, const Region& region);
  absl::StatusOr<std::vector<Value>> GatherInputs(Stack& stack, int depth, const Region& region);
  absl::StatusOr<std::vector<Value>> GatherOperands(Stack& stack, int depth, const Instruction& instruction, bool donate);

  // machine_frames.cc
  absl::Status PushControl(Stack& stack, uint64_t path, const Instruction& instruction, std::vector<Value> operands);
  absl::Status PushFrame(Stack& stack, FrameKind kind, const Instruction* caller, uint64_t caller_path, const Computation& computation,
                         std::vector<Value> arguments, int64_t iteration, int branch, bool changed = false);
  void PopFrame(Stack& stack);
  absl::Status Return(Stack& stack);
  // What a call that has an evaluate beside gives, of the result of what it called.
  absl::StatusOr<Value> AroundResult(const Instruction& caller, const Value& operands, Value result);
  absl::Status Complete(Stack& stack, Value result, bool changed = false);  // the top frame's instruction at its position has this result
  void Consume(Frame& frame, const Region& region);
  // In the layout that is written there. ResourceExhausted: there is no memory for it in that one.
  absl::Status Store(Frame& frame, int position, Value value);
  void Release(Frame& frame, int position);
  bool CanDonate(const Stack& stack, const Frame& frame, const Code& code, int position) const;
  absl::Status CheckMemory(const Frame& frame, const Instruction& root, absl::Span<const Value> inputs);
  // ResourceExhausted: so many bytes beyond what is live do not fit into the limit, and nothing more can be let go.
  absl::Status MakeRoom(int64_t wanted, const Instruction& root);
  absl::Status MemoryError(int64_t wanted, const Instruction& root);
  StopReason Fail(Stack& stack, absl::Status status);
  absl::Status nested_status;

  // machine_values.cc
  void Retain(Frame& frame, int position, int64_t bytes);
  void EvictTo(int64_t budget);
  // The value of `position` (held) as an instruction at `reader` sees it.
  const Value& SeenBy(const Frame& frame, int position, int reader) const;
  absl::StatusOr<Value> Materialize(Stack& stack, int depth, int position);
  absl::StatusOr<Value> RunControlNested(uint64_t path, const Instruction& instruction, std::vector<Value> operands);
  absl::StatusOr<Value> CallNested(FrameKind kind, const Instruction* caller, uint64_t caller_path, const Computation& computation,
                                   std::vector<Value> arguments, int64_t iteration, int branch);
  absl::StatusOr<Value> ParameterOf(Stack& stack, int depth, int number);
  absl::StatusOr<Value> EntryParameter(int number);
  absl::Span<const int> NeedsOf(const Frame& frame, int position, absl::InlinedVector<int, 4>& scratch, bool* whole_region);

  // element_walk.cc
  // `of_run`: the instruction, with the sizes of this run.
  absl::StatusOr<bool> PushElements(Stack& stack, const Instruction& instruction, const Instruction& of_run, std::vector<Value> operands);
  absl::StatusOr<bool> NextElement(Stack& stack, Value result);  // the top frame returned this; false: the walk is over
  // Forward to a call not beyond that number, over calls that nothing in it follows from.
  absl::Status SkipElements(Stack& stack, int64_t number);

  void NoteEntered(Frame& frame, int position) {
    if (frame.entered.empty() || frame.entered.back().position < position) frame.entered.push_back({position, m.executed_});
  }
  Code& CodeOf(const Frame& frame) { return *codes[frame.computation->id]; }
  uint64_t PathOf(uint64_t caller_path, const Instruction* caller, FrameKind kind, int64_t iteration, int branch) const;
  uint64_t StreamSeed(const Frame& frame, const Instruction& instruction) const;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_MACHINE_IMPL_H_
