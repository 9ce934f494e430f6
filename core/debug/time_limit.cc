#include "core/debug/time_limit.h"

#include "core/base/threads.h"

namespace hloscope {

TimeLimit::TimeLimit(std::atomic<bool>& interrupt, std::chrono::steady_clock::time_point until) : interrupt_(interrupt) {
  (void)TryStartThread(clock_, [this, until] {
    std::unique_lock<std::mutex> lock(mutex_);
    if (ended_.wait_until(lock, until, [this] { return over_; })) return;
    late_ = true;
    interrupt_.store(true);
  });
}

bool TimeLimit::End() {
  {
    const std::lock_guard<std::mutex> lock(mutex_);
    over_ = true;
  }
  ended_.notify_all();
  if (clock_.joinable()) {
    clock_.join();
    if (late_) interrupt_.store(false);
  }
  return late_;
}

}  // namespace hloscope
