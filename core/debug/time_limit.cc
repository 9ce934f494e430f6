#include "core/debug/time_limit.h"

#include <algorithm>
#include <utility>

#include "core/base/threads.h"

namespace hloscope {

std::chrono::steady_clock::time_point After(std::chrono::steady_clock::time_point begin, double seconds) {
  constexpr double kMost = 1e9;
  return begin + std::chrono::duration_cast<std::chrono::steady_clock::duration>(std::chrono::duration<double>(std::clamp(seconds, 0.0, kMost)));
}

TimeLimit::TimeLimit(std::atomic<bool>& interrupt, std::chrono::steady_clock::time_point until) : TimeLimit([&interrupt] { interrupt.store(true); }, until) { flag_ = &interrupt; }

TimeLimit::TimeLimit(std::function<void()> interrupt, std::chrono::steady_clock::time_point until) : interrupt_(std::move(interrupt)) {
  (void)TryStartThread(clock_, [this, until] {
    std::unique_lock<std::mutex> lock(mutex_);
    if (ended_.wait_until(lock, until, [this] { return over_; })) return;
    late_ = true;
    interrupt_();
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
    if (late_ && flag_ != nullptr) flag_->store(false);
  }
  return late_;
}

}  // namespace hloscope
