#include "backends/exchange/together.h"

#include <algorithm>
#include <thread>
#include <utility>

#include "absl/strings/str_cat.h"
#include "core/base/threads.h"

namespace hloscope {

class Together::Port : public ExchangePort {
 public:
  Port(Together& all, int number) : all_(all), number_(number) {}
  Device device() const override { return all_.PortOf(number_).device(); }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override { return all_.Exchange(number_, call); }

 private:
  Together& all_;
  const int number_;
};

Together::Together(int64_t replicas, int64_t partitions, const Module& module, Backend& backend, MemoryAccount* account,
                   AcrossProcesses* across)
    : across_(across) {
  const int count = static_cast<int>(replicas * partitions);
  if (across_ == nullptr) {
    alone_ =
        std::make_unique<InProcessExchange>(replicas, partitions, std::vector<const Computation*>(count, module.entry), backend, account);
    alone_->set_wake([this](int device) { Wake(device); });
  }
  for (int d = 0; d < count; ++d) ports_.push_back(std::make_unique<Port>(*this, d));
}

Together::~Together() = default;

ExchangePort& Together::PortOf(int device) { return across_ != nullptr ? across_->port(device) : alone_->port(device); }

// Called by who exchanges, with the room's lock held.
void Together::Wake(int device) {
  std::lock_guard<std::mutex> lock(mutex_);
  if (!waits_[device]) return;
  waits_[device] = false;
  if (sleeps_[device]) ++running_;
  sleeps_[device] = false;
  changed_.notify_all();
}

// A place among those that run.
void Together::Begin(std::unique_lock<std::mutex>& lock) {
  changed_.wait(lock, [this] { return free_ > 0; });
  --free_;
}

absl::StatusOr<std::optional<Value>> Together::Exchange(int device, const ExchangeCall& call) {
  while (true) {
    {
      std::lock_guard<std::mutex> lock(mutex_);
      waits_[device] = true;  // taken back where something comes for it meanwhile
    }
    absl::StatusOr<std::optional<Value>> made = PortOf(device).Exchange(call);
    std::unique_lock<std::mutex> lock(mutex_);
    if (!made.ok() || made->has_value() || call.phase == ExchangePhase::kBegin) {
      waits_[device] = false;
      return made;
    }
    if (!waits_[device]) continue;
    ++free_;
    sleeps_[device] = true;
    if (--running_ == 0 && across_ == nullptr) SetStuck();
    changed_.notify_all();
    changed_.wait(lock, [&] { return !waits_[device] || stuck_; });
    if (waits_[device]) {
      // Nobody can come any more. Each says so for itself; what they wait for stays as it is.
      lock.unlock();
      absl::Status why = WaitsForEver(device);
      lock.lock();
      waits_[device] = sleeps_[device] = false;
      gave_up_[device] = true;
      ++running_;
      Begin(lock);
      return why;
    }
    Begin(lock);
  }
}

// With the lock held.
void Together::SetStuck() {
  if (std::exchange(stuck_, true)) return;
  ended_when_stuck_ = ended_;
}

absl::Status Together::WaitsForEver(int device) {
  ExchangeRoom::Stuck stuck;
  if (across_ != nullptr) {
    stuck = across_->stuck();
  } else {
    std::vector<bool> ended;
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ended = ended_when_stuck_;
    }
    stuck = alone_->Explain(ended);
  }
  return absl::DeadlineExceededError(stuck.device == device ? stuck.why : "it waits for ever for others");
}

// Until no device anywhere can go on.
void Together::ServeOthers() {
  do {
    std::unique_lock<std::mutex> lock(mutex_);
    changed_.wait(lock, [this] { return running_ == 0; });
  } while (across_->Wait());
  std::lock_guard<std::mutex> lock(mutex_);
  SetStuck();
  changed_.notify_all();
}

// `said`: by the devices here. What others wait for in vain follows from an error, where there is one.
absl::Status Together::StatusOf(std::vector<absl::Status> said) const {
  if (across_ != nullptr && !across_->first())
    return across_->finished() ? absl::OkStatus() : absl::CancelledError("the first process tells of it");
  for (int d = 0; d < static_cast<int>(said.size()); ++d) {
    if (!IsHere(d)) said[d] = across_->ends()[d].status;
    if (!said[d].ok() && !gave_up_[d]) return absl::Status(said[d].code(), absl::StrCat(room().Name(d), ": ", said[d].message()));
  }
  if (const auto too_many = room().TooManyAtOneEnd())
    return absl::Status(too_many->status.code(), absl::StrCat(room().Name(too_many->device), ": ", too_many->status.message()));
  const ExchangeRoom::Stuck stuck = across_ != nullptr ? across_->stuck() : alone_->Explain(stuck_ ? ended_when_stuck_ : ended_);
  return stuck.device < 0 ? absl::OkStatus() : absl::DeadlineExceededError(absl::StrCat(room().Name(stuck.device), ": ", stuck.why));
}

absl::Status Together::Run(int threads, const std::function<absl::Status(int device, ExchangePort& port, std::string* report)>& one) {
  const int count = static_cast<int>(ports_.size());
  std::vector<int> here;
  for (int d = 0; d < count; ++d) {
    if (IsHere(d)) here.push_back(d);
  }
  {
    std::lock_guard<std::mutex> lock(mutex_);
    free_ = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    waits_.assign(count, false);
    sleeps_.assign(count, false);
    ended_.assign(count, false);
    gave_up_.assign(count, false);
    running_ = static_cast<int>(here.size());
    stuck_ = false;
  }
  reports_.assign(count, "");
  if (across_ != nullptr) {
    across_->set_wake([this](int device) { Wake(device); });
    across_->Begin();
  } else {
    alone_->Reset();
  }
  std::vector<absl::Status> said(count);
  const auto ends = [&](int device) {
    if (across_ != nullptr) {
      bool over;
      {
        std::lock_guard<std::mutex> lock(mutex_);
        over = stuck_;
      }
      DeviceEnd end;
      end.status = said[device];
      end.report = reports_[device];
      if (!over) across_->Ended(device, std::move(end));
    }
    std::lock_guard<std::mutex> lock(mutex_);
    ended_[device] = true;
    if (--running_ == 0 && across_ == nullptr && std::find(sleeps_.begin(), sleeps_.end(), true) != sleeps_.end()) SetStuck();
    changed_.notify_all();
  };
  const auto run = [&](int device) {
    {
      std::unique_lock<std::mutex> lock(mutex_);
      Begin(lock);
    }
    said[device] = one(device, *ports_[device], &reports_[device]);
    {
      std::lock_guard<std::mutex> lock(mutex_);
      ++free_;
    }
    ends(device);
  };
  std::vector<std::thread> all;
  for (int d : here) {
    std::thread thread;
    if (!TryStartThread(thread, [&run, d] { run(d); })) {  // nobody waits for it in vain
      said[d] = absl::ResourceExhaustedError("there is no thread for it");
      ends(d);
      continue;
    }
    all.push_back(std::move(thread));
  }
  if (across_ != nullptr) ServeOthers();
  for (std::thread& thread : all) thread.join();
  for (int d = 0; d < count && across_ != nullptr && across_->first(); ++d) {
    if (!IsHere(d)) reports_[d] = across_->ends()[d].report;
  }
  return StatusOf(std::move(said));
}

}  // namespace hloscope
