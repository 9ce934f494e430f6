// What the selected instruction does, as a picture with its own numbers: which elements belong together, and step by step where there is an
// order. The pictures themselves are in visualizer/pictures; here is where one looks at them.
#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "absl/strings/match.h"
#include "absl/strings/numbers.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "core/debug/file_words.h"
#include "core/debug/session_state.h"
#include "core/debug/text_util.h"
#include "core/ir/written_names.h"
#include "core/ops/leaf_flow.h"
#include "imgui_internal.h"
#include "visualizer/model/live.h"
#include "visualizer/model/picture_view.h"
#include "visualizer/panels/followed.h"
#include "visualizer/panels/panel.h"
#include "visualizer/pictures/scene.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/drawing_view.h"
#include "visualizer/widgets/keys.h"

namespace hloscope {
namespace {

constexpr double kStepSeconds = 0.7;  // of play
constexpr size_t kMostSegments = 4;

class PicturePanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    Follow(context);
    if (target() == nullptr) {
      ui::EmptyHint(ui::Icon::kChart, "What an instruction does, as a picture with its own numbers: where each element comes from, how it lies in memory, what its bits are.",
                    "Select an instruction in the program or the graph.");
      return;
    }
    suiting_ = PicturesFor(*target());
    if (suiting_.empty()) {
      ui::EmptyHint(ui::Icon::kChart, absl::StrCat(ShownName(*target()), " has no arrays round it: there is nothing to draw."), "Select another instruction.");
      return;
    }
    const std::string& kept = chosen_[target()->opcode];
    row_ = suiting_.front();
    for (const PictureRow* row : suiting_) {
      if (kept == row->id) row_ = row;
    }
    DrawHead(context);
    Ask(context);
    if (shown_ == nullptr || shown_->of != target()) {
      if (live_.fresh() && !live_.status().ok()) {
        ui::EmptyHint(ui::Icon::kChart, absl::StrCat(row_->title, " of ", ShownName(*target()), " cannot be drawn."), live_.status().message());
        ui::TagFact("error", live_.status().message());
      } else {
        ui::Spinner(16);
      }
      return;
    }
    if (live_.fresh() && !live_.status().ok()) {
      ui::TextWrapped(std::string(live_.status().message()), ui::Colors().dim);
      ui::TagFact("error", live_.status().message());
    }
    DrawMoment(context);
    DrawStanding(context);
    if (shown_->made->steps > 0) DrawSteps(context);
    DrawPicture(context);
    Facts();
  }

  std::string Title(const PanelContext& context) const override {
    const Instruction* next = RunsTo(context) ? target() : followed_.Next(context, own_selection_);
    return next == nullptr ? "" : absl::StrCat("Picture ", NameInText(*next));
  }
  float padding() const override { return 10; }

  bool Settled(const PanelContext& context) const override {
    if (RunsTo(context)) return true;
    if (!followed_.UpToDate(context, own_selection_)) return false;
    if (target() == nullptr || suiting_.empty()) return true;
    return live_.fresh() && (!live_.status().ok() || (shown_ != nullptr && shown_->of == target()));
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    const absl::string_view word = TakeWord(args);
    args = absl::StripAsciiWhitespace(args);
    if (word == "pin" || word == "unpin") {
      followed_.Pin(word == "pin");
    } else if (word == "step" || word == "all") {
      int number = -1;
      const int steps = shown_ != nullptr ? shown_->made->steps : 0;
      if (word == "step" && args == "next") number = NextStep(1);
      else if (word == "step" && args == "previous") number = NextStep(-1);
      else if (word == "step" && (!absl::SimpleAtoi(args, &number) || number < 0 || number >= std::max(1, steps))) {
        *error = steps > 0 ? absl::StrCat("window picture step takes a number from 0 to ", steps - 1, ", next or previous") : "this picture has no steps";
        return false;
      }
      selection_.step = number;
      playing_ = false;
    } else if (word == "play" || word == "pause") {
      if (word == "play" && (shown_ == nullptr || shown_->made->steps == 0)) {
        *error = "this picture has no steps";
        return false;
      }
      playing_ = word == "play";
      played_at_ = 0;
    } else if (word == "ahead") {
      ahead_wanted_ = true;
    } else if (word == "option") {
      if (!absl::StrContains(args, '=')) {
        *error = "window picture option takes NAME=VALUE";
        return false;
      }
      Apply(std::string(args));
    } else if (word == "cell" && target() != nullptr) {
      const absl::StatusOr<Cell> cell = ParseCell(*target(), args);
      if (!cell.ok()) {
        *error = std::string(cell.status().message());
        return false;
      }
      Pin(context, *cell);
    } else if (const PictureRow* row = FindPictureRow(word); row != nullptr && target() != nullptr) {
      if (row->suits(*target()) <= 0) {
        *error = absl::StrCat("the picture ", row->id, " is not for ", ShownName(*target()), "; it has ", absl::StrJoin(PicturesFor(*target()), ", ", [](std::string* out, const PictureRow* r) { *out += r->id; }));
        return false;
      }
      Choose(row);
    } else {
      *error = target() == nullptr ? "there is no picture; select an instruction first" : "";
      return false;
    }
    return true;
  }

