// A panel: one file that draws one content, and its row in panels.def. The shell owns windows, tabs, focus and layout.
// A panel draws from the snapshot, asks the session for more through Live (model/live.h), and acts only through commands: `context.run`.
#ifndef HLOSCOPE_VISUALIZER_PANELS_PANEL_H_
#define HLOSCOPE_VISUALIZER_PANELS_PANEL_H_

#include <functional>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <vector>

#include "absl/strings/string_view.h"
#include "visualizer/model/document.h"
#include "visualizer/model/engine.h"
#include "visualizer/model/program_index.h"
#include "visualizer/model/snapshot.h"

namespace hloscope {

// What is selected and hovered, the same in all panels. Pointers are into the snapshot's module; the shell clears them when it changes.
struct Selection {
  const Instruction* instruction = nullptr;
  const Instruction* hovered = nullptr;       // in the frame before: what a panel lights up
  const Instruction* hover_next = nullptr;    // set by the panel under the mouse; becomes `hovered`
  std::vector<int64_t> element;               // index into the selected instruction's value; empty: none
  int leaf = -1;                              // of a tuple's value, the array that `element` is in; -1: it was not said which
  // What `why` or `influence` found last, lit up in the program and the graph. Names, so that they outlive edits.
  std::vector<const Instruction*> slice;
  std::shared_ptr<const SliceParts> slice_parts;  // with the runs that they are of; null: they are not told apart
  uint64_t generation = 0;                    // changes with each selection, so that panels can scroll to it
  bool chosen = false;                        // by a click or a command; not: where the program stopped, where the caret went
  bool reveal = false;                        // in this frame: panels bring the selected instruction into view
};

struct PanelContext {
  Engine& engine;
  Document& document;
  const Snapshot& now;
  ProgramIndex& index;  // what the text says of what runs; Update before it is asked
  Selection& selection;
  // Executes a command as if it had been typed: it is seen in the console.
  std::function<void(std::string command)> run;
  // The same; the panel itself tells what is wrong with it (field_command.h).
  std::function<void(std::string command)> run_here;
  // Opens a text that is in no file as the program; changes of the present one that are not saved are asked about first.
  std::function<void(std::string name, std::string text)> open_text;
  // The program in another text, which is in no file and is called so: the run goes on in it as after an edit, with its stops. Asks first, too.
  std::function<void(std::string name, std::string text)> go_on_as;
  // Selects an instruction in all panels; `element` may be empty.
  std::function<void(const Instruction* instruction, std::vector<int64_t> element)> select;
  // The same, of an array in a tuple's value (Selection::leaf).
  std::function<void(const Instruction* instruction, int leaf, std::vector<int64_t> element)> select_in;
  // Lines of the console, oldest first; grows.
  const std::vector<ConsoleLine>& console;
  // What could stand at the end of a line that begins with "window".
  std::function<std::vector<std::string>(absl::string_view line)> complete_window;
  bool focused = false;  // the panel has the keyboard
};

// How an instruction is named in a command: "%dot.5", with its computation where another one has the same name and it is not in the selected frame.
std::string CommandName(const Snapshot& now, const Instruction& instruction);
// How what is selected is named in one, with the element: "%dot.5[0,1]", "%pair[1][0]". An instruction is selected.
std::string CommandName(const Snapshot& now, const Selection& selection);
// The place of a stop at this instruction alone: "main:v" where another computation has one of that name, "v" where none has.
std::string StopPlace(const Snapshot& now, const Instruction& instruction);

// How a loop is named in texts: as the program's text calls it, with its computation where another loop has that name.
std::string ShownLoop(const Instruction& loop);

// Is a value of the run not what the text, as it has been edited since, makes of it? Then it is shown with kBeforeEdit before it, and
// without its trouble.
bool IsOfBeforeEdit(PanelContext& context, const Instruction& running);
inline constexpr char kBeforeEdit[] = "was ";

class Panel {
 public:
  virtual ~Panel() = default;
  // Draws the content into the current child window (its content region is the panel's).
  virtual void Draw(PanelContext& context) = 0;
  // On the tab; "" the table's title.
  virtual std::string Title(const PanelContext& context) const { return ""; }
  // `window PANEL ARGS`, as "window graph find dot"; the first word is one of the panel's rows in panel_commands.def. False: it cannot be
  // done; `error` says why.
  virtual bool Command(PanelContext& context, absl::string_view args, std::string* error) { return false; }
  // It shows what is selected, so that a command can be about that; not yet: it was behind others, or the answer has not come.
  virtual bool Settled(const PanelContext& context) const { return true; }
  // What it keeps between sessions.
  virtual void Save(nlohmann::json& to) const {}
  virtual void Load(const nlohmann::json& from) {}
  // Space round the content; panels that fill their place say 0.
  virtual float padding() const { return 12; }
};

// A row of panels.def.
struct PanelRow {
  const char* id;       // "program", in commands
  const char* title;
  const char* place;    // where it opens: "main", "middle-left", "middle", "bottom", "graph", "inspector", "value"
  bool open;            // in the standard layout
  const char* keys;     // "" or "Ctrl+1"
  const char* help;     // one line
  std::unique_ptr<Panel> (*make)();
};
const std::vector<PanelRow>& PanelRows();
const PanelRow* FindPanelRow(absl::string_view id);

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_PANEL_H_
