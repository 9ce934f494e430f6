// What stands after `window`: a table, as the console's commands are.
#include "visualizer/shell/window_commands.h"

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <functional>
#include <optional>
#include <system_error>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/base/nearest_name.h"
#include "core/debug/file_words.h"
#include "core/ops/leaf_flow.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/disk_file.h"
#include "visualizer/model/whole_file.h"
#include "visualizer/panels/panel_commands.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/shell.h"

namespace hloscope {

// Handlers; each returns what is wrong, or nothing.
struct WindowCommands {
  using Handler = std::string (*)(Shell&, const std::string&);

  static std::string Open(Shell& s, const std::string& args) {
    if (args.empty()) {
      s.dialog_wanted_ = true;
      s.dialog_saves_ = false;
      return "";
    }
    const absl::StatusOr<std::string> file = WholeFile(args);
    if (!file.ok()) return std::string(file.status().message());
    const std::string path = WithHome(*file);
    std::error_code error;
    if (std::filesystem::exists(path, error)) {
      return Leave(s, [&s, path] { s.engine_.Open(path); });
    }
    // Of a new program, or of a file that is gone, the text may be kept.
    const std::optional<KeptText::Unsaved> kept = s.options_.kept->Look(path);
    if (!kept.has_value()) return absl::StrCat("there is no file ", path);
    return Leave(s, [&s, path, text = kept->text] { s.engine_.OpenText(path, text); });
  }
  static std::string WithHome(const std::string& path) {
    const char* home = std::getenv("HOME");
    return absl::StartsWith(path, "~/") && home != nullptr ? absl::StrCat(home, path.substr(1)) : path;
  }
  // Changes that are not saved are asked about first; what was wanted comes after the answer. `again`: the same program is read again.
  static std::string Leave(Shell& s, std::function<void()> leave, bool again = false) {
    if (!s.document_.unsaved() || s.dropped_ == s.document_.version()) {
      s.leaving_ = nullptr;
      leave();
      return "";
    }
    s.leaving_ = std::move(leave);
    const std::string name = FileName(s.document_.name());
    Shell::Question question;
    question.title = again ? absl::StrCat("Read ", name, " again?") : absl::StrCat("Save ", name, " first?");
    question.text = absl::StrCat(name, " has changes that are not saved.", again ? " They are a step of undo away then." : "");
    if (again) question.answers = {{"discard", "Reload", "window discard"}, {"save-as", "Save as...", "window save-as"}, {"cancel", "Cancel", ""}};
    else question.answers = {{"save", "Save", "window save"}, {"discard", "Don't save", "window discard"}, {"cancel", "Cancel", ""}};
    s.Ask(std::move(question));
    return "";
  }
  static std::string Discard(Shell& s, const std::string& args) {
    if (!s.document_.unsaved()) return "there are no changes that are not saved";
    if (s.leaving_ == nullptr) return "nothing asks about the changes that are not saved";
    s.dropped_ = s.document_.version();
    GoOn(s);
    return "";
  }
  // What waited for the answer.
  static void GoOn(Shell& s) {
    s.question_ = {};
    if (const std::function<void()> next = std::exchange(s.leaving_, nullptr)) next();
  }
  static std::string OpenText(Shell& s, const std::string& name, const std::string& text) {
    return Leave(s, [&s, name, text] { s.engine_.OpenText(s.options_.kept->DraftName(name, s.document_.name()), text); });
  }
  static std::string GoOnAs(Shell& s, const std::string& name, const std::string& text) {
    return Leave(s, [&s, name, text] {
      Document& document = s.document_;
      if (std::exchange(s.dropped_, 0) == document.version()) s.options_.kept->Drop(document.name());
      const std::string before = document.name(), draft = s.options_.kept->DraftName(name, before);
      document.file().Forget();
      document.Reset(draft, text);
      document.MarkUnsaved();
      document.MarkRun(0);
      s.renamed_from_ = s.now_->path;
      s.engine_.Rename(draft);
      s.engine_.AddConsole(ConsoleLine::kNote, absl::StrCat("the program is ", FileName(draft), " now, which is in no file yet (window save); ", FileName(before), " stays as it is"));
      s.Run("window program apply");
    });
  }
  static std::string New(Shell& s, const std::string& args) {
    // Who begins a program writes it, or makes it in the builder. Where both share a place the builder is in front.
    s.layout_.Open("program");
    s.layout_.Open("builder");
    const LayoutNode* place = s.layout_.LeafOf("program");
    s.focused_panel_ = s.keyboard_to_ = place != nullptr && place->active == "program" ? "program" : "builder";
    return OpenText(s, "untitled.hlo", build::NewProgramText());
  }
  static std::string Save(Shell& s, const std::string& args) {
    Document& document = s.document_;
    if (document.empty() || (document.text().empty() && !document.unsaved())) return "there is no text to save";
    absl::string_view rest = args;
    const bool replace = absl::ConsumePrefix(&rest, "/replace");
    const absl::StatusOr<std::string> file = WholeFile(rest);
    if (!file.ok()) return std::string(file.status().message());
    const std::string given = WithHome(*file);
    if (given.empty() && !document.has_file()) return SaveAs(s, "");
    const bool own = document.has_file() && (given.empty() || SameFile(given, document.name()));
    const std::string path = own ? document.name() : given;
    // What others wrote is not written over without a word.
    if (!replace && own && document.file().Look() == DiskFile::State::kChanged) {
      s.Ask({absl::StrCat("Write over ", FileName(path), "?"),
             absl::StrCat(path, " was changed by another program since it was read. Saving writes over what it holds now."),
             {{"save-as", "Save as...", "window save-as"}, {"reload", "Reload", "window reload"}, {"replace", "Write over it", "window save /replace"}, {"cancel", "Cancel", ""}}});
      return "";
    }
    if (!replace && !own && HoldsOther(path, document.text())) {
      s.Ask({absl::StrCat("Replace ", FileName(path), "?"),
             absl::StrCat(path, " is there already and holds something else."),
             {{"other", "Another name...", "window save-as"}, {"replace", "Replace it", absl::StrCat("window save /replace ", FileWord(path))}, {"cancel", "Cancel", ""}}});
      return "";
    }
    const absl::Status written = SaveFile(path, document.text());
    if (!written.ok()) {
      s.leaving_ = nullptr;
      s.Ask({absl::StrCat(FileName(path), " is not saved"), absl::StrCat(written.message(), ". The text is as it was."), {{"save-as", "Save elsewhere...", "window save-as"}, {"cancel", "Cancel", ""}}});
      return std::string(written.message());
    }
    if (path != document.name()) {
      s.options_.kept->Drop(document.name());
      s.renamed_from_ = s.now_->path;
      document.Rename(path);
      s.engine_.Rename(path);
    }
    document.MarkSaved();
    s.settings_.Remember(path);
    s.SaveSettings();
    s.engine_.AddConsole(ConsoleLine::kNote, absl::StrCat("saved ", path));
    GoOn(s);
    return "";
  }
  static bool SameFile(const std::string& a, const std::string& b) {
    std::error_code error;
    return std::filesystem::weakly_canonical(std::filesystem::absolute(a, error), error) == std::filesystem::weakly_canonical(std::filesystem::absolute(b, error), error);
  }
  static std::string FileName(const std::string& path) { return std::filesystem::path(path).filename().string(); }
  static std::string SaveAs(Shell& s, const std::string& args) {
    if (s.document_.empty() || (s.document_.text().empty() && !s.document_.unsaved())) return "there is no text to save";
    s.AskWhereToSave(s.document_.name());
    return "";
  }
  static std::string AskFile(Shell& s, const std::string& args) {
    absl::string_view command = args;
    const absl::StatusOr<std::string> file = TakeFile(command);
    if (!file.ok()) return std::string(file.status().message());
    if (command.empty()) return "window ask-file takes a file's name and the command that writes it, as: window ask-file x.npy save %x";
    s.AskWhereToSave(*file, std::string(command));
    return "";
  }
  static std::string Reload(Shell& s, const std::string& args) {
    const std::string path = s.document_.file().path();
    std::error_code error;
    if (path.empty()) return s.now_->path.empty() ? "no program is open" : absl::StrCat(FileName(s.document_.name()), " is in no file; window save puts it into one");
    if (!std::filesystem::exists(path, error)) return absl::StrCat(path, " is not there any more; window save writes it again");
    return Leave(s, [&s, path] { s.engine_.Open(path); }, /*again=*/true);
  }
  static std::string Mine(Shell& s, const std::string& args) {
    if (s.document_.file().state() != DiskFile::State::kChanged) return "the file has not been changed by others";
    s.document_.file().Accept();
    s.document_.MarkUnsaved();
    return "";
  }
  static std::string Forget(Shell& s, const std::string& args) {
    auto& recent = s.settings_.recent;
    const auto found = std::find(recent.begin(), recent.end(), WholeFile(args).value_or(args));
    if (found == recent.end()) return absl::StrCat(args, " is not among the recent programs");
    recent.erase(found);
    s.recent_looked_ = -1;
    s.SaveSettings();
    return "";
  }
  static std::string Welcome(Shell& s, const std::string& args) {
    s.welcome_ = !s.welcome_ || s.guide_;
    s.guide_ = false;
    s.answers_ = false;
    if (s.focused_panel_ == "lessons") s.focused_panel_.clear();  // without a program the lessons stand in its place
    return "";
  }
  static std::string Guide(Shell& s, const std::string& args) {
    s.guide_ = !s.guide_ || !args.empty();
    s.guide_text_ = args;
    return "";
  }
  static std::string Learn(Shell& s, const std::string& args) {
    const std::string error = args.empty() ? "" : ToPanel(s, "lessons", absl::StrCat("open ", args));
    if (!error.empty()) return error;
    s.welcome_ = s.guide_ = false;
    return PanelOpen(s, "lessons");
  }
  static std::string Keep(Shell& s, const std::string& args) {
    s.SaveSettings();
    return "";
  }
  static std::string Quit(Shell& s, const std::string& args) {
    // What is not saved comes back at the next start; where it cannot, it is asked about.
    if (!s.options_.keep_text || s.options_.keep_text().ok()) {
      s.quitting_ = true;
      return "";
    }
    return Leave(s, [&s] { s.quitting_ = true; });
  }
  static std::string Pause(Shell& s, const std::string& args) {
    if (s.engine_.activity().what.empty()) return "nothing runs that could be interrupted";
    s.engine_.Cancel();
    return "";
  }
  static std::string Restart(Shell& s, const std::string& args) {
    if (s.now_->session == nullptr && s.now_->phase != Phase::kBroken) return "there is no program to start";
    s.restarting_ = true;
    return "";
  }
  static std::string CancelWaiting(Shell& s, const std::string& args) {
    const std::vector<Engine::Waiting> waiting = s.engine_.waiting();
    if (waiting.empty()) return "no command waits";
    int number = 0;
    if (!args.empty() && (!absl::SimpleAtoi(args, &number) || number < 1 || number > static_cast<int>(waiting.size()))) {
      return absl::StrCat("window cancel takes the number of a command that waits, from 1 to ", waiting.size());
    }
    for (size_t k = 0; k < waiting.size(); ++k) {
      if (number == 0 || static_cast<int>(k) + 1 == number) s.engine_.Withdraw(waiting[k].number);
    }
    return "";
  }
  static std::string Slice(Shell& s, const std::string& args) {
    if (args != "off") return "window slice takes off";
    if (s.selection_.slice.empty()) return "no slice is lit up; why and influence light one up";
    s.selection_.slice.clear();
    s.selection_.slice_parts = nullptr;
    return "";
  }
  static std::string Menu(Shell& s, const std::string& args) {
    for (const char* menu : MenuNames()) {
      if (!absl::EqualsIgnoreCase(menu, args)) continue;
      s.OpenMenu(menu);
      return "";
    }
    return absl::StrCat("there is no menu '", args, "'; there are ", absl::StrJoin(MenuNames(), ", "));
  }
  static std::string PanelOpen(Shell& s, const std::string& args) {
    if (FindPanelRow(args) == nullptr) return absl::StrCat("there is no panel '", args, "'; there are ", PanelNames());
    if (args != "timeline") s.layout_.Open(args);  // which stands at the foot of the window, wherever else it has no place
    s.focused_panel_ = s.keyboard_to_ = args;
    s.SaveSettings();
    return "";
  }
  static std::string PanelMove(Shell& s, const std::string& args) {
    const std::vector<std::string> words = absl::StrSplit(args, ' ', absl::SkipEmpty());
    const auto side = std::find(std::begin(kSideWords), std::end(kSideWords), words.size() == 3 ? words[1] : "");
    if (side == std::end(kSideWords))
      return absl::StrCat("window move takes a panel, one of ", absl::StrJoin(kSideWords, ", "), ", and another panel");
    for (const std::string& id : {words[0], words[2]}) {
      if (FindPanelRow(id) == nullptr) return absl::StrCat("there is no panel '", id, "'; there are ", PanelNames());
    }
    if (words[0] == "timeline") return "the timeline stays: it stands at the foot of the window";
    LayoutNode* to = s.layout_.LeafOf(words[2]);
    if (to == nullptr) return absl::StrCat("the panel '", words[2], "' is not open");
    if (!s.layout_.IsOpen(words[0])) s.layout_.Open(words[0]);
    const auto where = static_cast<Side>(side - std::begin(kSideWords));
    if (where == Side::kBefore || where == Side::kBehind) {
      s.layout_.MoveTab(words[0], words[2], where == Side::kBehind);
    } else if (words[0] != words[2]) {
      s.layout_.Move(words[0], *s.layout_.LeafOf(words[2]), where);
    }
    s.focused_panel_ = words[0];
    s.SaveSettings();
    return "";
  }
  static std::string Border(Shell& s, const std::string& args) {
    const std::vector<std::string> words = absl::StrSplit(args, ' ', absl::SkipEmpty());
    float percent = 0;
    if (words.size() != 3 || !absl::SimpleAtof(absl::StripSuffix(words[2], "%"), &percent) || !(percent >= 5 && percent <= 95)) {
      return "window border takes a panel, another one, and how much of both sides the first one's gets, from 5% to 95%";
    }
    for (const std::string& id : {words[0], words[1]}) {
      if (FindPanelRow(id) == nullptr) return absl::StrCat("there is no panel '", id, "'; there are ", PanelNames());
      if (s.layout_.LeafOf(id) == nullptr) return absl::StrCat("the panel '", id, "' is not open", id == "timeline" ? " in a place of its own" : "");
    }
    bool first = false;
    LayoutNode* split = s.layout_.SplitBetween(words[0], words[1], &first);
    if (split == nullptr) return absl::StrCat("no border lies between ", words[0], " and ", words[1], ": they share a place");
    split->share() = (first ? percent : 100 - percent) / 100;
    s.SaveSettings();
    return "";
  }
  static std::string PanelClose(Shell& s, const std::string& args) {
    const std::string id = args.empty() ? s.focused_panel_ : args;
    if (id.empty()) return "click into a panel first, or name one";
    if (id == "timeline") return "the timeline stays: it stands at the foot of the window";
    if (!s.layout_.IsOpen(id)) return absl::StrCat("the panel '", id, "' is not open");
    s.layout_.Close(id);
    if (id == s.focused_panel_) s.focused_panel_.clear();
    s.SaveSettings();
    return "";
  }
  static std::string Tab(Shell& s, const std::string& args) {
    if (args != "next" && args != "previous") return "window tab takes next or previous";
    LayoutNode* leaf = s.layout_.LeafOf(s.focused_panel_.empty() ? "program" : s.focused_panel_);
    if (leaf == nullptr) return "click into a panel first";
    const auto at = std::find(leaf->tabs.begin(), leaf->tabs.end(), leaf->active) - leaf->tabs.begin();
    const size_t count = leaf->tabs.size();
    return PanelOpen(s, leaf->tabs[(static_cast<size_t>(at) + (args == "next" ? 1 : count - 1)) % count]);
  }
  static std::string Select(Shell& s, const std::string& args) {
    const size_t bracket = std::min(args.find('['), args.size());
    const absl::string_view name = absl::string_view(args).substr(0, bracket);
    absl::string_view index = absl::string_view(args).substr(bracket);
    const Instruction* found = Find(s, name);
    if (found == nullptr) return absl::StrCat("there is no instruction '", name, "'");
    int leaf = -1;
    if (found->shape.IsTuple() && !index.empty()) {
      const int count = LeafCountOf(found->shape);
      for (int k = 0; k < count && leaf < 0; ++k) {
        if (absl::ConsumePrefix(&index, LeafPathText(found->shape, k))) leaf = k;
      }
      if (leaf < 0) return absl::StrCat(name, " is a tuple: the element of the tuple comes first, as ", name, count == 0 ? "[0]" : LeafPathText(found->shape, 0), "[0,1]");
    }
    std::vector<int64_t> element;
    for (absl::string_view part = index.substr(std::min<size_t>(1, index.size())); !part.empty();) {
      const size_t end = part.find_first_of(",]");
      int64_t at = 0;
      if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(part.substr(0, end)), &at)) return absl::StrCat("'", args, "': an index is a list of numbers");
      element.push_back(at);
      part = end == absl::string_view::npos ? "" : part.substr(end + 1);
    }
    s.Select(found, std::move(element), /*chosen=*/true, leaf);
    return "";
  }
  static std::string Theme(Shell& s, const std::string& args) {
    if (args != "dark" && args != "light") return "window theme takes dark or light";
    s.settings_.light = args == "light";
    s.SaveSettings();
    return "";
  }
  static std::string Scale(Shell& s, const std::string& args) {
    float scale = s.settings_.scale;
    if (args == "+" || args == "-") {
      scale *= args == "+" ? 1.125f : 1 / 1.125f;
    } else if (!absl::SimpleAtof(args, &scale)) {
      return "window scale takes a factor, + or -";
    }
    s.settings_.scale = std::clamp(scale, 0.5f, 3.0f);
    s.SaveSettings();
    return "";
  }
  static std::string Motion(Shell& s, const std::string& args) {
    s.settings_.motion = !s.settings_.motion;
    ui::TheLook().motion = s.settings_.motion;
    s.SaveSettings();
    return "";
  }
  static std::string Reset(Shell& s, const std::string& args) {
    s.layout_.Reset();
    s.SaveSettings();
    return "";
  }
  static std::string Palette(Shell& s, const std::string& args) { return OpenPalette(s, 1); }
  static std::string Jump(Shell& s, const std::string& args) { return OpenPalette(s, 2); }
  static std::string Type(Shell& s, const std::string& args) {
    s.layout_.Open("console");
    PanelContext context = s.Context();
    std::string error;
    s.PanelOf("console").Command(context, absl::StrCat("type ", args), &error);
    return error;
  }
  static std::string Breakpoint(Shell& s, const std::string& args) {
    const Instruction* at = s.selection_.instruction;
    if (at == nullptr) return "select an instruction first";
    // The same key takes it away again.
    for (const StopRow& stop : s.now_->stops) {
      if (stop.kind == StopRow::kBreak && std::find(stop.at.begin(), stop.at.end(), at) != stop.at.end() && stop.at.size() == 1) {
        s.Run(absl::StrCat("delete ", stop.number));
        return "";
      }
    }
    s.Run(absl::StrCat("break ", StopPlace(*s.now_, *at)));
    return "";
  }
  static std::string Why(Shell& s, const std::string& args) {
    if (s.selection_.instruction == nullptr) return "select an element first";
    s.Run(absl::StrCat("why ", CommandName(*s.now_, s.selection_)));
    return "";
  }
  static std::string Explain(Shell& s, const std::string& args) {
    if (s.selection_.instruction == nullptr) return "select an instruction first";
    s.Run(absl::StrCat("explain ", CommandName(*s.now_, *s.selection_.instruction)));
    return "";
  }
  static std::string Find(Shell& s, const std::string& args) {
    s.layout_.Open("program");
    return ToPanel(s, "program", absl::StrCat("find ", args));
  }
  static std::string Replace(Shell& s, const std::string& args) {
    s.layout_.Open("program");
    return ToPanel(s, "program", absl::StrCat("replace ", args));
  }
  static std::string Rename(Shell& s, const std::string& args) {
    s.layout_.Open("program");
    return ToPanel(s, "program", absl::StrCat("rename ", args));
  }
  static std::string Undo(Shell& s, const std::string& args) { return ToPanel(s, "program", "undo"); }
  static std::string Redo(Shell& s, const std::string& args) { return ToPanel(s, "program", "redo"); }
  static std::string Help(Shell& s, const std::string& args) {
    if (!args.empty() && FindPanelRow(args) == nullptr) return absl::StrCat("there is no panel '", args, "'; there are ", PanelNames());
    std::vector<std::pair<std::string, std::string>> rows;
    for (const PanelCommandRow& row : PanelCommandRows()) {
      if (args == row.panel) rows.emplace_back(hloscope::UsageOf(row), row.help);
    }
    if (!args.empty() && rows.empty()) return PanelCommandsText(args);
    if (args.empty()) {
      for (const WindowCommandRow& row : WindowCommandRows()) rows.emplace_back(UsageOf(row), row.help);
      rows.emplace_back("window PANEL ...", absl::StrCat("what a panel can do, which window help PANEL lists: ", PanelNames()));
    }
    size_t width = 0;
    for (const auto& [usage, help] : rows) width = std::max(width, usage.size());
    for (const auto& [usage, help] : rows) {
      s.engine_.AddConsole(ConsoleLine::kOutput, absl::StrCat("  ", usage, std::string(width + 2 - usage.size(), ' '), help));
    }
    return "";
  }

  static std::string UsageOf(const WindowCommandRow& row) { return absl::StrCat("window ", row.name, *row.synopsis != 0 ? " " : "", row.synopsis); }
  static std::string ToPanel(Shell& s, const std::string& id, const std::string& args) {
    if (FindPanelRow(id) == nullptr) return absl::StrCat("there is no panel '", id, "'");
    if (FindPanelCommand(id, args.substr(0, args.find(' '))) == nullptr) return PanelCommandsText(id);
    PanelContext context = s.Context();
    std::string error;
    if (s.PanelOf(id).Command(context, args, &error)) return "";
    return error.empty() ? absl::StrCat("the panel ", id, " cannot do '", args, "' now") : error;
  }
  static std::string OpenPalette(Shell& s, int which) {
    s.palette_ = which;
    s.palette_opened_ = true;
    s.palette_text_.clear();
    s.palette_at_ = 0;
    return "";
  }
  static std::string PanelNames() {
    std::string names;
    for (const PanelRow& row : PanelRows()) absl::StrAppend(&names, names.empty() ? "" : ", ", row.id);
    return names;
  }
  // By name, in the selected frame's computation first; "computation:name" too.
  static const Instruction* Find(Shell& s, absl::string_view name) {
    absl::ConsumePrefix(&name, "%");
    const Module* module = s.now_->module;
    if (module == nullptr) return nullptr;
    if (const size_t colon = name.find(':'); colon != absl::string_view::npos) {
      const Computation* computation = module->FindComputation(name.substr(0, colon));
      return computation != nullptr ? computation->FindInstruction(name.substr(colon + 1)) : nullptr;
    }
    if (const FrameRow* frame = s.now_->frame()) {
      if (const Instruction* found = frame->computation->FindInstruction(name)) return found;
    }
    if (module->entry != nullptr) {
      if (const Instruction* found = module->entry->FindInstruction(name)) return found;
    }
    for (const Computation* computation : module->computations) {
      if (const Instruction* found = computation->FindInstruction(name)) return found;
    }
    return nullptr;
  }
};

