// The panel Lessons: the list with its progress, and a lesson to read, with programs that run as one types, pictures of their values, and exercises
// that are checked. Everything runs on the desk's thread (lessons/desk.h); hloscope lessons prints the same.
#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>
#include <set>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "absl/strings/str_split.h"
#include "absl/strings/strip.h"
#include "visualizer/lessons/desk.h"
#include "visualizer/lessons/draw.h"
#include "visualizer/lessons/plain.h"
#include "visualizer/panels/lessons_code.h"
#include "visualizer/panels/lessons_text.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/controls.h"
#include "visualizer/widgets/drawing_view.h"

namespace hloscope {
namespace {

using lessons::Block;
using lessons::Exercise;
using lessons::Lesson;
using lessons::LessonText;
using lessons::ProgramRun;
using lessons::Shelf;
using lessons::Words;

// What somebody did in an exercise.
struct Attempt {
  std::string answer;
  lessons::Verdict verdict;
  bool judged = false, waiting = false;
  int hints = 0, mistakes = 0;
};

// A picture as it is shown, and what it was drawn from.
struct ShownPicture {
  std::shared_ptr<const ProgramRun> run;
  PictureSelection selection;
  bool begun = false, drawn = false;
  std::shared_ptr<const Drawing> drawing;
  std::string problem;
  int steps = 0;
  std::string step_text;
  ui::DrawingView view;
};

class LessonsPanel : public Panel {
 public:
  float padding() const override { return 0; }

  void Draw(PanelContext& context) override {
    Begin(context);
    const std::shared_ptr<const Shelf> shelf = desk_->shelf();
    if (desk_->busy()) ui::WantFrame();
    if (shelf == nullptr) {
      ImGui::SetCursorPos({ui::Px(16), ui::Px(16)});
      ui::Spinner(16);
      return;
    }
    if (shelf->lessons.empty()) {
      ui::EmptyHint(ui::Icon::kBook, "Lessons about shapes, layouts and operations.", shelf->problems.empty() ? "There are none in assets/lessons." : shelf->problems.front());
      return;
    }
    const Words& words = shelf->WordsOf(language_);
    TakeVerdicts(context);
    const float whole = ImGui::GetContentRegionAvail().x, list = ui::Px(276);
    const bool side_by_side = whole > ui::Px(900);
    const Lesson* lesson = shelf->Find(lesson_);
    if (side_by_side || lesson == nullptr) {
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(12), ui::Px(12)});
      ImGui::BeginChild("contents", {side_by_side ? list : 0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
      ImGui::PopStyleVar();
      DrawContents(context, *shelf, words);
      ImGui::EndChild();
    }
    if (side_by_side) {
      const ImVec2 corner = {ImGui::GetItemRectMax().x, ImGui::GetItemRectMin().y};
      ImGui::GetWindowDrawList()->AddLine(corner, {corner.x, ImGui::GetItemRectMax().y}, ui::Colors().border);
      ImGui::SameLine(0, 0);
    }
    if (lesson == nullptr && side_by_side) lesson = shelf->lessons.front().get();
    if (lesson != nullptr) {
      const std::string id = absl::StrCat("reading ", lesson->name);
      ImGui::PushStyleVar(ImGuiStyleVar_WindowPadding, {ui::Px(side_by_side ? 36 : 16), ui::Px(16)});
      ImGui::BeginChild(id.c_str(), {0, 0}, false, ImGuiWindowFlags_AlwaysUseWindowPadding);
      ImGui::PopStyleVar();
      if (scroll_to_top_) ImGui::SetScrollY(0);
      scroll_to_top_ = false;
      DrawLesson(context, *shelf, *lesson, words, side_by_side);
      ImGui::EndChild();
    }
    ui::TagFact("lesson", lesson != nullptr ? lesson->name : "");
    ui::TagFact("language", language_);
    ui::TagFact("solved", absl::StrJoin(solved_, " "));
  }

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override {
    Begin(context);
    args = absl::StripAsciiWhitespace(args);
    const std::string word(args.substr(0, args.find(' ')));
    absl::string_view rest = absl::StripAsciiWhitespace(args.substr(word.size()));
    if (word == "open") return Open(std::string(rest), error);
    if (word == "list") {
      lesson_.clear();
      return true;
    }
    if (word == "language") return SetLanguage(std::string(rest), error);
    if (word == "forget") {
      solved_.clear();
      attempts_.clear();
      texts_.clear();
      shown_.clear();
      return true;
    }
    const std::shared_ptr<const Shelf> shelf = desk_->shelf();
    const Lesson* lesson = shelf != nullptr ? Present(*shelf) : nullptr;
    if (lesson != nullptr && word == "answer") return Answer(*lesson, rest, error);
    if (lesson != nullptr && word == "program") return OpenProgram(context, *lesson, std::string(rest), error);
    if (lesson != nullptr && (word == "hint" || word == "show")) return Reveal(*lesson, word == "hint", std::string(rest), error);
    if (lesson != nullptr && word == "reveal") return FillIn(context, *lesson, std::string(rest), error);
    *error = "window lessons takes: open NAME, list, language LANG, answer EXERCISE ANSWER, hint EXERCISE, reveal EXERCISE, show PROGRAM|PICTURE, program NAME (opens it), forget (all progress)";
    return false;
  }

