#include "visualizer/lessons/desk.h"

#include <utility>

#include "core/base/threads.h"

namespace hloscope::lessons {

Home& TheHome() {
  static Home& home = *new Home;
  return home;
}

Desk::Desk(std::string folder, BackendMaker backend, std::function<void()> wake) : backend_(std::move(backend)), wake_(std::move(wake)) {
  TryStartThread(thread_, [this, folder = std::move(folder)] { Loop(folder); });
}

Desk::~Desk() {
  {
    std::lock_guard<std::mutex> lock(mutex_);
    quitting_ = true;
    cancel_ = true;
  }
  wanted_.notify_all();
  if (thread_.joinable()) thread_.join();
}

void Desk::Loop(const std::string& folder) {
  auto shelf = std::make_shared<const Shelf>(ReadShelf(folder));
  std::unique_lock<std::mutex> lock(mutex_);
  shelf_ = std::move(shelf);
  while (!quitting_) {
    working_ = !queue_.empty();
    if (!working_) {
      lock.unlock();
      wake_();
      lock.lock();
      wanted_.wait(lock, [&] { return quitting_ || !queue_.empty(); });
      continue;
    }
    const std::function<void()> work = std::move(queue_.front());
    queue_.pop_front();
    lock.unlock();
    work();
    wake_();
    lock.lock();
  }
}

void Desk::Post(std::function<void()> work) {
  queue_.push_back(std::move(work));
  working_ = true;
  wanted_.notify_all();
}

std::shared_ptr<const Shelf> Desk::shelf() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return shelf_;
}

bool Desk::busy() const {
  std::lock_guard<std::mutex> lock(mutex_);
  return working_;
}

std::shared_ptr<const ProgramRun> Desk::Run(const std::string& key, const std::string& text, bool* fresh) {
  std::lock_guard<std::mutex> lock(mutex_);
  Wanted& wanted = runs_[key];
  if (fresh != nullptr) *fresh = wanted.run != nullptr && wanted.of == text;
  if (wanted.text != text || (wanted.run == nullptr && !wanted.waiting)) {
    wanted.text = text;
    if (running_ == key) cancel_ = true;
    if (!wanted.waiting) {
      wanted.waiting = true;
      Post([this, key] { RunNewest(key); });
    }
  }
  return wanted.run;
}

void Desk::RunNewest(const std::string& key) {
  std::string text;
  {
    std::lock_guard<std::mutex> lock(mutex_);
    text = runs_[key].text;
    runs_[key].waiting = false;
    running_ = key;
    cancel_ = quitting_;
  }
  std::shared_ptr<const ProgramRun> run = RunProgram(key, text, backend_, &cancel_);
  std::lock_guard<std::mutex> lock(mutex_);
  running_.clear();
  if (run->status.code() == absl::StatusCode::kCancelled) return;  // a newer one waits
  runs_[key].run = std::move(run);
  runs_[key].of = std::move(text);
}

void Desk::Check(const std::string& key, const Lesson& lesson, const Exercise& exercise, const std::string& language, std::string answer) {
  std::lock_guard<std::mutex> lock(mutex_);
  verdicts_.erase(key);
  Post([this, key, &lesson, &exercise, language, answer = std::move(answer)] {
    const ExerciseText* text = FindExerciseText(lesson.In(language), lesson, exercise);
    Verdict verdict = CheckAnswer(lesson, exercise, text != nullptr ? *text : ExerciseText(), shelf()->WordsOf(language), answer, backend_);
    std::lock_guard<std::mutex> inner(mutex_);
    verdicts_[key] = std::move(verdict);
  });
}

std::optional<Verdict> Desk::TakeVerdict(const std::string& key) {
  std::lock_guard<std::mutex> lock(mutex_);
  const auto it = verdicts_.find(key);
  if (it == verdicts_.end()) return std::nullopt;
  Verdict verdict = std::move(it->second);
  verdicts_.erase(it);
  return verdict;
}

}  // namespace hloscope::lessons
