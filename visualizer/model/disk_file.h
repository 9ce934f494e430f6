// The program's file as it was when it was read or written last: so that saving does not go over what others wrote meanwhile, and a file that
// was changed is told. Only looks; writing is whole_file.h.
#ifndef HLOSCOPE_VISUALIZER_MODEL_DISK_FILE_H_
#define HLOSCOPE_VISUALIZER_MODEL_DISK_FILE_H_

#include <atomic>
#include <condition_variable>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <mutex>
#include <string>
#include <thread>

#include "absl/strings/string_view.h"

namespace hloscope {

class DiskFile {
 public:
  enum class State : uint8_t { kSame, kChanged, kGone };
  // The file at `path` holds this text; or, where it is one of bytes (a binary program, whose text is another one), what it holds now.
  void Take(const std::string& path, absl::string_view text);
  // There was such a file, and it is gone; Base() says what it held.
  void TakeGone(const std::string& path);
  void Forget() { *this = DiskFile(); }
  const std::string& path() const { return path_; }  // empty: the text is in no file
  // Saving may write it: it holds a text.
  bool holds_text() const { return !path_.empty() && !bytes_; }
  // Looks again; reads the file only where its time or size is another one.
  State Look();
  State state() const { return state_; }  // as it was looked at last
  // What it holds now is known, and the text stays another one: it is told no more.
  void Accept();
  // What the file held, as a short text that can be kept; empty: there is no file. Set again: what it holds is compared with that.
  std::string Base() const;
  void SetBase(absl::string_view base);

 private:
  std::string path_;
  bool bytes_ = false;
  uint64_t hash_ = 0, size_ = 0;  // of what it held
  State state_ = State::kSame;
  bool looked_ = false;
  std::filesystem::file_time_type time_;  // of the file when it was looked at last
  uint64_t seen_size_ = 0;
};

// Tells, from a thread of its own, when a file's time or size has changed, or it has come or gone: the window may sleep meanwhile.
class FileWatch {
 public:
  explicit FileWatch(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~FileWatch();
  void Watch(const std::string& path);  // another one than before; empty: none
  // Something has happened since the last call.
  bool Take() { return happened_.exchange(false); }

 private:
  void Loop();
  std::function<void()> wake_;
  std::mutex mutex_;
  std::condition_variable wanted_;
  std::string path_;
  bool quitting_ = false;
  std::atomic<bool> happened_{false};
  std::thread thread_;
};

// The file is there and holds something else than the text.
bool HoldsOther(const std::string& path, absl::string_view text);
// The file is there and begins with something that no text holds.
bool HoldsBytes(const std::string& path);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_DISK_FILE_H_
