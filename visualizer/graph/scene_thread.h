// The thread that makes hierarchies and lays scenes out, so that the window never waits. Only the newest wish counts.
#ifndef HLOSCOPE_VISUALIZER_GRAPH_SCENE_THREAD_H_
#define HLOSCOPE_VISUALIZER_GRAPH_SCENE_THREAD_H_

#include <atomic>
#include <condition_variable>
#include <memory>
#include <mutex>
#include <optional>
#include <thread>

#include "visualizer/graph/scene.h"

namespace hloscope {

struct SceneOrder {
  const Module* module = nullptr;
  std::shared_ptr<const void> keep;  // holds the module
  uint64_t program = 0;              // another one for another program: the hierarchy is made anew
  bool first = false;                // expands what FirstExpansion says, instead of wish.expanded
  SceneWish wish;                    // its hierarchy is filled in
};

class SceneThread {
 public:
  SceneThread();
  ~SceneThread();  // waits for the level that is being laid out
  void Want(SceneOrder order);
  // Gives up what is being laid out and what waits: newest() stays what it is. Levels that are laid out by then are remembered.
  void Cancel();
  // The newest that is done; null before the first.
  std::shared_ptr<const Scene> newest() const;
  bool busy() const;

 private:
  void Loop();

  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  std::optional<SceneOrder> order_;
  bool quitting_ = false, working_ = false;
  std::atomic<bool> stop_{false};
  std::shared_ptr<const Scene> newest_;
  std::thread thread_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_GRAPH_SCENE_THREAD_H_
