#include "visualizer/graph/scene_thread.h"

#include <utility>

namespace hloscope {

SceneThread::SceneThread() : thread_([this] { Loop(); }) {}

SceneThread::~SceneThread() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    quitting_ = true;
    stop_ = true;
  }
  wanted_.notify_all();
  thread_.join();
}

void SceneThread::Want(SceneOrder order) {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    order_ = std::move(order);
  }
  wanted_.notify_all();
}

void SceneThread::Cancel() {
  std::lock_guard<std::mutex> lock(mutex_);
  order_.reset();
  stop_ = true;
}

std::shared_ptr<const Scene> SceneThread::newest() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return newest_;
}

bool SceneThread::busy() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return working_ || order_.has_value();
}

void SceneThread::Loop() {
  SceneMaker maker;
  std::shared_ptr<const Hierarchy> hierarchy;
  uint64_t program = 0;
  for (;;) {
    SceneOrder order;
    {
      std::unique_lock<std::mutex> lock(mutex_);
      working_ = false;
      wanted_.wait(lock, [this] { return quitting_ || order_.has_value(); });
      if (quitting_) return;
      order = *std::move(order_);
      order_.reset();
      working_ = true;
      stop_ = false;
    }
    if (hierarchy == nullptr || program != order.program || &hierarchy->module() != order.module) {
      hierarchy = Hierarchy::Make(*order.module, std::move(order.keep));
      program = order.program;
    }
    order.wish.hierarchy = hierarchy;
    if (order.first) order.wish.expanded = FirstExpansion(*hierarchy);
    std::shared_ptr<const Scene> scene = maker.Make(order.wish, &stop_);
    if (scene == nullptr) continue;
    std::lock_guard<std::mutex> lock(mutex_);
    newest_ = std::move(scene);
  }
}

}  // namespace hloscope