namespace {

struct Row {
  WindowCommandRow row;
  WindowCommands::Handler handler;
};

const std::vector<Row>& Rows() {
  static const auto& rows = *new std::vector<Row>{
#define X(name, synopsis, help, Handler) {{name, synopsis, help, false}, WindowCommands::Handler},
#define T(name, synopsis, help, Handler) {{name, synopsis, help, true}, WindowCommands::Handler},
#include "visualizer/shell/window_commands.def"
#undef T
#undef X
  };
  return rows;
}

}  // namespace

const std::vector<WindowCommandRow>& WindowCommandRows() {
  static const auto& rows = *[] {
    auto* made = new std::vector<WindowCommandRow>;
    for (const Row& row : Rows()) made->push_back(row.row);
    return made;
  }();
  return rows;
}

void Shell::OpenText(const std::string& name, const std::string& text) { WindowCommands::OpenText(*this, name, text); }

// What changes the program's instructions is about the text as it is: after a change of a long one that is read first, however fast one types.
bool Shell::WaitsForText(absl::string_view command) {
  const std::vector<absl::string_view> words = absl::StrSplit(command, ' ', absl::SkipWhitespace());
  if (words.empty() || document_.empty() || (now_->unreadable && document_.name() == now_->path)) return false;
  const std::vector<WindowCommandRow>& rows = WindowCommandRows();
  const auto row = std::find_if(rows.begin(), rows.end(), [&](const WindowCommandRow& r) { return words[0] == r.name; });
  const PanelCommandRow* of_panel = words.size() > 1 ? FindPanelCommand(words[0], words[1]) : nullptr;
  const bool of_text = (row != rows.end() && row->of_text) || (of_panel != nullptr && of_panel->of_text);
  return of_text && document_.FreshReading() == nullptr;
}

