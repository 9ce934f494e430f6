// Runs a program of several devices: a Machine for each, on a few threads. Machines that wait for others give their thread away, so any number of
// devices runs on any number of threads with the same results; and when none can go on, that is known, and who waits for whom is said.
// Not for what an exchange is (in_process.h).
#ifndef HLOSCOPE_BACKENDS_EXCHANGE_REPLICAS_H_
#define HLOSCOPE_BACKENDS_EXCHANGE_REPLICAS_H_

#include <chrono>
#include <condition_variable>
#include <functional>
#include <memory>
#include <mutex>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "backends/exchange/across.h"
#include "backends/exchange/in_process.h"
#include "core/exec/machine.h"

namespace hloscope {

struct ReplicasOptions {
  int64_t replicas = 1, partitions = 1;
  int threads = 0;                              // that run devices; 0: as many as the process may use
  std::vector<const Computation*> programs;     // by device, replica by replica; empty: the module's entry on all
  MachineOptions machine;                       // of each device; entry, account and exchange are set here
  std::vector<std::vector<Value>> infeed;       // by device; empty: machine.infeed for each
  // Where several processes run the devices together, each its own; all must be given the same program, which is each device's. Null: this one alone.
  ProcessLink* link = nullptr;
  uint64_t id = 0;                              // of the run, the same on all processes (AcrossProcesses)
};

class Replicas {
 public:
  // The module must be verified. Elided constants are filled here, as all devices share them.
  static absl::StatusOr<std::unique_ptr<Replicas>> Create(Module& module, Backend& backend, ReplicasOptions options);
  // The same for a module without elided constants.
  Replicas(const Module& module, Backend& backend, ReplicasOptions options);
  ~Replicas();

  int device_count() const { return static_cast<int>(machines_.size()); }
  // In this process.
  bool IsHere(int device) const { return machines_[device] != nullptr; }
  Machine& machine(int device) { return *machines_[device]; }  // of those here
  Device device(int number) const { return {number / options_.partitions, number % options_.partitions}; }
  std::string Name(int device) const { return room().Name(device); }
  MemoryAccount& account() { return account_; }
  InProcessExchange& room() const { return across_ != nullptr ? across_->room() : *exchange_; }

  // Each Machine must have just been started. Runs until every device has ended, failed, or waits for one that will not come.
  struct Outcome {
    bool finished = false;
    int device = -1;                         // the lowest one that failed or waits for ever
    ErrorPlace at;                           // there
    absl::Status status;                     // why, with the devices that it is about; without the instruction's name in front
  };
  // `threads`: that run devices, if not as many as the options say.
  Outcome Run(int threads = 0);
  // Called with each device here that has come to its end, on the thread that ran it: it may add a report, or an error. Null: nobody looks.
  void set_at_end(std::function<void(int device, DeviceEnd& end)> at_end) { at_end_ = std::move(at_end); }
  // That run the devices together; null: this one alone.
  AcrossProcesses* across() const { return across_.get(); }
  // The same devices in the same processes, for another program that they run. Null: they are all in this one.
  std::unique_ptr<AcrossProcesses> AcrossWith(const Module& program, Backend& backend);
  // While a device runs: seconds of this Run in which it did not.
  double away(int device) const { return std::chrono::duration<double>(away_[device]).count() - (across_ != nullptr ? across_->port(device) : exchange_->port(device)).making(); }
  // After a run: how each device ended, wherever it ran; of several processes on the first one.
  const std::vector<DeviceEnd>& ends() const { return ends_; }

 private:
  enum class State : uint8_t { kReady, kRunning, kWaiting, kFinished, kFailed, kElsewhere };
  void Work();
  void Wake(int device);
  DeviceEnd EndOf(int device);
  Outcome OutcomeOf() const;

  ReplicasOptions options_;
  MemoryAccount account_;
  std::unique_ptr<InProcessExchange> exchange_;  // one of the two
  std::unique_ptr<AcrossProcesses> across_;
  std::vector<DeviceEnd> ends_;
  std::function<void(int, DeviceEnd&)> at_end_;
  bool over_ = false;
  std::vector<std::unique_ptr<Machine>> machines_;
  std::mutex check_mutex_;  // on_failed_check is called by one device at a time

  std::mutex mutex_;  // guards the rest
  std::condition_variable changed_;
  std::vector<State> states_;
  std::vector<bool> woken_;  // while it ran
  std::set<int> ready_;      // the lowest goes first
  std::vector<std::chrono::steady_clock::duration> away_;      // by device
  std::vector<std::chrono::steady_clock::time_point> left_;    // by device: since when it has not run
  int running_ = 0;
};

}  // namespace hloscope

#endif  // HLOSCOPE_BACKENDS_EXCHANGE_REPLICAS_H_
