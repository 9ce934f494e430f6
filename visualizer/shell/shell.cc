#include "visualizer/shell/shell.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "core/debug/command_table.h"
#include "visualizer/model/samples.h"
#include "visualizer/shell/actions.h"
#include "visualizer/shell/window_commands.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr float kLeastForTimeline = 300;  // of the window's height: in a lower one the panels have its room

}  // namespace

Shell::Shell(Engine& engine, Document& document, ShellOptions options) : engine_(engine), document_(document), options_(std::move(options)) {
  settings_ = kept_settings_ = LoadSettings(options_.config_folder);
  if (!settings_.layout.empty()) layout_.Load(nlohmann::json::parse(settings_.layout, nullptr, false));
  ui::TheLook().motion = settings_.motion;
  now_ = engine_.snapshot();
  if (options_.missing_font != nullptr) {
    engine_.AddConsole(ConsoleLine::kNote, absl::StrCat("the font ", options_.missing_font, " is not installed (fonts-inter, fonts-jetbrains-mono); another one serves"));
  }
}

Shell::~Shell() = default;

float Shell::wanted_scale() const { return std::clamp(settings_.scale * options_.display_scale, 0.5f, 4.0f); }

std::string Shell::window_title() const {
  if (now_->path.empty()) return "hloscope";
  const std::string& path = document_.empty() ? now_->path : document_.name();
  const size_t slash = path.rfind('/');
  return absl::StrCat(document_.unsaved() ? "* " : "", path.substr(slash == std::string::npos ? 0 : slash + 1), " - hloscope");
}

Panel& Shell::PanelOf(const std::string& id) {
  std::unique_ptr<Panel>& panel = panels_[id];
  if (panel == nullptr) {
    panel = FindPanelRow(id)->make();
    const nlohmann::json kept = nlohmann::json::parse(settings_.panels, nullptr, false);
    if (kept.is_object() && kept.contains(id)) panel->Load(kept[id]);
  }
  return *panel;
}

PanelContext Shell::Context() {
  return {
      engine_,
      document_,
      *now_,
      index_,
      selection_,
      [this](std::string command) { Run(command); },
      [this](std::string command) {
        told_elsewhere_.insert(command);
        Run(command);
      },
      [this](std::string name, std::string text) { OpenText(name, text); },
      [this](std::string name, std::string text) { GoOnAs(name, text); },
      [this](const Instruction* instruction, std::vector<int64_t> element) { Select(instruction, std::move(element), /*chosen=*/true); },
      [this](const Instruction* instruction, int leaf, std::vector<int64_t> element) {
        Select(instruction, std::move(element), /*chosen=*/true, leaf);
      },
      console_,
      [this](absl::string_view line) { return CompleteWindowCommand(*now_, line); },
      false};
}

void Shell::Select(const Instruction* instruction, std::vector<int64_t> element, bool chosen, int leaf) {
  selection_.chosen = chosen;
  selection_.instruction = instruction;
  selection_.element = std::move(element);
  selection_.leaf = leaf;
  ++selection_.generation;
  reveal_next_ = true;
}

bool Shell::HasEdits() const { return !document_.empty() && (document_.changed() || (now_->phase == Phase::kBroken && !now_->fresh)); }

void Shell::Execute(const std::string& command) {
  engine_.Execute(command);
  // What is asked is answered in front, also where several panels share a place.
  if (AnswersInConsole(command) && layout_.IsOpen("console")) layout_.Open("console");
  if (const PanelRow* panel = PanelOfAnswer(command)) layout_.Open(panel->id);
  answers_ |= AnswersInConsole(command) && (now_->phase == Phase::kEmpty || welcome_);
  if (!applying_ && !absl::StripAsciiWhitespace(command).empty()) last_command_ = command;
}

