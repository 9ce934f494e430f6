// Devices of one process: what each brings is kept until all that it belongs to has come. Nobody blocks in here: a device that has to wait is told
// so, and woken through `wake`. Not for running the devices (replicas.h).
//
// Exchanges of one set of devices on one channel are numbered: the k-th that a device comes to is the k-th of every other member. At one number all
// must be at the same instruction; else one has executed an exchange that another has not, and that is said.
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_IN_PROCESS_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_IN_PROCESS_H_

#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <tuple>
#include <utility>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "absl/status/statusor.h"
#include "backends/exchange/reduction.h"
#include "core/exec/exchange.h"
#include "core/ops/exchange_def.h"

namespace hloscope {

// In which of so many processes a device is: each has devices that follow one another.
inline int ProcessOf(int device, int devices, int processes) { return static_cast<int>(static_cast<int64_t>(device) * processes / devices); }

class InProcessExchange : public ExchangeRoom {
 public:
  // `programs`: the entry of each device, replica by replica. Their modules must outlive this.
  InProcessExchange(int64_t replicas, int64_t partitions, std::vector<const Computation*> programs, Backend& backend, MemoryAccount* account);
  ~InProcessExchange() override;

  // Several devices that sent, or received, on a channel whose pairs nobody has named: told at the lowest of them, whoever of them came
  // first and went on. Nothing: there are none.
  struct TooMany {
    int device = -1;
    ErrorPlace at;
    absl::Status status;
  };
  std::optional<TooMany> TooManyAtOneEnd() const;

  // Seconds that making took what the device was given so far, by whose call ever.
  double MakingOf(int device) const { return making_[device].others + making_[device].own; }
  // The devices' kernels run in so many processes (ProcessOf), all of them told from here.
  void Spread(int processes) { processes_ = processes; }

  int device_count() const override { return static_cast<int>(programs_.size()); }
  ExchangePort& port(int device) override;
  std::string Name(int device) const override;
  void Reset() override;
  void Remember() override { remembers_ = true; }
  std::shared_ptr<const ExchangePast> Past(int device, uint64_t key) const override;
  std::shared_ptr<const ExchangePast> PastOfSendDone(int device, uint64_t key) const override;
  std::optional<Value> OnItsWay(int device, uint64_t key) const override;
  std::shared_ptr<const ExchangePast> PastAt(int device, const Mark& mark) const override;
  void ForEachPast(absl::FunctionRef<void(const ExchangePast&)> tell) const override;
  void set_wake(std::function<void(int device)> wake) override { wake_ = std::move(wake); }
  Stuck Explain(const std::vector<bool>& ended) const override;
  std::string WaitText(int device) const override;
  std::vector<int> WaitsFor(int device) const override;
  std::shared_ptr<const ExchangeState> Save() override;
  void Load(const ExchangeState& state) override;
  ExchangesAnew PlanAnew(int device, const Mark& from) const override;
  void GoAnew(const ExchangesAnew& plan, std::vector<std::vector<Value>> operands) override;
  absl::StatusOr<std::vector<ExchangeMeeting>> Meetings(const Instruction& instruction, int device, const Asked& asked) override;

