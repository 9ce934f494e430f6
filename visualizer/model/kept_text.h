// Text that was typed and not saved, kept on disk while it is typed, so that it is there at the next start however the window ends.
// Several windows may have the same program: each keeps its text in a place of its own, which it holds as long as it lives. A window takes
// only what no living one holds, so none takes over, or wipes, what another one keeps.
#ifndef HLOSCOPE_VISUALIZER_MODEL_KEPT_TEXT_H_
#define HLOSCOPE_VISUALIZER_MODEL_KEPT_TEXT_H_

#include <optional>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"

namespace hloscope {

class KeptText {
 public:
  // `folder` empty: keeps nothing.
  explicit KeptText(std::string folder) : folder_(std::move(folder)) {}
  ~KeptText();
  KeptText(const KeptText&) = delete;
  KeptText& operator=(const KeptText&) = delete;
  const std::string& folder() const { return folder_; }

  struct Unsaved {
    std::string text;
    std::string base;  // what its file held when it was read (DiskFile::Base); empty: it had none
  };
  // The text of the program that was not saved when it was left: Take makes its place this window's own, until it takes that of another
  // program; Look only looks. Nothing: there is none that no other window holds.
  std::optional<Unsaved> Look(const std::string& path) const;
  std::optional<Unsaved> Take(const std::string& path);
  // Another window that is open now has this program, and changes of it that are not saved.
  bool ChangedElsewhere(const std::string& path) const;
  // Into this window's place; where it has none of this program yet, into a free one.
  absl::Status Keep(const std::string& path, absl::string_view base, absl::string_view text);
  // What this window keeps of it is not wanted any more.
  void Drop(const std::string& path);

  // Programs that are in no file yet (new ones, those of lessons) are named as files of a folder of their own.
  bool IsDraft(const std::string& path) const;
  // A name for another one, which nothing that is kept has, and no other window: "untitled.hlo", "untitled-2.hlo"; not `taken` either.
  std::string DraftName(const std::string& name, const std::string& taken) const;
  // Those whose text is kept, and that no other window holds.
  std::vector<std::string> Drafts() const;

 private:
  std::string Place(const std::string& path, int place) const;  // its file; places are 1, 2, ...
  bool Lock(const std::string& path, int place, bool lock) const;
  bool HeldElsewhere(const std::string& path, int place) const;
  int PlaceOf(const std::string& path, bool with_text) const;  // 0: none
  void Hold(const std::string& path, int place);
  int File() const;  // that is locked byte by byte; -1: it cannot be opened, nothing is held then

  std::string folder_;
  mutable int file_ = -1;
  std::string held_;  // the whole path of the program whose place is held; empty: none
  int held_place_ = 0;
};

// The path from the root, without links where that can be known.
std::string WholePath(const std::string& path);
// The file about a program in the folder of what is kept: its name, and a number that its whole path makes.
std::string KeptFileOf(const std::string& folder, const std::string& path, const std::string& ending);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_MODEL_KEPT_TEXT_H_
