// Keeps what belongs to a session on disk while it goes on, so that nothing is lost however the window ends: breakpoints, watches, catches,
// displays, bookmarks, and text that was not saved (kept_text.h). One small JSON file for each program, written whole.
#ifndef HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_
#define HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_

#include <chrono>
#include <cstdint>
#include <string>

#include "absl/status/status.h"
#include "visualizer/model/document.h"
#include "visualizer/model/engine.h"
#include "visualizer/model/kept_text.h"

namespace hloscope {

class SessionKeeper {
 public:
  // Keeps nothing where the text has no folder. Gives the engine what to do with a program that was opened; before anything is opened.
  SessionKeeper(Engine& engine, KeptText& text);

  // Once a frame, on the window's thread: writes what has changed, not more often than twice a second. `now`: asks to be called again soon.
  void Keep(const Snapshot& now, const Document& document);
  bool waiting() const { return waiting_; }
  // At the end: nothing is left to write. Not OK: text that is in no file could not be kept.
  absl::Status Finish(const Document& document);

  // The program that was open when the window ended; empty: none, or nothing is left of it.
  static std::string LastProgram(const KeptText& kept);

 private:
  absl::Status KeepTyped(const Document& document);
  Engine& engine_;
  KeptText& text_;
  std::string folder_;
  uint64_t kept_generation_ = 0, kept_version_ = 0;
  bool kept_unsaved_ = false;
  std::string kept_path_;
  bool waiting_ = false;
  std::chrono::steady_clock::time_point last_{};
  std::string failure_;  // why the text could not be kept; said once
};

// Marks as text, "entry:4 body@17:3", for files. Nothing where it is not one.
std::string MarkText(const Mark& mark);
bool ParseMarkText(const std::string& text, Mark* mark);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_
