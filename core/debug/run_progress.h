// How far the program has come, for somebody who looks from another thread while a command runs it. State::Extension<RunProgress>().
// Written a few times a second by the history's hook (travel.cc); not a place to go to (travel.h).
#ifndef HLOSCOPE_CORE_DEBUG_RUN_PROGRESS_H_
#define HLOSCOPE_CORE_DEBUG_RUN_PROGRESS_H_

#include <cstdint>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "core/exec/machine.h"

namespace hloscope {

class ProgressOfRun {
 public:
  struct Point {
    Mark mark;  // empty: nothing has been noted since Clear
    int64_t executed = 0;
  };
  void Note(Mark mark, int64_t executed) {
    std::lock_guard<std::mutex> lock(mutex_);
    point_ = {std::move(mark), executed};
  }
  void Clear() {
    std::lock_guard<std::mutex> lock(mutex_);
    point_ = Point();
  }
  Point Read() const {
    std::lock_guard<std::mutex> lock(mutex_);
    return point_;
  }

 private:
  mutable std::mutex mutex_;
  Point point_;
};

// Shared, so that who looks need not ask the session.
struct RunProgress {
  std::shared_ptr<ProgressOfRun> run = std::make_shared<ProgressOfRun>();
};

// What a long command is at, for whoever shows it; empty: it is done. State::Extension<ProgressLine>(); null: nobody shows it.
struct ProgressLine {
  std::function<void(const std::string&)> set;
};

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_RUN_PROGRESS_H_
