// Keeps what belongs to a session on disk while it goes on, so that nothing is lost however the window ends: breakpoints, watches, catches,
// displays, bookmarks, and text that was not saved. One small JSON file for each program, written whole.
#ifndef HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_
#define HLOSCOPE_VISUALIZER_MODEL_SESSION_KEEPER_H_

#include <chrono>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"

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
  // At the end: nothing is left to write. Not OK: text that is in no file could not be kept.
  absl::Status Finish(const Document& document);

  // Programs that are in no file yet (new ones, those of lessons) are named as files of a folder of their own.
  static bool IsDraft(const std::string& folder, const std::string& path);
  // A name for another one, which nothing that is kept has: "untitled.hlo", "untitled-2.hlo"; not `taken` either.
  static std::string DraftName(const std::string& folder, const std::string& name, const std::string& taken);
  // Those whose text is kept.
  static std::vector<std::string> Drafts(const std::string& folder);

  // The text of a program that was edited and not saved when it was left.
  struct UnsavedText {
    std::string text;
    std::string base;  // what its file held when it was read (DiskFile::Base); empty: it had none
  };
  static std::optional<UnsavedText> Unsaved(const std::string& folder, const std::string& path);
  static void Drop(const std::string& folder, const std::string& path);  // it is not wanted any more
  // The program that was open when the window ended; empty: none, or nothing is left of it.
  static std::string LastProgram(const std::string& folder);

 private:
  absl::Status KeepText(const Document& document);
  Engine& engine_;
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