 private:
  // -- What is shown --
  // The selection goes with the program as it runs to an instruction; what is selected on the way is not looked at.
  bool RunsTo(const PanelContext& context) const { return run_to_ != nullptr && followed_.program() == context.now.program_generation; }
  void Follow(PanelContext& context) {
    const Followed::News news = RunsTo(context) ? Followed::News() : followed_.Look(context, own_selection_);
    if (news.program) {
      shown_ = nullptr;
      ahead_.clear();
      run_to_ = nullptr;
    }
    if (std::exchange(pictured_, target()) != target()) {
      Reset();
      Reveal(Reveals::kBeginning);
    }
    // When it is there, what was asked for is selected again.
    if (run_to_ != nullptr) {
      quiet_frames_ = context.engine.idle() ? quiet_frames_ + 1 : 0;
      if (quiet_frames_ < 3) return;
      context.select(run_to_, {});
      context.selection.chosen = false;  // that was the run
      run_to_ = nullptr;
      return;
    }
    if (!news.selection) return;
    // The element of an operand is a cell of the picture too.
    const Instruction* selected = context.selection.instruction;
    own_selection_ = nullptr;
    if (context.selection.element.empty() || target() == nullptr) return;
    Reveal(Reveals::kCell);
    const int leaf = std::max(0, context.selection.leaf);
    if (selected == target()) selection_.pinned = Cell{kResultArray + leaf, context.selection.element};
    for (size_t k = 0; k < target()->operands.size() && selected != target(); ++k) {
      if (target()->operands[k] == selected) selection_.pinned = Cell{OperandArray(static_cast<int>(k), leaf), context.selection.element};
    }
  }

  enum class Reveals { kNothing, kBeginning, kStep, kCell };
  void Reveal(Reveals what) {
    reveals_ = what;
    reveals_at_ = ImGui::GetFrameCount();
  }

  const Instruction* target() const { return followed_.target(); }
  void Reset() {
    selection_ = {};
    playing_ = false;
  }
  void Choose(const PictureRow* row) {
    chosen_[target()->opcode] = row->id;
    if (row != row_) Reset();
  }

  // "axis=1;window:0=0,4": what becomes of the options.
  void Apply(const std::string& action) {
    for (absl::string_view part : absl::StrSplit(action, ';', absl::SkipWhitespace())) {
      const std::pair<std::string, std::string> option = absl::StrSplit(part, absl::MaxSplits('=', 1));
      if (option.first == "step") {
        int step = -1;
        if (absl::SimpleAtoi(option.second, &step)) selection_.step = step;
      } else if (option.second.empty()) {
        selection_.options.erase(option.first);
      } else {
        selection_.options[option.first] = option.second;
      }
    }
  }

  const Instruction* InstructionOf(const Cell& cell) const {
    if (cell.array >= kOwnArray) return cell.array >= kOperandLeaf ? OperandOf(cell) : nullptr;
    if (cell.array >= kResultArray) return target();
    return OperandOf(cell);
  }
  const Instruction* OperandOf(const Cell& cell) const {
    const int operand = cell.array % kOperandLeaf;
    return operand < static_cast<int>(target()->operands.size()) ? target()->operands[operand] : nullptr;
  }
  // Lights a cell, and its element in all panels.
  void Pin(PanelContext& context, const Cell& cell) {
    selection_.pinned = cell;
    const Instruction* of = InstructionOf(cell);
    if (of == nullptr) return;
    const int leaf = cell.array >= kOperandLeaf ? cell.array / kOperandLeaf : cell.array >= kResultArray ? cell.array - kResultArray : 0;
    if (leaf >= LeafCountOf(of->shape)) return;
    if (const Shape& shape = LeafShape(of->shape, leaf); !shape.IsArray() || static_cast<int>(cell.index.size()) != shape.rank()) return;
    own_selection_ = of;
    context.select_in(of, of->shape.IsTuple() ? leaf : -1, cell.index);
  }

