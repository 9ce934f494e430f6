// What stands after `window`: a table, as the console's commands are.
#include <algorithm>
#include <cstdlib>
#include <fstream>
#include <functional>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/text/nearest_name.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/whole_file.h"
#include "visualizer/shell/shell.h"
#include "visualizer/shell/window_commands.h"

namespace hloscope {

// Handlers; each returns what is wrong, or nothing.
struct WindowCommands {
  using Handler = std::string (*)(Shell&, const std::string&);

  static std::string Open(Shell& s, const std::string& args) {
    if (args.empty()) {
      s.open_dialog_ = true;
      return "";
    }
    return Leave(s, absl::StrCat("open ", args), [&] { s.engine_.Open(args); });
  }
  // Another program takes the text's place: changes that are in no file are not dropped without a word.
  static std::string Leave(Shell& s, const std::string& what, const std::function<void()>& leave) {
    if (s.document_.unsaved() && s.refused_open_ != what) {
      s.refused_open_ = what;
      s.welcome_ = false;
      s.layout_.Open("console");  // which says so
      return absl::StrCat(s.document_.name(), " has changes that are not saved: window save keeps them; the same again drops them");
    }
    s.refused_open_.clear();
    leave();
    return "";
  }
  static std::string New(Shell& s, const std::string& args) {
    return Leave(s, "new", [&] {
      s.engine_.OpenText("untitled.hlo", build::NewProgramText());
      s.layout_.Open("builder");
    });
  }
  // The file is there and begins with something that no text holds.
  static bool HoldsBytes(const std::string& path) {
    std::ifstream file(path, std::ios::binary);
    char head[4096];
    file.read(head, sizeof(head));
    return std::any_of(head, head + file.gcount(), [](char c) { return static_cast<unsigned char>(c) < 32 && c != '\n' && c != '\r' && c != '\t' && c != '\f'; });
  }
  static std::string Save(Shell& s, const std::string& args) {
    if (s.document_.empty()) return "there is no program to save";
    std::string path = args.empty() ? s.document_.name() : args;
    // The text of a binary program does not go over its file.
    if (args.empty() && HoldsBytes(path)) path += ".hlo";
    const absl::Status written = WriteWholeFile(path, s.document_.text());
    if (!written.ok()) return std::string(written.message());
    s.document_.MarkSaved();
    s.engine_.AddConsole(ConsoleLine::kNote, absl::StrCat("saved ", path));
    return "";
  }
  static std::string Reload(Shell& s, const std::string& args) {
    if (s.now_->path.empty()) return "no program is open";
    return Leave(s, "reload", [&] { s.engine_.Open(s.now_->path); });
  }
  static std::string Welcome(Shell& s, const std::string& args) {
    s.welcome_ = !s.welcome_;
    if (s.focused_panel_ == "lessons") s.focused_panel_.clear();  // without a program the lessons stand in its place
    return "";
  }
  static std::string Learn(Shell& s, const std::string& args) {
    const std::string error = args.empty() ? "" : ToPanel(s, "lessons", absl::StrCat("open ", args));
    if (!error.empty()) return error;
    s.welcome_ = false;
    return PanelOpen(s, "lessons");
  }
  static std::string Keep(Shell& s, const std::string& args) {
    s.SaveSettings();
    return "";
  }
  static std::string Quit(Shell& s, const std::string& args) {
    s.quitting_ = true;
    return "";
  }
  static std::string Pause(Shell& s, const std::string& args) {
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
    s.selection_.slice.clear();
    return "";
  }
  static std::string PanelOpen(Shell& s, const std::string& args) {
    if (FindPanelRow(args) == nullptr) return absl::StrCat("there is no panel '", args, "'; there are ", PanelNames());
    if (args != "timeline") s.layout_.Open(args);  // which stands at the foot of the window, wherever else it has no place
    s.focused_panel_ = s.keyboard_to_ = args;
    s.SaveSettings();
    return "";
  }
  static std::string PanelClose(Shell& s, const std::string& args) {
    if (!s.layout_.IsOpen(args)) return absl::StrCat("the panel '", args, "' is not open");
    s.layout_.Close(args);
    s.SaveSettings();
    return "";
  }
  static std::string Select(Shell& s, const std::string& args) {
    absl::string_view name = args;
    std::vector<int64_t> element;
    if (const size_t bracket = name.find('['); bracket != absl::string_view::npos) {
      for (absl::string_view part = name.substr(bracket + 1); !part.empty();) {
        const size_t end = part.find_first_of(",]");
        int64_t index = 0;
        if (!absl::SimpleAtoi(absl::StripAsciiWhitespace(part.substr(0, end)), &index)) return absl::StrCat("'", args, "': an index is a list of numbers");
        element.push_back(index);
        part = end == absl::string_view::npos ? "" : part.substr(end + 1);
      }
      name = name.substr(0, bracket);
    }
    const Instruction* found = Find(s, name);
    if (found == nullptr) return absl::StrCat("there is no instruction '", name, "'");
    s.Select(found, std::move(element));
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
    s.Run(absl::StrCat("break ", absl::StripPrefix(CommandName(*s.now_, *at), "%")));
    return "";
  }
  static std::string Why(Shell& s, const std::string& args) {
    const Instruction* of = s.selection_.instruction;
    if (of == nullptr) return "select an element first";
    std::string index;
    for (int64_t i : s.selection_.element) absl::StrAppend(&index, index.empty() ? "" : ",", i);
    s.Run(absl::StrCat("why ", CommandName(*s.now_, *of), s.selection_.element.empty() ? "" : absl::StrCat("[", index, "]")));
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
  static std::string Undo(Shell& s, const std::string& args) { return ToPanel(s, "program", "undo"); }
  static std::string Redo(Shell& s, const std::string& args) { return ToPanel(s, "program", "redo"); }
  static std::string Help(Shell& s, const std::string& args) {
    size_t width = 0;
    for (const WindowCommandRow& row : WindowCommandRows()) width = std::max(width, UsageOf(row).size());
    const auto say = [&](const std::string& usage, absl::string_view help) {
      s.engine_.AddConsole(ConsoleLine::kOutput, absl::StrCat("  ", usage, std::string(width + 2 - std::min(width, usage.size()), ' '), help));
    };
    for (const WindowCommandRow& row : WindowCommandRows()) say(UsageOf(row), row.help);
    say("window PANEL ...", absl::StrCat("what a panel can do: ", PanelNames()));
    return "";
  }

  static std::string UsageOf(const WindowCommandRow& row) { return absl::StrCat("window ", row.name, *row.synopsis != 0 ? " " : "", row.synopsis); }
  static std::string ToPanel(Shell& s, const std::string& id, const std::string& args) {
    if (FindPanelRow(id) == nullptr) return absl::StrCat("there is no panel '", id, "'");
    PanelContext context = s.Context();
    std::string error;
    if (s.PanelOf(id).Command(context, args, &error)) return "";
    return error.empty() ? absl::StrCat("the panel ", id, " does not understand '", args, "'") : error;
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
#define X(name, synopsis, help, Handler) {{name, synopsis, help}, WindowCommands::Handler},
#include "visualizer/shell/window_commands.def"
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
  } else {
    int64_t budget = 1 << 16;
    NearestName nearest(word, &budget);
    for (const Row& r : Rows()) nearest.Offer(r.row.name);
    error = absl::StrCat("the window has no command '", word, "'; ", nearest.Hint().empty() ? "window help lists them" : nearest.Hint());
  }
  if (!error.empty()) engine_.AddConsole(ConsoleLine::kError, error);
}

}  // namespace hloscope
