// One line on standard error that says what is being done and for how long; nothing when standard error is no terminal.
#ifndef HLOSCOPE_APP_CLI_PROGRESS_H_
#define HLOSCOPE_APP_CLI_PROGRESS_H_

#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace hloscope::cli {

class Progress {
 public:
  Progress();
  ~Progress();
  // "running"; empty: nothing is being done, the line goes away.
  void Set(std::string what);
  // Whether anybody can see it.
  bool seen() const { return thread_.joinable(); }

 private:
  void Tick();
  std::mutex mutex_;
  std::condition_variable changed_;
  std::string what_;
  bool end_ = false, shown_ = false;
  std::thread thread_;
};

}  // namespace hloscope::cli

#endif  // HLOSCOPE_APP_CLI_PROGRESS_H_