  void Ask(PanelContext& context) {
    PictureWish wish;
    wish.instruction = target();
    wish.id = row_->id;
    const std::string here = absl::StrCat(Moment(context.now), "|", reinterpret_cast<uintptr_t>(target()));
    if (std::exchange(ahead_wanted_, false)) ahead_ = here;
    wish.ahead = ahead_ == here;
    wish.selection = selection_;
    wish.selection.live = true;
    const float scrollbar = ImGui::GetStyle().ScrollbarSize;
    wish.selection.width = std::max(320.0f, std::floor((ImGui::GetContentRegionAvail().x - scrollbar) / ui::TheLook().scale));
    const std::shared_ptr<const PictureShown> answer =
        live_.Get(context.engine, absl::StrCat(Moment(context.now), "|", wish.Key()), [wish, module = context.now.module](Session::State& s) -> absl::StatusOr<PictureShown> {
          if (s.module.get() != module) return absl::UnavailableError("another program");
          return ShowPicture(s, wish);
        });
    if (answer != nullptr) shown_ = answer;
    drawn_ahead_ = wish.ahead;
  }
  static std::string Moment(const Snapshot& now) { return absl::StrCat(now.program_generation, ",", now.moment_generation, ",", now.selected_frame); }

  // -- The parts --
  void DrawHead(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float right = at.x + ImGui::GetContentRegionAvail().x, buttons = ui::Px(24 + 4 + 24);
    // Which picture: side by side where they are few and there is room.
    std::vector<std::string> titles;
    int chosen = 0;
    float width = 0;
    for (size_t k = 0; k < suiting_.size(); ++k) {
      titles.emplace_back(suiting_[k]->title);
      width += ui::Measure(ui::Type().ui, titles.back()).x + ui::Px(16);
      if (suiting_[k] == row_) chosen = static_cast<int>(k);
    }
    bool changed = false;
    if (titles.size() <= kMostSegments && width < right - at.x - buttons - ui::Px(8)) changed = ui::Segments("kind", titles, &chosen);
    else changed = ui::Combo("kind", titles, &chosen, std::min(200.0f, (right - at.x - buttons - ui::Px(8)) / ui::TheLook().scale));
    ui::Tooltip(row_->help);
    if (changed) {
      Choose(suiting_[static_cast<size_t>(chosen)]);
      row_ = suiting_[static_cast<size_t>(chosen)];
    }
    ImGui::SetCursorScreenPos({right - buttons, at.y});
    if (ui::IconButton("save", ui::Icon::kSave, "Save as SVG, PNG or PDF")) {
      path_ = absl::StrCat(target()->name, "_", row_->id);
      ImGui::OpenPopup("save popup");
    }
    DrawSave(context);
    ImGui::SetCursorScreenPos({right - ui::Px(24), at.y});
    followed_.DrawPin(context, "instruction");
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(32)});
    ImGui::GetWindowDrawList()->AddLine({at.x - ui::Px(10), at.y + ui::Px(30)}, {right + ui::Px(10), at.y + ui::Px(30)}, c.border);
  }

  void DrawSave(PanelContext& context) {
    ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(12)});
    if (ImGui::BeginPopup("save popup")) {
      ui::TagScope scope("save");
      static const auto& endings = *new std::vector<std::string>{".svg", ".png", ".pdf"};
      ui::Segments("ending", endings, &ending_);
      ui::Gap(8);
      bool entered = false;
      ui::Field("path", &path_, "file", 280, &entered);
      ui::Gap(8);
      if (ui::Button("write", absl::StrCat("Save ", endings[static_cast<size_t>(ending_)]), ui::Icon::kSave, ui::ButtonKind::kPrimary) || entered) {
        const std::string& ending = endings[static_cast<size_t>(ending_)];
        context.run(absl::StrCat(SaveCommand(context), " ", FileWord(absl::EndsWith(path_, ending) ? path_ : absl::StrCat(path_, ending))));
        ImGui::CloseCurrentPopup();
      }
      ImGui::EndPopup();
    }
    ImGui::PopStyleVar();
  }
  // What draws the same into a file, but for its name.
  std::string SaveCommand(const PanelContext& context) const {
    std::string command = "picture";
    if (ui::TheLook().scheme == ui::Scheme::kDark) command += " /dark";
    if (selection_.step >= 0) absl::StrAppend(&command, " /step ", selection_.step);
    if (drawn_ahead_) command += " /ahead";
    for (const auto& [name, value] : selection_.options) absl::StrAppend(&command, " /option ", name, "=", value);
    absl::StrAppend(&command, " ", CommandName(context.now, *target()));
    if (selection_.pinned.has_value()) {
      const std::string cell = CellText(*target(), *selection_.pinned);
      absl::string_view own = cell;
      absl::StrAppend(&command, absl::ConsumePrefix(&own, "result") ? own : absl::StrCat("(", cell, ")"));
    }
    return absl::StrCat(command, " ", row_->id);
  }

  // Of which iteration and replica the numbers are.
  void DrawMoment(const PanelContext& context) const {
    std::string moment = shown_->operands_there > 0 || shown_->result_there ? shown_->iteration : "";
    if (!context.now.device_name.empty()) absl::StrAppend(&moment, moment.empty() ? "" : " \u00b7 ", context.now.device_name);
    ui::TagFact("moment", moment);
    if (moment.empty()) return;
    ui::TextCut(moment, ui::Colors().dim, ui::Type().small);
    ui::Gap(4);
  }

  // The program has not come so far: shapes are drawn all the same.
  void DrawStanding(PanelContext& context) {
    const PictureShown& p = *shown_;
    if (p.result_there) {
      if (drawn_ahead_) {
        ui::Badge("looked ahead: the program is not there yet", ui::Colors().amber);
        ui::Gap(6);
      }
      return;
    }
    const ui::Palette& c = ui::Colors();
    ui::Gap(4);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const bool failed = p.why == "failed here", nothing = p.operands_there == 0;
    ui::DrawIcon(ImGui::GetWindowDrawList(), failed ? ui::Icon::kError : ui::Icon::kClock, {at.x, at.y + ui::Px(2)}, ui::Px(14), failed ? c.red : c.amber);
    ImGui::SetCursorScreenPos({at.x + ui::Px(20), at.y});
    ui::TextCut(absl::StrCat(nothing ? "Shapes without numbers" : "Without its result", ": ", p.why), c.dim);
    ui::TagFact("why", p.why);
    if (failed) {
      ui::Gap(2);
      ui::TextWrapped(context.now.error, c.text);
    }
    const bool reachable = p.why == "not executed yet" || p.why == "the program is not running" || absl::EndsWith(p.why, "does not run now");
    if (reachable && context.now.phase != Phase::kError) {
      if (ui::Button("run-to", "Run to it", ui::Icon::kContinue, ui::ButtonKind::kPlain, absl::StrCat("Runs until ", ShownName(*target()), " is computed"))) {
        if (context.now.frames.empty() || context.now.phase == Phase::kReady) context.run("start");
        context.run(absl::StrCat("goto before ", CommandName(context.now, *target())));
        context.run("next");
        run_to_ = target();
        quiet_frames_ = 0;
      }
      if (p.why == "not executed yet") {
        ImGui::SameLine(0, ui::Px(8));
        if (ui::Button("ahead", "Look ahead", ui::Icon::kNone, ui::ButtonKind::kQuiet, "Computes its value for looking only: the program stays where it is")) ahead_wanted_ = true;
      }
    }
    ui::Gap(8);
  }

  int NextStep(int by) const {
    const int steps = shown_ != nullptr ? shown_->made->steps : 0;
    if (steps == 0) return -1;
    const int step = selection_.step < 0 ? (by > 0 ? -1 : steps) : selection_.step;
    return std::clamp(step + by, 0, steps - 1);
  }

  void DrawSteps(PanelContext& context) {
    const ui::Palette& c = ui::Colors();
    const int steps = shown_->made->steps;
    const bool motion = ui::TheLook().motion;
    if (context.focused) {
      if (ui::Pressed("Right", true)) selection_.step = NextStep(1);
      if (ui::Pressed("Left", true)) selection_.step = NextStep(-1);
    }
    if (!motion) playing_ = false;
    if (playing_) {
      const double now = ImGui::GetTime();
      if (played_at_ == 0) {
        played_at_ = now;
        if (selection_.step < 0 || selection_.step >= steps - 1) selection_.step = 0;
      } else if (now - played_at_ >= StepSeconds(steps)) {
        played_at_ = now;
        if (selection_.step >= steps - 1) playing_ = false;
        else ++selection_.step;
      }
      ui::WantFrame();
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    if (ui::IconButton("previous", ui::Icon::kBackNext, "The step before (Left)", false, selection_.step != 0)) {
      selection_.step = NextStep(-1);
      playing_ = false;
    }
    ImGui::SameLine(0, ui::Px(2));
    if (motion) {
      if (ui::IconButton("play", playing_ ? ui::Icon::kPause : ui::Icon::kContinue, playing_ ? "Stop here" : "Walk through the steps", playing_)) {
        playing_ = !playing_;
        played_at_ = 0;
      }
      ImGui::SameLine(0, ui::Px(2));
    }
    if (ui::IconButton("next", ui::Icon::kNext, "The next step (Right)", false, selection_.step < steps - 1)) {
      selection_.step = NextStep(1);
      playing_ = false;
    }
    ImGui::SameLine(0, ui::Px(10));
    DrawSlider(steps, std::min(ui::Px(220), std::max(ui::Px(60), ImGui::GetContentRegionAvail().x - ui::Px(150))));
    ImGui::SameLine(0, ui::Px(10));
    const ImVec2 label = ImGui::GetCursorScreenPos();
    ImFont* mono = ui::Type().mono_small;
    // As wide as the longest one, so that nothing moves as one steps.
    const float width = ui::Measure(mono, absl::StrCat(steps, " of ", steps)).x;
    ui::DrawText({label.x, at.y + std::floor((ui::Px(24) - mono->FontSize) / 2)}, selection_.step < 0 ? c.faint : c.amber, mono, selection_.step < 0 ? absl::StrCat(steps, " steps") : absl::StrCat(selection_.step + 1, " of ", steps));
    ImGui::Dummy({width, ui::Px(24)});
    ImGui::SameLine(0, ui::Px(8));
    if (selection_.step >= 0 && ui::IconButton("all", ui::Icon::kFit, "All steps together")) {
      selection_.step = -1;
      playing_ = false;
    }
    // What happens in the step is said in the drawing.
    ImGui::SetCursorScreenPos({at.x, at.y + ui::Px(28)});
    ui::TagFact("step", absl::StrCat(selection_.step));
    ui::TagFact("steps", absl::StrCat(steps));
    ui::TagFact("step-text", shown_->made->step_text);
  }
  // Long walks go faster: a minute is enough.
  static double StepSeconds(int steps) { return std::clamp(60.0 / steps, 0.05, kStepSeconds); }

  void DrawSlider(int steps, float width) {
    const ui::Palette& c = ui::Colors();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float height = ui::Px(24), knob = ui::Px(6), y = at.y + height / 2;
    ImGui::InvisibleButton("slider", {width, height});
    ui::Tag("slider");
    const float from = at.x + knob, room = width - 2 * knob;
    if (ImGui::IsItemActive()) {
      const float t = std::clamp((ImGui::GetIO().MousePos.x - from) / room, 0.0f, 1.0f);
      selection_.step = static_cast<int>(std::lround(t * static_cast<float>(steps - 1)));
      playing_ = false;
    }
    const bool hot = ImGui::IsItemHovered() || ImGui::IsItemActive();
    const float t = selection_.step < 0 ? 1.0f : steps < 2 ? 0.0f : static_cast<float>(selection_.step) / static_cast<float>(steps - 1);
    ImDrawList* list = ImGui::GetWindowDrawList();
    list->AddRectFilled({at.x, y - ui::Px(2)}, {at.x + width, y + ui::Px(2)}, c.sunken, ui::Px(2));
    list->AddRectFilled({at.x, y - ui::Px(2)}, {from + room * t, y + ui::Px(2)}, selection_.step < 0 ? c.active : c.amber, ui::Px(2));
    list->AddCircleFilled({from + room * t, y}, hot ? knob + 1 : knob, selection_.step < 0 ? c.faint : c.amber);
  }

  void DrawPicture(PanelContext& context) {
    // A step shows where it is, wherever somebody scrolled before; so does an element that is selected elsewhere.
    if (const int step = selection_.step; step != std::exchange(scrolled_at_, step)) {
      if (step >= 0) Reveal(Reveals::kStep);
      std::erase_if(selection_.options, [](const auto& option) { return absl::StartsWith(option.first, "window:") || absl::StartsWith(option.first, "memory:"); });
    }
    // The next thing to the left stays where it is as hints come and go.
    ImGui::BeginChild("drawing", {0, 0}, false, ImGuiWindowFlags_HorizontalScrollbar);
    const std::shared_ptr<const Drawing> drawing(shown_->made, &shown_->made->drawing);
    const ui::DrawingEvents events = view_.Show("picture", drawing);
    if (reveals_ != Reveals::kNothing && live_.fresh() && ImGui::GetFrameCount() > reveals_at_) {
      if (reveals_ == Reveals::kBeginning) ImGui::SetScrollY(0);
      else if (reveals_ == Reveals::kStep) view_.ScrollToChange();
      else if (selection_.pinned.has_value()) view_.ScrollToCell(shown_->made->selected.value_or(*selection_.pinned));
      reveals_ = Reveals::kNothing;
    }
    ui::TagFact("scrolled", ImGui::GetScrollY() > 0 ? "yes" : "no");
    std::optional<Cell> hovered;
    if (events.hovered != nullptr && events.hovered->is_cell) {
      hovered = events.hovered->cell;
      if (const Instruction* of = InstructionOf(*hovered)) context.selection.hover_next = of;
    }
    if (!events.dragging) selection_.hovered = hovered;
    if (context.focused && events.roll != nullptr) {
      const Roll& roll = *events.roll;
      const int down = roll.down >= 0 ? roll.down : roll.across, across = roll.across >= 0 ? roll.across : roll.down;
      if (ui::Pressed("PageDown", true)) Apply(RollAction(roll, down, roll.count[static_cast<size_t>(down)]));
      if (ui::Pressed("PageUp", true)) Apply(RollAction(roll, down, -roll.count[static_cast<size_t>(down)]));
      if (ui::Pressed("Shift+PageDown", true)) Apply(RollAction(roll, across, roll.count[static_cast<size_t>(across)]));
      if (ui::Pressed("Shift+PageUp", true)) Apply(RollAction(roll, across, -roll.count[static_cast<size_t>(across)]));
    }
    if (!events.action.empty()) Apply(events.action);
    else if (events.clicked != nullptr && events.clicked->is_cell) Pin(context, events.clicked->cell);
    else if (events.clicked_empty) selection_.pinned.reset();
    ImGui::EndChild();
  }

  void Facts() {
    ui::TagFact("of", target()->name);
    ui::TagFact("kind", row_->id);
    ui::TagFact("fresh", live_.fresh() ? "yes" : "no");
    ui::TagFact("result", shown_->result_there ? "there" : "missing");
    ui::TagFact("pinned-cell", selection_.pinned.has_value() ? CellText(*target(), *selection_.pinned) : "none");
    const Cell* cell = selection_.cell();
    ui::TagFact("cell", cell != nullptr ? CellText(*target(), *cell) : "none");
    ui::TagFact("related", absl::StrCat(shown_->made->related_total));
    std::vector<std::string> related;
    for (const Cell& r : shown_->made->related) {
      if (related.size() < 8) related.push_back(CellText(*target(), r));
    }
    ui::TagFact("related-cells", absl::StrJoin(related, " "));
    std::vector<std::string> options;
    for (const auto& [name, value] : selection_.options) options.push_back(absl::StrCat(name, "=", value));
    ui::TagFact("options", absl::StrJoin(options, ";"));
  }

  Followed followed_;
  const Instruction* pictured_ = nullptr;  // what the selection below is of
  const Instruction* own_selection_ = nullptr;  // selected from here: the picture stays
  const Instruction* run_to_ = nullptr;         // the program is on its way to compute it
  int quiet_frames_ = 0;                        // since it came to rest
  std::string ahead_;                           // moment and instruction that are looked ahead at
  bool ahead_wanted_ = false, drawn_ahead_ = false;
  std::vector<const PictureRow*> suiting_;
  const PictureRow* row_ = nullptr;
  std::map<Opcode, std::string> chosen_;        // pictures that were chosen by hand
  PictureSelection selection_;
  int scrolled_at_ = -1;  // the step at which arrays were scrolled by hand
  Reveals reveals_ = Reveals::kNothing;  // what the next drawing scrolls to
  int reveals_at_ = 0;                   // the frame in which that was wished: the drawing is asked for in it, or in the next one
  bool playing_ = false;
  double played_at_ = 0;
  int ending_ = 0;
  std::string path_;
  Live<PictureShown> live_;
  std::shared_ptr<const PictureShown> shown_;
  ui::DrawingView view_;
};

}  // namespace

std::unique_ptr<Panel> MakePicturePanel() { return std::make_unique<PicturePanel>(); }

}  // namespace hloscope
