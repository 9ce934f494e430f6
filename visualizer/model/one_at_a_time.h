// What several windows keep in one folder: each reads, changes and writes as one.
#ifndef HLOSCOPE_VISUALIZER_MODEL_ONE_AT_A_TIME_H_
#define HLOSCOPE_VISUALIZER_MODEL_ONE_AT_A_TIME_H_

#include <string>

namespace hloscope {

// While it lives no other window has one of that folder (which is made where it is missing). A disk without locks, or a window that was halted
// while it wrote, keep nobody waiting for more than a quarter of a second.
class OneAtATime {
 public:
  explicit OneAtATime(const std::string& folder);
  ~OneAtATime();
  OneAtATime(const OneAtATime&) = delete;
  OneAtATime& operator=(const OneAtATime&) = delete;

 private:
  int file_ = -1;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_ONE_AT_A_TIME_H_
