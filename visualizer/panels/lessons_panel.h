// The panel Lessons: the list with its progress, and a lesson to read, with programs that run as one types, pictures of their values, and exercises
// that are checked. Everything runs on the desk's thread (lessons/desk.h); hloscope lessons prints the same. lessons.cc: the list, the page and the
// commands; lessons_program.cc: programs and pictures; lessons_exercise.cc: exercises. Only for these files.
#ifndef HLOSCOPE_VISUALIZER_PANELS_LESSONS_PANEL_H_
#define HLOSCOPE_VISUALIZER_PANELS_LESSONS_PANEL_H_

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <set>
#include <string>
#include <vector>

#include "absl/strings/str_cat.h"
#include "visualizer/lessons/desk.h"
#include "visualizer/lessons/draw.h"
#include "visualizer/panels/panel.h"
#include "visualizer/widgets/drawing_view.h"

namespace hloscope {

// What somebody did in an exercise.
struct Attempt {
  std::string answer;
  lessons::Verdict verdict;
  std::string checked;  // the answer that `verdict` is of
  bool judged = false, waiting = false;
  bool again = false;  // it is judged once more, in another language
  int hints = 0, mistakes = 0;
};

// A picture as it is shown, and what it was drawn from.
struct ShownPicture {
  std::shared_ptr<const lessons::ProgramRun> run;
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

  void Draw(PanelContext& context) override;

  bool Command(PanelContext& context, absl::string_view args, std::string* error) override;

  void Save(nlohmann::json& to) const override;
  void Load(const nlohmann::json& from) override;

 private:
  void Begin(PanelContext& context);
  const lessons::Lesson* Present(const lessons::Shelf& shelf) const {
    const lessons::Lesson* lesson = shelf.Find(lesson_);
    return lesson != nullptr || shelf.lessons.empty() ? lesson : shelf.lessons.front().get();
  }
  static std::string Key(const lessons::Lesson& lesson, const std::string& id) { return absl::StrCat(lesson.name, "/", id); }
  bool Solved(const lessons::Lesson& lesson, const lessons::Exercise& exercise) const { return solved_.count(Key(lesson, exercise.id)) > 0; }

  // ---- Commands ----

  void CheckNames(PanelContext& context);
  bool Open(const std::string& name, std::string* error);
  bool SetLanguage(const std::string& language, std::string* error);
  bool Answer(const lessons::Lesson& lesson, absl::string_view args, std::string* error);
  bool OpenProgram(PanelContext& context, const lessons::Lesson& lesson, const std::string& id, std::string* error);
  bool Reveal(const lessons::Lesson& lesson, bool hint, const std::string& id, std::string* error);
  // The right answer into the field; checking it is left to who reads.
  bool FillIn(PanelContext& context, const lessons::Lesson& lesson, const std::string& id, std::string* error);
  void CheckAttempt(const lessons::Lesson& lesson, const lessons::Exercise& exercise, Attempt& attempt);
  // Verdicts are in the words of a language.
  void CheckAgain(const lessons::Shelf& shelf);
  void TakeVerdicts(PanelContext& context);

  // ---- The list ----

  void DrawContents(PanelContext& context, const lessons::Shelf& shelf, const lessons::Words& words);

  // ---- A lesson ----

  void DrawLesson(PanelContext& context, const lessons::Shelf& shelf, const lessons::Lesson& lesson, const lessons::Words& words, bool side_by_side);

  void Follow(PanelContext& context, const std::string& link);

  void DrawBlock(PanelContext& context, const lessons::Lesson& lesson, const lessons::Words& words, const lessons::Block& block, float width);

  void DrawCaption(PanelContext& context, const lessons::Block& block, float width);

  // ---- Programs ----

  // What stands in it now: as it was, or as it was edited.
  std::string TextOf(const lessons::Lesson& lesson, const lessons::Program& program) const {
    const auto it = texts_.find(Key(lesson, program.id));
    return it != texts_.end() ? it->second : program.text;
  }
  bool Edited(const lessons::Lesson& lesson, const lessons::Program& program) const { return TextOf(lesson, program) != program.text; }
  bool Hidden(const lessons::Lesson& lesson, const lessons::Exercise* until, const std::string& id) const { return until != nullptr && !Solved(lesson, *until) && shown_.count(Key(lesson, id)) == 0; }

  void DrawProgram(PanelContext& context, const lessons::Lesson& lesson, const lessons::Words& words, const lessons::Block& block, float width);

  static void DrawValues(const lessons::Program& program, const lessons::ProgramRun& run, float width);

  // ---- Pictures ----

  void DrawPicture(PanelContext& context, const lessons::Lesson& lesson, const lessons::Words& words, const lessons::Block& block, float width);

  static void Redraw(const lessons::Picture& picture, const Captions& captions, float width, ShownPicture* shown);

  static void ShowPicture(ShownPicture* shown, const lessons::Words& words, float width);

  // ---- Exercises ----

  void DrawExercise(PanelContext& context, const lessons::Lesson& lesson, const lessons::Words& words, const lessons::Block& block, float width);

  // With its command in the console; a text of several lines is none.
  void Submit(PanelContext& context, const lessons::Lesson& lesson, const lessons::Exercise& exercise, Attempt& attempt);

  void SayAsItWas(const lessons::Lesson& lesson, const lessons::Words& words, const lessons::Exercise& exercise, float width);

  void DrawField(PanelContext& context, const lessons::Lesson& lesson, const lessons::Exercise& exercise, const lessons::Words& words, Attempt& attempt, float width);

  void DrawChoices(PanelContext& context, const lessons::Lesson& lesson, const lessons::Exercise& exercise, const lessons::Block& block, Attempt& attempt, float width);

  void DrawHelp(PanelContext& context, const lessons::Lesson& lesson, const lessons::Exercise& exercise, const lessons::Words& words, const lessons::Block& block, Attempt& attempt, float width);

  void DrawVerdict(PanelContext& context, const lessons::Words& words, const lessons::Block& block, const Attempt& attempt, bool solved, float width);

  void DrawFoot(PanelContext& context, const lessons::Shelf& shelf, const lessons::Lesson& lesson, const lessons::Words& words, float width);

  std::unique_ptr<lessons::Desk> desk_;
  std::string language_ = "en", lesson_;
  std::set<std::string> solved_;                 // "shapes/rank"; kept
  std::map<std::string, Attempt> attempts_;
  std::map<std::string, std::string> texts_;     // edited programs
  std::set<std::string> shown_;                  // looked at before they were solved
  std::map<std::string, ShownPicture> pictures_;
  bool scroll_to_top_ = false;
  bool names_unchecked_ = false;  // of the lesson or the language: they were given before the lessons were read
};

}  // namespace hloscope

#endif  // HLOSCOPE_VISUALIZER_PANELS_LESSONS_PANEL_H_
