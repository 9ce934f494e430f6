// Keeps what belongs to a session on disk while it goes on, so that nothing is lost however the window ends: breakpoints, watches, catches,
// displays, bookmarks (kept_stops.h), and text that was not saved (kept_text.h).
#ifndef HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_
#define HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "absl/status/status.h"
#include "visualizer/model/document.h"
#include "visualizer/model/engine.h"
#include "visualizer/model/kept_stops.h"
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
  // The same of stops and bookmarks: what was set a moment ago. Interrupts what runs.
  void FinishStops();

  // The program that was open when the window ended; empty: none, or nothing is left of it.
  static std::string LastProgram(const KeptText& kept);

 private:
  absl::Status KeepTyped(const Document& document);
  void AskToKeep(const std::string& path, std::function<void()> done);  // stops and bookmarks, on the engine's thread
  Engine& engine_;
  KeptText& text_;
  std::string folder_;
  // Of the program that is open: what this window brought to the disk or found there last. The engine's thread alone uses it.
  struct Seen {
    std::string path;
    KeptStops kept;
  };
  std::shared_ptr<Seen> seen_ = std::make_shared<Seen>();
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