  void Save(nlohmann::json& to) const override {
    to["language"] = language_;
    to["lesson"] = lesson_;
    to["solved"] = solved_;
  }
  void Load(const nlohmann::json& from) override {
    if (from.contains("language") && from["language"].is_string()) language_ = from["language"].get<std::string>();
    if (from.contains("lesson") && from["lesson"].is_string()) lesson_ = from["lesson"].get<std::string>();
    if (!from.contains("solved") || !from["solved"].is_array()) return;
    for (const nlohmann::json& one : from["solved"]) {
      if (one.is_string()) solved_.insert(one.get<std::string>());
    }
  }

 private:
  void Begin(PanelContext& context) {
    if (desk_ == nullptr) desk_ = std::make_unique<lessons::Desk>(lessons::TheHome().folder, lessons::TheHome().backend, [] {});
  }
  const Lesson* Present(const Shelf& shelf) const {
    const Lesson* lesson = shelf.Find(lesson_);
    return lesson != nullptr || shelf.lessons.empty() ? lesson : shelf.lessons.front().get();
  }
  static std::string Key(const Lesson& lesson, const std::string& id) { return absl::StrCat(lesson.name, "/", id); }
  bool Solved(const Lesson& lesson, const Exercise& exercise) const { return solved_.count(Key(lesson, exercise.id)) > 0; }

  // ---- Commands ----

  bool Open(const std::string& name, std::string* error) {
    const std::shared_ptr<const Shelf> shelf = desk_->shelf();
    if (shelf != nullptr && shelf->Find(name) == nullptr) {
      std::vector<std::string> names;
      for (const auto& lesson : shelf->lessons) names.push_back(lesson->name);
      *error = absl::StrCat("there is no lesson '", name, "'; there are ", absl::StrJoin(names, ", "));
      return false;
    }
    lesson_ = name;
    scroll_to_top_ = true;
    return true;
  }
  bool SetLanguage(const std::string& language, std::string* error) {
    const std::shared_ptr<const Shelf> shelf = desk_->shelf();
    if (shelf != nullptr && shelf->words.find(language) == shelf->words.end()) {
      *error = absl::StrCat("there is no language '", language, "'; there are ", absl::StrJoin(shelf->languages, ", "));
      return false;
    }
    language_ = language;
    // Verdicts are in words of the other one.
    for (auto& [key, attempt] : attempts_) attempt.judged = false;
    return true;
  }
  bool Answer(const Lesson& lesson, absl::string_view args, std::string* error) {
    const std::string id(args.substr(0, args.find(' ')));
    const Exercise* exercise = lesson.FindExercise(id);
    if (exercise == nullptr) {
      *error = absl::StrCat("the lesson '", lesson.name, "' has no exercise '", id, "'");
      return false;
    }
    Attempt& attempt = attempts_[Key(lesson, id)];
    // A whole program is what stands in its field.
    if (exercise->kind != "program") attempt.answer = std::string(absl::StripAsciiWhitespace(args.substr(id.size())));
    CheckAttempt(lesson, *exercise, attempt);
    return true;
  }
  bool OpenProgram(PanelContext& context, const Lesson& lesson, const std::string& id, std::string* error) {
    const lessons::Program* program = lesson.FindProgram(id);
    if (program == nullptr) {
      *error = absl::StrCat("the lesson '", lesson.name, "' has no program '", id, "'");
      return false;
    }
    context.open_text(absl::StrCat(lesson.name, "_", id, ".hlo"), TextOf(lesson, *program));
    return true;
  }
  bool Reveal(const Lesson& lesson, bool hint, const std::string& id, std::string* error) {
    if (hint) {
      if (lesson.FindExercise(id) == nullptr) {
        *error = absl::StrCat("the lesson '", lesson.name, "' has no exercise '", id, "'");
        return false;
      }
      ++attempts_[Key(lesson, id)].hints;
      return true;
    }
    shown_.insert(Key(lesson, id));
    return true;
  }
  // The right answer into the field; checking it is left to who reads.
  bool FillIn(PanelContext& context, const Lesson& lesson, const std::string& id, std::string* error) {
    const Exercise* exercise = lesson.FindExercise(id);
    const absl::StatusOr<std::string> expected =
        exercise != nullptr ? lessons::ExpectedAnswer(lesson, *exercise, lessons::TheHome().backend) : absl::NotFoundError(absl::StrCat("the lesson '", lesson.name, "' has no exercise '", id, "'"));
    if (!expected.ok()) {
      *error = std::string(expected.status().message());
      return false;
    }
    attempts_[Key(lesson, id)].answer = std::string(absl::StripTrailingAsciiWhitespace(*expected));
    return true;
  }
  void CheckAttempt(const Lesson& lesson, const Exercise& exercise, Attempt& attempt) {
    attempt.waiting = true;
    attempt.judged = false;
    desk_->Check(Key(lesson, exercise.id), lesson, exercise, language_, attempt.answer);
  }
  void TakeVerdicts(PanelContext& context) {
    for (auto& [key, attempt] : attempts_) {
      if (!attempt.waiting) continue;
      std::optional<lessons::Verdict> verdict = desk_->TakeVerdict(key);
      if (!verdict.has_value()) continue;
      attempt.waiting = false;
      attempt.judged = true;
      attempt.verdict = *std::move(verdict);
      if (!attempt.verdict.right) ++attempt.mistakes;
      if (attempt.verdict.right && solved_.insert(key).second) context.run("window keep");
    }
  }