void Shell::GoOnAs(const std::string& name, const std::string& text) { WindowCommands::GoOnAs(*this, name, text); }

// A panel behind others does not follow what is selected: it comes to the front first. Where its answer does not come, as a run goes on or
// it takes long, the command is about what there is.
bool Shell::WaitsForPanel(absl::string_view command) {
  constexpr double kLongest = 3;
  const std::vector<absl::string_view> words = absl::StrSplit(command, ' ', absl::SkipWhitespace());
  if (words.size() < 2 || FindPanelRow(words[0]) == nullptr || FindPanelCommand(words[0], words[1]) == nullptr) return false;
  const bool drawn = !welcome_ && now_->phase != Phase::kEmpty && (options_.only_panel.empty() || options_.only_panel == words[0]);
  if (!drawn || PanelOf(std::string(words[0])).Settled(Context())) {
    waits_since_ = 0;
    return false;
  }
  if (waits_since_ == 0) {
    waits_since_ = ImGui::GetTime();
    if (options_.only_panel.empty()) layout_.Open(words[0]);
    return true;
  }
  const std::string what = engine_.activity().what;
  if ((what.empty() || what == "looking") && ImGui::GetTime() - waits_since_ < kLongest) return true;
  waits_since_ = 0;
  return false;
}

void Shell::RunWindowCommand(const std::string& command) {
  absl::string_view args = absl::StripAsciiWhitespace(command);
  const size_t space = args.find(' ');
  const std::string word(args.substr(0, space));
  const std::string rest(space == absl::string_view::npos ? "" : absl::StripAsciiWhitespace(args.substr(space)));
  std::string error;
  const auto row = std::find_if(Rows().begin(), Rows().end(), [&](const Row& r) { return word == r.row.name; });
  if (row != Rows().end()) {
    error = row->handler(*this, rest);
  } else if (FindPanelRow(word) != nullptr) {
    error = WindowCommands::ToPanel(*this, word, rest);
    // Where what it did is seen; but whatever runs, and the builder at each change, takes up the text, which is no reason to look at it.
    if (const PanelRow* panel = PanelOfAnswer(absl::StrCat("window ", args)); panel != nullptr && error.empty() && args != "program apply") {
      // Lessons are there without a program, too.
      if (panel->id == absl::string_view("lessons")) WindowCommands::Learn(*this, "");
      else layout_.Open(panel->id);
    }
  } else {
    int64_t budget = 1 << 16;
    NearestName nearest(word, &budget);
    for (const Row& r : Rows()) nearest.Offer(r.row.name);
    error = absl::StrCat("the window has no command '", word, "'; ", nearest.Hint().empty() ? "window help lists them" : nearest.Hint());
  }
  if (!error.empty()) engine_.AddConsole(ConsoleLine::kError, error);
}

}  // namespace hloscope
