// The builder: a program made with forms. Operations from a palette, operands, attributes, constants and inputs. It has no model of its own:
// the forms write text into the document, each action one step of undo, and read what the reader makes of that text.
#include <algorithm>
#include <chrono>
#include <filesystem>
#include <future>
#include <nlohmann/json.hpp>
#include <utility>

#include "absl/container/flat_hash_set.h"
#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/strip.h"
#include "core/ops/op.h"
#include "core/text/hlo_text.h"
#include "imgui.h"
#include "imgui_internal.h"
#include "visualizer/model/build_command.h"
#include "visualizer/model/build_edit.h"
#include "visualizer/model/line_ends.h"
#include "visualizer/model/meant_computation.h"
#include "visualizer/panels/builder_data.h"
#include "visualizer/panels/builder_form.h"
#include "visualizer/panels/builder_palette.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/first_field.h"

namespace hloscope {
namespace {

class BuilderPanel : public Panel {
 public:
  void Draw(PanelContext& context) override {
    if (context.document.empty()) {
      DrawNothing(context);
      return;
    }
    TakeConverted(context);
    LookAtText(context.document);
    if (!is_hlo_) {
      DrawForeign(context);
      return;
    }
    const std::shared_ptr<const Reading> reading = context.document.FreshReading();
    Follow(context, reading.get());
    low_ = ImGui::GetContentRegionAvail().y < ui::Px(200);
    if (std::exchange(to_field_, false)) ui::GiveFirstFieldKeyboard();
    DrawHead(context, reading.get());
    ImGui::BeginChild("body", {0, 0}, false);
    if (reading == nullptr || reading->module == nullptr) {
      ui::EmptyHint(ui::Icon::kClock, "The text is being read.", "The forms are here as soon as that is done.");
    } else {
      BuilderScene scene = {context, *reading, Home(reading.get())};
      switch (mode_) {
        case kAdd: DrawAdd(scene); break;
        case kChange: DrawChange(scene); break;
        default: data_.Draw(scene); break;
      }
    }
    ImGui::EndChild();
    ApplyAtOnce(context, reading.get());
  }
  float padding() const override { return 12; }
  void Save(nlohmann::json& to) const override { to["at_once"] = at_once_; }
  void Load(const nlohmann::json& from) override { at_once_ = from.value("at_once", true); }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    args = absl::StripAsciiWhitespace(args);
    const absl::string_view action = args.substr(0, args.find(' '));
    const std::string rest(absl::StripAsciiWhitespace(args.substr(action.size())));
    Document& document = context.document;
    if (action == "new") {
      context.run("window new");
      mode_ = kAdd;
      add_.Close();
      return true;
    }
    if (action == "undo" || action == "redo") {
      const Document::Cursor cursor = action == "undo" ? document.Undo() : document.Redo();
      if (!cursor.moved) *error = absl::StrCat("there is nothing to ", action);
      made_versions_.insert(document.version());
      return cursor.moved;
    }
    if (action == "run") return Run(context, /*start=*/true, error);
    if (action == "apply") return Run(context, /*start=*/false, error);
    if (action == "in") {
      const std::shared_ptr<const Reading> reading = document.FreshReading();
      if (reading != nullptr && reading->module != nullptr && reading->module->FindComputation(rest) == nullptr) {
        *error = absl::StrCat("there is no computation '", rest, "'");
        return false;
      }
      home_.Choose(rest);
      return true;
    }
    if (action == "panel") {
      const auto mode = std::find(std::begin(kModes), std::end(kModes), rest);
      if (mode == std::end(kModes)) {
        *error = absl::StrCat("window builder panel takes ", absl::StrJoin(kModes, ", "));
        return false;
      }
      mode_ = static_cast<int>(mode - std::begin(kModes));
      to_field_ = !std::exchange(clicked_, false);
      return true;
    }
    if (action == "form") {
      mode_ = kAdd;
      add_.Open(rest);
      seen_selection_ = context.selection.generation;  // what was selected before is not meant
      if (!add_.open()) *error = absl::StrCat("there is no operation '", rest, "'");
      // Where there is one value only, it is meant.
      const std::shared_ptr<const Reading> at = context.document.FreshReading();
      if (const Computation* home = Home(at.get()); add_.open() && home != nullptr && home->instructions.size() == 1) {
        while (add_.armed >= 0) add_.Connect(std::string(home->instructions[0]->name));
      }
      return add_.open();
    }
    const std::shared_ptr<const Reading> reading = context.document.FreshReading();
    if (reading == nullptr) {
      *error = document.empty() ? "there is no program; window builder new begins one" : "the text is still being read; try again in a moment";
      return false;
    }
    if (action == "convert") return Convert(reading, error);
    if (action == "edit") {
      const Instruction* found = build::FindIn(*reading, Home(reading.get()), rest);
      if (found == nullptr) *error = absl::StrCat("there is no instruction ", rest);
      if (found != nullptr) OpenChange(*reading, *found);
      return found != nullptr;
    }
    const absl::StatusOr<build::TextEdit> edit = build::RunBuildCommand(*reading, Home(reading.get()), args);
    if (!edit.ok()) {
      *error = std::string(edit.status().message());
      Refuse(document, *error);
      add_.sent = false;
      return false;
    }
    refused_.clear();
    made_versions_.insert(document.version());
    Write(document, *edit);
    made_versions_.insert(document.version());
    if (std::exchange(add_.sent, false)) add_.Close();
    if (action == "rename" || action == "change") change_.name = edit->name;
    if (action == "delete") change_.Close();
    if (action == "parameter" || action == "constant") data_.Choose(edit->name);
    return true;
  }

