// A machine is interrupted when a time has passed: for what is found out only if that is soon. Not for the user's interrupt.
#ifndef HLOSCOPE_CORE_DEBUG_TIME_LIMIT_H_
#define HLOSCOPE_CORE_DEBUG_TIME_LIMIT_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <mutex>
#include <thread>

namespace hloscope {

class TimeLimit {
 public:
  // `interrupt`: Machine::interrupt().
  TimeLimit(std::atomic<bool>& interrupt, std::chrono::steady_clock::time_point until);
  ~TimeLimit() { End(); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // The machine is left alone from here on. True: the time had passed.
  bool End();

 private:
  std::atomic<bool>& interrupt_;
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false, late_ = false;
  std::thread clock_;  // none: the system refuses one, and there is no limit
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TIME_LIMIT_H_
