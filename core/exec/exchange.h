// The seam between a Machine and the other devices of a run: the Machine says what it brings to an exchange and gets what that makes, or is told
// to wait. Who the others are, and where they run, is the exchange's business (backends/exchange). Not for what the operations mean (core/ops).
#ifndef HLOSCOPE_CORE_EXEC_EXCHANGE_H_
#define HLOSCOPE_CORE_EXEC_EXCHANGE_H_

#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "absl/functional/function_ref.h"
#include "absl/status/statusor.h"
#include "absl/types/span.h"
#include "core/exec/error_place.h"
#include "core/exec/machine.h"
#include "core/ir/module.h"
#include "core/literal/value.h"
#include "core/ops/device_groups.h"

namespace hloscope {

// Of a collective that runs beside the program, two calls with one key are made: it is begun with what the device brings, and finished where
// its value is read.
enum class ExchangePhase : uint8_t { kWhole, kBegin, kFinish };

// What a device brings when it executes an instruction with an ExchangeRole.
struct ExchangeCall {
  const Instruction& instruction;
  absl::Span<const Value> operands;  // dense; none to finish
  std::vector<LoopPlace> loops;      // around it, the outermost first
  uint64_t key = 0;                  // of this execution of it in its run (FrameHistory::ExchangeKey)
  Mark mark;                         // where its device stands
  ExchangePhase phase = ExchangePhase::kWhole;
  const Instruction* reader = nullptr;  // kFinish: where the device stands
  const Instruction* within = nullptr;  // kWhole: the asynchronous start whose computation goes on to its end before the program does
};

// One device's end of the exchange. Used by one Machine, on one thread at a time.
class ExchangePort {
 public:
  virtual ~ExchangePort() = default;
  virtual Device device() const = 0;
  // Where several processes run the devices together: in which one this device's kernels run.
  virtual int process() const { return 0; }
  // Seconds, of all calls of Exchange so far, in which other devices ran.
  virtual double elsewhere() const { return 0; }
  // Seconds, of all calls so far, that making took what they gave, where other devices' calls made it.
  virtual double making() const { return 0; }
  // What the instruction gives, dense. Nothing: the others have not come yet; the same call is to be made again when they have, or after kBegin
  // that with kFinish, whenever that is. kBegin may be told again what it was told, and gives nothing then either, or what kFinish would.
  // InvalidArgument or FailedPrecondition: the exchange cannot be, with who disagrees about what.
  virtual absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) = 0;
  // What the device will get of a collective that it has begun, where that is made already, for who looks at it; nothing is finished by
  // that.
  virtual std::optional<Value> Look(uint64_t key) const { return std::nullopt; }
};

// An exchange that was made, for who asks later where a value came from.
struct ExchangePast {
  struct Member {
    int device = -1;
    const Instruction* instruction = nullptr;  // that it executed
    Mark mark;                                 // when
  };
  std::vector<Member> members;             // in the order of the group; of a transfer the sender and the receiver
  std::vector<std::pair<int, int>> sends;  // of source_target_pairs: from which member to which
  bool transfer = false;
  bool outsider = false;  // of a collective that the one member is in no group of
};

// The next exchange that some devices have with one another, of those that an instruction may make; of a transfer its channel.
struct ExchangeMeeting {
  struct Member {
    int device = -1;                       // -1: of a transfer whose other end nobody has used yet
    bool here = false;                     // it has brought what it brings
    const Instruction* instruction = nullptr;  // where it is here
    std::vector<Value> operands;           // of collectives
    std::vector<LoopPlace> loops;
    int64_t come = 0;                      // to how many of these exchanges it has come
    Mark mark;                             // when it came, where that is remembered; else no levels
  };
  std::vector<Member> members;             // in the order of the group; of a transfer the sender and the receiver
  std::vector<std::pair<int, int>> sends;  // as ExchangePast::sends
  int64_t number = 0;                      // how many were before it; of a transfer how many were received
  int64_t made = 0;                        // of those that were made, by the instruction itself, where that is remembered
  bool complete = false;                   // all have come, and somebody has not gone on yet
  bool later = false;                      // nobody has come to it, and what comes before it is not known
  bool transfer = false;
  std::vector<Value> messages;             // of a transfer: on their way
  std::shared_ptr<const ExchangePast> past;  // of a complete one, where that is remembered
};

