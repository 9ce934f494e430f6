// The example programs for the welcome page: what they are called, what to look for, and a little picture of each one's shape.
// Read beside the window, a file at a time.
#ifndef HLOSCOPE_VISUALIZER_MODEL_SAMPLES_H_
#define HLOSCOPE_VISUALIZER_MODEL_SAMPLES_H_

#include <atomic>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "visualizer/model/engine.h"

namespace hloscope {

// The entry computation from above: an instruction is a block in the row of its depth.
struct Thumbnail {
  struct Block {
    float x = 0, y = 0;  // 0 to 1
    int kind = 0;        // 0 given (parameters, constants), 1 computes, 2 moves, 3 folds or other, 4 control
  };
  struct Edge {
    int from = 0, to = 0;  // blocks
  };
  std::vector<Block> blocks;
  std::vector<Edge> edges;
  int rows = 0;
};
Thumbnail MakeThumbnail(const Module& module, size_t most_blocks = 60);

struct Sample {
  std::string path, title, note;
  std::string group;  // "programs", "operations", "specification"
  int64_t instructions = 0;
  Thumbnail thumbnail;
};

class Samples {
 public:
  // Reads the folder (programs at its top, ops/ and spec/ below).
  Samples(const std::string& folder, Wiring wiring, std::function<void()> wake);
  ~Samples();
  // What has been read so far, programs first.
  std::vector<std::shared_ptr<const Sample>> all() const;
  size_t count() const;

 private:
  mutable std::mutex mutex_;
  std::vector<std::shared_ptr<const Sample>> samples_;
  std::atomic<bool> quitting_{false};
  std::thread reader_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_SAMPLES_H_
