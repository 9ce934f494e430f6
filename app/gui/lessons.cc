// hloscope lessons: what the panel Lessons does, on the command line: the list, a lesson, an answer that is checked, and all of it as HTML.
#include <algorithm>
#include <cstdio>
#include <fstream>
#include <iostream>
#include <sstream>

#include "absl/strings/ascii.h"
#include "absl/strings/match.h"
#include "absl/strings/str_cat.h"
#include "absl/strings/str_join.h"
#include "app/cli/arguments.h"
#include "app/cli/verb.h"
#include "app/gui/wiring.h"
#include "visualizer/lessons/exercise.h"
#include "visualizer/lessons/html.h"
#include "visualizer/lessons/lesson.h"
#include "visualizer/lessons/plain.h"

namespace hloscope::cli {
namespace {

using namespace lessons;  // NOLINT

// Null, and a message, where there is no such lesson.
const Lesson* FindLesson(const Shelf& shelf, const std::string& name, int* status) {
  if (const Lesson* found = shelf.Find(name)) return found;
  std::vector<std::string> names;
  for (const auto& lesson : shelf.lessons) names.push_back(lesson->name);
  *status = UsageError(absl::StrCat("there is no lesson '", name, "'; there are ", absl::StrJoin(names, ", ")));
  return nullptr;
}

int Check(const Shelf& shelf, const std::string& language, const std::string& name, const std::string& id, std::string answer, bool reveal) {
  int status = kOk;
  const Lesson* lesson = FindLesson(shelf, name, &status);
  if (lesson == nullptr) return status;
  const Exercise* exercise = lesson->FindExercise(id);
  if (exercise == nullptr) {
    std::vector<std::string> ids;
    for (const Exercise& e : lesson->exercises) ids.push_back(e.id);
    return UsageError(absl::StrCat("the lesson '", name, "' has no exercise '", id, "'; it has ", absl::StrJoin(ids, ", ")));
  }
  if (reveal) {
    const absl::StatusOr<std::string> expected = ExpectedAnswer(*lesson, *exercise, gui::MakeInterpreter);
    if (!expected.ok()) return UsageError(std::string(expected.status().message()));
    std::cout << absl::StripTrailingAsciiWhitespace(*expected) << "\n";
    return kOk;
  }
  // Whole programs come as files.
  if (exercise->kind == "program" && !answer.empty() && lesson->FindProgram(answer) == nullptr) {
    std::stringstream text;
    if (answer == "-") {
      text << std::cin.rdbuf();
    } else {
      std::ifstream file(answer);
      if (!file) return UsageError(absl::StrCat("cannot open ", answer, "; the answer is a file, or - for standard input"));
      text << file.rdbuf();
    }
    answer = text.str();
  }
  const LessonText& text = lesson->In(language);
  const ExerciseText* own = FindExerciseText(text, *lesson, *exercise);
  const Words& words = shelf.WordsOf(language);
  const Verdict verdict = CheckAnswer(*lesson, *exercise, own != nullptr ? *own : ExerciseText(), words, answer, gui::MakeInterpreter);
  std::cout << Wrapped(absl::StrCat(words.Get(verdict.right ? "verdict-right" : "verdict-wrong"), " ", PlainText(verdict.text)), 100);
  return verdict.right ? kOk : kFailed;
}

}  // namespace

int Run_lessons(const std::vector<std::string>& args) {
  OptionParser app("Lessons about shapes, layouts and operations, with programs, pictures and exercises. The same as in the window's panel Lessons.", "hloscope lessons");
  std::string language = "en", name, exercise, answer, block, folder;
  bool reveal = false;
  app.add_option("--language", language, "en, es, ...")->type_name("LANG");
  app.add_subcommand("list", "the lessons, in order (also without a word)");
  OptionParser* show = app.add_subcommand("show", "a lesson as text");
  show->add_option("NAME", name)->required();
  OptionParser* check = app.add_subcommand("check", "checks an answer; status 1: it is not right");
  check->add_option("NAME", name, "of the lesson")->required();
  check->add_option("EXERCISE", exercise)->required();
  check->add_option("ANSWER", answer, "where the exercise wants a program: its file, or - for the standard input");
  check->add_flag("--reveal", reveal, "prints the right answer instead");
  OptionParser* program = app.add_subcommand("program", "prints a program of a lesson, for `hloscope debug -`");
  program->add_option("NAME", name, "of the lesson")->required();
  program->add_option("PROGRAM", block)->required();
  program->add_flag("--reveal", reveal, "also what is to be filled in, which is a ? otherwise");
  OptionParser* export_html = app.add_subcommand("export", "writes all lessons, in all languages, as HTML pages");
  export_html->add_option("FOLDER", folder)->required();
  // An answer may begin with a minus, which is no option then: a space before it says so.
  std::vector<std::string> words = args;
  const auto check_at = std::find(words.begin(), words.end(), "check") - words.begin();
  for (size_t k = static_cast<size_t>(check_at) + 3; k < words.size(); ++k) {
    if (words[k].size() > 1 && words[k][0] == '-' && words[k][1] != '-' && words[k] != "-h") words[k].insert(0, " ");
  }
  if (const auto status = app.Parse(words)) return *status;

  const Shelf shelf = ReadShelf(gui::LessonsFolder());
  for (const std::string& problem : shelf.problems) std::fprintf(stderr, "%s\n", problem.c_str());
  if (shelf.lessons.empty()) return UsageError(absl::StrCat("there are no lessons in '", shelf.folder, "'"));
  if (shelf.words.find(language) == shelf.words.end()) return UsageError(absl::StrCat("there is no language '", language, "'; there are ", absl::StrJoin(shelf.languages, ", ")));
  int status = shelf.problems.empty() ? kOk : kFailed;
  if (show->given()) {
    const Lesson* lesson = FindLesson(shelf, name, &status);
    if (lesson != nullptr) std::cout << LessonPlainText(shelf, *lesson, language, gui::MakeInterpreter);
    return status;
  }
  if (check->given()) return Check(shelf, language, name, exercise, answer, reveal);
  if (program->given()) {
    const Lesson* lesson = FindLesson(shelf, name, &status);
    if (lesson == nullptr) return status;
    const lessons::Program* found = lesson->FindProgram(block);
    if (found == nullptr) {
      std::vector<std::string> ids;
      for (const auto& p : lesson->programs) ids.push_back(p.id);
      return UsageError(absl::StrCat("the lesson '", name, "' has no program '", block, "'; it has ", absl::StrJoin(ids, ", ")));
    }
    std::cout << ShownText(*found, reveal || !found->has_hole() || HiddenUntil(*lesson, *found) == nullptr);
    return kOk;
  }
  if (export_html->given()) {
    const absl::StatusOr<std::vector<std::string>> files = ExportLessons(shelf, folder, gui::MakeInterpreter);
    if (!files.ok()) return UsageError(std::string(files.status().message()));
    std::cout << files->size() << " files in " << folder << "; begin with " << folder << "/index.html\n";
    return status;
  }
  std::cout << ContentsText(shelf, language);
  return status;
}

}  // namespace hloscope::cli