  // ---- The list ----

  void DrawContents(PanelContext& context, const Shelf& shelf, const Words& words) {
    const ui::Palette& c = ui::Colors();
    std::vector<std::string> names;
    int chosen = 0;
    for (const std::string& language : shelf.languages) {
      if (language == language_) chosen = static_cast<int>(names.size());
      names.push_back(shelf.WordsOf(language).Get("language"));
    }
    ui::Text(words.Get("lessons"), c.text, ui::Type().title);
    ui::Gap(8);
    if (ui::Segments("language", names, &chosen)) context.run(absl::StrCat("window lessons language ", shelf.languages[static_cast<size_t>(chosen)]));
    std::string part;
    for (const auto& lesson : shelf.lessons) {
      if (lesson->part != part) {
        part = lesson->part;
        ui::Gap(8);
        ui::Heading(words.Get(part));
      }
      int done = 0;
      for (const Exercise& e : lesson->exercises) done += Solved(*lesson, e) ? 1 : 0;
      const int all = static_cast<int>(lesson->exercises.size());
      const ui::RowState row = ui::Row(absl::StrCat("lesson:", lesson->name), 30, lesson.get() == Present(shelf) && ImGui::GetContentRegionAvail().x < ui::Px(300));
      const float x = row.min.x + ui::Px(8), right = row.max.x - ui::Px(8), middle = (row.min.y + row.max.y) / 2;
      const std::string count = absl::StrCat(done, "/", all);
      const float count_width = ui::Measure(ui::Type().small, count).x;
      if (done == all) {
        ui::DrawIcon(ImGui::GetWindowDrawList(), ui::Icon::kCheck, {right - ui::Px(14), middle - ui::Px(7)}, ui::Px(14), c.green);
      } else {
        ui::DrawText({right - count_width, middle - ui::Type().small->FontSize / 2}, done > 0 ? c.dim : c.faint, ui::Type().small, count);
      }
      const LessonText& text = lesson->In(language_);
      bool cut = false;
      ui::DrawTextIn({x, middle - ui::Type().ui->FontSize / 2}, right - count_width - ui::Px(10) - x, c.text, ui::Type().ui, text.title, &cut);
      std::string about = lessons::PlainText(text.summary);
      about.erase(std::remove(about.begin(), about.end(), '`'), about.end());
      ui::Tooltip(cut ? absl::StrCat(text.title, "\n", about) : about);
      if (row.clicked) context.run(absl::StrCat("window lessons open ", lesson->name));
    }
    ui::Gap(12);
    for (const std::string& problem : shelf.problems) ui::TextWrapped(problem, c.red, ui::Type().small);
  }