// All that was brought to a room and what has come of it, for who goes on from there in several ways. Opaque outside the room.
class ExchangeState {
 public:
  virtual ~ExchangeState() = default;
};

// One device goes back and goes on otherwise: how far that reaches to the others, which have got what followed from what it gave.
struct ExchangesAnew {
  struct Back {
    std::optional<Mark> to;           // what it has exchanged from there on is to be exchanged anew; none: nothing
    std::vector<uint64_t> forgotten;  // of exchanges that it has begun before that, and whose result is another now
    Mark last;                        // of its last exchange that stays; empty: none
    int because = -1;                 // the device from which it got what is not so any more; -1: it is the one that goes back
  };
  std::vector<Back> devices;
  bool undoes = false;  // something that was exchanged, or brought, is not so any more
  // What was brought before, stays, and has been given on: it is brought once more, to be given on again.
  struct Brought {
    int device = -1;
    Mark mark;
    const Instruction* instruction = nullptr;
    uint64_t key = 0;
  };
  std::vector<Brought> brought;
};

// All devices of a run, for who looks at them from one place. Devices are numbered replica by replica.
class ExchangeRoom {
 public:
  virtual ~ExchangeRoom() = default;
  virtual int device_count() const = 0;
  virtual ExchangePort& port(int device) = 0;
  // "replica 1", "replica 1, partition 0".
  virtual std::string Name(int device) const = 0;
  // As if nothing had been brought yet.
  virtual void Reset() = 0;
  // What is exchanged from now on can be asked for by Past.
  virtual void Remember() = 0;
  // The exchange in which the device executed what has that key; null: that is not known.
  virtual std::shared_ptr<const ExchangePast> Past(int device, uint64_t key) const = 0;
  // The same of the send that a send-done with that key has completed, where what began it is not known from the program.
  virtual std::shared_ptr<const ExchangePast> PastOfSendDone(int device, uint64_t key) const = 0;
  // What the device has sent by the send with that key, while nobody has received it.
  virtual std::optional<Value> OnItsWay(int device, uint64_t key) const = 0;
  // The same as Past of what it executed at that moment.
  virtual std::shared_ptr<const ExchangePast> PastAt(int device, const Mark& mark) const = 0;
  // All exchanges that are known, each once.
  virtual void ForEachPast(absl::FunctionRef<void(const ExchangePast&)> tell) const = 0;
  // Called, from any thread, with a device that was told to wait and can go on.
  virtual void set_wake(std::function<void(int device)> wake) = 0;

  // Why nobody goes on, when every device waits or has ended (`ended`; for ever, with an error or without): the first one that waits, where,
  // and for whom.
  struct Stuck {
    int device = -1;  // -1: nobody waits
    const Instruction* instruction = nullptr;
    std::string why;
  };
  virtual Stuck Explain(const std::vector<bool>& ended) const = 0;
  // For a device that waits: "at %r (all-reduce, iteration 2 of %loop) for replica 1". "": it does not.
  virtual std::string WaitText(int device) const = 0;

  // For which devices it waits, as far as that is known; none: it does not wait, or for any.
  virtual std::vector<int> WaitsFor(int device) const = 0;

  // A copy of what has been exchanged so far, and back to such a one of this room.
  virtual std::shared_ptr<const ExchangeState> Save() = 0;
  virtual void Load(const ExchangeState& state) = 0;
  // In a room that remembers: what is to be exchanged anew where the device goes on otherwise from that moment. And as if it had not been
  // exchanged; `operands`: what was brought, dense, one entry for each of plan.brought.
  virtual ExchangesAnew PlanAnew(int device, const Mark& from) const = 0;
  virtual void GoAnew(const ExchangesAnew& plan, std::vector<std::vector<Value>> operands) = 0;
  // The groups of a collective, or the channel of a transfer as `device` uses it. InvalidArgument: the groups do not fit this run.
  // The execution with that key is meant, where one is given; else the first of the instruction that somebody has come to. `before`: the
  // collectives that the device comes to before it, where that is known.
  struct Asked {
    uint64_t key = 0;
    std::optional<std::vector<const Instruction*>> before = std::nullopt;
  };
  virtual absl::StatusOr<std::vector<ExchangeMeeting>> Meetings(const Instruction& instruction, int device, const Asked& asked) = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_EXEC_EXCHANGE_H_