 private:
  enum Mode { kAdd, kChange, kData };
  static constexpr const char* kModes[] = {"add", "change", "data"};

  void LookAtText(const Document& document) {
    if (looked_at_ == document.version()) return;
    looked_at_ = document.version();
    is_hlo_ = build::IsHloText(document.text());
  }

  const Computation* Home(const Reading* reading) {
    if (reading == nullptr || reading->module == nullptr) return nullptr;
    const Computation* named = home_.Find(*reading);
    return named != nullptr ? named : reading->module->entry;
  }

  // An instruction clicked in another panel: into the operand that waits for one, or into the form for changing.
  void Follow(PanelContext& context, const Reading* reading) {
    const Selection& selection = context.selection;
    if (selection.generation == seen_selection_) return;
    seen_selection_ = selection.generation;
    if (selection.instruction == nullptr || reading == nullptr || reading->module == nullptr) return;
    const Computation* computation = reading->module->FindComputation(selection.instruction->parent->name);
    const Instruction* found = computation != nullptr ? computation->FindInstruction(selection.instruction->name) : nullptr;
    if (found == nullptr) return;
    BuilderForm& form = mode_ == kChange ? change_ : add_;
    if (form.armed >= 0 && mode_ != kData) {
      if (!selection.chosen) return;  // a stop connects nothing
      if (computation == Home(reading) || (mode_ == kChange && computation == change_home_.Find(*reading))) form.Connect(std::string(found->name));
      return;
    }
    // While a name is being typed only a click takes the form elsewhere.
    if (typing_ && wanted_ != change_.name && !selection.chosen) return;
    if (mode_ == kChange || !add_.open()) {
      change_home_.Choose(std::string(computation->name));
      change_.OpenFor(*reading, *found);
    }
  }
  void OpenChange(const Reading& reading, const Instruction& instruction) {
    mode_ = kChange;
    change_home_.Choose(std::string(instruction.parent->name));
    change_.OpenFor(reading, instruction);
  }

  static void Write(Document& document, const build::TextEdit& edit) {
    const absl::string_view line_end = LineEndOf(document.text());
    const std::string text = WithLineEnds(edit.text, line_end);
    const auto before = static_cast<size_t>(std::clamp<int64_t>(edit.cursor - edit.begin, 0, static_cast<int64_t>(edit.text.size())));
    const int64_t longer = static_cast<int64_t>(WithLineEnds(absl::string_view(edit.text).substr(0, before), line_end).size()) - static_cast<int64_t>(before);
    document.Replace(edit.begin, edit.end, text, edit.begin, edit.cursor + longer);
  }

  // It is told until the text changes, or something else is done.
  void Refuse(const Document& document, const std::string& why) {
    refused_ = why;
    refused_version_ = document.version();
    refused_mode_ = mode_;
  }

