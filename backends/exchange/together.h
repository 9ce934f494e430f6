// Something done for every device of a program at once, each on a thread of its own, for what drives a Machine itself and cannot be told to wait
// for others (a record, a shadow): its ports wait instead. Not for plain runs, where machines share threads (replicas.h).
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_TOGETHER_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_TOGETHER_H_

#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "absl/status/status.h"
#include "backends/exchange/in_process.h"

namespace hloscope {

class Together {
 public:
  Together(int64_t replicas, int64_t partitions, const Module& module, Backend& backend, MemoryAccount* account);
  ~Together();
  // Calls it for each device, at most `threads` at a time besides those that wait (0: as many as the process may use); from the beginning each
  // time. What the first device that failed said, with its name in front; a wait that has no end is an error of its exchange.
  absl::Status Run(int threads, const std::function<absl::Status(int device, ExchangePort& port)>& one);

 private:
  class Port;
  absl::StatusOr<std::optional<Value>> Exchange(int device, const ExchangeCall& call);
  void Begin(std::unique_lock<std::mutex>& lock);

  InProcessExchange room_;
  std::vector<std::unique_ptr<Port>> ports_;
  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  int free_ = 0;                // threads that may run besides those that do
  std::vector<bool> waits_;     // by device: nothing has come for it since it asked
  std::vector<bool> sleeps_;    // by device: its thread waits for that
  std::vector<bool> ended_;     // by device
  int running_ = 0;             // devices that neither sleep nor have ended
  bool stuck_ = false;          // all sleep or have ended, and some sleep
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_TOGETHER_H_
