// Runs the programs of lessons and checks answers on a thread of its own, for a window that must not wait. The newest text of a program counts:
// an older one that still runs is given up.
#ifndef HLOSCOPE_VISUALIZER_LESSONS_DESK_H_
#define HLOSCOPE_VISUALIZER_LESSONS_DESK_H_

#include <atomic>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <thread>

#include "visualizer/lessons/exercise.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/run.h"

namespace hloscope::lessons {

// Where lessons lie, and what runs their programs: said once by the app.
struct Home {
  std::string folder;  // may be missing
  BackendMaker backend;
};
Home& TheHome();

class Desk {
 public:
  // Reads the folder first. `wake` is called from the thread when there is something new.
  Desk(std::string folder, BackendMaker backend, std::function<void()> wake);
  ~Desk();
  Desk(const Desk&) = delete;

  // Null: not read yet.
  std::shared_ptr<const Shelf> shelf() const;
  // The newest run of a program, perhaps of an older text; null before the first. `fresh`: it is of this text.
  std::shared_ptr<const ProgramRun> Run(const std::string& key, const std::string& text, bool* fresh = nullptr);
  // Answers are checked in order; the verdict is taken once.
  void Check(const std::string& key, const Lesson& lesson, const Exercise& exercise, const std::string& language, std::string answer);
  std::optional<Verdict> TakeVerdict(const std::string& key);
  bool busy() const;

 private:
  struct Wanted {
    std::string text;
    std::shared_ptr<const ProgramRun> run;
    std::string of;  // text of `run`
    bool waiting = false;
  };
  void Post(std::function<void()> work);
  void Loop(const std::string& folder);
  void RunNewest(const std::string& key);

  const BackendMaker backend_;
  const std::function<void()> wake_;
  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  std::deque<std::function<void()>> queue_;
  std::map<std::string, Wanted> runs_;
  std::map<std::string, Verdict> verdicts_;
  std::shared_ptr<const Shelf> shelf_;
  std::string running_;                 // key
  std::atomic<bool> cancel_{false};
  bool quitting_ = false, working_ = true;
  std::thread thread_;
};

}  // namespace hloscope::lessons

#endif  // HLOSCOPE_VISUALIZER_LESSONS_DESK_H_
