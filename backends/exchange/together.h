// Something done for every device of a program at once, each on a thread of its own, for what drives a Machine itself and cannot be told to
// wait for others (a record, a shadow): its ports wait instead. Where several processes run the devices together, each does it for its own.
// Not for plain runs, where machines share threads (replicas.h).
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_TOGETHER_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_TOGETHER_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "backends/exchange/across.h"
#include "backends/exchange/in_process.h"

namespace hloscope {

class Together {
 public:
  // `across`: that runs the devices with other processes; null: this one alone.
  Together(int64_t replicas, int64_t partitions, const Module& module, Backend& backend, MemoryAccount* account,
           AcrossProcesses* across = nullptr);
  ~Together();
  // Calls it for each device here, at most `threads` at a time besides those that wait (0: as many as the process may use); from the
  // beginning each time; it may leave a report. What the first device that failed said, with its name in front; a wait that has no end is
  // an error of its exchange, DeadlineExceeded, and then of the whole, whatever was made of it. The first of several processes knows it of
  // all devices; of the others' runs Cancelled says that some device, anywhere, did not come to its end. Where one waited for ever, the
  // reports of other processes do not come to the first one.
  absl::Status Run(int threads, const std::function<absl::Status(int device, ExchangePort& port, std::string* report)>& one);
  // Then: by device; those of other processes on the first one alone.
  const std::vector<std::string>& reports() const { return reports_; }

 private:
  class Port;
  absl::StatusOr<std::optional<Value>> Exchange(int device, const ExchangeCall& call);
  void Begin(std::unique_lock<std::mutex>& lock);
  ExchangePort& PortOf(int device);
  bool IsHere(int device) const { return across_ == nullptr || across_->IsHere(device); }
  const InProcessExchange& room() const { return across_ != nullptr ? across_->room() : *alone_; }
  void Wake(int device);
  void SetStuck();
  absl::Status WaitsForEver(int device);
  void ServeOthers();
  absl::Status StatusOf(std::vector<absl::Status> said) const;

  AcrossProcesses* across_;
  std::unique_ptr<InProcessExchange> alone_;  // where there is no `across_`
  std::vector<std::string> reports_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  int free_ = 0;                // threads that may run besides those that do
  std::vector<bool> waits_;     // by device: nothing has come for it since it asked
  std::vector<bool> sleeps_;    // by device: its thread waits for that
  std::vector<bool> ended_;     // by device
  int running_ = 0;             // devices here that neither sleep nor have ended
  std::vector<bool> gave_up_;   // by device: it was told that it waits for ever
  bool stuck_ = false;          // all sleep or have ended, here and elsewhere, and some sleep
  std::vector<bool> ended_when_stuck_;  // those that sleep end later, one after the other
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_TOGETHER_H_
