// The text of the program as it is being edited: its lines, undo, and what the reader says of it. Shared by the program panel, which edits
// it as text, and the builder, which writes instructions into it: so undo covers both, and each follows the other.
// Reading goes on beside the window, after each change; the newest reading that is done is `reading()`.
#ifndef HLOSCOPE_VISUALIZER_MODEL_DOCUMENT_H_
#define HLOSCOPE_VISUALIZER_MODEL_DOCUMENT_H_

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <functional>
#include <memory>
#include <mutex>
#include <string>
#include <thread>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/model/disk_file.h"
#include "visualizer/model/engine.h"

namespace hloscope {

// What the reader makes of one version of the text.
struct Reading {
  uint64_t version = 0;
  std::shared_ptr<const SourceText> source;  // what the ranges point into
  std::shared_ptr<const Module> module;      // for looking at; null: nothing could be read
  std::vector<Diagnostic> problems;
  bool ok = false;                           // can be run
};

class Document {
 public:
  Document(Wiring wiring, std::function<void()> wake);
  ~Document();

  // Begins anew with a text that the session has: undo is empty, not changed. The file stays: who knows that it is another one says so.
  void Reset(std::string name, std::string text);
  const std::string& name() const { return name_; }
  const std::string& text() const { return text_; }
  uint64_t version() const { return version_; }  // another one after each change
  bool empty() const { return text_.empty() && name_.empty(); }
  // Not what the session runs.
  bool changed() const { return version_ != run_version_; }
  // Not what the file holds.
  bool unsaved() const { return version_ != saved_version_; }
  void MarkRun(uint64_t version) { run_version_ = version; }
  // The file `name()` holds the text as it is; a binary program's file holds what the text was made of.
  void MarkSaved() {
    saved_version_ = version_;
    file_.Take(name_, text_);
  }
  // No file holds the text, whatever undo may come back to.
  void MarkUnsaved() { saved_version_ = 0; }
  // The file that the program is in: saving writes it where has_file(). Not so: a text that was never saved, or that was made of a binary program.
  DiskFile& file() { return file_; }
  const DiskFile& file() const { return file_; }
  bool has_file() const { return file_.holds_text() && file_.path() == name_; }
  // Looks at the file where its watch has seen something; once a frame.
  void WatchFile();
  // The text is another file's from now on; what it is otherwise stays.
  void Rename(std::string name);
  // The text as it is goes to the session; the program that comes back may be this one though the text was edited on meanwhile.
  void MarkSent();
  // The text as it is was sent, and has not come back.
  bool sent() const { return !sent_.empty() && sent_.back().version == version_; }
  // The session runs a program of this text now. False: it is not the one that was sent.
  bool RunsSent(absl::string_view text);

  // -- Lines, from 0 --
  int line_count() const { return static_cast<int>(starts_.size()); }
  int64_t line_begin(int line) const { return starts_[line]; }
  absl::string_view line(int line) const;  // without its newline
  int LineAt(int64_t offset) const;

  // -- Changing. One call is one step of undo; calls with the same `join` (not empty) right after each other are one step --
  // `cursor_before` and `cursor_after` come back with undo and redo.
  void Replace(int64_t begin, int64_t end, absl::string_view text, int64_t cursor_before, int64_t cursor_after, absl::string_view join = "");
  struct Cursor {
    bool moved = false;
    int64_t at = 0;
  };
  Cursor Undo();
  Cursor Redo();
  bool can_undo() const { return !undo_.empty(); }
  bool can_redo() const { return !redo_.empty(); }

  // The newest reading that is done; null before the first. Its version may be older than version().
  std::shared_ptr<const Reading> reading() const;
  bool reading_is_current() const;
  // Of the text as it is. A short one is read here and now where that has not been done yet, so that one change can follow another at once;
  // null: it is being read.
  std::shared_ptr<const Reading> FreshReading();

 private:
  struct Change {
    int64_t at = 0;
    std::string removed, added;
    int64_t cursor_before = 0, cursor_after = 0;
    std::string join;
    uint64_t version_before = 0, version_after = 0;
  };
  void Apply(int64_t at, int64_t removed, absl::string_view added);
  void AskForReading();
  void Loop();
  std::shared_ptr<const Reading> Read(uint64_t version, const std::string& name, std::string text) const;

  Wiring wiring_;
  std::function<void()> wake_;
  std::string name_, text_;
  DiskFile file_;
  FileWatch watch_;
  std::vector<int64_t> starts_ = {0};
  uint64_t version_ = 0, next_version_ = 1, run_version_ = 0, saved_version_ = 0;
  std::vector<Change> undo_, redo_;
  struct Sent {
    uint64_t version = 0;
    std::string text;
  };
  std::deque<Sent> sent_;  // of which nobody has said yet that they run, the oldest first

  mutable std::mutex mutex_;
  std::condition_variable wanted_;
  bool quitting_ = false;
  bool wants_reading_ = false;
  uint64_t wanted_version_ = 0;
  std::string wanted_name_, wanted_text_;
  std::shared_ptr<const Reading> reading_;
  std::shared_ptr<const Reading> fresh_;  // that FreshReading made
  std::thread reader_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_DOCUMENT_H_