void Shell::Run(const std::string& command) {
  absl::string_view rest = command;
  if (absl::ConsumePrefix(&rest, "window ")) {
    engine_.AddConsole(ConsoleLine::kCommand, command);
    waiting_.push_back(std::string(rest));
    return;
  }
  // An empty line that does the last command again is that command.
  const CommandRow* last = CommandOfLine(last_command_);
  const std::string meant = absl::StripAsciiWhitespace(command).empty() && last != nullptr && RepeatsOnEmptyLine(*last) ? last_command_ : command;
  if (!applying_ && !now_->collecting && (!wanted_runs_.empty() || (HasEdits() && RunsProgram(meant)))) {
    if (wanted_runs_.empty()) wanted_applied_ = 0;
    wanted_runs_.push_back({nullptr, meant});
    ui::WantFrame();
    return;
  }
  Execute(command);
}

void Shell::Act(const Action& action) {
  std::string asks;
  const std::string command = CommandOf(action, *now_, &asks);
  if (command.empty() && now_->phase != Phase::kBroken && !(IsStep(action) && HasEdits())) {
    return engine_.AddConsole(ConsoleLine::kError, absl::StrCat(absl::StripSuffix(action.label, "..."), ": ", WhyNot(action, *now_)));
  }
  if (!asks.empty()) {
    if (!command.empty()) AskInPalette(action.label, command, asks);
    return;
  }
  if (const PanelRow* panel = PanelOfAnswer(command)) layout_.Open(panel->id);  // where it is seen
  const absl::string_view first = absl::string_view(action.command).substr(0, absl::string_view(action.command).find('|'));
  if (HasEdits() && RunsProgram(first)) {
    // Pressed again while it waits, it is still one run.
    if (wanted_runs_.empty()) wanted_applied_ = 0;
    if (wanted_runs_.empty() || wanted_runs_.back().action == nullptr) wanted_runs_.push_back({});
    wanted_runs_.back().action = &action;
    ui::WantFrame();
    return;
  }
  if (!command.empty()) Run(command);
}

// Nothing of what was wanted runs.
void Shell::RefuseRun(const std::string& why) {
  bool typed = false;
  for (const WantedRun& wanted : std::exchange(wanted_runs_, {})) {
    if (wanted.action != nullptr) continue;
    typed = true;
    engine_.AddConsole(ConsoleLine::kCommand, wanted.command);
  }
  refused_run_ = why;
  refused_run_version_ = document_.version();
  engine_.AddConsole(ConsoleLine::kError, why);
  if (!typed) layout_.Open("problems");  // the answer to what was typed stands in the console
}

