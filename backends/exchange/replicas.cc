#include "backends/exchange/replicas.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/threads.h"
#include "core/exec/inputs.h"

namespace hloscope {

absl::StatusOr<std::unique_ptr<Replicas>> Replicas::Create(Module& module, Backend& backend, ReplicasOptions options) {
  FillElidedConstants(module, options.machine.fill, nullptr);
  return std::make_unique<Replicas>(module, backend, std::move(options));
}

Replicas::Replicas(const Module& module, Backend& backend, ReplicasOptions options) : options_(std::move(options)) {
  const int count = static_cast<int>(options_.replicas * options_.partitions);
  if (options_.programs.empty()) options_.programs.assign(count, module.entry);
  exchange_ = std::make_unique<InProcessExchange>(options_.replicas, options_.partitions, options_.programs, backend, &account_);
  exchange_->set_wake([this](int device) { Wake(device); });
  for (int d = 0; d < count; ++d) {
    MachineOptions machine = options_.machine;
    machine.entry = options_.programs[d];
    machine.account = &account_;
    machine.exchange = &exchange_->port(d);
    if (d < static_cast<int>(options_.infeed.size())) machine.infeed = options_.infeed[d];
    if (machine.on_failed_check) {
      machine.on_failed_check = [this, report = machine.on_failed_check](const Instruction& instruction, const absl::Status& why) {
        std::lock_guard<std::mutex> lock(check_mutex_);
        return report(instruction, why);
      };
    }
    machines_.push_back(std::make_unique<Machine>(module, backend, std::move(machine)));
  }
}

// Machines go before what they are connected with.
Replicas::~Replicas() { machines_.clear(); }

void Replicas::Wake(int device) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (states_[device] == State::kRunning) woken_[device] = true;
  if (states_[device] != State::kWaiting) return;
  states_[device] = State::kReady;
  ready_.insert(device);
  changed_.notify_one();
}

void Replicas::Work() {
  std::unique_lock<std::mutex> lock(mutex_);
  while (true) {
    changed_.wait(lock, [this] { return !ready_.empty() || running_ == 0; });
    if (ready_.empty()) {
      changed_.notify_all();  // nobody runs who could wake another: that was all
      return;
    }
    const int device = *ready_.begin();
    ready_.erase(ready_.begin());
    states_[device] = State::kRunning;
    woken_[device] = false;
    ++running_;
    lock.unlock();
    const StopReason reason = machines_[device]->Run();
    lock.lock();
    --running_;
    if (reason == StopReason::kWaiting) {
      states_[device] = woken_[device] ? State::kReady : State::kWaiting;
      if (woken_[device]) ready_.insert(device);
    } else {
      states_[device] = reason == StopReason::kFinished ? State::kFinished : State::kFailed;
    }
    if (running_ == 0 && ready_.empty()) changed_.notify_all();
  }
}

Replicas::Outcome Replicas::Run() {
  const int count = device_count();
  exchange_->Reset();
  states_.assign(count, State::kReady);
  woken_.assign(count, false);
  for (int d = 0; d < count; ++d) ready_.insert(d);
  const int wanted = std::min(count, options_.threads > 0 ? options_.threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<std::thread> threads;
  for (int k = 1; k < wanted; ++k) {
    std::thread thread;
    if (!TryStartThread(thread, [this] { Work(); })) break;  // fewer do as well
    threads.push_back(std::move(thread));
  }
  Work();
  for (std::thread& thread : threads) thread.join();

  Outcome outcome;
  for (int d = 0; d < count; ++d) {
    if (states_[d] != State::kFailed) continue;
    const Machine& machine = *machines_[d];
    outcome.device = d;
    outcome.instruction = machine.next_instruction();
    if (outcome.instruction == nullptr && !machine.frames().empty()) outcome.instruction = machine.top().caller;
    absl::string_view why = machine.status().message();
    if (outcome.instruction != nullptr) absl::ConsumePrefix(&why, absl::StrCat("%", outcome.instruction->name, ": "));
    outcome.status = machine.status().ok() ? absl::CancelledError("interrupted") : absl::Status(machine.status().code(), why);
    return outcome;
  }
  std::vector<bool> ended(count);
  for (int d = 0; d < count; ++d) ended[d] = states_[d] == State::kFinished;
  const InProcessExchange::Stuck stuck = exchange_->Explain(ended);
  outcome.finished = stuck.device < 0;
  outcome.device = stuck.device;
  outcome.instruction = stuck.instruction;
  if (!outcome.finished) outcome.status = absl::DeadlineExceededError(stuck.why);
  return outcome;
}

int64_t Replicas::executed() const {
  int64_t all = 0;
  for (const auto& machine : machines_) all += machine->executed();
  return all;
}

}  // namespace hloscope
