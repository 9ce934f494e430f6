// A run is interrupted when a time has passed: for what is found out only if that is soon. Not for the user's interrupt (interrupt_here.h).
#ifndef HLOSCOPE_CORE_DEBUG_TIME_LIMIT_H_
#define HLOSCOPE_CORE_DEBUG_TIME_LIMIT_H_

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <functional>
#include <mutex>
#include <thread>

namespace hloscope {

// So many seconds after `begin`; decades at most.
std::chrono::steady_clock::time_point After(std::chrono::steady_clock::time_point begin, double seconds);

class TimeLimit {
 public:
  // `interrupt`: Machine::interrupt().
  TimeLimit(std::atomic<bool>& interrupt, std::chrono::steady_clock::time_point until);
  // Of what is interrupted otherwise: `interrupt` is called from another thread, once, and nothing is taken back.
  TimeLimit(std::function<void()> interrupt, std::chrono::steady_clock::time_point until);
  ~TimeLimit() { End(); }
  TimeLimit(const TimeLimit&) = delete;
  TimeLimit& operator=(const TimeLimit&) = delete;

  // The machine is left alone from here on. True: the time had passed.
  bool End();

 private:
  std::function<void()> interrupt_;
  std::atomic<bool>* flag_ = nullptr;  // of a machine, whose interrupt is taken back
  std::mutex mutex_;
  std::condition_variable ended_;
  bool over_ = false, late_ = false;
  std::thread clock_;  // none: the system refuses one, and there is no limit
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_TIME_LIMIT_H_
