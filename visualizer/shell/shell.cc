#include "visualizer/shell/shell.h"

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/strip.h"
#include "visualizer/model/samples.h"
#include "visualizer/shell/actions.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {

Shell::Shell(Engine& engine, Document& document, ShellOptions options) : engine_(engine), document_(document), options_(std::move(options)) {
  settings_ = LoadSettings(options_.config_folder);
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
  const size_t slash = now_->path.rfind('/');
  return absl::StrCat(document_.unsaved() ? "* " : "", now_->path.substr(slash == std::string::npos ? 0 : slash + 1), " - hloscope");
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
  return {engine_,
          document_,
          *now_,
          selection_,
          [this](std::string command) { Run(command); },
          [this](const Instruction* instruction, std::vector<int64_t> element) { Select(instruction, std::move(element)); },
          console_,
          false};
}

void Shell::Select(const Instruction* instruction, std::vector<int64_t> element) {
  selection_.instruction = instruction;
  selection_.element = std::move(element);
  ++selection_.generation;
  reveal_next_ = true;
}

void Shell::Run(const std::string& command) {
  absl::string_view rest = command;
  if (absl::ConsumePrefix(&rest, "window ")) {
    engine_.AddConsole(ConsoleLine::kCommand, command);
    waiting_.push_back(std::string(rest));
  } else {
    engine_.Execute(command);
  }
}

void Shell::Update() {
  for (const std::string& command : std::exchange(waiting_, {})) RunWindowCommand(command);
  for (const std::string& command : engine_.TakeWindowCommands()) RunWindowCommand(command);
  std::vector<ConsoleLine> lines = engine_.TakeConsole();
  console_.insert(console_.end(), std::make_move_iterator(lines.begin()), std::make_move_iterator(lines.end()));
  if (console_.size() > 100000) console_.erase(console_.begin(), console_.begin() + 20000);
  now_ = engine_.snapshot();
  if (now_->program_generation != seen_program_) {
    seen_program_ = now_->program_generation;
    selection_ = Selection{};
    seen_here_ = nullptr;
    welcome_ = false;
    const std::string text = now_->source != nullptr ? std::string(now_->source->text()) : "";
    // The text that was made of a binary program stays one of its own: saving it must not write over the program's file.
    const std::string name_of_text = document_.name() == now_->path + ".hlo" && !text.empty() ? document_.name() : now_->path;
    if (name_of_text == document_.name() && text == document_.text()) {
      document_.MarkRun(document_.version());
    } else if (name_of_text == document_.name() && document_.RunsSent(text)) {
      // It was edited on while it was taken up.
    } else {
      document_.Reset(name_of_text, text);
    }
    if (!now_->path.empty() && (settings_.recent.empty() || settings_.recent.front() != now_->path)) {
      settings_.Remember(now_->path);
      SaveSettings();
    }
  }
  if (now_->moment_generation != seen_moment_) {
    seen_moment_ = now_->moment_generation;
    const Instruction* here = now_->here();
    if (now_->caught != nullptr && here != seen_here_) {
      Select(now_->caught, now_->caught_element);
    } else if (here != seen_here_ && here != nullptr) {
      Select(here, {});
    }
    seen_here_ = here;
  }
  selection_.hovered = std::exchange(selection_.hover_next, nullptr);
  selection_.reveal = std::exchange(reveal_next_, false);
}

void Shell::Keys() {
  const ImGuiIO& io = ImGui::GetIO();
  for (const Action& action : Actions()) {
    const std::optional<ui::Chord> chord = ui::ParseChord(action.keys);
    if (!chord.has_value() || !ui::Pressed(*chord, false)) continue;
    // Fields keep their own undo.
    if (io.WantTextInput && (absl::string_view(action.id) == "undo" || absl::string_view(action.id) == "redo")) continue;
    const std::string command = CommandOf(action, *now_);
    if (!command.empty()) Run(command);
  }
  for (const PanelRow& row : PanelRows()) {
    const std::optional<ui::Chord> chord = ui::ParseChord(row.keys);
    if (chord.has_value() && ui::Pressed(*chord)) Run(absl::StrCat("window panel ", row.id));
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
  const ImVec2 min = viewport->Pos, max = {viewport->Pos.x + viewport->Size.x, viewport->Pos.y + viewport->Size.y};
  if (!options_.only_panel.empty()) {
    DrawPanel(options_.only_panel, min, max);
  } else {
    Keys();
    const float toolbar = ui::Px(44), gap = ui::Px(8), timeline = ui::Px(52);
    DrawToolbar(toolbar);
    if (now_->phase == Phase::kEmpty || welcome_) {
      DrawWelcome({min.x + gap, min.y + toolbar}, {max.x - gap, max.y - gap});
    } else {
      const bool has_timeline = FindPanelRow("timeline") != nullptr && layout_.LeafOf("timeline") == nullptr;
      const float bottom = max.y - gap - (has_timeline ? timeline + gap : 0);
      if (has_timeline) DrawPanel("timeline", {min.x + gap, max.y - gap - timeline}, {max.x - gap, max.y - gap});
      DrawNode(layout_.root(), {min.x + gap, min.y + toolbar}, {max.x - gap, bottom}, "root");
      DrawDropTargets();
    }
    DrawPalette();
    DrawOpenDialog();
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
  ui::TagFact("stops", absl::StrCat(now_->stops.size()));
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
  const absl::Status saved = hloscope::SaveSettings(settings_, options_.config_folder);
  if (!saved.ok()) engine_.AddConsole(ConsoleLine::kError, saved.message());
}

}  // namespace hloscope