  // ---- A lesson ----

  void DrawLesson(PanelContext& context, const Shelf& shelf, const Lesson& lesson, const Words& words, bool side_by_side) {
    const LessonText& text = lesson.In(language_);
    // Lines that the eye finds back from; the rest stays free.
    const float room = ImGui::GetContentRegionAvail().x - ui::Px(8), width = std::min(room, ui::Px(840));
    const ImVec2 left = ImGui::GetCursorScreenPos();
    const float x = left.x + std::floor(std::max(0.0f, side_by_side ? 0.0f : (room - width) / 2));
    ImGui::SetCursorScreenPos({x, left.y});
    ImGui::BeginGroup();
    ImGui::PushStyleVar(ImGuiStyleVar_ItemSpacing, {ui::Px(8), ui::Px(6)});
    if (!side_by_side && ui::Button("all", words.Get("all-lessons"), ui::Icon::kBack, ui::ButtonKind::kQuiet)) context.run("window lessons list");
    ReadingTitle(text.title, 30, width);
    ui::TagFact("title", text.title);
    ReadingStyle summary;
    summary.color = ui::Colors().dim;
    Follow(context, ReadingText(text.summary, width, summary));
    if (text.language != language_) ui::Text(words.Get("language-missing"), ui::Colors().amber);
    ui::Gap(8);
    for (const Block& block : text.blocks) {
      ImGui::PushID(&block);
      DrawBlock(context, lesson, words, block, width);
      ImGui::PopID();
      ui::Gap(8);
    }
    DrawFoot(context, shelf, lesson, words, width);
    ImGui::PopStyleVar();
    ImGui::EndGroup();
    ui::Gap(48);
  }

  void Follow(PanelContext& context, const std::string& link) {
    absl::string_view target = link;
    if (absl::ConsumePrefix(&target, "lesson:")) context.run(absl::StrCat("window lessons open ", target));
  }

  void DrawBlock(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
    switch (block.kind) {
      case Block::kHeading:
        ui::Gap(14);
        ReadingTitle(lessons::PlainText(block.texts.front()), 20, width);
        break;
      case Block::kParagraph: Follow(context, ReadingText(block.texts.front(), width)); break;
      case Block::kBullets:
      case Block::kNumbers: Follow(context, ReadingList(block.texts, block.kind == Block::kNumbers, width)); break;
      case Block::kTable: Follow(context, ReadingTable(block.rows, width)); break;
      case Block::kVerbatim: ReadingVerbatim(block.verbatim, width); break;
      case Block::kProgram: DrawProgram(context, lesson, words, block, width); break;
      case Block::kPicture: DrawPicture(context, lesson, words, block, width); break;
      case Block::kExercise: DrawExercise(context, lesson, words, block, width); break;
    }
  }

  void DrawCaption(PanelContext& context, const Block& block, float width) {
    if (block.texts.empty()) return;
    ReadingStyle style;
    style.color = ui::Colors().dim;
    style.font = ui::Type().small;
    Follow(context, ReadingText(block.texts.front(), width, style));
  }

  // ---- Programs ----

  // What stands in it now: as it was, or as it was edited.
  std::string TextOf(const Lesson& lesson, const lessons::Program& program) const {
    const auto it = texts_.find(Key(lesson, program.id));
    return it != texts_.end() ? it->second : program.text;
  }
  bool Edited(const Lesson& lesson, const lessons::Program& program) const { return TextOf(lesson, program) != program.text; }
  bool Hidden(const Lesson& lesson, const Exercise* until, const std::string& id) const { return until != nullptr && !Solved(lesson, *until) && shown_.count(Key(lesson, id)) == 0; }

