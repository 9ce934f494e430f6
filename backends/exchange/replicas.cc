#include "backends/exchange/replicas.h"

#include <algorithm>
#include <thread>

#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/base/threads.h"
#include "core/exec/inputs.h"
#include "core/ir/written_names.h"

namespace hloscope {

absl::StatusOr<std::unique_ptr<Replicas>> Replicas::Create(Module& module, Backend& backend, ReplicasOptions options) {
  FillElidedConstants(module, options.machine.fill, nullptr);
  return std::make_unique<Replicas>(module, backend, std::move(options));
}

Replicas::Replicas(const Module& module, Backend& backend, ReplicasOptions options) : options_(std::move(options)) {
  const int count = static_cast<int>(options_.replicas * options_.partitions);
  if (options_.programs.empty()) options_.programs.assign(count, module.entry);
  if (options_.link != nullptr) {
    across_ = std::make_unique<AcrossProcesses>(*options_.link, options_.replicas, options_.partitions, module, options_.id, backend, &account_);
    across_->set_executed([this](int device) { return machines_[device]->executed(); });
  } else {
    exchange_ = std::make_unique<InProcessExchange>(options_.replicas, options_.partitions, options_.programs, backend, &account_);
    exchange_->set_wake([this](int device) { Wake(device); });
  }
  machines_.resize(count);
  for (int d = 0; d < count; ++d) {
    if (across_ != nullptr && !across_->IsHere(d)) continue;
    MachineOptions machine = options_.machine;
    machine.entry = options_.programs[d];
    machine.account = &account_;
    machine.exchange = across_ != nullptr ? &across_->port(d) : &exchange_->port(d);
    if (d < static_cast<int>(options_.infeed.size())) machine.infeed = options_.infeed[d];
    if (machine.on_failed_check) {
      machine.on_failed_check = [this, d, report = machine.on_failed_check](const Instruction& instruction, const absl::Status& why) {
        std::lock_guard<std::mutex> lock(check_mutex_);
        return report(instruction, absl::Status(why.code(), absl::StrCat(Name(d), ": ", why.message())));
      };
    }
    machines_[d] = std::make_unique<Machine>(module, backend, std::move(machine));
  }
}

std::unique_ptr<AcrossProcesses> Replicas::AcrossWith(const Module& program, Backend& backend) {
  if (options_.link == nullptr) return nullptr;
  return std::make_unique<AcrossProcesses>(*options_.link, options_.replicas, options_.partitions, program, options_.id, backend, &account_);
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
      if (across_ != nullptr && !over_) {  // somebody elsewhere may
        ++running_;
        lock.unlock();
        const bool woken = across_->Wait();
        lock.lock();
        --running_;
        over_ = !woken;
        if (woken) continue;
      }
      changed_.notify_all();  // nobody runs who could wake another: that was all
      return;
    }
    const int device = *ready_.begin();
    ready_.erase(ready_.begin());
    states_[device] = State::kRunning;
    woken_[device] = false;
    ++running_;
    away_[device] += std::chrono::steady_clock::now() - left_[device];
    lock.unlock();
    const StopReason reason = machines_[device]->Run();
    lock.lock();
    left_[device] = std::chrono::steady_clock::now();
    --running_;
    if (reason == StopReason::kWaiting) {
      states_[device] = woken_[device] ? State::kReady : State::kWaiting;
      if (woken_[device]) ready_.insert(device);
    } else {
      states_[device] = reason == StopReason::kFinished ? State::kFinished : State::kFailed;
      if (across_ != nullptr) {
        ++running_;
        lock.unlock();
        across_->Ended(device, EndOf(device));
        lock.lock();
        --running_;
      }
    }
    if (running_ == 0 && ready_.empty()) changed_.notify_all();
  }
}

// Of one that has ended here.
DeviceEnd Replicas::EndOf(int device) {
  Machine& machine = *machines_[device];
  DeviceEnd end;
  end.ended = true;
  end.executed = machine.executed();
  end.notices = machine.TakeNotices();
  end.outfeed = machine.outfeed();
  if (machine.finished()) {
    end.result = machine.result();
    if (at_end_) at_end_(device, end);
    return end;
  }
  end.at = PlaceOfError(machine);
  absl::string_view why = machine.status().message();
  if (end.at.instruction != nullptr) absl::ConsumePrefix(&why, absl::StrCat(ShownName(*end.at.instruction), ": "));
  end.status = machine.status().ok() ? absl::CancelledError("interrupted") : absl::Status(machine.status().code(), why);
  return end;
}

Replicas::Outcome Replicas::Run(int threads_wanted) {
  const int count = device_count();
  if (threads_wanted <= 0) threads_wanted = options_.threads;
  over_ = false;
  states_.assign(count, State::kElsewhere);
  woken_.assign(count, false);
  away_.assign(count, std::chrono::steady_clock::duration::zero());
  left_.assign(count, std::chrono::steady_clock::now());
  if (across_ != nullptr) {
    across_->set_wake([this](int device) { Wake(device); });
    across_->Begin();
  } else {
    exchange_->Reset();
  }
  int here = 0;
  for (int d = 0; d < count; ++d) {
    if (!IsHere(d)) continue;
    states_[d] = State::kReady;
    ready_.insert(d);
    ++here;
  }
  const int wanted = std::min(here, threads_wanted > 0 ? threads_wanted : std::max(1, static_cast<int>(std::thread::hardware_concurrency())));
  std::vector<std::thread> threads;
  for (int k = 1; k < wanted; ++k) {
    std::thread thread;
    if (!TryStartThread(thread, [this] { Work(); })) break;  // fewer do as well
    threads.push_back(std::move(thread));
  }
  Work();
  for (std::thread& thread : threads) thread.join();
  if (across_ != nullptr) {
    ends_ = std::move(across_->ends());
    for (int d = 0; d < count; ++d) {
      if (IsHere(d) && !ends_[d].ended) ends_[d].executed = machines_[d]->executed();
    }
  } else {
    ends_.assign(count, {});
    for (int d = 0; d < count; ++d) {
      if (states_[d] == State::kFinished || states_[d] == State::kFailed) ends_[d] = EndOf(d);
      else ends_[d].executed = machines_[d]->executed();
    }
  }
  return OutcomeOf();
}

Replicas::Outcome Replicas::OutcomeOf() const {
  Outcome outcome;
  if (across_ != nullptr && !across_->first()) {  // the first process tells
    outcome.finished = across_->finished();
    return outcome;
  }
  // Which of them stopped, and what came of it, hangs on who was faster.
  if (const auto too_many = room().TooManyAtOneEnd()) {
    outcome.device = too_many->device;
    outcome.at = too_many->at;
    outcome.status = too_many->status;
    return outcome;
  }
  std::vector<bool> ended;
  for (size_t d = 0; d < ends_.size(); ++d) {
    ended.push_back(ends_[d].ended);
    if (ends_[d].status.ok()) continue;
    outcome.device = static_cast<int>(d);
    outcome.at = ends_[d].at;
    outcome.status = ends_[d].status;
    return outcome;
  }
  const InProcessExchange::Stuck stuck = room().Explain(ended);
  outcome.finished = stuck.device < 0;
  outcome.device = stuck.device;
  outcome.at.instruction = stuck.instruction;  // why it waits tells the loops
  if (!outcome.finished) outcome.status = absl::DeadlineExceededError(stuck.why);
  return outcome;
}

}  // namespace hloscope