void Shell::RunWanted(bool idle) {
  if (restarting_) {
    const Engine::Activity activity = engine_.activity();
    if (activity.what.empty()) {
      restarting_ = false;
      Act(FindAction("start"));
    } else {
      // Again, until it has come through: what begins just now does not hear the first one. What is being opened is waited for.
      if (!absl::StartsWith(activity.what, "reading ")) engine_.Cancel();
      ui::WantFrame();
    }
  }
  if (wanted_runs_.empty()) return;
  if (!document_.changed() && now_->phase != Phase::kBroken) {
    for (const WantedRun& wanted : std::exchange(wanted_runs_, {})) {
      std::string command = wanted.action != nullptr ? CommandOf(*wanted.action, *now_) : wanted.command;
      if (command.empty() && wanted.action != nullptr && IsStep(*wanted.action)) command = "start";  // of the text as it is now
      if (!command.empty()) Execute(command);
    }
    return;
  }
  if (wanted_applied_ != 0) {
    // It was sent, and is not what runs: the console says why. Or it was edited on meanwhile.
    if (idle) wanted_runs_.clear();
    else ui::WantFrame();
    return;
  }
  if (!document_.reading_is_current()) {
    ui::WantFrame();
    return;
  }
  const std::shared_ptr<const Reading> reading = document_.reading();
  if (now_->unreadable && document_.name() == now_->path) return RefuseRun("the file cannot be read as a program: there is nothing to run");
  const auto problems = std::count_if(reading->problems.begin(), reading->problems.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
  if (problems > 0) return RefuseRun(absl::StrCat("the text has ", problems, problems == 1 ? " problem; mend it or undo" : " problems; mend them or undo"));
  if (problems == 0 && !reading->ok && reading->module != nullptr) return RefuseRun("the program is empty: there is nothing to run yet");
  if (!document_.changed()) {
    // It is not text that cannot be run: the session says what.
    for (const WantedRun& wanted : std::exchange(wanted_runs_, {})) {
      if (wanted.action == nullptr) Execute(wanted.command);
    }
    layout_.Open("problems");
    return;
  }
  wanted_applied_ = document_.version();
  engine_.AddConsole(ConsoleLine::kCommand, "window program apply");
  applying_ = true;
  RunWindowCommand("program apply");
  applying_ = false;
  ui::WantFrame();
}

// In their order: what waits for a panel makes those behind it wait, too.
void Shell::RunWaiting() {
  std::vector<std::string> commands = std::exchange(waiting_, {});
  for (std::string& command : engine_.TakeWindowCommands()) commands.push_back(std::move(command));
  for (size_t k = 0; k < commands.size(); ++k) {
    if (WaitsForText(commands[k]) || WaitsForPanel(commands[k])) {
      waiting_.insert(waiting_.begin(), commands.begin() + static_cast<int64_t>(k), commands.end());
      ui::WantFrame();
      return;
    }
    RunWindowCommand(commands[k]);
    // What it was made of comes before what stands behind it.
    commands.insert(commands.begin() + static_cast<int64_t>(k) + 1, waiting_.begin(), waiting_.end());
    waiting_.clear();
  }
}

void Shell::Update() {
  const bool idle = engine_.idle();  // before the snapshot is taken: what was done then is in it
  const uint64_t let_go = idle ? dropped_ : 0;
  RunWaiting();
  std::vector<ConsoleLine> lines = engine_.TakeConsole();
  // What went wrong is told in front too; why the text was not run stands in Problems.
  bool wrong = false;
  for (const ConsoleLine& line : lines) {
    if (line.kind == ConsoleLine::kCommand) {
      command_told_ = told_elsewhere_.erase(line.text) > 0;
      refusal_.clear();
    }
    if (line.kind != ConsoleLine::kError || line.text == refused_run_ || command_told_) continue;
    if (wrong)
      absl::StrAppend(&refusal_, "\n", line.text);
    else
      refusal_ = line.text;
    wrong = true;
  }
  if (wrong && layout_.IsOpen("console")) layout_.Open("console");
  answers_ |= wrong && (now_->phase == Phase::kEmpty || welcome_);
  console_.insert(console_.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  if (console_.size() > 100000) console_.erase(console_.begin(), console_.begin() + 20000);
  now_ = engine_.snapshot();
  if (now_->path != renamed_from_) renamed_from_.clear();
  if (now_->program_generation != seen_program_) {
    seen_program_ = now_->program_generation;
    TakeProgram();
  }
  // What the changes were to make room for came, or was refused: the answer is of that alone.
  if (let_go != 0 && dropped_ == let_go) dropped_ = 0;
  if (now_->moment_generation != seen_moment_) {
    seen_moment_ = now_->moment_generation;
    TakeMoment();
  }
  if (now_->slice_generation != seen_slice_ || now_->slice_device != seen_slice_device_) {
    seen_slice_ = now_->slice_generation;
    seen_slice_device_ = now_->slice_device;
    selection_.slice = now_->slice;
    selection_.slice_parts = now_->slice_parts;
  }
  RunWanted(idle);
  LookAtFile();
  selection_.hovered = std::exchange(selection_.hover_next, nullptr);
  selection_.reveal = std::exchange(reveal_next_, false);
}

// Programs are written anew by others while they are looked at.
void Shell::LookAtFile() {
  const DiskFile::State before = document_.file().state();
  document_.WatchFile();
  const DiskFile& file = document_.file();
  if (file.state() == before) return;
  if (file.state() == DiskFile::State::kChanged) engine_.AddConsole(ConsoleLine::kNote, absl::StrCat(file.path(), " was changed by another program; window reload reads it, window mine keeps the text that is here"));
  if (file.state() == DiskFile::State::kGone) engine_.AddConsole(ConsoleLine::kNote, absl::StrCat(file.path(), " is not there any more; window save writes it again"));
}

void Shell::TakeProgram() {
  selection_ = Selection{.generation = selection_.generation + 1};  // never a number again that a panel remembers
  seen_here_ = nullptr;
  seen_finished_ = false;
  seen_slice_ = now_->slice_generation;
  seen_slice_device_ = now_->slice_device;
  welcome_ = answers_ = guide_ = false;
  if (now_->phase != Phase::kEmpty && focused_panel_ == "lessons")
    layout_.Open("program");  // a lesson's: the lesson stays as a tab beside it
  const std::string path = now_->path == renamed_from_ ? document_.name() : now_->path;
  if (dropped_ == document_.version()) options_.kept->Drop(document_.name());
  dropped_ = 0;
  const std::string text = now_->source != nullptr && !now_->unreadable ? std::string(now_->source->text()) : "";
  // The text that was made of a binary program stays one of its own: saving it must not write over the program's file.
  const std::string name_of_text = document_.name() == path + ".hlo" && !text.empty() ? document_.name() : path;
  const bool same_name = name_of_text == document_.name();
  // The same session with another program: it was edited from the console. That is a change of the text as one by hand.
  const bool edited = now_->session != nullptr && now_->session == seen_session_.lock();
  seen_session_ = now_->session;
  if (!same_name) {
    question_ = {};
    leaving_ = nullptr;
  }
  if (same_name && text == document_.text()) {
    document_.RunsSent(text);
    document_.MarkRun(document_.version());
  } else if (same_name && !now_->from_file && document_.RunsSent(text)) {
    // It was edited on while it was taken up.
  } else if (same_name && (edited || document_.changed() || document_.unsaved()) && !text.empty()) {
    // What was typed is one step of undo away.
    const bool typed = document_.changed() || (document_.unsaved() && !edited);
    document_.Replace(0, static_cast<int64_t>(document_.text().size()), text, 0, 0);
    document_.MarkRun(document_.version());
    if (typed) engine_.AddConsole(ConsoleLine::kNote, "the text is that of the program that runs now; what was typed is a step of undo away (Ctrl+Z)");
  } else {
    document_.Reset(name_of_text, text);
  }
  if (now_->from_file && document_.name() == path && document_.text() == text) {
    document_.MarkSaved();
    TakeUnsaved();
  } else if (!same_name && document_.file().path() != path) {
    // A text that is in no file: a new one, or one that is kept of a file that is gone.
    document_.file().Forget();
    const std::optional<KeptText::Unsaved> kept = options_.kept->Take(path);
    if (kept.has_value()) document_.MarkUnsaved();
    if (kept.has_value() && !options_.kept->IsDraft(path)) document_.file().TakeGone(path);
  }
  if (now_->phase == Phase::kBroken && !now_->fresh) layout_.Open("problems");
  if (!document_.file().path().empty()) {
    settings_.Remember(document_.file().path());
    SaveSettings();
  }
}

// What was typed into this file and not saved when it was left.
void Shell::TakeUnsaved() {
  const std::string& name = document_.name();
  const std::optional<KeptText::Unsaved> kept = options_.kept->Take(name);
  if (options_.kept->ChangedElsewhere(name))
    engine_.AddConsole(ConsoleLine::kNote, absl::StrCat("another window has changes of ", name, " that are not saved; they stay there"));
  if (!kept.has_value() || kept->text == document_.text()) return;
  document_.Replace(0, static_cast<int64_t>(document_.text().size()), kept->text, 0, 0);
  document_.file().SetBase(kept->base);  // which tells whether it was changed meanwhile
  engine_.AddConsole(ConsoleLine::kNote, "changes of the last session that were not saved are back; undo takes them away");
  if (document_.file().Look() == DiskFile::State::kChanged) engine_.AddConsole(ConsoleLine::kNote, absl::StrCat(document_.name(), " was changed by another program since they were typed"));
}

void Shell::TakeMoment() {
  const Instruction* here = now_->here();
  const bool finished = now_->phase == Phase::kFinished;
  if (now_->caught != nullptr && here != seen_here_) {
    Select(now_->caught, now_->caught_element, /*chosen=*/false);
  } else if (here != seen_here_ && here != nullptr) {
    Select(here, {}, /*chosen=*/false);
  } else if (finished && !seen_finished_ && now_->module != nullptr && now_->module->entry != nullptr) {
    Select(now_->module->entry->root, {}, /*chosen=*/false);  // what the program has come to
  }
  // Why the program cannot go on is told in front.
  if (now_->phase == Phase::kError && (here != seen_here_ || !seen_error_) && layout_.IsOpen("problems")) layout_.Open("problems");
  seen_error_ = now_->phase == Phase::kError;
  seen_here_ = here;
  seen_finished_ = finished;
}

bool Shell::TakesKeys() {
  constexpr double kLongest = 0.7;  // seconds
  if (waiting_.empty() && keyboard_to_.empty() && !ui::KeyboardMoves()) {
    keys_held_since_ = 0;
    return true;
  }
  if (keys_held_since_ == 0) keys_held_since_ = ImGui::GetTime();
  return ImGui::GetTime() - keys_held_since_ > kLongest;
}

void Shell::Keys() {
  const ImGuiIO& io = ImGui::GetIO();
  for (const Action& action : Actions()) {
    const std::optional<ui::Chord> chord = ui::ParseChord(action.keys);
    if (!chord.has_value() || !ui::Pressed(*chord, OfText(action))) continue;
    // Fields keep their own undo, and what else is done with text.
    if (OfText(action) && (io.WantTextInput || focused_panel_ != "program")) continue;
    if (io.WantTextInput && (absl::string_view(action.id) == "undo" || absl::string_view(action.id) == "redo") && !ui::InUntouchedField()) continue;
    Act(action);
  }
  for (const PanelRow& row : PanelRows()) {
    const std::optional<ui::Chord> chord = ui::ParseChord(row.keys);
    if (chord.has_value() && ui::Pressed(*chord)) Run(absl::StrCat("window panel ", row.id));
  }
  for (const char* menu : MenuNames()) {
    const std::optional<ui::Chord> chord = ui::ParseChord(MenuKeys(menu));
    if (chord.has_value() && ui::Pressed(*chord)) OpenMenu(menu);
  }
  if (io.WantTextInput || palette_ != 0 || guide_ || ImGui::IsPopupOpen("", ImGuiPopupFlags_AnyPopupId | ImGuiPopupFlags_AnyPopupLevel)) return;
  for (const PanelKey& key : PanelKeys()) {
    absl::string_view command = key.command;
    if (focused_panel_ != key.panel || command.empty() || !ui::Pressed(key.keys, true)) continue;
    if (absl::ConsumePrefix(&command, "action ")) Act(FindAction(std::string(command).c_str()));
    else if (absl::ConsumePrefix(&command, "window ")) waiting_.push_back(std::string(command));
  }
}

void Shell::Frame() {
  ui::TheTags().BeginFrame();
  Update();
  const ImGuiViewport* viewport = ImGui::GetMainViewport();
  ImGui::SetNextWindowPos(viewport->Pos);
  ImGui::SetNextWindowSize(viewport->Size);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {0, 0});
  ImGui::PushStyleVar(ImGuiStyleVar_WindowRounding, 0);
  ImGui::PushStyleVar(ImGuiStyleVar_WindowBorderSize, 0);
  ImGui::Begin("window", nullptr,
               ImGuiWindowFlags_NoDecoration | ImGuiWindowFlags_NoMove | ImGuiWindowFlags_NoSavedSettings | ImGuiWindowFlags_NoBringToFrontOnFocus | ImGuiWindowFlags_NoScrollWithMouse);
  ImGui::PopStyleVar(3);
  drop_places_.clear();
  drop_tabs_.clear();
  merged_.clear();
  const ImVec2 min = viewport->Pos, max = {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y};
  if (question_.answers.empty()) Keys();
  if (!options_.only_panel.empty()) {
    ImGui::GetWindowDrawList()->AddRectFilled(min, max, ui::Colors().panel);
    DrawPanel(options_.only_panel, min, max);
  } else {
    const float gap = ui::Px(8), timeline = ui::Px(52);
    float toolbar = ui::Px(44);
    DrawToolbar(toolbar);
    toolbar += DrawNotice({min.x + gap, min.y + toolbar}, max.x - min.x - 2 * gap);
    if (LessonsAlone()) {
      const ImVec2 corner = {min.x + gap, min.y + toolbar}, end = {max.x - gap, max.y - gap};
      ImGui::GetWindowDrawList()->AddRectFilled(corner, end, ui::Colors().panel, ui::Px(4));
      ImGui::GetWindowDrawList()->AddRect(corner, end, ui::Colors().border, ui::Px(4));
      DrawPanel("lessons", corner, end);
    } else if (guide_) {
      DrawGuide({min.x + gap, min.y + toolbar}, {max.x - gap, max.y - gap});
    } else if (now_->phase == Phase::kEmpty || welcome_) {
      // What was asked without a program is answered at its foot.
      const float foot = answers_ ? std::floor((max.y - min.y) * 0.4f) : 0;
      DrawWelcome({min.x + gap, min.y + toolbar}, {max.x - gap, max.y - gap - foot});
      if (answers_) DrawPanel("console", {min.x + gap, max.y - gap - foot}, {max.x - gap, max.y - gap});
    } else {
      const bool has_timeline = FindPanelRow("timeline") != nullptr && layout_.LeafOf("timeline") == nullptr && max.y - min.y >= ui::Px(kLeastForTimeline);
      const float bottom = max.y - gap - (has_timeline ? timeline + gap : 0);
      if (has_timeline) DrawPanel("timeline", {min.x + gap, max.y - gap - timeline}, {max.x - gap, max.y - gap});
      DrawNode(layout_.root(), {min.x + gap, min.y + toolbar}, {max.x - gap, bottom}, "root");
      DrawDropTargets();
      KeepPlaces();
    }
    DrawRefusal();
    DrawPalette();
    DrawFileDialog();
    DrawQuestion();
  }
  ImGui::End();
  ui::TagFact("phase", now_->phase == Phase::kEmpty      ? "empty"
                       : now_->phase == Phase::kBroken   ? "broken"
                       : now_->phase == Phase::kReady    ? "ready"
                       : now_->phase == Phase::kStopped  ? "stopped"
                       : now_->phase == Phase::kFinished ? "finished"
                                                         : "error");
  ui::TagFact("here", now_->here() != nullptr ? now_->here()->name : "");
  ui::TagFact("selected", selection_.instruction != nullptr ? selection_.instruction->name : "");
  ui::TagFact("path", now_->path);
  ui::TagFact("title", window_title());
  ui::TagFact("stops", absl::StrCat(now_->stops.size()));
  ui::TagFact("slice", absl::StrCat(selection_.slice.size()));
  ui::TagFact("file", document_.file().path().empty() ? "none" : document_.file().state() == DiskFile::State::kSame ? "same" : document_.file().state() == DiskFile::State::kGone ? "gone" : "changed");
  ui::TagFact("unsaved", document_.unsaved() ? "yes" : "no");
}

// What was brought to the front stays there at the next start, however this one ends.
void Shell::KeepPlaces() {
  if (kept_raises_ == layout_.raises()) return;
  kept_raises_ = layout_.raises();
  if (layout_.Save().dump() != settings_.layout) SaveSettings();
}

void Shell::SaveSettings() {
  settings_.layout = layout_.Save().dump();
  nlohmann::json kept = nlohmann::json::parse(settings_.panels, nullptr, false);
  if (!kept.is_object()) kept = nlohmann::json::object();
  for (const auto& [id, panel] : panels_) {
    nlohmann::json own = nlohmann::json::object();
    panel->Save(own);
    if (!own.empty()) kept[id] = own;
  }
  settings_.panels = kept.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
  const absl::StatusOr<Settings> stored = KeepSettings(kept_settings_, settings_, options_.config_folder);
  if (!stored.ok()) return engine_.AddConsole(ConsoleLine::kError, stored.status().message());
  settings_.recent = stored->recent;
  kept_settings_ = settings_;
}

}  // namespace hloscope