  // -- Running --
  bool Run(PanelContext& context, bool start, std::string* error) {
    Document& document = context.document;
    const std::shared_ptr<const Reading> reading = context.document.FreshReading();
    if (reading == nullptr) {
      *error = document.empty() ? "there is no program" : "the text is still being read; try again in a moment";
      return false;
    }
    if (!reading->ok) {
      const auto first = std::find_if(reading->problems.begin(), reading->problems.end(), [](const Diagnostic& d) { return d.severity == Severity::kError; });
      const absl::string_view text = document.text();
      const bool found = first != reading->problems.end();
      const size_t before = found && first->range.valid() ? std::min(static_cast<size_t>(first->range.begin), text.size()) : 0;
      *error = !found ? "the program cannot run yet: it has no computation to run"
                      : absl::StrCat("the program cannot run yet, line ", 1 + std::count(text.begin(), text.begin() + static_cast<ptrdiff_t>(before), '\n'), ": ", first->message);
      Refuse(document, *error);
      return false;
    }
    refused_.clear();
    if (document.changed() || context.now.phase == Phase::kBroken) Apply(context);
    if (start) {
      start_version_ = document.version();
      start_wanted_ = true;
    }
    return true;
  }
  // As the program panel does. Where nothing has run yet, the session begins with the text.
  static void Apply(PanelContext& context) {
    Document& document = context.document;
    if (context.now.session != nullptr) {
      context.run("window program apply");
      return;
    }
    document.MarkSent();
    context.engine.OpenText(document.name(), document.text());
  }
  void ApplyAtOnce(PanelContext& context, const Reading* reading) {
    Document& document = context.document;
    const bool ready = reading != nullptr && reading->ok && reading->version == document.version() && context.engine.idle();
    if (!ready) return;
    if (at_once_ && document.changed() && applied_ != document.version() && made_versions_.contains(document.version())) {
      applied_ = document.version();
      Apply(context);
    } else if (start_wanted_ && !document.changed() && start_version_ == document.version() && context.now.session != nullptr) {
      start_wanted_ = false;
      context.run("run");
    }
  }

  // Writing a large program takes a while: beside the window.
  bool Convert(std::shared_ptr<const Reading> reading, std::string* error) {
    if (reading->module == nullptr || !reading->ok) {
      *error = "the program must read without problems before it can be converted";
    } else if (build::IsHloText(reading->source->text())) {
      *error = "the program is HLO already";
    }
    if (!error->empty()) return false;
    converting_ = std::async(std::launch::async, [reading] { return Converted{reading->version, PrintHloText(*reading->module)}; });
    return true;
  }
  void TakeConverted(PanelContext& context) {
    if (!converting_.valid()) return;
    ui::WantFrame();
    if (converting_.wait_for(std::chrono::seconds(0)) != std::future_status::ready) return;
    Converted converted = converting_.get();
    const Document& document = context.document;
    if (converted.version != document.version()) {
      context.engine.AddConsole(ConsoleLine::kError, "the program was changed while HLO was made of it; window builder convert does it again");
      return;
    }
    context.go_on_as(absl::StrCat(std::filesystem::path(document.name()).stem().string(), ".hlo"), std::move(converted.text));
  }

  // -- Drawing --
  void DrawNothing(PanelContext& context) const {
    ui::EmptyHint(ui::Icon::kPlus, "Programs made with forms: operations from a palette, operands, attributes, constants and inputs.", "Open a program, or begin a new one:");
    const float width = ui::Measure(ui::Type().ui, "New program").x + ui::Px(40);
    ImGui::SetCursorPos({std::max(0.0f, (ImGui::GetWindowWidth() - width) / 2), std::max(0.0f, ImGui::GetWindowHeight() * 0.42f + ui::Px(64))});
    if (ui::Button("new", "New program", ui::Icon::kPlus, ui::ButtonKind::kPrimary)) context.run("window builder new");
  }
  void DrawForeign(PanelContext& context) const {
    ui::Text("This program is StableHLO", 0, ui::Type().title);
    ui::Gap(6);
    ui::TextWrapped("The builder writes HLO. It can make an HLO program of this one, with the same instructions; the file stays as it is.", ui::Colors().dim);
    ui::Gap(12);
    if (ui::Button("convert", "Make an HLO program of it", ui::Icon::kEdit, ui::ButtonKind::kPrimary)) context.run("window builder convert");
  }

  // Who clicks has a hand at the mouse: the keyboard stays where it is.
  void ClickMode(PanelContext& context) {
    clicked_ = true;
    context.run(absl::StrCat("window builder panel ", kModes[mode_]));
  }

