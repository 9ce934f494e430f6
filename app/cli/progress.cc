// A thread redraws the line a few times a second; work that ends within half a second never shows it.
#include "app/cli/progress.h"

#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "core/base/threads.h"

namespace hloscope::cli {

Progress::Progress() {
  if (isatty(STDERR_FILENO)) TryStartThread(thread_, [this] { Tick(); });  // without one there is no progress to see
}

Progress::~Progress() {
  if (!thread_.joinable()) return;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    end_ = true;
  }
  changed_.notify_one();
  thread_.join();
}

void Progress::Set(std::string what) {
  if (!thread_.joinable()) return;
  std::lock_guard<std::mutex> lock(mutex_);
  what_ = std::move(what);
  if (shown_ && what_.empty()) {
    std::fputs("\r\x1b[K", stderr);
    shown_ = false;
  }
}

void Progress::Tick() {
  using Clock = std::chrono::steady_clock;
  std::unique_lock<std::mutex> lock(mutex_);
  std::string last;
  Clock::time_point since = Clock::now();
  while (!end_) {
    changed_.wait_for(lock, std::chrono::milliseconds(250));
    // "checking, 1200 elements" goes on with "checking, 1300 elements".
    const std::string now = what_.substr(0, what_.find(','));
    if (now != last) {
      last = now;
      since = Clock::now();
    }
    const double seconds = std::chrono::duration<double>(Clock::now() - since).count();
    if (what_.empty() || end_ || (!shown_ && seconds < 0.5)) continue;
    std::fprintf(stderr, "\r\x1b[K%s (%.0f s)", what_.c_str(), seconds);
    shown_ = true;
  }
  if (shown_) std::fputs("\r\x1b[K", stderr);
}

}  // namespace hloscope::cli
