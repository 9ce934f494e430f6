// The model's own source beside the program: finding the files that metadata names, their lines, and which instructions come from a line.
// Not for the program's text (inspect.cc), nor for places to stop (locations.h).
#ifndef HLOSCOPE_CORE_DEBUG_SOURCE_VIEW_H_
#define HLOSCOPE_CORE_DEBUG_SOURCE_VIEW_H_

#include <map>
#include <memory>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "absl/strings/string_view.h"
#include "core/base/source.h"
#include "core/debug/session_state.h"
#include "core/debug/timeline.h"
#include "core/ir/module.h"

namespace hloscope {

// A line of a Python file; `line` 0: the text names none.
struct SourceLine {
  absl::string_view file;
  int line = 0;
  bool known() const { return line > 0 && !file.empty(); }
  friend bool operator==(const SourceLine&, const SourceLine&) = default;
};

// The line of the innermost frame of an instruction.
SourceLine SourceLineOf(const Module& module, const Instruction& instruction);
// "model.py:12".
std::string ToText(const SourceLine& line);

// What a session knows about source files.
class SourceView {
 public:
  // Directories, separated by colons. Files are looked for again.
  void SetPath(absl::string_view path);
  const std::vector<std::string>& path() const { return directories_; }
  // The file that metadata calls `file`: at that path, or at a part of it (model/net.py, net.py) in a directory of the path, in the
  // program's own, or in the current one. Null where it is nowhere.
  const SourceText* Find(const Module& module, absl::string_view file);
  // Where it was found; empty: nowhere.
  std::string PlaceOf(const Module& module, absl::string_view file);
  // The line's text without white space around it; empty where the file or the line is not there.
  std::string TextOf(const Module& module, const SourceLine& line);
  // How many instructions have a line of `file` as their innermost frame, by line.
  const std::map<int, int>& Counts(const Module& module, absl::string_view file);

  // What `list` shows next, where it showed a source file; empty: the program's text.
  std::string listed_file;
  // Files whose absence has been said.
  std::map<std::string, bool> said;

 private:
  struct File {
    std::string place;
    std::unique_ptr<SourceText> text;
  };
  std::vector<std::string> directories_;
  std::map<std::string, File, std::less<>> files_;
  std::map<std::string, std::map<int, int>, std::less<>> counts_;
};

// "/src/model.py is not here; set source-path DIR[:DIR] says where to look".
std::string SourceMissingText(absl::string_view file);
// As PythonFramesText (explain.h), each frame followed by its line of the source where that is found.
std::string PythonFramesWithSource(Session::State& s, const Instruction& instruction, absl::string_view indent);
// `list` where it means the model's source: handles "", "-", "source", and FILE:LINE. False: `list` goes on with the program's text.
bool ListSource(Session::State& s, absl::string_view args, absl::Status* status);
// set source-path DIR[:DIR].
absl::Status SetSourcePath(Session::State& s, absl::string_view path);
absl::Status InfoLine(Session::State& s, absl::string_view args);
// `step line [N]` (into calls, loops and branches) and `next line [N]`.
absl::Status StepLine(Session::State& s, absl::string_view args, bool into);
// Back to the last place before this one at which step line (`into`) or next line stops. False: there is none, and the program stands at its
// beginning.
absl::StatusOr<bool> BackOneLine(Session::State& s, Timeline& timeline, bool into);
// An error where nothing in the program's text names a source line.
absl::Status NeedSourceLines(const Module& module);
// The line that an instruction begins or goes on with when one goes by lines; unknown: it belongs to the line before it.
SourceLine SteppedLine(const Module& module, const Instruction& instruction);
// "model.py:12<tab>y = f(x)" of the instruction where the program stands, with a newline; empty: it has no line.
std::string SourceLineHere(Session::State& s);

}  // namespace hloscope

#endif  // HLOSCOPE_CORE_DEBUG_SOURCE_VIEW_H_