  void DrawHead(PanelContext& context, const Reading* reading) {
    Document& document = context.document;
    std::vector<std::string> names;
    int chosen = -1;
    const Computation* home = Home(reading);
    if (reading != nullptr && reading->module != nullptr) {
      for (const Computation* c : reading->module->computations) {
        if (c->name.empty() && c != home) continue;
        if (c == home) chosen = static_cast<int>(names.size());
        names.emplace_back(c->name.empty() ? "program" : std::string(c->name));
      }
    }
    const float wide = ImGui::GetContentRegionAvail().x;
    if (low_) {
      // One row, so that there is something below it; the rest has commands and keys.
      const float row = ImGui::GetCursorPosY();
      ImGui::SetCursorPosY(row + ui::Px(2));  // in the middle of the button beside it
      if (ui::Segments("mode", {"Add", "Change", "Data"}, &mode_)) ClickMode(context);
      ImGui::SameLine(0, ui::Px(8));
      ImGui::SetCursorPosY(row);
      if (ui::Button("run", "Run", ui::Icon::kContinue, ui::ButtonKind::kPrimary, "gives the program to the debugger and runs it", reading != nullptr && reading->ok)) context.run("window builder run");
      ImGui::SameLine(0, ui::Px(8));
      ImGui::SetCursorPosY(row + ui::Px(5));
      DrawState(document, reading);
      ImGui::SetCursorPosY(row + ui::Px(32));
      if (!below_.empty()) ui::TextWrapped(below_, ui::Colors().red);
      return;
    }
    const float combo = std::clamp(wide / ui::TheLook().scale - 182, 80.0f, 220.0f), top = ImGui::GetCursorPosY();
    ImGui::SetCursorPosY(top + ui::Px(3));
    if (ui::Combo("in", names, &chosen, combo)) context.run(absl::StrCat("window builder in ", names[chosen]));
    ui::Tooltip("the computation that is built");
    ImGui::SameLine(0, ui::Px(6));
    ImGui::SetCursorPosY(top + ui::Px(2));
    if (ui::IconButton("undo", ui::Icon::kUndo, "take the last change back", false, document.can_undo())) context.run("window builder undo");
    ImGui::SameLine(0, ui::Px(2));
    ImGui::SetCursorPosY(top + ui::Px(2));
    if (ui::IconButton("redo", ui::Icon::kRedo, "make it again", false, document.can_redo())) context.run("window builder redo");
    ImGui::SameLine(0, ui::Px(8));
    ImGui::SetCursorPosY(top);
    const bool ok = reading != nullptr && reading->ok;
    if (ui::Button("run", "Run", ui::Icon::kContinue, ui::ButtonKind::kPrimary, "gives the program to the debugger and runs it", ok)) context.run("window builder run");
    ImGui::SameLine(0, ui::Px(6));
    ImGui::SetCursorPosY(top + ui::Px(2));
    if (ui::IconButton("at-once", ui::Icon::kLink, "apply at once: each edit that reads without problems goes to the debugger, and so to the graph; what it does not change keeps its values", at_once_)) at_once_ = !at_once_;
    ImGui::SetCursorPosY(top + ui::Px(32));
    if (ui::Segments("mode", {"Add", "Change", "Data"}, &mode_)) ClickMode(context);
    ImGui::SameLine(0, ui::Px(12));
    ImGui::SetCursorPosY(top + ui::Px(37));
    DrawState(document, reading);
    ImGui::SetCursorPosY(top + ui::Px(60));
    if (!below_.empty()) {
      ui::TextWrapped(below_, ui::Colors().red);
      ui::Gap(4);
    }
    ui::Separator();
  }