 private:
  static constexpr size_t kNamed = 8;  // devices that a message names
  class Port;
  struct Arrival {
    const Instruction* instruction = nullptr;  // null: not here
    std::vector<Value> operands;
    std::vector<LoopPlace> loops;
    uint64_t key = 0;
    Mark mark;
  };
  struct Meeting {
    std::vector<Arrival> arrivals;  // by place in the line's devices
    int here = 0, taken = 0;
    bool done = false;
    absl::Status status;
    std::vector<Value> results;
    double seconds = 0;  // that it took to make them
    std::shared_ptr<const ExchangePast> past;  // when it is done, where that is remembered
  };
  // All exchanges of one set of devices on one channel.
  struct Line {
    std::vector<int> devices;  // ascending
    int64_t channel = 0;
    std::deque<std::unique_ptr<Meeting>> meetings;
    int64_t first = 0;          // number of meetings.front()
    std::vector<int64_t> next;  // by place: to how many the device has come
  };
  // What a collective's attributes come to in this run.
  struct Site {
    absl::Status status;
    std::vector<ExchangeGroup> groups;
    std::vector<Line*> lines;  // by group
    std::vector<int> group_of;  // by device; -1: none
  };
  using RouteKey = std::tuple<int64_t, int, int>;
  struct EndUse {
    int device = -1;
    ErrorPlace at;  // of the send or receive, when it came first
  };
  // One way of sends and receives.
  struct Route {
    int64_t channel = 0;
    int sender = -1, receiver = -1;  // -1: nobody has used this end yet
    bool open = false;               // the ends are whoever comes first
    RouteKey Key() const { return open ? RouteKey(channel, -1, -1) : RouteKey(channel, sender, receiver); }
    std::vector<EndUse> uses[2];     // of an open one, all that came to be its receiver, its sender; the lowest device first
    struct Sent {
      Value message;
      ExchangePast::Member member;  // its moment where that is remembered
      uint64_t key = 0;
      std::vector<LoopPlace> loops;
    };
    std::map<int64_t, Sent> on_its_way;  // by number: the k-th that is sent goes to the k-th receive, in whatever order these are completed
    int64_t sent = 0, posted = 0, sends_done = 0, receives_done = 0;
    // What the send-done, or receive-done, of that number waits for has come: of a send its receive has begun, also where a device sends to itself.
    bool MayEnd(ExchangeRole role, int64_t request) const { return role == ExchangeRole::kSendDone ? posted > request : on_its_way.contains(request); }
  };
  struct Waiting {
    const Instruction* instruction = nullptr;  // null: does not wait
    const Instruction* at = nullptr;           // where it stands: the instruction, or who reads what that began
    std::vector<LoopPlace> loops;
    Line* line = nullptr;        // of a collective
    Meeting* meeting = nullptr;
    Route* route = nullptr;      // of a transfer
    const Instruction* within = nullptr;  // ExchangeCall::within
    int64_t request = 0;                  // of a transfer, its number on the route
    // It has brought something where it stands, and not before, to what it has begun.
    bool Brings() const { return at == instruction; }
  };
  // A collective that runs beside a device's program.
  struct Begun {
    Line* line = nullptr;
    Meeting* meeting = nullptr;
  };
  // Something that a device has exchanged.
  struct Event {
    const Instruction* instruction = nullptr;
    uint64_t key = 0;
    Mark mark;
    Line* line = nullptr;  // of a collective; null: of a transfer
    RouteKey route;
    int64_t number = 0;          // of the meeting; of a transfer how many were begun on the route before the one that it is, or completes
    std::optional<Mark> taken;   // where it got the result
    ExchangeRole role = ExchangeRole::kCollective;
    std::vector<LoopPlace> loops;
  };
  class Contents;

