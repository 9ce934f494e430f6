// The window's content: toolbar, panels in their places, timeline, palette, dialogs; selection, keys and settings. Draws with ImGui into the
// present context; who owns the real window (or none) calls Frame. Panels write only their content.
#ifndef HLOSCOPE_VISUALIZER_SHELL_SHELL_H_
#define HLOSCOPE_VISUALIZER_SHELL_SHELL_H_

#include <cstdint>
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <vector>

#include "absl/status/status.h"
#include "imgui.h"
#include "visualizer/model/document.h"
#include "visualizer/model/engine.h"
#include "visualizer/model/kept_text.h"
#include "visualizer/model/run_progress_text.h"
#include "visualizer/panels/panel.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/layout.h"
#include "visualizer/shell/settings.h"
#include "visualizer/widgets/theme.h"

namespace hloscope {

struct ShellOptions {
  std::string config_folder;   // where settings and recovery live; empty: nothing is kept
  KeptText* kept = nullptr;    // what was typed and not saved; not null
  std::string samples_folder;  // example programs for the welcome page; may be missing
  float display_scale = 1;     // of the screen; the user's own factor comes on top
  std::string only_panel;      // draws this panel alone over the whole window
  std::function<absl::Status()> keep_text;  // keeps what is in no file for the next start, before the window closes; not OK: it cannot
  const char* missing_font = nullptr;
};

class Shell {
 public:
  Shell(Engine& engine, Document& document, ShellOptions options);
  ~Shell();

  void Frame();
  bool quitting() const { return quitting_; }
  // What the window must do before the next frame.
  float wanted_scale() const;               // of fonts and sizes
  ui::Scheme wanted_scheme() const { return settings_.light ? ui::Scheme::kLight : ui::Scheme::kDark; }
  std::string window_title() const;
  // Between two frames: keys and letters that were typed have somewhere to go. Not so while a command that a key gave still waits, or the keyboard is
  // on its way to a field; what is typed meanwhile is for that field. Never longer than a moment.
  bool TakesKeys();
  // Files that were dropped on the window.
  void Drop(const std::vector<std::string>& paths);
  // A command, as if it had been typed. Commands of the window act before the next frame is drawn: they may change what is being drawn.
  // What runs the program (RunsProgram, core/debug/command_table.h) takes up edited text first, or is refused where that has problems.
  void Run(const std::string& command);
  // What a key, a button or a menu's row does.
  void Act(const Action& action);
  Settings& settings() { return settings_; }
  const Selection& selection() const { return selection_; }
  Engine& engine() { return engine_; }
  const Document& document() const { return document_; }
  void SaveSettings();

  const std::vector<ConsoleLine>& console() const { return console_; }

 private:
  friend struct WindowCommands;  // window_commands.cc
  friend class SessionKeeper;    // session_keeper.cc
  PanelContext Context();
  void Update();                 // takes what the engine has made since the last frame
  void TakeProgram();            // another program came
  void TakeUnsaved();            // what is kept of it
  void TakeMoment();             // the program moved
  void LookAtFile();             // others may have written it
  void RunWaiting();
  bool WaitsForPanel(absl::string_view command);
  bool WaitsForText(absl::string_view command);
  void RunWindowCommand(const std::string& args);
  void Select(const Instruction* instruction, std::vector<int64_t> element, bool chosen, int leaf = -1);
  void OpenText(const std::string& name, const std::string& text);
  void GoOnAs(const std::string& name, const std::string& text);
  void Execute(const std::string& command);  // by the session, as the text is that it has
  bool HasEdits() const;         // the text is not what would run
  void RunWanted(bool idle);     // a step on the way to wanted_runs_
  void RefuseRun(const std::string& why);
  void Keys();
  void KeepPlaces();
  // toolbar.cc, menus
  void DrawToolbar(float height);
  void DrawRunning(ImVec2 at, float room, float button_y, const Engine::Activity& activity);
  void DrawMenu();
  void OpenMenu(const std::string& name);  // by its key: the arrows move in it
  // tabs.cc
  void DrawNode(LayoutNode& node, ImVec2 min, ImVec2 max, const std::string& name);
  void DrawMerged(LayoutNode& node, ImVec2 min, ImVec2 max, const std::string& name);
  void DrawLeaf(LayoutNode& leaf, ImVec2 min, ImVec2 max, const std::string& name);
  void DrawTabs(LayoutNode& leaf, ImVec2 min, float width);
  void DrawDropTargets();
  void DrawPanel(const std::string& id, ImVec2 min, ImVec2 max);
  Panel& PanelOf(const std::string& id);
  // palette.cc
  void DrawPalette();
  void AskInPalette(const std::string& label, const std::string& command, const std::string& what);
  // guide.cc
  void DrawGuide(ImVec2 min, ImVec2 max);
  // Before there is a program, lessons have the whole window.
  bool LessonsAlone() const { return !guide_ && now_->phase == Phase::kEmpty && focused_panel_ == "lessons" && !welcome_; }
  // welcome.cc
  void DrawWelcome(ImVec2 min, ImVec2 max);
  // file_dialog.cc
  void DrawFileDialog();
  // In the file dialog; the path is written behind the command.
  void AskWhereToSave(const std::string& name, const std::string& command = "window save");
  // question.cc
  struct Question;
  void Ask(Question question);
  void DrawQuestion();
  void DrawRefusal();                         // what was refused, where no console is seen that says so
  float DrawNotice(ImVec2 min, float width);  // what has become of the program's file; its height, 0: nothing