  void DrawProgram(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
    const lessons::Program& program = lesson.programs[static_cast<size_t>(block.index)];
    ui::TagScope scope(absl::StrCat("program:", program.id));
    const std::string key = Key(lesson, program.id);
    const Exercise* until = lessons::HiddenUntil(lesson, program);
    const bool hole = program.has_hole() && until != nullptr && !Solved(lesson, *until);
    std::string text = hole ? lessons::ShownText(program, false) : TextOf(lesson, program);
    text = std::string(absl::StripTrailingAsciiWhitespace(text));
    bool fresh = true;
    const std::shared_ptr<const ProgramRun> run = desk_->Run(key, TextOf(lesson, program), &fresh);
    CodeField field;
    field.read_only = hole;
    if (hole) {
      field.mark_begin = program.hole_begin;
      field.mark_end = program.hole_begin + 1;
    }
    if (run != nullptr && fresh && !hole) field.problems = &run->problems;
    if (EditCode("code", &text, width, field)) texts_[key] = absl::StrCat(text, "\n");
    if (run != nullptr && !run->ok() && !hole) {
      ui::TextWrapped(run->FirstProblem(), ui::Colors().red, ui::Type().small);
      ui::TagFact("problem", run->FirstProblem());
    } else if (run != nullptr && !Hidden(lesson, until, program.id)) {
      DrawValues(program, *run, width);
    } else if (until != nullptr && !hole) {
      if (ui::Button("show", words.Get("show-after-answer"), ui::Icon::kChevronRight, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons show ", program.id));
    }
    DrawCaption(context, block, width);
    if (hole) return;
    if (ui::Button("open", words.Get("open-in-window"), ui::Icon::kOpen, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons program ", program.id));
    if (Edited(lesson, program)) {
      ImGui::SameLine();
      if (ui::Button("reset", words.Get("reset-program"), ui::Icon::kUndo, ui::ButtonKind::kQuiet)) texts_.erase(key);
    }
    if (!fresh) {
      ImGui::SameLine();
      ui::Spinner(14);
    }
  }

  static void DrawValues(const lessons::Program& program, const ProgramRun& run, float width) {
    ImFont* font = ui::Type().mono_small;
    std::string all;
    for (const std::string& value : lessons::ShownValues(program, run)) {
      absl::StrAppend(&all, all.empty() ? "" : "\n", value);
    }
    ui::TagFact("value", all);
    // In line with the program above.
    ImGui::SetCursorPosX(ImGui::GetCursorPosX() + ui::Px(12));
    ImGui::PushFont(font);
    ImGui::PushTextWrapPos(ImGui::GetCursorPosX() + width - ui::Px(12));
    ImGui::PushStyleColor(ImGuiCol_Text, ui::Colors().text);
    ImGui::TextUnformatted(all.c_str());
    ImGui::PopStyleColor();
    ImGui::PopTextWrapPos();
    ImGui::PopFont();
  }

  // ---- Pictures ----

  void DrawPicture(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
    const lessons::Picture& picture = lesson.pictures[static_cast<size_t>(block.index)];
    ui::TagScope scope(absl::StrCat("picture:", picture.id));
    const lessons::Program* program = lesson.FindProgram(picture.program);
    if (program == nullptr) return;
    if (Hidden(lesson, lessons::HiddenUntil(lesson, picture), picture.id)) {
      if (ui::Button("show", words.Get("show-after-answer"), ui::Icon::kChevronRight, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons show ", picture.id));
      return;
    }
    bool fresh = true;
    const std::shared_ptr<const ProgramRun> run = desk_->Run(Key(lesson, program->id), TextOf(lesson, *program), &fresh);
    if (run == nullptr) return;
    ShownPicture& shown = pictures_[Key(lesson, picture.id)];
    // A text that does not run leaves the picture as it was.
    if (run != shown.run && run->ok()) {
      shown.run = run;
      shown.drawn = false;
    }
    if (shown.run != nullptr && (!shown.drawn || shown.selection.width != (width - ui::Px(16)) / ui::TheLook().scale || shown.selection.captions.language() != desk_->shelf()->CaptionsOf(language_).language())) {
      Redraw(picture, desk_->shelf()->CaptionsOf(language_), width - ui::Px(16), &shown);
    }
    if (!shown.problem.empty()) {
      ui::TextWrapped(shown.problem, ui::Colors().faint, ui::Type().small);
    } else if (shown.drawing != nullptr) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float pad = ui::Px(8);
      ImGui::SetCursorScreenPos({at.x + pad, at.y + pad});
      ImGui::BeginGroup();
      ShowPicture(&shown, words, width - 2 * pad);
      ImGui::EndGroup();
      const float bottom = ImGui::GetItemRectMax().y + pad;
      ImGui::GetWindowDrawList()->AddRect(at, {at.x + width, bottom}, ui::Colors().border, ui::Px(6));
      ImGui::SetCursorScreenPos(at);
      ImGui::Dummy({width, bottom - at.y});
    }
    if (run != nullptr && !run->ok()) ui::Text(words.Get("edited"), ui::Colors().faint, ui::Type().small);
    DrawCaption(context, block, width);
  }

  static void Redraw(const lessons::Picture& picture, const Captions& captions, float width, ShownPicture* shown) {
    shown->drawn = true;
    absl::StatusOr<lessons::PictureSubject> subject = lessons::SubjectOf(picture, *shown->run, captions);
    shown->problem = subject.ok() ? "" : std::string(subject.status().message());
    if (!subject.ok()) return;
    if (!shown->begun) shown->selection = subject->selection;
    shown->begun = true;
    shown->selection.live = true;
    shown->selection.captions = captions;
    shown->selection.width = width / ui::TheLook().scale;
    absl::StatusOr<MadePicture> made = subject->row->draw(subject->data, shown->selection);
    if (!made.ok() && shown->selection.pinned.has_value()) {  // a cell that is gone since the program was edited
      shown->selection.pinned.reset();
      shown->selection.hovered.reset();
      made = subject->row->draw(subject->data, shown->selection);
    }
    shown->problem = made.ok() ? "" : std::string(made.status().message());
    if (!made.ok()) return;
    shown->drawing = std::make_shared<Drawing>(std::move(made->drawing));
    shown->steps = made->steps;
    shown->step_text = made->step_text;
  }

  static void ShowPicture(ShownPicture* shown, const Words& words, float width) {
    PictureSelection& selection = shown->selection;
    // One that needs more room than the column has is made smaller, as far as it can be read.
    const float whole = shown->drawing->width() * ui::TheLook().scale;
    const ui::DrawingEvents events = shown->view.Show("drawing", shown->drawing, whole > width ? std::max(0.6f, width / whole) : 1);
    std::optional<Cell> hovered;
    if (events.hovered != nullptr && events.hovered->is_cell) hovered = events.hovered->cell;
    if (hovered != selection.hovered) {
      selection.hovered = hovered;
      shown->drawn = false;
    }
    if (events.clicked != nullptr && events.clicked->is_cell) {
      selection.pinned = events.clicked->cell;
      shown->drawn = false;
    }
    for (absl::string_view part : absl::StrSplit(events.action, ';', absl::SkipEmpty())) {
      const size_t equals = part.find('=');
      if (equals == absl::string_view::npos) continue;
      const std::string key(part.substr(0, equals)), value(part.substr(equals + 1));
      if (value.empty()) {
        selection.options.erase(key);
      } else {
        selection.options[key] = value;
      }
      shown->drawn = false;
    }
    if (!shown->drawn) ui::WantFrame();
    if (shown->steps <= 0) return;
    // An order: to be walked through.
    const int before = selection.step;
    if (ui::IconButton("first", ui::Icon::kRestart, "The whole", false, selection.step >= 0)) selection.step = -1;
    ImGui::SameLine();
    if (ui::IconButton("back", ui::Icon::kBackNext, "A step back", false, selection.step > 0)) --selection.step;
    ImGui::SameLine();
    if (ui::IconButton("next", ui::Icon::kNext, "A step on", false, selection.step + 1 < shown->steps)) ++selection.step;
    ImGui::SameLine();
    ui::TextCut(selection.step < 0 ? words.Get("steps", {absl::StrCat(shown->steps)}) : absl::StrCat(selection.step + 1, "/", shown->steps, "  ", shown->step_text), ui::Colors().dim, ui::Type().small);
    if (selection.step != before) {
      shown->drawn = false;
      ui::WantFrame();
    }
  }

  // ---- Exercises ----

  void DrawExercise(PanelContext& context, const Lesson& lesson, const Words& words, const Block& block, float width) {
    const Exercise& exercise = lesson.exercises[static_cast<size_t>(block.index)];
    const ui::Palette& c = ui::Colors();
    ui::TagScope scope(absl::StrCat("exercise:", exercise.id));
    const bool solved = Solved(lesson, exercise);
    Attempt& attempt = attempts_[Key(lesson, exercise.id)];
    ImDrawList* list = ImGui::GetWindowDrawList();
    // The card is drawn behind its content, whose height is known afterwards.
    list->ChannelsSplit(2);
    list->ChannelsSetCurrent(1);
    const ImVec2 at = ImGui::GetCursorScreenPos();
    const float pad = ui::Px(16), inner = width - 2 * pad;
    ImGui::SetCursorScreenPos({at.x + pad, at.y + ui::Px(12)});
    ImGui::BeginGroup();
    ui::Text(words.Get("exercise"), solved ? c.green : c.blue, ui::Type().strong);
    if (solved) {
      ImGui::SameLine();
      ui::Badge(words.Get("solved"), c.green);
    }
    for (const lessons::Spans& p : block.exercise.question) Follow(context, ReadingText(p, inner));
    if (exercise.kind == "choice") {
      DrawChoices(context, lesson, exercise, block, attempt, inner);
    } else {
      DrawField(context, lesson, exercise, words, attempt, inner);
    }
    DrawHelp(context, lesson, exercise, words, block, attempt, inner);
    DrawVerdict(context, words, block, attempt, solved, inner);
    ImGui::EndGroup();
    const float bottom = ImGui::GetItemRectMax().y + ui::Px(12);
    list->ChannelsSetCurrent(0);
    list->AddRectFilled(at, {at.x + width, bottom}, ui::Fade(c.raised, 0.45f), ui::Px(6));
    list->AddRectFilled(at, {at.x + ui::Px(4), bottom}, solved ? c.green : c.blue, ui::Px(6), ImDrawFlags_RoundCornersLeft);
    list->ChannelsMerge();
    ImGui::SetCursorScreenPos(at);
    ImGui::Dummy({width, bottom - at.y});
  }

  // With its command in the console; a text of several lines is none.
  void Submit(PanelContext& context, const Lesson& lesson, const Exercise& exercise, Attempt& attempt) {
    if (exercise.kind == "program") {
      CheckAttempt(lesson, exercise, attempt);
    } else {
      context.run(absl::StrCat("window lessons answer ", exercise.id, " ", attempt.answer));
    }
  }

  void DrawField(PanelContext& context, const Lesson& lesson, const Exercise& exercise, const Words& words, Attempt& attempt, float width) {
    bool entered = false;
    if (exercise.kind == "program") {
      const lessons::Program* start = lesson.FindProgram(exercise.program);
      if (attempt.answer.empty() && start != nullptr) attempt.answer = std::string(absl::StripTrailingAsciiWhitespace(start->text));
      ui::Text(words.Get("your-program"), ui::Colors().dim, ui::Type().small);
      EditCode("answer", &attempt.answer, width, {});
    } else {
      ui::Field("answer", &attempt.answer, words.Get("your-answer"), 360, &entered, /*mono=*/true);
      ImGui::SameLine();
    }
    if (ui::Button("check", words.Get("check"), ui::Icon::kCheck, ui::ButtonKind::kPrimary) || entered) Submit(context, lesson, exercise, attempt);
  }

  void DrawChoices(PanelContext& context, const Lesson& lesson, const Exercise& exercise, const Block& block, Attempt& attempt, float width) {
    const ui::Palette& c = ui::Colors();
    for (const auto& [letter, text] : block.exercise.choices) {
      const ImVec2 at = ImGui::GetCursorScreenPos();
      const float side = ui::Px(16), line = std::floor(ui::Type().ui->FontSize * 1.5f);
      const bool on = attempt.answer == letter;
      // The row is measured by its text, then it can be clicked as a whole.
      ImGui::SetCursorScreenPos({at.x + side + ui::Px(10), at.y});
      ReadingText(text, width - side - ui::Px(10));
      const ImVec2 end = {at.x + width, ImGui::GetItemRectMax().y};
      const bool over = ImGui::IsWindowHovered() && ImGui::IsMouseHoveringRect(at, end);
      const ImVec2 middle = {at.x + side / 2, at.y + line / 2};
      ImGui::GetWindowDrawList()->AddCircle(middle, side / 2 - 1, on ? c.blue : over ? c.text : c.dim, 0, ui::Px(1.5f));
      if (on) ImGui::GetWindowDrawList()->AddCircleFilled(middle, side / 2 - ui::Px(4), c.blue);
      ui::Tag(absl::StrCat("choice:", letter), at, end);
      if (over) ImGui::SetMouseCursor(ImGuiMouseCursor_Hand);
      if (over && ImGui::IsMouseClicked(0)) {
        attempt.answer = letter;
        Submit(context, lesson, exercise, attempt);
      }
    }
  }

  void DrawHelp(PanelContext& context, const Lesson& lesson, const Exercise& exercise, const Words& words, const Block& block, Attempt& attempt, float width) {
    const int hints = static_cast<int>(block.exercise.hints.size());
    for (int k = 0; k < std::min(hints, attempt.hints); ++k) {
      ReadingStyle style;
      style.color = ui::Colors().dim;
      lessons::Spans hint = block.exercise.hints[static_cast<size_t>(k)];
      hint.insert(hint.begin(), lessons::Span{lessons::Span::kStrong, absl::StrCat(words.Get("hint"), ": "), ""});
      Follow(context, ReadingText(hint, width, style));
    }
    if (Solved(lesson, exercise)) return;
    bool any = false;
    if (attempt.hints < hints) {
      any = true;
      if (ui::Button("hint", hints > 1 ? absl::StrCat(words.Get("hint"), " ", attempt.hints + 1, "/", hints) : words.Get("hint"), ui::Icon::kInfo, ui::ButtonKind::kQuiet)) {
        context.run(absl::StrCat("window lessons hint ", exercise.id));
      }
    }
    if (attempt.mistakes >= 2) {
      if (any) ImGui::SameLine();
      if (ui::Button("reveal", words.Get("show-answer"), ui::Icon::kBook, ui::ButtonKind::kQuiet)) context.run(absl::StrCat("window lessons reveal ", exercise.id));
    }
  }

  void DrawVerdict(PanelContext& context, const Words& words, const Block& block, const Attempt& attempt, bool solved, float width) {
    const ui::Palette& c = ui::Colors();
    const bool wrong = attempt.judged && !attempt.verdict.right;
    if (!wrong && !solved) {
      ui::TagFact("verdict", attempt.waiting ? "waiting" : "");
      return;
    }
    // Solved before: why it is so stays to be read.
    lessons::Spans text = wrong ? attempt.verdict.text : block.exercise.why;
    text.insert(text.begin(), lessons::Span{lessons::Span::kStrong, absl::StrCat(words.Get(wrong ? "verdict-wrong" : "verdict-right"), " "), ""});
    ui::TagFact("verdict", lessons::PlainText(text));
    const float icon = ui::Px(16), pad = ui::Px(10);
    ImDrawList* list = ImGui::GetWindowDrawList();
    const ImVec2 at = ImGui::GetCursorScreenPos();
    ImGui::SetCursorScreenPos({at.x + pad + icon + ui::Px(8), at.y + ui::Px(6)});
    Follow(context, ReadingText(text, width - 2 * pad - icon - ui::Px(8)));
    const ImVec2 end = {at.x + width, ImGui::GetItemRectMax().y + ui::Px(6)};
    list->ChannelsSetCurrent(0);
    list->AddRectFilled(at, end, wrong ? c.pink_fill : ui::Fade(c.green_fill, 0.6f), ui::Px(4));
    list->ChannelsSetCurrent(1);
    ui::DrawIcon(list, wrong ? ui::Icon::kWarning : ui::Icon::kCheck, {at.x + pad, at.y + ui::Px(10)}, icon, wrong ? c.pink : c.green);
    ImGui::SetCursorScreenPos({at.x, end.y});
    ImGui::Dummy({width, 1});
  }

  void DrawFoot(PanelContext& context, const Shelf& shelf, const Lesson& lesson, const Words& words, float width) {
    ui::Gap(16);
    for (size_t k = 0; k < shelf.lessons.size(); ++k) {
      if (shelf.lessons[k].get() != &lesson) continue;
      if (k > 0) {
        const Lesson& before = *shelf.lessons[k - 1];
        if (ui::Button("previous", words.Get("previous-lesson", {before.In(language_).title}), ui::Icon::kNone)) context.run(absl::StrCat("window lessons open ", before.name));
        ImGui::SameLine();
      }
      if (k + 1 < shelf.lessons.size()) {
        const Lesson& next = *shelf.lessons[k + 1];
        if (ui::Button("next", words.Get("next-lesson", {next.In(language_).title}), ui::Icon::kNone, ui::ButtonKind::kPrimary)) context.run(absl::StrCat("window lessons open ", next.name));
      }
    }
    ImGui::Dummy({width, 1});
  }

  std::unique_ptr<lessons::Desk> desk_;
  std::string language_ = "en", lesson_;
  std::set<std::string> solved_;                 // "shapes/rank"; kept
  std::map<std::string, Attempt> attempts_;
  std::map<std::string, std::string> texts_;     // edited programs
  std::set<std::string> shown_;                  // looked at before they were solved
  std::map<std::string, ShownPicture> pictures_;
  bool scroll_to_top_ = false;
};

}  // namespace

std::unique_ptr<Panel> MakeLessonsPanel() { return std::make_unique<LessonsPanel>(); }

}  // namespace hloscope
