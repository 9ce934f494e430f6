// Devices of several processes. The first process has the room in which all devices meet (in_process.h), its own and those of the others, which
// bring their operands by message and get what they are given back by message. So what an exchange is, who waits for whom, and every bit of a
// result is the same as in one process. How a device ends is told to the first process too, which alone tells of the run.
// Not for the messages' way (process_link.h), nor for running the devices (replicas.h).
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_ACROSS_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_ACROSS_H_

#include <condition_variable>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "absl/container/flat_hash_map.h"
#include "backends/exchange/in_process.h"
#include "backends/exchange/process_link.h"

namespace hloscope {

// How a device's run ended.
struct DeviceEnd {
  bool ended = false;  // else it waits for ever
  absl::Status status;
  ErrorPlace at;  // of an error
  Value result;
  std::vector<Value> outfeed;
  int64_t executed = 0, peak_bytes = 0;
  std::vector<std::string> notices;
  std::string report;  // what who watches the device says of it
};

class WireReader;

class AcrossProcesses {
 public:
  // `program` is what all devices run, from its entry; `id` tells runs apart that do not fit: of other programs or with other numbers.
  AcrossProcesses(ProcessLink& link, int64_t replicas, int64_t partitions, const Module& program, uint64_t id, Backend& backend, MemoryAccount* account);
  ~AcrossProcesses();

  bool IsHere(int device) const { return ProcessOf(device) == link_.rank(); }
  int ProcessOf(int device) const { return hloscope::ProcessOf(device, device_count_, link_.count()); }
  // It tells of the run.
  bool first() const { return link_.rank() == 0; }
  ExchangePort& port(int device);
  InProcessExchange& room() { return room_; }
  // Before a run begins.
  void set_wake(std::function<void(int device)> wake) { wake_ = std::move(wake); }
  // How many instructions a device here has executed, asked for while it exchanges.
  void set_executed(std::function<int64_t(int device)> executed) { executed_ = std::move(executed); }

  // Of a run, in this order. A run begins when all processes have begun it.
  void Begin();
  void Ended(int device, DeviceEnd end);
  // No device here can go on. True: one was woken; false: the run is over.
  bool Wait();
  // Then, on the first process: by device; of one that waits for ever elsewhere what it has executed.
  std::vector<DeviceEnd>& ends() { return ends_; }
  bool finished() const { return finished_; }  // all devices came to their end, and nothing that was sent is left
  bool everyone() const { return everyone_; }  // no process has left: they may begin another run
  // And on every process: the first device that waits for ever, if there is one.
  const ExchangeRoom::Stuck& stuck() const { return stuck_; }

  // This process ends without having run: the others' devices wait for ever for those that would have been here.
  static void Leave(ProcessLink& link, const std::string& why);
  // What a message of Leave says.
  static std::string WhyItLeft(const std::string& message);

 private:
  class Port;
  enum class State : uint8_t { kRuns, kWaits, kEnded };
  struct Remote {
    State state = State::kRuns;
    // What it has brought.
    const Instruction* instruction = nullptr;
    std::vector<Value> operands;
    std::vector<LoopPlace> loops;
    uint64_t key = 0;
    ExchangePhase phase = ExchangePhase::kWhole;
    const Instruction* reader = nullptr;
    const Instruction* within = nullptr;
    int64_t executed = 0;
    // What collectives beside the program gave before they were asked for, by key.
    absl::flat_hash_map<uint64_t, absl::StatusOr<Value>> given;
  };
  void OnMessage(int from, const std::string& message, ProcessLink::Arrays arrays);
  void OnCall(WireReader& in);
  void OnEnd(WireReader& in);
  void LetGo(int process, const absl::Status& why);
  void Answer(int device);
  absl::StatusOr<std::optional<Value>> CallRoom(int device);  // as the device has asked last
  absl::StatusOr<std::optional<Value>> Exchange(int device, const ExchangeCall& call);

  ProcessLink& link_;
  const int device_count_;
  const Module& program_;
  const uint64_t id_;
  MemoryAccount* account_;
  InProcessExchange room_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::function<void(int)> wake_;
  std::function<int64_t(int)> executed_ = [](int) { return 0; };

  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  bool woken_ = false, over_ = false, finished_ = false;
  ExchangeRoom::Stuck stuck_;      // its device and why; the instruction on the first process alone
  bool left_ = false;              // the first process is gone: there is no further run
  bool everyone_ = true;
  int in_hand_ = 0;                // messages and answers that are being dealt with
  std::vector<Remote> remote_;     // by device; on the first process
  std::vector<DeviceEnd> ends_;    // by device; on the first process
  // On the others, by device: what came for it.
  std::vector<std::optional<absl::StatusOr<Value>>> given_;
  std::vector<bool> asked_;
  std::vector<double> making_, given_making_;  // ExchangePort::making
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_ACROSS_H_