  void DrawState(const Document& document, const Reading* reading) {
    const ui::Palette& c = ui::Colors();
    int errors = 0;
    const Diagnostic* first = nullptr;
    if (reading != nullptr) {
      for (const Diagnostic& d : reading->problems) {
        if (d.severity != Severity::kError) continue;
        if (first == nullptr) first = &d;
        ++errors;
      }
    }
    const bool empty = reading != nullptr && reading->module != nullptr && Home(reading) != nullptr && Home(reading)->instructions.empty();
    std::string text;
    ImU32 color = c.dim;
    ui::Icon icon = ui::Icon::kInfo;
    if (refused_version_ != document.version() || refused_mode_ != mode_) refused_.clear();
    const bool refused = !refused_.empty();
    if (refused) {
      text = refused_;
      color = c.red;
      icon = ui::Icon::kError;
    } else if (reading == nullptr) {
      text = "reading the text";
      icon = ui::Icon::kClock;
    } else if (empty) {
      text = "empty: begin with a parameter or a constant";
    } else if (errors > 0) {
      text = absl::StrCat(errors == 1 ? "1 problem: " : absl::StrCat(errors, " problems: "), first->message);
      color = c.red;
      icon = ui::Icon::kError;
    } else {
      text = document.changed() ? "reads well; not run yet" : "reads well";
      color = c.green;
      icon = ui::Icon::kCheck;
    }
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ui::DrawIcon(ImGui::GetWindowDrawList(), icon, {at.x, at.y + ui::Px(1)}, ui::Px(13), color);
    ImGui::SetCursorScreenPos({at.x + ui::Px(19), at.y});
    // A reason is read whole, below where it has no room here.
    const bool fits = ui::Measure(ui::Type().ui, text).x <= ImGui::GetContentRegionAvail().x;
    below_ = icon != ui::Icon::kError || fits ? "" : refused ? refused_ : first->message;
    ui::TextCut(below_.empty() ? text : refused ? "not possible:" : text.substr(0, text.find(": ") + 1), color);
    ui::TagFact("state", text);
    ui::TagFact("problems", absl::StrCat(errors));
    ui::TagFact("changed", document.changed() ? "yes" : "no");
    if (const Computation* home = Home(reading)) {
      ui::TagFact("home", home->name);
      ui::TagFact("instructions", absl::StrCat(home->instructions.size()));
      ui::TagFact("root", home->root != nullptr ? std::string(home->root->name) : "");
    }
  }

  void DrawAdd(BuilderScene& scene) {
    const bool wide = ImGui::GetContentRegionAvail().x > ui::Px(620);
    if (wide) {
      ImGui::BeginChild("palette", {ui::Px(250), 0}, false);
      DrawPalette(scene);
      ImGui::EndChild();
      ImGui::SameLine(0, ui::Px(16));
      ImGui::BeginChild("form", {0, 0}, false);
      if (add_.open()) {
        add_.DrawAdd(scene);
      } else {
        ui::EmptyHint(ui::Icon::kPlus, "The form of an operation: what it reads, its attributes, and the shape that follows.", "Choose an operation at the left.");
      }
      ImGui::EndChild();
      return;
    }
    if (!add_.open()) {
      DrawPalette(scene);
      return;
    }
    if (ui::Button("palette", "All operations", ui::Icon::kBack, ui::ButtonKind::kQuiet)) {
      add_.Close();
      return;
    }
    ui::Gap(2);
    add_.DrawAdd(scene);
  }

  void DrawPalette(BuilderScene& scene) {
    bool entered = false;
    if (ui::SearchField("search", &letters_, "Search operations", 0, &entered)) found_valid_ = false;
    if (!found_valid_) found_ = FindOperations(letters_);
    found_valid_ = true;
    if (entered && !found_.empty()) {
      Choose(scene, found_.front()->name);
      return;
    }
    ui::TagFact("found", absl::StrCat(found_.size()));
    ImGui::BeginChild("operations", {0, 0}, false);
    if (found_.empty()) ui::EmptyHint(ui::Icon::kSearch, "No operation has this in its name or summary.", "Fewer letters find more.");
    int group = -1;
    float name_width = 0;
    for (const PaletteOperation* operation : found_) name_width = std::max(name_width, ui::Measure(ui::Type().mono, operation->name).x + ui::Px(12));
    for (const PaletteOperation* operation : found_) {
      if (letters_.empty() && operation->group != group && !low_) {
        group = operation->group;
        ui::Heading(PaletteGroups()[group]);
      }
      const ui::RowState row = ui::Row(absl::StrCat("op:", operation->name), 24, add_.opcode() == operation->name);
      const float room = row.max.x - row.min.x - ui::Px(16);
      const float y = row.min.y + (row.max.y - row.min.y - ui::Type().mono->FontSize) / 2;
      const float own = std::min(room, std::max(ui::Measure(ui::Type().mono, operation->name).x + ui::Px(10), room > ui::Px(300) ? name_width : 0.0f));
      ui::DrawTextIn({row.min.x + ui::Px(8), y}, own, ui::Colors().blue, ui::Type().mono, operation->name);
      if (room - own > ui::Px(40)) ui::DrawTextIn({row.min.x + ui::Px(8) + own, y}, room - own, ui::Colors().dim, ui::Type().ui, operation->summary);
      if (row.hovered) ui::Tooltip(absl::StrCat(operation->name, ": ", operation->summary));
      if (row.clicked) Choose(scene, operation->name);
    }
    ImGui::EndChild();
  }
  void Choose(BuilderScene& scene, const std::string& operation) {
    scene.context.run(absl::StrCat("window builder form ", operation));
  }