  absl::StatusOr<std::optional<Value>> Exchange(int device, const ExchangeCall& call);
  absl::StatusOr<std::optional<Value>> Collective(int device, const ExchangeCall& call);
  absl::StatusOr<std::optional<Value>> Transfer(int device, const ExchangeCall& call);
  absl::StatusOr<Route*> RouteOf(int device, const ExchangeCall& call, bool* no_part);
  ExchangeMeeting MeetingOf(const Line& line, const ExchangeGroup& group, const Instruction& instruction, int device, const Asked& asked);
  void FindMeeting(const Line& line, const Instruction& instruction, int device, const Asked& asked, ExchangeMeeting& seen);
  // What the other device has executed may be the same exchange as the instruction on `device`.
  bool MayMeet(const Line& line, const Instruction& instruction, int device, const Instruction& others, int other) const;
  std::string TooManyText(const Route& route, bool sends) const;
  absl::Status CheckPartner(int device, const Instruction& instruction, int64_t channel, bool sends);
  const Site& SiteOf(const Instruction& instruction);
  void Keep(const Line& line, const ExchangeGroup& group, Meeting& meeting);
  void Complete(const Line& line, const ExchangeGroup& group, Meeting& meeting);
  // By member, of what the members brought; the operands stay with who called.
  absl::StatusOr<std::vector<Value>> ResultsOf(const ExchangeGroup& group, const Instruction& instruction,
                                               absl::Span<const std::vector<Value>> brought);
  std::string Disagreement(const Line& line, const ExchangeGroup& group, const Meeting& meeting) const;
  absl::StatusOr<std::optional<Value>> Take(int device, Line& line, Meeting& meeting, bool made_it = false);
  absl::StatusOr<std::optional<Value>> Finish(int device, const ExchangeCall& call, bool made_it = false);
  void Taken(int device, const ExchangeCall& call);
  std::unique_ptr<Contents> TakeOut();
  void PutIn(Contents contents);
  void ReopenLine(Line& line, const ExchangesAnew& plan, const std::map<std::pair<int, uint64_t>, std::vector<Value>>& brought);
  void RestoreRoute(const RouteKey& key, Route& route, const ExchangesAnew& plan, const std::map<std::pair<int, uint64_t>, std::vector<Value>>& brought);
  std::optional<Value> Look(int device, uint64_t key) const;
  int IndexOf(const Device& device) const { return static_cast<int>(device.replica * partitions_ + device.partition); }
  // "%r in body (all-reduce, channel 1, iteration 2 of %loop)".
  std::string Place(const Instruction& instruction, const std::vector<LoopPlace>& loops, int64_t channel = 0) const;
  std::string WaitPlace(const Waiting& waiting) const;
  // It has been told to wait, and what it waits for has not come since.
  bool Waits(int device) const;
  std::string WaitsForText(int device, const std::vector<bool>* ended) const;
  // What the other end of a transfer has sent, or is ready to receive, on that channel, but not on that route, as the pairs of the two differ;
  // "" where it has not.
  struct OtherWay {
    const Instruction* instruction = nullptr;  // null: nothing
    int device = -1, end = -1;                 // who, and with whom
  };
  OtherWay OtherWayOf(const Route& route, bool sends) const;
  std::string OtherWayText(const Route& route, bool sends) const;
  std::string PairsDiffer(const Waiting& waiting) const;
  std::string StandingText(int other, const Waiting& for_it, const std::vector<bool>* ended) const;
  std::string WithinText(int device) const;
  Stuck Lost() const;
  int64_t MadeBy(const Instruction& instruction, int device) const;
  std::string OtherOnChannel(const Line& line, const Instruction& instruction, int device) const;

  const int64_t replicas_, partitions_;
  const std::vector<const Computation*> programs_;
  int processes_ = 1;
  MemoryAccount* account_;
  Reductions reductions_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::function<void(int)> wake_;
  // By program: the computations and the sends and receives that it can reach.
  std::map<const Computation*, std::vector<const Computation*>> reachable_;
  std::map<const Computation*, std::vector<const Instruction*>> transfers_;

  mutable std::mutex mutex_;  // guards the rest
  absl::flat_hash_map<const Instruction*, std::unique_ptr<Site>> sites_;
  std::map<std::pair<int64_t, std::vector<int>>, std::unique_ptr<Line>> lines_;
  std::map<RouteKey, std::unique_ptr<Route>> routes_;
  std::vector<Waiting> waiting_;  // by device
  // By device, of what it was given: the seconds that making took, by other devices' calls, by its own.
  struct Making {
    double others = 0, own = 0;
  };
  std::vector<Making> making_;
  std::vector<absl::flat_hash_map<uint64_t, Begun>> begun_;  // by device and key
  std::vector<absl::flat_hash_map<int64_t, const Instruction*>> on_channel_;  // by device and channel: the collective that it executed last
  bool remembers_ = false;
  std::vector<absl::flat_hash_map<uint64_t, std::shared_ptr<const ExchangePast>>> past_;  // by device and key
  std::vector<std::vector<Event>> events_;  // by device, in order of its time; where that is remembered
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_IN_PROCESS_H_