  Engine& engine_;
  Document& document_;
  ShellOptions options_;
  Settings settings_, kept_settings_;  // as they were when this window looked at the disk last
  PanelLayout layout_;
  std::map<std::string, std::unique_ptr<Panel>> panels_;
  std::shared_ptr<const Snapshot> now_;
  ProgramIndex index_;
  Selection selection_;
  std::vector<ConsoleLine> console_;
  std::set<std::string> told_elsewhere_;  // commands of which a panel tells what is wrong
  bool command_told_ = false;             // the last command that the console has is one of them
  std::string refusal_;                   // what the last command did not do and why; empty: it did
  std::vector<std::string> waiting_;  // commands of the window
  double waits_since_ = 0;            // the first of them waits for its panel to show what is selected; 0: it does not
  std::string keyboard_to_;           // a panel that gets the keyboard when it is drawn next
  double keys_held_since_ = 0;        // 0: keys are not held back
  bool seen_error_ = false;
  std::weak_ptr<Session> seen_session_;  // whose program was taken last
  uint64_t seen_program_ = 0, seen_moment_ = 0;
  const Instruction* seen_here_ = nullptr;
  bool seen_finished_ = false;
  uint64_t seen_slice_ = 0;
  int seen_slice_device_ = 0;
  // A question in front of all: each answer is a command. Escape gives the last one.
  struct Question {
    std::string title, text;
    struct Answer {
      std::string id, label, command;
    };
    std::vector<Answer> answers;  // the first is what is meant as a rule
  };
  Question question_;           // no answers: none
  bool question_opened_ = false;
  std::function<void()> leaving_;  // what waits for an answer about changes that are not saved
  uint64_t dropped_ = 0;        // the version of the text that may be dropped for what is being read; 0: none
  std::string renamed_from_;    // what the engine may still call the program
  RunTotal total_;            // of the snapshot of that generation
  uint64_t total_of_ = 0;
  // To be run when the edited text is what runs, in this order: a command, or an action, whose command depends on where the program then
  // is. `applied`: the text was sent, as it was in that version.
  struct WantedRun {
    const Action* action = nullptr;
    std::string command;
  };
  std::vector<WantedRun> wanted_runs_;
  uint64_t wanted_applied_ = 0;
  bool applying_ = false;     // commands are those that take the text up
  std::string last_command_;  // which an empty line may mean again
  std::string refused_run_;   // why the text was not run; of that version, until it changes
  uint64_t refused_run_version_ = 0;
  bool restarting_ = false;   // what runs is being interrupted; then it starts anew
  std::string focused_panel_;
  bool quitting_ = false, welcome_ = false, menu_open_ = false;
  bool guide_ = false;
  std::string guide_text_;  // what is looked for in it
  bool answers_ = false;  // the welcome page has the console at its foot
  bool reveal_next_ = false;
  // A tab that is being dragged.
  std::string dragged_;
  bool border_moved_ = false;  // the border that is being dragged
  struct DropPlace {
    LayoutNode* leaf = nullptr;
    ImVec2 min, max;
  };
  std::vector<DropPlace> drop_places_;
  struct DropTab {
    std::string id;
    ImVec2 min, max;
  };
  std::vector<DropTab> drop_tabs_;
  uint64_t kept_raises_ = 0;       // those that the settings have
  std::deque<LayoutNode> merged_;  // places that are drawn as one in this frame
  ImVec2 menu_at_ = {0, 0};  // where the open menu hangs
  std::string menu_wanted_;  // to be opened
  // The palette: 0 closed, 1 commands, 2 instructions, 3 what an action needs to know.
  int palette_ = 0;
  bool palette_opened_ = false;
  std::string palette_text_;
  int palette_at_ = 0;
  std::string palette_label_, palette_command_, palette_asks_;
  int palette_rows_ = 13;  // of what is offered
  // The dialog for opening a file, or for saving as one.
  struct OpenName {
    std::string name;
    bool folder = false;
    std::string size;
  };
  bool dialog_wanted_ = false, dialog_saves_ = false, open_all_ = false, open_listed_all_ = false;
  bool open_focus_ = false;  // the path is typed next
  std::string dialog_name_;     // that is proposed for saving
  std::string dialog_command_;  // that saves
  std::string open_folder_, open_text_, open_listed_;
  std::vector<OpenName> open_names_;
  // The welcome page.
  struct RecentRow {
    std::string path;
    bool draft = false, kept = false, gone = false;  // in no file; has changes that are not saved; is not there
  };
  std::vector<RecentRow> recent_;
  double recent_looked_ = -1;  // when
  void LookAtRecent();
  std::unique_ptr<class Samples> samples_;
  std::string welcome_text_;
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_SHELL_SHELL_H_
