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
  Device device() const override { return all_.room_.port(number_).device(); }
  absl::StatusOr<std::optional<Value>> Exchange(const ExchangeCall& call) override { return all_.Exchange(number_, call); }

 private:
  Together& all_;
  const int number_;
};

Together::Together(int64_t replicas, int64_t partitions, const Module& module, Backend& backend, MemoryAccount* account)
    : room_(replicas, partitions, std::vector<const Computation*>(replicas * partitions, module.entry), backend, account) {
  for (int d = 0; d < room_.device_count(); ++d) ports_.push_back(std::make_unique<Port>(*this, d));
  // Called by who exchanges, with the room's lock held.
  room_.set_wake([this](int device) {
    std::lock_guard<std::mutex> lock(mutex_);
    if (!waits_[device]) return;
    waits_[device] = false;
    if (sleeps_[device]) ++running_;
    sleeps_[device] = false;
    changed_.notify_all();
  });
}

Together::~Together() = default;

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
    absl::StatusOr<std::optional<Value>> made = room_.port(device).Exchange(call);
    std::unique_lock<std::mutex> lock(mutex_);
    if (!made.ok() || made->has_value()) {
      waits_[device] = false;
      return made;
    }
    if (!waits_[device]) continue;
    ++free_;
    sleeps_[device] = true;
    stuck_ |= --running_ == 0;
    changed_.notify_all();
    changed_.wait(lock, [&] { return !waits_[device] || stuck_; });
    if (waits_[device]) {
      // Nobody can come any more. Each says so for itself; what they wait for stays as it is.
      const std::vector<bool> ended = ended_;
      lock.unlock();
      const ExchangeRoom::Stuck stuck = room_.Explain(ended);
      lock.lock();
      waits_[device] = sleeps_[device] = false;
      ++running_;
      Begin(lock);
      if (stuck.device == device) return absl::DeadlineExceededError(stuck.why);
      return absl::CancelledError("it waits for ever for others");
    }
    Begin(lock);
  }
}

absl::Status Together::Run(int threads, const std::function<absl::Status(int device, ExchangePort& port)>& one) {
  const int count = room_.device_count();
  room_.Reset();
  {
    std::lock_guard<std::mutex> lock(mutex_);
    free_ = threads > 0 ? threads : std::max(1, static_cast<int>(std::thread::hardware_concurrency()));
    waits_.assign(count, false);
    sleeps_.assign(count, false);
    ended_.assign(count, false);
    running_ = count;
    stuck_ = false;
  }
  std::vector<absl::Status> said(count);
  const auto ends = [this](int device) {  // with the lock held
    ended_[device] = true;
    if (--running_ == 0) stuck_ |= std::find(sleeps_.begin(), sleeps_.end(), true) != sleeps_.end();
    changed_.notify_all();
  };
  const auto run = [&](int device) {
    std::unique_lock<std::mutex> lock(mutex_);
    Begin(lock);
    lock.unlock();
    said[device] = one(device, *ports_[device]);
    lock.lock();
    ++free_;
    ends(device);
  };
  std::vector<std::thread> all;
  for (int d = 0; d < count; ++d) {
    std::thread thread;
    if (!TryStartThread(thread, [&run, d] { run(d); })) {  // nobody waits for it in vain
      said[d] = absl::ResourceExhaustedError("there is no thread for it");
      std::lock_guard<std::mutex> lock(mutex_);
      ends(d);
      continue;
    }
    all.push_back(std::move(thread));
  }
  for (std::thread& thread : all) thread.join();
  int first = -1;
  for (int d = 0; d < count; ++d) {
    if (said[d].ok() || (first >= 0 && !absl::IsCancelled(said[first]))) continue;
    if (first < 0 || !absl::IsCancelled(said[d])) first = d;
  }
  if (first < 0) return absl::OkStatus();
  return absl::Status(said[first].code(), absl::StrCat(room_.Name(first), ": ", said[first].message()));
}

}  // namespace hloscope