  void DrawChange(BuilderScene& scene) {
    const Reading& reading = scene.reading;
    const Computation* meant = change_home_.Find(reading);
    const Computation* computation = change_home_.name().empty() ? scene.home : meant;
    const Instruction* of = computation != nullptr && change_.open() ? computation->FindInstruction(change_.name) : nullptr;
    if (DrawInstructionField(scene, of)) return;
    if (of == nullptr) {
      ui::EmptyHint(ui::Icon::kEdit, "An instruction as a form: its operands, attributes, shape and name; what uses it; deleting it.", "Click one in the program or the graph, or type its name above.");
      return;
    }
    BuilderScene inside = {scene.context, reading, computation};
    change_.DrawChange(inside, *of);
  }

  // The name of the instruction whose form is below. True: another one is being typed, and what begins like it is offered in the form's place.
  bool DrawInstructionField(BuilderScene& scene, const Instruction* of) {
    bool entered = false;
    const bool other = change_.open() && change_.name != field_of_;
    if (change_.open() && (!typing_ || other)) {
      if (typing_) {  // the field has a text of its own, and would write that back
        ImGui::ClearActiveID();
        ui::FocusNext();
      }
      wanted_ = change_.name;
    }
    field_of_ = change_.name;
    ui::Field("instruction", &wanted_, "name of an instruction", ImGui::GetContentRegionAvail().x / ui::TheLook().scale - (of != nullptr ? 58 : 0), &entered, true);
    // Who clicks on one that is offered takes the keyboard from the field first.
    typing_ = ImGui::IsItemActive() || (typing_ && (ImGui::IsMouseDown(0) || ImGui::IsMouseReleased(0)));
    if (of != nullptr) {
      ImGui::SameLine(0, ui::Px(6));
      BuilderScene inside = {scene.context, scene.reading, of->parent};
      change_.DrawActions(inside, *of);
    }
    if (entered && !wanted_.empty()) scene.context.run(absl::StrCat("window builder edit %", absl::StripPrefix(wanted_, "%")));
    const bool offers = typing_ && wanted_ != change_.name && scene.home != nullptr;
    ui::TagFact("instruction", wanted_);
    if (offers) {
      const Computation& home = change_.open() && of != nullptr ? *of->parent : *scene.home;
      int shown = 0;
      for (const Instruction* i : home.instructions) {
        if (!absl::StrContains(i->name, absl::StripPrefix(wanted_, "%"))) continue;
        const std::string name(i->name);
        const ui::RowState row = ui::Row(absl::StrCat("choose:", name), 22);
        ui::DrawNameIn({row.min.x + ui::Px(8), row.min.y + ui::Px(3)}, row.max.x - row.min.x - ui::Px(16), ui::Colors().text, ui::Type().mono, name);
        if (row.clicked) scene.context.run(absl::StrCat("window builder edit ", home.name, ":", name));
        if (++shown == 8) break;
      }
      if (shown == 0) ui::TextCut(absl::StrCat(home.name, " has no instruction with this in its name"), ui::Colors().faint);
    }
    ui::Gap(4);
    return offers;
  }

  int mode_ = kAdd;
  bool at_once_ = true;
  build::MeantComputation home_;         // the computation that is built; none: the entry
  build::MeantComputation change_home_;  // that of the instruction that is being changed; none: the one that is built
  std::string letters_, wanted_, refused_;
  std::string field_of_;  // the instruction whose form was below the field
  uint64_t refused_version_ = 0;  // of the text, then
  int refused_mode_ = 0;
  std::string below_;  // a reason that has no room in its line
  bool typing_ = false;
  std::vector<const PaletteOperation*> found_;
  bool found_valid_ = false;
  BuilderForm add_, change_;
  BuilderData data_;
  uint64_t looked_at_ = 0, seen_selection_ = 0, applied_ = 0, start_version_ = 0;
  // Texts that the builder made, and those that it made them of: undo and redo come to them, from wherever they are told.
  absl::flat_hash_set<uint64_t> made_versions_;
  bool is_hlo_ = true, start_wanted_ = false, low_ = false;
  bool to_field_ = false, clicked_ = false;  // the first field takes the keyboard; the part was chosen by a click
  struct Converted {
    uint64_t version = 0;  // of the document that was read
    std::string text;
  };
  std::future<Converted> converting_;
};

}  // namespace

std::unique_ptr<Panel> MakeBuilderPanel() { return std::make_unique<BuilderPanel>(); }

}  // namespace hloscope
