// Keeps what belongs to a session on disk while it goes on, so that nothing is lost however the window ends: breakpoints, watches, catches,
// displays, bookmarks, and text that was not saved. One small JSON file for each program, written whole.
#ifndef HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_
#define HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "visualizer/model/document.h"
#include "visualizer/model/engine.h"

namespace hloscope {

class SessionKeeper {
 public:
  // `folder` empty: keeps nothing. Gives the engine what to do with a program that was opened; before anything is opened.
  SessionKeeper(Engine& engine, std::string folder);

  // Once a frame, on the window's thread: writes what has changed, not more often than twice a second. `now`: asks to be called again soon.
  void Keep(const Snapshot& now, const Document& document);
  bool waiting() const { return waiting_; }
  // At the end: nothing is left to write.
  void Finish(const Document& document);

  // The text of a program that was edited and not saved when the window ended; empty: none. Taken once.
  static std::string UnsavedText(const std::string& folder, const std::string& path);
  // The program that was open when the window ended; empty: none.
  static std::string LastProgram(const std::string& folder);

 private:
  void KeepText(const Document& document);
  Engine& engine_;
  std::string folder_;
  uint64_t kept_generation_ = 0, kept_version_ = 0;
  std::string kept_path_;
  bool waiting_ = false;
  std::chrono::steady_clock::time_point last_{};
};

// Marks as text, "entry:4 body@17:3", for files. Nothing where it is not one.
std::string MarkText(const Mark& mark);
bool ParseMarkText(const std::string& text, Mark* mark);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_
